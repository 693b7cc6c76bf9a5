package stencil

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/canvas"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// names returns all stencils of the data.
func names(t *testing.T) []string {
	t.Helper()
	files, err := data.ReadDir("data")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		set, ok := strings.CutSuffix(f.Name(), ".z")
		if !ok || !strings.HasPrefix(set, "mxgraph.") {
			continue
		}
		for line := range strings.SplitSeq(unpack(set), "\n") {
			name, _, _ := strings.Cut(line, "\t")
			out = append(out, set+"."+name)
		}
	}
	return out
}

func TestEveryStencilIsDrawnToItsEnd(t *testing.T) {
	all := names(t)
	if len(all) < 3900 {
		t.Fatalf("%d stencils", len(all))
	}
	for _, name := range all {
		s, ok := Find(name)
		if !ok {
			t.Fatalf("%s is not found", name)
		}
		var b strings.Builder
		c := canvas.New(&b)
		c.Fill, c.Stroke, c.Write = "#ffffff", "#000000", func(canvas.Text) {}
		s.Draw(c, 0, 0, 100, 80, 1)
		if !c.Drawn {
			t.Errorf("%s: nothing is drawn of %.200s", name, s.ops)
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s is drawn nowhere: %.200s", name, b.String())
		}
	}
}

func TestAStencilIsFittedIntoItsBox(t *testing.T) {
	s := Stencil{W: 100, H: 50, Fixed: true, line: "2", ops: "pm 0 0l 1000 0l 0 500zBd1;r 100 100 200 200S"}
	var b strings.Builder
	c := canvas.New(&b)
	c.Fill, c.Stroke, c.Shadow = "#ff0000", "#000000", true
	s.Draw(c, 10, 20, 200, 200, 1)
	want := `<path d="M10 70L210 70L210 170Z" transform="translate(2 3)" fill="#000000" fill-opacity="0.25"/>` +
		`<path d="M10 70L210 70L210 170Z" fill="#ff0000" stroke="#000000" stroke-width="4"/>` +
		`<path d="M30 90L70 90L70 130L30 130Z" fill="none" stroke="#000000" stroke-width="4" stroke-dasharray="12 12"/>`
	if b.String() != want {
		t.Errorf("drawn is\n%s\nnot\n%s", b.String(), want)
	}
}

func programs() *Programs {
	return &Programs{Width: func(s string, size float64, _ bool) float64 { return float64(len(s)) * size / 2 }}
}

func TestEveryProgramDrawsItsShape(t *testing.T) {
	p := programs()
	p.Has("") // reads the list
	if len(p.files) < 540 {
		t.Fatalf("%d programs", len(p.files))
	}
	most := 0
	for name := range p.files {
		made := p.make(name, style.Style("fillColor=#ffffff;strokeColor=#000000").Resolve(""), 120, 80)
		if made == nil {
			t.Errorf("%s cannot be made", name)
			continue
		}
		var b strings.Builder
		p.canvas = canvas.New(&b)
		p.canvas.Fill, p.canvas.Stroke, p.canvas.Write = "#ffffff", "#000000", func(canvas.Text) {}
		p.machine.Steps = maxSteps
		if err := p.machine.Do(func() { made.Method("paintVertexShape", p.brush(), 0.0, 0.0, 120.0, 80.0) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		most = max(most, maxSteps-p.machine.Steps)
		if strings.Contains(b.String(), "NaN") {
			t.Errorf("%s is drawn nowhere: %.200s", name, b.String())
		}
	}
	t.Logf("at most %d steps", most)
}

func TestEveryLibraryCanBeReadByItself(t *testing.T) {
	all := programs()
	all.Has("")
	first := map[string]string{}
	for name, file := range all.files {
		first[file] = name
	}
	for file, name := range first {
		if !programs().Has(name) {
			t.Errorf("%s does not make %s", file, name)
		}
	}
}

func TestAProgramReceivesTheStyleOfItsShape(t *testing.T) {
	p := programs()
	draw := func(style_ string) string {
		var b strings.Builder
		c := canvas.New(&b)
		c.Fill = "#ffffff"
		if !p.Paint(c, "mxgraph.arrows2.arrow", style.Style(style_).Resolve(""), 100, 40) {
			t.Fatalf("%s is not drawn", style_)
		}
		return b.String()
	}
	if got := draw("dy=0.5;dx=30"); got != `<path d="M0 10L70 10L70 0L100 20L70 40L70 30L0 30L0 20Z" fill="#ffffff"/>` {
		t.Errorf("the arrow is %s", got)
	}
	if draw("dy=0.5;dx=30") == draw("dy=0.2;dx=30") {
		t.Error("the shaft is as wide with another dy")
	}
	if m, ok := p.Margins("mxgraph.c4.person", nil, 90, 90); !ok || m != [4]float64{0, 24, 0, 0} {
		t.Errorf("the head of a person is %v", m)
	}
	if p.Has("mxgraph.arrows2.none") || p.Paint(canvas.New(&strings.Builder{}), "mxgraph.arrows2.none", nil, 1, 1) {
		t.Error("a shape that is in no library is drawn")
	}
}
