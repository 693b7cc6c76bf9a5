package drawing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// namesLaw is what an op may change: what its words or its reply name. A count, such as 40 elements, names nothing.
type namesLaw struct {
	op      string
	verb    string
	words   map[string]bool // of the op
	matched map[int]bool    // by its selectors
	before  map[int]wasElement
}

// wasElement is an element before an op.
type wasElement struct {
	name, tag, text string
	typ, rules      string
	around          []int
	part            bool // of a text, whose lines move with it
}

// words splits a text at what is never part of a name.
func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,:;()#\"'\n", r) }) {
		out[strings.TrimSuffix(w, ".")] = true
	}
	return out
}

// names reports whether a text with these words holds a name.
func names(in map[string]bool, name string) bool {
	for w := range words(name) {
		if !in[w] {
			return false
		}
	}
	return true
}

// recordNames records the document before an op.
func recordNames(s *sketch, op string) *namesLaw {
	f := s.in.Model()
	l := &namesLaw{op: op, words: words(op), matched: map[int]bool{}, before: map[int]wasElement{}}
	l.verb, _, _ = strings.Cut(op, " ")
	if item := grammar.ParseAll([]string{op}, s.rules)[0]; item.Err == nil {
		if sels := item.Op.Op.Selectors; len(sels) > 0 {
			list, _ := f.Matches(s.recent, sels, false)
			for _, n := range list {
				l.matched[n.Key] = true
			}
		}
	}
	if l.verb == "layer" { // by number or label
		for w := range l.words {
			if n, err := f.Layer(w); err == nil {
				l.matched[n.Key] = true
			}
		}
	}
	for n := range f.Root.All() {
		e := wasElement{typ: n.Type, rules: n.Text(), name: f.Ref(n), tag: strings.TrimRight(n.Tag, " />"), text: ownText(f, n), part: n.Type == "tspan"}
		for p := n.Parent; p != nil; p = p.Parent {
			e.around = append(e.around, p.Key)
		}
		l.before[n.Key] = e
	}
	return l
}

// ownText returns the text that is directly in an element of text or rules.
func ownText(f *model.Drawing, n *node) string {
	if f.Mixed(n) {
		return n.Text()
	}
	return ""
}

// deep lists the verbs that change what is in the elements that they name.
var deep = strings.Fields("remove ungroup bool outline clip mask pattern gradient marker filter text")

// lapse returns what an op changed without a word, "" if it kept the law.
func (l *namesLaw) lapse(f *model.Drawing, r abi.Result) string {
	if l.verb == "optimize" { // it is about all
		return ""
	}
	said := words(r.Text + "\n" + strings.Join(r.Warnings, "\n"))
	named := func(key int) bool {
		e, now := l.before[key], f.Node(key)
		if l.matched[key] || names(l.words, e.name) || names(said, e.name) || now != nil && names(said, f.Ref(now)) {
			return true
		}
		return now != nil && (now == f.Root && slices.Contains([]string{"canvas", "fit"}, l.verb) || now.Type == "style" && l.verb == "class" || slices.Contains([]string{"title", "desc"}, now.Type) && (l.verb == "title" || l.verb == "desc"))
	}
	for key, e := range l.before {
		now := f.Node(key)
		if e.typ == "style" && l.verb == "class" && now != nil {
			if other := otherRules(l.words, e.rules); other != otherRules(l.words, now.Text()) {
				return fmt.Sprintf("changed other rules, from %q to %q", e.rules, now.Text())
			}
		}
		if now == nil && e.typ == l.verb || now != nil && strings.TrimRight(now.Tag, " />") == e.tag && ownText(f, now) == e.text {
			continue
		}
		if now == nil && l.verb == "layer" && l.words["remove"] && slices.ContainsFunc(e.around, named) {
			continue
		}
		if named(key) || (e.part || slices.Contains(deep, l.verb)) && slices.ContainsFunc(e.around, named) || strings.Contains(l.op, "text:") && slices.ContainsFunc(e.around, named) {
			continue
		}
		if now == nil {
			return fmt.Sprintf("removed %s, which nothing names", e.name)
		}
		return fmt.Sprintf("changed %s, which nothing names, from %q to %q", e.name, e.tag+e.text, now.Tag+ownText(f, now))
	}
	for n := range f.Root.All() {
		_, old := l.before[n.Key]
		if old || slices.Contains([]string{"copy", "repeat", "layer"}, l.verb) || slices.Contains([]string{"defs", "style", "title", "desc"}, n.Type) {
			continue
		}
		in := false // something that is named
		for p := n; p != nil && p != f.Root; p = p.Parent {
			in = in || names(said, f.Ref(p)) || names(l.words, f.Ref(p))
		}
		if !in {
			return fmt.Sprintf("added %s, which nothing names", f.Ref(n))
		}
	}
	return ""
}

// otherRules returns the rules of a sheet other than that of a class among some words.
func otherRules(words map[string]bool, text string) (out string) {
	for _, r := range css.Parse(text).Rules {
		if !words[strings.TrimPrefix(r.Text, ".")] {
			out += text[r.Start:r.End] + "\n"
		}
	}
	return out
}
