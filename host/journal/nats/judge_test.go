package nats

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/conformance/store"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/internal/judge"
)

func TestJudgeJournalsInJetStreamKeepThePromisesOfAStore(t *testing.T) {
	store.Test(t, func(t testing.TB) store.System {
		address := judge.NATS(t)
		direct := connect(t, "nats://"+address, Options{})
		proxies := map[journal.Store]*store.Proxy{}
		return store.System{
			Open: func(t testing.TB, limits journal.Limits) journal.Store {
				w := store.NewProxy(t, "tcp", address)
				s := connect(t, "nats://"+w.Addr(), Options{Limits: limits})
				proxies[s] = w
				return s
			},
			Lose: func(t testing.TB, host journal.Store) func() {
				proxies[host].Cut()
				for id := range host.(*Store).owns {
					if err := direct.leases.Delete(t.Context(), id); err != nil {
						t.Fatal(err)
					}
				}
				return proxies[host].Restore
			},
			Cut: func(t testing.TB) func() {
				for _, w := range proxies {
					w.Cut()
				}
				return func() {
					for _, w := range proxies {
						w.Restore()
					}
				}
			},
		}
	})
}

// The server expires leases after the time that the first host set: a host with a longer setting uses that time, too.
func TestJudgeHostsOfOneServerHaveLeasesOfOneLength(t *testing.T) {
	url := "nats://" + judge.NATS(t)
	open := func(lease time.Duration) *Store {
		s, err := Open(t.Context(), url, Options{Lease: lease, Wait: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	const lease = 2 * time.Second
	if first, second := open(lease), open(time.Hour); first.lease != lease || second.lease != lease {
		t.Errorf("leases of %v are %v and %v", lease, first.lease, second.lease)
	}
}

// With more journals than can be read one after the other within the waiting time, a host still creates, lists and holds
// journals.
func TestJudgeAServerWithThousandsOfJournals(t *testing.T) {
	s, err := Open(t.Context(), "nats://"+judge.NATS(t), Options{Lease: 30 * time.Second, Wait: time.Minute, Limits: journal.Limits{Files: 4000, OwnerFiles: 4000}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	const n = 1300
	var all []journal.Journal
	var mu sync.Mutex
	inParallel(make([]struct{}, n), func(struct{}) {
		j, err := s.Create("ann", journal.NewKey(), slices.Values([]journal.Record{{Kind: 1, Data: []byte("base")}}))
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
			return
		}
		all = append(all, j)
	})
	if ids, err := s.Held("ann"); err != nil || len(ids) != n {
		t.Errorf("%d are held, %v", len(ids), err)
	}
	until := func(j journal.Journal) time.Time {
		o := j.(*owned)
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.until
	}
	first := map[journal.Journal]time.Time{}
	for _, j := range all {
		first[j] = until(j)
	}
	lost := 0
	for _, j := range all {
		for j.Held() && !until(j).After(first[j]) { // until the lease is renewed or expires
			time.Sleep(10 * time.Millisecond)
		}
		if !j.Held() {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d are not held any more", lost, n)
	}
}

func connect(t testing.TB, url string, o Options) *Store {
	t.Helper()
	o.Lease, o.Wait = time.Minute, 5*time.Second
	s, err := Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
