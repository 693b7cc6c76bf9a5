package diagram

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
)

// elkRuns lays out graphs with ELK's layered method, across all frames, and writes them
// with their places.
const elkRuns = `
const ELK = require("elkjs"), fs = require("fs");
(async () => {
  const out = [];
  for (const g of JSON.parse(fs.readFileSync(process.argv[2]))) {
    try { out.push(await new ELK().layout(g)); } catch (e) { out.push({failed: String(e)}); }
  }
  fs.writeFileSync(process.argv[3], JSON.stringify(out));
  process.exit(0);
})();`

// elkNode is a graph of ELK, or a box of one.
type elkNode struct {
	ID       string            `json:"id"`
	Options  map[string]string `json:"layoutOptions,omitempty"`
	X        float64           `json:"x"`
	Y        float64           `json:"y"`
	W        float64           `json:"width,omitempty"`
	H        float64           `json:"height,omitempty"`
	Children []*elkNode        `json:"children,omitempty"`
	Edges    []*elkEdge        `json:"edges,omitempty"`
	Failed   string            `json:"failed,omitempty"`
}

type elkEdge struct {
	ID       string     `json:"id"`
	Sources  []string   `json:"sources"`
	Targets  []string   `json:"targets"`
	Labels   []*elkNode `json:"labels,omitempty"`
	Sections []struct {
		Start elkPoint   `json:"startPoint"`
		End   elkPoint   `json:"endPoint"`
		Bends []elkPoint `json:"bendPoints"`
	} `json:"sections,omitempty"`
	Container string `json:"container,omitempty"`
}

type elkPoint struct{ X, Y float64 }

// toELK converts a graph for ELK. All edges belong to the page.
func toELK(g *arrange.Graph, dir arrange.Dir) *elkNode {
	direction := map[arrange.Dir]string{arrange.LR: "RIGHT", arrange.TB: "DOWN", arrange.RL: "LEFT", arrange.BT: "UP"}[dir]
	page := &elkNode{ID: "page", Options: map[string]string{"elk.algorithm": "layered", "elk.direction": direction, "elk.hierarchyHandling": "INCLUDE_CHILDREN",
		"elk.edgeRouting": "ORTHOGONAL", "elk.layered.spacing.nodeNodeBetweenLayers": "60", "elk.spacing.nodeNode": "30", "elk.spacing.edgeNode": "20",
		"elk.layered.spacing.edgeNodeBetweenLayers": "20", "elk.spacing.edgeEdge": "14", "elk.json.edgeCoords": "ROOT"}}
	nodes := make([]*elkNode, len(g.Boxes))
	holds := make([]bool, len(g.Boxes))
	for i, b := range g.Boxes {
		nodes[i] = &elkNode{ID: "b" + strconv.Itoa(i), W: float64(b.W), H: float64(b.H)}
		if b.Parent >= 0 {
			holds[b.Parent] = true
		}
	}
	for i, b := range g.Boxes {
		if holds[i] {
			nodes[i].W, nodes[i].H = 0, 0
			nodes[i].Options = map[string]string{"elk.padding": "[top=40,left=20,bottom=20,right=20]"}
		}
		in := page
		if b.Parent >= 0 {
			in = nodes[b.Parent]
		}
		in.Children = append(in.Children, nodes[i])
	}
	for i, e := range g.Edges {
		x := &elkEdge{ID: "e" + strconv.Itoa(i), Sources: []string{nodes[e.From].ID}, Targets: []string{nodes[e.To].ID}}
		if e.LabelW > 0 {
			x.Labels = []*elkNode{{ID: "l" + strconv.Itoa(i), W: float64(e.LabelW), H: float64(e.LabelH)}}
		}
		page.Edges = append(page.Edges, x)
	}
	return page
}

// fromELK converts a graph that ELK has laid out.
func fromELK(g *arrange.Graph, page *elkNode) arrange.Result {
	r := arrange.Result{Boxes: make([]arrange.Area, len(g.Boxes)), Routes: make([]arrange.Route, len(g.Edges))}
	round := func(f float64) int { return int(math.Round(f)) }
	number := func(id string) int { n, _ := strconv.Atoi(id[1:]); return n }
	var walk func(n *elkNode, x, y float64)
	walk = func(n *elkNode, x, y float64) {
		for _, k := range n.Children {
			r.Boxes[number(k.ID)] = arrange.Area{X: round(x + k.X), Y: round(y + k.Y), W: round(k.W), H: round(k.H)}
			walk(k, x+k.X, y+k.Y)
		}
	}
	walk(page, 0, 0)
	for _, e := range page.Edges {
		t := &r.Routes[number(e.ID)]
		for _, s := range e.Sections {
			for _, p := range append(append([]elkPoint{s.Start}, s.Bends...), s.End) {
				t.Points = append(t.Points, arrange.Point{X: round(p.X), Y: round(p.Y)})
			}
		}
	}
	return r
}

// ELK considers neither the order of groups nor the proportions of the page. Briefs on
// which it fails do not count.
func TestJudgeELKLaysFewBriefsOutBetter(t *testing.T) {
	node, modules := judge.Npm(t, "elkjs")
	var graphs []*elkNode
	var all []*arrange.Graph
	var ours []arrange.Score
	list := briefs(t)
	for _, b := range list {
		d := newDoc(t)
		d.run(b.ops...)
		page := d.in.Model().Current
		g := arranger.GraphOf(page)
		s, _ := arranger.Score(page)
		ours = append(ours, s)
		dir := arrange.TB
		for i, name := range arranger.Dirs() {
			if strings.Contains(b.ops[len(b.ops)-1], "dir:"+name) {
				dir = []arrange.Dir{arrange.TB, arrange.LR, arrange.BT, arrange.RL}[i]
			}
		}
		all, graphs = append(all, &g), append(graphs, toELK(&g, dir))
	}
	dir := t.TempDir()
	in, out, script := filepath.Join(dir, "in.json"), filepath.Join(dir, "out.json"), filepath.Join(dir, "run.cjs")
	data, err := json.Marshal(graphs)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{in: data, script: []byte(elkRuns)} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command(node, script, in, out)
	run.Env = append(os.Environ(), "NODE_PATH="+modules)
	if msg, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	if data, err = os.ReadFile(out); err != nil {
		t.Fatal(err)
	}
	var laid []*elkNode
	if err := json.Unmarshal(data, &laid); err != nil {
		t.Fatal(err)
	}
	better, counted := 0, 0
	for i, page := range laid {
		if page.Failed != "" {
			t.Logf("%-20s ours %4s  ELK failed: %.60s", list[i].name, arranger.Points(ours[i]), page.Failed)
			continue
		}
		r := fromELK(all[i], page)
		elk := arrange.Judge(all[i], &r, arrange.LR)
		if down := arrange.Judge(all[i], &r, arrange.TB); down.Total < elk.Total {
			elk = down
		}
		counted++
		elk.Total -= elk.Costs[arrange.Labels] // ELK places labels beside the edges
		if elk.Total < ours[i].Total {
			better++
		}
		t.Logf("%-20s ours %4s  ELK %5s: bends %d and %d, crossings %d and %d", list[i].name, arranger.Points(ours[i]), arranger.Points(elk),
			ours[i].Counts[arrange.Bends], elk.Counts[arrange.Bends], ours[i].Counts[arrange.Crossings]+ours[i].Counts[arrange.Forks], elk.Counts[arrange.Crossings]+elk.Counts[arrange.Forks])
	}
	if counted < len(list)/2 || better*5 > counted {
		t.Errorf("of %d briefs that ELK laid out it did %d better", counted, better)
	}
}
