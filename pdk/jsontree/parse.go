package jsontree

import (
	"fmt"
	"slices"
	"strings"
)

// maxDepth limits nesting, and so the stack of the recursive parser. Formats that
// people edit do not nest deeper.
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

// ParseNonFinite is Parse that also accepts the numbers NaN, Inf and Infinity, with or
// without a sign, which some libraries write. Their Float is 0.
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
		p.fail("text after the value")
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
	copyKeys bool    // copy keys, so that they do not keep the text in memory

	values  []Value  // memory for the next values
	members []Member // of the open objects, the outermost first
	items   []*Value // of the open arrays, the outermost first
}

// fail records the first error, and ends the parsing.
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

// take skips c if it is the next byte, and reports whether it was.
func (p *parser) take(c byte) bool {
	if p.at < len(p.s) && p.s[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(depth int) *Value {
	if len(p.values) == 0 { // allocate many at once: one by one takes twice as long
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
	case p.src.nonFinite && strings.IndexByte("+-IN", c) >= 0 && p.takeNonFinite():
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
		p.fail("the text ends where a value is expected")
	default:
		p.fail("not the start of a value")
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
			p.fail("expected a comma or }")
		}
	}
}

// member reads a member of an object at a depth.
func (p *parser) member(depth int) Member {
	m := Member{Start: p.at}
	if p.peek() != '"' {
		p.fail("expected a key in quotes")
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
		p.fail("expected a colon")
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
			p.fail("expected a comma or ]")
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
			p.fail("a control character in a string")
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
	p.fail("a string without its closing quote")
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

// takeNonFinite skips a number that is not finite if one is next, and reports whether it
// was.
func (p *parser) takeNonFinite() bool {
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
		p.fail("expected a digit")
	}
}

func (p *parser) word(w string) {
	if !strings.HasPrefix(p.s[p.at:], w) {
		p.fail("not the start of a value")
		return
	}
	p.at += len(w)
}
