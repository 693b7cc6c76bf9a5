package scene

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// setter lays out the letters of a text by the rules of SVG, from left to right or
// downwards.
type setter struct {
	scene   *Scene
	part    *tree.Node // the element whose letters count
	box     vector.Box
	some    bool
	at      vector.Point
	space   bool      // the last letter was white space, or there is no letter yet
	lists   []*places // of the enclosing elements, the innermost last
	letters []letter  // of the current chunk, which is anchored as a whole
	chunks  int       // chunks before it
	anchor  string
	down    bool
	along   *vector.Measure // the path of the chunk; nil for a straight line
}

// textBox returns the box of a text, or of a part of it, in the fonts of previews.
func (s *Scene) textBox(n *tree.Node, m vector.Matrix) (vector.Box, bool) {
	text := n
	for text.Type != "text" {
		if text = text.Parent; text == nil {
			return vector.Box{}, false
		}
	}
	mode := s.Value(text, "writing-mode")
	t := &setter{scene: s, part: n, box: vector.Empty(), space: true, down: strings.HasPrefix(mode, "tb") || strings.HasPrefix(mode, "vertical")}
	t.set(text, 0)
	t.flush()
	if !t.some {
		return vector.Box{}, false
	}
	return m.Bounds(t.box), true
}

// set lays out the content of an element.
func (t *setter) set(n *tree.Node, raised float64) {
	s := t.scene
	if !s.Shown(n) {
		return
	}
	if p := t.places(n); p != nil {
		if len(p.x)+len(p.y) > 0 {
			t.flush()
		}
		t.lists = append(t.lists, p)
		defer func() { t.lists = t.lists[:len(t.lists)-1] }()
	}
	if n.Type == "textPath" {
		t.flush()
		defer t.flush()
		var start float64
		if t.along, start = s.along(n); t.along == nil {
			return
		}
		t.at = vector.Point{X: start}
		defer func() {
			t.trim()
			t.flush()
			t.along = nil
		}()
	}
	first, chunks := len(t.letters), t.chunks
	style := t.style(n, raised)
	for c := range n.Kids() {
		t.run(n, svgdom.Plain(c.Lead), style)
		switch c.Type {
		case "tspan", "a", "textPath":
			t.set(c, style.raised)
		}
	}
	t.run(n, svgdom.Plain(n.Tail), style)
	if n.Parent == nil || !s.Doc.Mixed(n.Parent) {
		t.trim()
	}
	if wide, ok := s.Length(n, n.Get("textLength"), X); ok && wide > 0 && chunks == t.chunks && first < len(t.letters) && !t.down {
		t.stretch(t.letters[first:], wide, n.Get("lengthAdjust") == "spacingAndGlyphs")
	}
}

// letterStyle is the style of an element's own letters.
type letterStyle struct {
	size, gap, blank float64 // font size; space after each letter, and more after a blank
	bold, spaced     bool
	raised, drop     float64 // by baseline-shift, and the distance of another dominant baseline
	anchor           string
}

func (t *setter) style(n *tree.Node, raised float64) letterStyle {
	s := t.scene
	l := letterStyle{size: s.FontSize(n), bold: Bold(s.Value(n, "font-weight")), spaced: s.preservesSpace(n), raised: raised, anchor: s.Value(n, "text-anchor")}
	l.gap, _ = s.Length(n, s.Value(n, "letter-spacing"), X)
	l.blank, _ = s.Length(n, s.Value(n, "word-spacing"), X)
	v, from := s.Own(n, "alignment-baseline")
	if from == svgdom.Nowhere {
		v = s.Value(n, "dominant-baseline")
	}
	l.drop = picture.Baseline(v) * l.size
	switch v, _ := s.Own(n, "baseline-shift"); v {
	case "", "baseline":
	case "sub":
		l.raised -= 0.2 * l.size
	case "super":
		l.raised += 0.4 * l.size
	default:
		if share, ok := strings.CutSuffix(v, "%"); ok {
			f, _, _ := Split(share)
			l.raised += f * l.size / 100
		} else if f, ok := s.Length(n, v, Y); ok {
			l.raised += f
		}
	}
	if s.Value(n, "direction") == "rtl" && l.anchor != "middle" {
		l.anchor = map[string]string{"start": "end", "end": "start"}[l.anchor]
	}
	return l
}

// run lays out letters of an element's own text.
func (t *setter) run(n *tree.Node, text string, l letterStyle) {
	if text = t.collapse(text, l.spaced); text == "" {
		return
	}
	t.scene.budget -= len(text) / 16
	for _, r := range text {
		d := vector.Point{}
		turn := 0.0
		if len(t.lists) > 0 {
			x, hasX := t.next(func(p *places) []float64 { return p.x })
			y, hasY := t.next(func(p *places) []float64 { return p.y })
			if hasX || hasY {
				t.flush()
			}
			if hasX {
				t.at.X = x
			}
			if hasY {
				t.at.Y = y
			}
			d.X, _ = t.next(func(p *places) []float64 { return p.dx })
			d.Y, _ = t.next(func(p *places) []float64 { return p.dy })
			for i := len(t.lists) - 1; i >= 0 && turn == 0; i-- {
				if list := t.lists[i].turn; len(list) > 0 {
					turn = list[min(t.lists[i].done, len(list)-1)]
				}
			}
			for _, p := range t.lists {
				p.done++
			}
		}
		if len(t.letters) == 0 {
			t.anchor = l.anchor
		}
		t.at = t.at.Plus(d)
		wide := picture.Advance(r, l.bold) * l.size
		if wide > 0 {
			wide += l.gap
		}
		if r == ' ' {
			wide += l.blank
		}
		next := letter{of: n, at: t.at, wide: wide, size: l.size, turn: turn, down: t.down}
		if t.down {
			next.at.X -= l.drop - l.raised
			t.at.Y += wide
		} else {
			next.at.Y += l.drop - l.raised
			t.at.X += wide
		}
		t.letters = append(t.letters, next)
	}
}

// trim removes the white space at the end of a line.
func (t *setter) trim() {
	if k := len(t.letters); k > 0 && t.space && !t.scene.preservesSpace(t.letters[k-1].of) {
		t.at = t.letters[k-1].at
		t.letters = t.letters[:k-1]
	}
}

// stretch makes the last letters as wide as textLength requires, by gaps or by wider
// letters.
func (t *setter) stretch(list []letter, wide float64, letters bool) {
	from := list[0].at.X
	natural := t.at.X - from
	switch {
	case natural <= 0:
		return
	case letters:
		for i := range list {
			list[i].at.X = from + (list[i].at.X-from)*wide/natural
			list[i].wide *= wide / natural
		}
	case len(list) > 1:
		gap := (wide - natural) / float64(len(list)-1)
		for i := range list {
			list[i].at.X += float64(i) * gap
		}
	}
	t.at.X = from + wide
}

// flush anchors the current chunk.
func (t *setter) flush() {
	list := t.letters
	t.letters = list[:0]
	if len(list) == 0 {
		return
	}
	t.chunks++
	from, to := math.Inf(1), math.Inf(-1)
	for i := range list {
		a, b := list[i].span()
		from, to = min(from, a, b), max(to, a, b)
	}
	shift := vector.Point{}
	switch t.anchor {
	case "middle":
		shift.X = (from - to) / 2
	case "end":
		shift.X = from - to
	}
	if t.down {
		shift = vector.Point{Y: shift.X}
	}
	t.at = t.at.Plus(shift)
	for i := range list {
		l := &list[i]
		l.at = l.at.Plus(shift)
		if !l.of.Within(t.part) {
			continue
		}
		b, ok := l.box(), true
		if t.along != nil {
			b, ok = l.on(t.along)
		}
		if ok {
			t.box, t.some = t.box.Union(b), true
		}
	}
}

// along returns the path of a textPath and where the text begins on it, or nil.
func (s *Scene) along(n *tree.Node) (*vector.Measure, float64) {
	of := s.Target(n)
	if of == nil {
		return nil, 0
	}
	p, ok := s.Path(of)
	if !ok || len(p) > 10_000 {
		return nil, 0
	}
	s.budget -= len(p)
	along := p.Transform(s.Transform(of)).Measure()
	start, unit, _ := Split(n.Get("startOffset"))
	if unit == "%" {
		return along, start * along.Length() / 100
	}
	start, _ = s.Length(n, n.Get("startOffset"), X)
	return along, start
}

// preservesSpace reports whether white space is significant in an element.
func (s *Scene) preservesSpace(n *tree.Node) bool {
	if v := s.Value(n, "white-space"); strings.HasPrefix(v, "pre") || v == "break-spaces" {
		return true
	}
	for m := n; m != nil; m = m.Parent {
		if v, ok := m.Attr("xml:space"); ok {
			return v == "preserve"
		}
	}
	return false
}

// collapse collapses white space as browsers do.
func (t *setter) collapse(text string, spaced bool) string {
	if spaced && text != "" {
		t.space = false
		return strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
	}
	var b strings.Builder
	for _, r := range text {
		white := r == ' ' || r == '\t' || r == '\n' || r == '\r'
		if !white {
			b.WriteRune(r)
		} else if !t.space {
			b.WriteByte(' ')
		}
		t.space = white
	}
	return b.String()
}

// places holds the lists of coordinates for an element's letters.
type places struct {
	x, y, dx, dy, turn []float64
	done               int // letters placed so far
}

func (t *setter) places(n *tree.Node) *places {
	p := &places{x: t.list(n, "x", X), y: t.list(n, "y", Y), dx: t.list(n, "dx", X), dy: t.list(n, "dy", Y), turn: t.list(n, "rotate", Other)}
	if len(p.x)+len(p.y)+len(p.dx)+len(p.dy)+len(p.turn) == 0 {
		return nil
	}
	return p
}

// list reads the lengths of an attribute.
func (t *setter) list(n *tree.Node, name string, axis Axis) (out []float64) {
	v, ok := n.Attr(name)
	if !ok {
		return nil
	}
	for word := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' || r == '\r' }) {
		f, _ := t.scene.Length(n, word, axis)
		out = append(out, f)
	}
	return out
}

// next returns the value of the innermost list for the next letter.
func (t *setter) next(list func(p *places) []float64) (float64, bool) {
	for i := len(t.lists) - 1; i >= 0; i-- {
		if p := t.lists[i]; p.done < len(list(p)) {
			return list(p)[p.done], true
		}
	}
	return 0, false
}

// Bold reports whether a font weight is bold.
func Bold(weight string) bool {
	return weight == "bold" || weight == "bolder" || len(weight) == 3 && weight >= "600" && weight <= "900"
}

// Width returns the width of a text on one line.
func Width(text string, size float64, bold bool) float64 {
	w := 0.0
	for _, r := range text {
		w += picture.Advance(r, bold)
	}
	return w * size
}
