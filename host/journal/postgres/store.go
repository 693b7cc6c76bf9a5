package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/fcp-host/fcp-host/host/journal"
)

// Options configure a store. A zero field means the default.
type Options struct {
	Limits journal.Limits
	// Lease is how long a journal stays with a host that gives no sign of life: 10 s. A host gives three in that time.
	Lease time.Duration
	// Wait is how long a host waits for the database, including further attempts after a broken connection: 10 s.
	Wait time.Duration
	// Address is the URL at which other hosts of the store reach this one, such as http://10.0.0.5:8080, "" for none.
	Address string
}

// Store is a set of journals in a database. It implements [journal.Cluster].
type Store struct {
	journal.Bounds
	pool    *pgxpool.Pool
	lease   time.Duration
	wait    time.Duration
	holder  string // name of this host
	address string // see Options.Address
	opened  time.Time
	room    *journal.Room
	ctx     context.Context // done when the store is closed
	close   context.CancelFunc
	beats   sync.WaitGroup

	mu   sync.Mutex
	owns map[string]time.Time // ends of leases, by ID
}

var _ journal.Cluster = (*Store)(nil)

// tables are made by the first host. size is the number of bytes of a journal's records with their keys.
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

// Open connects to a database by its URL or connection string
// (https://www.postgresql.org/docs/current/libpq-connect.html), and makes the tables if needed.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{Bounds: journal.NewBounds(o.Limits), lease: o.Lease, wait: o.Wait, holder: journal.NewKey(), address: o.Address, owns: map[string]time.Time{}}
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
	s.room = journal.NewRoom(s.Limits(), s.measure)
	s.ctx, s.close = context.WithCancel(context.Background())
	err = s.transact(func(ctx context.Context, tx pgx.Tx) error {
		// The lock keeps hosts that start together from making the tables at the same time.
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtext('fcp_journals'))`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, tables); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `SELECT now()`).Scan(&s.opened); err != nil {
			return err
		}
		return s.sayAlive(ctx, tx)
	})
	if err != nil {
		s.close()
		s.pool.Close()
		return nil, err
	}
	s.beats.Go(s.beat)
	return s, nil
}

// Close ends the connections. This host's journals stay its own until their leases expire.
func (s *Store) Close() {
	s.close()
	s.beats.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), s.lease/3)
	defer cancel()
	_, _ = s.pool.Exec(ctx, `DELETE FROM fcp_hosts WHERE name = $1`, s.holder) // otherwise it expires, as a dead host's does
	s.pool.Close()
}

// Host returns the name of this host.
func (s *Store) Host() string { return s.holder }

// Holder returns the host that owns a journal.
func (s *Store) Holder(id string) (host string, err error) {
	return s.queryText(`SELECT holder FROM fcp_journals WHERE id = $1 AND until >= clock_timestamp()`, id)
}

// Address returns the URL of a host.
func (s *Store) Address(host string) (string, error) {
	return s.queryText(`SELECT address FROM fcp_hosts WHERE name = $1 AND until >= clock_timestamp()`, host)
}

// queryText is the single text that a query returns, "" for no row.
func (s *Store) queryText(sql, arg string) (text string, err error) {
	err = s.try(func(ctx context.Context, _ bool) error {
		err := s.pool.QueryRow(ctx, sql, arg).Scan(&text)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return text, err
}

// overhead is what a record takes besides its data, in bytes.
const overhead = 17

// Create makes a journal with its first records, in one transaction. If an earlier attempt of this host made it but its
// answer was lost, it is made again.
func (s *Store) Create(owner, key string, records iter.Seq[journal.Record]) (journal.Journal, error) {
	list, size, err := s.Collect(records, overhead)
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

// insert copies records into a generation of a journal.
func insert(ctx context.Context, tx pgx.Tx, id string, generation int64, list []journal.Record) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"fcp_records"}, []string{"id", "generation", "number", "kind", "data"},
		pgx.CopyFromSlice(len(list), func(i int) ([]any, error) {
			return []any{id, generation, int64(i), int16(list[i].Kind), notNull(list[i].Data)}, nil
		}))
	return err
}

// notNull makes nil an empty slice, since a column may not be NULL.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Take makes this host the owner of a journal whose lease has expired or was given back.
func (s *Store) Take(id string) (journal.Journal, journal.Contents, error) {
	if owned, _ := s.owned(id); owned {
		return nil, journal.Contents{}, journal.ErrTaken
	}
	j := &lease{store: s, id: id}
	var c journal.Contents
	var from time.Time
	err := s.transact(func(ctx context.Context, tx pgx.Tx) error {
		from = time.Now()
		// A lease in this host's name that it does not know of is from an attempt whose answer was lost.
		err := tx.QueryRow(ctx, `UPDATE fcp_journals SET fence = fence + 1, holder = $2, until = clock_timestamp() + $3
			WHERE id = $1 AND (until < clock_timestamp() OR holder = $2) RETURNING owner, fence, generation, records, size`, id, s.holder, s.lease).
			Scan(&j.owner, &j.fence, &j.generation, &j.next, &j.size)
		if errors.Is(err, pgx.ErrNoRows) {
			return notOwned(ctx, tx, id)
		}
		if err != nil {
			return err
		}
		c, err = readRecords(ctx, tx, id, j.generation, j.next)
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

// notOwned is the error for a journal that this host does not own: ErrTaken or ErrGone.
func notOwned(ctx context.Context, db interface {
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

// readRecords reads a generation of a journal, which should have n records.
func readRecords(ctx context.Context, tx pgx.Tx, id string, generation, n int64) (c journal.Contents, err error) {
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

// Read reads a journal, without taking it, as of one instant.
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
			c, err = readRecords(ctx, tx, id, generation, n)
			return err
		})
	})
	return c, err
}

// Discard removes a leftover journal.
func (s *Store) Discard(id string) error {
	return s.transact(func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM fcp_journals WHERE id = $1 AND until < clock_timestamp()`, id)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return notOwned(ctx, tx, id)
		}
		_, err = tx.Exec(ctx, `DELETE FROM fcp_records WHERE id = $1`, id)
		return err
	})
}
