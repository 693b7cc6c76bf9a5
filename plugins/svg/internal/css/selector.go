package css

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Selector is one complex selector: compound selectors and their combinators.
type Selector struct {
	parts []part // left to right
}

// part is a compound selector and its combinator: ' ', '>', '+' or '~'.
type part struct {
	combined byte
	tests    []test
}

// test is a simple selector.
type test struct {
	kind        byte // 't'ype, '#', '.', '[', ':', 'n'ot
	name, value string
	op          string // attribute operator: "", =, ~=, |=, ^=, $=, *=
	a, b        int    // an+b of nth-child
	not         []test
}

// ParseSelectors reads a list of selectors separated by commas.
func ParseSelectors(text string) ([]Selector, error) {
	var out []Selector
	for rest := text; ; {
		n := IndexOutside(rest, ",")
		s, err := parseSelector(strings.TrimSpace(rest[:n]))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
		if n == len(rest) {
			return out, nil
		}
		rest = rest[n+1:]
	}
}

func parseSelector(text string) (Selector, error) {
	var s Selector
	combined := byte(' ')
	for rest := text; rest != ""; {
		tests, n, err := compound(rest)
		if err != nil {
			return s, err
		}
		if n == 0 {
			return s, fmt.Errorf("%q does not start a selector", rest)
		}
		s.parts = append(s.parts, part{combined, tests})
		rest = rest[n:]
		trimmed := strings.TrimLeft(rest, " \t\r\n\f")
		combined = ' '
		if trimmed != "" && strings.IndexByte(">+~", trimmed[0]) >= 0 {
			combined = trimmed[0]
			if trimmed = strings.TrimLeft(trimmed[1:], " \t\r\n\f"); trimmed == "" {
				return s, fmt.Errorf("%q ends with %c", text, combined)
			}
		} else if trimmed != "" && len(trimmed) == len(rest) {
			return s, fmt.Errorf("%q in a selector", rest)
		}
		rest = trimmed
	}
	if len(s.parts) == 0 {
		return s, fmt.Errorf("the selector is empty")
	}
	return s, nil
}

// compound reads a compound selector and returns its length in bytes.
func compound(s string) ([]test, int, error) {
	var out []test
	at := 0
	for at < len(s) {
		switch c := s[at]; {
		case c == '*':
			out = append(out, test{kind: 't', name: "*"})
			at++
		case c == '#' || c == '.':
			n, word := ident(s[at+1:])
			if n == 0 {
				return nil, 0, fmt.Errorf("%c without a name", c)
			}
			out = append(out, test{kind: c, name: word})
			at += 1 + n
		case c == '[':
			end := strings.IndexByte(s[at:], ']')
			if end < 0 {
				return nil, 0, fmt.Errorf("[ without ]")
			}
			out = append(out, attribute(s[at+1:at+end]))
			at += end + 1
		case c == ':':
			t, n, err := pseudo(s[at:])
			if err != nil {
				return nil, 0, err
			}
			out = append(out, t)
			at += n
		default:
			n := name(s[at:])
			if n == 0 || len(out) > 0 {
				return out, at, nil
			}
			out = append(out, test{kind: 't', name: s[at : at+n]})
			at += n
		}
	}
	return out, at, nil
}

func name(s string) int {
	i := 0
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '_' || s[i] >= 0x80) {
		i++
	}
	return i
}

func attribute(s string) test {
	t := test{kind: '[', name: strings.TrimSpace(s)}
	if i := strings.IndexByte(s, '='); i > 0 {
		from := i
		if strings.IndexByte("~|^$*", s[i-1]) >= 0 {
			from--
		}
		t.name, t.op, t.value = strings.TrimSpace(s[:from]), s[from:i+1], strings.Trim(strings.TrimSpace(s[i+1:]), `"'`)
	}
	return t
}

func pseudo(s string) (test, int, error) {
	n := 1 + name(s[1:])
	t := test{kind: ':', name: s[1:n]}
	args := ""
	if n < len(s) && s[n] == '(' {
		end := n + 1 + IndexOutside(s[n+1:], ")")
		if end >= len(s) {
			return t, 0, fmt.Errorf(":%s( without )", t.name)
		}
		args, n = strings.TrimSpace(s[n+1:end]), end+1
	}
	switch t.name {
	case "first-child":
		t.name, t.b = "nth-child", 1
	case "last-child":
		t.name, t.b = "nth-last-child", 1
	case "only-child", "root":
	case "nth-child", "nth-last-child":
		var err error
		if t.a, t.b, err = nth(args); err != nil {
			return t, 0, err
		}
	case "not":
		tests, k, err := compound(args)
		if err != nil || k != len(args) || k == 0 {
			return t, 0, fmt.Errorf(":not(%s) is not supported here", args)
		}
		t.kind, t.not = 'n', tests
	default:
		return t, 0, fmt.Errorf("unknown :%s", t.name)
	}
	return t, n, nil
}

// nth reads an+b.
func nth(s string) (a, b int, err error) {
	switch s = strings.ReplaceAll(s, " ", ""); s {
	case "odd":
		return 2, 1, nil
	case "even":
		return 2, 0, nil
	}
	if head, tail, ok := strings.Cut(s, "n"); ok {
		switch head {
		case "", "+":
			a = 1
		case "-":
			a = -1
		default:
			a, err = strconv.Atoi(head)
		}
		s = tail
	}
	if s != "" && err == nil {
		b, err = strconv.Atoi(strings.TrimPrefix(s, "+"))
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%q is not of the form an+b", s)
	}
	return a, b, nil
}

// Specificity returns the selector's specificity: the rule with the higher one wins.
func (s Selector) Specificity() int {
	sum := 0
	for _, p := range s.parts {
		sum += weight(p.tests)
	}
	return sum
}

func weight(tests []test) int {
	sum := 0
	for _, t := range tests {
		switch t.kind {
		case '#':
			sum += 1 << 20
		case '.', '[', ':':
			sum += 1 << 10
		case 't':
			if t.name != "*" {
				sum++
			}
		case 'n':
			sum += weight(t.not)
		}
	}
	return sum
}

// Beside reports whether earlier siblings of an element can decide whether the selector
// matches it.
func (s Selector) Beside() bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.combined == '+' || p.combined == '~' })
}

// Placed reports whether the siblings of an element can decide whether the selector matches it.
func (s Selector) Placed() bool {
	return s.Beside() || slices.ContainsFunc(s.parts, func(p part) bool { return placed(p.tests) })
}

func placed(tests []test) bool {
	return slices.ContainsFunc(tests, func(t test) bool { return t.kind == ':' && t.name != "root" || placed(t.not) })
}

// Matches reports whether the selector matches a node.
func (s Selector) Matches(d *tree.Doc, n *tree.Node) bool { return matches(d, n, s.parts) }

// AnyMatches reports whether one of several selectors matches a node.
func AnyMatches(list []Selector, d *tree.Doc, n *tree.Node) bool {
	return slices.ContainsFunc(list, func(s Selector) bool { return s.Matches(d, n) })
}

func matches(d *tree.Doc, n *tree.Node, parts []part) bool {
	last := parts[len(parts)-1]
	if !all(d, n, last.tests) {
		return false
	}
	rest := parts[:len(parts)-1]
	if len(rest) == 0 {
		return true
	}
	switch last.combined {
	case '>':
		return n.Parent != nil && matches(d, n.Parent, rest)
	case '+':
		return n.Prev != nil && matches(d, n.Prev, rest)
	case '~':
		for m := n.Prev; m != nil; m = m.Prev {
			if matches(d, m, rest) {
				return true
			}
		}
		return false
	}
	for m := n.Parent; m != nil; m = m.Parent {
		if matches(d, m, rest) {
			return true
		}
	}
	return false
}

func all(d *tree.Doc, n *tree.Node, tests []test) bool {
	for i := range tests {
		if !tests[i].matches(d, n) {
			return false
		}
	}
	return true
}

func (t *test) matches(d *tree.Doc, n *tree.Node) bool {
	switch t.kind {
	case 't':
		return t.name == "*" || d.Type(n) == t.name
	case '#':
		return n.ID() == t.name
	case '.':
		return HasClass(n, t.name)
	case '[':
		return t.attribute(n)
	case 'n':
		return !all(d, n, t.not)
	}
	switch t.name {
	case "root":
		return n.Parent == nil
	case "only-child":
		return n.Parent != nil && n.Prev == nil && n.Next == nil
	}
	if n.Parent == nil {
		return false
	}
	i := 0
	for m := n; m != nil; i++ {
		if t.name == "nth-child" {
			m = m.Prev
		} else {
			m = m.Next
		}
	}
	if t.a == 0 {
		return i == t.b
	}
	return (i-t.b)%t.a == 0 && (i-t.b)/t.a >= 0
}

func (t *test) attribute(n *tree.Node) bool {
	v, ok := n.Attr(t.name)
	switch {
	case !ok:
		return false
	case t.op == "":
		return true
	case t.op == "=":
		return v == t.value
	case t.value == "":
		return false
	}
	switch t.op {
	case "~=":
		return slices.Contains(strings.Fields(v), t.value)
	case "|=":
		return v == t.value || strings.HasPrefix(v, t.value+"-")
	case "^=":
		return strings.HasPrefix(v, t.value)
	case "$=":
		return strings.HasSuffix(v, t.value)
	}
	return strings.Contains(v, t.value)
}

// HasClass reports whether a node has a class.
func HasClass(n *tree.Node, class string) bool {
	for w := range strings.FieldsSeq(n.Get("class")) {
		if w == class {
			return true
		}
	}
	return false
}
