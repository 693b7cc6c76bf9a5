package nats

import (
	"context"
	"sync"
	"time"
)

// sayAlive renews this host's own key in the bucket of leases.
func (s *Store) sayAlive(ctx context.Context) error {
	_, err := s.leases.PutString(ctx, hostKey+s.holder, s.address)
	return err
}

// hostKey begins the keys of hosts in the bucket of leases. No journal's ID begins like this.
const hostKey = "HOST-"

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
			err := s.sayAlive(ctx)
			cancel()
			if err != nil { // try again at the next tick
				continue
			}
			round, cancel := context.WithTimeout(s.ctx, 2*s.lease/3) // must not delay the host's next sign of life
			inParallel(list, func(j *owned) {
				ctx, cancel := context.WithTimeout(round, s.lease/3)
				defer cancel()
				j.renewLease(ctx)
			})
			cancel()
		case <-s.ctx.Done():
			return
		}
	}
}

// inParallel calls f for all of a list, 32 at a time: with one round trip each, thousands would take too long one after
// the other.
func inParallel[T any](list []T, f func(T)) {
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
