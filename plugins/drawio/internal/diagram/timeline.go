package diagram

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// moment is something that stands at a height of a sequence.
type moment struct {
	kind  chart.StepKind
	c     *cell // a message, a note, the line before a section; nil for what is yet to be drawn
	guard *cell // the text beside the beginning of a frame or of a section
	span  *span // the frame or the bar that begins or ends here, or that a section is of
	text  string
	self  bool // a message to oneself
	fresh bool // new, or elsewhere than it was

	y, high float64 // where it is, and how much of the time it takes
	above   float64 // room between what stood before it and it
	prev    *moment // what stood before it
	at      float64 // where it goes
	as      string  // id of the copy that this is to be, "" for the cell itself
}

// span is a frame or a bar: what lasts from one moment to another.
type span struct {
	c        *cell // nil for one that is yet to be drawn
	who      *cell // whose bar it is, nil for frames
	word     string
	from, to *moment
	id       string // of the bar, when it is new or a copy
	as       string // as of a moment
}

// timeline is a sequence as moments, from the top down.
type timeline struct {
	t         *talk
	was, list []*moment
	bars      []*span
	frames    []*span
	begin     float64 // what stands above all moments ends here
	anew      bool    // frames get the width that they need, whatever is new in them
	d         *mxfile.Draft
	touched   []string
}

// before is the room above a moment, unless somebody chose another.
func (m *moment) before() float64 {
	switch m.kind {
	case chart.Message:
		return lineStep + textLine*(lineCount(m.text)-1)
	case chart.Note:
		return 14
	case chart.Section:
		return 20
	case chart.Open, chart.Close:
		return 18
	}
	return 0
}

// rank orders moments at one height.
func (m *moment) rank() int {
	switch m.kind {
	case chart.Open, chart.Section:
		return 1
	case chart.Activate:
		return 3
	case chart.Deactivate:
		return 4
	case chart.Close:
		return 5
	}
	return 2
}

// sectionHigh is the room of what a section says of itself.
const sectionHigh = 14

// timeline reads the moments off the page.
func (t *talk) timeline(d *mxfile.Draft) *timeline {
	l := &timeline{t: t, d: d}
	for _, e := range t.said {
		s := t.spoken(e)
		from, to := ends(e)
		l.was = append(l.was, &moment{kind: chart.Message, c: e, text: edgeLabel(e), self: speaker(from) == speaker(to), y: s[0], high: s[1] - s[0]})
	}
	for x := t.page.First(); x != nil; x = x.Next() {
		if !x.Shape() {
			continue
		}
		r, who := x.Abs(), speaker(x)
		switch {
		case who != nil && who != x:
			b := &span{c: x, who: who}
			b.from = &moment{kind: chart.Activate, span: b, y: r.Y}
			b.to = &moment{kind: chart.Deactivate, span: b, y: r.Bottom()}
			l.bars, l.was = append(l.bars, b), append(l.was, b.from, b.to)
		case x.Kind() == "frame" && slices.Contains(frameWords, strings.ToLower(x.Label())):
			f := &span{c: x}
			f.from = &moment{kind: chart.Open, span: f, y: r.Y, high: frameHead}
			f.to = &moment{kind: chart.Close, span: f, y: r.Bottom()}
			l.frames, l.was = append(l.frames, f), append(l.was, f.from, f.to)
		case x.Kind() == "note":
			l.was = append(l.was, &moment{kind: chart.Note, c: x, text: x.Label(), y: r.Y, high: r.H + 6})
		}
	}
	l.sections()
	slices.SortStableFunc(l.was, func(a, b *moment) int {
		return cmp.Or(cmp.Compare(math.Round(a.y), math.Round(b.y)), cmp.Compare(a.rank(), b.rank()))
	})
	for i, m := range l.was {
		if i == 0 {
			m.above = m.before()
			l.begin = m.y - m.above
			continue
		}
		m.prev = l.was[i-1]
		m.above = m.y - m.prev.y - m.prev.high
	}
	if len(l.was) == 0 {
		l.begin = t.y
	}
	l.list = slices.Clone(l.was)
	return l
}

// sections reads the lines in frames, each of the innermost one that is as wide, and
// the texts beside them and beside the tabs.
func (l *timeline) sections() {
	var texts []*cell
	for x := l.t.page.First(); x != nil; x = x.Next() {
		switch {
		case !x.Shape():
		case x.Kind() == "text" && strings.HasPrefix(x.Label(), "["):
			texts = append(texts, x)
		case x.Style.Bare("line"):
			at := x.Abs()
			var in *span
			for _, f := range l.frames {
				r := f.c.Abs()
				if at.X >= r.X-1 && at.Right() <= r.Right()+1 && at.Y > r.Y && at.Bottom() < r.Bottom() && at.W > r.W-2 && (in == nil || r.H < in.c.Abs().H) {
					in = f
				}
			}
			if in != nil {
				l.was = append(l.was, &moment{kind: chart.Section, c: x, span: in, y: at.Center().Y, high: sectionHigh})
			}
		}
	}
	for _, m := range l.was { // the text right below a line of a frame
		if m.kind != chart.Open && m.kind != chart.Section {
			continue
		}
		r := m.span.c.Abs()
		for i, x := range texts {
			if at := x.Abs(); at.Y >= m.y-2 && at.Y < m.y+12 && at.X >= r.X && at.Right() <= r.Right()+20 {
				m.guard, m.text = x, strings.Trim(x.Label(), "[]")
				texts = slices.Delete(texts, i, i+1)
				break
			}
		}
	}
}

// end is where the last moment ends.
func (l *timeline) end() float64 {
	y := l.begin
	for _, m := range l.was {
		y = math.Max(y, m.y+m.high)
	}
	return y
}

// touches reports whether a message has an end on a bar.
func (m *moment) touches(b *span) bool {
	return m.kind == chart.Message && m.c != nil && b.c != nil && (m.c.Source == b.c.ID || m.c.Target == b.c.ID)
}

// tail is the index behind moment i and the bars that begin and end with it.
func (l *timeline) tail(i int) int {
	m := l.list[i]
	for i++; i < len(l.list) && l.list[i].rank() >= 3 && l.list[i].rank() <= 4 && m.touches(l.list[i].span); i++ {
	}
	return i
}

// insert puts moments at an index.
func (l *timeline) insert(i int, some ...*moment) {
	for _, m := range some {
		m.fresh = true
	}
	l.list = slices.Insert(l.list, i, some...)
}

// drop takes moments out.
func (l *timeline) drop(gone func(*moment) bool) { l.list = slices.DeleteFunc(l.list, gone) }

// settle says where all moments go: as far below each other as before, and where
// others meet than before, with the usual room.
func (l *timeline) settle() {
	first := map[*span]bool{}
	for _, m := range l.list { // what ends before it begins does it the other way round
		if m.kind != chart.Activate && m.kind != chart.Deactivate {
			continue
		}
		if !first[m.span] {
			first[m.span] = true
			m.kind, m.span.from = chart.Activate, m
		} else {
			m.kind, m.span.to = chart.Deactivate, m
		}
	}
	y, low := l.begin, l.begin
	var prev *moment
	for _, m := range l.list {
		gap := m.above
		if m.prev != prev || m.fresh || prev != nil && prev.fresh {
			y = low
			if gap = math.Max(gap, m.before()); m.rank() == 3 || m.rank() == 4 {
				gap = 0
			}
		}
		m.at = math.Round(y + gap)
		y = m.at + m.high
		low, prev = math.Max(low, y), m
	}
	for _, b := range l.bars {
		if b.to.at < b.from.at+16 && (b.from.fresh || b.to.fresh) {
			b.to.at = b.from.at + 16
		}
	}
}

// then is where something goes that stands at y, along with the moment before it.
func (l *timeline) then(y float64) float64 {
	for i := len(l.was) - 1; i >= 0; i-- {
		if m := l.was[i]; m.y <= y+1 && slices.Contains(l.list, m) {
			return y + m.at - m.y
		}
	}
	return y
}
