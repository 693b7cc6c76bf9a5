package css

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Selector is one complex selector: compound selectors and their combinators.
type Selector []Compound // left to right

// Compound is a compound selector and its combinator with what is left of it: ' ', '>', '+' or '~'.
type Compound struct {
	Combined byte
	Tests    []Test
}

// Test is a simple selector.
type Test struct {
	Kind        byte // 't'ype, '#', '.', '[', ':', 'n'ot
	Name, Value string
	Op          string // attribute operator: "", =, ~=, |=, ^=, $=, *=
	A, B        int    // an+b of nth-child and nth-last-child; first-child and last-child are these with 0n+1
	Not         []Test
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
		s = append(s, Compound{combined, tests})
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
	if len(s) == 0 {
		return s, fmt.Errorf("the selector is empty")
	}
	return s, nil
}

// compound reads a compound selector and returns its length in bytes.
func compound(s string) ([]Test, int, error) {
	var out []Test
	at := 0
	for at < len(s) {
		switch c := s[at]; {
		case c == '*':
			out = append(out, Test{Kind: 't', Name: "*"})
			at++
		case c == '#' || c == '.':
			n, word := ident(s[at+1:])
			if n == 0 {
				return nil, 0, fmt.Errorf("%c without a name", c)
			}
			out = append(out, Test{Kind: c, Name: word})
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
			out = append(out, Test{Kind: 't', Name: s[at : at+n]})
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

func attribute(s string) Test {
	t := Test{Kind: '[', Name: strings.TrimSpace(s)}
	if i := strings.IndexByte(s, '='); i > 0 {
		from := i
		if strings.IndexByte("~|^$*", s[i-1]) >= 0 {
			from--
		}
		t.Name, t.Op, t.Value = strings.TrimSpace(s[:from]), s[from:i+1], strings.Trim(strings.TrimSpace(s[i+1:]), `"'`)
	}
	return t
}

func pseudo(s string) (Test, int, error) {
	n := 1 + name(s[1:])
	t := Test{Kind: ':', Name: s[1:n]}
	args := ""
	if n < len(s) && s[n] == '(' {
		end := n + 1 + IndexOutside(s[n+1:], ")")
		if end >= len(s) {
			return t, 0, fmt.Errorf(":%s( without )", t.Name)
		}
		args, n = strings.TrimSpace(s[n+1:end]), end+1
	}
	switch t.Name {
	case "first-child":
		t.Name, t.B = "nth-child", 1
	case "last-child":
		t.Name, t.B = "nth-last-child", 1
	case "only-child", "root":
	case "nth-child", "nth-last-child":
		var err error
		if t.A, t.B, err = nth(args); err != nil {
			return t, 0, err
		}
	case "not":
		tests, k, err := compound(args)
		if err != nil || k != len(args) || k == 0 {
			return t, 0, fmt.Errorf(":not(%s) is not supported here", args)
		}
		t.Kind, t.Not = 'n', tests
	default:
		return t, 0, fmt.Errorf("unknown :%s", t.Name)
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
	for _, p := range s {
		sum += weight(p.Tests)
	}
	return sum
}

// Key returns what an element has to be for the selector to match it: "#id", ".class", a type, or "" for any element.
func (s Selector) Key() string {
	key := ""
	for _, t := range s[len(s)-1].Tests {
		switch {
		case t.Kind == '#':
			return "#" + t.Name
		case t.Kind == '.':
			key = "." + t.Name
		case t.Kind == 't' && t.Name != "*" && key == "":
			key = t.Name
		}
	}
	return key
}

func weight(tests []Test) int {
	sum := 0
	for _, t := range tests {
		switch t.Kind {
		case '#':
			sum += 1 << 20
		case '.', '[', ':':
			sum += 1 << 10
		case 't':
			if t.Name != "*" {
				sum++
			}
		case 'n':
			sum += weight(t.Not)
		}
	}
	return sum
}

// Beside reports whether earlier siblings of an element can decide whether the selector
// matches it.
func (s Selector) Beside() bool {
	return slices.ContainsFunc(s, func(p Compound) bool { return p.Combined == '+' || p.Combined == '~' })
}

// Placed reports whether the siblings of an element can decide whether the selector matches it.
func (s Selector) Placed() bool {
	return s.Beside() || slices.ContainsFunc(s, func(p Compound) bool { return placed(p.Tests) })
}

func placed(tests []Test) bool {
	return slices.ContainsFunc(tests, func(t Test) bool { return t.Kind == ':' && t.Name != "root" || placed(t.Not) })
}
