package postgres

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// sayAlive renews this host's own row, and deletes those of hosts that have been dead for an hour.
func (s *Store) sayAlive(ctx context.Context, db interface {
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
			// After a failure it tries again at the next tick.
			ctx, cancel := context.WithTimeout(s.ctx, s.lease/3)
			if s.sayAlive(ctx, s.pool) == nil {
				s.renew(ctx)
			}
			cancel()
		case <-s.ctx.Done():
			return
		}
	}
}

// renew renews the leases, except for those that were given back or taken by another host meanwhile.
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

// own notes that this host owns a journal, by a lease that was requested at the time from.
func (s *Store) own(id string, from time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owns[id] = from.Add(s.lease)
}

// prolong is own for a journal that this host owns already, unless it was given back meanwhile.
func (s *Store) prolong(id string, from time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until, owned := s.owns[id]; owned && until.Before(from.Add(s.lease)) {
		s.owns[id] = from.Add(s.lease)
	}
}

// disown notes that this host no longer owns a journal.
func (s *Store) disown(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.owns, id)
}

// owned reports whether this host owns a journal, and whether its lease has not expired.
func (s *Store) owned(id string) (owned, held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, owned := s.owns[id]
	return owned, owned && time.Now().Before(until)
}
