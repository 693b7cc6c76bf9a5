package sequence

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// RefusePlaceInTime refuses after: and before: for an edge that is not a message.
func RefusePlaceInTime(a pdk.Args) error {
	for _, key := range []string{"after", "before"} {
		if a.Has(key) {
			return pdk.Errorf("%s: is for messages between participants of a sequence", key).Try(a.Mended(pdk.Without("after", "before")))
		}
	}
	return nil
}

// Speech collects the messages that a connect adds to a sequence.
type Speech struct {
	l        *Timeline
	at       int // index of the next message
	messages []newMessage
}

// newMessage is a new message with the cells that it connects.
type newMessage struct {
	m                 *Moment
	id, parent, arrow string
	from, to          *cell
}

// NewSpeech starts below the last message, or at the position that after: or before: names.
func NewSpeech(d *mxfile.Draft, a pdk.Args, page *mxfile.Page) (*Speech, error) {
	l := NewTimeline(model.SequenceOn(page), d)
	at, err := l.spot(a, len(l.Moments))
	return &Speech{l: l, at: at}, err
}

// Add appends a message.
func (s *Speech) Add(id, parent, label, arrow string, from, to *cell) {
	m := &Moment{Kind: chart.Message, Text: label, self: from == to}
	if m.self {
		m.height = selfHigh
	}
	s.l.insert(s.at, m)
	s.at++
	s.messages = append(s.messages, newMessage{m, id, parent, arrow, from, to})
}

// Draw drafts the messages and moves what is below them.
func (s *Speech) Draw(f *file, a pdk.Args) error {
	s.l.draw()
	for _, x := range s.messages {
		text, err := s.l.messageText(f, a, x)
		if err != nil {
			return err
		}
		s.l.d.Append(s.l.seq.Page, x.id, text)
	}
	return nil
}

// spot returns the index that after: or before: names, or otherwise if the op has neither.
func (l *Timeline) spot(a pdk.Args, otherwise int) (int, error) {
	if a.Has("after") && a.Has("before") {
		return 0, pdk.Errorf("after: and before: do not go together").Try(a.Mended(pdk.Without("before")))
	}
	if v, ok := a.Param("after"); ok {
		some, err := l.find(v)
		if err != nil {
			return 0, err
		}
		return l.tail(slices.Index(l.Moments, some[len(some)-1])), nil
	}
	if v, ok := a.Param("before"); ok {
		some, err := l.find(v)
		if err != nil {
			return 0, err
		}
		return slices.Index(l.Moments, some[0]), nil
	}
	return otherwise, nil
}

// find returns the moments of the messages with a text, or the beginning and the end of
// the frame with that name.
func (l *Timeline) find(text string) ([]*Moment, error) {
	hits, err := l.seq.FindMessages(text)
	var out []*Moment
	if err != nil {
		f := l.findFrame(text)
		if f == nil {
			return nil, err
		}
		return []*Moment{f.from, f.to}, nil
	}
	for _, m := range l.Moments {
		if m.Kind == chart.Message && slices.Contains(hits, m.C) {
			out = append(out, m)
		}
	}
	return out, nil
}

// findFrame returns the only frame with a name: "alt", or "alt card" with its guard. It
// returns nil for none and for several.
func (l *Timeline) findFrame(text string) *Span {
	var found []*Span
	text = strings.ToLower(strings.TrimSpace(text))
	for _, f := range l.frames {
		word := strings.ToLower(f.C.Label())
		if text == word || text == word+" "+strings.ToLower(f.from.Text) || text == strings.ToLower(f.C.ID) {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// frame is a frame around the steps from its Open to its Close.
type frame struct {
	first, last int
	sections    []int
	left, right float64
}

// tab returns the width of a frame's tab, and the guard beside it.
func tab(open chart.Step) (wide float64, guard string) {
	if open.Text != "" {
		guard = "[" + open.Text + "]"
	}
	return math.Max(44, math.Ceil(model.LabelWidth(open.Frame))+20), guard
}

// guardWidth returns the width of the guard of a frame or a section.
func guardWidth(guard string) float64 { return math.Ceil(model.LabelWidth(guard)) + 12 }

// besideBars returns the x coordinate of a guard of the given width: x, or to the right of
// the first lifeline that the guard would cover.
func besideBars(mids []float64, x, wide float64) float64 {
	const bar, near = 8, 80
	for _, mid := range mids {
		if x < mid+bar && x+wide > mid-bar && mid-x < near {
			return mid + bar
		}
	}
	return x
}

// measure sets the width of frame k, which surrounds its steps and the frames in it. The
// tab is to the left of the first lifeline.
func (l *Drawing) measure(k int) {
	f := &l.frames[k]
	first, last := len(l.mid)-1, 0
	left, right := math.Inf(1), math.Inf(-1)
	for i := f.first + 1; i < f.last; i++ {
		s := l.S.Steps[i]
		switch s.Kind {
		case chart.Message:
			first, last = min(first, s.From, s.To), max(last, s.From, s.To)
			if s.From == s.To {
				right = math.Max(right, l.mid[s.From]+selfWide+model.LabelWidth(s.Text)+20)
			}
		case chart.Note:
			r := l.noteBox(i, s)
			left, right = math.Min(left, r.X-10), math.Max(right, r.Right()+10)
			first, last = min(first, s.From), max(last, s.To)
		}
	}
	if first > last {
		first, last = 0, len(l.mid)-1
	}
	wide, guard := tab(l.S.Steps[f.first])
	left, right = math.Min(left, l.mid[first]-wide-12), math.Max(right, l.mid[last]+30)
	for _, in := range l.frames[k+1:] {
		if in.last < f.last {
			left, right = math.Min(left, in.left-12), math.Max(right, in.right+12)
		}
	}
	f.left, f.right = left, math.Max(right, besideBars(l.mid, left+wide+4, guardWidth(guard))+guardWidth(guard)+8)
}

// frame draws a frame around its steps.
func (l *Drawing) frame(f frame) {
	open := l.S.Steps[f.first]
	wide, guard := tab(open)
	left, right := f.left, f.right
	top, bottom := l.y[f.first], l.y[f.last]
	look := framedStyle.Set("width", mxfile.Num(wide)).Set("height", mxfile.Num(frameHead))
	if open.Frame == "rect" {
		look, open.Frame = bandStyle.Set("fillColor", "none"), ""
	}
	l.cell(look, open.Frame, l.Layer, geom.Rect{X: left, Y: top, W: right - left, H: bottom - top})
	if guard != "" {
		l.cell(guardStyle, guard, l.Layer, geom.Rect{X: besideBars(l.mid, left+wide+4, guardWidth(guard)), Y: top, W: guardWidth(guard), H: frameHead})
	}
	for _, i := range f.sections {
		l.cell(dividerStyle, "", l.Layer, geom.Rect{X: left, Y: l.y[i] - 5, W: right - left, H: 10})
		if text := l.S.Steps[i].Text; text != "" {
			text, w := "["+text+"]", math.Ceil(model.LabelWidth(text))+22
			l.cell(guardStyle, text, l.Layer, geom.Rect{X: besideBars(l.mid, left+4, w), Y: l.y[i] + 1, W: w, H: frameHead})
		}
	}
}
