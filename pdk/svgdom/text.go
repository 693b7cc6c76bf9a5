package svgdom

import (
	"cmp"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// Text lays out the letters of texts by the rules of SVG, from left to right or downwards.
type Text struct {
	Cascade *Cascade
	Advance func(r rune, bold bool) float64 // the width of a character in font sizes
	W, H    float64                         // the viewport
	// Path returns the path that a textPath follows, nil if there is none.
	Path func(n *Node) *vector.Measure
}

// maxLetters limits the letters of a text. Those after them are left out.
const maxLetters = 100_000

// Letters returns the letters of a text element, which has a style, where they are in its coordinates.
func (t Text) Letters(n *Node, s *Style) []Letter {
	l := &setter{Text: t, space: true, down: s.Upright}
	l.set(n, s, 0)
	l.flush()
	return l.letters
}

// setter lays out one text.
type setter struct {
	Text
	at      vector.Point
	space   bool      // the last letter was white space, or there is no letter yet
	lists   []*places // of the enclosing elements, the innermost last
	letters []Letter
	first   int // of the current chunk, which is anchored as a whole
	chunks  int // before it
	down    bool
	along   *vector.Measure // the path of the chunk; nil for a straight line
}

// set lays out the content of an element.
func (t *setter) set(n *Node, s *Style, raised float64) {
	if s.Gone {
		return
	}
	if p := t.places(n, s); p != nil && n.Type != "textPath" {
		if len(p.x)+len(p.y) > 0 {
			t.flush()
		}
		t.lists = append(t.lists, p)
		defer func() { t.lists = t.lists[:len(t.lists)-1] }()
	}
	if n.Type == "textPath" {
		t.flush()
		path := t.Path(n)
		if path == nil {
			return
		}
		before := t.at
		t.along, t.at = path, vector.Point{X: LengthOf(n.Get("startOffset"), path.Length(), s.Size, 0)}
		defer func() {
			t.trim()
			t.flush()
			t.along, t.at = nil, before
		}()
	}
	first, chunks := len(t.letters), t.chunks
	raised += s.raised()
	for c := range n.Kids() {
		t.run(n, Plain(c.Lead), s, raised)
		switch c.Type {
		case "tspan", "a", "textPath":
			own := s.Of(t.Cascade, c)
			t.set(c, &own, raised)
		}
	}
	t.run(n, Plain(n.Tail), s, raised)
	if n.Type == "text" {
		t.trim()
	}
	if wide := LengthOf(n.Get("textLength"), t.W, s.Size, 0); wide > 0 && chunks == t.chunks && first < len(t.letters) && !t.down {
		t.stretch(t.letters[first:], wide, n.Get("lengthAdjust") == "spacingAndGlyphs")
	}
}

// raised returns how far baseline-shift raises text.
func (s *Style) raised() float64 {
	switch s.Raise {
	case "sub":
		return -0.2 * s.Size
	case "super":
		return 0.4 * s.Size
	}
	return LengthOf(s.Raise, s.Size, s.Size, 0)
}

// run lays out letters of an element's own text.
func (t *setter) run(n *Node, text string, s *Style, raised float64) {
	if text = t.collapse(text, s.KeepSpace); text == "" {
		return
	}
	drop := Baseline(cmp.Or(s.Aligned, s.Dominant))*s.Size - raised
	gap, blank := s.LetterGap.In(t.W, s.Size), s.WordGap.In(t.W, s.Size)
	for _, r := range text {
		if len(t.letters) == maxLetters || !t.Cascade.spend(16) {
			return
		}
		turn := t.move()
		l := Letter{Of: n, Style: s, Rune: r, At: t.at, Wide: t.Advance(r, s.Bold) * s.Size, Stretch: 1, Turn: turn, Down: t.down, Along: t.along}
		if l.Wide > 0 {
			l.Gap = gap
		}
		if r == ' ' {
			l.Gap += blank
		}
		if t.down {
			l.At.X -= drop
			t.at.Y += l.Wide + l.Gap
		} else {
			l.At.Y += drop
			t.at.X += l.Wide + l.Gap
		}
		t.letters = append(t.letters, l)
	}
}

// move goes to the place of the next letter that the enclosing elements list, and returns by how many degrees it is
// turned.
func (t *setter) move() (turn float64) {
	if len(t.lists) == 0 {
		return 0
	}
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
	dx, _ := t.next(func(p *places) []float64 { return p.dx })
	dy, _ := t.next(func(p *places) []float64 { return p.dy })
	t.at = t.at.Plus(vector.Point{X: dx, Y: dy})
	for i := len(t.lists) - 1; i >= 0 && turn == 0; i-- {
		if list := t.lists[i].turn; len(list) > 0 {
			turn = list[min(t.lists[i].done, len(list)-1)] // the last one applies to the rest
		}
	}
	for _, p := range t.lists {
		p.done++
	}
	return turn
}

// trim removes the white space at the end of a line.
func (t *setter) trim() {
	if k := len(t.letters); k > t.first && t.space && !t.letters[k-1].Style.KeepSpace {
		t.at = t.letters[k-1].At
		t.letters = t.letters[:k-1]
	}
}

// stretch makes the last letters as wide as textLength requires, by gaps or by wider
// letters.
func (t *setter) stretch(list []Letter, wide float64, letters bool) {
	from := list[0].At.X
	natural := t.at.X - from
	switch {
	case natural <= 0:
		return
	case letters:
		by := wide / natural
		for i := range list {
			l := &list[i]
			l.At.X, l.Wide, l.Gap, l.Stretch = from+(l.At.X-from)*by, l.Wide*by, l.Gap*by, l.Stretch*by
		}
	case len(list) > 1:
		gap := (wide - natural) / float64(len(list)-1)
		for i := range list {
			list[i].At.X += float64(i) * gap
		}
	}
	t.at.X = from + wide
}

// flush anchors the current chunk.
func (t *setter) flush() {
	list := t.letters[t.first:]
	t.first = len(t.letters)
	if len(list) == 0 {
		return
	}
	t.chunks++
	from, to := math.Inf(1), math.Inf(-1)
	for i := range list {
		a := list[i].At.X
		if t.down {
			a = list[i].At.Y
		}
		b := a + list[i].Wide + list[i].Gap
		from, to = min(from, a, b), max(to, a, b)
	}
	shift := 0.0
	switch s := list[0].Style; {
	case s.Anchor == 'm':
		shift = (from - to) / 2
	case s.Anchor == 'e' != s.Backward:
		shift = from - to
	}
	by := vector.Point{X: shift}
	if t.down {
		by = vector.Point{Y: shift}
	}
	t.at = t.at.Plus(by)
	for i := range list {
		list[i].At = list[i].At.Plus(by)
	}
}

// collapse collapses white space as browsers do.
func (t *setter) collapse(text string, keep bool) string {
	if keep && text != "" {
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

func (t *setter) places(n *Node, s *Style) *places {
	list := func(name string, whole float64) (out []float64) {
		for word := range strings.FieldsFuncSeq(n.Get(name), isListed) {
			out = append(out, LengthOf(word, whole, s.Size, 0))
		}
		return out
	}
	p := &places{x: list("x", t.W), y: list("y", t.H), dx: list("dx", t.W), dy: list("dy", t.H), turn: list("rotate", 1)}
	if len(p.x)+len(p.y)+len(p.dx)+len(p.dy)+len(p.turn) == 0 {
		return nil
	}
	return p
}

// isListed reports whether a character separates the values of a list.
func isListed(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' || r == '\r' }

// next returns the value of the innermost list for the next letter.
func (t *setter) next(list func(p *places) []float64) (float64, bool) {
	for i := len(t.lists) - 1; i >= 0; i-- {
		if p := t.lists[i]; p.done < len(list(p)) {
			return list(p)[p.done], true
		}
	}
	return 0, false
}
