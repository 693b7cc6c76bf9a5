package chart

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// PlantUML reads a sequence or class diagram. It ignores styles.
func PlantUML(text string) (*Chart, error) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	lines := strings.Split(text, "\n")
	c := newChart()
	p := &plant{c: c}
	c.Kind = Messages
	for _, l := range lines {
		word, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		if slices.Contains([]string{"class", "interface", "abstract", "enum", "package", "namespace"}, word) || strings.Contains(l, "<|") || strings.Contains(l, "|>") {
			c.Kind = Classes
		}
	}
	if c.Kind == Classes {
		p.classes = &classes{c: c, ns: -1}
	} else {
		p.messages = newMessages(c)
	}
	if err := run(p, &p.at, lines, 0); err != nil {
		return nil, err
	}
	if c.empty() {
		return nil, &Error{1, "the text draws nothing: A -> B: text is a message, class A { } is a class"}
	}
	return c, c.check(len(lines))
}

// plant reads PlantUML by translating its lines for Mermaid's readers.
type plant struct {
	at
	c        *Chart
	messages *messages
	classes  *classes
	skip     string // line that ends a block to be ignored, "" outside one
	note     string // position of a note of several lines, "" outside one
	text     []string
	callers  [][2]int // calls to return from: the caller and the callee
	last     [2]int   // the last message
}

// arrowHints matches the colours and directions in PlantUML's arrows.
var arrowHints = pdk.Regexp(`\[[^\]]*\]|(left|right|up|down|le|ri|do|l|r|u|d)([-.]+)`)

func (p *plant) line(s string, indent int) error {
	if p.skip != "" {
		if s == p.skip {
			p.skip = ""
		}
		return nil
	}
	if p.note != "" {
		if s == "end note" || s == "endnote" {
			text := strings.Join(p.text, "<br>")
			where := p.note
			p.note, p.text = "", nil
			return p.say("Note " + where + ": " + text)
		}
		p.text = append(p.text, s)
		return nil
	}
	word, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	switch lower := strings.ToLower(word); {
	case strings.HasPrefix(s, "@"), strings.HasPrefix(s, "'"), strings.HasPrefix(s, "!"), lower == "hide", lower == "show", lower == "scale", lower == "header", lower == "footer",
		lower == "left" && strings.HasSuffix(s, "direction"), lower == "top" && strings.HasSuffix(s, "direction"), strings.HasPrefix(s, "/'"):
		return nil
	case lower == "left" && rest == "to right direction":
		p.c.Dir = "LR"
		return nil
	case lower == "skinparam":
		if strings.HasSuffix(s, "{") {
			p.skip = "}"
		}
		return nil
	case lower == "title":
		p.c.Title = clean(rest)
		return nil
	}
	if p.classes != nil {
		p.classes.at.line = p.at.line
		return p.class(s, word, rest)
	}
	p.messages.at.line = p.at.line
	return p.sequence(s, strings.ToLower(word), rest)
}

// say passes a line to Mermaid's reader for sequences.
func (p *plant) say(s string) error {
	p.messages.at.line = p.at.line
	before := len(p.messages.s.Steps)
	err := p.messages.line(s, 0)
	for _, step := range p.messages.s.Steps[before:] {
		if step.Kind == Message && !step.Dashed {
			p.last = [2]int{step.From, step.To}
		}
	}
	return err
}

func (p *plant) end() error {
	switch {
	case p.note != "":
		return p.fail("a note has no end")
	case p.classes != nil:
		return p.classes.end()
	case len(p.messages.s.Participants) == 0:
		return nil
	}
	return p.messages.end()
}

func (p *plant) sequence(s, word, rest string) error {
	switch word {
	case "participant", "actor", "boundary", "control", "entity", "database", "collections", "queue":
		kind := pdk.If(word == "actor", "actor", "participant")
		rest, _, _ = strings.Cut(rest, " #")
		rest, _, _ = strings.Cut(rest, " order ")
		name, alias, ok := strings.Cut(rest, " as ")
		name, alias = strings.TrimSpace(name), strings.TrimSpace(alias)
		if ok && strings.HasPrefix(name, `"`) { // such as "Web App" as Web
			return p.say(kind + " " + alias + " as " + name)
		}
		if ok && strings.HasPrefix(alias, `"`) {
			return p.say(kind + " " + name + " as " + alias)
		}
		if ok {
			return p.say(kind + " " + alias + " as " + name)
		}
		return p.say(kind + " " + strings.Trim(name, `"`))
	case "autonumber", "loop", "alt", "opt", "par", "break", "critical", "else", "end":
		if word == "end" && rest == "box" {
			rest = ""
		}
		return p.say(strings.TrimSpace(word + " " + rest))
	case "box":
		label, _, _ := strings.Cut(rest, " #")
		return p.say("box " + label)
	case "also":
		return p.say("and " + rest)
	case "group":
		p.messages.open("group")
		return p.messages.add(Step{Kind: Open, Frame: "group", Text: clean(rest)})
	case "activate", "deactivate":
		who, _, _ := strings.Cut(rest, " #")
		return p.say(word + " " + who)
	case "destroy", "create":
		return nil
	case "return":
		if p.last[0] == p.last[1] && len(p.messages.s.Participants) == 0 {
			return p.fail("return without a message")
		}
		from, to := p.last[1], p.last[0]
		if n := len(p.callers); n > 0 {
			from, to = p.callers[n-1][1], p.callers[n-1][0]
			p.callers = p.callers[:n-1]
		}
		if err := p.messages.add(Step{Kind: Message, From: from, To: to, Text: clean(rest), Dashed: true, Head: "block"}); err != nil {
			return err
		}
		return p.messages.add(Step{Kind: Deactivate, From: from, To: from})
	case "note", "rnote", "hnote":
		rest, _, _ = strings.Cut(rest, " #")
		if side, text, ok := strings.Cut(rest, ":"); ok {
			return p.say("Note " + p.beside(side) + ": " + text)
		}
		p.note = p.beside(rest)
		return nil
	}
	switch {
	case strings.HasPrefix(s, "=="):
		if n := len(p.messages.s.Participants); n > 0 {
			return p.messages.add(Step{Kind: Note, From: 0, To: n - 1, Side: "over", Text: clean(strings.Trim(s, "= "))})
		}
		return nil
	case strings.HasPrefix(s, "..."), strings.HasPrefix(s, "|||"), strings.HasPrefix(s, "||"):
		return nil
	}
	return p.arrow(s)
}

// beside completes "left" or "right" with a participant of the last message.
func (p *plant) beside(where string) string {
	where = strings.TrimSpace(where)
	if (where == "left" || where == "right") && len(p.messages.s.Participants) > 0 {
		who := p.last[1]
		if where == "left" {
			who = min(p.last[0], p.last[1])
		} else {
			who = max(p.last[0], who)
		}
		return where + " of " + p.messages.s.Participants[who].ID
	}
	return strings.ReplaceAll(where, `"`, "")
}

// arrowSign matches an arrow of PlantUML's sequences.
var arrowSign = pdk.Regexp(`(<<?|[xo]?<<?)?([-]+)(>>?[xo]?|x|\\\\?|//?)?`)

func (p *plant) arrow(s string) error {
	head, text, _ := strings.Cut(s, ":")
	head = arrowHints().ReplaceAllString(head, "$2")
	at := arrowSign().FindStringSubmatchIndex(head)
	if at == nil || at[0] == 0 {
		return p.fail("neither a message (A -> B: text) nor a known word: %.40q", s)
	}
	sign := head[at[0]:at[1]]
	from, to := strings.Trim(strings.TrimSpace(head[:at[0]]), `"`), strings.TrimSpace(head[at[1]:])
	marks := ""
	for _, m := range []string{"++", "--", "**", "!!"} {
		if rest, ok := strings.CutSuffix(to, m); ok {
			to, marks = strings.TrimSpace(rest), m
		}
	}
	to = strings.Trim(to, `"`)
	back := strings.Contains(sign, "<") && !strings.Contains(sign, ">")
	if back {
		from, to = to, from
	}
	mermaid := "->>"
	switch dashed := strings.Contains(sign, "--"); {
	case strings.HasSuffix(sign, "x"):
		mermaid = "-x"
	case strings.Contains(sign, ">>") || strings.Contains(sign, "<<"):
		mermaid = "-)"
	case !strings.ContainsAny(sign, "<>"):
		mermaid = "->"
	case strings.Contains(sign, "<") && strings.Contains(sign, ">"):
		mermaid = "<<->>"
		if dashed {
			mermaid = "<<-->>"
		}
	}
	if strings.Contains(sign, "--") && !strings.HasPrefix(mermaid, "<<") {
		mermaid = "-" + mermaid
	}
	if err := p.say(from + mermaid + to + ":" + text); err != nil {
		return err
	}
	a, b := p.messages.s.who(from), p.messages.s.who(to)
	switch marks {
	case "++":
		p.callers = append(p.callers, [2]int{a, b})
		return p.messages.add(Step{Kind: Activate, From: b, To: b})
	case "--":
		return p.messages.add(Step{Kind: Deactivate, From: a, To: a})
	}
	return nil
}

func (p *plant) class(s, word, rest string) error {
	switch word {
	case "class", "interface", "abstract", "enum", "annotation", "entity", "struct":
		return p.declare(word, rest)
	case "package", "namespace":
		name := strings.TrimSpace(strings.TrimSuffix(rest, "{"))
		name, _, _ = strings.Cut(name, " #")
		return p.classes.line("namespace "+strings.Trim(name, `"`)+" {", 0)
	case "note":
		if !strings.Contains(rest, ":") && !strings.Contains(rest, " as ") {
			p.skip = "end note"
		}
		return nil
	case "together":
		return nil
	}
	if p.classes.open == "" {
		s = arrowHints().ReplaceAllString(s, "$2")
	} else if s == "--" || s == ".." || s == "==" || s == "__" { // a separator between members
		return nil
	} else {
		s = strings.NewReplacer("{static} ", "", "{abstract} ", "", "{field} ", "", "{method} ", "").Replace(s)
	}
	if p.classes.open == "" {
		if i, j := link(s); i >= 0 { // A ---> B means A --> B
			for j < len(s) && (s[j] == '-' || s[j] == '.') {
				s = s[:j] + s[j+1:]
				_, j = link(s)
			}
		}
	}
	return p.classes.line(s, 0)
}

// declare reads the declaration of a class, interface, enum or the like after its keyword.
func (p *plant) declare(word, rest string) error {
	kind := ""
	switch word {
	case "abstract":
		rest = strings.TrimSpace(strings.TrimPrefix(rest, "class "))
		kind = "abstract"
	case "interface", "enum", "annotation":
		kind = word
	}
	body := strings.HasSuffix(rest, "{")
	rest = strings.TrimSpace(strings.TrimSuffix(rest, "{"))
	rest, _, _ = strings.Cut(rest, " #")
	var parents [][2]string
	for _, w := range []string{" implements ", " extends "} {
		if head, of, ok := strings.Cut(rest, w); ok {
			rest = head
			for _, name := range strings.Split(of, ",") {
				parents = append(parents, [2]string{strings.TrimSuffix(strings.TrimSpace(w), "s"), strings.TrimSpace(name)})
			}
		}
	}
	name, label := rest, ""
	if long, alias, ok := strings.Cut(rest, " as "); ok {
		name, label = alias, strings.Trim(strings.TrimSpace(long), `"`)
	}
	name = strings.TrimSpace(strings.Trim(name, `"`))
	if i := strings.Index(name, "<<"); i > 0 {
		kind = strings.Trim(name[i:], "<> ")
		name = strings.TrimSpace(name[:i])
	}
	if name == "" {
		return p.fail("%s needs a name", word)
	}
	n := p.classes.touch(name)
	if label != "" {
		n.Label = label
	}
	if kind != "" {
		p.classes.stereotype(n, kind)
	}
	for _, of := range parents {
		relation := pdk.If(of[0] == "implement", "implements", "inherits")
		p.c.Edges = append(p.c.Edges, Edge{From: name, To: p.classes.touch(of[1]).ID, Relation: relation, Tail: "none", Head: "none", line: p.at.line})
	}
	if body {
		p.classes.open, p.classes.opened = name, append(p.classes.opened, p.at.line)
	}
	return nil
}
