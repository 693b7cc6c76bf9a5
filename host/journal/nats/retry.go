package nats

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fcp-host/fcp-host/host/journal"
)

// withoutURL removes the URL, which may hold a password, from a connection error.
func withoutURL(err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return errors.New("the URL cannot be read")
	}
	return err
}

// patience is how long one attempt waits for its answer.
const patience = time.Second

// try calls f until it gets an answer or the store's limit Wait is over.
func (s *Store) try(f func(ctx context.Context) error) error { return s.attempt(patience, f) }

// attempt is try with a longer patience, for an f that asks for many things.
func (s *Store) attempt(patience time.Duration, f func(ctx context.Context) error) error {
	all, cancel := context.WithTimeout(s.ctx, s.wait)
	defer cancel()
	pause := 10 * time.Millisecond
	for {
		ctx, end := context.WithTimeout(all, patience)
		err := f(ctx)
		end()
		if err == nil || isAnswer(err) {
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

// isAnswer reports whether an error is an answer that another attempt would get again.
func isAnswer(err error) bool {
	if isOurs(err) || errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return true
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && api.Code < 500
}

// isOurs reports whether err is defined by this module, and names no address.
func isOurs(err error) bool {
	return journal.IsStoreError(err) || errors.Is(err, errDoubt) || errors.Is(err, errEndless)
}

// reason makes an error whose text does not name the server's address.
func reason(err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil || isOurs(err):
		return err
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return journal.ErrGone
	case errors.Is(err, jetstream.ErrKeyExists): // before APIError, which it is, too
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
