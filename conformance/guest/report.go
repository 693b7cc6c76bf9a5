// Package guest checks that a plugin keeps the promises of the ABI. It runs the module in the host's sandbox, generates
// ops from the module's manifest, and compares the document with what it should be.
package guest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Check is one promise and whether the plugin keeps it.
type Check struct {
	ID       string   `json:"id"`
	Promise  string   `json:"promise"`
	Looked   int      `json:"looked"`             // how often it was tested; 0 means that nothing could be tested
	Failed   int      `json:"failed"`             // how often it was broken
	Problems []string `json:"problems,omitempty"` // the first few, each with the action and its result
}

// OK reports whether no test found the promise broken.
func (c *Check) OK() bool { return c.Failed == 0 }

// Report has the result of every check.
type Report struct {
	File    string  `json:"file"`
	SHA256  string  `json:"sha256"`
	Size    int     `json:"size"` // bytes
	Domain  string  `json:"domain,omitempty"`
	Version string  `json:"version,omitempty"`
	Seed    uint64  `json:"seed"`
	Rounds  int     `json:"rounds"`
	Ops     int     `json:"ops"`     // operations that were sent
	Worked  int     `json:"worked"`  // of them, those that succeeded
	Refused int     `json:"refused"` // of them, those that the domain refused
	Checks  []Check `json:"checks"`

	Advice   []string   `json:"advice,omitempty"`   // hints that break no promise
	Samples  []Opened   `json:"samples,omitempty"`  // the files that were given
	Measures []Measure  `json:"measures,omitempty"` // of documents that grow
	Budgets  []Budget   `json:"budgets,omitempty"`  // how much of each limit it uses
	Wants    []abi.Want `json:"wants,omitempty"`    // the wants of its manifest
}

// Budget is how much of a limit a plugin uses.
type Budget struct {
	What  string  `json:"what"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
}

// OK reports whether every promise was kept.
func (r *Report) OK() bool { return r.broken() == 0 }

// broken counts the broken promises.
func (r *Report) broken() (n int) {
	for i := range r.Checks {
		if !r.Checks[i].OK() {
			n++
		}
	}
	return n
}

// maxProblems is how many problems a check reports: further ones are mostly alike.
const maxProblems = 4

// Write prints the report for people.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "%s\n", r.File)
	if r.Domain != "" {
		fmt.Fprintf(w, "  domain %s %s, %d KB, sha256 %.12s\n", r.Domain, r.Version, (r.Size+999)/1000, r.SHA256)
		fmt.Fprintf(w, "  %d operations sent in %s (seed %d): %d worked, %d were refused\n\n", r.Ops, countText(r.Rounds, "round"), r.Seed, r.Worked, r.Refused)
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		mark := "pass"
		switch {
		case !c.OK():
			mark = "FAIL"
		case c.Looked == 0:
			mark = "n/a "
		}
		fmt.Fprintf(w, "  %s  %-12s %s", mark, c.ID, c.Promise)
		switch {
		case !c.OK():
			fmt.Fprintf(w, " (broken %d of %d times)", c.Failed, c.Looked)
		case c.Looked > 0:
			fmt.Fprintf(w, " (%d)", c.Looked)
		}
		fmt.Fprintln(w)
		for _, p := range c.Problems {
			fmt.Fprintf(w, "        %s\n", strings.ReplaceAll(p, "\n", "\n        "))
		}
		if more := c.Failed - len(c.Problems); more > 0 && len(c.Problems) > 0 {
			fmt.Fprintf(w, "        … and %d more\n", more)
		}
	}
	r.writeFigures(w)
	if n := r.broken(); n > 0 {
		fmt.Fprintf(w, "\n  it breaks %s\n", countText(n, "promise"))
		return
	}
	fmt.Fprintf(w, "\n  it keeps its promises\n")
}

// slowest returns the things that take longest in large documents, up to most.
func (r *Report) slowest(most int) []Measure {
	list := slices.Clone(r.Measures)
	slices.SortStableFunc(list, func(a, b Measure) int { return cmp.Compare(b.Estimate, a.Estimate) })
	list = slices.DeleteFunc(list, func(m Measure) bool { return m.Estimate < 1 && m.Fault == "" })
	return list[:min(len(list), most)]
}

// writeFigures prints the measurements.
func (r *Report) writeFigures(w io.Writer) {
	if len(r.Samples) > 0 {
		fmt.Fprintf(w, "\n  %s:\n", countText(len(r.Samples), "sample"))
		for _, s := range r.Samples {
			if s.Refused != "" {
				fmt.Fprintf(w, "    %s (%d bytes) is refused: %s\n", s.Name, s.Size, s.Refused)
			} else {
				fmt.Fprintf(w, "    %s (%d bytes) opens\n", s.Name, s.Size)
			}
		}
	}
	if list := r.slowest(8); len(list) > 0 {
		fmt.Fprintf(w, "\n  slowest in large documents (processor time; growth is an exponent: 1 is linear, 2 quadratic):\n")
		for _, m := range list {
			fmt.Fprintf(w, "    %-40s %6d elements %8.0f ms%s\n", m.What, m.Elements, m.MS, m.growthText())
		}
	}
	if len(r.Budgets) > 0 {
		fmt.Fprintln(w)
		for _, b := range r.Budgets {
			fmt.Fprintf(w, "  %s: %g of %g %s\n", b.What, b.Value, b.Limit, b.Unit)
		}
	}
	for _, want := range r.Wants {
		fmt.Fprintf(w, "  wants %s: %s\n", want.Key(), want.Reason)
	}
	for _, a := range r.Advice {
		fmt.Fprintf(w, "  advice: %s\n", a)
	}
}

// growthText describes the growth, and an estimate for more elements.
func (m *Measure) growthText() string {
	text := ""
	if m.Growth > 0 {
		text = fmt.Sprintf("  growth %.1f", m.Growth)
	}
	if m.Estimate > m.MS {
		text += fmt.Sprintf(", %.0f ms in the largest document", m.Estimate)
	}
	return text
}

func countText(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// promises lists the checks in the order of the report. docs/conformance.md lists them, too, some with details; a test
// compares the two.
func promises() []Check {
	return []Check{
		{ID: "manifest", Promise: "the module has the exports of the ABI and a manifest that the host accepts; a second call returns the same manifest"},
		{ID: "registry", Promise: "every listed verb, query, format and session action exists, and the examples parse and work"},
		{ID: "events", Promise: "an operation that succeeds has events for everything it changed, or changes nothing"},
		{ID: "bystanders", Promise: "an operation changes no element that neither it nor its reply names"},
		{ID: "reverse", Promise: "reversing an operation's events restores the exact bytes and state, and the same answers and refusals"},
		{ID: "replay", Promise: "replaying them gives the same bytes and state again"},
		{ID: "recovery", Promise: "the log replayed on a fresh instance gives equal bytes, state and answers"},
		{ID: "killed", Promise: "a document whose process was killed is rebuilt from its log"},
		{ID: "questions", Promise: "save, state, help, queries and exports change nothing, and answer the same when repeated, or asked for a part"},
		{ID: "refusals", Promise: "a refused operation leaves no trace, and queries, session actions and exports refuse arguments that they do not take"},
		{ID: "batches", Promise: "a failed batch leaves no trace, and a batch has the same effect as its operations one by one"},
		{ID: "tries", Promise: "a refusal's suggestions work, change something, and change nothing that was not named"},
		{ID: "determinism", Promise: "up to 20 runs, with different batches and interspersed questions, give identical output"},
		{ID: "save", Promise: "a saved file contains the changes, opens, and saves as the same bytes"},
		{ID: "folding", Promise: "a saved state, opened again, accepts the rest of the log"},
		{ID: "files", Promise: "a folder's reported changes give the whole folder; changes by others are replayed and reversed; a file that does not parse is a broken file of the document"},
		{ID: "samples", Promise: "a file, sample or damaged copy, is saved as it was opened, or refused with a reason, or opened with a warning that says what changes"},
		{ID: "engines", Promise: "compiled and interpreted, the module gives the same answers to its examples, queries and exports"},
		{ID: "scale", Promise: "documents of thousands of elements are edited, queried and saved within a call, in time proportional to their size"},
		{ID: "tools", Promise: "typed tools answer what their schemas allow, and change only what they declare"},
		{ID: "asking", Promise: "it makes requests only where allowed, for declared wants, within limits, and continues after refusals"},
		{ID: "limits", Promise: "texts, ids and digests keep their limits, are printable and have no prefix of the host"},
		{ID: "endurance", Promise: "no operation, file or early call makes it trap, loop or fall silent"},
	}
}
