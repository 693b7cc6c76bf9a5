package postgres

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fcp-host/fcp-host/host/journal"
)

// lease is a journal that this host owns. It is not safe for concurrent use.
type lease struct {
	store      *Store
	id, owner  string
	fence      int64
	generation int64
	next       int64 // number of the next record
	size       int64
	broken     error
}

var (
	errDoubt   = errors.New("an earlier write to the store had no answer")
	errDamaged = errors.New("records of the journal are missing")
)

func (j *lease) ID() string   { return j.id }
func (j *lease) Size() int64  { return j.size }
func (j *lease) Broken() bool { return j.broken != nil }

// Held reports whether the lease has not expired.
func (j *lease) Held() bool {
	_, held := j.store.owned(j.id)
	return held
}

// Hold renews the lease, which may have expired.
func (j *lease) Hold() error {
	if j.broken != nil && !errors.Is(j.broken, errDoubt) && !errors.Is(j.broken, errDamaged) {
		return j.broken
	}
	var from time.Time
	err := j.store.try(func(ctx context.Context, _ bool) error {
		from = time.Now()
		tag, err := j.store.pool.Exec(ctx, `UPDATE fcp_journals SET until = clock_timestamp() + $3 WHERE id = $1 AND fence = $2`, j.id, j.fence, j.store.lease)
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		return notOwned(ctx, j.store.pool, j.id)
	})
	switch {
	case err == nil:
		j.store.own(j.id, from)
	case errors.Is(err, journal.ErrTaken), errors.Is(err, journal.ErrGone):
		j.broken = err
		j.store.disown(j.id)
	}
	return err
}

// Kept returns "": the database keeps no damaged data aside.
func (j *lease) Kept() string { return "" }

// Append adds a record in one statement, which has an effect only while this host owns the journal. A record that is
// sent twice finds its number taken.
func (j *lease) Append(r journal.Record) error {
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
	sent := false
	var from time.Time
	err := j.store.try(func(ctx context.Context, again bool) error {
		sent, from = true, time.Now()
		tag, err := j.store.pool.Exec(ctx, `
			WITH mine AS (
				UPDATE fcp_journals SET records = records + 1, size = size + $5, touched = clock_timestamp(), until = clock_timestamp() + $6
				WHERE id = $1 AND fence = $2 AND generation = $3 AND records = $4 RETURNING id)
			INSERT INTO fcp_records (id, generation, number, kind, data) SELECT id, $3, $4, $7, $8 FROM mine`,
			j.id, j.fence, j.generation, j.next, more, j.store.lease, int16(r.Kind), notNull(r.Data))
		if err != nil || tag.RowsAffected() == 1 {
			return err
		}
		return j.whyNotStored(ctx, again)
	})
	switch {
	case err == nil:
		j.size += more
		j.next++
		j.store.prolong(j.id, from)
	case errors.Is(err, journal.ErrTaken), errors.Is(err, journal.ErrGone):
		j.broken = err
		j.store.disown(j.id)
	case sent:
		j.broken = errDoubt
	}
	return err
}

// whyNotStored returns why an append had no effect. If an earlier attempt had no answer, the record may have been
// stored, since no other host can write with this fencing number; then it returns nil.
func (j *lease) whyNotStored(ctx context.Context, again bool) error {
	var fence, generation, records int64
	err := j.store.pool.QueryRow(ctx, `SELECT fence, generation, records FROM fcp_journals WHERE id = $1`, j.id).Scan(&fence, &generation, &records)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return journal.ErrGone
	case err != nil:
		return err
	case fence != j.fence:
		return journal.ErrTaken
	case again && generation == j.generation && records == j.next+1:
		return nil
	}
	return errDoubt
}

// Note is Append, since either takes one round trip.
func (j *lease) Note(r journal.Record) error { return j.Append(r) }

// Rewrite begins another generation, in one transaction.
func (j *lease) Rewrite(records iter.Seq[journal.Record]) error {
	s := j.store
	list, size, err := s.Collect(records, overhead)
	if err != nil {
		return err
	}
	if err := s.room.Claim(j.owner, 0, max(0, size-j.size)); err != nil {
		return err
	}
	var generation int64
	err = j.write(func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `UPDATE fcp_journals SET generation = generation + 1, records = $3, size = $4, touched = clock_timestamp(), until = clock_timestamp() + $5
			WHERE id = $1 AND fence = $2 RETURNING generation`, j.id, j.fence, len(list), size, s.lease).Scan(&generation)
		if errors.Is(err, pgx.ErrNoRows) {
			return notOwned(ctx, tx, j.id)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM fcp_records WHERE id = $1`, j.id); err != nil {
			return err
		}
		return insert(ctx, tx, j.id, generation, list)
	})
	if err != nil {
		return err
	}
	j.generation, j.next, j.size, j.broken = generation, int64(len(list)), size, nil
	return nil
}

// write runs a transaction, and notes if the journal is no longer this host's.
func (j *lease) write(f func(ctx context.Context, tx pgx.Tx) error) error {
	err := j.store.transact(f)
	switch {
	case err == nil:
	case errors.Is(err, journal.ErrTaken), errors.Is(err, journal.ErrGone):
		j.broken = err
		j.store.disown(j.id)
	default:
		j.broken = errDoubt
	}
	return err
}

// Renew resets the age of an expired journal. If that fails, it is shown once more before it is removed.
func (j *lease) Renew() {
	_ = j.store.try(func(ctx context.Context, _ bool) error {
		_, err := j.store.pool.Exec(ctx, `UPDATE fcp_journals SET touched = clock_timestamp(), listed = NULL
			WHERE id = $1 AND fence = $2 AND touched < clock_timestamp() - $3::interval`, j.id, j.fence, j.store.Age())
		return err
	})
}

// Close gives the lease back.
func (j *lease) Close() error {
	j.store.disown(j.id)
	return j.store.try(func(ctx context.Context, _ bool) error {
		_, err := j.store.pool.Exec(ctx, `UPDATE fcp_journals SET until = '-infinity' WHERE id = $1 AND fence = $2`, j.id, j.fence)
		return err
	})
}

// Remove removes the journal, unless another host has taken it.
func (j *lease) Remove() error {
	j.store.disown(j.id)
	return j.store.transact(func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM fcp_journals WHERE id = $1 AND fence = $2`, j.id, j.fence)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM fcp_records WHERE id = $1`, j.id)
		return err
	})
}
