package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// vector measures drawings.
func vector(b *bench) {
	s := b.start(b.cache, "--no-journal")
	defer s.stop()
	d := domains()[2]
	s.newDocument(d)
	one := s.oneOp(d)
	b.time("one call with one op, svg", one, "0.30 ms")
	s.closeDocument(d)
	b.batches(s, d, "shapes", map[int]string{1000: "100 ms", 5000: "400 ms", 10000: "1000 ms"})
	s.newFilledDocument(d, 20)
	b.query(s, d, "preview of 20 shapes, svg", "preview", "100 ms")
	s.closeDocument(d)
	s.newFilledDocument(d, 5000)
	one = s.oneCall(d, func(i int) string { return rect(10_000 + i) })
	b.time("one call with one op, 5000 shapes there, svg", one, "–")
	for _, q := range []struct{ q, limit string }{{"bbox @all", "50 ms"}, {"map", "–"}} {
		b.query(s, d, q.q+" of 5000 shapes, svg", q.q, q.limit)
	}
	b.undo(s, d)
	s.closeDocument(d)
	for _, op := range []string{"style @all fill:red", "move @all by:10,10"} {
		b.op(s, d, 5000, op, "–")
	}
	b.opens(s, d, "a drawing of 5 MB", "large.svg", svgDrawing(5<<20), "500 ms")
}

// opens measures opening a file with these bytes.
func (b *bench) opens(s *server, d domain, what, name string, data []byte, limit string) {
	dir := ends.Unless(os.MkdirTemp(".", "bench-*")) // files can only be opened below the working directory
	defer os.RemoveAll(dir)
	path := "./" + dir + "/" + name
	ends.If(os.WriteFile(path, data, 0o644))
	took := sample(5, func(int) cost { return s.timedCall(d.name+"_session", "action", "open "+path) })
	b.time("open "+what, took, limit)
	b.add("resident memory then", mb(s.resident()), "–")
}

// svgDrawing returns a drawing of at least size bytes, like those of drawing programs.
func svgDrawing(size int) []byte {
	var f strings.Builder
	f.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">` + "\n")
	for i := 0; f.Len() < size; i++ {
		x, y := i%100*40, i/100*40
		fmt.Fprintf(&f, `  <g id="g%d" transform="translate(%d,%d)"><path id="path%d" d="M 1.5,2.25 C 3,4.5 5.25,6 7.125,8 S 11,12.5 13,14 L 15.75,16 Z" style="fill:#%06x;stroke:#000000;stroke-width:0.5"/></g>`+"\n", i, x, y, i, i*37&0xffffff)
	}
	f.WriteString("</svg>\n")
	return []byte(f.String())
}
