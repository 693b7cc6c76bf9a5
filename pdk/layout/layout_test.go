package layout

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"pgregory.net/rapid"
)

// randomGraph is a graph with containers; acyclic unless cycles is set.
func randomGraph(t *rapid.T, cycles bool) *Graph {
	g := &Graph{}
	var groups, leaves []int
	for i := range rapid.IntRange(0, 5).Draw(t, "groups") {
		parent := -1
		if i > 0 && rapid.Bool().Draw(t, "nested") {
			parent = groups[rapid.IntRange(0, i-1).Draw(t, "outer")]
		}
		groups = append(groups, len(g.Nodes))
		g.Nodes = append(g.Nodes, Node{W: 100, H: 60, Parent: parent, Pad: Pad{40, 20, 20, 20}, MinW: 120})
	}
	for range rapid.IntRange(1, 25).Draw(t, "leaves") {
		n := Node{W: float64(rapid.IntRange(10, 200).Draw(t, "w")), H: float64(rapid.IntRange(10, 120).Draw(t, "h")), Parent: -1}
		if len(groups) > 0 && rapid.IntRange(0, 3).Draw(t, "in") > 0 {
			n.Parent = rapid.SampledFrom(groups).Draw(t, "group")
		}
		leaves = append(leaves, len(g.Nodes))
		g.Nodes = append(g.Nodes, n)
	}
	for range rapid.IntRange(0, 2).Draw(t, "pools") {
		pool := Node{Parent: -1, Pad: Pad{Left: 30}, Lanes: rapid.SampledFrom([]Stack{Rows, Columns}).Draw(t, "lanes")}
		if len(groups) > 0 && rapid.Bool().Draw(t, "pool in a group") {
			pool.Parent = rapid.SampledFrom(groups).Draw(t, "group")
		}
		at := len(g.Nodes)
		g.Nodes = append(g.Nodes, pool)
		for range rapid.IntRange(1, 4).Draw(t, "lanes of it") {
			lane := len(g.Nodes)
			g.Nodes = append(g.Nodes, Node{W: 50, H: 40, Parent: at, Pad: Pad{10, 20, 15, 40}, MinW: 70, MinH: 50})
			for range rapid.IntRange(0, 4).Draw(t, "in the lane") {
				leaves = append(leaves, len(g.Nodes))
				g.Nodes = append(g.Nodes, Node{W: 80, H: 50, Parent: lane})
			}
		}
	}
	if len(leaves) < 2 {
		return g
	}
	for range rapid.IntRange(0, 40).Draw(t, "edges") {
		a := rapid.IntRange(0, len(leaves)-2).Draw(t, "from")
		b := rapid.IntRange(a+1, len(leaves)-1).Draw(t, "to")
		if cycles && rapid.Bool().Draw(t, "back") {
			a, b = b, a
		}
		g.Edges = append(g.Edges, Edge{From: leaves[a], To: leaves[b]})
	}
	if cycles && len(groups) > 0 {
		for range rapid.IntRange(0, 4).Draw(t, "container edges") {
			g.Edges = append(g.Edges, Edge{From: rapid.IntRange(0, len(g.Nodes)-1).Draw(t, "from"), To: rapid.SampledFrom(groups).Draw(t, "to")})
		}
	}
	return g
}

// checkValid checks what every layout promises: nothing overlaps, and containers hold their contents with their padding.
func checkValid(t *rapid.T, g *Graph, res Result) {
	tr := newTree(g)
	for i, r := range res.Rects {
		if math.IsNaN(r.X+r.Y+r.W+r.H) || math.IsInf(r.X+r.Y+r.W+r.H, 0) || r.X < -0.01 || r.Y < -0.01 {
			t.Fatalf("node %d: %v", i, r)
		}
		if tr.pool[i] {
			checkLanes(t, g, res, i)
		}
		if tr.leaf(i) && (r.W != g.Nodes[i].W || r.H != g.Nodes[i].H) {
			t.Fatalf("node %d changed its size to %v", i, r)
		}
		if p := tr.parent[i]; p >= 0 {
			pad, o := g.Nodes[p].Pad, res.Rects[p]
			inside := geom.Rect{X: o.X + pad.Left - 0.01, Y: o.Y + pad.Top - 0.01, W: o.W - pad.Left - pad.Right + 0.02, H: o.H - pad.Top - pad.Bottom + 0.02}
			if !inside.Contains(r) {
				t.Fatalf("node %d %v leaves its container %v", i, r, o)
			}
		}
		for j := range i {
			if tr.inside(i, j) || tr.inside(j, i) {
				continue
			}
			if r.Grow(-0.01).Overlaps(res.Rects[j].Grow(-0.01)) {
				t.Fatalf("nodes %d %v and %d %v overlap", i, r, j, res.Rects[j])
			}
		}
	}
}

// checkLanes checks that a pool's lanes fill it in their order.
func checkLanes(t *rapid.T, g *Graph, res Result, pool int) {
	r, pad := res.Rects[pool], g.Nodes[pool].Pad
	x, y, right, bottom := r.X+pad.Left, r.Y+pad.Top, r.Right()-pad.Right, r.Bottom()-pad.Bottom
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.01 }
	for _, k := range newTree(g).children[pool] {
		l := res.Rects[k]
		if !near(l.X, x) || !near(l.Y, y) {
			t.Fatalf("lane %d of pool %d %v is at %v, want %g,%g", k, pool, r, l, x, y)
		}
		if g.Nodes[pool].Lanes == Rows {
			y = l.Bottom()
			if !near(l.Right(), right) {
				t.Fatalf("lane %d %v is not as long as its pool %v", k, l, r)
			}
		} else {
			x = l.Right()
			if !near(l.Bottom(), bottom) {
				t.Fatalf("lane %d %v is not as long as its pool %v", k, l, r)
			}
		}
	}
	if g.Nodes[pool].Lanes == Rows && !near(y, bottom) || g.Nodes[pool].Lanes == Columns && !near(x, right) {
		t.Fatalf("the lanes do not fill pool %d %v", pool, r)
	}
}

// countAgainst counts the edges that do not lead forward in the direction.
func countAgainst(g *Graph, res Result, dir Dir) int {
	n := 0
	for _, e := range g.Edges {
		a, b := res.Rects[e.From], res.Rects[e.To]
		ok := map[Dir]bool{TB: a.Bottom() < b.Y, LR: a.Right() < b.X, BT: b.Bottom() < a.Y, RL: b.Right() < a.X}[dir]
		if !ok {
			n++
		}
	}
	return n
}

func TestLayeredNeverRunsADAGAgainstTheFlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, false)
		dir := rapid.SampledFrom([]Dir{TB, LR, BT, RL}).Draw(t, "dir")
		for i := range g.Nodes { // a pool that lies across has its own direction
			if g.Nodes[i].Lanes != NoLanes {
				g.Nodes[i].Lanes = map[bool]Stack{true: Rows, false: Columns}[dir.sideways()]
			}
		}
		res := Layered(g, Options{Dir: dir})
		checkValid(t, g, res)
		if n := countAgainst(g, res, dir); n > 0 {
			t.Fatalf("%d of %d edges run against the flow", n, len(g.Edges))
		}
		checkOrthogonal(t, g, res)
	})
}

func TestLayeredAcceptsCyclesAndContainerEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, true)
		dir := rapid.SampledFrom([]Dir{TB, LR, BT, RL}).Draw(t, "dir")
		res := Layered(g, Options{Dir: dir, Spacing: float64(rapid.IntRange(10, 200).Draw(t, "spacing"))})
		checkValid(t, g, res)
		checkOrthogonal(t, g, res)
	})
}

func TestTreeNeverRunsADAGAgainstTheFlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, false)
		for i := range g.Nodes { // rows are those of one container
			if newTree(g).leaf(i) {
				g.Nodes[i].Parent = -1
			}
		}
		dir := rapid.SampledFrom([]Dir{TB, LR, BT, RL}).Draw(t, "dir")
		res := Tree(g, Options{Dir: dir})
		checkValid(t, g, res)
		if n := countAgainst(g, res, dir); n > 0 {
			t.Fatalf("%d of %d edges run against the flow", n, len(g.Edges))
		}
		checkOrthogonal(t, g, res)
		for i, r := range res.Routes {
			if !r.Set {
				t.Fatalf("edge %d has no route", i)
			}
		}
		checkClear(t, g, res)
	})
}

// checkClear checks that no route runs through a shape that is not an end of the edge.
func checkClear(t *rapid.T, g *Graph, res Result) {
	for i, r := range res.Routes {
		e := g.Edges[i]
		a, b := res.Rects[e.From], res.Rects[e.To]
		points := append([]geom.Point{{X: a.X + r.Exit.X*a.W, Y: a.Y + r.Exit.Y*a.H}}, r.Points...)
		points = append(points, geom.Point{X: b.X + r.Entry.X*b.W, Y: b.Y + r.Entry.Y*b.H})
		for k := 1; k < len(points); k++ {
			p, q := points[k-1], points[k]
			piece := geom.Rect{X: math.Min(p.X, q.X), Y: math.Min(p.Y, q.Y), W: math.Abs(p.X - q.X), H: math.Abs(p.Y - q.Y)}.Grow(0.5)
			for v, box := range res.Rects {
				if v != e.From && v != e.To && piece.Overlaps(box) {
					t.Fatalf("edge %d %v runs through node %d %v at %v", i, e, v, box, piece)
				}
			}
		}
	}
}

func TestNestedLayoutsAcceptCyclesAndContainers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, true)
		o := Options{Dir: rapid.SampledFrom([]Dir{TB, LR, BT, RL}).Draw(t, "dir"), Spacing: float64(rapid.IntRange(10, 200).Draw(t, "spacing"))}
		for _, algo := range []func(*Graph, Options) Result{Tree, Force, Radial} {
			res := algo(g, o)
			checkValid(t, g, res)
			checkOrthogonal(t, g, res)
			again := algo(g, o)
			if !reflect.DeepEqual(res, again) {
				t.Fatal("two runs differ")
			}
		}
	})
}

func TestGridKeepsContainers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, true)
		checkValid(t, g, Grid(g, Options{}))
	})
}

// checkOrthogonal checks that routes are orthogonal from port to port.
func checkOrthogonal(t *rapid.T, g *Graph, res Result) {
	for i, r := range res.Routes {
		if !r.Set {
			continue
		}
		a, b := res.Rects[g.Edges[i].From], res.Rects[g.Edges[i].To]
		at := geom.Point{X: a.X + r.Exit.X*a.W, Y: a.Y + r.Exit.Y*a.H}
		points := append(append([]geom.Point{}, r.Points...), geom.Point{X: b.X + r.Entry.X*b.W, Y: b.Y + r.Entry.Y*b.H})
		for _, p := range points {
			if math.Abs(p.X-at.X) > 0.3 && math.Abs(p.Y-at.Y) > 0.3 {
				t.Fatalf("edge %d: %v to %v is neither vertical nor horizontal: %+v from %v to %v", i, at, p, r, a, b)
			}
			at = p
		}
	}
}

func TestInvalidParentsAreAccepted(t *testing.T) {
	g := &Graph{Nodes: []Node{{W: 10, H: 10, Parent: 1}, {W: 10, H: 10, Parent: 0}, {W: 10, H: 10, Parent: 7}, {W: 10, H: 10, Parent: 3}},
		Edges: []Edge{{From: 0, To: 0}, {From: 0, To: 9}, {From: -1, To: 0}}}
	for _, algo := range []func(*Graph, Options) Result{Layered, Tree, Force, Radial, Grid} {
		algo(g, Options{})
		algo(&Graph{}, Options{})
	}
}

// architecture is 20 nodes in 4 groups whose edges cross groups both ways.
func architecture() *Graph {
	g := &Graph{}
	for range 4 {
		g.Nodes = append(g.Nodes, Node{Parent: -1, Pad: Pad{40, 20, 20, 20}, MinW: 100})
	}
	for i := range 20 {
		g.Nodes = append(g.Nodes, Node{W: 140, H: 60, Parent: i % 4})
	}
	for _, e := range [][2]int{{0, 5}, {0, 6}, {1, 6}, {2, 7}, {3, 8}, {4, 9}, {5, 10}, {6, 11}, {7, 12}, {8, 13}, {9, 14}, {10, 15}, {11, 16}, {12, 17}, {13, 18}, {14, 19}, {5, 12}, {6, 15}, {8, 19}, {0, 19}} {
		g.Edges = append(g.Edges, Edge{From: e[0] + 4, To: e[1] + 4})
	}
	return g
}

func TestTwentyNodesInFourGroupsFlowDown(t *testing.T) {
	g := architecture()
	res := Layered(g, Options{})
	if n := countAgainst(g, res, TB); n > 0 {
		t.Errorf("%d edges run against the flow", n)
	}
	if path := os.Getenv("LAYOUT_SVG"); path != "" {
		if err := os.WriteFile(path, []byte(svg(g, res)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// svg draws a result for inspection.
func svg(g *Graph, res Result) string {
	var b strings.Builder
	all := geom.Rect{}
	for _, r := range res.Rects {
		all = all.Union(r)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="-10 -10 %.0f %.0f"><rect x="-10" y="-10" width="100%%" height="100%%" fill="white"/>`, all.W+20, all.H+20, all.W+20, all.H+20)
	t := newTree(g)
	for i, r := range res.Rects {
		fill := "#dae8fc"
		if !t.leaf(i) {
			fill = "none"
		}
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" stroke="#6c8ebf"/><text x="%.1f" y="%.1f" font-size="14">%d</text>`, r.X, r.Y, r.W, r.H, fill, r.X+6, r.Y+16, i)
	}
	for i, e := range g.Edges {
		r := res.Routes[i]
		a, z := res.Rects[e.From], res.Rects[e.To]
		points := append([]geom.Point{{X: a.X + r.Exit.X*a.W, Y: a.Y + r.Exit.Y*a.H}}, r.Points...)
		points = append(points, geom.Point{X: z.X + r.Entry.X*z.W, Y: z.Y + r.Entry.Y*z.H})
		b.WriteString(`<polyline fill="none" stroke="#333" points="`)
		for _, p := range points {
			fmt.Fprintf(&b, "%.1f,%.1f ", p.X, p.Y)
		}
		last := points[len(points)-1]
		fmt.Fprintf(&b, `"/><circle cx="%.1f" cy="%.1f" r="3"/>`, last.X, last.Y)
	}
	b.WriteString("</svg>")
	return b.String()
}

// benchGraph is a roughly layered graph of n nodes for benchmarks.
func benchGraph(n int) *Graph {
	g := &Graph{}
	seed := uint32(1)
	next := func(k int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % k
	}
	for range n / 50 {
		g.Nodes = append(g.Nodes, Node{Parent: -1, Pad: Pad{40, 20, 20, 20}})
	}
	first := len(g.Nodes)
	for i := range n {
		g.Nodes = append(g.Nodes, Node{W: 120, H: 60, Parent: i * (n / 50) / n})
	}
	for i := 1; i < n; i++ {
		g.Edges = append(g.Edges, Edge{From: first + max(0, i-1-next(30)), To: first + i})
		if i%2 == 0 {
			g.Edges = append(g.Edges, Edge{From: first + max(0, i-1-next(60)), To: first + i})
		}
	}
	return g
}

func BenchmarkLayouts(b *testing.B) {
	for _, a := range []struct {
		name string
		run  func(*Graph, Options) Result
	}{{"layered", Layered}, {"tree", Tree}, {"force", Force}, {"radial", Radial}, {"grid", Grid}} {
		for _, n := range []int{100, 1000} {
			for _, kind := range []string{"grouped", "flat"} {
				b.Run(fmt.Sprint(a.name, "/", kind, "/", n), func(b *testing.B) {
					g := benchGraph(n)
					if kind == "flat" {
						for i := range g.Nodes {
							g.Nodes[i].W, g.Nodes[i].H, g.Nodes[i].Parent = 120, 60, -1
						}
					}
					for b.Loop() {
						a.run(g, Options{})
					}
				})
			}
		}
	}
}
