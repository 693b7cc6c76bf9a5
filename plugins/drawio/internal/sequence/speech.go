package sequence

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
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
