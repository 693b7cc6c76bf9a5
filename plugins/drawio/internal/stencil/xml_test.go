package stencil

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/canvas"
)

func TestAStencilIsWrittenInSteps(t *testing.T) {
	const src = `<shapes name="mxgraph.a"><shape name="My Icon" w="100" h="50" aspect="fixed" strokewidth="inherit"><background><path><move x="0" y="0"/><line x="10" y="5"/><line x="10" y="6"/>` +
		`<curve x1="1" y1="2" x2="3" y2="4" x3="5" y3="6"/><arc rx="5" ry="5" x-axis-rotation="0" large-arc-flag="1" sweep-flag="0" x="0" y="0"/><close/></path></background>` +
		`<foreground><fillstroke/><fillcolor color="#ff0000"/><roundrect x="1" y="2" w="3" h="4" arcsize="10"/><fill/><text x="5" y="5" str="a;b" align="center" valign="middle"/></foreground></shape></shapes>`
	name, got, err := Set(src)
	want := "my_icon\t100 50 f i\tpm 0 0l 100 50 0 10c-90-40-70-20-50 0a 50 50 0 1 0-50-60zBf#ff0000;o 10 20 30 40 10Fx 50 50center,middle,,a,b;"
	if err != nil || name != "mxgraph.a" || got != want {
		t.Errorf("%s %v\n%s\nnot\n%s", name, err, got, want)
	}
	if _, _, err := Set(`<shapes name="a"><shape name="b"><foreground><spin/></foreground></shape></shapes>`); err == nil {
		t.Error("an element that is not known is left out silently")
	}
}

func TestAStencilInAStyleIsDrawnWhateverItContains(t *testing.T) {
	for _, src := range []string{`<shape w="NaN" h="-1" strokewidth=""><foreground><path><move x="Inf" y="1e300"/><line/><arc rx="1e5" ry="0" x="5"/><close/></path><fillstroke/><strokewidth width="x"/></foreground></shape>`,
		`<shape strokewidth="1 2"><foreground><rect w="50" h="50"/><stroke/><text str="&lt;;"/></foreground></shape>`, `<shape/>`} {
		s, err := Read(src)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		c := canvas.New(&b)
		c.Fill, c.Stroke, c.Write = "#ffffff", "#000000", func(canvas.Text) {}
		s.Draw(c, 0, 0, 100, 80, 1)
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s is drawn as %s", src, b.String())
		}
	}
	for _, src := range []string{"", "<shape>", `<shape><background><spin/></background></shape>`} {
		if _, err := Read(src); err == nil {
			t.Errorf("%s is read", src)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`<shape w="10" h="10" aspect="fixed"><foreground><path><move x="1" y="1"/><curve x1="1" y1="2" x2="3" y2="4" x3="5" y3="6"/></path><fill/><dashpattern pattern="1 2"/></foreground></shape>`)
	f.Fuzz(func(t *testing.T, src string) {
		if s, err := Read(src); err == nil {
			s.Draw(canvas.New(&strings.Builder{}), 0, 0, 100, 80, 1)
		}
	})
}
