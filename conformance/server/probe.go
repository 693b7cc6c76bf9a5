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

// probe is one requirement being looked at: a server of its own, and what was
// said to it since the last state that was fine.
type probe struct {
	s      *Server
	dir    string
	kind   string   // the domain that new has to name, where one set of tools serves several; "" elsewhere
	script []string // ops that work in this order on a new document
	given  []string // ops that were named by hand; some may show in no query
	flags  [4]bool  // the tools that set isError, by their indexes
	log    []Exchange
	// learning is the end of the search for script, for a search that was in vain.
	learning []Exchange
	// halted is why that search ended early, "" when it did not.
	halted string
}

// said is a tool's answer.
type said struct {
	conformance.Answer
	which int
}

// found ends a probe: what is wrong, or why it does not apply.
type found struct {
	status Status
	detail string
}

func fail(format string, args ...any) { panic(found{Failed, fmt.Sprintf(format, args...)}) }

func skip(format string, args ...any) { panic(found{NotApplicable, fmt.Sprintf(format, args...)}) }

// record keeps the last exchanges.
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

// must runs a session action that has to succeed.
func (p *probe) must(action string) said {
	a := p.session(action)
	if p.refused(a) {
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
	if p.refused(a) {
		fail("%q worked on another document and is refused on this one", strings.Join(ops, "; "))
	}
	return a
}

// refused reports whether an answer is an error: by MCP's flag, or, of a tool
// that does not set it for a word that means nothing either, by FCP's prefix on
// a line that is no continuation. (Some servers begin replies of meta events
// with "!", too, so the prefix alone would say too much.)
func (p *probe) refused(a said) bool {
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

// rejects fails unless an action that cannot work is refused. A session tool
// that never sets isError refuses in words of its own: they differ from those
// of the same action when it worked, begin with no prefix of what works, and
// the document stays what it was.
func (p *probe) rejects(action, argument, what, worked string) {
	before := p.state()
	a := p.session(action)
	if !p.refused(a) && (p.flags[session] || shape(a.Text, argument) == worked || strings.IndexAny(strings.TrimSpace(a.Text), "+~*@") == 0) {
		fail("%s is accepted", what)
	}
	p.equal(before, "after "+action+", which cannot work,")
}

// new is the action that starts a document with that title.
func (p *probe) new(title string) string {
	if p.kind != "" {
		return fmt.Sprintf("new %s %q", p.kind, title)
	}
	return fmt.Sprintf("new %q", title)
}

// domain is the domain of the documents, which with tools for any is not that of the tools.
func (p *probe) domain() string { return p.s.Domain + p.kind }

// kindOf finds the domain in a suggestion to name one.
var kindOf = regexp.MustCompile(`\bnew ([a-z][a-z0-9_-]*) "`)

// after makes a new document with the script's first n ops.
func (p *probe) after(n int) {
	p.fresh()
	p.do(p.script[:n]...)
}

// fresh starts a new document.
func (p *probe) fresh() {
	a := p.session(p.new("Conformance"))
	if p.refused(a) && p.kind == "" {
		for _, o := range p.offers(a) {
			if m := kindOf.FindStringSubmatch(o.text); m != nil {
				p.kind = m[1]
				a = p.session(p.new("Conformance"))
				break
			}
		}
	}
	if p.refused(a) {
		fail("%s is refused", p.new("Conformance"))
	}
}

// state is what can be seen of the document: what its queries answer. That map
// and stats do is M6's to check.
func (p *probe) state() string {
	var b strings.Builder
	for _, q := range []string{"map", "stats", "describe *", "list"} {
		a, err := p.s.Query(context.Background(), q)
		if err != nil {
			p.record(query, q, a, err)
		}
		if !p.refused(said{a, query}) {
			b.WriteString(a.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// card is all that the server says about itself.
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

// need gives n ops that work in this order on a new document.
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

// last is the last line that is not blank.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
