package server

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// referenceCard: the description of the tool D says how to use it.
func referenceCard(p *probe) string {
	t := p.s.tool(p.s.names[edit])
	if t == nil {
		fail("there is no tool %s", p.s.names[edit])
	}
	d, where := t.Description, "the description of "+t.Name
	if strings.HasSuffix(t.Name, "_edit") {
		// Unified tools cannot describe each domain: the help describes the open document's.
		p.fresh()
		d, where = p.card(), p.s.names[help]
	}
	var missing []string
	for _, v := range p.verbsOf() {
		if !regexp.MustCompile(`(^|[^A-Za-z0-9-])` + regexp.QuoteMeta(v) + `($|[^A-Za-z0-9-])`).MatchString(d) {
			missing = append(missing, "the verb "+v)
		}
	}
	marks := 0
	for _, m := range "+~*-!@" {
		if regexp.MustCompile("(^|[\\s`|(\"'])" + regexp.QuoteMeta(string(m)) + "([\\s`|)\"'=:]|$)").MatchString(d) {
			marks++
		}
	}
	if marks < 3 {
		missing = append(missing, "a legend of the response prefixes")
	}
	if !regexp.MustCompile(`@[A-Za-z<{]`).MatchString(d) {
		if v, _ := p.findSelecting(); v != "" {
			missing = append(missing, "the selectors, though "+v+" takes @all")
		}
	}
	if !regexp.MustCompile(`[A-Za-z_-]+:[A-Za-z"#<\d]`).MatchString(d) {
		missing = append(missing, "key:value parameters")
	}
	if len(missing) > 0 {
		fail("%s (%d characters) lacks %s", where, len(d), strings.Join(missing, ", "))
	}
	return fmt.Sprintf("%d characters in %s", len(d), where)
}

// responsePrefixes: every result line starts with one.
func responsePrefixes(p *probe) string {
	p.need(1)
	p.fresh()
	seen := map[byte]bool{}
	for _, op := range p.script {
		a := p.do(op)
		lines := strings.Split(strings.TrimSpace(a.Text), "\n")
		if !strings.ContainsRune("+~*-!@", rune(lines[0][0])) {
			fail("the reply to %q begins with no prefix of + ~ * - ! @", op)
		}
		seen[lines[0][0]] = true
	}
	if a := p.edit("zzqxv"); !strings.HasPrefix(strings.TrimSpace(a.Text), "!") {
		fail("the reply to an unknown verb does not begin with !")
	}
	var list []string
	for b := range seen {
		list = append(list, string(b))
	}
	slices.Sort(list)
	return "seen " + strings.Join(list, " ") + " !"
}

// stateDigest: the last line of a reply to an edit, or to an action that changes the document, identifies the state.
func stateDigest(p *probe) string {
	p.need(1)
	p.fresh()
	digests := map[string]string{} // state → digest
	var example string
	look := func(op string) (state string) {
		d := last(p.do(op).Text)
		lines := strings.Split(strings.TrimSpace(p.log[len(p.log)-1].Reply), "\n")
		if len(lines) < 2 || d == "" || strings.ContainsRune("+~*!?", rune(d[0])) {
			fail("the reply to %q does not end with a digest of the document", op)
		}
		state = p.state()
		if was, ok := digests[state]; ok && was != d {
			fail("one state has two digests: %s and %s", was, d)
		}
		digests[state], example = d, d
		return state
	}
	moved := func(action string) (state string) {
		a := p.session(action)
		state = p.state()
		if d, ok := digests[state]; ok && !p.isRefused(a) && last(a.Text) != d {
			fail("the reply to %s does not end with %s, the digest of the current state", action, d)
		}
		return state
	}
	for i, op := range p.script {
		before := p.state()
		after := look(op)
		if moved("undo") == before {
			look(op) // the same state again
			moved("undo")
			moved("redo")
		}
		if p.state() != after {
			p.after(i + 1) // M3 to M5 check that undo and redo work
		}
	}
	// A refusal has that line too, if it is a reply of the tool.
	if a := p.edit("zzqxv"); p.isRefused(a) && !p.s.coded && last(a.Text) != digests[p.state()] {
		fail("the reply to an unknown verb does not end with %s, the digest of the current state", digests[p.state()])
	}
	different := map[string]bool{}
	for _, d := range digests {
		different[d] = true
	}
	if len(digests) > 2 && len(different) == 1 {
		fail("%d states have one digest, %s", len(digests), example)
	}
	return "such as " + example
}

// batchAtomicity: a call that fails leaves nothing behind.
func batchAtomicity(p *probe) string {
	ops := p.need(2)
	p.after(1)
	p.session("undo")
	undone := p.state()
	p.after(1)
	before := p.state()
	a := p.edit(ops[1], "zzqxv Alpha", ops[1])
	if !p.isRefused(a) && !strings.Contains(a.Text, "!") {
		fail("a call with an unknown verb reports no error")
	}
	p.checkState(before, "after a call that failed at its second operation")
	p.session("undo")
	p.checkState(undone, "after a call that failed and undo, compared with undo alone,")
	return "a call that fails at its second operation leaves the document as it was"
}

// indexRebuild: names resolve according to what exists.
func indexRebuild(p *probe) string {
	m, ok := p.maker()
	if !ok {
		skip("no operation was found that creates something with a name")
	}
	op, name := m.op, m.name
	p.after(m.at)
	missing := p.query("describe " + name)
	p.do(op)
	made := p.state()
	there := p.query("describe " + name)
	if p.isRefused(there) || there.Text == missing.Text {
		skip("describe %s does not find what %q created", name, op)
	}
	if p.session("undo"); p.state() == made {
		skip("undo does not work, which M3 to M5 report")
	}
	if gone := p.query("describe " + name); !p.isRefused(gone) && gone.Text == there.Text {
		fail("%s is still found after its creation was undone", name)
	}
	p.must("redo")
	if again := p.query("describe " + name); again.Text != there.Text {
		fail("%s is not found as before after its creation was redone", name)
	}
	// The op works again after its undo.
	p.must("undo")
	if p.isRefused(p.edit(op)) {
		fail("%q is refused after it was undone", op)
	}
	return "describe " + name + " follows undo and redo"
}

// describeHistory: both queries answer.
func describeHistory(p *probe) string {
	p.need(1)
	all := p.makers()
	p.fresh()
	none := p.query("history 3")
	p.do(p.script...)
	a := p.query("history 3")
	if p.isRefused(a) || strings.TrimSpace(a.Text) == "" {
		fail("the query history 3 does not answer")
	}
	if a.Text == none.Text {
		fail("history 3 answers the same after operations as on a new document")
	}
	if len(all) == 0 {
		return "history; no named entity was found to describe"
	}
	op, name := all[0].op, all[0].name
	p.after(all[0].at)
	missing := p.query("describe " + name)
	p.do(op)
	if a := p.query("describe " + name); p.isRefused(a) || strings.TrimSpace(a.Text) == "" {
		fail("describe %s does not answer, although %q created it", name, op)
	} else if a.Text == missing.Text {
		fail("describe %s answers the same before and after %q created it", name, op)
	}
	p.checkDistinct(all[0], all[1:])
	p.checkFollows(all[0])
	return "describe " + name + ", history 3"
}

// checkDistinct fails if one answer describes two elements.
func (p *probe) checkDistinct(one maker, others []maker) {
	for _, other := range others {
		if other.name == one.name {
			continue // made again
		}
		p.after(other.at + 1)
		a, b := p.query("describe "+one.name), p.query("describe "+other.name)
		if !p.isRefused(a) && !p.isRefused(b) && a.Text == b.Text {
			fail("describe %s and describe %s have the same answer", one.name, other.name)
		}
	}
}

// checkFollows fails if a description never changes when properties of the element change.
func (p *probe) checkFollows(m maker) {
	p.after(m.at + 1)
	var changed []string
	for _, op := range p.script[m.at+1:] {
		before := p.query("describe " + m.name)
		a := p.do(op)
		if !slices.Contains(words(op), m.name) || !hasPrefix(firstLine(a.Text), "*") {
			continue
		}
		after := p.query("describe " + m.name)
		if p.isRefused(before) || p.isRefused(after) {
			continue // it was renamed
		}
		if after.Text != before.Text {
			return
		}
		changed = append(changed, op)
	}
	if len(changed) > 0 {
		fail("describe %s answers the same before and after %q", m.name, changed[0])
	}
}
