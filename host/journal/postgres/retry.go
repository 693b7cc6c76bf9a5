package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fcp-host/fcp-host/host/journal"
)

// try calls f until it fails for another reason than the connection, or the store's limit Wait is over. again is true
// if an earlier attempt may have had its effect without an answer.
func (s *Store) try(f func(ctx context.Context, again bool) error) error {
	ctx, cancel := context.WithTimeout(s.ctx, s.wait)
	defer cancel()
	again, pause := false, 10*time.Millisecond
	for {
		err := f(ctx, again)
		if !unreachable(err) || ctx.Err() != nil {
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

// unreachable reports whether an error means that the database cannot be reached now.
func unreachable(err error) bool {
	if err == nil || isOurs(err) || errors.Is(err, pgx.ErrNoRows) {
		return false
	}
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		return true
	}
	// It is shutting down, starting, out of connections, or aborted one of two conflicting transactions.
	switch said.Code[:2] {
	case "57", "53", "40", "08":
		return true
	}
	return false
}

// isOurs reports whether err is defined by this module, and names no address.
func isOurs(err error) bool { return journal.IsStoreError(err) || errors.Is(err, errDoubt) }

// reason makes an error whose text names neither the database's address nor its user.
func reason(err error) error {
	var said *pgconn.PgError
	switch {
	case err == nil || isOurs(err):
		return err
	case errors.As(err, &said) && strings.HasPrefix(said.Code, "28"):
		return errors.New("the store rejected this host's login") // the database's own message names the user
	case errors.As(err, &said):
		return fmt.Errorf("the store refused it (%s)", said.Message)
	case errors.Is(err, context.Canceled):
		return errors.New("the store was closed")
	}
	return errors.New("the store does not answer")
}

// transact runs f in a transaction, again from the start if the connection was lost.
func (s *Store) transact(f func(ctx context.Context, tx pgx.Tx) error) error {
	return s.try(func(ctx context.Context, _ bool) error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return f(ctx, tx) })
	})
}
