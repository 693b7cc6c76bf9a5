package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Status is the result of a requirement.
type Status string

// The statuses.
const (
	Passed        Status = "passed"
	Failed        Status = "failed"
	NotApplicable Status = "not applicable"

	// unshown: the requirement applies, but could not be tested. For a MUST that is a failure.
	unshown Status = ""
)

// Result is the result of one requirement.
type Result struct {
	ID       string     `json:"id"`
	Level    string     `json:"level"` // MUST, SHOULD or MAY
	Title    string     `json:"title"`
	Status   Status     `json:"status"`
	Detail   string     `json:"detail,omitempty"`
	Exchange []Exchange `json:"exchange,omitempty"` // of a failure: the last calls, oldest first
}

// Report has the results of all requirements.
type Report struct {
	Domain  string   `json:"domain"`
	Ops     []string `json:"ops"` // the operations that the checks used
	Results []Result `json:"results"`
}

// OK reports whether every MUST and SHOULD that applies is met.
func (r *Report) OK() bool { return r.failed("MUST")+r.failed("SHOULD") == 0 }

func (r *Report) failed(level string) int {
	n := 0
	for _, res := range r.Results {
		if res.Level == level && res.Status == Failed {
			n++
		}
	}
	return n
}

// requirement is one line of the catalogue.
type requirement struct {
	id, level, title string
	check            func(p *probe) string // the detail of a pass
}

func requirements() []requirement {
	return []requirement{
		{"M1", "MUST", "four MCP tools", fourTools},
		{"M2", "MUST", "ParsedOp grammar", grammarRules},
		{"M3", "MUST", "session lifecycle", lifecycle},
		{"M4", "MUST", "event log with cursor-based undo", cursor},
		{"M5", "MUST", "event reversal and replay", reversal},
		{"M6", "MUST", "read-only queries", readOnly},
		{"M7", "MUST", "domain-specific verbs", verbs},
		{"S1", "SHOULD", "reference card in the tool description", referenceCard},
		{"S2", "SHOULD", "response prefixes", responsePrefixes},
		{"S3", "SHOULD", "state digest", stateDigest},
		{"S4", "SHOULD", "error suggestions", errorSuggestions},
		{"S5", "SHOULD", "batch atomicity", batchAtomicity},
		{"S6", "SHOULD", "index rebuild after undo and redo", indexRebuild},
		{"S7", "SHOULD", "describe and history queries", describeHistory},
		{"O1", "MAY", "custom session actions", customSession},
		{"O2", "MAY", "domain-specific selectors", selectors},
		{"O3", "MAY", "arrow operators", arrows},
		{"O4", "MAY", "custom entity types", customTypes},
		{"O5", "MAY", "domain-specific queries", customQueries},
		{"O6", "MAY", "verb registry", verbRegistry},
	}
}

// Judge starts the server once for each requirement, in an empty folder, and returns the report. ops are ops to use in
// addition to those in the server's texts. The error means that the server does not start or does not speak MCP.
func Judge(ctx context.Context, c Command, ops []string) (*Report, error) {
	report := &Report{}
	// Learn in a separate probe, which leaves nothing behind for the others.
	known := &probe{given: ops}
	learned := run(ctx, c, requirement{check: func(p *probe) string {
		report.Domain = p.s.Domain
		defer func() { known.learning, known.flags, known.script, known.kind = p.log, p.flags, p.script, p.kind }()
		p.flags = [4]bool{edit: p.edit("zzqxv").Failed}
		p.learn(ops)
		return ""
	}}, known)
	if learned.err != nil {
		return nil, learned.err
	}
	if learned.Status == Failed {
		known.halted = learned.Detail
	}
	report.Ops = known.script
	for _, r := range requirements() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out := run(ctx, c, r, known)
		if out.err != nil {
			return nil, out.err
		}
		report.Results = append(report.Results, out.Result)
	}
	return report, nil
}

type ran struct {
	Result
	err error
}

// run checks one requirement on a server of its own, with what is known of it.
func run(ctx context.Context, c Command, r requirement, known *probe) (out ran) {
	out.Result = Result{ID: r.id, Level: r.level, Title: r.title, Status: Passed}
	dir, remove, err := folder()
	if err != nil {
		return ran{err: err}
	}
	defer remove()
	c.Dir = dir
	s, err := Start(ctx, c)
	if err != nil {
		return ran{err: err}
	}
	defer s.Close()
	p := &probe{s: s, dir: dir, kind: cmp.Or(known.kind, s.kind), script: known.script, given: known.given, flags: known.flags, learning: known.learning, halted: known.halted}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case found:
			out.Status, out.Detail = f.status, f.detail
			if f.status == unshown {
				out.Status = NotApplicable
				if r.level == "MUST" {
					out.Status = Failed
				}
			}
			if out.Status == Failed {
				out.Exchange = p.log
			}
		default:
			panic(f)
		}
	}()
	if s.Domain == "" && r.id != "M1" {
		skip("no tools were found that look like those of a domain")
	}
	out.Detail = r.check(p)
	return out
}

// Write prints the report for people.
func (r *Report) Write(w io.Writer) {
	name := r.Domain
	if name == "" {
		name = "no domain found"
	}
	fmt.Fprintf(w, "domain: %s\n", name)
	if len(r.Ops) > 0 {
		fmt.Fprintf(w, "operations used: %d, such as %s\n", len(r.Ops), r.Ops[0])
	}
	fmt.Fprintln(w)
	counts := map[Status]int{}
	for _, res := range r.Results {
		counts[res.Status]++
		mark := map[Status]string{Passed: "pass", Failed: "FAIL", NotApplicable: "n/a "}[res.Status]
		fmt.Fprintf(w, "%s  %-3s %-6s  %s", mark, res.ID, res.Level, res.Title)
		if res.Detail != "" {
			fmt.Fprintf(w, ": %s", res.Detail)
		}
		fmt.Fprintln(w)
		for _, e := range res.Exchange {
			fmt.Fprintf(w, "        > %s %s\n", e.Tool, encodeSent(e.Sent))
			for line := range strings.Lines(clip(e.Reply, 800)) {
				fmt.Fprintf(w, "        < %s\n", strings.TrimRight(line, "\n"))
			}
			if e.Error {
				fmt.Fprintln(w, "        < (isError)")
			}
		}
	}
	fmt.Fprintf(w, "\n%d passed, %d failed, %d not applicable\n", counts[Passed], counts[Failed], counts[NotApplicable])
}

func encodeSent(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil || b.String() == "null\n" {
		return ""
	}
	return strings.TrimSpace(b.String())
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
