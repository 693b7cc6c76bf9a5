package nats

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/fcp-host/fcp-host/host/journal"
)

// Options configure a store. A zero field means the default.
type Options struct {
	Limits journal.Limits
	// Lease is how long a journal stays with a host that gives no sign of life: 10 s. The first host at a server sets
	// it for all, until the bucket fcp-leases is deleted: the server expires the leases, so hosts must not disagree.
	Lease time.Duration
	// Wait is how long a host waits for the server, including further attempts after a broken connection: 10 s.
	Wait time.Duration
	// Replicas is the number of a cluster's servers that keep each journal: 1.
	Replicas int
	// Address is the URL at which other hosts of the store reach this one, such as http://10.0.0.5:8080, "" for none.
	Address string
	// Log gets what the client reports beside answers; nil discards that.
	Log *slog.Logger
}

// Store is a set of journals in JetStream. It implements [journal.Cluster].
type Store struct {
	journal.Bounds
	conn     *nats.Conn
	js       jetstream.JetStream
	leases   jetstream.KeyValue
	listed   jetstream.KeyValue // when users were shown expired journals
	lease    time.Duration
	wait     time.Duration
	replicas int
	holder   string // name of this host
	address  string // see Options.Address
	opened   time.Time
	room     *journal.Room
	ctx      context.Context // done when the store is closed
	close    context.CancelFunc
	beats    sync.WaitGroup

	mu   sync.Mutex
	owns map[string]*owned // by ID
}

var _ journal.Cluster = (*Store)(nil)

const (
	prefix  = "fcp-journal-" // of the names of streams
	subject = "fcp.journal." // of the subjects of messages
)

// Open connects to a server by its URL.
func Open(ctx context.Context, at string, o Options) (*Store, error) {
	s := &Store{Bounds: journal.NewBounds(o.Limits), lease: o.Lease, wait: o.Wait, replicas: max(1, o.Replicas), holder: journal.NewKey(), address: o.Address, owns: map[string]*owned{}}
	if s.lease <= 0 {
		s.lease = 10 * time.Second
	}
	if s.wait <= 0 {
		s.wait = 10 * time.Second
	}
	var err error
	// No reconnect buffer: what cannot be sent at once must not be sent later.
	s.conn, err = nats.Connect(at, nats.Timeout(s.wait), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(0, 0), nats.ReconnectBufSize(-1), nats.NoCallbacksAfterClientClose(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { logError(o.Log, err) }))
	if err != nil {
		return nil, fmt.Errorf("store: %w", withoutURL(err))
	}
	s.ctx, s.close = context.WithCancel(context.Background())
	s.room = journal.NewRoom(s.Limits(), s.measure)
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

// logError logs what the client reports on its own; without a handler it would write that to stderr.
func logError(log *slog.Logger, err error) {
	if log == nil || err == nil {
		return
	}
	if errors.As(err, new(net.Error)) { // it names addresses
		err = reason(err)
	}
	log.Warn("the client of the store reports an error", "error", fmt.Sprintf("%.300s", err))
}

// begin makes the buckets if needed, and reads the server's time.
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
	return s.sayAlive(ctx)
}

var errEndless = errors.New("the leases in the bucket fcp-leases never end: delete it")

func (s *Store) bucket(ctx context.Context, name string, ttl time.Duration) (jetstream.KeyValue, error) {
	kv, err := s.js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = s.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, TTL: ttl, History: 1, Storage: jetstream.FileStorage, Replicas: s.replicas})
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // another host was faster
		kv, err = s.js.KeyValue(ctx, name)
	}
	return kv, err
}

// Host returns the name of this host.
func (s *Store) Host() string { return s.holder }

// Holder returns the host that owns a journal.
func (s *Store) Holder(id string) (host string, err error) {
	if !isID(id) {
		return "", nil
	}
	return s.value(id)
}

// Address returns the URL of a host.
func (s *Store) Address(host string) (string, error) {
	if !isID(host) {
		return "", nil
	}
	return s.value(hostKey + host)
}

// value is the value of a key in the bucket of leases, "" if there is none.
func (s *Store) value(key string) (text string, err error) {
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

// Close ends the connection. This host's journals stay its own until their leases expire.
func (s *Store) Close() {
	s.close()
	s.beats.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), s.lease/3)
	defer cancel()
	_ = s.leases.Delete(ctx, hostKey+s.holder) // otherwise it expires, as a dead host's does
	s.conn.Close()
}

// Create makes a journal with its first records.
func (s *Store) Create(owner, key string, records iter.Seq[journal.Record]) (journal.Journal, error) {
	list, size, err := s.Collect(records, overhead)
	if err != nil {
		return nil, err
	}
	if err := s.room.Claim(owner, 1, size); err != nil {
		return nil, err
	}
	j := &owned{store: s, id: journal.ID(owner, key), owner: owner}
	if err := j.takeLease(); err != nil {
		return nil, err
	}
	err = s.try(func(ctx context.Context) error {
		stream, err := s.js.CreateStream(ctx, jetstream.StreamConfig{Name: prefix + j.id, Subjects: []string{subject + j.id}, Storage: jetstream.FileStorage,
			Replicas: s.replicas, Metadata: map[string]string{"fcp-owner": owner}, AllowDirect: true})
		if err == nil { // an earlier attempt whose answer was lost may have left messages
			j.seq = stream.CachedInfo().State.LastSeq
		}
		return err
	})
	if err == nil {
		err = j.writeUnit(list, true, size)
	}
	if err != nil {
		j.Close()
		return nil, err
	}
	s.own(j)
	return j, nil
}

// Take makes this host the owner of a journal whose lease has expired or was given back.
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

// take takes a journal's lease and fences its stream.
func (s *Store) take(id string) (*owned, error) {
	if !isID(id) {
		return nil, journal.ErrGone
	}
	if s.has(id) {
		return nil, journal.ErrTaken
	}
	j := &owned{store: s, id: id}
	if err := j.findStream(); err != nil {
		return nil, err
	}
	if err := j.takeLease(); err != nil {
		return nil, err
	}
	if err := j.fence(); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Read reads a journal without taking it.
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

// read reads a stream up to the message that was its last one at the start, or further. It does not rely on the number
// of pending messages, which may be wrong while another host purges the stream.
func (s *Store) read(id string) (r *reader, err error) {
	err = s.try(func(ctx context.Context) error {
		r = &reader{}
		stream, err := s.js.Stream(ctx, prefix+id)
		if err != nil {
			return err
		}
		state := stream.CachedInfo().State
		if state.Msgs == 0 {
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
			if meta.Sequence.Stream >= state.LastSeq {
				return nil
			}
		}
	})
	return r, err
}

// Discard removes a leftover journal.
func (s *Store) Discard(id string) error {
	j, err := s.take(id)
	if err != nil {
		return err
	}
	return j.Remove()
}
