package draw_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/picture/draw"
)

var font = draw.Font{Size: 10, Fill: "#000000"}

func TestTextsFitTheirPlace(t *testing.T) {
	for _, s := range []string{"", "one", "one two three", "averyverylongwordwithoutanyblank", "añ€😀 wide"} {
		for _, width := range []float64{20, 45, 90, 500} {
			got := font.Fit(s, width)
			if font.Width(got) > width {
				t.Errorf("%q is cut to %q, wider than %g", s, got, width)
			}
			if (got == s) != (font.Width(s) <= width) {
				t.Errorf("%q of width %g is cut to %q in %g", s, font.Width(s), got, width)
			}
			rows := font.Wrap(s, width)
			if strings.ReplaceAll(strings.Join(rows, ""), " ", "") != strings.ReplaceAll(s, " ", "") {
				t.Errorf("%q is wrapped as %q", s, rows)
			}
			for _, row := range rows {
				if font.Width(row) > width {
					t.Errorf("the row %q of %q is wider than %g", row, s, width)
				}
			}
		}
	}
	if got := font.Wrap("one two three", font.Width("one two")); !slices.Equal(got, []string{"one two", "three"}) {
		t.Errorf("words are wrapped as %q", got)
	}
}

func TestAPageIsDrawnAndAnswered(t *testing.T) {
	var b strings.Builder
	font.Text(&b, 1.234, 20, "a < b")
	font.Text(&b, 1, 20, "")
	svg := draw.Page(geom.Rect{X: -5, W: 100, H: 50}, "#ffffff", b.String())
	if want := `<rect x="-5" y="0" width="100" height="50" fill="#ffffff"/><text x="1.23" y="20" font-size="10" fill="#000000">a &lt; b</text></svg>`; !strings.HasSuffix(svg, want) {
		t.Errorf("the page is %s", svg)
	}
	d := draw.Drawing{SVG: svg, Text: "it", Areas: make([]abi.Area, abi.MaxAreas+1)}
	ask := func(key, value string) (abi.QueryResponse, error) {
		return d.Answer(pdk.Args{Op: &abi.Op{Verb: "preview", Params: []abi.KeyValue{{Key: key, Value: value}}}})
	}
	if r, err := ask("format", "svg"); err != nil || string(r.Content[0].Data) != svg || len(r.Areas) != abi.MaxAreas {
		t.Errorf("as SVG it is %v, %v", r, err)
	}
	if r, err := ask("width", "99999999"); err != nil || r.Content[0].MIME != "image/png" || !strings.HasPrefix(r.Text, "it\nwidth:99999999 is more") {
		t.Errorf("as PNG it is %s, %v", r.Text, err)
	}
	for key, value := range map[string]string{"format": "gif", "width": "2"} {
		if _, err := ask(key, value); err == nil {
			t.Errorf("%s:%s is taken", key, value)
		}
	}
}
