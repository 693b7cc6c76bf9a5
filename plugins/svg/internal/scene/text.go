package scene

import (
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// textBox returns the box of a text, or of a part of it, in the fonts of previews.
func (s *Scene) textBox(n *tree.Node, m vector.Matrix) (vector.Box, bool) {
	text := n
	for text.Type != "text" {
		if text = text.Parent; text == nil {
			return vector.Box{}, false
		}
	}
	w, h := s.Viewport(text)
	box, some := vector.Empty(), false
	letters := svgdom.Text{Cascade: s.Cascade, Advance: picture.Advance, W: w, H: h, Path: s.along}.Letters(text, s.Style(text))
	s.budget -= len(letters) / 16
	for i := range letters {
		if l := &letters[i]; l.Of.Within(n) {
			if b, ok := l.Box(); ok {
				box, some = box.Union(b), true
			}
		}
	}
	if !some {
		return vector.Box{}, false
	}
	return m.Bounds(box), true
}

// along returns the path of a textPath, or nil.
func (s *Scene) along(n *tree.Node) *vector.Measure {
	of := s.Target(n)
	if of == nil {
		return nil
	}
	p, ok := s.Path(of)
	if !ok || len(p) > 10_000 {
		return nil
	}
	s.budget -= len(p)
	return p.Transform(s.Transform(of)).Measure()
}

// Width returns the width of a text on one line.
func Width(text string, size float64, bold bool) float64 {
	w := 0.0
	for _, r := range text {
		w += picture.Advance(r, bold)
	}
	return w * size
}
