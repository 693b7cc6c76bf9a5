package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// callDuration is how long sessions send calls.
const callDuration = 3 * time.Second

// sessions measures HTTP clients that each edit their own document, with one worker and with one for each processor,
// and a client that edits while another lays out a large page.
func sessions(b *bench) {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 1024
	for _, parallel := range []int{1, 0} {
		workers := map[int]string{1: "one worker", 0: "a pool"}[parallel]
		for _, d := range domains()[:2] {
			for _, n := range []int{1, 8, 64, 512} {
				b.together(d, d.name, n, parallel, workers)
			}
		}
		// Calls that are only the domain's work scale with the processors; others share them with clients and host.
		layouts := domains()[0]
		layouts.first, layouts.many = groupOps(), func(int) string { return "layout dir:LR" }
		for _, n := range []int{1, 2, 8} {
			b.together(layouts, "layouts of 300 shapes", n, parallel, workers)
		}
		b.besideLayouts(parallel, workers)
	}
}

// many starts a server that allows one principal many sessions, and an instance for each.
func (b *bench) many(d domain, parallel int) *web {
	journal := ends.Unless(os.MkdirTemp(filepath.Dir(b.cache), "journal-"))
	flags := []string{"--limit", fmt.Sprint("parallel=", parallel), "--journal-dir", journal}
	for _, limit := range []string{"principal-sessions=1000", "principal-requests=1000", "principal-documents=1000", "principal-journals=2000", "journals=2000", "instances=600", "address-space=64GiB", "resident=12GiB", "workers=24GiB"} {
		flags = append(flags, "--limit", limit)
	}
	return b.web(d.name, flags...)
}

// client is a session over HTTP.
type client struct {
	w       *web
	session string
}

func (w *web) client(token string) *client {
	_, session, _, err := w.post(context.Background(), token, "", greeting)
	ends.If(err)
	return &client{w, session}
}

func (c *client) call(tool, args string) error {
	status, _, answer, err := c.w.post(context.Background(), honest, c.session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`)
	if err == nil && (status != http.StatusOK || bytes.Contains(answer, []byte(`"isError":true`))) {
		err = fmt.Errorf("%s: %d %s", tool, status, answer)
	}
	return err
}

// op sends a call with one op.
func (c *client) op(d domain, text string) error {
	return c.call(d.name, fmt.Sprintf(`{"ops":[%q]}`, text))
}

// openSession returns a session with its own document.
func (w *web) openSession(d domain) *client {
	c := w.client(honest)
	ends.If(c.call(d.name+"_session", `{"action":"new \"Bench\""}`))
	for _, text := range d.first {
		ends.If(c.op(d, text))
	}
	return c
}

// together measures n sessions that send calls without pause. title says what they do.
func (b *bench) together(d domain, title string, n, parallel int, workers string) {
	w := b.many(d, parallel)
	defer w.end()
	var all []*client
	for range n {
		all = append(all, w.openSession(d))
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	begin := time.Now().Add(callDuration) // by then instances are placed on workers
	for _, c := range all {
		group.Go(func() {
			var own []time.Duration
			for i := 0; time.Since(begin) < callDuration; i++ {
				at := time.Now()
				if err := c.op(d, d.many(i)); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
					return
				}
				if at.After(begin) {
					own = append(own, time.Since(at))
				}
			}
			mu.Lock()
			took = append(took, own...)
			mu.Unlock()
		})
	}
	group.Wait()
	ends.If(failed)
	elapsed := time.Since(begin)
	slices.Sort(took)
	what := fmt.Sprintf("%d over HTTP, %s, %s", n, title, workers)
	b.add(what+": calls a second", fmt.Sprintf("%.0f", float64(len(took))/elapsed.Seconds()), "–")
	b.add(what+": p50, p99", ms(took[len(took)/2])+", "+ms(took[len(took)*99/100]), "–")
	b.add(what+": resident memory", mb(w.resident()), "–")
}

// besideLayouts measures calls of one session while another lays out a page with many groups, again and again.
func (b *bench) besideLayouts(parallel int, workers string) {
	d := domains()[0]
	w := b.many(d, parallel)
	defer w.end()
	other := w.openSession(d)
	ops := ends.Unless(json.Marshal(map[string]any{"ops": groupOps()}))
	ends.If(other.call(d.name, string(ops)))
	c := w.openSession(d)
	stop, ended := make(chan struct{}), make(chan error)
	var longest time.Duration
	go func() {
		for {
			at := time.Now()
			err := other.op(d, "layout dir:LR")
			longest = max(longest, time.Since(at))
			select {
			case <-stop:
				ended <- err
				return
			default:
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	var took []time.Duration
	for i := range 100 {
		at := time.Now()
		ends.If(c.op(d, d.many(i)))
		took = append(took, time.Since(at))
		time.Sleep(20 * time.Millisecond)
	}
	close(stop)
	ends.If(<-ended)
	slices.Sort(took)
	b.add("one op over HTTP while another lays out 300 shapes in 30 groups, "+workers+": p50, longest of 100", ms(took[50])+", "+ms(took[99]), "–")
	b.add("that layout, at the longest", ms(longest), "–")
}
