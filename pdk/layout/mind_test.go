package layout

import (
	"reflect"
	"testing"
)

func TestAMindMapGrowsToBothSides(t *testing.T) {
	box := Node{W: 80, H: 40, Parent: -1}
	g := &Graph{Nodes: []Node{box, box, box, box, box, box}, Edges: []Edge{{From: 2, To: 0}, {From: 2, To: 1}, {From: 2, To: 3}, {From: 0, To: 4}, {From: 0, To: 5}}}
	res := Mind(g, Options{})
	r := res.Rects
	if r[0].X < r[2].Right() || r[4].X < r[0].Right() || r[4].X != r[5].X || r[4].Y >= r[5].Y || r[1].Right() > r[2].X || r[3].Right() != r[1].Right() || r[1].Y >= r[3].Y {
		t.Errorf("%v", r)
	}
	if r[1].X != 0 || r[4].Y != 0 || !res.Routes[1].Set || res.Routes[1].Exit.X != 0 || res.Routes[0].Exit.X != 1 {
		t.Errorf("%v %v", r, res.Routes)
	}
	g.Edges = append(g.Edges, Edge{From: 4, To: 3}) // no longer a tree
	if got, want := Mind(g, Options{}), Tree(g, Options{Dir: LR}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, Tree has %v", got, want)
	}
}
