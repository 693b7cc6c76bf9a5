package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// drawio measures diagrams. There is no journal, so that only the work itself is measured.
func drawio(b *bench) {
	s := b.start(b.cache, "--no-journal")
	defer s.stop()
	d := domains()[0]
	s.newDocument(d)
	one := s.oneOp(d)
	b.time("one call with one op, drawio", one, "0.30 ms")
	s.closeDocument(d)
	b.batches(s, d, "adds", map[int]string{1000: "100 ms", 5000: "400 ms", 10000: "1000 ms"})
	s.newFilledDocument(d, 20)
	b.query(s, d, "preview of 20 shapes", "preview", "300 ms")
	s.closeDocument(d)
	b.connections(s, d)
	b.layouts(s, d)
	for _, op := range []struct{ op, limit string }{{"style @all theme:red bold", "200 ms"}, {"move @all by:10,10", "–"}, {"remove @all", "–"}} {
		b.op(s, d, 3000, op.op, op.limit)
	}
	s.newFilledDocument(d, 10_000)
	one = s.oneOp(d)
	b.time("one call with one op, 10000 shapes there, drawio", one, "–")
	b.files(s, d, "10000 shapes", ".drawio", "–", "–")
	b.add("resident memory then", mb(s.resident()), "–")
}

// connections measures a diagram of 1000 shapes, first without edges and then with 1000, and closes it.
func (b *bench) connections(s *server, d domain) {
	connect := func(i int) string { return fmt.Sprintf("connect Service%d -> Service%d", i%1000, (i*7+1)%1000) }
	s.newFilledDocument(d, 1000)
	took := s.sampleWithUndo(d, list(1000, connect))
	b.time("1000 connects in one call, 1000 shapes there", took, "150 ms")
	b.query(s, d, "map of 1000 shapes", "map", "2.5 ms")
	s.call("drawio", "ops", list(1000, connect))
	b.query(s, d, "map of 1000 shapes and 1000 edges", "map", "2.5 ms")
	one := s.oneCall(d, func(i int) string { return connect(i * 3) })
	b.time("one call with one connect, 1000 shapes and 1000 edges there", one, "0.60 ms")
	b.undo(s, d)
	for _, layout := range []struct{ op, limit string }{{"layout", "1500 ms"}, {"layout algo:force", "5000 ms"}} {
		took := s.sampleWithUndo(d, []string{layout.op})
		b.time(layout.op+" of 1000 shapes and 1000 edges", took, layout.limit)
	}
	b.files(s, d, "1000 shapes and 1000 edges", ".drawio", "30 ms", "60 ms")
	s.closeDocument(d)
}

// midi measures songs, like drawio.
func midi(b *bench) {
	s := b.start(b.cache, "--no-journal")
	defer s.stop()
	d := domains()[1]
	s.newDocument(d)
	one := s.oneOp(d)
	b.time("one call with one op, midi", one, "0.30 ms")
	s.closeDocument(d)
	b.batches(s, d, "notes", map[int]string{1000: "100 ms", 5000: "500 ms", 10000: "500 ms"})
	for _, op := range []string{"remove @track:Piano", "transpose @all +5", "velocity @all x0.8", "quantize @all grid:quarter"} {
		b.op(s, d, 10_000, op, "150 ms")
	}
	for _, op := range []string{"humanize @all", "groove mpc-62 @all grid:eighth", "quantize @all grid:quarter"} {
		b.op(s, d, 18_000, op, "500 ms")
	}
	s.newFilledDocument(d, 18_000)
	b.sheet(s, d, "musicxml of 18000 notes", "500 ms")
	s.closeDocument(d)
	s.newFilledDocument(d, 10_000)
	b.query(s, d, "map of 10000 notes", "map", "5 ms")
	b.query(s, d, "piano-roll of 16 bars, 10000 notes there", "piano-roll Piano 100-115", "5 ms")
	b.query(s, d, "preview of 16 bars, 10000 notes there", "preview 100-115", "300 ms")
	b.undo(s, d)
	b.files(s, d, "10000 notes", ".mid", "30 ms", "60 ms")
	b.add("resident memory then", mb(s.resident()), "–")
}

// groupOps returns ops that make 300 shapes in 30 groups.
func groupOps() []string {
	var groups []string
	for g := range 30 {
		names := ""
		for i := range 10 {
			groups = append(groups, fmt.Sprintf("add svc S%d_%d", g, i))
			names += fmt.Sprintf(" S%d_%d", g, i)
		}
		groups = append(groups, fmt.Sprintf("group%s as:G%d", names, g))
	}
	for g := range 30 {
		for i := range 10 {
			groups = append(groups, fmt.Sprintf("connect S%d_%d -> S%d_%d", g, i, min(29, g+1+i%3), (i*7+g)%10))
			if i%2 == 0 {
				groups = append(groups, fmt.Sprintf("connect S%d_%d -> S%d_%d label:uses", g, i, g, i+1))
			}
		}
	}
	return groups
}

// layouts measures the layout of a brief as a model writes it, and of a large
// diagram of groups.
func (b *bench) layouts(s *server, d domain) {
	brief := ends.Unless(os.ReadFile("plugins/drawio/testdata/briefs/shop.ops"))
	shop := strings.Split(strings.TrimSpace(string(brief)), "\n")
	for _, l := range []struct {
		what, limit, op string
		ops             []string
	}{
		{"layout of a brief of 21 shapes in 5 groups", "50 ms", shop[len(shop)-1], shop[1 : len(shop)-1]},
		{"layout of 300 shapes in 30 groups", "500 ms", "layout dir:LR", groupOps()},
	} {
		s.newDocument(d)
		s.call("drawio", "ops", l.ops)
		took := s.sampleWithUndo(d, []string{l.op})
		b.time(l.what, took, l.limit)
		s.closeDocument(d)
	}
}
