package journal

import (
	"crypto/sha256"
	"encoding/hex"
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

	// Of the files of one owner; the owner "" has all that there is.
	OwnerFiles int
	OwnerSum   int64
}

// DefaultLimits are those of a zero Limits. A file may be larger than a
// document's history (256 MiB) and two of its baselines (64 MiB) together.
func DefaultLimits() Limits {
	return Limits{File: 1 << 30, Files: 1000, Sum: 4 << 30, Age: 30 * 24 * time.Hour,
		OwnerFiles: 300, OwnerSum: 1 << 30}
}

// OrDefault gives the default for each field that is zero.
func (l Limits) OrDefault() Limits {
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
	if l.OwnerFiles <= 0 {
		l.OwnerFiles = std.OwnerFiles
	}
	if l.OwnerSum <= 0 {
		l.OwnerSum = std.OwnerSum
	}
	return l
}

// Room is what this host may still add to a store before it measures that
// again. It is safe for concurrent use.
type Room struct {
	limits  Limits
	measure func(owner string) (files int, bytes int64, err error)

	mu   sync.Mutex
	left map[string]allowance // under "" for all journals, under an owner for those of that owner
}

type allowance struct {
	files int
	bytes int64
}

// NewRoom makes the room of a store. measure counts the journals of an owner, for "" all that there are, and adds up their bytes.
func NewRoom(limits Limits, measure func(owner string) (files int, bytes int64, err error)) *Room {
	return &Room{limits: limits.OrDefault(), measure: measure, left: map[string]allowance{}}
}

// share is the part of the free room that a host takes at a time: others write
// to the store, too, and none of them sees what the rest has not used yet.
const share = 16

// Claim takes room for more journals and bytes of an owner. Nothing is given
// back: room that is free again is found when the store is measured. The error is ErrNoRoom, or measure's.
func (r *Room) Claim(owner string, files int, bytes int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if owner != "" {
		if err := r.claim(owner, allowance{r.limits.OwnerFiles, r.limits.OwnerSum}, files, bytes); err != nil {
			return err
		}
	}
	return r.claim("", allowance{r.limits.Files, r.limits.Sum}, files, bytes)
}

// claim takes room among an owner's journals, of which there may be most. It
// measures the store only when its part is used up, so that an append need not
// wait for that. The caller holds mu.
func (r *Room) claim(owner string, most allowance, files int, bytes int64) error {
	left := r.left[owner]
	if files > left.files || bytes > left.bytes {
		thereFiles, thereBytes, err := r.measure(owner)
		if err != nil {
			return err
		}
		whose, limit := "it holds", ""
		if owner != "" {
			whose, limit = "you have", "principal-"
		}
		free := allowance{most.files - thereFiles, most.bytes - thereBytes}
		switch {
		case files > 0 && files > free.files:
			return fmt.Errorf("%w: %s %d journals, the most there may be (limit %sjournals)", ErrNoRoom, whose, most.files, limit)
		case bytes > 0 && bytes > free.bytes:
			return fmt.Errorf("%w: %s %d of %d MiB (limit %sjournals-size)", ErrNoRoom, whose, thereBytes>>20, most.bytes>>20, limit)
		}
		left = allowance{max(files, free.files/share), max(bytes, free.bytes/share)}
	}
	r.left[owner] = allowance{left.files - files, left.bytes - bytes}
	return nil
}

// tag starts the names of an owner's files, so that they can be counted unread.
func tag(owner string) string {
	if owner == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:8]) + "-"
}

// tagOf is the tag of the file id.
func tagOf(id string) string { return id[:strings.IndexByte(id, '-')+1] }

// claim takes room for more files and bytes of the file id.
func (d *Dir) claim(id string, files int, bytes int64) error {
	return d.room.Claim(tagOf(id), files, bytes)
}

// Use returns how many bytes the folder's journals take, those of other hosts included, and how many they may.
func (d *Dir) Use() (taken, most int64, err error) {
	_, taken, err = d.measure("")
	return taken, d.limits.Sum, err
}

// measure counts the files in the folder whose names start with tag and adds up
// their sizes. One that is being made does not count yet.
func (d *Dir) measure(tag string) (files int, bytes int64, err error) {
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil // it is made with the next file
	}
	if err != nil {
		return 0, 0, reason(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tag) || !strings.HasSuffix(e.Name(), suffix) && !strings.HasSuffix(e.Name(), aside) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files++
			bytes += info.Size()
		}
	}
	return files, bytes, nil
}
