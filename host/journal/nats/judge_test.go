package nats

import (
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
		ways := map[journal.Store]*store.Way{}
		return store.System{
			Open: func(t testing.TB, limits journal.Limits) journal.Store {
				w := store.NewWay(t, "tcp", address)
				s := connect(t, "nats://"+w.Addr(), Options{Limits: limits})
				ways[s] = w
				return s
			},
			Lose: func(t testing.TB, host journal.Store) func() {
				ways[host].Cut()
				for id := range host.(*Store).owns {
					if err := direct.leases.Delete(t.Context(), id); err != nil {
						t.Fatal(err)
					}
				}
				return ways[host].Restore
			},
			Cut: func(t testing.TB) func() {
				for _, w := range ways {
					w.Cut()
				}
				return func() {
					for _, w := range ways {
						w.Restore()
					}
				}
			},
		}
	})
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
