package sequence

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// RefusePlaceInTime refuses after: and before: of what is no message.
func RefusePlaceInTime(a pdk.Args) error {
	for _, key := range []string{"after", "before"} {
		if a.Has(key) {
			return pdk.Errorf("%s: is for messages between participants of a sequence", key).Try(a.Mended(pdk.Without("after", "before")))
		}
	}
	return nil
}

// Speech is messages that connect adds to a sequence.
type Speech struct {
	l    *Timeline
	at   int // index of the next one
	said []saying
}

type saying struct {
	m                 *Moment
	id, parent, arrow string
	from, to          *cell
}

// NewSpeech goes on below what was said, or where after: or before: says.
func NewSpeech(d *mxfile.Draft, a pdk.Args, page *mxfile.Page) (*Speech, error) {
	l := NewTimeline(model.SequenceOn(page), d)
	at, err := l.spot(a, len(l.Moments))
	return &Speech{l: l, at: at}, err
}

func (s *Speech) Add(id, parent, label, arrow string, from, to *cell) {
	m := &Moment{Kind: chart.Message, Text: label, self: from == to}
	if m.self {
		m.high = selfHigh
	}
	s.l.insert(s.at, m)
	s.at++
	s.said = append(s.said, saying{m, id, parent, arrow, from, to})
}

// Draw drafts the messages, and the room that they take.
func (s *Speech) Draw(f *file, a pdk.Args) error {
	s.l.draw()
	for _, x := range s.said {
		text, err := s.l.utter(f, a, x)
		if err != nil {
			return err
		}
		s.l.d.Append(s.l.seq.Page, x.id, text)
	}
	return nil
}

// spot is the index in the list that after: or before: names, else the one given.
func (l *Timeline) spot(a pdk.Args, otherwise int) (int, error) {
	if a.Has("after") && a.Has("before") {
		return 0, pdk.Errorf("after: and before: do not go together").Try(a.Mended(pdk.Without("before")))
	}
	if v, ok := a.Param("after"); ok {
		some, err := l.called(v)
		if err != nil {
			return 0, err
		}
		return l.tail(slices.Index(l.Moments, some[len(some)-1])), nil
	}
	if v, ok := a.Param("before"); ok {
		some, err := l.called(v)
		if err != nil {
			return 0, err
		}
		return slices.Index(l.Moments, some[0]), nil
	}
	return otherwise, nil
}

// called are the moments of the messages with a text, or of a frame: its beginning
// and its end.
func (l *Timeline) called(text string) ([]*Moment, error) {
	said, err := l.seq.FindMessages(text)
	var out []*Moment
	if err != nil {
		f := l.framed(text)
		if f == nil {
			return nil, err
		}
		return []*Moment{f.from, f.to}, nil
	}
	for _, m := range l.Moments {
		if m.Kind == chart.Message && slices.Contains(said, m.C) {
			out = append(out, m)
		}
	}
	return out, nil
}

// framed is the one frame that is called so: "alt", or "alt card" with its guard; nil
// for none and for several.
func (l *Timeline) framed(text string) *Span {
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
