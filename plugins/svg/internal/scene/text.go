package scene

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Of a font's size: how far letters reach above and below their baseline.
const (
	ascent  = 0.93
	descent = 0.24
)

// pen sets the text of an element.
type pen struct {
	scene *Scene
	at    vector.Point
	box   vector.Box
	some  bool
	space bool // the last letter was white space, or there is none yet

	chunk  []vector.Box // what is anchored as a whole
	from   float64
	anchor string
}

// textBox is about the room that a text takes.
func (s *Scene) textBox(n *tree.Node, m vector.Matrix) (vector.Box, bool) {
	p := &pen{scene: s, box: vector.Empty(), space: true}
	p.set(n, true)
	p.flush()
	if !p.some {
		return vector.Box{}, false
	}
	return m.Bounds(p.box), true
}

func (p *pen) set(n *tree.Node, first bool) {
	s := p.scene
	if !s.Shown(n) {
		return
	}
	x, okX := p.first(n, "x", X)
	y, okY := p.first(n, "y", Y)
	if okX || okY || first {
		p.flush()
		if okX {
			p.at.X = x
		}
		if okY {
			p.at.Y = y
		}
		p.from, p.anchor = p.at.X, s.Value(n, "text-anchor")
	}
	dx, _ := p.first(n, "dx", X)
	dy, _ := p.first(n, "dy", Y)
	p.at.X, p.at.Y = p.at.X+dx, p.at.Y+dy
	for c := range n.Kids() {
		p.run(n, tree.Plain(c.Lead))
		switch s.Doc.Type(c) {
		case "tspan", "a", "textPath":
			p.set(c, false)
		}
	}
	p.run(n, tree.Plain(n.Tail))
}

// first is the first length of a list of them.
func (p *pen) first(n *tree.Node, name string, axis Axis) (float64, bool) {
	v, ok := n.Attr(name)
	if !ok {
		return 0, false
	}
	words := strings.FieldsFunc(v, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' })
	if len(words) == 0 {
		return 0, false
	}
	return p.scene.Length(n, words[0], axis)
}

// run sets letters in an element's style.
func (p *pen) run(n *tree.Node, text string) {
	text = p.collapse(n, text)
	if text == "" {
		return
	}
	size := p.scene.FontSize(n)
	spacing := p.scene.Measure(n, "letter-spacing", X, 0)
	w := Width(text, size, Bold(p.scene.Value(n, "font-weight"))) + spacing*float64(len([]rune(text)))
	y := p.at.Y
	switch p.scene.Value(n, "dominant-baseline") {
	case "middle", "central":
		y += 0.35 * size
	case "hanging", "text-before-edge", "text-top":
		y += 0.8 * size
	}
	p.chunk = append(p.chunk, vector.Box{X0: p.at.X, Y0: y - ascent*size, X1: p.at.X + w, Y1: y + descent*size})
	p.at.X += w
}

// collapse is white space as SVG has it.
func (p *pen) collapse(n *tree.Node, text string) string {
	for m := n; m != nil; m = m.Parent {
		if v, ok := m.Attr("xml:space"); ok {
			if v == "preserve" {
				p.space = false
				return strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
			}
			break
		}
	}
	var b strings.Builder
	for _, r := range text {
		white := r == ' ' || r == '\t' || r == '\n' || r == '\r'
		if !white {
			b.WriteRune(r)
		} else if !p.space {
			b.WriteByte(' ')
		}
		p.space = white
	}
	return b.String()
}

// flush anchors the chunk.
func (p *pen) flush() {
	shift := 0.0
	switch p.anchor {
	case "middle":
		shift = (p.from - p.at.X) / 2
	case "end":
		shift = p.from - p.at.X
	}
	for _, b := range p.chunk {
		b.X0, b.X1 = b.X0+shift, b.X1+shift
		p.box, p.some = p.box.Union(b), true
	}
	p.chunk = nil
	p.at.X += shift
}

// Bold reports whether a font weight is.
func Bold(weight string) bool {
	return weight == "bold" || weight == "bolder" || len(weight) == 3 && weight >= "600" && weight <= "900"
}

// Width is about how wide a text is set in a sans-serif font.
func Width(text string, size float64, bold bool) float64 {
	w := 0.0
	for _, r := range text {
		w += letter(r)
	}
	if bold {
		w *= 1.06
	}
	return w * size
}

// letter is how wide a letter is, of the font's size.
func letter(r rune) float64 {
	switch {
	case strings.ContainsRune("iljI.,:;'|!", r):
		return 0.27
	case strings.ContainsRune("ftr()[]/\\-` ", r):
		return 0.31
	case strings.ContainsRune("mMW@%", r):
		return 0.86
	case strings.ContainsRune("wGOQCDHNRU&", r):
		return 0.73
	case r >= 'A' && r <= 'Z':
		return 0.65
	case r == 'c' || r == 'k' || r == 's' || r == 'v' || r == 'x' || r == 'y' || r == 'z' || r == 'J':
		return 0.5
	case r >= 0x1100 && r < 0xfb00 || r >= 0x1f000:
		return 1
	}
	return 0.556
}
