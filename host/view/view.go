// Package view shows people the documents of a session as they change: one page for all domains, in a browser on this
// machine (Listen) or as an MCP App in clients that support it (docs/view.md). It has no code for particular domains:
// it shows what a domain's queries answer. Pictures of plugins never become part of the page's markup.
package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/printable"
)

// View answers the requests of pages about one session.
type View struct {
	session *session.Session
	acted   func(dom string, r *reply.Reply)

	mu      sync.Mutex
	version uint64
	next    chan struct{}              // closed when version grows
	last    *document.Document         // that a call worked on last
	acting  map[*document.Document]int // documents that people are changing now, with the number of their actions
	said    map[*document.Document]*Said
}

// Said is the answer to the last call on a document.
type Said struct {
	Lines  []Line         `json:"lines"`
	Count  map[string]int `json:"count"` // of results and warnings by their kind, also of those that have no line here
	Failed bool           `json:"failed,omitempty"`
}

// Line is one line of it. Suggestions are left out: they are for models.
type Line struct {
	Kind string `json:"kind"` // the prefix of the reply's line
	Text string `json:"text"`
}

// New returns the view of a session.
func New(s *session.Session) *View {
	v := &View{session: s, next: make(chan struct{}), acting: map[*document.Document]int{}, said: map[*document.Document]*Said{}}
	s.Follow(v.noteChange)
	return v
}

// OnAction sets f to be called with each action from a page. Call it before the first action.
func (v *View) OnAction(f func(dom string, r *reply.Reply)) { v.acted = f }

// noteChange is called by the session at each change. It returns at once.
func (v *View) noteChange(d *document.Document) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if d != nil && v.acting[d] == 0 {
		v.last = d
	}
	v.bump()
}

// bump tells pages that something changed. The caller holds mu.
func (v *View) bump() {
	v.version++
	close(v.next)
	v.next = make(chan struct{})
}

// RecordCall records the answer to a call of the domain's tools, so that pages show it.
func (v *View) RecordCall(dom string, r *reply.Reply) {
	if r.Document == "" || (len(r.Results) == 0 || r.Tells) && !r.Failed {
		return
	}
	open := v.session.Documents()
	i := slices.IndexFunc(open, func(d *document.Document) bool { return isNamed(d, dom, r.Document) })
	if i < 0 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	maps.DeleteFunc(v.said, func(d *document.Document, _ *Said) bool { return !slices.Contains(open, d) })
	v.said[open[i]] = linesOf(r)
	v.bump()
}

func isNamed(d *document.Document, dom, name string) bool {
	return d.Name == name && (dom == "" || d.Domain().Name() == dom)
}

// Limits of a shown answer.
const (
	maxSaid = 200  // lines
	maxLine = 1000 // bytes of a line
)

func linesOf(r *reply.Reply) *Said {
	out := &Said{Failed: r.Failed, Lines: []Line{}, Count: map[string]int{}}
	left := 0
	add := func(kind byte, text string) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		out.Count[string(kind)]++
		if len(out.Lines) >= maxSaid && kind != reply.Error {
			left++
			return
		}
		if len(text) > maxLine {
			text = strings.ToValidUTF8(text[:maxLine], "") + "…"
		}
		out.Lines = append(out.Lines, Line{string(kind), printable.Text(text)})
	}
	for _, part := range append([]*reply.Reply{r}, r.Then...) {
		for _, res := range part.Results {
			add(res.Prefix, res.Text)
			for _, w := range res.Warnings {
				add(reply.Warning, w)
			}
		}
		for _, w := range part.Warnings {
			add(reply.Warning, w)
		}
	}
	if left > 0 {
		out.Lines = append(out.Lines, Line{Text: reply.Count(left, "more line")})
	}
	return out
}

// Now returns the version, and a channel that is closed at the next change.
func (v *View) Now() (version uint64, next <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.version, v.next
}

// Request is a page's request.
type Request struct {
	Do       string `json:"do"`       // state, show, hear, act or point
	Domain   string `json:"domain"`   // of the document; for state, the only document the page knows of
	Name     string `json:"name"`     // of the document
	Page     int    `json:"page"`     // show: from 1; 0 for the document's current page
	At       *int   `json:"at"`       // show: the state after so many ops instead of the current one
	Revision uint64 `json:"revision"` // show with at, undo, redo: the revision that the page shows
	Action   string `json:"action"`   // act
	Area     string `json:"area"`     // point: the name of the selection, "" for none
}

// Reads reports whether the request leaves documents unchanged.
func (r *Request) Reads() bool {
	return slices.Contains([]string{"state", "show", "hear", "point"}, r.Do)
}

// Open is an open document in State.
type Open struct {
	Domain string `json:"domain"`
	Name   string `json:"name"`
	Title  string `json:"title"`
	Dirty  bool   `json:"dirty"`
	Waits  bool   `json:"waits,omitempty"`
	Handle bool   `json:"handle,omitempty"` // Name is a handle, which means nothing to people
	File   string `json:"file,omitempty"`
}

// State is the answer to state.
type State struct {
	Version   uint64 `json:"version"`
	Documents []Open `json:"documents"`
	Follow    int    `json:"follow"` // index of the document that was worked on last; -1 for none
}

// Area is the place of an element in a picture, in the picture's units.
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
	At    int      `json:"at"`
	Ops   []string `json:"ops"` // the first of them
	Count int      `json:"count"`
	IDs   []string `json:"ids,omitempty"`
	Gone  bool     `json:"gone,omitempty"`
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
	At       int          `json:"at"` // the number of applied ops
	Of       int          `json:"of"` // the number of ops that the picture shows
	Page     int          `json:"page"`
	Pages    []string     `json:"pages"`
	Picture  *Picture     `json:"picture,omitempty"`
	Text     string       `json:"text,omitempty"` // shown instead of a picture
	Problem  string       `json:"problem,omitempty"`
	Areas    []Area       `json:"areas"`
	Times    [][2]float64 `json:"times,omitempty"` // pairs of milliseconds and x
	Plays    bool         `json:"plays,omitempty"` // hear has an answer
	Calls    []Call       `json:"calls"`
	Before   int          `json:"before,omitempty"`
	Marks    []Mark       `json:"marks"`
	Said     *Said        `json:"said,omitempty"`
	Save     bool         `json:"save"` // save has a file to write to
}

// Done is the answer to act and point.
type Done struct {
	Text   string `json:"text"`
	Failed bool   `json:"failed"`
}

// Wrong is the answer to a request that failed.
type Wrong struct {
	Error string `json:"error"`
}

// Refusal returns Wrong as JSON.
func Refusal(why string) []byte {
	text, _ := json.Marshal(Wrong{printable.Text(why)}) // a string always encodes
	return text
}

var (
	errGone  = errors.New("the document is no longer open")
	errWaits = errors.New("a call waits for an answer from outside; try again when it is done")
	errOther = errors.New("the document has changed meanwhile; look again")
)

// Answer answers a page's request in JSON. On failure the answer is Wrong.
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
		return Refusal(err.Error())
	}
	text, err := json.Marshal(out)
	if err != nil { // a number that JSON cannot represent
		return Refusal(err.Error())
	}
	return text
}

func (v *View) answer(ctx context.Context, r *Request) (any, error) {
	if r.Do == "state" {
		return v.state(r), nil
	}
	d := v.session.Named(r.Domain, r.Name)
	if d == nil {
		return nil, errGone
	}
	switch r.Do {
	case "point":
		return v.point(d, r.Area), nil
	case "show", "hear", "act":
		if d.Summary().Waits {
			return nil, errWaits
		}
	}
	switch r.Do {
	case "show":
		return v.show(ctx, d, r)
	case "hear":
		return v.hear(ctx, d)
	case "act":
		return v.act(ctx, d, r)
	}
	return nil, fmt.Errorf("nobody answers %.20q", r.Do)
}

func (v *View) state(r *Request) *State {
	out := &State{Documents: []Open{}, Follow: -1}
	v.mu.Lock()
	out.Version = v.version
	last := v.last
	v.mu.Unlock()
	docs := v.session.Documents()
	if v.session.Shared() { // shared sessions know documents by handle only
		docs = slices.DeleteFunc(docs, func(d *document.Document) bool { return r.Name == "" || !isNamed(d, r.Domain, r.Name) })
		last = nil
		if len(docs) > 0 {
			last = docs[0]
		}
	}
	if !slices.Contains(docs, last) {
		last = v.session.Current("")
	}
	for i, d := range docs {
		sum := d.Summary()
		if d == last {
			out.Follow = i
		}
		out.Documents = append(out.Documents, Open{Domain: sum.Domain, Name: sum.Name, Title: reply.Line(sum.Title), Dirty: sum.Dirty, Waits: sum.Waits, Handle: v.session.Shared(), File: reply.Line(v.session.File(d))})
	}
	return out
}

// allowed lists the actions that a page may run.
var allowed = []string{"undo", "redo", "checkpoint", "save"}

// act runs an action for a person at the page. The model learns of it in its next reply.
func (v *View) act(ctx context.Context, d *document.Document, request *Request) (*Done, error) {
	action := request.Action
	op, err := grammar.ParseAction(action)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(allowed, op.Verb) {
		return nil, fmt.Errorf("a page may %s, not %.20q", strings.Join(allowed, ", "), op.Verb)
	}
	if op.Verb == "save" && len(op.Positionals)+len(op.Params)+len(op.Selectors) > 0 { // a path, as:, format:, force
		return nil, errors.New("a page saves a document only to its own file, and replaces no other version of it")
	}
	if (op.Verb == "undo" || op.Verb == "redo") && d.Summary().Revision != request.Revision {
		return nil, errOther
	}
	dom := d.Domain().Name()
	var r *reply.Reply
	v.countActing(d, 1)
	defer v.countActing(d, -1)
	d.Aside(func() { r = v.session.Session(ctx, dom, d.Name, action) }) // what is kept for the model's next reply is not for the page
	if !r.Failed {
		d.Tell([]string{"done in the view, by a person: " + op.String()})
	}
	if v.acted != nil {
		v.acted(dom, r)
	}
	v.RecordCall(dom, r)
	return &Done{Text: r.String(), Failed: r.Failed}, nil
}

// countActing counts the actions that people are running on a document.
func (v *View) countActing(d *document.Document, more int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.acting[d] += more; v.acting[d] == 0 {
		delete(v.acting, d)
	}
}
