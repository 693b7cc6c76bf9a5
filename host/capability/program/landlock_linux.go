package program

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/host/confine"
	lsm "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// minLandlock is the first version that keeps a file from being cut off.
const minLandlock = 3

// Available says why no program can be run here, nil when one can.
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

// ruleset is what Landlock will hold a cage to.
type ruleset struct {
	fd, version int
}

// landlockRules opens what the program may read and write while this process can still see it. Everything else, including making,
// renaming and removing files, is refused.
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
			if err := r.allow(path, allow.access); err != nil && (allow.must || err != unix.ENOENT) {
				return nil, fmt.Errorf("this kernel's Landlock: %s: %w", path, err)
			}
		}
	}
	return r, nil
}

// allow grants access below a path, or of the file at it. The rule is about what is there now, wherever its name leads later.
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

// enforce binds this thread, for good.
func (r *ruleset) enforce() (confine.Layer, error) {
	if err := lsm.LandlockRestrictSelf(r.fd, 0); err != nil {
		return confine.Layer{}, fmt.Errorf("%w: Landlock: %w", ErrUnconfined, err)
	}
	return confine.Layer{Name: "landlock", On: true, Detail: fmt.Sprintf("its libraries, fonts, inputs and outputs; no file is made (version %d)", r.version)}, nil
}
