package jsontree

import (
	"fmt"
	"slices"
	"strings"
)

// maxDepth bounds nesting: deeper values would be a reader's stack, and no format
// that people edit has them.
const maxDepth = 1000

// A SyntaxError says where a text is not JSON, and why.
type SyntaxError struct {
	Offset int // bytes from the start
	Line   int // from 1
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, byte %d: %s", e.Line, e.Offset, e.Reason)
}

// Parse reads a text that holds one value. The error is a *SyntaxError.
func Parse(text string) (*Value, error) { return read(&source{text: text}) }

// ParseNonFinite is Parse for what some libraries write beyond JSON: the numbers NaN,
// Inf and Infinity, with or without a sign, whose Float is 0.
func ParseNonFinite(text string) (*Value, error) {
	return read(&source{text: text, nonFinite: true})
}

func read(src *source) (*Value, error) {
	text := src.text
	p := &parser{s: text, src: src}
	if strings.HasPrefix(text, "\uFEFF") {
		p.at = len("\uFEFF")
	}
	p.space()
	v := p.value(0)
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail("more behind the value")
	}
	if p.err != nil {
		return nil, p.err
	}
	src.root = v
	return v, nil
}

type parser struct {
	s   string
	at  int
	err *SyntaxError

	src      *source // of the values
	copyKeys bool    // so that keys do not keep the text

	values  []Value  // room for the next ones
	members []Member // of the objects that are open, the outermost first
	items   []*Value // of the arrays that are open
}

// fail keeps the first fault, and ends the reading.
func (p *parser) fail(reason string) {
	if p.err == nil {
		at := min(p.at, len(p.s))
		p.err = &SyntaxError{Offset: at, Line: 1 + strings.Count(p.s[:at], "\n"), Reason: reason}
		p.s, p.at = p.s[:at], at
	}
}

func (p *parser) space() {
	for p.at < len(p.s) && isSpace(p.s[p.at]) {
		p.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.s) {
		return p.s[p.at]
	}
	return 0
}

// take goes past c, if it is next.
func (p *parser) take(c byte) bool {
	if p.at < len(p.s) && p.s[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) *Value {
	if len(p.values) == 0 { // many at once, as the text has them: one by one they take twice as long
		p.values = make([]Value, min(1+(len(p.s)-p.at)/32, 64))
	}
	v := &p.values[0]
	p.values = p.values[1:]
	v.Start, v.src = p.at, p.src
	switch c := p.peek(); {
	case depth > maxDepth:
		p.fail("nested too deep")
	case c == '{':
		v.Kind = Object
		p.object(v, depth)
	case c == '[':
		v.Kind = Array
		p.array(v, depth)
	case c == '"':
		v.Kind = String
		p.string()
	case p.src.nonFinite && strings.IndexByte("+-IN", c) >= 0 && p.beyond():
		v.Kind = Number
	case c == '-' || c >= '0' && c <= '9':
		v.Kind = Number
		p.number()
	case c == 't':
		v.Kind = Bool
		p.word("true")
	case c == 'f':
		v.Kind = Bool
		p.word("false")
	case c == 'n':
		p.word("null")
	case p.at >= len(p.s):
		p.fail("the text ends where a value must be")
	default:
		p.fail("no value starts so")
	}
	v.End = p.at
	return v
}

func (p *parser) object(v *Value, depth int) {
	p.at++
	p.space()
	if p.take('}') {
		return
	}
	from := len(p.members)
	p.fields(depth)
	v.Members = slices.Clone(p.members[from:])
	p.members = p.members[:from]
}

// fields reads the members of an object.
func (p *parser) fields(depth int) {
	for p.err == nil {
		p.space()
		m := p.member(depth)
		if p.err != nil {
			return
		}
		p.members = append(p.members, m)
		p.space()
		if p.take('}') {
			return
		}
		if !p.take(',') {
			p.fail("a comma or } must be here")
		}
	}
}

// member reads a member of an object at a depth.
func (p *parser) member(depth int) Member {
	m := Member{Start: p.at}
	if p.peek() != '"' {
		p.fail("a key in quotes must be here")
		return m
	}
	p.string()
	if p.err != nil {
		return m
	}
	m.Key = unquote(p.s[m.Start+1 : p.at-1])
	if p.copyKeys {
		m.Key = strings.Clone(m.Key)
	}
	if p.space(); !p.take(':') {
		p.fail("a colon must be here")
		return m
	}
	p.space()
	m.Value = p.value(depth + 1)
	return m
}

func (p *parser) array(v *Value, depth int) {
	p.at++
	p.space()
	if p.take(']') {
		return
	}
	from := len(p.items)
	p.elements(depth)
	v.Items = slices.Clone(p.items[from:])
	p.items = p.items[:from]
}

// elements reads the items of an array.
func (p *parser) elements(depth int) {
	for p.err == nil {
		p.space()
		item := p.value(depth + 1)
		p.items = append(p.items, item)
		p.space()
		if p.take(']') {
			return
		}
		if !p.take(',') {
			p.fail("a comma or ] must be here")
		}
	}
}

func (p *parser) string() {
	for p.at++; p.at < len(p.s); p.at++ {
		switch c := p.s[p.at]; {
		case c == '"':
			p.at++
			return
		case c < ' ':
			p.fail("a control character stands in a string")
			return
		case c == '\\':
			p.at++
			switch c := p.peek(); {
			case c == 'u':
				for range 4 {
					p.at++
					if c := p.peek() | 0x20; !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') || p.peek() < '0' {
						p.fail(`\u needs four hexadecimal digits`)
						return
					}
				}
			case c == 0 || !strings.ContainsRune(`"\/bfnrt`, rune(c)):
				p.fail(`no escape starts so`)
				return
			}
		}
	}
	p.fail("a string does not end")
}

func (p *parser) number() {
	p.take('-')
	if !p.take('0') {
		p.digits()
	}
	if p.take('.') {
		p.digits()
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		p.digits()
	}
}

// beyond goes past a number that is not finite, if one is next.
func (p *parser) beyond() bool {
	rest := strings.TrimLeft(p.s[p.at:min(p.at+9, len(p.s))], "+-")
	signs := min(p.at+9, len(p.s)) - p.at - len(rest)
	for _, w := range []string{"NaN", "Infinity", "Inf"} {
		if signs <= 1 && strings.HasPrefix(rest, w) {
			p.at += signs + len(w)
			return true
		}
	}
	return false
}

func (p *parser) digits() {
	from := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	if p.at == from {
		p.fail("a digit must be here")
	}
}

func (p *parser) word(w string) {
	if !strings.HasPrefix(p.s[p.at:], w) {
		p.fail("no value starts so")
		return
	}
	p.at += len(w)
}
