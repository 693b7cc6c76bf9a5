package gate

import (
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// watched is a value that is read from files, and read again when one of them changes.
type watched[T any] struct {
	paths []string
	read  func() (T, error)
	// failed is called with each new error, except for the first read's, which get returns to the caller that starts
	// the server.
	failed func(error)

	mu     sync.Mutex
	value  T
	err    error
	stamps []stamp
	at     time.Time // time of the last read
}

// stamp tells versions of a file apart.
type stamp struct {
	info fs.FileInfo // nil if there is no file
	size int64
	time time.Time
}

// settleTime is how old a change must be for an equal stamp to mean the same content, since file systems have a limited
// time resolution.
const settleTime = 2 * time.Second

// get returns the current value. After an error it is the value of the last successful read.
func (w *watched[T]) get() (T, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stamps := make([]stamp, len(w.paths))
	recent := false
	for i, path := range w.paths {
		if info, err := os.Stat(path); err == nil {
			stamps[i] = stamp{info, info.Size(), info.ModTime()}
			recent = recent || w.at.Sub(info.ModTime()) < settleTime
		}
	}
	if recent || !slices.EqualFunc(stamps, w.stamps, sameStamp) {
		first := w.at.IsZero()
		w.at = time.Now()
		v, err := w.read()
		if err != nil && !first && (w.err == nil || w.err.Error() != err.Error()) {
			w.failed(err)
		}
		if w.stamps, w.err = stamps, err; err == nil {
			w.value = v
		}
	}
	return w.value, w.err
}

func sameStamp(a, b stamp) bool {
	if a.info == nil || b.info == nil {
		return a.info == nil && b.info == nil
	}
	return os.SameFile(a.info, b.info) && a.info.Mode() == b.info.Mode() && ownerOf(a.info) == ownerOf(b.info) && a.size == b.size && a.time.Equal(b.time)
}
