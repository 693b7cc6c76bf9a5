package picture

import (
	"slices"
	"strings"
)

// rule is a rule of a style element for one selector.
type rule struct {
	// parts are the compounds of the selector in reverse: the first one is for the element itself, the others for its
	// ancestors.
	parts  []compound
	body   []declaration
	weight int // specificity: ids count most, then classes and attributes, then names
}

// compound is a selector of one element.
type compound struct {
	tag, id string
	classes []string
	attrs   []test
	first   bool // :first-child
	child   bool // the next compound is for its parent rather than any ancestor
}

// test is a condition on an attribute, such as [key], [key=value] or [key^=value].
type test struct {
	key, value string
	how        byte // 0 for any value
}

type declaration struct {
	key, value string
	important  bool
}

const (
	// maxRules limits the rules that each element is tested against.
	maxRules = 200
	// maxCompounds limits the compounds of a rule.
	maxCompounds = 8
)

// matches reports whether the rule applies to n, and counts the work for selectors of several compounds.
func (r *rule) matches(n *node, work *int) bool {
	if !r.parts[0].matches(n) {
		return false
	}
	last := uint(len(r.parts) - 1)
	if last == 0 {
		return true
	}
	// Bit sets of the compounds that may match the next ancestor: only this one, or this one and any above.
	var here, above uint
	wait := func(i uint) {
		if r.parts[i].child {
			here |= 2 << i
		} else {
			above |= 2 << i
		}
	}
	wait(0)
	for n = n.parent; n != nil && here|above != 0; n = n.parent {
		*work -= 4
		now := here | above
		here = 0
		for i := uint(1); i <= last; i++ {
			if now>>i&1 == 0 || !r.parts[i].matches(n) {
				continue
			}
			if i == last {
				return true
			}
			wait(i)
		}
	}
	return false
}

func (c *compound) matches(n *node) bool {
	if c.tag != "" && c.tag != n.name || c.id != "" && c.id != n.attr("id") {
		return false
	}
	if len(c.classes) > 0 {
		have := n.attr("class")
		for _, class := range c.classes {
			if !hasWord(have, class) {
				return false
			}
		}
	}
	if c.first && n.parent != nil {
		for _, k := range n.parent.kids {
			if k.name != "" {
				if k != n {
					return false
				}
				break
			}
		}
	}
	for i := range c.attrs {
		if !c.attrs[i].holds(n) {
			return false
		}
	}
	return true
}

// hasWord reports whether a space-separated list contains a word.
func hasWord(list, word string) bool {
	if list == word {
		return true
	}
	if !strings.Contains(list, word) {
		return false
	}
	return slices.Contains(strings.Fields(list), word)
}

func (t *test) holds(n *node) bool {
	v, ok := n.find(t.key)
	switch t.how {
	case 0:
		return ok
	case '=':
		return ok && v == t.value
	case '~':
		return t.value != "" && hasWord(v, t.value)
	case '|':
		return v == t.value || strings.HasPrefix(v, t.value+"-")
	case '^':
		return t.value != "" && strings.HasPrefix(v, t.value)
	case '$':
		return t.value != "" && strings.HasSuffix(v, t.value)
	}
	return t.value != "" && strings.Contains(v, t.value)
}

// rulesOf reads a style sheet. It skips rules with unsupported selectors, and @ rules. have is the number of rules read
// before; all is false if it skipped a selector.
func rulesOf(css string, have int) (out []rule, all bool) {
	all = true
	css = uncommented(strings.NewReplacer("<!--", "", "-->", "").Replace(css))
	for have+len(out) < maxRules {
		if css = strings.TrimLeft(css, " \t\r\n"); strings.HasPrefix(css, "@") {
			css = afterAtRule(css)
			continue
		}
		selectors, rest, ok := strings.Cut(css, "{")
		body, next, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			break
		}
		css = next
		var declared []declaration
		declarations(body, func(d declaration) { declared = append(declared, d) })
		for one := range strings.SplitSeq(selectors, ",") {
			r, ok := selector(one)
			if !ok || have+len(out) >= maxRules {
				all = false
				continue
			}
			r.body = declared
			out = append(out, r)
		}
	}
	return out, all && (have+len(out) < maxRules || !strings.Contains(css, "{"))
}

// uncommented is CSS with a space in place of each comment.
func uncommented(css string) string {
	if !strings.Contains(css, "/*") {
		return css
	}
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(css, "/*")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		out.WriteByte(' ')
		_, css, _ = strings.Cut(rest, "*/")
	}
}

// afterAtRule returns what follows an @ rule and its block.
func afterAtRule(css string) string {
	depth := 0
	for i := range len(css) {
		switch css[i] {
		case '{':
			depth++
		case '}':
			depth--
			if depth <= 0 {
				return css[i+1:]
			}
		case ';':
			if depth == 0 {
				return css[i+1:]
			}
		}
	}
	return ""
}

// declarations calls each for the declarations in a block or in a style attribute.
func declarations(css string, each func(declaration)) {
	css = uncommented(css)
	for css != "" {
		var one string
		one, css, _ = strings.Cut(css, ";")
		if key, value, ok := strings.Cut(one, ":"); ok {
			value, _, important := strings.Cut(value, "!important")
			each(declaration{strings.TrimSpace(key), strings.TrimSpace(value), important})
		}
	}
}

// selector reads one selector; ok is false for an unsupported one.
func selector(s string) (r rule, ok bool) {
	s = strings.TrimSpace(s)
	child := false
	for s != "" {
		if len(r.parts) == maxCompounds {
			return r, false
		}
		c, rest, weight, ok := readCompound(s)
		if !ok {
			return r, false
		}
		c.child = child
		r.weight += weight
		r.parts = append(r.parts, c)
		s = strings.TrimLeft(rest, " \t\r\n")
		if rest, child = strings.CutPrefix(s, ">"); child {
			if s = strings.TrimLeft(rest, " \t\r\n"); s == "" {
				return r, false
			}
		}
	}
	// From the element upwards.
	slices.Reverse(r.parts)
	return r, len(r.parts) > 0
}

// readCompound reads a compound at the start of s.
func readCompound(s string) (c compound, rest string, weight int, ok bool) {
	if s[0] == '*' {
		s = s[1:]
		ok = true
	} else if c.tag, s = name(s); c.tag != "" {
		weight, ok = 1, true
	}
	for s != "" {
		var word string
		switch s[0] {
		case '#':
			if word, s = name(s[1:]); word == "" {
				return c, s, 0, false
			}
			c.id = word
			weight += 1 << 16
		case '.':
			if word, s = name(s[1:]); word == "" {
				return c, s, 0, false
			}
			c.classes = append(c.classes, word)
			weight += 1 << 8
		case '[':
			inside, after, closed := strings.Cut(s[1:], "]")
			if !closed {
				return c, s, 0, false
			}
			c.attrs = append(c.attrs, readTest(inside))
			weight += 1 << 8
			s = after
		case ':':
			if word, s = name(s[1:]); word != "first-child" {
				return c, s, 0, false
			}
			c.first = true
			weight += 1 << 8
		case ' ', '\t', '\r', '\n', '>':
			return c, s, weight, ok
		default:
			return c, s, 0, false
		}
		ok = true
	}
	return c, s, weight, ok
}

func readTest(s string) test {
	key, value, ok := strings.Cut(s, "=")
	t := test{key: strings.TrimSpace(key)}
	if !ok {
		return t
	}
	t.value, t.how = strings.Trim(strings.TrimSpace(value), `"'`), '='
	if n := len(t.key); n > 0 && strings.IndexByte("~|^$*", t.key[n-1]) >= 0 {
		t.how, t.key = t.key[n-1], strings.TrimSpace(t.key[:n-1])
	}
	return t
}

// name returns the identifier at the start of s.
func name(s string) (word, rest string) {
	i := 0
	for i < len(s) && (s[i]|32 >= 'a' && s[i]|32 <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '_' || s[i] >= 0x80) {
		i++
	}
	return s[:i], s[i:]
}
