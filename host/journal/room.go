package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// Limits bound a folder. A zero field means the default.
type Limits struct {
	File  int64         // bytes of one file
	Files int           // in the folder, those of all hosts and damaged ones included
	Sum   int64         // bytes of all of them
	Age   time.Duration // how long a file that was left is kept: see Dir.Expired
}

// DefaultLimits are those of a zero Limits. A file may be larger than a
// document's history (256 MiB) and two of its baselines (64 MiB) together.
func DefaultLimits() Limits {
	return Limits{File: 1 << 30, Files: 1000, Sum: 4 << 30, Age: 30 * 24 * time.Hour}
}

func (l Limits) orDefault() Limits {
	std := DefaultLimits()
	if l.File <= 0 {
		l.File = std.File
	}
	if l.Files <= 0 {
		l.Files = std.Files
	}
	if l.Sum <= 0 {
		l.Sum = std.Sum
	}
	if l.Age <= 0 {
		l.Age = std.Age
	}
	return l
}

// room is what this host may still add to a folder before it measures that
// again.
type room struct {
	mu    sync.Mutex
	files int
	bytes int64
}

// share is the part of the free room that a host takes at a time: others write
// to the folder, too, and none of them sees what the rest has not used yet.
const share = 16

// claim takes room for more files and bytes. It measures the folder only when
// its part is used up, so that an append need not wait for that. Nothing is given
// back: room that is free again is found when the folder is measured.
func (d *Dir) claim(files int, bytes int64) error {
	d.room.mu.Lock()
	defer d.room.mu.Unlock()
	if files > d.room.files || bytes > d.room.bytes {
		there, size, err := d.measure()
		if err != nil {
			return err
		}
		freeFiles, freeBytes := d.limits.Files-there, d.limits.Sum-size
		switch {
		case files > 0 && files > freeFiles:
			return fmt.Errorf("%w: it holds %d journals, the most there may be", ErrNoRoom, d.limits.Files)
		case bytes > 0 && bytes > freeBytes:
			return fmt.Errorf("%w: its journals take %d of %d MiB", ErrNoRoom, size>>20, d.limits.Sum>>20)
		}
		d.room.files = max(files, freeFiles/share)
		d.room.bytes = max(bytes, freeBytes/share)
	}
	d.room.files -= files
	d.room.bytes -= bytes
	return nil
}

// measure counts the files in the folder and adds up their sizes. One that is
// being made does not count yet.
func (d *Dir) measure() (files int, bytes int64, err error) {
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil // it is made with the next file
	}
	if err != nil {
		return 0, 0, reason(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), suffix) && !strings.HasSuffix(e.Name(), aside) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files++
			bytes += info.Size()
		}
	}
	return files, bytes, nil
}
