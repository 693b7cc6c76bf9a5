package server

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/fcp-host/fcp-host/conformance"
)

// Exchange is one call and its answer.
type Exchange struct {
	Tool  string `json:"tool"`
	Sent  any    `json:"sent,omitempty"`
	Reply string `json:"reply"`
	Error bool   `json:"error,omitempty"` // isError
}

// probe is the state of testing one requirement: its own server, and the calls since the last good state.
type probe struct {
	s      *Server
	dir    string
	kind   string   // the domain to name in `new`, if one set of tools serves several; else ""
	script []string // ops that work in this order on a new document
	given  []string // ops that the user gave; queries may not show their effect
	flags  [4]bool  // by index, the tools that set isError
	log    []Exchange
	// learning has the last calls of a failed search for a script.
	learning []Exchange
	// halted is why that search ended early; "" if it did not.
	halted string
}

// said is a tool's answer.
type said struct {
	conformance.Answer
	which int
}

// found ends a probe: what is wrong, or why the requirement does not apply.
type found struct {
	status Status
	detail string
}

func fail(format string, args ...any) { panic(found{Failed, fmt.Sprintf(format, args...)}) }

func skip(format string, args ...any) { panic(found{NotApplicable, fmt.Sprintf(format, args...)}) }

// record keeps the last calls.
func (p *probe) record(which int, sent any, a conformance.Answer, err error) said {
	const keep = 12
	if err != nil {
		a = conformance.Answer{Text: err.Error(), Failed: true}
	}
	p.log = append(p.log, Exchange{p.s.names[which], sent, a.Text, a.Failed})
	if len(p.log) > keep {
		p.log = p.log[len(p.log)-keep:]
	}
	if err != nil {
		fail("the server did not answer %s: %v", p.s.names[which], err)
	}
	return said{a, which}
}

func (p *probe) edit(ops ...string) said {
	a, err := p.s.Edit(context.Background(), ops, nil)
	return p.record(edit, ops, a, err)
}

func (p *probe) query(q string) said {
	a, err := p.s.Query(context.Background(), q)
	return p.record(query, q, a, err)
}

func (p *probe) session(action string) said {
	a, err := p.s.Session(context.Background(), action)
	return p.record(session, action, a, err)
}

func (p *probe) help() said {
	a, err := p.s.Help(context.Background())
	return p.record(help, nil, a, err)
}

// must runs an action that must succeed.
func (p *probe) must(action string) said {
	a := p.session(action)
	if p.isRefused(a) {
		fail("%s is refused", action)
	}
	return a
}

// do runs ops that worked before.
func (p *probe) do(ops ...string) said {
	if len(ops) == 0 {
		return said{}
	}
	a := p.edit(ops...)
	if p.isRefused(a) {
		fail("%q worked on another document but is refused on this one", strings.Join(ops, "; "))
	}
	return a
}

// isRefused reports whether an answer is an error: by MCP's flag or, if the tool does not set it even for a nonsense
// word, by FCP's prefix on a line that is not a continuation. (Some servers start replies about meta events with "!",
// so the prefix alone is not enough.)
func (p *probe) isRefused(a said) bool {
	if a.Failed || p.flags[a.which] {
		return a.Failed
	}
	for line := range strings.Lines(a.Text) {
		l := strings.ToLower(line)
		if strings.HasPrefix(l, "!") || strings.HasPrefix(l, "error:") || strings.HasPrefix(l, "error ") {
			return true
		}
		if a.which != edit {
			break // the rest is content
		}
	}
	return false
}

// checkRejected fails unless an action that cannot work is refused. A session tool that never sets isError refuses in its own
// words: they differ from those of the same action when it worked, have no prefix of success, and the document is
// unchanged.
func (p *probe) checkRejected(action, argument, what, worked string) {
	before := p.state()
	a := p.session(action)
	if !p.isRefused(a) && (p.flags[session] || shape(a.Text, argument) == worked || strings.IndexAny(strings.TrimSpace(a.Text), "+~*@") == 0) {
		fail("%s is accepted", what)
	}
	p.checkState(before, "after "+action+", which cannot work,")
}

// newAction returns the action that creates a document with that title.
func (p *probe) newAction(title string) string {
	if p.kind != "" {
		return fmt.Sprintf("new %s %q", p.kind, title)
	}
	return fmt.Sprintf("new %q", title)
}

// domain returns the domain of the documents, which differs from that of unified tools.
func (p *probe) domain() string { return p.s.Domain + p.kind }

// kindOf matches a suggestion that names a domain.
var kindOf = regexp.MustCompile(`\bnew ([a-z][a-z0-9_-]*) "`)

// after creates a new document with the script's first n ops.
func (p *probe) after(n int) {
	p.fresh()
	p.do(p.script[:n]...)
}

// fresh creates a new document.
func (p *probe) fresh() {
	a := p.session(p.newAction("Conformance"))
	if p.isRefused(a) && p.kind == "" {
		for _, o := range p.offers(a) {
			if m := kindOf.FindStringSubmatch(o.text); m != nil {
				p.kind = m[1]
				a = p.session(p.newAction("Conformance"))
				break
			}
		}
	}
	if p.isRefused(a) {
		fail("%s is refused", p.newAction("Conformance"))
	}
}

// state returns what can be observed of the document: the answers of its queries. M6 checks map and stats.
func (p *probe) state() string {
	var b strings.Builder
	for _, q := range []string{"map", "stats", "describe *", "list"} {
		a, err := p.s.Query(context.Background(), q)
		if err != nil {
			p.record(query, q, a, err)
		}
		if !p.isRefused(said{a, query}) {
			b.WriteString(a.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// card returns all that the server says about itself.
func (p *probe) card() string {
	var b strings.Builder
	if t := p.s.tool(p.s.names[edit]); t != nil {
		b.WriteString(t.Description)
	}
	b.WriteByte('\n')
	if a, err := p.s.Help(context.Background()); err == nil && !a.Failed {
		b.WriteString(a.Text)
	}
	return b.String()
}

// need returns n ops that work in this order on a new document.
func (p *probe) need(n int) []string {
	if len(p.script) < n {
		p.log = p.learning
		if p.halted != "" {
			panic(found{unshown, fmt.Sprintf("%d operations that work were found before the server gave up, %d are needed: %s", len(p.script), n, p.halted)})
		}
		panic(found{unshown, fmt.Sprintf("%d operations that work and show in map or stats were found in the server's texts, %d are needed; name some with --op", len(p.script), n)})
	}
	return p.script[:n]
}

// last returns the last line that is not blank.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
