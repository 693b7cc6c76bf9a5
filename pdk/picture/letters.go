package picture

import (
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// places are the lists in a text element that position its characters individually.
type places struct {
	x, y, dx, dy, turn []float64
	next               int // index of the next character
}

// places reads these lists. It returns nil if they position at most the first character.
func (t *setter) places(n *node) *places {
	list := func(key string) []float64 { return vector.Numbers(n.Get(key), longest) }
	p := &places{x: list("x"), y: list("y"), dx: list("dx"), dy: list("dy"), turn: list("rotate")}
	if max(len(p.x), len(p.y), len(p.dx), len(p.dy)) <= 1 && len(p.turn) == 0 {
		return nil
	}
	return p
}

// of returns the value for the next character in the innermost list that has one. The first character of an element is
// already positioned, but not rotated.
func (t *setter) of(list func(p *places) []float64, turn bool) (f float64, ok bool) {
	for i := len(t.lists) - 1; i >= 0; i-- {
		p := t.lists[i]
		values := list(p)
		switch {
		case turn && len(values) > 0:
			return values[min(p.next, len(values)-1)], true // the last value applies to the rest
		case !turn && p.next < len(values):
			return values[p.next], p.next > 0
		}
	}
	return 0, false
}

// apart adds text character by character, each at its position.
func (t *setter) apart(text string, s *style) {
	for len(text) > 0 && !t.exhausted() {
		_, size := utf8.DecodeRuneInString(text)
		one := text[:size]
		text = text[size:]
		*t.canvas.work -= 64
		x, hasX := t.of(func(p *places) []float64 { return p.x }, false)
		y, hasY := t.of(func(p *places) []float64 { return p.y }, false)
		if dx, ok := t.of(func(p *places) []float64 { return p.dx }, false); ok {
			t.dx += dx
		}
		if dy, ok := t.of(func(p *places) []float64 { return p.dy }, false); ok {
			t.dy += dy
		}
		turn, _ := t.of(func(p *places) []float64 { return p.turn }, true)
		if hasX || hasY {
			t.chunks = append(t.chunks, chunk{at: point{X: bounded(x), Y: bounded(y)}, afterX: !hasX, afterY: !hasY})
		}
		c := &t.chunks[len(t.chunks)-1]
		c.parts = append(c.parts, stretch{text: one, style: *s, dx: bounded(t.dx), dy: bounded(t.dy), turn: turn})
		t.dx, t.dy = 0, 0
		for _, p := range t.lists {
			p.next++
		}
	}
}

// fitWidth fits a chunk into its textLength, by gaps between characters or by wider characters, for which it changes at.
// It returns the width to draw the chunk in.
func (c *chunk) fitWidth(total float64, at *place) float64 {
	if c.stretched && c.along == nil {
		f := c.wide / total
		at.m = at.m.Times(vector.Translate(c.at.X, 0)).Times(vector.Scale(f, 1)).Times(vector.Translate(-c.at.X, 0))
		return total // in the new coordinates
	}
	letters := 0
	for i := range c.parts {
		letters += utf8.RuneCountInString(c.parts[i].text)
	}
	if letters < 2 {
		return total
	}
	gap := (c.wide - total) / float64(letters-1)
	for i := range c.parts {
		s := &c.parts[i].style
		s.letterGap = px(s.letterGap.in(0, s.size) + gap)
	}
	return c.wide + gap // including the gap after the last character
}
