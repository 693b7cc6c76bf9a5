package confine

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// LeaveRoot makes a new read-only folder in memory the root of this process. It contains only the kernel's information
// about the process, below /proc, and what furnish puts into it while it is mounted at a path. It has room for that
// many files and folders. The process needs its own mount namespace.
func LeaveRoot(entries int, furnish func(at string) error) error {
	at := "/" // any existing folder; its content outside stays untouched
	for _, dir := range []string{"/tmp", "/var", "/usr", "/etc"} {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			at = dir
			break
		}
	}
	// The root and /proc count as entries.
	size := fmt.Sprintf("size=%dk,nr_inodes=%d,mode=755", 4+entries, 2+entries)
	const quiet = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"keep mounts to itself", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"mount a file system", func() error { return unix.Mount("none", at, "tmpfs", quiet, size) }},
		{"make a folder", func() error { return unix.Mkdir(at+"/proc", 0o555) }},
		{"mount its own processes", func() error { return unix.Mount("proc", at+"/proc", "proc", quiet, "") }},
		{"furnish it", func() error { return furnish(at) }},
		{"go there", func() error { return unix.Chdir(at) }},
		{"change the root", func() error { return unix.PivotRoot(".", ".") }}, // the old root is now mounted over the new one
		{"leave the old root", func() error { return unix.Unmount(".", unix.MNT_DETACH) }},
		{"go to the root", func() error { return unix.Chdir("/") }},
		{"write no more", func() error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|quiet, "") }},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}
