package grammar

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Parse reads one op. Newlines separate words like blanks do, except that a block verb takes the lines after its own up
// to its END line. The error is an [*Error].
func Parse(s string, r Rules) (Op, error) {
	s = clean(s)
	if _, isBlock := r.blockEnd(s); !isBlock {
		return withError(parseLine(s, r, reading{what: "op"}))
	}
	src := source{rest: s}
	item, _ := src.op(r)
	if item.Err == nil && strings.Trim(src.rest, separators) != "" {
		item.Err = &Error{
			Message: fmt.Sprintf("text after %q, the line that ends %s", item.Op.End, item.Op.Verb),
			Raw:     excerpt(s),
		}
	}
	return withError(item.Op, item.Err)
}

// ParseAction reads a session action by the same grammar, without any domain's rules: Verb is the action's name, Param("as")
// or Param("to") its parameters, and a quoted title is always positional. The error is an [*Error].
func ParseAction(s string) (Op, error) {
	return withError(parseLine(clean(s), Rules{}, reading{what: "session action"}))
}

// ParseQuery reads a query, whose first word is its name, by the same grammar but leniently: a malformed selector is a
// plain word, and so is a quote that opens after a key and never closes. An empty query, a quoted first word, an exceeded
// limit and an unterminated quote at the start of a word are still errors, of type [*Error].
func ParseQuery(s string) (Op, error) {
	return withError(parseLine(clean(s), Rules{}, reading{what: "query", lenient: true}))
}

// withError converts an *Error to an error, which is nil if err is nil.
func withError(op Op, err *Error) (Op, error) {
	if err != nil {
		return Op{}, err
	}
	return op, nil
}

// reading is what differs between the kinds of text that share the grammar.
type reading struct {
	what    string // what the text is, for messages
	lenient bool
}

// parseLine reads the words of src, which is clean, as one op without a block.
func parseLine(src string, r Rules, as reading) (Op, *Error) {
	if src == "" {
		return Op{}, emptyOp(as.what)
	}
	if len(src) > MaxOpBytes {
		return Op{}, tooLong(src, as.what)
	}
	sc := scanner{src: src, lenient: as.lenient}
	first, _, err := sc.next()
	if err != nil {
		return Op{}, err
	}
	op := Op{Op: abi.Op{Verb: strings.ToLower(first.Text), Raw: src}}
	// Lower-casing can turn a word into a key (the Kelvin sign becomes k), so that a plain character becomes a quote.
	if first.Quoted || op.Verb != first.Text && tokenExtent(op.Verb, 0, false).open >= 0 {
		what := as.what
		if what == "op" {
			what = "verb"
		}
		return Op{}, quotedVerb(src, first, what)
	}
	var params paramList
	for {
		tok, ok, err := sc.next()
		if err != nil {
			return Op{}, err
		}
		if !ok {
			break
		}
		switch classify(tok, r) {
		case selector:
			sel, err := parseSelector(src, tok)
			if err == nil {
				op.Selectors = append(op.Selectors, sel)
				break
			}
			if !as.lenient {
				return Op{}, err
			}
			op.Positionals = append(op.Positionals, abi.Positional{Text: tok.Text})
		case param:
			key, value, _ := strings.Cut(tok.Text, ":")
			params.add(abi.KeyValue{Key: key, Value: value, Quoted: tok.Quoted})
		default:
			if !tok.Quoted && isArrow(tok.Text) {
				op.Arrows = append(op.Arrows, len(op.Positionals))
			}
			op.Positionals = append(op.Positionals, abi.Positional{Text: tok.Text, Quoted: tok.quotedFirst()})
		}
	}
	op.Params, op.Warnings = params.list, params.warnings
	return op, nil
}

// class is what a token after the verb is.
type class uint8

const (
	positional class = iota
	param
	selector
)

// classify applies protocol.md section 2 to a token after the first. The domain's patterns cost most and can only make a
// token positional, so they are asked last, about tokens that would otherwise be parameters.
func classify(tok Token, r Rules) class {
	if tok.quotedFirst() {
		return positional
	}
	if tok.Text[0] == '@' {
		return selector
	}
	key, value, found := strings.Cut(tok.Text, ":")
	if !found || !isKey(key) {
		return positional
	}
	// A value that was quoted is meant as a value, whatever it looks like.
	if !tok.Quoted && (value == "" || strings.HasPrefix(value, "//") || isDrive(key, value) || isCellRange(key, value)) {
		return positional
	}
	if r.Positional != nil && r.Positional(tok.Text) {
		return positional
	}
	return param
}

// isDrive reports whether key:value is the start of a Windows path.
func isDrive(key, value string) bool {
	return len(key) == 1 && isLetter(key[0]) && (value[0] == '\\' || value[0] == '/')
}

// isCellRange reports whether first:last is a range of cells such as A1:F1. Row ranges, ranges with a sheet's name and
// formulas need no rule: the text before their first colon is not a key.
func isCellRange(first, last string) bool { return isCell(first) && isCell(last) }

// isCell reports whether s is one to three letters and a row number.
func isCell(s string) bool {
	letters := 0
	for letters < len(s) && isLetter(s[letters]) {
		letters++
	}
	for i := letters; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return 1 <= letters && letters <= 3 && letters < len(s)
}

func isArrow(s string) bool { return s == "->" || s == "<-" || s == "<->" || s == "--" }

// parseSelector reads the token tok of src, which starts with an unquoted @.
func parseSelector(src string, tok Token) (abi.Select, *Error) {
	const prefix = "not:"
	rest, from := tok.Text[1:], 1
	sel := abi.Select{Raw: tok.Text}
	if strings.HasPrefix(rest, prefix) {
		sel.Negated = true
		rest, from = rest[len(prefix):], from+len(prefix)
	}
	sel.Type, sel.Value, _ = strings.Cut(rest, ":")
	switch {
	case tok.Quoted && tok.From <= from:
		return sel, badSelector(src, tok, "a selector's type is never quoted, only its value",
			"@not:TYPE:"+Quote(tok.Text[tok.From:tok.To]))
	case rest == "not" || sel.Negated && sel.Type == "":
		return sel, badSelector(src, tok, "@not: needs a selector after it, as in @not:TYPE:VALUE", "@not:TYPE:VALUE")
	case sel.Type == "":
		return sel, badSelector(src, tok, "@ needs a selector after it, as in @TYPE:VALUE", "@TYPE:VALUE")
	case sel.Negated && sel.Type == "not":
		return sel, badSelector(src, tok, "a selector is negated once, with one @not:",
			"@"+src[tok.Start+len("@not:not:"):tok.End])
	}
	return sel, nil
}

// paramList collects parameters, each key once.
type paramList struct {
	list     []abi.KeyValue
	warnings []string
	index    map[string]int  // index of each key in list; nil below manyParams
	repeated map[string]bool // keys with a warning
}

// manyParams is the length from which a map is faster than searching the list.
const manyParams = 16

func (l *paramList) add(p abi.KeyValue) {
	if at, ok := l.find(p.Key); ok {
		l.list[at] = p
		if !l.repeated[p.Key] {
			if l.repeated == nil {
				l.repeated = map[string]bool{}
			}
			l.repeated[p.Key] = true
			l.warnings = append(l.warnings, p.Key+": is given more than once; the last value counts")
		}
		return
	}
	if l.list == nil {
		l.list = make([]abi.KeyValue, 0, 4)
	}
	l.list = append(l.list, p)
	if l.index != nil {
		l.index[p.Key] = len(l.list) - 1
	}
}

func (l *paramList) find(key string) (int, bool) {
	if len(l.list) < manyParams {
		for i := range l.list {
			if l.list[i].Key == key {
				return i, true
			}
		}
		return 0, false
	}
	if l.index == nil {
		l.index = make(map[string]int, 2*len(l.list))
		for i := range l.list {
			l.index[l.list[i].Key] = i
		}
	}
	at, ok := l.index[key]
	return at, ok
}
