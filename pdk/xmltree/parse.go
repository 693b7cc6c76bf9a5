package xmltree

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep elements may nest by default.
const MaxDepth = 256

// Limits are limits for untrusted text. Exceeding one is an error.
type Limits struct {
	Depth    int // of elements, 0 for MaxDepth
	Elements int // at most; 0 for any number
}

// Error says why a text is not XML that this package reads.
type Error struct {
	Offset int // in bytes
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason) }

// Parse reads a document: one element, with any prolog and white space,
// comments and processing instructions around it. The error is an *Error.
func Parse(src string) (*Element, error) { return Limits{}.Parse(src) }

// Parse reads a document within the limits.
func (l Limits) Parse(src string) (*Element, error) {
	if i := invalid(src); i >= 0 {
		return nil, &Error{i, "not UTF-8"}
	}
	if l.Depth == 0 {
		l.Depth = MaxDepth
	}
	if l.Elements == 0 {
		l.Elements = len(src)
	}
	p := parser{src: src, limits: l}
	if strings.HasPrefix(src, "\uFEFF") {
		p.pos = 3
	}
	if err := p.run(); err != nil {
		return nil, err
	}
	return p.root, nil
}

func invalid(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

type parser struct {
	src    string
	limits Limits
	pos    int
	root   *Element
	count  int // elements so far
	open   []*Element
	attrs  []Attr    // memory for the attributes of the next elements
	pool   []Element // memory for the next elements
	chunk  int       // the number of elements for which pool was allocated
}

func (p *parser) fail(at int, format string, args ...any) *Error {
	return &Error{at, fmt.Sprintf(format, args...)}
}

func (p *parser) run() error {
	for p.pos < len(p.src) {
		i := strings.IndexByte(p.src[p.pos:], '<')
		text := p.src[p.pos:]
		if i >= 0 {
			text = text[:i]
		}
		if len(p.open) == 0 {
			for j := 0; j < len(text); j++ {
				if !space(text[j]) {
					return p.fail(p.pos+j, "text outside the document's element")
				}
			}
		}
		p.pos += len(text)
		if i < 0 {
			break
		}
		if err := p.markup(); err != nil {
			return err
		}
	}
	if n := len(p.open); n > 0 {
		return p.fail(len(p.src), "the text ends inside <%s>, which starts at byte %d", p.open[n-1].Name, p.open[n-1].Start)
	}
	if p.root == nil {
		return p.fail(len(p.src), "no element")
	}
	return nil
}

// markup reads what starts with "<" at pos.
func (p *parser) markup() error {
	rest := p.src[p.pos:]
	switch {
	case strings.HasPrefix(rest, "<!--"):
		return p.skip("<!--", "-->", "comment")
	case strings.HasPrefix(rest, "<?"):
		return p.skip("<?", "?>", "processing instruction")
	case strings.HasPrefix(rest, "<![CDATA["):
		if len(p.open) == 0 {
			return p.fail(p.pos, "CDATA outside the document's element")
		}
		return p.skip("<![CDATA[", "]]>", "CDATA section")
	case strings.HasPrefix(rest, "<!DOCTYPE"):
		if p.root != nil {
			return p.fail(p.pos, "a document type after the first element")
		}
		return p.doctype()
	case strings.HasPrefix(rest, "</"):
		return p.end()
	}
	return p.start()
}

func (p *parser) skip(open, end, what string) error {
	i := strings.Index(p.src[p.pos+len(open):], end)
	if i < 0 {
		return p.fail(p.pos, "%s without its end %s", what, end)
	}
	p.pos += len(open) + i + len(end)
	return nil
}

// doctype skips a document type with its internal subset. It does not parse it:
// entities that it declares are never expanded.
func (p *parser) doctype() error {
	start, depth, quote := p.pos, 0, byte(0)
	for i := p.pos; i < len(p.src); i++ {
		c := p.src[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case strings.HasPrefix(p.src[i:], "<!--"):
			j := strings.Index(p.src[i+4:], "-->")
			if j < 0 {
				return p.fail(i, "comment without its end -->")
			}
			i += 4 + j + 2
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '<':
			depth++
		case c == ']':
			depth--
		case c == '>':
			if depth--; depth <= 0 {
				p.pos = i + 1
				return nil
			}
		}
	}
	return p.fail(start, "document type without its end")
}

func (p *parser) end() error {
	start := p.pos
	p.pos += 2
	name := p.name()
	n := len(p.open)
	if n == 0 {
		return p.fail(start, "</%s> closes nothing", name)
	}
	e := p.open[n-1]
	if name != e.Name {
		return p.fail(start, "</%s> where </%s> is expected (opened at byte %d)", name, e.Name, e.Start)
	}
	p.blank()
	if !p.at('>') {
		return p.fail(p.pos, "</%s is not followed by >", name)
	}
	p.pos++
	e.CloseStart, e.End = start, p.pos
	p.open = p.open[:n-1]
	return nil
}

func (p *parser) start() error {
	begin := p.pos
	if len(p.open) == 0 && p.root != nil {
		return p.fail(begin, "a second element after the document's")
	}
	if len(p.open) == p.limits.Depth {
		return p.fail(begin, "elements nest deeper than %d", p.limits.Depth)
	}
	if p.count++; p.count > p.limits.Elements {
		return p.fail(begin, "more than %d elements", p.limits.Elements)
	}
	p.pos++
	name := p.name()
	if name == "" {
		return p.fail(begin, "< does not start a tag")
	}
	if len(p.pool) == 0 {
		// A text may have only two elements, such as a cell, or thousands, such as a page.
		p.chunk = min(max(2, 4*p.chunk), 256)
		p.pool = make([]Element, p.chunk)
	}
	e := &p.pool[0]
	p.pool = p.pool[1:]
	e.Name, e.Start, e.src = name, begin, p.src
	if err := p.attributes(e); err != nil {
		return err
	}
	closed := p.at('/')
	if closed {
		p.pos++
	}
	if !p.at('>') {
		return p.fail(p.pos, "<%s is not closed by >", name)
	}
	p.pos++
	e.OpenEnd, e.CloseStart, e.End = p.pos, p.pos, p.pos
	if n := len(p.open); n > 0 {
		p.open[n-1].Children = append(p.open[n-1].Children, e)
	} else {
		p.root = e
	}
	if !closed {
		p.open = append(p.open, e)
	}
	return nil
}

func (p *parser) attributes(e *Element) error {
	if cap(p.attrs)-len(p.attrs) < 8 {
		p.attrs = make([]Attr, 0, 8*max(2, p.chunk))
	}
	from := len(p.attrs)
	list := p.attrs[from:from:cap(p.attrs)]
	for {
		spaced := p.blank()
		if p.pos >= len(p.src) || p.at('/') || p.at('>') {
			break
		}
		at := p.pos
		name := p.name()
		if name == "" || !spaced {
			return p.fail(at, "<%s has something that is not an attribute", e.Name)
		}
		for i := range list {
			if list[i].Name == name {
				return p.fail(at, "<%s has the attribute %s twice", e.Name, name)
			}
		}
		p.blank()
		if !p.at('=') {
			return p.fail(p.pos, "attribute %s has no value", name)
		}
		p.pos++
		p.blank()
		if !p.at('"') && !p.at('\'') {
			return p.fail(p.pos, "the value of %s is not quoted", name)
		}
		quote := p.src[p.pos]
		p.pos++
		n := strings.IndexByte(p.src[p.pos:], quote)
		if n < 0 {
			return p.fail(p.pos-1, "the value of %s has no closing quote", name)
		}
		if j := strings.IndexByte(p.src[p.pos:p.pos+n], '<'); j >= 0 {
			return p.fail(p.pos+j, "< inside the value of %s", name)
		}
		list = append(list, Attr{name, at, p.pos, p.pos + n, quote})
		p.pos += n + 1
	}
	e.Attrs = list[:len(list):len(list)]
	if len(list) > 0 && cap(list) == cap(p.attrs)-from {
		p.attrs = p.attrs[:from+len(list)]
	}
	return nil
}

// name reads the name at pos, "" if there is none.
func (p *parser) name() string {
	from := p.pos
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == ':' || c >= utf8.RuneSelf
		if !letter && (p.pos == from || !(c >= '0' && c <= '9' || c == '-' || c == '.')) {
			break
		}
		p.pos++
	}
	return p.src[from:p.pos]
}

// blank skips white space and reports whether there was any.
func (p *parser) blank() bool {
	from := p.pos
	for p.pos < len(p.src) && space(p.src[p.pos]) {
		p.pos++
	}
	return p.pos > from
}

func (p *parser) at(c byte) bool { return p.pos < len(p.src) && p.src[p.pos] == c }

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
