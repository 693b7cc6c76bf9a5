package queries

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/tangle"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// State describes the document with the current page: its digest, counts and warnings.
func State(f *file) abi.State {
	p := f.Current
	t := model.Count(p)
	said, weights := warnings(p, t)
	return abi.State{
		Digest:   digest(t, f.Number(p), len(f.Pages)),
		Title:    f.Title(),
		Counts:   []abi.Count{{Name: "shapes", Value: t.Shapes}, {Name: "edges", Value: t.Edges}, {Name: "groups", Value: t.Groups}, {Name: "pages", Value: len(f.Pages)}},
		Warnings: said,
		Weights:  weights,
	}
}

// digest prints the digest. It avoids fmt, because it runs after every call.
func digest(t model.Tally, page, pages int) string {
	var buf [64]byte
	b := append(strconv.AppendInt(buf[:0], int64(t.Shapes), 10), "s "...)
	b = append(strconv.AppendInt(b, int64(t.Edges), 10), "e "...)
	b = append(strconv.AppendInt(b, int64(t.Groups), 10), "g "...)
	b = mxfile.AppendNum(b, math.Ceil(t.Bounds.W))
	b = mxfile.AppendNum(append(b, 'x'), math.Ceil(t.Bounds.H))
	b = strconv.AppendInt(append(b, " p:"...), int64(page), 10)
	return string(strconv.AppendInt(append(b, '/'), int64(pages), 10))
}

// MaxFollowed is the greatest number of edges, and of shapes, of a page whose edges are
// checked after every call. This check takes longer than the rest of State; lint has no
// such limit.
const MaxFollowed = 50

// warnings lists what may confuse a reader of the page: shapes without edges on a page that
// has edges, overlapping shapes, edges through shapes, and labels that several shapes
// share. The newest come first. weights has the amount of each kind, so that the host repeats a warning only when there are more.
func warnings(p *mxfile.Page, t model.Tally) (out []string, weights []abi.Count) {
	add := func(n int, noun, more string, names []string) {
		if n == 0 {
			return
		}
		text := pdk.Count(n, noun) + more + ": " + strings.Join(names, ", ")
		if n > len(names) {
			text += ", …"
		}
		if len(text) > abi.MaxWarning {
			text = strings.ToValidUTF8(text[:abi.MaxWarning-4], "") + "…"
		}
		out, weights = append(out, text), append(weights, abi.Count{Name: p.Key + " " + noun + more, Value: n})
	}
	if t.Edges > 0 && t.Orphans > 0 {
		names := pdk.Map(p.Orphans(model.MostExamples), model.Short)
		add(t.Orphans, "shape", " without an edge", names)
	}
	if t.Overlaps > 0 {
		f := overlapping(p, t, model.MostExamples)
		add(f.n, "overlap", "", f.names[:min(f.n, model.MostExamples)])
	}
	if t.Edges > 0 && t.Edges <= MaxFollowed && t.Shapes+t.Groups <= MaxFollowed {
		lines, routes := arranger.Routes(p)
		f := through(p, tangle.New(routes), lines)
		add(f.n, "edge", " through a shape", f.names[:min(f.n, model.MostExamples)])
	}
	if t.Repeats > 0 {
		add(t.Repeats, "label", " on more than one shape", repeated(p, model.MostExamples))
	}
	return out, weights
}

// overlapping finds the pairs of overlapping shapes and names the first ones. Unless the page is
// large it ignores shapes that lie in a frame without being its children.
func overlapping(p *mxfile.Page, t model.Tally, most int) findings {
	if t.Overlaps == 0 || t.Shapes+t.Groups+t.Edges > arranger.MaxRerouted {
		return findings{t.Overlaps, overlaps(p, most)}
	}
	inside := arranger.InFrames(p)
	if inside == nil {
		return findings{t.Overlaps, overlaps(p, most)}
	}
	var f findings
	for c := range p.Upper() {
		for _, o := range model.Beneath(c) {
			if inside[o] == nil || !o.Abs().Contains(c.Abs()) {
				f.addLazily(func() string { return model.Short(o) + "/" + model.Short(c) })
			}
		}
	}
	return f
}

// overlaps names the first pairs of overlapping shapes.
func overlaps(p *mxfile.Page, most int) []string {
	var names []string
	for c := range p.Upper() {
		for _, o := range model.Beneath(c) {
			if len(names) == most {
				return names
			}
			names = append(names, model.Short(o)+"/"+model.Short(c))
		}
	}
	return names
}

// repeated names the first labels that several shapes share, with their counts.
func repeated(p *mxfile.Page, most int) []string {
	var names []string
	labels, shapes := p.Repeated(most)
	for i, l := range labels {
		names = append(names, fmt.Sprintf("%s (%d)", values.OneLine(l), shapes[i]))
	}
	return names
}
