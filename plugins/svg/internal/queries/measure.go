package queries

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// queryTargets returns the elements that a query names, and then those that it selects.
func queryTargets(v *view, a pdk.Args) ([]*node, error) {
	named, err := v.Model.Resolve(a.Texts(0))
	if err != nil || len(a.Selectors) == 0 {
		return named, err
	}
	list, err := v.Model.Selected(v.Recent, a.Selectors, false)
	return model.Union(named, list), err
}

func bboxQuery() query {
	return query{Run: runBBox, Query: abi.Query{Syntax: "bbox [REF…|SEL]", Summary: "boxes on the canvas, of the shape and with strokes and markers, and in the element's own space if that is different"}}
}

func runBBox(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	list, err := queryTargets(v, a)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	if len(list) == 0 {
		list = []*node{f.Root}
	}
	sc := f.Scene()
	p := v.Page()
	all, some := vector.Empty(), 0
	for _, n := range list {
		b, ok := sc.Box(n)
		if ok {
			all = all.Union(b)
			some++
		}
		p.Line(func(t []byte) []byte {
			t = append(t, f.Typed(n)...)
			if !ok {
				return append(t, " no box"...)
			}
			t = append(t, " "+f.BoxOf(n, b)...)
			if sc.CTM(n) != vector.Identity() {
				local, _ := sc.Local(n)
				t = append(t, " own "+model.Box(local)...)
			}
			if q, ok := sc.Painted(n); ok && model.Box(q) != model.Box(b) {
				t = append(t, " painted "+model.Box(q)...)
			}
			return t
		})
	}
	if some > 1 {
		p.Line(func(t []byte) []byte { return append(t, "together "+model.Box(all)...) })
	}
	return p.Answer(0), nil
}

func atQuery() query {
	return query{Run: runAt, Query: abi.Query{Syntax: "at X,Y", Takes: &abi.Takes{Min: 1, Max: 2}, Summary: "the elements at a point of the canvas, the uppermost first"}}
}

func runAt(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	x, y, ok := value.ParsePair(strings.Join(a.Texts(0), ","), ",")
	if !ok {
		return abi.QueryResponse{}, pdk.Errorf("at needs a point X,Y").Try("at 10,10")
	}
	at := vector.Point{X: x, Y: y}
	sc := f.Scene()
	p := v.Page()
	for _, n := range slices.Backward(f.Shown(sc)) {
		if covers(f, sc, n, at) {
			p.Line(func(t []byte) []byte {
				t = append(t, lineOf(f, sc, n)...)
				if n.Parent != f.Root {
					t = append(t, " in "+f.Ref(n.Parent)...)
				}
				return t
			})
		}
	}
	return p.AnswerOr("nothing lies at " + model.Short(at.X) + "," + model.Short(at.Y)), nil
}

// covers reports whether an element paints a point of the canvas.
func covers(f *drawing, sc *scene.Scene, n *node, at vector.Point) bool {
	b, ok := sc.Painted(n)
	if !ok || !b.Has(at) {
		return false
	}
	p, shape := sc.Path(n)
	if !shape || sc.Value(n, "fill") != "none" && f.Encloses(sc, n, at) {
		return true
	}
	inv, ok := sc.CTM(n).Inverse()
	return ok && sc.Value(n, "stroke") != "none" && distanceTo(p.Flatten(0.1), inv.At(at)) <= sc.Stroke(n).Width/2
}

// distanceTo returns the distance of a point from lines.
func distanceTo(l *vector.Lines, q vector.Point) float64 {
	least := math.Inf(1)
	for _, part := range l.Parts {
		for i := 1; i < len(part.Points); i++ {
			least = min(least, q.OffLine(part.Points[i-1], part.Points[i]))
		}
		if k := len(part.Points); part.Closed && k > 1 {
			least = min(least, q.OffLine(part.Points[k-1], part.Points[0]))
		}
	}
	return least
}

func distanceQuery() query {
	return query{Run: runDistance, Query: abi.Query{Syntax: "distance REF REF|SEL", Brief: "distance REF REF", Summary: "how far two elements lie apart: gaps, centres, edges"}}
}

func runDistance(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	list, err := queryTargets(v, a)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	if len(list) != 2 {
		return abi.QueryResponse{}, pdk.Errorf("distance needs two elements")
	}
	sc := f.Scene()
	p, ok := sc.Box(list[0])
	q, ok2 := sc.Box(list[1])
	if !ok || !ok2 {
		return abi.QueryResponse{}, pdk.Errorf("one of them has no box")
	}
	gap := func(a0, a1, b0, b1 float64) float64 { return math.Max(b0-a1, a0-b1) }
	dx, dy := gap(p.X0, p.X1, q.X0, q.X1), gap(p.Y0, p.Y1, q.Y0, q.Y1)
	way := q.Center().Minus(p.Center())
	apart := func(gap float64, way string) string {
		if gap < 0 {
			return "overlap " + model.Short(-gap) + " " + way
		}
		return "gap " + model.Short(gap) + " " + way
	}
	out := fmt.Sprintf("%s to %s: %s, %s", f.Ref(list[0]), f.Ref(list[1]), apart(dx, "across"), apart(dy, "down"))
	if dx >= 0 || dy >= 0 {
		out += ", " + model.Short(math.Hypot(max(0, dx), max(0, dy))) + " between their boxes"
	}
	out += fmt.Sprintf("; centres %s apart (%s,%s)", model.Short(math.Hypot(way.X, way.Y)), model.Short(way.X), model.Short(way.Y))
	out += fmt.Sprintf("; edges left %s, right %s, top %s, bottom %s", model.Short(q.X0-p.X0), model.Short(q.X1-p.X1), model.Short(q.Y0-p.Y0), model.Short(q.Y1-p.Y1))
	return abi.QueryResponse{Text: out}, nil
}
