package queries

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/tangle"
)

// maxListed is the number of findings of a kind that lint names.
const maxListed = 10

func lintQuery() query {
	return query{Run: runLint, Query: abi.Query{Syntax: "lint", Brief: "lint · what is hard to read", Summary: "what makes the current page hard to read: overlaps, orphans, crossings, text overflow, edges drawn twice, against the flow, through shapes or not at all"}}
}

func runLint(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	p := v.Model.Current
	t := model.Count(p)
	var out []string
	say := func(f findings, noun, more string) {
		if f.n > 0 {
			out = append(out, f.line(noun, more))
		}
	}
	say(overlapping(p, t, maxListed), "overlap", "")
	if t.Edges > 0 {
		say(orphans(p), "shape", " without an edge")
	}
	say(overflows(p), "label", " larger than its shape")
	say(hidden(p), "label", " with characters that nobody sees")
	say(twins(p), "edge", " drawn twice")
	lines, routes := arranger.Routes(p)
	grid := tangle.New(routes)
	var crossings findings
	whole := grid.Crossings(func(a, b int) {
		crossings.addLazily(func() string { return model.ArrowText(lines[a]) + " × " + model.ArrowText(lines[b]) })
	})
	say(crossings, "crossing", "")
	say(through(p, grid, lines), "edge", " through a shape")
	say(undrawn(p), "edge", " without a geometry, which draw.io does not draw (route draws them)")
	flow, against := Flows(lines, routes)
	say(against, "edge", " against the flow "+flow)
	if !whole {
		out = append(out, "the page is too dense to compare all its edges")
	}
	if len(out) == 0 {
		out = []string{fmt.Sprintf("lint: nothing found on page %s", model.PageTitle(v.Model, p))}
	}
	if s, ok := arranger.Score(p); ok {
		out = append(out, fmt.Sprintf("score (less is better): %s", s))
	}
	return answer(out)
}

// findings counts findings and keeps the names of the first few.
type findings struct {
	n     int
	names []string
}

func (f *findings) add(name string) {
	if f.n++; f.n <= maxListed {
		f.names = append(f.names, name)
	}
}

// addLazily is add for names that are costly to build: it builds only those that are kept.
func (f *findings) addLazily(name func() string) {
	if f.n < maxListed {
		f.add(name())
		return
	}
	f.n++
}

func (f findings) line(noun, more string) string {
	text := pdk.Count(f.n, noun) + more + ": " + strings.Join(f.names, ", ")
	if f.n > len(f.names) {
		text += fmt.Sprintf(", … %d more", f.n-len(f.names))
	}
	return text
}

func orphans(p *mxfile.Page) (f findings) {
	for c := p.First(); c != nil; c = c.Next() {
		if model.IsOrphan(c) {
			f.add(model.Short(c))
		}
	}
	return f
}

func overflows(p *mxfile.Page) (f findings) {
	for c := p.First(); c != nil; c = c.Next() {
		if c.Shape() && c.Value != "" && !model.IsLifeline(c) { // a lifeline has its label in its box
			// Fonts differ a little between systems.
			if w, h := svg.Overflow(c); w > 4 || h > 6 {
				f.add(model.Short(c))
			}
		}
	}
	return f
}

// hidden finds the labels that hold more than one sees.
func hidden(p *mxfile.Page) (f findings) {
	for c := p.First(); c != nil; c = c.Next() {
		if said := pdk.Hidden(c.Label()); said != "" {
			f.addLazily(func() string { return model.Reference(c) + ": " + said })
		}
	}
	return f
}

// through finds the edges that run through shapes which they do not connect, each edge
// once.
func through(p *mxfile.Page, g *tangle.Grid, lines []*cell) (f findings) {
	hit := arranger.Hits(p, g, lines)
	for i, e := range lines {
		if shapes := hit[i]; len(shapes) > 0 {
			f.addLazily(func() string { return model.ArrowText(e) + " through " + model.List(shapes, model.MostExamples) })
		}
	}
	return f
}

// Flows finds the direction in which most edges run, and the edges that run against it.
// Without a clear majority there is no flow.
func Flows(lines []*cell, routes [][]geom.Point) (string, findings) {
	// step is how far edge i runs right (axis 0) or down (axis 1).
	step := func(i, axis int) float64 {
		r := routes[i]
		d := r[len(r)-1].X - r[0].X
		if axis == 1 {
			d = r[len(r)-1].Y - r[0].Y
		}
		switch model.ArrowOf(lines[i]) {
		case "->":
		case "<-":
			d = -d
		default:
			return 0
		}
		if math.Abs(d) < 20 {
			return 0
		}
		return d
	}
	names := [4]string{"to the right", "to the left", "downwards", "upwards"}
	best, most, fewest := -1, 0, 0
	for axis := range 2 {
		var n [2]int
		for i := range lines {
			switch d := step(i, axis); {
			case d > 0:
				n[0]++
			case d < 0:
				n[1]++
			}
		}
		for k := range n {
			if n[k] < 4 || n[k] < 3*n[1-k] {
				continue
			}
			if best < 0 || n[k]-n[1-k] > most-fewest {
				best, most, fewest = 2*axis+k, n[k], n[1-k]
			}
		}
	}
	var f findings
	if best < 0 {
		return "", f
	}
	for i, e := range lines {
		if d := step(i, best/2); d < 0 && best%2 == 0 || d > 0 && best%2 == 1 {
			f.add(model.ArrowText(e))
		}
	}
	return names[best], f
}

// undrawn finds the edges that draw.io does not draw.
func undrawn(p *mxfile.Page) (f findings) {
	for _, e := range model.Undrawn(p) {
		f.add(model.ArrowText(e))
	}
	return f
}

// twins finds the edges that lie on another edge with the same label.
func twins(p *mxfile.Page) (f findings) {
	for c := p.First(); c != nil; c = c.Next() {
		if c.Edge && model.Twin(c) != nil {
			f.add(model.ArrowText(c))
		}
	}
	return f
}
