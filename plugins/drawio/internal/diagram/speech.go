package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// onlyTalks refuses after: and before: of what is no message.
func onlyTalks(a pdk.Args) error {
	for _, key := range []string{"after", "before"} {
		if a.Has(key) {
			return pdk.Errorf("%s: is for messages between participants of a sequence", key).Try(a.Mended(pdk.Without("after", "before")))
		}
	}
	return nil
}

// speech is messages that connect adds to a sequence.
type speech struct {
	l    *timeline
	at   int // index of the next one
	said []saying
}

type saying struct {
	m                 *moment
	id, parent, arrow string
	from, to          *cell
}

// newSpeech goes on below what was said, or where after: or before: says.
func newSpeech(d *mxfile.Draft, a pdk.Args, page *mxfile.Page) (*speech, error) {
	l := newTalk(page).timeline(d)
	at, err := l.spot(a, len(l.list))
	return &speech{l: l, at: at}, err
}

func (s *speech) add(id, parent, label, arrow string, from, to *cell) {
	m := &moment{kind: chart.Message, text: label, self: from == to}
	if m.self {
		m.high = selfHigh
	}
	s.l.insert(s.at, m)
	s.at++
	s.said = append(s.said, saying{m, id, parent, arrow, from, to})
}

// draw drafts the messages, and the room that they take.
func (s *speech) draw(f *file, a pdk.Args) error {
	s.l.draw()
	for _, x := range s.said {
		text, err := s.l.utter(f, a, x.m, x.id, x.parent, x.arrow, x.from, x.to)
		if err != nil {
			return err
		}
		s.l.d.Append(s.l.t.page, x.id, text)
	}
	return nil
}

// spot is the index in the list that after: or before: names, else the one given.
func (l *timeline) spot(a pdk.Args, otherwise int) (int, error) {
	if a.Has("after") && a.Has("before") {
		return 0, pdk.Errorf("after: and before: do not go together").Try(a.Mended(pdk.Without("before")))
	}
	if v, ok := a.Param("after"); ok {
		some, err := l.called(v)
		if err != nil {
			return 0, err
		}
		return l.tail(slices.Index(l.list, some[len(some)-1])), nil
	}
	if v, ok := a.Param("before"); ok {
		some, err := l.called(v)
		if err != nil {
			return 0, err
		}
		return slices.Index(l.list, some[0]), nil
	}
	return otherwise, nil
}

// called are the moments of the messages with a text, or of a frame: its beginning
// and its end.
func (l *timeline) called(text string) ([]*moment, error) {
	said, err := l.t.called(text)
	var out []*moment
	if err != nil {
		f := l.framed(text)
		if f == nil {
			return nil, err
		}
		return []*moment{f.from, f.to}, nil
	}
	for _, m := range l.list {
		if m.kind == chart.Message && slices.Contains(said, m.c) {
			out = append(out, m)
		}
	}
	return out, nil
}

// framed is the one frame that is called so: "alt", or "alt card" with its guard; nil
// for none and for several.
func (l *timeline) framed(text string) *span {
	var found []*span
	text = strings.ToLower(strings.TrimSpace(text))
	for _, f := range l.frames {
		word := strings.ToLower(f.c.Label())
		if text == word || text == word+" "+strings.ToLower(f.from.text) || text == strings.ToLower(f.c.ID) {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// oneMessage is the message of the current page that says a text, nil for none;
// exactish keeps to the whole of it.
func oneMessage(f *file, text string, exactish bool) (*cell, error) {
	t := newTalk(f.Current)
	if len(t.said) == 0 {
		return nil, nil
	}
	said, err := t.called(text)
	switch {
	case err != nil || exactish && !strings.EqualFold(edgeLabel(said[0]), strings.TrimSpace(text)):
		return nil, nil
	case len(said) > 1:
		return nil, pdk.Errorf("%s say %q; name one by its id: %s", plural(len(said), "message"), text, ids(said))
	}
	return said[0], nil
}

func ids(cells []*cell) string {
	var out []string
	for _, c := range cells {
		out = append(out, fmt.Sprintf("%s (%s)", pdk.Quote(c.Key), arrowText(c)))
	}
	return strings.Join(out, ", ")
}
