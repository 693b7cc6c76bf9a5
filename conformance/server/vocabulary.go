package server

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
)

// most is how many ops are tried to find some that work.
const most = 400

// wanted is how many working ops are enough.
const wanted = 18

// known lists ops of the domains that the specification describes.
func known(domain string) []string {
	switch {
	case strings.Contains(domain, "midi"):
		return []string{"track add Piano instrument:acoustic-grand-piano", "note Piano C4 at:1.1 dur:quarter vel:80",
			"note Piano E4 at:1.2 dur:quarter", "note Piano G4 at:1.3 dur:quarter", "track add Bass",
			"chord Piano Cmaj at:2.1 dur:half", "tempo 100", `marker "Verse 1" at:1.1`, "transpose @track:Piano +2", "remove @pitch:D4"}
	case strings.Contains(domain, "drawio") || strings.Contains(domain, "studio"):
		return []string{"add svc AuthService theme:blue", "add db UserDB", "connect AuthService -> UserDB label:queries",
			"add svc Gateway", "style AuthService fill:#ff0000", `label Gateway "Front Door"`, "remove UserDB"}
	}
	return nil
}

var (
	inCode   = regexp.MustCompile("`([^`\n]+)`")
	inQuotes = regexp.MustCompile(`"([a-z][^"\n]*)"`)
	inMarks  = regexp.MustCompile(`'([a-z][^'\n]*)'`)
	// aside matches where a line's syntax ends and its explanation starts.
	aside    = regexp.MustCompile(`\s+(·|—|–|#|//|- |:: |\x{2192} [a-z])|\s{2,}|\t|\s\(|;\s`)
	optional = regexp.MustCompile(`\[[^\[\]]*\]`)
	verb     = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	bullet   = regexp.MustCompile(`^[-*•>|\s]+|^\d+[.)]\s+`)
	holder   = regexp.MustCompile(`^[<{]?[A-Z][A-Z0-9_]*[>}]?$`)
)

// candidates lists texts that may be ops: examples and syntax lines of a reference card, with placeholders filled in.
func candidates(card string) []string {
	var out []string
	for line := range strings.Lines(card) {
		line = strings.TrimSpace(line)
		for _, re := range []*regexp.Regexp{inCode, inQuotes, inMarks} {
			for _, m := range re.FindAllStringSubmatch(line, -1) {
				out = append(out, fill(m[1])...)
			}
		}
		line = bullet.ReplaceAllString(line, "")
		if i := aside.FindStringIndex(line); i != nil {
			out = append(out, fill(line[:i[0]])...)
		}
		out = append(out, fill(line)...)
		// "Title: add a", "add NAME: adds a name"
		if _, after, ok := strings.Cut(line, ": "); ok {
			out = append(out, fill(after)...)
		}
		if before, _, ok := strings.Cut(line, ": "); ok {
			out = append(out, fill(before)...)
		}
	}
	return unique(out)
}

// fill converts a line of syntax to ops that it may mean, or none.
func fill(syntax string) []string {
	if one, other, ok := strings.Cut(syntax, " | "); ok {
		return append(fill(one), fill(other)...)
	}
	for {
		without := optional.ReplaceAllString(syntax, "")
		if without == syntax {
			break
		}
		syntax = without
	}
	words := strings.Fields(strings.NewReplacer("…", "", "...", "").Replace(syntax))
	if len(words) == 0 || len(words) > 12 {
		return nil
	}
	first, _, _ := strings.Cut(words[0], "|")
	if !verb.MatchString(first) {
		return nil
	}
	var out []string
	for _, name := range []string{"Alpha", "Beta"} {
		op := []string{first}
		for _, w := range words[1:] {
			op = append(op, fillPlaceholder(w, name))
		}
		out = append(out, strings.Join(op, " "))
	}
	if out[0] == out[1] {
		out = out[:1]
	}
	return out
}

// fillPlaceholder replaces a placeholder.
func fillPlaceholder(word, name string) string {
	word, _, _ = strings.Cut(word, "|")
	if key, value, ok := strings.Cut(word, ":"); ok && key != "" && value != "" {
		return key + ":" + fillPlaceholder(value, name)
	}
	if w := strings.Trim(word, "()"); w != "" {
		word = w
	}
	if strings.HasPrefix(word, "<") && strings.HasSuffix(word, ">") && word != "<>" {
		word = strings.ToUpper(strings.Trim(word, "<>"))
	}
	if !holder.MatchString(word) {
		return word
	}
	w := strings.Trim(word, "{}")
	for _, k := range []struct{ has, is string }{
		{"PITCH", "C4"}, {"DUR", "quarter"}, {"POS", "1.1"}, {"M.B", "1.1"}, {"VEL", "80"}, {"SYMBOL", "Cmaj"}, {"CHORD", "Cmaj"},
		{"COLO", "#ff0000"}, {"HEX", "#ff0000"}, {"BPM", "120"}, {"NUM", "4"}, {"COUNT", "2"}, {"SIZE", "100x60"}, {"SEL", "@all"}, {"NEW", "Gamma"},
	} {
		if strings.Contains(w, k.has) {
			return k.is
		}
	}
	switch w {
	case "N", "I", "K", "INDEX", "LEVEL":
		return "1"
	case "X", "Y", "W", "H", "DX", "DY":
		return "100"
	case "A", "FROM", "SRC", "SOURCE":
		return "Alpha"
	case "B", "TO", "DST", "DEST":
		return "Beta"
	}
	return name
}

func unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		was := seen[s]
		seen[s] = true
		return was
	})
}

// learn finds the probe's script: ops that work in this order on a new document and change it. Those that delete come
// last, so that the others find what they need. It also finds out which tools set isError.
func (p *probe) learn(given []string) {
	p.fresh()
	empty := p.state()
	p.flags = [4]bool{edit: p.edit("zzqxv").Failed, query: p.query("zzqxv").Failed, session: p.session("zzqxv").Failed}
	queue := append(slices.Clone(given), known(p.domain())...)
	queue = append(queue, candidates(p.card())...)
	for _, wrong := range []string{"zzqxv", "ad", "remov"} {
		queue = append(queue, p.ops(p.edit(wrong))...)
	}
	l := &learner{p: p, perVerb: map[string]int{}, now: p.state(), given: given, wanted: wanted + len(given)}
	l.work(unique(queue), most)
	again := l.refused // they may have come before what they refer to
	l.refused = nil
	l.work(again, most/2)
	if len(l.refused) > 0 {
		// Another op may have renamed what they refer to: create it again.
		again, l.refused, l.perVerb = slices.DeleteFunc(l.refused, l.knowsVerb), nil, map[string]int{}
		l.work(append(slices.Clone(l.made), again...), most/2)
	}
	l.last, l.wanted = true, l.wanted+3
	l.work(l.late, most)
	p.replay(empty)
}

// replay keeps only the ops of the script that work again on a new document: some may have needed what no query showed,
// or what an undo left behind.
func (p *probe) replay(empty string) {
	if p.fresh(); p.state() != empty {
		return // `new` does not work, which M3 reports
	}
	var again []string
	now := empty
	for _, op := range p.script {
		if p.isRefused(p.edit(op)) {
			continue
		}
		if after := p.state(); after != now {
			again, now = append(again, op), after
		}
	}
	if len(again) > 0 {
		p.script = again
	}
}

// learner tries ops on one document.
type learner struct {
	p       *probe
	made    []string // those of the script that create something
	late    []string // those that delete something
	refused []string
	perVerb map[string]int
	now     string // the document's state
	last    bool   // ops that delete may run now
	given   []string
	wanted  int // ops in the script
}

// knowsVerb reports whether op's verb is in the script.
func (l *learner) knowsVerb(op string) bool {
	verb, _, _ := strings.Cut(op, " ")
	return slices.ContainsFunc(l.p.script, func(s string) bool { return strings.HasPrefix(s, verb+" ") || s == verb })
}

func (l *learner) work(queue []string, tries int) {
	tried := map[string]bool{}
	for ; tries > 0 && len(queue) > 0 && len(l.p.script) < l.wanted; tries-- {
		op := queue[0]
		queue = queue[1:]
		parsed, err := grammar.Parse(op, grammar.Rules{})
		// Ops that the user gave do not count towards wanted.
		extra := slices.Contains(l.given, op)
		if tried[op] || err != nil || l.perVerb[parsed.Verb] >= 3 && !extra {
			continue
		}
		tried[op] = true
		a := l.p.edit(op)
		if l.p.isRefused(a) {
			l.refused = append(l.refused, op)
			for _, s := range l.p.ops(a) {
				queue = append(queue, fill(s)...)
				queue = append([]string{s}, queue...)
			}
			continue
		}
		after := l.p.state()
		if after == l.now {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(a.Text), "-") && !l.last {
			if l.p.session("undo"); l.p.state() != l.now {
				l.p.fresh()
				l.p.edit(l.p.script...)
			}
			if l.p.state() == l.now {
				l.late = append(l.late, op)
				continue
			}
			after = l.p.state()
		}
		if strings.HasPrefix(strings.TrimSpace(a.Text), "+") && !slices.Contains(l.made, op) {
			l.made = append(l.made, op)
		}
		l.p.script, l.now = append(l.p.script, op), after
		if !extra {
			l.perVerb[parsed.Verb]++
		}
	}
}
