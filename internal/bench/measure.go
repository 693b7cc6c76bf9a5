package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// domain is what the bench knows of a domain: its ops and the preparations for them.
type domain struct {
	name  string
	first []string
	op    func(i int) string
	many  func(i int) string // op for many elements: with a position, since a few columns of a page have no room for all
}

func domains() []domain {
	return []domain{
		{"drawio", nil, shape, func(i int) string { return fmt.Sprintf("%s at:%d,%d", shape(i), 200*(i%250), 120*(i/250)) }},
		{"midi", []string{"track add Piano instrument:acoustic-grand-piano"}, note, note},
		{"svg", []string{"canvas size:4000x7000 viewbox:0,0,4000,7000"}, rect, rect},
	}
}

func shape(i int) string { return fmt.Sprintf("add svc Service%d theme:blue", i) }

func rect(i int) string {
	return fmt.Sprintf("add rect box%d at:%d,%d size:30x20 fill:#4a90d9", i, 40*(i%100), 30*(i/100))
}

func note(i int) string {
	return fmt.Sprintf("note Piano %c%d at:%d.%d.%d dur:eighth", "CDEFGAB"[i%7], 3+i/7%3, 1+i/8, 1+i/2%4, 240*(i%2))
}

// newDocument creates an empty document and makes it the current one.
func (s *server) newDocument(d domain) {
	s.call(d.name+"_session", "action", `new "Bench"`)
	if d.first != nil {
		s.call(d.name, "ops", d.first)
	}
}

// newFilledDocument creates a document with n elements and makes it the current one.
func (s *server) newFilledDocument(d domain, n int) {
	s.newDocument(d)
	s.call(d.name, "ops", list(n, d.op))
}

// closeDocument closes the current document, so that it uses no memory or time in later rows.
func (s *server) closeDocument(d domain) {
	s.call(d.name+"_session", "action", "close force")
}

func list(n int, op func(i int) string) []string {
	ops := make([]string, n)
	for i := range ops {
		ops[i] = op(i)
	}
	return ops
}

// oneOp measures successive calls with one op each. Unlike timed, it does not read the processor time after each call,
// which would cost more than the call; the processor time is the mean.
func (s *server) oneOp(d domain) []cost {
	return s.oneCall(d, d.op)
}

// oneCall is like oneOp for other ops.
func (s *server) oneCall(d domain, op func(i int) string) []cost {
	const calls = 200
	n, used := 0, s.cpuTime()
	all := sample(calls, func(int) cost {
		n++
		ops, at := []string{op(n)}, time.Now()
		s.call(d.name, "ops", ops)
		return cost{wall: time.Since(at)}
	})
	used = (s.cpuTime() - used) / calls
	for i := range all {
		all[i].cpu = used
	}
	return all
}

// batches measures calls with many ops, each on an empty document, and how time grows with the number of ops.
func (b *bench) batches(s *server, d domain, what string, limits map[int]string) {
	least := map[int]cost{}
	for _, n := range []int{1000, 5000, 10000} {
		ops := list(n, d.op)
		took := sample(5, func(int) cost {
			s.newDocument(d)
			took := s.timedCall(d.name, "ops", ops)
			s.closeDocument(d)
			return took
		})
		least[n] = cheapest(took)
		b.time(fmt.Sprintf("a batch of %d %s", n, what), took, limits[n])
	}
	times := func(of func(cost) time.Duration) string {
		return fmt.Sprintf("%.1f times", float64(of(least[10000]))/float64(max(1, of(least[1000]))))
	}
	b.row(row{fmt.Sprintf("10000 %s against 1000", what), "", times(func(c cost) time.Duration { return c.wall }),
		times(func(c cost) time.Duration { return c.cpu }), "10 times"})
}

// sampleWithUndo measures a call with ops several times, each followed by an undo.
func (s *server) sampleWithUndo(d domain, ops []string) []cost {
	return sample(7, func(int) cost {
		took := s.timedCall(d.name, "ops", ops)
		s.call(d.name+"_session", "action", "undo batch")
		return took
	})
}

// op measures calls with one op on a document of n elements, each followed by an undo.
func (b *bench) op(s *server, d domain, n int, op, limit string) {
	s.newFilledDocument(d, n)
	took := s.sampleWithUndo(d, []string{op})
	b.time(fmt.Sprintf("%s, %d there, %s", op, n, d.name), took, limit)
	s.closeDocument(d)
}

// query measures a query of the current document.
func (b *bench) query(s *server, d domain, what, query, limit string) {
	took := sample(15, func(int) cost { return s.timedCall(d.name+"_query", "q", query) })
	b.time(what, took, limit)
}

// files measures saving and opening the current document. what describes its content.
func (b *bench) files(s *server, d domain, what, ext, save, open string) {
	dir := ends.Unless(os.MkdirTemp(".", "bench-*")) // files can only be opened below the working directory
	defer os.RemoveAll(dir)
	name := "./" + filepath.Join(dir, "bench"+ext)
	session := d.name + "_session"
	took := sample(9, func(int) cost { return s.timedCall(session, "action", "save as:"+name) })
	info := ends.Unless(os.Stat(name))
	b.time(fmt.Sprintf("save %s (%.1f MB)", what, float64(info.Size())/1e6), took, save)
	// The open document is saved, so it can be evicted for the next one.
	took = sample(9, func(int) cost { return s.timedCall(session, "action", "open "+name) })
	b.time("open "+what, took, open)
}

// sheet measures the export of the current document as sheet music.
func (b *bench) sheet(s *server, d domain, what, limit string) {
	dir := ends.Unless(os.MkdirTemp(".", "bench-*"))
	defer os.RemoveAll(dir)
	took := sample(9, func(int) cost {
		return s.timedCall(d.name+"_session", "action", "export musicxml as:./"+filepath.Join(dir, "bench.musicxml")+" force")
	})
	b.time(what, took, limit)
}

// undo measures the undo of the last 100 ops of the current document, each from its own call.
func (b *bench) undo(s *server, d domain) {
	took := sample(5, func(int) cost {
		for i := range 100 {
			s.call(d.name, "ops", []string{d.op(20_000 + i)})
		}
		return s.timedCall(d.name+"_session", "action", "undo 100")
	})
	b.time("undo of 100 ops, "+d.name, took, "50 ms")
}
