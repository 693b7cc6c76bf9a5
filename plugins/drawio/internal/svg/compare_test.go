package svg_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// whole is a page that lays out files in draw.io's viewer and returns the positions of everything that it shows.
const whole = `<body><div id="g" style="width:900px;height:900px"></div>
<script>mxBasePath="file://%[1]s/mxgraph";mxLoadResources=false;mxLoadStylesheets=false;window.STENCIL_PATH="file://%[1]s/stencils";window.SHAPES_PATH="file://%[1]s/shapes"</script>
<script src="file://%[1]s/js/viewer-static.min.js"></script>
<script>
const all = [];
for (const xml of %[2]s) {
  const div = document.createElement("div");
  document.getElementById("g").appendChild(div);
  const graph = new Graph(div), doc = mxUtils.parseXml(xml);
  let model = doc.documentElement;
  if (model.nodeName == "mxfile") model = Editor.parseDiagramNode(model.getElementsByTagName("diagram")[0]);
  new mxCodec(model.ownerDocument).decode(model, graph.getModel());
  const one = {Boxes: {}, Labels: {}, Routes: {}};
  const box = (b) => ({X: b.x, Y: b.y, W: b.width, H: b.height});
  for (const id in graph.model.cells) {
    const state = graph.view.getState(graph.model.cells[id]);
    if (!state) continue;
    if (graph.model.isEdge(state.cell)) one.Routes[id] = state.absolutePoints.map((p) => ({X: p.x, Y: p.y}));
    else if (graph.model.isVertex(state.cell)) one.Boxes[id] = box(state);
    if (!state.text || !state.text.node) continue;
    const at = graph.view.canvas.ownerSVGElement.getBoundingClientRect(), texts = document.createTreeWalker(state.text.node, NodeFilter.SHOW_TEXT);
    let all = null;
    for (let n; (n = texts.nextNode()); ) {
      if (!n.data.trim() || n.parentNode.closest("switch > text")) continue;
      const range = document.createRange();
      range.selectNodeContents(n);
      for (const r of range.getClientRects()) {
        if (!r.width) continue;
        all = all || {left: r.left, top: r.top, right: r.right, bottom: r.bottom};
        all = {left: Math.min(all.left, r.left), top: Math.min(all.top, r.top), right: Math.max(all.right, r.right), bottom: Math.max(all.bottom, r.bottom)};
      }
    }
    if (all) one.Labels[id] = {X: all.left - at.left, Y: all.top - at.top, W: all.right - all.left, H: all.bottom - all.top};
  }
  all.push(one);
  graph.destroy();
  div.remove();
}
say(all);
</script>`

// drawnByDrawio returns what draw.io shows of files, or skips the test.
func drawnByDrawio(t *testing.T, files []string) []svg.Drawn {
	t.Helper()
	var out []svg.Drawn
	ask(t, whole, files, &out)
	if len(out) != len(files) {
		t.Fatalf("%d files of %d", len(out), len(files))
	}
	return out
}

// Our pictures and draw.io have the same positions for shapes, routes and labels, in diagrams that people drew and for every
// basic type in every direction. The middles of labels differ by at most three units in height. The widths of some letters
// differ, so one label in twenty may break elsewhere.
func TestJudgeDrawioHasTheSamePositions(t *testing.T) {
	judge.Browser(t)
	names, files := testDiagrams(t)
	for i, theirs := range drawnByDrawio(t, files) {
		t.Run(names[i], func(t *testing.T) {
			f, err := mxfile.Open([]byte(files[i]))
			if err != nil {
				t.Fatal(err)
			}
			p := f.Pages[0]
			ours := svg.Draw(p)
			var wrong []string
			for id, b := range theirs.Boxes {
				if o, ok := ours.Boxes[id]; !ok || !near(b, o, 1) {
					wrong = append(wrong, fmt.Sprintf("box %s: draw.io has %.0f, we %.0f", id, b, o))
				}
			}
			for id, r := range theirs.Routes {
				if d := routeDistance(r, ours.Routes[id]); d > 3 { // draw.io rounds where it meets small circles
					wrong = append(wrong, fmt.Sprintf("edge %s is %.0f beside: draw.io leads it %.0f, we %.0f; %.150s", id, d, r, ours.Routes[id], p.Cell(id).Style))
				}
			}
			var labels []string
			for id, b := range theirs.Labels {
				// The viewer leaves placeholders as they are.
				if o, ok := ours.Labels[id]; !strings.Contains(p.Cell(id).Value, "%") && (!ok || !near(b, o, 4+0.1*b.W) || math.Abs(b.Center().Y-o.Center().Y) > 3) {
					labels = append(labels, fmt.Sprintf("label %s: draw.io has %.0f, we %.0f: %.50q, %.150s", id, b, o, p.Cell(id).Label(), p.Cell(id).Style))
				}
			}
			sort.Strings(wrong)
			sort.Strings(labels)
			if len(wrong) > 0 {
				t.Errorf("of %d boxes and %d edges\n%s", len(theirs.Boxes), len(theirs.Routes), strings.Join(wrong, "\n"))
			}
			if list := strings.Join(labels, "\n"); len(labels) > 1+len(theirs.Labels)/20 {
				t.Errorf("of %d labels\n%s", len(theirs.Labels), list)
			} else if list != "" {
				t.Log(list)
			}
		})
	}
}

// near reports whether the middles of two boxes are at most d apart in x and y, and their sizes differ by at most 2d.
func near(a, b geom.Rect, d float64) bool {
	return math.Abs(a.Center().X-b.Center().X) <= d && math.Abs(a.Center().Y-b.Center().Y) <= d && math.Abs(a.W-b.W) <= 2*d && math.Abs(a.H-b.H) <= 2*d
}

// routeDistance returns how far two routes of an edge, and their ends, lie apart.
func routeDistance(theirs, ours []geom.Point) float64 {
	if len(ours) < 2 || len(theirs) < 2 {
		return math.Inf(1)
	}
	apart := func(a, b geom.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }
	worst := max(apart(theirs[0], ours[0]), apart(theirs[len(theirs)-1], ours[len(ours)-1]))
	for _, p := range ours {
		worst = max(worst, off(p, [][]geom.Point{theirs}))
	}
	for _, p := range theirs {
		worst = max(worst, off(p, [][]geom.Point{ours}))
	}
	return worst
}

// testDiagrams returns the diagrams to compare, and their names: the real ones that are available, and for each edge style a page
// of all types in all directions.
func testDiagrams(t *testing.T) (names, files []string) {
	for _, edge := range []string{"", "edgeStyle=orthogonalEdgeStyle;", "edgeStyle=elbowEdgeStyle;", "edgeStyle=elbowEdgeStyle;elbow=vertical;", "edgeStyle=entityRelationEdgeStyle;", "edgeStyle=segmentEdgeStyle;"} {
		names, files = append(names, "types "+edge), append(files, model(types(edge)))
	}
	var real []string
	for _, dir := range []string{shared(t), filepath.Join(filepath.Dir(shared(t)), "drawio-more")} {
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		real = append(real, found...)
	}
	for _, name := range real {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mxfile.Open(data); err == nil && filepath.Ext(name) != ".svg" {
			names, files = append(names, filepath.Base(name)), append(files, string(data))
		}
	}
	if len(files) < 40 {
		t.Fatalf("%d diagrams", len(files))
	}
	return names, files
}

// types returns a page with every basic type in every direction, each with edges to the next one: floating, and at all its sides.
func types(edge string) string {
	var b strings.Builder
	n := 0
	for i, s := range style.Shapes() {
		if style.Built(s.Name) {
			continue
		}
		for j, direction := range []string{"east", "south", "west", "north"} {
			fmt.Fprintf(&b, `<mxCell id="v%d" value="%s" style="%s" vertex="1" parent="1"><mxGeometry x="%d" y="%d" width="%g" height="%g" as="geometry"/></mxCell>`,
				n, s.Name, s.Style.Set("direction", direction), 40+260*j+35*(i%3), 40+150*i, s.W, s.H)
			n++
		}
	}
	ports := []string{"", "exitX=0.5;exitY=0;entryX=0;entryY=0.5;", "exitX=1;exitY=0.25;", "entryX=0.75;entryY=1;", "exitX=0;exitY=0.5;entryX=1;entryY=0.5;", "exitX=0.5;exitY=1;exitDx=0;exitDy=4;exitPerimeter=0;"}
	for i := range n {
		for k, to := range []int{i + 1, i + 4, i + 5} {
			if to < n {
				fmt.Fprintf(&b, `<mxCell id="e%d-%d" value="to" style="%s%shtml=1;jettySize=auto;" edge="1" parent="1" source="v%d" target="v%d"><mxGeometry relative="1" as="geometry"/></mxCell>`, i, k, edge, ports[(i+k)%len(ports)], i, to)
			}
		}
	}
	return b.String()
}
