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

	"github.com/fcp-host/fcp-host/host/files"
)

// Limits bound a store. A zero field means the default.
type Limits struct {
	File  int64         // bytes of one journal
	Files int           // number of journals of all hosts, damaged files included
	Sum   int64         // bytes of all journals
	Age   time.Duration // for how long a leftover journal is kept: see Store.Expired

	// For the journals of one owner; the owner "" may use everything.
	OwnerFiles int
	OwnerSum   int64
}

// DefaultLimits returns the defaults. A journal may be larger than a document's history (256 MiB) and two of its
// baselines (64 MiB) together.
func DefaultLimits() Limits {
	return Limits{File: 1 << 30, Files: 1000, Sum: 4 << 30, Age: 30 * 24 * time.Hour,
		OwnerFiles: 300, OwnerSum: 1 << 30}
}

// OrDefault replaces each zero field by its default.
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

// Room is how much this host may add to a store before it measures the store again. It is safe for concurrent use.
type Room struct {
	limits  Limits
	measure func(owner string) (files int, bytes int64, err error)

	mu   sync.Mutex
	left map[string]allowance // by owner; "" for all journals
}

type allowance struct {
	files int
	bytes int64
}

// NewRoom makes the room of a store. measure counts the journals of an owner, or all for "", and adds up their bytes.
func NewRoom(limits Limits, measure func(owner string) (files int, bytes int64, err error)) *Room {
	return &Room{limits: limits.OrDefault(), measure: measure, left: map[string]allowance{}}
}

// share is the fraction, 1/share, of the free room that a host reserves at a time: other hosts write to the store, too,
// and cannot see what is reserved.
const share = 16

// Claim takes room for more journals and bytes of an owner. It is never given back: freed room is found the next time
// the store is measured. It returns ErrNoRoom, or measure's error.
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

// claim takes room for an owner's journals, which may use at most most. It measures the store only when the reserved
// room is used up, so that most appends do not wait for that. The caller holds mu.
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
			return fmt.Errorf("%w: %s %d journals, which is the limit (limit %sjournals)", ErrNoRoom, whose, most.files, limit)
		case bytes > 0 && bytes > free.bytes:
			return fmt.Errorf("%w: %s %d of %d MiB (limit %sjournals-size)", ErrNoRoom, whose, thereBytes>>20, most.bytes>>20, limit)
		}
		left = allowance{max(files, free.files/share), max(bytes, free.bytes/share)}
	}
	r.left[owner] = allowance{left.files - files, left.bytes - bytes}
	return nil
}

// tag begins the IDs of an owner's journals, so that they can be counted without reading them.
func tag(owner string) string {
	if owner == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:8]) + "-"
}

// tagOf is the tag in an ID.
func tagOf(id string) string { return id[:strings.IndexByte(id, '-')+1] }

// claim takes room for more files and bytes of the journal id.
func (d *Dir) claim(id string, files int, bytes int64) error {
	return d.room.Claim(tagOf(id), files, bytes)
}

// Use returns how many bytes the journals of all hosts in the folder use, and how many they may.
func (d *Dir) Use() (taken, most int64, err error) {
	_, taken, err = d.measure("")
	return taken, d.limits.Sum, err
}

// measure counts the files in the folder whose names begin with tag, and adds up their sizes. Unfinished files do not
// count.
func (d *Dir) measure(tag string) (count int, bytes int64, err error) {
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil // made again with the next file
	}
	if err != nil {
		return 0, 0, files.Reason(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tag) || !strings.HasSuffix(e.Name(), journalSuffix) && !strings.HasSuffix(e.Name(), damagedSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			count++
			bytes += info.Size()
		}
	}
	return count, bytes, nil
}
