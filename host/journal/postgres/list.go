package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/fcp-host/fcp-host/host/journal"
)

// Left lists the journals whose lease has expired or was given back, newest first.
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

// Use returns how many bytes all journals use, and how many they may.
func (s *Store) Use() (used, most int64, err error) {
	_, used, err = s.measure("")
	return used, s.Limits().Sum, err
}

// measure counts an owner's journals, or all for "", and adds up their bytes.
func (s *Store) measure(owner string) (n int, size int64, err error) {
	err = s.try(func(ctx context.Context, _ bool) error {
		return s.pool.QueryRow(ctx, `SELECT count(*), coalesce(sum(size), 0)::bigint FROM fcp_journals WHERE $1 = '' OR owner = $1`, owner).Scan(&n, &size)
	})
	return n, size, err
}

// MarkListed records that a user was shown an expired journal with its date.
func (s *Store) MarkListed(l journal.Left) error {
	return s.try(func(ctx context.Context, _ bool) error {
		_, err := s.pool.Exec(ctx, `UPDATE fcp_journals SET listed = clock_timestamp() WHERE id = $1 AND touched = $2 AND (listed IS NULL OR listed < touched)`, l.ID, l.Time)
		return err
	})
}

// Listed reports whether MarkListed was called before this host opened the store. If the store does not answer, it returns
// false.
func (s *Store) Listed(l journal.Left) (listed bool) {
	_ = s.try(func(ctx context.Context, _ bool) error {
		return s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM fcp_journals WHERE id = $1 AND touched = $2 AND listed > touched AND listed < $3)`,
			l.ID, l.Time, s.opened).Scan(&listed)
	})
	return listed
}
