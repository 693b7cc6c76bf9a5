package gate

import (
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// watched is a value read from files, and read again when one of them changes.
type watched[T any] struct {
	paths []string
	read  func() (T, error)
	// failed is told of each new error but that of the first read, which get
	// returns to whoever starts the server.
	failed func(error)

	mu     sync.Mutex
	value  T
	err    error
	stamps []stamp
	at     time.Time // of the last read
}

// stamp tells one version of a file from the next.
type stamp struct {
	info fs.FileInfo // nil where there is no file
	size int64
	time time.Time
}

// settled is how old a change has to be before an equal stamp proves that the
// file is the same: file systems count time in steps.
const settled = 2 * time.Second

// get returns the current value. After an error the value is that of the last
// good read.
func (w *watched[T]) get() (T, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stamps := make([]stamp, len(w.paths))
	recent := false
	for i, path := range w.paths {
		if info, err := os.Stat(path); err == nil {
			stamps[i] = stamp{info, info.Size(), info.ModTime()}
			recent = recent || w.at.Sub(info.ModTime()) < settled
		}
	}
	if recent || !slices.EqualFunc(stamps, w.stamps, same) {
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

func same(a, b stamp) bool {
	if a.info == nil || b.info == nil {
		return a.info == nil && b.info == nil
	}
	return os.SameFile(a.info, b.info) && a.info.Mode() == b.info.Mode() && ownerOf(a.info) == ownerOf(b.info) && a.size == b.size && a.time.Equal(b.time)
}
