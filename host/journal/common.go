package journal

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"time"
)

// Bounds implements the methods of Store that depend on its limits only.
type Bounds struct{ limits Limits }

// NewBounds makes the bounds of a store. A zero field of limits means the default.
func NewBounds(limits Limits) Bounds { return Bounds{limits.OrDefault()} }

// Limits returns the store's limits.
func (b Bounds) Limits() Limits { return b.limits }

// Cap is the maximum size of one journal, in bytes.
func (b Bounds) Cap() int64 { return b.limits.File }

// Age is for how long a leftover journal is kept.
func (b Bounds) Age() time.Duration { return b.limits.Age }

// Expired reports whether a leftover journal is older than that.
func (b Bounds) Expired(l Left) bool { return time.Since(l.Time) > b.limits.Age }

// Collect lists records, and adds up the bytes that they take with overhead bytes each. It returns ErrFull if that
// exceeds the cap.
func (b Bounds) Collect(records iter.Seq[Record], overhead int64) (list []Record, size int64, err error) {
	for r := range records {
		if size += overhead + int64(len(r.Data)); size > b.limits.File {
			return nil, 0, ErrFull
		}
		list = append(list, r)
	}
	return list, size, nil
}

// IsStoreError reports whether err is one of ErrTaken, ErrGone, ErrFull and ErrNoRoom.
func IsStoreError(err error) bool {
	return errors.Is(err, ErrTaken) || errors.Is(err, ErrGone) || errors.Is(err, ErrFull) || errors.Is(err, ErrNoRoom)
}

// SortLeft sorts leftover journals, newest first.
func SortLeft(list []Left) {
	slices.SortFunc(list, func(a, b Left) int {
		if c := b.Time.Compare(a.Time); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
}
