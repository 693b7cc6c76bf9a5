package server

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
)

// lifecycle: new, open, save, save as, checkpoint, undo, undo to, redo.
func lifecycle(p *probe) string {
	ops := p.need(2)
	p.must(p.newAction("Conformance"))
	empty := p.state()
	path := "./conformance" + p.extension()
	p.do(ops[0])
	one := p.state()
	if one == empty {
		fail("the operation changes nothing that map or stats show")
	}
	p.must("save as:" + path)
	file := filepath.Join(p.dir, path)
	first, err := os.ReadFile(file)
	if err != nil || len(first) == 0 {
		fail("save as:%s wrote no file there", path)
	}
	p.must("checkpoint first-point")
	p.do(ops[1])
	two := p.state()
	p.must("save")
	if second, err := os.ReadFile(file); err != nil || string(second) == string(first) {
		fail("save did not write the change to the path of save as:")
	}
	undone := shape(p.must("undo to:first-point").Text, "first-point")
	p.checkState(one, "after undo to:first-point")
	p.must("redo")
	p.checkState(two, "after redo")
	p.must("undo")
	p.checkState(one, "after undo")
	p.must("redo")
	p.must(p.newAction("Another"))
	another := p.state()
	if another == two {
		fail("new did not start a fresh document")
	}
	p.session("undo")
	p.checkState(another, "after new and undo, with nothing done between them,")
	opened := shape(p.must("open "+path).Text, path)
	if p.state() == empty {
		fail("open %s gives an empty document", path)
	}
	missing := "./does-not-exist" + filepath.Ext(path)
	p.checkRejected("open "+missing, missing, "opening a file that does not exist", opened)
	p.checkRejected("undo to:no-such-checkpoint", "no-such-checkpoint", "undo to: a checkpoint that does not exist", undone)
	p.checkReopened("./whole" + p.extension())
	return "new, open, save, save as:, checkpoint, undo, undo to:, redo"
}

// checkReopened fails unless everything that the ops created exists after a save and an open. Titles, order and numbers may
// differ: each line of the answers must mention the same words of the ops.
func (p *probe) checkReopened(path string) {
	p.fresh()
	now := p.state()
	best, most := 0, len(now)
	for i, op := range p.script {
		p.do(op)
		if now = p.state(); len(now) >= most {
			best, most = i+1, len(now)
		}
	}
	var words []string
	for _, op := range p.script[:best] {
		parsed, err := grammar.Parse(op, grammar.Rules{})
		if err != nil || parsed.Verb == "define" {
			continue // the session may own its custom types
		}
		for _, w := range parsed.Positionals {
			if findableWord.MatchString(w.Text) {
				words = append(words, strings.ToLower(w.Text))
			}
		}
	}
	p.after(best)
	p.must("save as:" + path)
	saved := p.state()
	p.fresh()
	p.must("open " + path)
	words = unique(words)
	again := mentions(p.state(), words)
	for _, t := range mentions(saved, words) {
		if !slices.ContainsFunc(again, func(other mention) bool { return other.covers(t) }) {
			fail("after save and open, no line of the answers mentions everything that this line mentioned: %s", clip(t.line, 300))
		}
	}
}

// findableWord matches a word that is long enough to be found in an answer.
var findableWord = regexp.MustCompile(`^\pL[\pL\d _-]{2,}$`)

// mention is a line of an answer, with the number of times it mentions each word.
type mention struct {
	line  string
	words map[string]int
}

func (t mention) covers(other mention) bool {
	for w, n := range other.words {
		if t.words[w] < n {
			return false
		}
	}
	return true
}

// mentions returns the lines of a text that mention any of the words.
func mentions(text string, words []string) []mention {
	var out []mention
	for line := range strings.Lines(text) {
		t := mention{line, map[string]int{}}
		for _, w := range words {
			if n := strings.Count(strings.ToLower(line), w); n > 0 {
				t.words[w] = n
			}
		}
		if len(t.words) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// checkState fails unless the document is in that state.
func (p *probe) checkState(want, when string) {
	if got := p.state(); got != want {
		fail("%s the document differs from before:\nbefore\n%s\nnow\n%s", when, clip(want, 1500), clip(got, 1500))
	}
}

// cursor: an append cuts the redo tail, counts count ops, checkpoints are not counted.
func cursor(p *probe) string {
	ops := p.need(3)
	p.fresh()
	var states []string
	states = append(states, p.state())
	for _, op := range ops {
		p.do(op)
		states = append(states, p.state())
	}
	detail := p.moveTwo("undo", states[3], states[2], states[1])
	detail += p.moveTwo("redo", states[1], states[2], states[3])
	p.must("undo")
	p.checkState(states[2], "after undo")
	p.must("checkpoint here")
	p.must("undo")
	p.checkState(states[1], "after a checkpoint and undo, which skips it without counting,")
	// Appending cuts the redo tail.
	p.do(ops[1])
	p.checkState(states[2], "after the same operation again")
	p.session("redo")
	p.session("redo")
	p.checkState(states[2], "after an operation that cut the redo tail, and redo,")
	p.must("undo")
	p.must("checkpoint a")
	p.do(ops[1])
	p.do(ops[2])
	p.must("undo to:a")
	p.checkState(states[1], "after a checkpoint, two operations and undo to it,")
	return "counts, the cut redo tail, checkpoints" + detail
}

// moveTwo undoes or redoes two ops in one action. The specification does not require a count, so a server that refuses it
// gets two actions; one that accepts it must obey it.
func (p *probe) moveTwo(action, from, between, to string) (detail string) {
	p.session(action + " 2")
	switch p.state() {
	case from:
		p.must(action)
		p.checkState(between, "after "+action)
		p.must(action)
		detail = ", " + action + " one at a time"
	case between:
		fail("%s 2 is accepted but moves by one operation", action)
	}
	p.checkState(to, "after "+action+" of two operations")
	return detail
}

// reversal: undo and redo of every op that is known to work are exact.
func reversal(p *probe) string {
	p.need(1)
	p.fresh()
	for _, op := range p.script {
		before := p.state()
		p.do(op)
		after := p.state()
		p.must("undo")
		p.checkState(before, fmt.Sprintf("after %q and undo", op))
		p.must("redo")
		p.checkState(after, fmt.Sprintf("after %q, undo and redo", op))
	}
	for range p.script {
		p.must("undo")
	}
	now := p.state()
	p.fresh()
	p.checkState(now, "after undoing every operation, compared with a new document,")
	return fmt.Sprintf("%d operations, each undone and redone", len(p.script))
}
