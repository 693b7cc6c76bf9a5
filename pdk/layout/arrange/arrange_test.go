package arrange

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// forbidden are the parts that no drawing of the corpus may have.
var forbidden = []Part{Overlaps, Strays, Through, OwnEnd}

// variants are a brief as it is, with its shapes and lines in another order, with long labels, and in the other
// direction.
func variants(b brief, g *Graph, names []string) map[string]variant {
	other := TB
	if b.dir == TB {
		other = LR
	}
	long := &Graph{Boxes: g.Boxes}
	for _, e := range g.Edges {
		if e.LabelW > 0 {
			e.LabelW = e.LabelW*2 + 40
		}
		long.Edges = append(long.Edges, e)
	}
	mixed, mixedNames := shuffle(g, names)
	return map[string]variant{
		"":         {g, names, b.dir},
		"shuffled": {mixed, mixedNames, b.dir},
		"long":     {long, names, b.dir},
		"turned":   {g, names, other},
	}
}

type variant struct {
	g     *Graph
	names []string
	dir   Dir
}

// shuffle returns g with its boxes and edges in another order.
func shuffle(g *Graph, names []string) (*Graph, []string) {
	r := rand.New(rand.NewPCG(1, 2))
	perm := r.Perm(len(g.Boxes))
	out := &Graph{Boxes: make([]Box, len(g.Boxes))}
	outNames := make([]string, len(names))
	for i, x := range g.Boxes {
		if x.Parent >= 0 {
			x.Parent = perm[x.Parent]
		}
		out.Boxes[perm[i]] = x
		outNames[perm[i]] = names[i]
	}
	for _, i := range r.Perm(len(g.Edges)) {
		e := g.Edges[i]
		e.From, e.To = perm[e.From], perm[e.To]
		out.Edges = append(out.Edges, e)
	}
	return out, outNames
}

func TestCorpusIsPresentable(t *testing.T) {
	folder := os.Getenv("ARRANGE_PICTURES")
	for _, b := range corpus {
		g, names := b.read(t)
		vs := variants(b, g, names)
		for _, kind := range []string{"", "shuffled", "long", "turned"} {
			v := vs[kind]
			name := b.name
			if kind != "" {
				name += "-" + kind
			}
			t.Run(name, func(t *testing.T) {
				r := Arrange(v.g, Options{Dir: v.dir})
				if folder != "" {
					if err := os.WriteFile(filepath.Join(folder, name+".svg"), []byte(picture(v.g, v.names, r)), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				s := Judge(v.g, &r, v.dir)
				t.Logf("%s", s)
				if s != r.Score {
					t.Errorf("scored %s, judged %s", r.Score, s)
				}
				for _, p := range forbidden {
					if s.Counts[p] > 0 {
						t.Errorf("%s: %d", p, s.Counts[p])
					}
				}
				most := b.most
				if kind != "" {
					most += 3
				}
				if n := s.Counts[Crossings] + s.Counts[Forks]; n > most {
					t.Errorf("%d crossings, more than %d", n, most)
				}
				if kind == "" && s.Counts[Labels] > b.unclear {
					t.Errorf("%d labels have no clear place, more than %d", s.Counts[Labels], b.unclear)
				}
				// Trees are wide and flows are high; a chain is not wrapped.
				if w, h := pageOf(r); kind == "" && !b.chain && (w*100 > h*280 || w*100 < h*40) {
					t.Errorf("the page is %d×%d", w, h)
				}
				for i, e := range v.g.Edges {
					if len(r.Routes[i].Points) < 2 {
						t.Errorf("the line from %s to %s has no route", v.names[e.From], v.names[e.To])
					}
				}
			})
		}
	}
}

func TestSameGraphGivesSameBytes(t *testing.T) {
	for _, b := range corpus {
		g, _ := b.read(t)
		first := Arrange(g, Options{Dir: b.dir})
		for range 3 {
			if again := Arrange(g, Options{Dir: b.dir}); !reflect.DeepEqual(first, again) {
				t.Fatalf("%s: two runs differ", b.name)
			}
		}
	}
}

func TestDirectionsAreMirrored(t *testing.T) {
	for _, b := range corpus[:4] {
		g, _ := b.read(t)
		for _, dirs := range [2][2]Dir{{LR, RL}, {TB, BT}} {
			a, z := Arrange(g, Options{Dir: dirs[0]}), Arrange(g, Options{Dir: dirs[1]})
			if a.Score.Counts[Crossings] > z.Score.Counts[Crossings]+2 {
				t.Errorf("%s: %s one way, %s the other", b.name, a.Score, z.Score)
			}
			for _, s := range []Score{a.Score, z.Score} {
				for _, p := range forbidden {
					if s.Counts[p] > 0 {
						t.Errorf("%s: %s", b.name, s)
					}
				}
			}
		}
	}
}
