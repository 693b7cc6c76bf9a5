package nats

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fcp-host/fcp-host/host/journal"
)

// owned is a journal that this host owns. It is not safe for concurrent use.
type owned struct {
	store     *Store
	id, owner string
	seq       uint64 // of the stream's last message
	size      int64
	touched   time.Time
	broken    error
	token     string // of the last message sent

	mu    sync.Mutex
	rev   uint64    // revision of the lease's key; 0: given back
	until time.Time // the lease's end
}

var (
	errDoubt   = errors.New("an earlier write to the store had no answer")
	errDamaged = errors.New("the journal is damaged")
)

func (j *owned) ID() string   { return j.id }
func (j *owned) Size() int64  { return j.size }
func (j *owned) Broken() bool { return j.broken != nil }

// Held reports whether the lease has not expired.
func (j *owned) Held() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.rev != 0 && time.Now().Before(j.until)
}

// Hold takes an expired lease again, unless another host has written to the stream, as it does when it takes the
// journal.
func (j *owned) Hold() error {
	if errors.Is(j.broken, journal.ErrTaken) || errors.Is(j.broken, journal.ErrGone) {
		return j.broken
	}
	j.store.disown(j.id)
	err := j.takeLease()
	if err == nil {
		if _, err = j.lastSequence(); err != nil {
			_ = j.giveBack()
		}
	}
	switch {
	case err == nil:
		j.store.own(j)
	case errors.Is(err, journal.ErrTaken), errors.Is(err, journal.ErrGone):
		j.broken = err
	default: // another Hold asks again
		j.store.own(j)
	}
	return err
}

// Kept returns "": the server keeps no damaged data aside.
func (j *owned) Kept() string { return "" }

// findStream checks that the stream exists, and reads the journal's owner.
func (j *owned) findStream() error {
	return j.store.try(func(ctx context.Context) error {
		stream, err := j.store.js.Stream(ctx, prefix+j.id)
		if err == nil {
			j.owner = stream.CachedInfo().Config.Metadata["fcp-owner"]
		}
		return err
	})
}

// takeLease takes the lease, which this host may already have from an attempt whose answer was lost.
func (j *owned) takeLease() error {
	return j.store.try(func(ctx context.Context) error {
		from := time.Now()
		rev, err := j.store.leases.Create(ctx, j.id, []byte(j.store.holder))
		if errors.Is(err, jetstream.ErrKeyExists) {
			if e, gerr := j.store.leases.Get(ctx, j.id); gerr == nil && string(e.Value()) == j.store.holder && !j.store.has(j.id) {
				rev, err = j.store.leases.Update(ctx, j.id, []byte(j.store.holder), e.Revision())
			}
		}
		if err == nil {
			j.mu.Lock()
			j.rev, j.until = rev, from.Add(j.store.lease)
			j.mu.Unlock()
		}
		return err
	})
}

// renewLease renews the lease. An expired one is not taken again: another host may have had it and given it back.
func (j *owned) renewLease(ctx context.Context) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.rev == 0 {
		return
	}
	from := time.Now()
	rev, err := j.store.leases.Update(ctx, j.id, []byte(j.store.holder), j.rev)
	if err != nil { // an earlier update may have had its answer lost
		var e jetstream.KeyValueEntry
		if e, err = j.store.leases.Get(ctx, j.id); err == nil && string(e.Value()) == j.store.holder {
			rev, err = j.store.leases.Update(ctx, j.id, []byte(j.store.holder), e.Revision())
		} else {
			return
		}
	}
	if err == nil {
		j.rev, j.until = rev, from.Add(j.store.lease)
	}
}

// giveBack ends the lease, unless another host has it.
func (j *owned) giveBack() error {
	j.store.disown(j.id)
	j.mu.Lock()
	defer j.mu.Unlock()
	rev := j.rev
	j.rev = 0
	if rev == 0 {
		return nil
	}
	err := j.store.try(func(ctx context.Context) error {
		e, err := j.store.leases.Get(ctx, j.id)
		if err != nil || string(e.Value()) != j.store.holder {
			return err
		}
		return j.store.leases.Delete(ctx, j.id, jetstream.LastRevision(e.Revision()))
	})
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil
	}
	return err
}

// fence appends a message of this host to the stream, so that messages of others no longer follow the last one.
func (j *owned) fence() error {
	var last *jetstream.RawStreamMsg
	err := j.store.try(func(ctx context.Context) error {
		stream, err := j.store.js.Stream(ctx, prefix+j.id)
		if err != nil {
			return err
		}
		if last, err = stream.GetLastMsgForSubject(ctx, subject+j.id); errors.Is(err, jetstream.ErrMsgNotFound) {
			return journal.ErrGone
		}
		return err
	})
	if err != nil {
		return err
	}
	size, touched, there := stateOf(last.Header, last.Time)
	if !there {
		return journal.ErrGone
	}
	j.seq, j.size, j.touched = last.Sequence, size, touched
	_, err = j.publish(nats.Header{headSize: {strconv.FormatInt(size, 10)}, headTouched: {strconv.FormatInt(touched.UnixNano(), 10)}}, nil)
	return err
}

// wrongLast is the server's error code for a message that does not follow the expected one.
const wrongLast = jetstream.JSErrCodeStreamWrongLastSequence

// publish appends a message after the last one that this host knows of. If the answer to an attempt is lost, the next
// attempt finds out whether it succeeded.
func (j *owned) publish(head nats.Header, data []byte) (at time.Time, err error) {
	token := journal.NewKey()
	j.token = token
	head.Set(headToken, token)
	m := &nats.Msg{Subject: subject + j.id, Header: head, Data: data}
	tried := false
	err = j.store.try(func(ctx context.Context) error {
		ack, err := j.store.js.PublishMsg(ctx, m, jetstream.WithExpectStream(prefix+j.id), jetstream.WithExpectLastSequence(j.seq), jetstream.WithRetryAttempts(0))
		if err == nil {
			j.seq = ack.Sequence
			return nil
		}
		var api *jetstream.APIError
		if !errors.As(err, &api) && !errors.Is(err, jetstream.ErrNoStreamResponse) {
			tried = true
			return err
		}
		stream, serr := j.store.js.Stream(ctx, prefix+j.id)
		if serr != nil {
			return serr
		}
		if api == nil || api.ErrorCode != wrongLast {
			return err
		}
		last, serr := stream.GetLastMsgForSubject(ctx, subject+j.id)
		switch {
		case serr != nil:
			return serr
		case tried && last.Header.Get(headToken) == token:
			j.seq = last.Sequence
			return nil
		}
		return journal.ErrTaken
	})
	if errors.Is(err, journal.ErrTaken) || errors.Is(err, journal.ErrGone) {
		j.broken = err
		j.store.disown(j.id)
	} else if err != nil {
		j.broken = errDoubt
	}
	return time.Now(), err
}

// writeUnit appends records as one unit or, with rewrite, rewrites the journal with them. size is the journal's size
// afterwards.
func (j *owned) writeUnit(list []journal.Record, rewrite bool, size int64) error {
	data := encode(list)
	for part := 0; part == 0 || len(data) > 0; part++ {
		n := min(len(data), partSize)
		head := nats.Header{headPart: {strconv.Itoa(part)}}
		if rewrite {
			head.Set(headNew, "1")
		}
		if n < len(data) {
			head.Set(headMore, "1")
			if !j.touched.IsZero() { // until the unit is complete, the journal is unchanged
				head.Set(headSize, strconv.FormatInt(j.size, 10))
				head.Set(headTouched, strconv.FormatInt(j.touched.UnixNano(), 10))
			}
		} else {
			head.Set(headSize, strconv.FormatInt(size, 10))
		}
		at, err := j.publish(head, data[:n])
		if err != nil {
			return err
		}
		if n == len(data) {
			j.touched = at
		}
		data = data[n:]
	}
	j.size = size
	return nil
}

// Append adds a record.
func (j *owned) Append(r journal.Record) error {
	if j.broken != nil {
		return j.broken
	}
	more := overhead + int64(len(r.Data))
	if j.size+more > j.store.Cap() {
		return journal.ErrFull
	}
	if err := j.store.room.Claim(j.owner, 0, more); err != nil {
		return err
	}
	return j.writeUnit([]journal.Record{r}, false, j.size+more)
}

// Note is Append, since either takes one round trip.
func (j *owned) Note(r journal.Record) error { return j.Append(r) }

// Rewrite rewrites the journal. If it is in doubt, it continues from the stream's last message, which must be of
// this host.
func (j *owned) Rewrite(records iter.Seq[journal.Record]) error {
	if errors.Is(j.broken, journal.ErrTaken) || errors.Is(j.broken, journal.ErrGone) {
		return j.broken
	}
	list, size, err := j.store.Collect(records, overhead)
	if err != nil {
		return err
	}
	if err := j.store.room.Claim(j.owner, 0, max(0, size-j.size)); err != nil {
		return err
	}
	if errors.Is(j.broken, errDoubt) {
		if err := j.resync(); err != nil {
			return err
		}
	}
	first := j.seq + 1
	if err := j.writeUnit(list, true, size); err != nil {
		return err
	}
	j.broken = nil
	// Everything before is void; if purging fails, the next Rewrite does it.
	ctx, cancel := context.WithTimeout(j.store.ctx, patience)
	defer cancel()
	if stream, err := j.store.js.Stream(ctx, prefix+j.id); err == nil {
		_ = stream.Purge(ctx, jetstream.WithPurgeSequence(first))
	}
	return nil
}

// lastSequence is the sequence number of the stream's last message. It returns [journal.ErrTaken] if that is not of
// this host.
func (j *owned) lastSequence() (seq uint64, err error) {
	err = j.store.try(func(ctx context.Context) error {
		stream, err := j.store.js.Stream(ctx, prefix+j.id)
		if err != nil {
			return err
		}
		last, err := stream.GetLastMsgForSubject(ctx, subject+j.id)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return journal.ErrGone
		case err != nil:
			return err
		case last.Sequence != j.seq && last.Header.Get(headToken) != j.token:
			return journal.ErrTaken
		}
		seq = last.Sequence
		return nil
	})
	return seq, err
}

// resync finds out whether the message whose answer was lost has arrived. If it arrives later, it is refused, since it
// no longer follows the last one.
func (j *owned) resync() error {
	seq, err := j.lastSequence()
	if err == nil {
		j.seq = seq
	}
	return err
}

// Renew resets the age of an expired journal. If that fails, it is shown once more before it is removed.
func (j *owned) Renew() {
	if j.broken != nil || time.Since(j.touched) <= j.store.Age() {
		return
	}
	if at, err := j.publish(nats.Header{headSize: {strconv.FormatInt(j.size, 10)}}, nil); err == nil {
		j.touched = at
	}
}

// Close gives the lease back.
func (j *owned) Close() error { return j.giveBack() }

// Remove removes the journal, unless another host has taken it.
func (j *owned) Remove() error {
	defer func() { _ = j.giveBack() }()
	if errors.Is(j.broken, errDoubt) {
		if err := j.resync(); err != nil {
			return err
		}
	}
	if _, err := j.publish(nats.Header{headGone: {"1"}}, nil); err != nil {
		return err
	}
	err := j.store.try(func(ctx context.Context) error { return j.store.js.DeleteStream(ctx, prefix+j.id) })
	if errors.Is(err, journal.ErrGone) {
		return nil
	}
	return err
}
