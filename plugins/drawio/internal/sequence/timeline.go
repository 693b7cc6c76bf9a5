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

// Moment is something that stands at a height of a sequence.
type Moment struct {
	Kind  chart.StepKind
	C     *cell // a message, a note, the line before a section; nil for what is yet to be drawn
	guard *cell // the text beside the beginning of a frame or of a section
	Span  *Span // the frame or the bar that begins or ends here, or that a section is of
	Text  string
	self  bool // a message to oneself
	fresh bool // new, or elsewhere than it was

	y, high float64 // where it is, and how much of the time it takes
	above   float64 // room between what stood before it and it
	prev    *Moment // what stood before it
	at      float64 // where it goes
	as      string  // id of the copy that this is to be, "" for the cell itself
}

// Span is a frame or a bar: what lasts from one moment to another.
type Span struct {
	C        *cell // nil for one that is yet to be drawn
	Who      *cell // whose bar it is, nil for frames
	word     string
	from, to *Moment
	id       string // of the bar, when it is new or a copy
	as       string // as of a moment
}

// Timeline is a sequence as moments, from the top down.
type Timeline struct {
	seq          *model.Sequence
	was, Moments []*Moment
	bars         []*Span
	frames       []*Span
	begin        float64 // what stands above all moments ends here
	anew         bool    // frames get the width that they need, whatever is new in them
	d            *mxfile.Draft
	touched      []string
}

// before is the room above a moment, unless somebody chose another.
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

// rank orders moments at one height.
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

// sectionHigh is the room of what a section says of itself.
const sectionHigh = 14

// NewTimeline reads the moments of a sequence from its page.
func NewTimeline(t *model.Sequence, d *mxfile.Draft) *Timeline {
	l := &Timeline{seq: t, d: d}
	for _, e := range t.Messages {
		s := t.Heights(e)
		from, to := model.Ends(e)
		l.was = append(l.was, &Moment{Kind: chart.Message, C: e, Text: model.EdgeLabel(e), self: model.Participant(from) == model.Participant(to), y: s[0], high: s[1] - s[0]})
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
			f.from = &Moment{Kind: chart.Open, Span: f, y: r.Y, high: frameHead}
			f.to = &Moment{Kind: chart.Close, Span: f, y: r.Bottom()}
			l.frames, l.was = append(l.frames, f), append(l.was, f.from, f.to)
		case x.Kind() == "note":
			l.was = append(l.was, &Moment{Kind: chart.Note, C: x, Text: x.Label(), y: r.Y, high: r.H + 6})
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
		m.above = m.y - m.prev.y - m.prev.high
	}
	if len(l.was) == 0 {
		l.begin = t.End
	}
	l.Moments = slices.Clone(l.was)
	return l
}

// sections reads the lines in frames, each of the innermost one that is as wide, and
// the texts beside them and beside the tabs.
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
				l.was = append(l.was, &Moment{Kind: chart.Section, C: x, Span: in, y: at.Center().Y, high: sectionHigh})
			}
		}
	}
	for _, m := range l.was { // the text right below a line of a frame
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

// end is where the last moment ends.
func (l *Timeline) end() float64 {
	y := l.begin
	for _, m := range l.was {
		y = math.Max(y, m.y+m.high)
	}
	return y
}

// touches reports whether a message has an end on a bar.
func (m *Moment) touches(b *Span) bool {
	return m.Kind == chart.Message && m.C != nil && b.C != nil && (m.C.Source == b.C.ID || m.C.Target == b.C.ID)
}

// tail is the index behind moment i and the bars that begin and end with it.
func (l *Timeline) tail(i int) int {
	m := l.Moments[i]
	for i++; i < len(l.Moments) && l.Moments[i].rank() >= 3 && l.Moments[i].rank() <= 4 && m.touches(l.Moments[i].Span); i++ {
	}
	return i
}

// insert puts moments at an index.
func (l *Timeline) insert(i int, some ...*Moment) {
	for _, m := range some {
		m.fresh = true
	}
	l.Moments = slices.Insert(l.Moments, i, some...)
}

// drop takes moments out.
func (l *Timeline) drop(gone func(*Moment) bool) { l.Moments = slices.DeleteFunc(l.Moments, gone) }

// settle says where all moments go: as far below each other as before, and where
// others meet than before, with the usual room.
func (l *Timeline) settle() {
	first := map[*Span]bool{}
	for _, m := range l.Moments { // what ends before it begins does it the other way round
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
func (l *Timeline) then(y float64) float64 {
	for i := len(l.was) - 1; i >= 0; i-- {
		if m := l.was[i]; m.y <= y+1 && slices.Contains(l.Moments, m) {
			return y + m.at - m.y
		}
	}
	return y
}
