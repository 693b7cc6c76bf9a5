package chart

import (
	"fmt"
	"slices"
	"strings"
)

// Sequence holds the participants, and the messages and other steps in order.
type Sequence struct {
	Participants []Participant
	Steps        []Step
	Boxes        []Box
}

// Participant is a person or a system that exchanges messages.
type Participant struct {
	ID, Label string
	Actor     bool
}

// Box is a band behind adjacent participants.
type Box struct {
	Label    string
	From, To int // participants
}

// StepKind is the kind of a step.
type StepKind string

// The kinds of steps.
const (
	Message    StepKind = "message"
	Note       StepKind = "note"
	Activate   StepKind = "activate"
	Deactivate StepKind = "deactivate"
	Open       StepKind = "open"    // a frame, such as alt
	Section    StepKind = "section" // of a frame, such as else
	Close      StepKind = "close"
)

// Frames lists the kinds of frames.
func Frames() []string { return []string{"loop", "alt", "opt", "par", "critical", "break"} }

// SectionWord returns the word that begins another section of a frame, "" if the frame has only
// one.
func SectionWord(frame string) string {
	switch frame {
	case "alt":
		return "else"
	case "par":
		return "and"
	case "critical":
		return "option"
	}
	return ""
}

// Step is one line of a sequence.
type Step struct {
	Kind     StepKind
	From, To int // participants; a note spans From to To
	Text     string
	Frame    string // of Open: loop alt opt par critical break rect
	Side     string // of a note: left, right or over
	Dashed   bool
	Head     string // of a message: block, open, cross or none
	Both     bool   // it has a head at both ends
}

// messages reads a sequence diagram of Mermaid.
type messages struct {
	at
	c       *Chart
	s       *Sequence
	opened  []int
	kinds   []string // of the open frames and boxes
	number  int      // number of the next message, 0 if they are not numbered
	by      int
	box     int // index of the open box, -1 for none
	members []int
}

func newMessages(c *Chart) *messages {
	c.Sequence = &Sequence{}
	return &messages{c: c, s: c.Sequence, box: -1, by: 1}
}

// who returns the participant with a name, and adds it if it is new.
func (s *Sequence) who(id string) int {
	id = strings.TrimSpace(id)
	if i := slices.IndexFunc(s.Participants, func(p Participant) bool { return p.ID == id }); i >= 0 {
		return i
	}
	s.Participants = append(s.Participants, Participant{ID: id, Label: id})
	return len(s.Participants) - 1
}

func (p *messages) add(s Step) error {
	if p.s.Steps = append(p.s.Steps, s); len(p.s.Steps) > maxElements || len(p.s.Participants) > 200 {
		return p.fail("more than %d steps, or 200 participants", maxElements)
	}
	return nil
}

func (p *messages) line(s string, _ int) error {
	s, _, _ = strings.Cut(s, "%%")
	s = strings.TrimSuffix(strings.TrimSpace(s), ";")
	word, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(strings.TrimSuffix(word, ":")) {
	case "title":
		p.c.Title = clean(rest)
		return nil
	case "acctitle", "accdescr", "link", "links", "properties", "details":
		return nil
	case "autonumber":
		p.number, p.by = 1, 1
		if _, err := fmt.Sscanf(rest, "%d %d", &p.number, &p.by); rest == "off" {
			p.number = 0
		} else if err != nil {
			p.by = 1
		}
		return nil
	case "create", "destroy":
		if kind, more, ok := strings.Cut(rest, " "); ok && (kind == "participant" || kind == "actor") {
			return p.participant(kind, more)
		}
		return nil
	case "participant", "actor":
		return p.participant(word, rest)
	case "box":
		p.open("box")
		p.box, p.members = len(p.s.Boxes), nil
		p.s.Boxes = append(p.s.Boxes, Box{Label: boxLabel(rest), From: -1, To: -1})
		return nil
	case "loop", "alt", "opt", "par", "critical", "break", "rect":
		p.open(word)
		if word == "rect" {
			rest = ""
		}
		return p.add(Step{Kind: Open, Frame: word, Text: clean(rest)})
	case "else", "and", "option":
		if len(p.kinds) == 0 {
			return p.fail("%s without a frame", word)
		}
		return p.add(Step{Kind: Section, Text: clean(rest)})
	case "end":
		if len(p.kinds) == 0 {
			return p.fail("end without a frame")
		}
		kind := p.kinds[len(p.kinds)-1]
		p.kinds, p.opened = p.kinds[:len(p.kinds)-1], p.opened[:len(p.opened)-1]
		if kind == "box" {
			p.box = -1
			return nil
		}
		return p.add(Step{Kind: Close})
	case "activate", "deactivate":
		who := p.s.who(rest)
		return p.add(Step{Kind: StepKind(strings.ToLower(word)), From: who, To: who})
	case "note":
		return p.note(rest)
	}
	return p.message(s)
}

func (p *messages) open(kind string) {
	p.kinds, p.opened = append(p.kinds, kind), append(p.opened, p.at.line)
}

func (p *messages) end() error {
	if len(p.s.Participants) == 0 {
		return p.fail("there are no participants")
	}
	p.s.Boxes = slices.DeleteFunc(p.s.Boxes, func(b Box) bool { return b.From < 0 })
	return checkClosed("a frame or a box", p.opened)
}

// boxLabel drops the optional colour before the name of a box.
func boxLabel(s string) string {
	if i := strings.IndexByte(s, ')'); i > 0 && (strings.HasPrefix(s, "rgb(") || strings.HasPrefix(s, "rgba(")) {
		s = s[i+1:]
	}
	for _, name := range []string{"transparent", "aqua", "gray", "grey", "lightblue", "lightgreen", "lightyellow", "lightgray", "lightgrey", "purple", "pink", "blue", "green", "yellow", "red", "orange"} {
		if word, rest, ok := strings.Cut(s, " "); ok && strings.EqualFold(word, name) {
			s = rest
		}
	}
	return clean(s)
}

func (p *messages) participant(kind, s string) error {
	id, label := s, ""
	if i := strings.Index(s, " as "); i > 0 {
		id, label = s[:i], clean(s[i+4:])
	}
	if i := strings.Index(id, "@{"); i > 0 { // attributes with its type
		if strings.Contains(id[i:], "actor") {
			kind = "actor"
		}
		id = id[:i]
	}
	if id = strings.TrimSpace(id); id == "" {
		return p.fail("%s needs a name", kind)
	}
	i := p.s.who(id)
	who := &p.s.Participants[i]
	if who.Actor = who.Actor || kind == "actor"; label != "" {
		who.Label = label
	}
	if p.box >= 0 {
		b := &p.s.Boxes[p.box]
		if b.From < 0 {
			b.From = i
		}
		b.From, b.To = min(b.From, i), max(b.To, i)
	}
	return nil
}

func (p *messages) note(s string) error {
	where, text, ok := strings.Cut(s, ":")
	if !ok {
		return p.fail("a note needs a text: Note over A: text")
	}
	for _, side := range []string{"left of ", "right of ", "over "} {
		rest, ok := strings.CutPrefix(strings.ToLower(where), side)
		if !ok {
			continue
		}
		names := strings.Split(where[len(where)-len(rest):], ",")
		from := p.s.who(names[0])
		to := p.s.who(names[len(names)-1])
		return p.add(Step{Kind: Note, From: min(from, to), To: max(from, to), Side: strings.Fields(side)[0], Text: clean(text)})
	}
	return p.fail("a note goes left of, right of or over a participant: %.40q", s)
}

// arrows returns the signs for messages, longer ones first.
func arrows() []struct {
	sign string
	step Step
} {
	type a = struct {
		sign string
		step Step
	}
	return []a{
		{"<<-->>", Step{Dashed: true, Head: "block", Both: true}}, {"<<->>", Step{Head: "block", Both: true}},
		{"-->>", Step{Dashed: true, Head: "block"}}, {"->>", Step{Head: "block"}},
		{"--x", Step{Dashed: true, Head: "cross"}}, {"-x", Step{Head: "cross"}},
		{"--)", Step{Dashed: true, Head: "open"}}, {"-)", Step{Head: "open"}},
		{"-->", Step{Dashed: true, Head: "none"}}, {"->", Step{Head: "none"}},
	}
}

func (p *messages) message(s string) error {
	head, text, ok := strings.Cut(s, ":")
	if !ok {
		return p.fail("neither a message (A->>B: text) nor a known word: %.40q", s)
	}
	at, found := -1, Step{}
	length := 0
	for _, a := range arrows() {
		if i := strings.Index(head, a.sign); i > 0 && (at < 0 || i < at) {
			at, found, length = i, a.step, len(a.sign)
		}
	}
	if at < 0 {
		return p.fail("an arrow such as ->> is missing between the two participants: %.40q", head)
	}
	to := strings.TrimSpace(head[at+length:])
	sign := byte(0)
	if to != "" && (to[0] == '+' || to[0] == '-') {
		sign, to = to[0], strings.TrimSpace(to[1:])
	}
	from := strings.TrimSpace(head[:at])
	if from == "" || to == "" {
		return p.fail("a message needs a participant at both ends: %.40q", s)
	}
	found.Kind, found.Text = Message, clean(text)
	found.From = p.s.who(from)
	found.To = p.s.who(to)
	if p.number > 0 {
		found.Text = strings.TrimSpace(fmt.Sprintf("%d. %s", p.number, found.Text))
		p.number += p.by
	}
	if err := p.add(found); err != nil {
		return err
	}
	switch sign {
	case '+':
		return p.add(Step{Kind: Activate, From: found.To, To: found.To})
	case '-':
		return p.add(Step{Kind: Deactivate, From: found.From, To: found.From})
	}
	return nil
}
