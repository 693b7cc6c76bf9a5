package command

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/session"
)

// once is the single session of a command that ends by itself.
type once struct {
	session *session.Session
	set     *plugin.Set
	close   func()
}

// once loads the plugins and opens the session.
func (s *settings) once(ctx context.Context, io stdio, log *slog.Logger) (o once, ok bool) {
	s.programs.After = forever // wait for jobs to finish
	s.brief = true
	named, ok := s.lockSession(ctx, io)
	if !ok {
		return o, false
	}
	set, roots := s.load(io, log)
	if set == nil {
		named.unlock()
		return o, false
	}
	sess := session.New(set, roots)
	o = once{sess, set, sync.OnceFunc(func() {
		named.leave(sess, io)
		sess.Close()
		s.programs.Close()
		set.Close()
	})}
	defer func() {
		if !ok {
			o.close()
		}
	}()
	select {
	case <-set.Opened():
	case <-ctx.Done():
	}
	s.reportStrayGrants(ctx, set, io)
	// A script need not name the domain if there is only one, so wait until one is served or none
	// can come, however busy the machine is.
	if set.Until(ctx, func() bool { return len(set.Catalog().Domains) > 0 }) != nil {
		return o, false
	}
	if c := set.Catalog(); len(c.Domains) == 0 && c.Pending == 0 {
		return o, false // the reason was printed
	}
	s.configureSession(sess)
	// No journal without a named session: a script can be run again.
	s.noJournal = s.noJournal || s.journalDir == "" && named == nil
	k, ok := s.keeper(io, log)
	if !ok {
		return o, false
	}
	k.keep(sess)
	return o, named.restore(ctx, sess, k, io)
}

// forever is longer than any program runs.
const forever = 10_000 * time.Hour
