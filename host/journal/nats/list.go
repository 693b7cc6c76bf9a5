package nats

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fcp-host/fcp-host/host/journal"
)

// summary describes a journal without its records.
type summary struct {
	journal.Left
	owner string
	held  bool
}

// summaries lists all journals. Streams without a complete journal, which a dead host left, are deleted after an hour.
func (s *Store) summaries() (out []summary, err error) {
	err = s.attempt(s.wait, func(ctx context.Context) error {
		out = nil
		held := map[string]bool{}
		keys, err := s.leases.ListKeys(ctx)
		if err != nil {
			return err
		}
		for key := range keys.Keys() {
			held[key] = true
		}
		list := s.js.ListStreams(ctx, jetstream.WithStreamListSubject(subject+"*"))
		var infos []*jetstream.StreamInfo
		for info := range list.Info() {
			infos = append(infos, info)
		}
		if err := list.Err(); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var mu sync.Mutex
		var failed error
		inParallel(infos, func(info *jetstream.StreamInfo) {
			id, ok := strings.CutPrefix(info.Config.Name, prefix)
			if !ok {
				return
			}
			size, touched, there, err := s.last(ctx, info)
			if err != nil {
				cancel() // the others would fail, too
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil && failed == nil:
				failed = err
			case err != nil:
			case there:
				out = append(out, summary{journal.Left{ID: id, Size: size, Time: touched}, info.Config.Metadata["fcp-owner"], held[id]})
			case !held[id] && time.Since(info.Created) > time.Hour:
				_ = s.js.DeleteStream(ctx, info.Config.Name)
			}
		})
		return failed
	})
	return out, err
}

// last reads from a stream's last message the state of its journal.
func (s *Store) last(ctx context.Context, info *jetstream.StreamInfo) (size int64, touched time.Time, there bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stream, err := s.js.Stream(ctx, info.Config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, touched, false, nil
	}
	if err != nil {
		return 0, touched, false, err
	}
	m, err := stream.GetLastMsgForSubject(ctx, info.Config.Subjects[0])
	if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, touched, false, nil
	}
	if err != nil {
		return 0, touched, false, err
	}
	size, touched, there = stateOf(m.Header, m.Time)
	return size, touched, there, nil
}

// Left lists the journals without a lease, newest first.
func (s *Store) Left() (out []journal.Left, err error) {
	all, err := s.summaries()
	for _, l := range all {
		if !l.held {
			out = append(out, l.Left)
		}
	}
	journal.SortLeft(out)
	return out, err
}

// Held lists the IDs of an owner's journals that a host owns.
func (s *Store) Held(owner string) (ids []string, err error) {
	all, err := s.summaries()
	for _, l := range all {
		if l.held && l.owner == owner {
			ids = append(ids, l.ID)
		}
	}
	slices.Sort(ids)
	return ids, err
}

// Use returns how many bytes all journals use, and how many they may.
func (s *Store) Use() (used, most int64, err error) {
	_, used, err = s.measure("")
	return used, s.Limits().Sum, err
}

// measure counts an owner's journals, or all for "", and adds up their bytes.
func (s *Store) measure(owner string) (n int, size int64, err error) {
	all, err := s.summaries()
	for _, l := range all {
		if owner == "" || l.owner == owner {
			n++
			size += l.Size
		}
	}
	return n, size, err
}

// MarkListed records that a user was shown an expired journal with its date.
func (s *Store) MarkListed(l journal.Left) error {
	return s.try(func(ctx context.Context) error {
		at := strconv.FormatInt(l.Time.UnixNano(), 10)
		if e, err := s.listed.Get(ctx, l.ID); err == nil && string(e.Value()) == at {
			return nil
		}
		_, err := s.listed.PutString(ctx, l.ID, at)
		return err
	})
}

// Listed reports whether MarkListed was called before this host opened the store. If the store does not answer, it returns
// false.
func (s *Store) Listed(l journal.Left) (listed bool) {
	_ = s.try(func(ctx context.Context) error {
		e, err := s.listed.Get(ctx, l.ID)
		if err == nil {
			listed = string(e.Value()) == strconv.FormatInt(l.Time.UnixNano(), 10) && e.Created().Before(s.opened)
		}
		return err
	})
	return listed
}
