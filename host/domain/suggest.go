package domain

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

// universal lists synonyms of the verbs, queries and actions that every domain has. A domain's own names and synonyms
// come first.
func universal() []abi.Synonym {
	return []abi.Synonym{
		{Word: "delete", Means: "remove"}, {Word: "del", Means: "remove"}, {Word: "rm", Means: "remove"}, {Word: "erase", Means: "remove"},
		{Word: "create", Means: "add"}, {Word: "new", Means: "add"}, {Word: "insert", Means: "add"}, {Word: "make", Means: "add"},
		{Word: "set", Means: "modify"}, {Word: "update", Means: "modify"}, {Word: "change", Means: "modify"}, {Word: "edit", Means: "modify"},
		{Word: "duplicate", Means: "copy"}, {Word: "clone", Means: "copy"},
		{Word: "show", Means: "map"}, {Word: "view", Means: "map"}, {Word: "print", Means: "map"}, {Word: "ls", Means: "list"}, {Word: "search", Means: "find"},
		{Word: "info", Means: "describe"}, {Word: "inspect", Means: "describe"},
		{Word: "render", Means: "preview"}, {Word: "screenshot", Means: "preview"}, {Word: "picture", Means: "preview"},
		{Word: "revert", Means: "undo"}, {Word: "rollback", Means: "undo"}, {Word: "write", Means: "save"}, {Word: "store", Means: "save"},
		{Word: "load", Means: "open"}, {Word: "reopen", Means: "open"}, {Word: "import", Means: "open"}, {Word: "saveas", Means: "save"}, {Word: "restore", Means: "recover"},
		{Word: "restore", Means: "undo"}, {Word: "goto", Means: "undo"}, {Word: "start", Means: "new"}, {Word: "create", Means: "new"}, {Word: "quit", Means: "close"}, {Word: "exit", Means: "close"},
		{Word: "get", Means: "describe"}, {Word: "query", Means: "list"}, {Word: "drop", Means: "remove"}, {Word: "destroy", Means: "remove"},
		{Word: "name:", Means: "label:"}, {Word: "name:", Means: "as:"}, {Word: "name:", Means: "title:"}, {Word: "title:", Means: "label:"}, {Word: "title:", Means: "name:"},
		{Word: "text:", Means: "label:"}, {Word: "caption:", Means: "label:"}, {Word: "id:", Means: "as:"},
		{Word: "position:", Means: "at:"}, {Word: "position:", Means: "to:"}, {Word: "pos:", Means: "at:"}, {Word: "pos:", Means: "to:"}, {Word: "at:", Means: "to:"}, {Word: "to:", Means: "at:"},
		{Word: "number:", Means: "count:"}, {Word: "times:", Means: "count:"}, {Word: "n:", Means: "count:"}, {Word: "file:", Means: "as:"}, {Word: "path:", Means: "as:"},
		{Word: "@*", Means: "@all"}, {Word: "@everything", Means: "@all"}, {Word: "@any", Means: "@all"}, {Word: "@last", Means: "@recent"}, {Word: "@latest", Means: "@recent"}, {Word: "@kind", Means: "@type"},
	}
}

// fillers are words in front of an op or query that add nothing; readers are those in front of queries only.
func fillers() []string { return []string{"set", "change", "update", "edit", "apply", "do"} }
func readers() []string { return []string{"get", "show", "view", "print", "display", "read"} }

// Meanings lists the texts that may replace word, likeliest first.
func (d *Domain) Meanings(word string) []string {
	out := []string{word}
	for _, s := range d.synonyms() {
		if s.Word == word {
			out = append(out, s.Means)
		}
	}
	return out
}

// synonyms returns those of the domain and those of all domains, longest first.
func (d *Domain) synonyms() []abi.Synonym {
	all := slices.Concat(d.Manifest.Synonyms, universal())
	slices.SortStableFunc(all, func(a, b abi.Synonym) int { return strings.Count(b.Word, " ") - strings.Count(a.Word, " ") })
	return all
}

// unknownVerb refuses an op whose first word is not a verb. It may be a synonym, a query, an action or a misspelled
// verb.
func (d *Domain) unknownVerb(op *grammar.Op) *abi.Error {
	e := &abi.Error{Message: "unknown verb " + quote(op.Verb), Try: d.Interpret(op)}
	if len(e.Try) > 0 {
		return e
	}
	near := grammar.Nearest(op.Verb, d.verbNames)
	for _, n := range near {
		e.Try = append(e.Try, d.asOp(n+textAfterVerb(op))...)
	}
	switch {
	case len(near) > 0 && len(e.Try) == 0:
		e.Message += "; nearest: " + d.verbs[near[0]].Syntax
	case len(near) == 0:
		e.Message += "; the verbs are " + strings.Join(d.visibleVerbs(), " ")
	}
	return e
}

// Interpret lists what op may mean if its first word is unknown to the tool it was sent to: an op, query or action of the
// same words, with the first ones replaced by their meanings, dropped if they have none, or exchanged if the second is
// the verb.
func (d *Domain) Interpret(op *grammar.Op) (out []abi.Suggestion) {
	add := func(list ...abi.Suggestion) {
		for _, s := range list {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	head, _, _ := strings.Cut(op.Raw, "\n")
	for _, text := range d.readings(head, 2) {
		if list := d.AsSuggestion(text); list != nil {
			add(list...)
		} else if items := grammar.ParseAll([]string{text}, d.Rules); len(items) == 1 && items[0].Err == nil && d.Knows(items[0].Op.Verb) {
			add(abi.Suggestion{Kind: abi.TryOp, Text: text}) // with its other mistakes corrected as well
		}
	}
	for _, w := range readers() {
		if rest, ok := cutWords(head, w); ok && d.takes(abi.TryQuery, rest) {
			add(abi.Suggestion{Kind: abi.TryQuery, Text: rest})
		}
	}
	return out
}

// NearestVerb returns the verb that the first word of op means or misspells; "" if it is more likely a query or an
// action, or like nothing known.
func (d *Domain) NearestVerb(op *grammar.Op) string {
	meant := d.Interpret(op)
	for _, s := range meant {
		if verb, _, _ := strings.Cut(s.Text, " "); s.Kind == abi.TryOp && d.Knows(verb) {
			return verb
		}
	}
	if near := grammar.Nearest(op.Verb, d.verbNames); len(meant) == 0 && len(near) > 0 {
		return near[0]
	}
	return ""
}

// readings lists the texts that text may mean, itself first. A meaning may start with another synonym, up to deep
// times.
func (d *Domain) readings(text string, deep int) []string {
	out := []string{text}
	if deep == 0 {
		return out
	}
	for _, w := range fillers() {
		if rest, ok := cutWords(text, w); ok {
			out = append(out, d.readings(rest, deep-1)...)
		}
	}
	said := 0 // spaces in the words read so far; longer synonyms are more specific
	for _, s := range d.synonyms() {
		if rest, ok := cutWords(text, s.Word); ok && strings.Count(s.Word, " ") >= said {
			said = strings.Count(s.Word, " ")
			out = append(out, strings.TrimSpace(s.Means+" "+rest))
		}
	}
	first, rest, _ := strings.Cut(text, " ")
	if parts := d.splitWord(first); parts != "" {
		out = append(out, d.readings(strings.TrimSpace(parts+" "+rest), deep-1)...)
	}
	if second, rest, _ := strings.Cut(strings.TrimSpace(rest), " "); len(out) == 1 && len(grammar.Nearest(first, d.verbNames)) == 0 && d.Knows(strings.ToLower(second)) && !d.Knows(strings.ToLower(first)) {
		out = append(out, strings.TrimSpace(second+" "+first+" "+rest))
	}
	return out
}

// splitWord splits a word into the words it is composed of: set_tempo, addTrack, settempo, and tempo=90 too. It returns ""
// if it has no such parts.
func (d *Domain) splitWord(word string) string {
	if i := strings.IndexAny(word, "=_-:("); i > 0 && i < len(word)-1 {
		return strings.TrimRight(word[:i]+" "+word[i+1:], ")")
	}
	starts := append(fillers(), "add", "new", "create", "make", "insert", "delete", "remove")
	for i := 1; i < len(word)-1; i++ {
		camel := unicode.IsLower(rune(word[i-1])) && unicode.IsUpper(rune(word[i]))
		// Try the prefix first: it is short, while the rest may be as long as the word.
		started := func(w string) bool { return len(w) == i && strings.EqualFold(w, word[:i]) }
		if camel || slices.ContainsFunc(starts, started) && d.Knows(strings.ToLower(word[i:])) {
			return word[:i] + " " + strings.ToLower(word[i:])
		}
	}
	return ""
}

// cutWords returns what follows the given words at the start of text, in any case.
func cutWords(text, words string) (rest string, ok bool) {
	rest = strings.TrimSpace(text)
	for w := range strings.FieldsSeq(words) {
		if len(rest) < len(w) || !strings.EqualFold(rest[:len(w)], w) {
			return "", false
		}
		next := strings.TrimLeft(rest[len(w):], " \t\r")
		if len(next) == len(rest)-len(w) && next != "" { // within a word
			return "", false
		}
		rest = next
	}
	return rest, true
}

// textAfterVerb returns the op's text without its first word.
func textAfterVerb(op *grammar.Op) string {
	head, _, _ := strings.Cut(op.Raw, "\n")
	if i := strings.IndexAny(head, " \t\r"); i >= 0 {
		return head[i:]
	}
	return ""
}

// Reorder returns op with words moved to where their form puts them, from other notations: key=value, key value and key:
// value become a parameter; TYPE VALUE and TYPE:VALUE become a selector. It is nil if there are none. sure is false if
// bare words became a selector, since they may be positionals of the verb.
func (d *Domain) Reorder(op *grammar.Op) (slip *grammar.Op, sure bool) {
	v := d.verbs[op.Verb]
	if v == nil || op.Block != nil {
		return nil, false
	}
	sure = true
	out := *op
	out.Positionals, out.Params, out.Selectors, out.Arrows = nil, nil, slices.Clone(op.Selectors), nil
	slipped := false
	put := func(key, value string) bool {
		key = strings.ToLower(key)
		if k := d.meantKey(v, key); k != "" {
			if _, given := op.Param(k); given {
				return false
			}
			if i := slices.IndexFunc(out.Params, func(p abi.KeyValue) bool { return p.Key == k }); i >= 0 {
				out.Params[i].Value += "." + value // a bar and its beat
			} else {
				out.Params = append(out.Params, abi.KeyValue{Key: k, Value: value})
			}
		} else if v.Select && d.selectors[strings.TrimPrefix(key, "@")] {
			key = strings.TrimPrefix(key, "@")
			out.Selectors = append(out.Selectors, abi.Select{Raw: "@" + key + ":" + grammar.Quote(value), Type: key, Value: value})
		} else {
			return false
		}
		slipped = true
		return true
	}
	for i := 0; i < len(op.Positionals); i++ {
		p := op.Positionals[i]
		if word := strings.ToLower(p.Text); !p.Quoted && v.Select && d.bareSelector(word) {
			out.Selectors = append(out.Selectors, abi.Select{Raw: "@" + word, Type: word})
			slipped, sure = true, false
			continue
		}
		if kind, value, ok := strings.Cut(strings.TrimPrefix(p.Text, "@"), ":"); p.Quoted && ok && p.Text[0] == '@' && v.Select && put(kind, value) {
			continue
		}
		if !p.Quoted {
			if key, value, ok := strings.Cut(p.Text, "="); ok && value != "" && put(key, value) {
				continue
			}
			// A word that is itself a key is followed by its value.
			chosen := len(out.Selectors)
			if i+1 < len(op.Positionals) && i >= v.Min-1 && put(strings.TrimSuffix(p.Text, ":"), op.Positionals[i+1].Text) {
				i++
				sure = sure && len(out.Selectors) == chosen
				continue
			}
		}
		if surplus := !p.Quoted && v.Max >= 0 && len(out.Positionals) >= v.Max; surplus && (place.MatchString(p.Text) && put("at", p.Text) || keyOf(v, p.Text) != "" && put(keyOf(v, p.Text), p.Text)) {
			continue
		}
		out.Positionals = append(out.Positionals, p)
	}
	out.Selectors = slices.DeleteFunc(out.Selectors, func(s abi.Select) bool {
		return !d.selectors[s.Type] && s.Value == "" && strings.IndexFunc(s.Type, unicode.IsDigit) == 0 && put("at", s.Type)
	})
	for _, p := range op.Params {
		known := slices.ContainsFunc(v.Params, func(k abi.Param) bool { return k.Key == p.Key })
		key := p.Key
		if k := keyOf(v, p.Value); k != "" && d.meantKey(v, key) == "" {
			key = k
		}
		if known || !put(key, p.Value) {
			out.Params = append(out.Params, p)
		}
	}
	if !slipped || len(op.Arrows) > 0 && len(out.Positionals) != len(op.Positionals) {
		return nil, false
	}
	out.Arrows = op.Arrows
	out.Raw = grammar.Format(out, d.Rules)
	return &out, sure
}

// place matches a bar and its beat.
var place = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

// keyOf returns the only key of a verb that takes one of a list of values, in which value is, or "".
func keyOf(v *abi.Verb, value string) (key string) {
	for _, k := range v.Params {
		_, list, ok := strings.Cut(k.Value, ": ")
		if !ok {
			list = k.Value
		}
		if words := strings.Split(list, "|"); len(words) > 1 && value == strings.ToLower(value) && slices.Contains(words, value) {
			if key != "" {
				return ""
			}
			key = k.Key
		}
	}
	return key
}

// HasKey reports whether a verb declares a key.
func (d *Domain) HasKey(verb, key string) bool {
	v := d.verbs[verb]
	return v != nil && slices.ContainsFunc(v.Params, func(p abi.Param) bool { return p.Key == key })
}

// bareSelector reports whether a word is the type of a selector that needs no value.
func (d *Domain) bareSelector(word string) bool {
	return word == "all" || slices.ContainsFunc(d.Manifest.Selectors, func(s abi.Selector) bool { return s.Syntax == "@"+word })
}

// meantKey returns the key of v that key is, means, or is the first letter of, or "".
func (d *Domain) meantKey(v *abi.Verb, key string) string {
	means := d.Meanings(key)
	for _, m := range d.Meanings(key + ":")[1:] {
		means = append(means, strings.TrimSuffix(m, ":"))
	}
	for _, k := range append(means, key[:min(1, len(key))]) {
		if slices.ContainsFunc(v.Params, func(p abi.Param) bool { return p.Key == k }) {
			return k
		}
	}
	return ""
}

// AsSuggestion returns text as a suggestion of the first kind that accepts it, or nothing.
func (d *Domain) AsSuggestion(text string) []abi.Suggestion {
	for _, kind := range []string{abi.TryOp, abi.TryQuery, abi.TryAction} {
		if d.takes(kind, text) {
			return []abi.Suggestion{{Kind: kind, Text: text}}
		}
	}
	return nil
}

func (d *Domain) asOp(text string) []abi.Suggestion {
	if d.takes(abi.TryOp, text) {
		return []abi.Suggestion{{Kind: abi.TryOp, Text: text}}
	}
	return nil
}

// takes reports whether text is an op, query or action that this domain, or the host for it, accepts by name and form.
func (d *Domain) takes(kind, text string) bool {
	switch kind {
	case abi.TryOp:
		items := grammar.ParseAll([]string{text}, d.Rules)
		if len(items) != 1 || items[0].Err != nil {
			return false
		}
		e, _ := d.validate(&items[0].Op)
		return e == nil
	case abi.TryQuery:
		op, err := grammar.ParseQuery(text)
		if err != nil {
			return false
		}
		return d.Answers(op.Verb) && d.CheckQuery(&op) == nil
	case abi.TryAction:
		op, err := grammar.ParseAction(text)
		return err == nil && (d.HostRuns(op.Verb) ||
			slices.ContainsFunc(d.Manifest.Session, func(s abi.Session) bool { return s.Name == op.Verb }))
	}
	return false
}

// cleanTries drops a plugin's suggestions that are not ops, queries or actions of its own domain, and actions that
// discard or overwrite something, or have lines that read as the host's. A suggestion without a kind gets the kind asked, or the first that accepts it.
func (d *Domain) cleanTries(list []abi.Suggestion, asked string) []abi.Suggestion {
	var out []abi.Suggestion
	for _, s := range list {
		if s.Text = text(s.Text, maxTryBytes); len(out) == abi.MaxTry {
			break
		}
		switch {
		case s.Kind == "" && d.takes(asked, s.Text):
			out = append(out, abi.Suggestion{Kind: asked, Text: s.Text})
		case s.Kind == "":
			out = append(out, d.AsSuggestion(s.Text)...)
		case d.takes(s.Kind, s.Text):
			out = append(out, s)
		}
	}
	return slices.DeleteFunc(out, func(s abi.Suggestion) bool {
		return d.losesData(s) || reply.MarkRest(d.Name(), s.Text) != s.Text
	})
}

// losesData reports whether a suggestion is a host action that may lose data. A plugin may not suggest those, nor by a synonym.
func (d *Domain) losesData(s abi.Suggestion) bool {
	op, err := grammar.ParseAction(s.Text)
	if s.Kind != abi.TryAction || err != nil || !d.HostRuns(op.Verb) {
		return false
	}
	forced := slices.ContainsFunc(op.Positionals, func(p abi.Positional) bool { return strings.EqualFold(p.Text, "force") })
	return forced || slices.Contains([]string{"close", "discard", "recover", "undo", "redo", "enable", "cancel"}, op.Verb)
}

// maxTryBytes bounds a suggestion: a longer one helps nobody.
const maxTryBytes = 4 << 10
