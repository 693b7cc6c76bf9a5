package diagram

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

func TestEdgesAreRoutedAroundShapes(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A at:0,200 strict:true", "add svc Wall at:300,150 size:60x200 strict:true", "add svc B at:600,200 strict:true", "connect A -> B label:reads")
	e := lines(d)[0]
	clear := func(when string) {
		t.Helper()
		if s, _ := arranger.Score(d.in.Model().Current); s.Counts[arrange.Through]+s.Counts[arrange.OwnEnd]+s.Counts[arrange.Labels] > 0 {
			t.Errorf("%s: %s", when, s)
		}
	}
	clear("connect")
	if len(e.Route().Points) == 0 {
		t.Error("connect left the edge to draw.io, through Wall")
	}
	// An edge that needs no corners gets none.
	d.run("add svc C at:0,500 strict:true", "connect A -> C")
	if n := len(lines(d)[1].Route().Points); n > 0 {
		t.Errorf("%d corners where none is needed", n)
	}
	for _, op := range []string{"move B to:600,600 strict:true", "move Wall by:0,300", "resize B 200x100", "swap A B", "align A B left"} {
		before := d.bytes()
		points := fmt.Sprint(e.Route().Points)
		d.run(op)
		if len(e.Route().Points) > 0 && fmt.Sprint(e.Route().Points) == points && !strings.Contains(op, "Wall") && !strings.Contains(op, "swap") {
			t.Errorf("%s: the edge keeps its old corners %s", op, points)
		}
		if op != "move Wall by:0,300" && !strings.Contains(op, "align") {
			clear(op)
		}
		after := d.bytes()
		r := d.undo()
		if d.bytes() != before {
			t.Errorf("%s is not undone", op)
		}
		if d.redo(r); d.bytes() != after {
			t.Errorf("%s is not done again", op)
		}
	}
	// An edge whose ends both move keeps its route.
	d.run("route")
	way := len(e.Route().Points)
	d.run("move @all by:40,0")
	if len(e.Route().Points) != way {
		t.Errorf("%d corners were %d", len(e.Route().Points), way)
	}
}

func TestRouteChangesTheNamedEdgesAndMovesNoShape(t *testing.T) {
	d := shop(t)
	places := func() string {
		var b strings.Builder
		for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
			if c.Vertex {
				fmt.Fprintln(&b, c.Key, c.Geo)
			}
		}
		return b.String()
	}
	d.run("layout algo:grid")
	was := places()
	reply := d.run("route")
	if places() != was || !strings.Contains(reply, "score") {
		t.Errorf("route moved shapes: %s", reply)
	}
	s, _ := arranger.Score(d.in.Model().Current)
	if s.Counts[arrange.Through]+s.Counts[arrange.OwnEnd] > 0 {
		t.Errorf("%s", s)
	}
	rest := func() (out []string) {
		for _, e := range lines(d) {
			if from, to := model.Ends(e); from.Label() != "S0" && to.Label() != "S0" {
				out = append(out, e.Raw())
			}
		}
		return out
	}
	before := fmt.Sprint(rest())
	d.run("modify S0 -> S1 via:10,10;20,20", "route S0")
	if fmt.Sprint(rest()) != before {
		t.Error("route of a shape leads other edges")
	}
	d.refused("route Nothing", "not found")
	d.refused("route S0 S1", "route takes one of")
	e := newDoc(t)
	e.run("add box A")
	e.unchanged("route", "no edge")
	e.run("add box B near:A dir:below", "connect A -> B via:900,900", "route")
	e.unchanged("route A -> B", "no better route")
}

func TestWaypointsAreSetAndReset(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A at:0,0", "add svc B at:400,300", "connect A -> B exit:right")
	e := lines(d)[0]
	d.run("modify A -> B via:200,30;200,330")
	if got := fmt.Sprint(e.Route().Points); got != "[{200 30} {200 330}]" {
		t.Errorf("the edge runs %s", got)
	}
	d.run("modify A -> B via:none exit:none")
	if _, ok := e.Style.Get("exitX"); ok || e.Routed {
		t.Errorf("not reset: %s", e.Raw())
	}
	d.unchanged("modify A -> B via:none", "already")
	d.refused("modify A via:1,2", "via: is for edges")
	d.refused("modify A -> B via:here", "via")
}

func TestNewEdgesAvoidLabelsBelowShapes(t *testing.T) {
	d := newDoc(t)
	d.run("add event Start at:100,100", "add event Done marker:end at:110,300", "add svc Left at:300,400", "add svc Work at:300,90", "connect Start -> Done", "connect Left -> Done", "connect Work -> Start")
	for i, want := range []string{"exitDy=24", "entryDy=24", ""} {
		e := lines(d)[i]
		if want == "" && strings.Contains(string(e.Style), "Dy=") || !strings.Contains(string(e.Style), want) || strings.Contains(string(e.Style), "exitX=") && strings.Contains(string(e.Style), "entryX=") {
			t.Errorf("%s: %s", model.ArrowText(e), e.Style)
		}
		way := svg.Routes(e.Page)[e]
		for _, n := range []string{"Start", "Done"} {
			x, _ := selector.Vertex(d.in.Model(), n)
			r := x.Abs()
			label := geom.Rect{X: r.X, Y: r.Bottom() + 2, W: r.W, H: 18}
			for k := 1; k < len(way); k++ {
				p := geom.Rect{X: math.Min(way[k-1].X, way[k].X), Y: math.Min(way[k-1].Y, way[k].Y), W: math.Abs(way[k-1].X - way[k].X), H: math.Abs(way[k-1].Y - way[k].Y)}
				if p.Grow(1).Overlaps(label) {
					t.Errorf("%s runs through the label of %s: %v", model.ArrowText(e), n, way)
				}
			}
		}
	}
}

// The reply to route names the edges that it changed, and no others, and says which are another kind of line now.
func TestRouteNamesWhatItChanges(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A at:0,200 strict:true", "add svc Wall at:300,150 size:60x200 strict:true", "add svc B at:600,200 strict:true", "add svc C at:0,600 strict:true", "add svc D at:600,600 strict:true",
		"connect A -> B style:straight via:150,0;450,900", "connect C -> D via:300,900;400,500", "connect A -> C")
	raw := func() map[string]string {
		out := map[string]string{}
		for _, e := range lines(d) {
			out[model.ArrowText(e)] = e.Raw()
		}
		return out
	}
	was := raw()
	text := d.run("route")
	var changed []string
	for _, name := range []string{"A->B", "C->D", "A->C"} {
		if raw()[name] != was[name] {
			changed = append(changed, name)
		}
	}
	if len(changed) != 3 {
		t.Fatalf("only %v changed", changed)
	}
	first, rest, _ := strings.Cut(text, "\n")
	if want := "routed: A->B, C->D, A->C\nnow at right angles: A->B"; !strings.HasPrefix(first, "3 edges routed again, score ") || rest != want {
		t.Errorf("%q, want %q below", text, want)
	}
	d.run("modify A -> B via:900,900")
	was = raw()
	text = d.run("route")
	for name, before := range was {
		if (raw()[name] != before) != strings.Contains(text, name) {
			t.Errorf("%q says nothing true of %s: %s", text, name, raw()[name])
		}
	}
}
