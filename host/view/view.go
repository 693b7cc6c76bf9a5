// Package view shows people what is done to the documents of a session: one page for every domain, in a browser on this machine
// (Listen), or as an MCP App in a client that shows such (docs/view.md). No domain's code is in it: what is shown is what a domain's
// queries answer, and what a plugin drew is never part of the page's own markup.
package view

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/session"
)

// View is what pages ask about one session.
type View struct {
	session *session.Session
	acted   func(dom string, r *reply.Reply)

	mu      sync.Mutex
	version uint64
	next    chan struct{} // closed when version grows
	last    *document.Document
	said    map[*document.Document]*Said
}

// Said is what the last call on a document answered.
type Said struct {
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// New makes the view of a session.
func New(s *session.Session) *View {
	v := &View{session: s, next: make(chan struct{}), said: map[*document.Document]*Said{}}
	s.Follow(v.changed)
	return v
}

// Acted has f told of what is done from a page, before the first.
func (v *View) Acted(f func(dom string, r *reply.Reply)) { v.acted = f }

// changed follows the session. It returns at once.
func (v *View) changed(d *document.Document) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if d != nil {
		v.last = d
	}
	v.grow()
}

// grow tells pages that something is new. The caller holds mu.
func (v *View) grow() {
	v.version++
	close(v.next)
	v.next = make(chan struct{})
}

const maxSaid = 4 << 10

// Called notes what a call of the domain's tools answered, so that pages show it.
func (v *View) Called(dom string, r *reply.Reply, face reply.Face) {
	if r.Document == "" || len(r.Results) == 0 && !r.Failed {
		return
	}
	d := v.session.Named(dom, r.Document)
	if d == nil {
		return
	}
	text := r.Print(face)
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + "…"
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.said[d] = &Said{Text: text, Failed: r.Failed}
	v.grow()
}

// Now is the version, and a channel that is closed when there is another one.
func (v *View) Now() (version uint64, next <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.version, v.next
}

// Request is what a page asks.
type Request struct {
	Do       string `json:"do"`     // state, show, hear, act or point
	Domain   string `json:"domain"` // of the document that is meant
	Name     string `json:"name"`   // of that document
	Page     int    `json:"page"`   // show: from 1, 0 for the one that the document stands at
	At       *int   `json:"at"`     // show: after so many ops, not as it is
	Revision uint64 `json:"revision"`
	Action   string `json:"action"` // act
	Area     string `json:"area"`   // point: the name of what was selected, "" for nothing
}

// Open is a document in State.
type Open struct {
	Domain string `json:"domain"`
	Name   string `json:"name"`
	Title  string `json:"title"`
	Dirty  bool   `json:"dirty"`
	Waits  bool   `json:"waits,omitempty"`
	File   string `json:"file,omitempty"`
}

// State is the answer to state.
type State struct {
	Version   uint64 `json:"version"`
	Documents []Open `json:"documents"`
	Follow    int    `json:"follow"` // of Documents: the one that was worked on last; -1 for none
}

// Picture is a picture with the part of the plane that it shows, in its own units.
type Picture struct {
	URL    string  `json:"url"` // data:
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Area is where a thing lies on a picture, in its units.
type Area struct {
	Name string   `json:"name"`
	IDs  []string `json:"ids,omitempty"`
	X    float64  `json:"x"`
	Y    float64  `json:"y"`
	W    float64  `json:"w"`
	H    float64  `json:"h"`
}

// Call is a call in the history.
type Call struct {
	At   int      `json:"at"`
	Ops  []string `json:"ops"`
	IDs  []string `json:"ids,omitempty"`
	Gone bool     `json:"gone,omitempty"`
}

// Mark is a checkpoint.
type Mark struct {
	Name string `json:"name"`
	At   int    `json:"at"`
}

// Show is the answer to show.
type Show struct {
	Domain   string       `json:"domain"`
	Name     string       `json:"name"`
	Title    string       `json:"title"`
	Digest   string       `json:"digest"`
	Dirty    bool         `json:"dirty"`
	Revision uint64       `json:"revision"`
	At       int          `json:"at"` // ops that are applied
	Of       int          `json:"of"` // of which the picture is
	Page     int          `json:"page"`
	Pages    []string     `json:"pages"`
	Picture  *Picture     `json:"picture,omitempty"`
	Text     string       `json:"text,omitempty"` // in the place of a picture
	Problem  string       `json:"problem,omitempty"`
	Areas    []Area       `json:"areas"`
	Times    [][2]float64 `json:"times,omitempty"` // milliseconds, and where they lie
	Plays    bool         `json:"plays,omitempty"` // hear answers
	Calls    []Call       `json:"calls"`
	Before   int          `json:"before,omitempty"`
	Marks    []Mark       `json:"marks"`
	Said     *Said        `json:"said,omitempty"`
	Save     bool         `json:"save"` // has a file that save writes
}

// Done is the answer to act and point.
type Done struct {
	Text   string `json:"text"`
	Failed bool   `json:"failed"`
}

// Wrong is the answer to what cannot be answered.
type Wrong struct {
	Error string `json:"error"`
}

var errGone = errors.New("the document is no longer open")

// Answer answers what a page asks, as JSON. It never fails otherwise than by Wrong.
func (v *View) Answer(ctx context.Context, request []byte) []byte {
	var r Request
	var out any
	dec := json.NewDecoder(bytes.NewReader(request))
	dec.DisallowUnknownFields()
	err := dec.Decode(&r)
	if err == nil {
		out, err = v.answer(ctx, &r)
	}
	if err != nil {
		out = Wrong{err.Error()}
	}
	text, err := json.Marshal(out)
	if err != nil { // a number that JSON has not
		text, _ = json.Marshal(Wrong{err.Error()})
	}
	return text
}

func (v *View) answer(ctx context.Context, r *Request) (any, error) {
	if r.Do == "state" {
		return v.state(), nil
	}
	d := v.session.Named(r.Domain, r.Name)
	if d == nil {
		return nil, errGone
	}
	switch r.Do {
	case "show":
		return v.show(ctx, d, r)
	case "hear":
		return v.hear(ctx, d)
	case "act":
		return v.act(ctx, d, r.Action)
	case "point":
		return v.point(d, r.Area), nil
	}
	return nil, fmt.Errorf("nobody answers %.20q", r.Do)
}

func (v *View) state() *State {
	out := &State{Documents: []Open{}, Follow: -1}
	v.mu.Lock()
	out.Version = v.version
	last := v.last
	v.mu.Unlock()
	docs := v.session.Documents()
	if !slices.Contains(docs, last) {
		last = v.session.Current("")
	}
	for i, d := range docs {
		sum := d.Summary()
		if d == last {
			out.Follow = i
		}
		out.Documents = append(out.Documents, Open{Domain: sum.Domain, Name: sum.Name, Title: reply.Line(sum.Title), Dirty: sum.Dirty, Waits: sum.Waits, File: sum.Path})
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for d := range v.said {
		if !slices.Contains(docs, d) {
			delete(v.said, d)
		}
	}
	return out
}

const maxPicture = 32 << 20 // bytes

func (v *View) show(ctx context.Context, d *document.Document, r *Request) (*Show, error) {
	q, at := d.Domain().ShowQuery(), -1
	if r.At != nil {
		at = max(0, *r.At)
	}
	text := q == ""
	if text {
		q = "map"
	}
	if r.Page > 0 {
		q += fmt.Sprintf(" page:%d", r.Page)
	}
	seen, err := v.session.See(ctx, d, q, at, r.Revision)
	problem := ""
	if err != nil {
		if errors.Is(err, document.ErrMoved) || errors.Is(err, document.ErrClosed) {
			return nil, err
		}
		problem = reply.Line(err.Error())
		if seen, err = v.session.See(ctx, d, "", at, r.Revision); err != nil {
			return nil, err
		}
	}
	out := &Show{Domain: seen.Domain, Name: seen.Name, Title: reply.Line(seen.Title), Digest: seen.Digest, Dirty: seen.Dirty, Revision: seen.Record.Revision,
		At: seen.At, Of: seen.At, Page: max(1, r.Page), Pages: seen.Pages, Problem: problem, Areas: []Area{}, Calls: []Call{}, Marks: []Mark{},
		Before: seen.Before, Save: seen.Path != "" || seen.Ref != "", Plays: d.Domain().HearQuery() != ""}
	if at >= 0 {
		out.Of = at
	}
	if out.Pages == nil {
		out.Pages = []string{}
	}
	for _, c := range seen.Calls {
		out.Calls = append(out.Calls, Call(c))
	}
	for _, c := range seen.Checkpoints {
		out.Marks = append(out.Marks, Mark{c.Name, seen.At - c.Ago})
	}
	v.mu.Lock()
	out.Said = v.said[d]
	v.mu.Unlock()
	if problem != "" {
		return out, nil
	}
	if text {
		out.Text = seen.Text
		return out, nil
	}
	out.Picture, out.Problem = picture(seen.Content)
	if seen.Page > 0 {
		out.Page = seen.Page
	}
	for _, m := range seen.Times {
		out.Times = append(out.Times, [2]float64{float64(m.At), units(m.X)})
	}
	for i := range seen.Areas {
		a := &seen.Areas[i]
		out.Areas = append(out.Areas, Area{a.Name, a.IDs, units(a.X), units(a.Y), units(a.Width), units(a.Height)})
	}
	return out, nil
}

// Heard is the answer to hear: what is played.
type Heard struct {
	Revision uint64   `json:"revision"`
	Notes    [][6]int `json:"notes"` // at and length in milliseconds, key, velocity, channel, program; by their times
}

func (v *View) hear(ctx context.Context, d *document.Document) (*Heard, error) {
	q := d.Domain().HearQuery()
	if q == "" {
		return nil, errors.New("there is nothing to hear of this document")
	}
	seen, err := v.session.See(ctx, d, q, -1, 0)
	if err != nil {
		return nil, err
	}
	out := &Heard{Revision: seen.Record.Revision, Notes: make([][6]int, 0, len(seen.Notes))}
	for _, n := range seen.Notes {
		out.Notes = append(out.Notes, [6]int{n.At, n.Length, n.Key, n.Velocity, n.Channel, n.Program})
	}
	slices.SortStableFunc(out.Notes, func(a, b [6]int) int { return a[0] - b[0] })
	return out, nil
}

func units(hundredths int) float64 { return float64(hundredths) / 100 }

// picture is the first picture that may be shown, or why there is none.
func picture(list []abi.Content) (*Picture, string) {
	problem := "the domain draws no picture of this document"
	for _, c := range list {
		if len(c.Data) > maxPicture {
			problem = fmt.Sprintf("the picture has %s, too many to show", reply.Count(len(c.Data), "byte"))
			continue
		}
		if s, err := domain.Show(c.Data); err != nil {
			problem = err.Error()
		} else {
			return &Picture{URL: "data:" + s.MIME + ";base64," + base64.StdEncoding.EncodeToString(c.Data), X: s.X, Y: s.Y, Width: s.Width, Height: s.Height}, ""
		}
	}
	return nil, problem
}

// acts are the session actions that a page may run.
var acts = []string{"undo", "redo", "checkpoint", "save"}

// act runs a session action as the person who looks. The model learns of it in the next reply.
func (v *View) act(ctx context.Context, d *document.Document, action string) (*Done, error) {
	op, err := grammar.ParseCommand(action)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(acts, op.Verb) {
		return nil, fmt.Errorf("a page may %s, not %.20q", strings.Join(acts, ", "), op.Verb)
	}
	if _, ok := op.Param("as"); ok {
		return nil, errors.New("a page saves a document only where it is")
	}
	dom := d.Domain().Name()
	var r *reply.Reply
	d.Aside(func() { r = v.session.Session(ctx, dom, d.Name, action) }) // what the model is to hear is not for the page
	if !r.Failed {
		d.Tell([]string{"done in the view, by a person: " + op.String()})
	}
	if v.acted != nil {
		v.acted(dom, r)
	}
	plain := func(s reply.Suggestion) string { return s.Text }
	v.Called(dom, r, plain)
	return &Done{Text: r.Print(plain), Failed: r.Failed}, nil
}

// point has the model learn, in the next reply, what a person selected.
func (v *View) point(d *document.Document, name string) *Done {
	const most = 256
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	name = reply.Line(name)
	d.Point(name)
	return &Done{Text: name}
}
