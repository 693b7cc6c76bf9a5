package folder

import "time"

// stamp tells whether a file was changed. The zero stamp is that of no file.
type stamp struct {
	size           int64
	written        int64 // the time of its content, nanoseconds
	changed        int64 // the time of content, name or mode, which nobody can set; where there is none, as written
	device, number uint64
}

// settled reports whether another change would show in the stamp: not while the
// clock of the file system, which is as coarse as 2 s, may not have moved on.
func (s stamp) settled(now time.Time) bool {
	const coarse = 3 * time.Second
	return now.Sub(time.Unix(0, s.changed)) > coarse
}
