package canvas

import (
	"strings"
	"testing"
)

func TestWhatIsDrawnIsMovedScaledAndTurned(t *testing.T) {
	var b strings.Builder
	c := New(&b)
	c.Fill, c.Stroke = "#ff0000", "#0000ff"
	c.Translate(10, 20)
	c.Save()
	c.Scale(2)
	c.Rect(1, 1, 3, 4)
	c.Paint(true, true)
	c.Restore()
	c.Rotate(90, true, false, 5, 5)
	c.Begin()
	c.MoveTo(0, 0)
	c.LineTo(10, 0)
	c.Paint(false, true)
	want := `<path d="M12 22L18 22L18 30L12 30Z" fill="#ff0000" stroke="#0000ff" stroke-width="2"/><path d="M20 30L20 20" fill="none" stroke="#0000ff"/>`
	if b.String() != want {
		t.Errorf("drawn is\n%s\nnot\n%s", b.String(), want)
	}
}

func TestAnArcEndsAtTheGivenPoint(t *testing.T) {
	for _, tt := range []struct {
		large, sweep bool
		middle       string // of the first of its pieces: where it runs
	}{{false, true, "M0 10C0 4.48 4.48 0 10 0"}, {false, false, "M0 10C5.52 10 10 5.52 10 0"}, {true, true, "M0 10C-5.52 10 -10 5.52 -10 0C-10 -5.52 -5.52 -10 0 -10C5.52 -10 10 -5.52 10 0"}} {
		var b strings.Builder
		c := New(&b)
		c.Stroke = "#000000"
		c.Begin()
		c.MoveTo(0, 10)
		c.ArcTo(10, 10, 0, tt.large, tt.sweep, 10, 0)
		c.Paint(false, true)
		if want := `<path d="` + tt.middle + `" fill="none" stroke="#000000"/>`; b.String() != want {
			t.Errorf("%+v: %s", tt, b.String())
		}
	}
}

func TestALineIsDrawnWithItsPen(t *testing.T) {
	var b strings.Builder
	c := New(&b)
	c.Stroke, c.Width, c.Dashed, c.Pattern, c.Cap, c.Join, c.Miter, c.Alpha, c.StrokeAlpha, c.Shadow = "#000000", 3, true, "1 x 2", "round", "bevel", 4, 0.5, 0.5, true
	c.Ellipse(0, 0, 0, 0)
	c.Begin()
	c.MoveTo(1, 1)
	c.QuadTo(2, 2, 3, 3)
	c.Paint(true, true)
	want := `<path d="M1 1Q2 2 3 3" transform="translate(2 3)" fill="none" stroke="#000000" stroke-opacity="0.25" stroke-width="3"/>` +
		`<path d="M1 1Q2 2 3 3" fill="none" stroke="#000000" stroke-width="3" stroke-opacity="0.25" stroke-dasharray="3 6" stroke-linecap="round" stroke-linejoin="bevel" stroke-miterlimit="4"/>`
	if b.String() != want {
		t.Errorf("drawn is\n%s\nnot\n%s", b.String(), want)
	}
}

func TestColoursAreMadeSafe(t *testing.T) {
	for in, want := range map[string]string{"#ABC": "#aabbcc", "none": "none", "": "none", `"/><script>`: "none", "default": "#ffffff", "light-dark(#112233, #445566)": "#112233", "red": "#ff0000"} {
		if got := Color(in, "#ffffff"); got != want {
			t.Errorf("%s is %s", in, got)
		}
	}
}
