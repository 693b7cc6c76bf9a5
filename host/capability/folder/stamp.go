package folder

import "time"

// stamp detects changes of a file. The zero stamp is that of no file.
type stamp struct {
	size           int64
	written        int64 // the modification time in nanoseconds
	changed        int64 // the inode's change time, which nobody can set; if there is none, same as written
	device, number uint64
}

// settled reports whether another change would change the stamp: file systems' clocks have steps of up to 2 s, and the
// present one must have passed.
func (s stamp) settled(now time.Time) bool {
	const coarse = 3 * time.Second
	return now.Sub(time.Unix(0, s.changed)) > coarse
}
