package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/fcp-host/fcp-host/host/journal"
)

// Options are how a host uses a store. A zero field means the default.
type Options struct {
	Limits journal.Limits
	// Lease is how long a journal stays a host's that does not say that it lives: 10 s. A host says so three times in that time.
	Lease time.Duration
	// Wait is how long a host waits for the database, tries after a broken connection included: 10 s.
	Wait time.Duration
	// Address is where other hosts of the store reach this one, such as http://10.0.0.5:8080, "" for nowhere.
	Address string
}

// Store is a database of journals. It is a [journal.Cluster].
type Store struct {
	pool    *pgxpool.Pool
	limits  journal.Limits
	lease   time.Duration
	wait    time.Duration
	holder  string // names this host
	address string // where others reach it
	opened  time.Time
	room    *journal.Room
	ctx     context.Context // done: the store was closed
	close   context.CancelFunc
	beats   sync.WaitGroup

	mu   sync.Mutex
	owns map[string]time.Time // until when, by ID
}

var _ journal.Cluster = (*Store)(nil)

// tables are made by whoever comes first. A size is what records take with their places, in bytes.
const tables = `
CREATE TABLE IF NOT EXISTS fcp_journals (
	id         text PRIMARY KEY,
	owner      text NOT NULL,
	holder     text NOT NULL,
	fence      bigint NOT NULL,
	until      timestamptz NOT NULL,
	generation bigint NOT NULL,
	records    bigint NOT NULL,
	size       bigint NOT NULL,
	touched    timestamptz NOT NULL,
	listed     timestamptz
);
CREATE INDEX IF NOT EXISTS fcp_journals_owner ON fcp_journals (owner);
CREATE INDEX IF NOT EXISTS fcp_journals_holder ON fcp_journals (holder);
CREATE TABLE IF NOT EXISTS fcp_records (
	id         text NOT NULL,
	generation bigint NOT NULL,
	number     bigint NOT NULL,
	kind       smallint NOT NULL,
	data       bytea NOT NULL,
	PRIMARY KEY (id, generation, number)
);
CREATE TABLE IF NOT EXISTS fcp_hosts (
	name    text PRIMARY KEY,
	address text NOT NULL,
	until   timestamptz NOT NULL
);`

// Open connects to a database by its URL or connection string (https://www.postgresql.org/docs/current/libpq-connect.html), and makes
// the tables unless they are there.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{limits: o.Limits.OrDefault(), lease: o.Lease, wait: o.Wait, holder: journal.NewKey(), address: o.Address, owns: map[string]time.Time{}}
	if s.lease <= 0 {
		s.lease = 10 * time.Second
	}
	if s.wait <= 0 {
		s.wait = 10 * time.Second
	}
	config.ConnConfig.ConnectTimeout = min(s.wait, 5*time.Second)
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s.room = journal.NewRoom(s.limits, s.measure)
	s.ctx, s.close = context.WithCancel(context.Background())
	err = s.transact(func(ctx context.Context, tx pgx.Tx) error {
		// Hosts that start together make the tables one after the other.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('fcp_journals'))`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, tables); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `SELECT now()`).Scan(&s.opened); err != nil {
			return err
		}
		return s.live(ctx, tx)
	})
	if err != nil {
		s.close()
		s.pool.Close()
		return nil, err
	}
	s.beats.Go(s.beat)
	return s, nil
}

// Close ends the store's connections. What it owns stays until its leases have run out.
func (s *Store) Close() {
	s.close()
	s.beats.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), s.lease/3)
	defer cancel()
	_, _ = s.pool.Exec(ctx, `DELETE FROM fcp_hosts WHERE name = $1`, s.holder) // else it ends as that of a host that died
	s.pool.Close()
}

// live says that this host lives, and forgets hosts that have not for long.
func (s *Store) live(ctx context.Context, db interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
}) error {
	_, err := db.Exec(ctx, `WITH gone AS (DELETE FROM fcp_hosts WHERE until < clock_timestamp() - interval '1 h')
		INSERT INTO fcp_hosts (name, address, until) VALUES ($1, $2, clock_timestamp() + $3)
		ON CONFLICT (name) DO UPDATE SET until = EXCLUDED.until`, s.holder, s.address, s.lease)
	return err
}

// beat renews the leases of this host.
func (s *Store) beat() {
	tick := time.NewTicker(s.lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			// What fails here is tried again at the next tick.
			ctx, cancel := context.WithTimeout(s.ctx, s.lease/3)
			if s.live(ctx, s.pool) == nil {
				s.renew(ctx)
			}
			cancel()
		case <-s.ctx.Done():
			return
		}
	}
}

// renew renews the leases. What was given back meanwhile stays so, and what another host has taken is not this one's any more.
func (s *Store) renew(ctx context.Context) {
	s.mu.Lock()
	ids := slices.Collect(maps.Keys(s.owns))
	s.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	from := time.Now()
	rows, err := s.pool.Query(ctx, `UPDATE fcp_journals SET until = clock_timestamp() + $3
		WHERE id = ANY($1) AND holder = $2 AND until > '-infinity' RETURNING id`, ids, s.holder, s.lease)
	if err != nil {
		return
	}
	renewed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return
	}
	for _, id := range renewed {
		s.prolong(id, from)
	}
}

// own notes that this host owns a journal, by a lease that was asked for at an instant.
func (s *Store) own(id string, from time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owns[id] = from.Add(s.lease)
}

// prolong is own for a journal that this host owns, unless it was given back meanwhile.
func (s *Store) prolong(id string, from time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until, owned := s.owns[id]; owned && until.Before(from.Add(s.lease)) {
		s.owns[id] = from.Add(s.lease)
	}
}

// disown notes that this host does not own a journal any more.
func (s *Store) disown(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.owns, id)
}

// owned reports whether this host owns a journal, and whether nobody else can have taken it.
func (s *Store) owned(id string) (owned, held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, owned := s.owns[id]
	return owned, owned && time.Now().Before(until)
}

// Host is the name of this host.
func (s *Store) Host() string { return s.holder }

// Holder is the host that owns a journal.
func (s *Store) Holder(id string) (host string, err error) {
	return s.text(`SELECT holder FROM fcp_journals WHERE id = $1 AND until >= clock_timestamp()`, id)
}

// Address is where a host is reached.
func (s *Store) Address(host string) (string, error) {
	return s.text(`SELECT address FROM fcp_hosts WHERE name = $1 AND until >= clock_timestamp()`, host)
}

// text is the one text that a query gives, "" for none.
func (s *Store) text(sql, arg string) (text string, err error) {
	err = s.try(func(ctx context.Context, _ bool) error {
		err := s.pool.QueryRow(ctx, sql, arg).Scan(&text)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return text, err
}

// try calls f until it neither fails for want of a connection nor the store's patience is over. again is true where an earlier attempt may
// have had its effect without an answer.
func (s *Store) try(f func(ctx context.Context, again bool) error) error {
	ctx, cancel := context.WithTimeout(s.ctx, s.wait)
	defer cancel()
	again, pause := false, 10*time.Millisecond
	for {
		err := f(ctx, again)
		if !lostWay(err) || ctx.Err() != nil {
			return reason(err)
		}
		again = again || !pgconn.SafeToRetry(err)
		select {
		case <-time.After(pause):
			pause = min(2*pause, time.Second)
		case <-ctx.Done():
			return reason(err)
		}
	}
}

// lostWay reports whether an error says that there is no way to the database, or none for now.
func lostWay(err error) bool {
	if err == nil || isOurs(err) || errors.Is(err, pgx.ErrNoRows) {
		return false
	}
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		return true
	}
	// It shuts down, starts, has too many connections, or two transactions met.
	switch said.Code[:2] {
	case "57", "53", "40", "08":
		return true
	}
	return false
}

func isOurs(err error) bool {
	return errors.Is(err, journal.ErrTaken) || errors.Is(err, journal.ErrGone) || errors.Is(err, journal.ErrFull) || errors.Is(err, journal.ErrNoRoom) ||
		errors.Is(err, errDoubt)
}

// reason is an error in words that name neither the database's address nor its user.
func reason(err error) error {
	var said *pgconn.PgError
	switch {
	case err == nil || isOurs(err):
		return err
	case errors.As(err, &said) && strings.HasPrefix(said.Code, "28"):
		return errors.New("the store does not let this host in") // its own words name the user
	case errors.As(err, &said):
		return fmt.Errorf("the store refused it (%s)", said.Message)
	case errors.Is(err, context.Canceled):
		return errors.New("the store was closed")
	}
	return errors.New("the store does not answer")
}

// transact runs f in a transaction, from its start again where the way to the database was lost.
func (s *Store) transact(f func(ctx context.Context, tx pgx.Tx) error) error {
	return s.try(func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return f(ctx, tx) })
	})
}

// place is what a record takes beside its data, in bytes.
const place = 17

// Create makes a journal with its first records, in one transaction. One that an attempt of this host has made, whose answer was lost,
// begins again.
func (s *Store) Create(owner, key string, records iter.Seq[journal.Record]) (journal.Journal, error) {
	list, size, err := s.collect(records)
	if err != nil {
		return nil, err
	}
	if err := s.room.Claim(owner, 1, size); err != nil {
		return nil, err
	}
	j := &lease{store: s, id: journal.ID(owner, key), owner: owner, next: int64(len(list)), size: size}
	var from time.Time
	err = s.transact(func(ctx context.Context, tx pgx.Tx) error {
		from = time.Now()
		err := tx.QueryRow(ctx, `INSERT INTO fcp_journals AS j (id, owner, holder, fence, until, generation, records, size, touched)
			VALUES ($1, $2, $3, 1, clock_timestamp() + $4, 0, $5, $6, clock_timestamp())
			ON CONFLICT (id) DO UPDATE SET fence = j.fence + 1, until = EXCLUDED.until, generation = j.generation + 1, records = $5, size = $6
			WHERE j.holder = $3 RETURNING fence, generation`,
			j.id, owner, s.holder, s.lease, len(list), size).Scan(&j.fence, &j.generation)
		if errors.Is(err, pgx.ErrNoRows) {
			return journal.ErrTaken
		}
		if err != nil {
			return err
		}
		return insert(ctx, tx, j.id, j.generation, list)
	})
	if err != nil {
		return nil, err
	}
	s.own(j.id, from)
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

// insert copies records into a generation of a journal.
func insert(ctx context.Context, tx pgx.Tx, id string, generation int64, list []journal.Record) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"fcp_records"}, []string{"id", "generation", "number", "kind", "data"},
		pgx.CopyFromSlice(len(list), func(i int) ([]any, error) {
			return []any{id, generation, int64(i), int16(list[i].Kind), notNull(list[i].Data)}, nil
		}))
	return err
}

// notNull makes bytes that are none the empty ones, which a table tells from none.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Take makes this host the owner of a journal whose lease has run out or was given back.
func (s *Store) Take(id string) (journal.Journal, journal.Contents, error) {
	if owned, _ := s.owned(id); owned {
		return nil, journal.Contents{}, journal.ErrTaken
	}
	j := &lease{store: s, id: id}
	var c journal.Contents
	var from time.Time
	err := s.transact(func(ctx context.Context, tx pgx.Tx) error {
		from = time.Now()
		// One that is held in this host's name without its knowing was taken by an attempt whose answer was lost.
		err := tx.QueryRow(ctx, `UPDATE fcp_journals SET fence = fence + 1, holder = $2, until = clock_timestamp() + $3
			WHERE id = $1 AND (until < clock_timestamp() OR holder = $2) RETURNING owner, fence, generation, records, size`, id, s.holder, s.lease).
			Scan(&j.owner, &j.fence, &j.generation, &j.next, &j.size)
		if errors.Is(err, pgx.ErrNoRows) {
			return taken(ctx, tx, id)
		}
		if err != nil {
			return err
		}
		c, err = records(ctx, tx, id, j.generation, j.next)
		return err
	})
	if err != nil {
		return nil, journal.Contents{}, err
	}
	if c.Damaged {
		j.broken = errDamaged
	}
	s.own(id, from)
	return j, c, nil
}

// taken is the reason why a journal is not this host's: ErrTaken or ErrGone.
func taken(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, id string) error {
	var there bool
	if err := db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM fcp_journals WHERE id = $1)`, id).Scan(&there); err != nil {
		return err
	}
	if there {
		return journal.ErrTaken
	}
	return journal.ErrGone
}

// records reads a generation of a journal, which should have n records.
func records(ctx context.Context, tx pgx.Tx, id string, generation, n int64) (c journal.Contents, err error) {
	rows, err := tx.Query(ctx, `SELECT number, kind, data FROM fcp_records WHERE id = $1 AND generation = $2 ORDER BY number`, id, generation)
	if err != nil {
		return c, err
	}
	defer rows.Close()
	for rows.Next() {
		var number int64
		var kind int16
		var data []byte
		if err := rows.Scan(&number, &kind, &data); err != nil {
			return c, err
		}
		r := journal.Record{Kind: byte(kind), Data: data}
		switch {
		case number == int64(len(c.Records)):
			c.Records = append(c.Records, r)
		default:
			c.Behind = append(c.Behind, r)
		}
	}
	if c.Lost = int(n) - len(c.Records) - len(c.Behind); c.Lost != 0 || len(c.Behind) > 0 {
		c.Damaged, c.Lost = true, max(0, c.Lost)
	}
	return c, rows.Err()
}

// Read gives what a journal holds at one instant.
func (s *Store) Read(id string) (c journal.Contents, err error) {
	err = s.try(func(ctx context.Context, _ bool) error {
		return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			var generation, n int64
			err := tx.QueryRow(ctx, `SELECT generation, records FROM fcp_journals WHERE id = $1`, id).Scan(&generation, &n)
			if errors.Is(err, pgx.ErrNoRows) {
				return journal.ErrGone
			}
			if err != nil {
				return err
			}
			c, err = records(ctx, tx, id, generation, n)
			return err
		})
	})
	return c, err
}

// Discard removes a journal that was left.
func (s *Store) Discard(id string) error {
	return s.transact(func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM fcp_journals WHERE id = $1 AND until < clock_timestamp()`, id)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return taken(ctx, tx, id)
		}
		_, err = tx.Exec(ctx, `DELETE FROM fcp_records WHERE id = $1`, id)
		return err
	})
}

// Left lists the journals whose lease has run out or was given back, the newest first.
func (s *Store) Left() (out []journal.Left, err error) {
	err = s.try(func(ctx context.Context, _ bool) error {
		rows, err := s.pool.Query(ctx, `SELECT id, size, touched FROM fcp_journals WHERE until < clock_timestamp() ORDER BY touched DESC, id`)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowToStructByPos[journal.Left])
		return err
	})
	return out, err
}

// Held lists the IDs of an owner's journals that a host owns.
func (s *Store) Held(owner string) (ids []string, err error) {
	err = s.try(func(ctx context.Context, _ bool) error {
		rows, err := s.pool.Query(ctx, `SELECT id FROM fcp_journals WHERE owner = $1 AND until >= clock_timestamp() ORDER BY id`, owner)
		if err != nil {
			return err
		}
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return ids, err
}

// Use returns how many bytes all journals take, and how many they may.
func (s *Store) Use() (used, most int64, err error) {
	_, used, err = s.measure("")
	return used, s.limits.Sum, err
}

// measure counts an owner's journals, for "" all, and adds up their bytes.
func (s *Store) measure(owner string) (n int, size int64, err error) {
	err = s.try(func(ctx context.Context, _ bool) error {
		return s.pool.QueryRow(ctx, `SELECT count(*), coalesce(sum(size), 0)::bigint FROM fcp_journals WHERE $1 = '' OR owner = $1`, owner).Scan(&n, &size)
	})
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
	return s.try(func(ctx context.Context, _ bool) error {
		_, err := s.pool.Exec(ctx, `UPDATE fcp_journals SET listed = clock_timestamp() WHERE id = $1 AND touched = $2 AND (listed IS NULL OR listed < touched)`, l.ID, l.Time)
		return err
	})
}

// Listed reports whether that was before this host opened the store. Where the store does not answer it was not.
func (s *Store) Listed(l journal.Left) (listed bool) {
	_ = s.try(func(ctx context.Context, _ bool) error {
		return s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM fcp_journals WHERE id = $1 AND touched = $2 AND listed > touched AND listed < $3)`,
			l.ID, l.Time, s.opened).Scan(&listed)
	})
	return listed
}
