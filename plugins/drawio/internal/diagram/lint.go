package diagram

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/tangle"
)

// listed is how many findings of a kind lint names.
const listed = 10

func lintQuery() query {
	return query{Run: runLint, Query: abi.Query{Name: "lint", Syntax: "lint", Summary: "what makes the current page hard to read: overlaps, orphans, crossings, text overflow, edges against the flow or through shapes"}}
}

func runLint(v *view, a pdk.Args) (abi.QueryResponse, error) {
	if err := none(a, "lint"); err != nil {
		return abi.QueryResponse{}, err
	}
	p := v.Model.Current
	t := count(p)
	var out []string
	say := func(f findings, noun, more string) {
		if f.n > 0 {
			out = append(out, f.line(noun, more))
		}
	}
	n, names := overlaps(p, listed)
	say(findings{n, names}, "overlap", "")
	if t.edges > 0 {
		say(orphans(p), "shape", " without an edge")
	}
	say(overflows(p), "label", " larger than its shape")
	lines, routes := ways(p)
	grid := tangle.New(routes)
	var crossings findings
	whole := grid.Crossings(func(a, b int) { crossings.add(arrowText(lines[a]) + " × " + arrowText(lines[b])) })
	say(crossings, "crossing", "")
	say(through(p, grid, lines), "edge", " through a shape")
	flow, against := flows(lines, routes)
	say(against, "edge", " against the flow "+flow)
	if !whole {
		out = append(out, "the page is too dense to compare all its edges")
	}
	if len(out) == 0 {
		out = []string{fmt.Sprintf("lint: nothing found on page %s", pageTitle(v.Model, p))}
	}
	return answer(out)
}

// findings counts, and keeps the first few by name.
type findings struct {
	n     int
	names []string
}

func (f *findings) add(name string) {
	if f.n++; f.n <= listed {
		f.names = append(f.names, name)
	}
}

func (f findings) line(noun, more string) string {
	text := plural(f.n, noun) + more + ": " + strings.Join(f.names, ", ")
	if f.n > len(f.names) {
		text += fmt.Sprintf(", … %d more", f.n-len(f.names))
	}
	return text
}

func orphans(p *mxfile.Page) (f findings) {
	for c := p.First(); c != nil; c = c.Next() {
		if orphan(c) {
			f.add(short(c))
		}
	}
	return f
}

func overflows(p *mxfile.Page) (f findings) {
	for c := p.First(); c != nil; c = c.Next() {
		if c.Shape() && c.Value != "" {
			// Fonts differ by a little from place to place.
			if w, h := svg.Overflow(c); w > 4 || h > 6 {
				f.add(short(c))
			}
		}
	}
	return f
}

// ways are the page's edges in the order of the file, and how they run.
func ways(p *mxfile.Page) (lines []*cell, routes [][]geom.Point) {
	all := svg.Routes(p)
	for c := p.First(); c != nil; c = c.Next() {
		if r := all[c]; len(r) > 1 {
			lines, routes = append(lines, c), append(routes, r)
		}
	}
	return lines, routes
}

// through finds edges that run through shapes which they do not join.
func through(p *mxfile.Page, g *tangle.Grid, lines []*cell) (f findings) {
	for c := p.First(); c != nil; c = c.Next() {
		if !solid(c) || isGroup(c) {
			continue
		}
		g.Through(c.Abs().Grow(-2), func(i int) {
			from, to := ends(lines[i])
			for _, e := range []*cell{from, to} {
				// What it joins, what that lies in, and what lies in that.
				if e != nil && (e.Within(c) || c.Within(e)) {
					return
				}
			}
			f.add(arrowText(lines[i]) + " through " + short(c))
		})
	}
	return f
}

// flows finds the direction that most edges take, and those that go the other
// way. Without a clear majority there is no flow.
func flows(lines []*cell, routes [][]geom.Point) (string, findings) {
	var n [4]int // right, down, left, up
	dir := func(i int) int {
		r := routes[i]
		dx, dy := r[len(r)-1].X-r[0].X, r[len(r)-1].Y-r[0].Y
		switch {
		case math.Abs(dx) < 20 && math.Abs(dy) < 20:
			return -1
		case math.Abs(dx) > math.Abs(dy) && dx > 0:
			return 0
		case math.Abs(dx) > math.Abs(dy):
			return 2
		case dy > 0:
			return 1
		}
		return 3
	}
	directed := func(e *cell) bool { a := arrowOf(e); return a == "->" || a == "<-" }
	turned := func(i int) int {
		d := dir(i)
		if d >= 0 && arrowOf(lines[i]) == "<-" {
			d = (d + 2) % 4
		}
		return d
	}
	total := 0
	for i, e := range lines {
		if d := turned(i); d >= 0 && directed(e) {
			n[d]++
			total++
		}
	}
	best := 0
	for d := range n {
		if n[d] > n[best] {
			best = d
		}
	}
	var f findings
	if total < 4 || n[best]*2 < total {
		return "", f
	}
	for i, e := range lines {
		if directed(e) && turned(i) == (best+2)%4 {
			f.add(arrowText(e))
		}
	}
	return []string{"to the right", "downwards", "to the left", "upwards"}[best], f
}
