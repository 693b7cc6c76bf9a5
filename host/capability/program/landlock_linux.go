package program

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/host/confine"
	lsm "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// minLandlock is the first ABI version that controls truncation.
const minLandlock = 3

// Available returns why programs cannot run here, or nil if they can.
func Available() error {
	version, err := lsm.LandlockGetABIVersion()
	if err != nil {
		version = 0
	}
	if version < minLandlock {
		return fmt.Errorf("%w: the kernel has no Landlock of version %d (Linux 6.2), or it is not enabled (lsm=landlock,… on its command line)", ErrUnconfined, minLandlock)
	}
	if _, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("%w: the kernel has no seccomp: %w", ErrUnconfined, err)
	}
	return nil
}

// ruleset is the Landlock ruleset of a cage.
type ruleset struct {
	fd, version int
}

// landlockRules allows what the program may read and write, as long as this process still sees those paths. All other
// access is refused, including creating, renaming and removing files.
func landlockRules(o *order) (*ruleset, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	version, err := lsm.LandlockGetABIVersion()
	if err != nil {
		return nil, err
	}
	attr := lsm.RulesetAttr{HandledAccessFS: 1<<15 - 1}
	if version >= 4 {
		attr.HandledAccessNet = lsm.AccessNetBindTCP | lsm.AccessNetConnectTCP
	}
	if version >= 5 {
		attr.HandledAccessFS |= lsm.AccessFSIoctlDev
	}
	if version >= 6 {
		attr.Scoped = lsm.ScopeAbstractUnixSocket | lsm.ScopeSignal
	}
	if version >= 9 {
		attr.HandledAccessFS |= lsm.AccessFSResolveUnix
	}
	if version >= 10 {
		attr.HandledAccessNet |= lsm.AccessNetBindUDP | lsm.AccessNetConnectSendUDP
	}
	fd, err := lsm.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: Landlock: %w", ErrUnconfined, err)
	}
	const (
		read  = lsm.AccessFSReadFile
		list  = read | lsm.AccessFSReadDir
		run   = list | lsm.AccessFSExecute
		write = read | lsm.AccessFSWriteFile | lsm.AccessFSTruncate
	)
	r := &ruleset{fd, version}
	for _, allow := range []struct {
		paths  []string
		access uint64
		must   bool
	}{
		{slices.Concat(libraries, o.Reads), run, false}, {texts, list, false}, {[]string{o.Program}, run, true},
		{o.Inputs, read, true}, {o.Files, read, true}, {o.Outputs, write, true},
	} {
		for _, path := range allow.paths {
			if err := r.allow(path, allow.access); err != nil && (allow.must || !errors.Is(err, unix.ENOENT)) {
				return nil, fmt.Errorf("this kernel's Landlock: %s: %w", path, err)
			}
		}
	}
	return r, nil
}

// allow allows access to the file at path, or to all files below it. The rule applies to what is there now, even if it
// is renamed later.
func (r *ruleset) allow(path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &^= lsm.AccessFSReadDir
	}
	return lsm.LandlockAddPathBeneathRule(r.fd, &lsm.PathBeneathAttr{AllowedAccess: access, ParentFd: fd}, 0)
}

// enforce applies the ruleset to this thread, irrevocably.
func (r *ruleset) enforce() (confine.Layer, error) {
	if err := lsm.LandlockRestrictSelf(r.fd, 0); err != nil {
		return confine.Layer{}, fmt.Errorf("%w: Landlock: %w", ErrUnconfined, err)
	}
	return confine.Layer{Name: "landlock", On: true, Detail: fmt.Sprintf("its libraries, fonts, inputs and outputs; no file is made (version %d)", r.version)}, nil
}
