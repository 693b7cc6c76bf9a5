package picture

import (
	"math"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// Our font parser agrees with a general one on every letter.
func TestGlyphsEqualThoseOfAGeneralParser(t *testing.T) {
	for name, data := range map[string][]byte{"regular": goregular.TTF, "bold": gobold.TTF} {
		judge, err := sfnt.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		face := newTypeface(data)
		var buffer sfnt.Buffer
		size := fixed.I(1000)
		letters := 0
		for r := rune(0); r <= 0x10ffff; r++ {
			g, err := judge.GlyphIndex(&buffer, r)
			if err != nil || int(g) != face.glyph(r) {
				t.Fatalf("%s %x: glyph %d, not %d (%v)", name, r, face.glyph(r), g, err)
			}
			if g == 0 {
				continue
			}
			letters++
			advance, err := judge.GlyphAdvance(&buffer, g, size, font.HintingNone)
			if err != nil || math.Abs(face.advance(int(g))-float64(advance)/64) > 0.1 {
				t.Errorf("%s %c is %g wide, not %v (%v)", name, r, face.advance(int(g)), advance, err)
			}
			segments, err := judge.LoadGlyph(&buffer, g, size, nil)
			if err != nil {
				t.Fatal(err)
			}
			outline := face.outline(nil, int(g), vector.Identity(), 0)
			if len(outline) != len(segments) {
				t.Errorf("%s %c has %d curves, not %d", name, r, len(outline), len(segments))
				continue
			}
			off := func(p point, q fixed.Point26_6) bool {
				return math.Abs(p.X-float64(q.X)/64) > 0.5 || math.Abs(p.Y-float64(q.Y)/64) > 0.5
			}
			for i, c := range outline {
				s := segments[i]
				wrong := c.begins != (s.Op == sfnt.SegmentOpMoveTo) || c.bent != (s.Op == sfnt.SegmentOpQuadTo)
				if c.bent {
					wrong = wrong || off(c.bend, s.Args[0]) || off(c.to, s.Args[1])
				} else {
					wrong = wrong || off(c.to, s.Args[0])
				}
				if wrong {
					t.Errorf("%s %c: curve %d is %+v, not %+v", name, r, i, c, s)
					break
				}
			}
		}
		if letters < 600 {
			t.Errorf("%s has %d letters", name, letters)
		}
	}
}
