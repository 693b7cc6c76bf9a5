package nats

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fcp-host/fcp-host/host/journal"
)

// Options are how a host uses a store. A zero field means the default.
type Options struct {
	Limits journal.Limits
	// Lease is how long a journal stays a host's that does not say that it lives: 10 s. The host that is first at a server sets it for
	// all, until the bucket fcp-leases is deleted: the server ends the leases, so a host that counted on longer ones would be wrong.
	Lease time.Duration
	// Wait is how long a host waits for the server, tries after a broken connection included: 10 s.
	Wait time.Duration
	// Replicas is on how many servers of a cluster each journal is: 1.
	Replicas int
	// Address is where other hosts of the store reach this one, such as http://10.0.0.5:8080, "" for nowhere.
	Address string
}

// Store is JetStream with journals. It is a [journal.Cluster].
type Store struct {
	conn     *nats.Conn
	js       jetstream.JetStream
	leases   jetstream.KeyValue
	listed   jetstream.KeyValue // when users were shown journals that had expired
	limits   journal.Limits
	lease    time.Duration
	wait     time.Duration
	replicas int
	holder   string // names this host
	address  string // where others reach it
	opened   time.Time
	room     *journal.Room
	ctx      context.Context // done: the store was closed
	close    context.CancelFunc
	beats    sync.WaitGroup

	mu   sync.Mutex
	owns map[string]*owned // by ID
}

var _ journal.Cluster = (*Store)(nil)

const (
	prefix  = "fcp-journal-" // of a journal's stream
	subject = "fcp.journal." // of its messages
)

// Open connects to a server by its URL.
func Open(ctx context.Context, at string, o Options) (*Store, error) {
	s := &Store{limits: o.Limits.OrDefault(), lease: o.Lease, wait: o.Wait, replicas: max(1, o.Replicas), holder: journal.NewKey(), address: o.Address, owns: map[string]*owned{}}
	if s.lease <= 0 {
		s.lease = 10 * time.Second
	}
	if s.wait <= 0 {
		s.wait = 10 * time.Second
	}
	var err error
	// What cannot be sent at once is not kept to be sent later.
	s.conn, err = nats.Connect(at, nats.Timeout(s.wait), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(0, 0), nats.ReconnectBufSize(-1), nats.NoCallbacksAfterClientClose())
	if err != nil {
		return nil, fmt.Errorf("store: %w", unparsed(err))
	}
	s.ctx, s.close = context.WithCancel(context.Background())
	s.room = journal.NewRoom(s.limits, s.measure)
	if s.js, err = jetstream.New(s.conn); err == nil {
		err = s.try(s.begin)
	}
	if err != nil {
		s.close()
		s.conn.Close()
		return nil, err
	}
	s.beats.Go(s.beat)
	return s, nil
}

// unparsed is an error of a connection without the URL, which may hold a password.
func unparsed(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return errors.New("the URL cannot be read")
	}
	return err
}

// begin makes the buckets unless they are there, and asks the server for its time.
func (s *Store) begin(ctx context.Context) (err error) {
	if s.leases, err = s.bucket(ctx, "fcp-leases", s.lease); err != nil {
		return err
	}
	status, err := s.leases.Status(ctx)
	if err != nil {
		return err
	}
	if s.lease = status.TTL(); s.lease <= 0 {
		return errEndless
	}
	if s.listed, err = s.bucket(ctx, "fcp-listed", 0); err != nil {
		return err
	}
	if _, err = s.listed.Put(ctx, "host-"+s.holder, nil); err != nil {
		return err
	}
	now, err := s.listed.Get(ctx, "host-"+s.holder)
	if err != nil {
		return err
	}
	s.opened = now.Created()
	if err := s.listed.Purge(ctx, "host-"+s.holder); err != nil {
		return err
	}
	return s.live(ctx)
}

var errEndless = errors.New("the leases in the bucket fcp-leases never end: delete it")

func (s *Store) bucket(ctx context.Context, name string, ttl time.Duration) (jetstream.KeyValue, error) {
	kv, err := s.js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = s.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, TTL: ttl, History: 1, Storage: jetstream.FileStorage, Replicas: s.replicas})
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // another host was as quick
		kv, err = s.js.KeyValue(ctx, name)
	}
	return kv, err
}

// live says that this host lives, beside the leases and for as long as one.
func (s *Store) live(ctx context.Context) error {
	_, err := s.leases.PutString(ctx, hostKey+s.holder, s.address)
	return err
}

// hostKey begins the keys of hosts among those of leases. No journal's ID has it.
const hostKey = "HOST-"

// Host is the name of this host.
func (s *Store) Host() string { return s.holder }

// Holder is the host that owns a journal.
func (s *Store) Holder(id string) (host string, err error) {
	if !isID(id) {
		return "", nil
	}
	return s.text(id)
}

// Address is where a host is reached.
func (s *Store) Address(host string) (string, error) {
	if !isID(host) {
		return "", nil
	}
	return s.text(hostKey + host)
}

// text is what the leases' bucket has at a key, "" for nothing.
func (s *Store) text(key string) (text string, err error) {
	err = s.try(func(ctx context.Context) error {
		e, err := s.leases.Get(ctx, key)
		switch {
		case err == nil:
			text = string(e.Value())
		case errors.Is(err, jetstream.ErrKeyNotFound):
			return nil
		}
		return err
	})
	return text, err
}

// Close ends the connection. What the host owns stays until its leases have run out.
func (s *Store) Close() {
	s.close()
	s.beats.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), s.lease/3)
	defer cancel()
	_ = s.leases.Delete(ctx, hostKey+s.holder) // else it ends as that of a host that died
	s.conn.Close()
}

// patience is how long one attempt waits for its answer.
const patience = time.Second

// try calls f until it neither fails for want of an answer nor the store's patience is over.
func (s *Store) try(f func(ctx context.Context) error) error { return s.attempt(patience, f) }

// attempt is try for what may wait for longer, since it asks for many things.
func (s *Store) attempt(patience time.Duration, f func(ctx context.Context) error) error {
	all, cancel := context.WithTimeout(s.ctx, s.wait)
	defer cancel()
	pause := 10 * time.Millisecond
	for {
		ctx, end := context.WithTimeout(all, patience)
		err := f(ctx)
		end()
		if err == nil || said(err) {
			return reason(err)
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, 500*time.Millisecond)
		case <-all.Done():
			return reason(err)
		}
	}
}

// said reports whether an error is an answer, which another attempt would get again.
func said(err error) bool {
	if isOurs(err) || errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return true
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code < 500
}

func isOurs(err error) bool {
	return errors.Is(err, journal.ErrTaken) || errors.Is(err, journal.ErrGone) || errors.Is(err, journal.ErrFull) || errors.Is(err, journal.ErrNoRoom) ||
		errors.Is(err, errDoubt) || errors.Is(err, errEndless)
}

// reason is an error in words that do not name the server's address.
func reason(err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil || isOurs(err):
		return err
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return journal.ErrGone
	case errors.Is(err, jetstream.ErrKeyExists): // which is one of the server's errors, too
		return journal.ErrTaken
	case errors.As(err, &api):
		return fmt.Errorf("the store refused it (%s)", api.Description)
	}
	return errors.New("the store does not answer")
}

// isID reports whether id may be a journal's.
func isID(id string) bool {
	return id != "" && len(id) < 100 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// beat renews the leases of this host.
func (s *Store) beat() {
	tick := time.NewTicker(s.lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			var list []*owned
			for _, j := range s.owns {
				list = append(list, j)
			}
			s.mu.Unlock()
			ctx, cancel := context.WithTimeout(s.ctx, s.lease/3)
			err := s.live(ctx)
			cancel()
			if err != nil { // it is tried again at the next tick
				continue
			}
			round, cancel := context.WithTimeout(s.ctx, 2*s.lease/3) // the host's own sign of life is not to wait for longer
			together(list, func(j *owned) {
				ctx, cancel := context.WithTimeout(round, s.lease/3)
				defer cancel()
				j.hold(ctx)
			})
			cancel()
		case <-s.ctx.Done():
			return
		}
	}
}

// together calls f for all of a list, for several at a time: what takes one round trip each would take too long for thousands.
func together[T any](list []T, f func(T)) {
	next := make(chan T)
	var calls sync.WaitGroup
	for range min(len(list), 32) {
		calls.Go(func() {
			for v := range next {
				f(v)
			}
		})
	}
	for _, v := range list {
		next <- v
	}
	close(next)
	calls.Wait()
}

func (s *Store) own(j *owned) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owns[j.id] = j
}

func (s *Store) disown(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.owns, id)
}

func (s *Store) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owns[id] != nil
}

// Create makes a journal with its first records.
func (s *Store) Create(owner, key string, records iter.Seq[journal.Record]) (journal.Journal, error) {
	list, size, err := s.collect(records)
	if err != nil {
		return nil, err
	}
	if err := s.room.Claim(owner, 1, size); err != nil {
		return nil, err
	}
	j := &owned{store: s, id: journal.ID(owner, key), owner: owner}
	if err := j.lease(); err != nil {
		return nil, err
	}
	err = s.try(func(ctx context.Context) error {
		stream, err := s.js.CreateStream(ctx, jetstream.StreamConfig{Name: prefix + j.id, Subjects: []string{subject + j.id}, Storage: jetstream.FileStorage,
			Replicas: s.replicas, Metadata: map[string]string{"fcp-owner": owner}, AllowDirect: true})
		if err == nil { // of an earlier attempt, whose answer was lost, there may be messages
			j.seq = stream.CachedInfo().State.LastSeq
		}
		return err
	})
	if err == nil {
		err = j.unit(list, true, size)
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	s.own(j)
	return j, nil
}

// collect gives records and what they take together. The error is ErrFull where that is more than a journal may have.
func (s *Store) collect(records iter.Seq[journal.Record]) (list []journal.Record, size int64, err error) {
	for r := range records {
		if size += place + int64(len(r.Data)); size > s.limits.File {
			return nil, 0, journal.ErrFull
		}
		list = append(list, r)
	}
	return list, size, nil
}

// Take makes this host the owner of a journal whose lease has run out or was given back.
func (s *Store) Take(id string) (journal.Journal, journal.Contents, error) {
	j, err := s.take(id)
	if err != nil {
		return nil, journal.Contents{}, err
	}
	r, err := s.read(id)
	if err == nil && (r.gone || !r.whole) {
		err = journal.ErrGone
	}
	if err != nil {
		j.Close()
		return nil, journal.Contents{}, err
	}
	if r.c.Damaged {
		j.broken = errDamaged
	}
	s.own(j)
	return j, r.c, nil
}

// take has the lease of a journal, and its stream go on from a message of this host.
func (s *Store) take(id string) (*owned, error) {
	if !isID(id) {
		return nil, journal.ErrGone
	}
	if s.has(id) {
		return nil, journal.ErrTaken
	}
	j := &owned{store: s, id: id}
	if err := j.exists(); err != nil {
		return nil, err
	}
	if err := j.lease(); err != nil {
		return nil, err
	}
	if err := j.fence(); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Read gives what a journal holds.
func (s *Store) Read(id string) (journal.Contents, error) {
	if !isID(id) {
		return journal.Contents{}, journal.ErrGone
	}
	r, err := s.read(id)
	if err == nil && (r.gone || !r.whole) {
		err = journal.ErrGone
	}
	if err != nil {
		return journal.Contents{}, err
	}
	return r.c, nil
}

// read reads a stream to its end.
func (s *Store) read(id string) (r *reader, err error) {
	err = s.try(func(ctx context.Context) error {
		r = &reader{}
		stream, err := s.js.Stream(ctx, prefix+id)
		if err != nil {
			return err
		}
		if stream.CachedInfo().State.Msgs == 0 {
			return nil
		}
		c, err := stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy, InactiveThreshold: 5 * time.Second})
		if err != nil {
			return err
		}
		for {
			m, err := c.Next(jetstream.FetchMaxWait(patience))
			if err != nil {
				return err
			}
			r.add(m.Headers(), m.Data())
			meta, err := m.Metadata()
			if err != nil {
				return err
			}
			if meta.NumPending == 0 {
				return nil
			}
		}
	})
	return r, err
}

// Discard removes a journal that was left.
func (s *Store) Discard(id string) error {
	j, err := s.take(id)
	if err != nil {
		return err
	}
	return j.Remove()
}

// summary is what is known of a journal from outside.
type summary struct {
	journal.Left
	owner string
	held  bool
}

// look lists all journals. What a host left that died while it made one is removed.
func (s *Store) look() (out []summary, err error) {
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
		together(infos, func(info *jetstream.StreamInfo) {
			id, ok := strings.CutPrefix(info.Config.Name, prefix)
			if !ok {
				return
			}
			size, touched, there, err := s.last(ctx, info)
			if err != nil {
				cancel() // the others would not be answered either
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

// last is what the last message of a stream says of its journal.
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

// Left lists the journals that nobody has a lease of, the newest first.
func (s *Store) Left() (out []journal.Left, err error) {
	all, err := s.look()
	for _, l := range all {
		if !l.held {
			out = append(out, l.Left)
		}
	}
	slices.SortFunc(out, func(a, b journal.Left) int {
		if c := b.Time.Compare(a.Time); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, err
}

// Held lists the IDs of an owner's journals that a host owns.
func (s *Store) Held(owner string) (ids []string, err error) {
	all, err := s.look()
	for _, l := range all {
		if l.held && l.owner == owner {
			ids = append(ids, l.ID)
		}
	}
	slices.Sort(ids)
	return ids, err
}

// Use returns how many bytes all journals take, and how many they may.
func (s *Store) Use() (used, most int64, err error) {
	_, used, err = s.measure("")
	return used, s.limits.Sum, err
}

// measure counts an owner's journals, for "" all, and adds up their bytes.
func (s *Store) measure(owner string) (n int, size int64, err error) {
	all, err := s.look()
	for _, l := range all {
		if owner == "" || l.owner == owner {
			n++
			size += l.Size
		}
	}
	return n, size, err
}

// Cap is the most bytes that one journal may have.
func (s *Store) Cap() int64 { return s.limits.File }

// Age is how long a journal that was left is kept.
func (s *Store) Age() time.Duration { return s.limits.Age }

// Expired reports whether a journal was left for longer.
func (s *Store) Expired(l journal.Left) bool { return time.Since(l.Time) > s.limits.Age }

// List notes that a user was shown an expired journal with its date.
func (s *Store) List(l journal.Left) error {
	return s.try(func(ctx context.Context) error {
		at := strconv.FormatInt(l.Time.UnixNano(), 10)
		if e, err := s.listed.Get(ctx, l.ID); err == nil && string(e.Value()) == at {
			return nil
		}
		_, err := s.listed.PutString(ctx, l.ID, at)
		return err
	})
}

// Listed reports whether that was before this host opened the store. Where the store does not answer it was not.
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
