//go:build unix

package postgres

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fcp-host/fcp-host/conformance/store"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/internal/judge"
)

func TestJudgeJournalsInPostgreSQLKeepThePromisesOfAStore(t *testing.T) {
	socket := judge.PostgreSQL(t)
	n := 0
	store.Test(t, func(t testing.TB) store.System {
		n++
		name := fmt.Sprintf("laws%d", n)
		root := connect(t, socket, "postgres")
		if _, err := root.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		look := connect(t, socket, name)
		proxies := map[journal.Store]*store.Proxy{}
		return store.System{
			Open: func(t testing.TB, limits journal.Limits) journal.Store {
				w := store.NewProxy(t, "unix", socket)
				s, err := Open(t.Context(), "postgres://postgres@"+w.Addr()+"/"+name+"?sslmode=disable", Options{Limits: limits, Lease: time.Minute, Wait: 5 * time.Second})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(s.Close)
				proxies[s] = w
				return s
			},
			Lose: func(t testing.TB, host journal.Store) func() {
				proxies[host].Cut()
				if _, err := look.Exec(t.Context(), `UPDATE fcp_journals SET until = clock_timestamp() - interval '1 s' WHERE holder = $1`, host.(*Store).holder); err != nil {
					t.Fatal(err)
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

func connect(t testing.TB, socket, database string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig("postgres://postgres@localhost/" + database + "?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { return net.Dial("unix", socket) }
	c, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}
