package sequence

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Moment is a message, a note, or an end of a frame, a section or an activation, at its
// height in a sequence.
type Moment struct {
	Kind  chart.StepKind
	C     *cell // a message, a note or the divider of a section; nil if not drawn yet
	guard *cell // the text at the beginning of a frame or a section
	Span  *Span // the frame or activation that begins or ends here, or the frame of a section
	Text  string
	self  bool // the message returns to its sender
	fresh bool // new or moved

	y, height float64 // old position and height
	above     float64 // old distance from the moment before
	prev      *Moment // the moment before it, in the old order
	at        float64 // new position
	as        string  // id of the copy to draft, "" for the cell itself
}

// Span is a frame or an activation: it lasts from one moment to another.
type Span struct {
	C        *cell // nil if not drawn yet
	Who      *cell // participant of an activation, nil for a frame
	word     string
	from, to *Moment
	id       string // of a new activation or a copy
	as       string // id of the copy to draft, as in Moment
}

// Timeline is a sequence as a list of moments, from the top down.
type Timeline struct {
	seq          *model.Sequence
	was, Moments []*Moment
	bars         []*Span
	frames       []*Span
	begin        float64 // lower edge of what lies above all moments
	forced       bool    // give frames the width that they need even if nothing in them is new
	d            *mxfile.Draft
	made         []string // ids of the copies
}

// before returns the usual space above a moment.
func (m *Moment) before() float64 {
	switch m.Kind {
	case chart.Message:
		return lineStep + model.LineHeight*(model.LineCount(m.Text)-1)
	case chart.Note:
		return 14
	case chart.Section:
		return 20
	case chart.Open, chart.Close:
		return 18
	}
	return 0
}

// rank orders the moments at one height.
func (m *Moment) rank() int {
	switch m.Kind {
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

// sectionHeight is the height of a section's guard, in units.
const sectionHeight = 14

// NewTimeline reads the moments of a sequence from its page.
func NewTimeline(t *model.Sequence, d *mxfile.Draft) *Timeline {
	l := &Timeline{seq: t, d: d}
	for _, e := range t.Messages {
		s := t.Heights(e)
		from, to := model.Ends(e)
		l.was = append(l.was, &Moment{Kind: chart.Message, C: e, Text: model.EdgeLabel(e), self: model.Participant(from) == model.Participant(to), y: s[0], height: s[1] - s[0]})
	}
	for x := t.Page.First(); x != nil; x = x.Next() {
		if !x.Shape() {
			continue
		}
		r, who := x.Abs(), model.Participant(x)
		switch {
		case who != nil && who != x:
			b := &Span{C: x, Who: who}
			b.from = &Moment{Kind: chart.Activate, Span: b, y: r.Y}
			b.to = &Moment{Kind: chart.Deactivate, Span: b, y: r.Bottom()}
			l.bars, l.was = append(l.bars, b), append(l.was, b.from, b.to)
		case x.Kind() == "frame" && slices.Contains(frameWords, strings.ToLower(x.Label())):
			f := &Span{C: x}
			f.from = &Moment{Kind: chart.Open, Span: f, y: r.Y, height: frameHead}
			f.to = &Moment{Kind: chart.Close, Span: f, y: r.Bottom()}
			l.frames, l.was = append(l.frames, f), append(l.was, f.from, f.to)
		case x.Kind() == "note":
			l.was = append(l.was, &Moment{Kind: chart.Note, C: x, Text: x.Label(), y: r.Y, height: r.H + 6})
		}
	}
	l.sections()
	slices.SortStableFunc(l.was, func(a, b *Moment) int {
		return cmp.Or(cmp.Compare(math.Round(a.y), math.Round(b.y)), cmp.Compare(a.rank(), b.rank()))
	})
	for i, m := range l.was {
		if i == 0 {
			m.above = m.before()
			l.begin = m.y - m.above
			continue
		}
		m.prev = l.was[i-1]
		m.above = m.y - m.prev.y - m.prev.height
	}
	if len(l.was) == 0 {
		l.begin = t.End
	}
	l.Moments = slices.Clone(l.was)
	return l
}

// sections reads the dividers of frames, each for the innermost frame of its width, and the
// guards beside them and beside the tabs.
func (l *Timeline) sections() {
	var texts []*cell
	for x := l.seq.Page.First(); x != nil; x = x.Next() {
		switch {
		case !x.Shape():
		case x.Kind() == "text" && strings.HasPrefix(x.Label(), "["):
			texts = append(texts, x)
		case x.Style.Bare("line"):
			at := x.Abs()
			var in *Span
			for _, f := range l.frames {
				r := f.C.Abs()
				if at.X >= r.X-1 && at.Right() <= r.Right()+1 && at.Y > r.Y && at.Bottom() < r.Bottom() && at.W > r.W-2 && (in == nil || r.H < in.C.Abs().H) {
					in = f
				}
			}
			if in != nil {
				l.was = append(l.was, &Moment{Kind: chart.Section, C: x, Span: in, y: at.Center().Y, height: sectionHeight})
			}
		}
	}
	for _, m := range l.was { // the text below a divider
		if m.Kind != chart.Open && m.Kind != chart.Section {
			continue
		}
		r := m.Span.C.Abs()
		for i, x := range texts {
			if at := x.Abs(); at.Y >= m.y-2 && at.Y < m.y+12 && at.X >= r.X && at.Right() <= r.Right()+20 {
				m.guard, m.Text = x, strings.Trim(x.Label(), "[]")
				texts = slices.Delete(texts, i, i+1)
				break
			}
		}
	}
}

// end returns where the last moment ends.
func (l *Timeline) end() float64 {
	y := l.begin
	for _, m := range l.was {
		y = math.Max(y, m.y+m.height)
	}
	return y
}

// touches reports whether an end of a message lies on an activation.
func (m *Moment) touches(b *Span) bool {
	return m.Kind == chart.Message && m.C != nil && b.C != nil && (m.C.Source == b.C.ID || m.C.Target == b.C.ID)
}

// tail returns the index after moment i and the activations that begin and end with it.
func (l *Timeline) tail(i int) int {
	m := l.Moments[i]
	for i++; i < len(l.Moments) && l.Moments[i].rank() >= 3 && l.Moments[i].rank() <= 4 && m.touches(l.Moments[i].Span); i++ {
	}
	return i
}

// insert inserts moments at an index.
func (l *Timeline) insert(i int, some ...*Moment) {
	for _, m := range some {
		m.fresh = true
	}
	l.Moments = slices.Insert(l.Moments, i, some...)
}

// drop removes moments.
func (l *Timeline) drop(gone func(*Moment) bool) { l.Moments = slices.DeleteFunc(l.Moments, gone) }

// settle decides the heights of all moments. Moments that follow the same one as before
// keep their distance to it; others get the usual one.
func (l *Timeline) settle() {
	first := map[*Span]bool{}
	for _, m := range l.Moments { // swap ends that are in the wrong order
		if m.Kind != chart.Activate && m.Kind != chart.Deactivate {
			continue
		}
		if !first[m.Span] {
			first[m.Span] = true
			m.Kind, m.Span.from = chart.Activate, m
		} else {
			m.Kind, m.Span.to = chart.Deactivate, m
		}
	}
	y, low := l.begin, l.begin
	var prev *Moment
	for _, m := range l.Moments {
		gap := m.above
		if m.prev != prev || m.fresh || prev != nil && prev.fresh {
			y = low
			if gap = math.Max(gap, m.before()); m.rank() == 3 || m.rank() == 4 {
				gap = 0
			}
		}
		m.at = math.Round(y + gap)
		y = m.at + m.height
		low, prev = math.Max(low, y), m
	}
	for _, b := range l.bars {
		if b.to.at < b.from.at+16 && (b.from.fresh || b.to.fresh) {
			b.to.at = b.from.at + 16
		}
	}
}

// shifted returns the new y coordinate of something at y that moves with the moment before
// it.
func (l *Timeline) shifted(y float64) float64 {
	for i := len(l.was) - 1; i >= 0; i-- {
		if m := l.was[i]; m.y <= y+1 && slices.Contains(l.Moments, m) {
			return y + m.at - m.y
		}
	}
	return y
}
