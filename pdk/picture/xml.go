package picture

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a document: more is not read.
const (
	maxNodes = 300_000
	maxDepth = 200
	maxBytes = 32 << 20
)

// node is an element, or with an empty name a stretch of text.
type node struct {
	name  string // without its prefix
	text  string
	attrs []attr
	kids  []*node
}

type attr struct{ key, value string }

func (n *node) attr(key string) string {
	for i := range n.attrs {
		if n.attrs[i].key == key {
			return n.attrs[i].value
		}
	}
	return ""
}

// document is a parsed SVG document.
type document struct {
	root  *node
	ids   map[string]*node
	rules []rule
}

var errNoSVG = errors.New("this is no SVG document: it holds no svg element")

// parse reads a document. It is lenient: what is not well-formed is read as far
// as it makes sense.
func parse(data []byte) (*document, error) {
	if len(data) > maxBytes {
		return nil, errors.New("the SVG document is larger than 32 MiB")
	}
	r := &reader{doc: &document{ids: map[string]*node{}}, rest: string(bytes.ToValidUTF8(data, []byte("?")))}
	r.read()
	if r.doc.root == nil {
		return nil, errNoSVG
	}
	return r.doc, nil
}

type reader struct {
	doc   *document
	rest  string
	open  []*node
	names []string // of all open elements, those that are too deep included
	count int
}

func (r *reader) read() {
	for r.rest != "" && r.count < maxNodes {
		i := strings.IndexByte(r.rest, '<')
		if i != 0 {
			if i < 0 {
				i = len(r.rest)
			}
			r.text(unescape(r.rest[:i]))
			r.rest = r.rest[i:]
			continue
		}
		switch {
		case strings.HasPrefix(r.rest, "<!--"):
			r.skip("-->")
		case strings.HasPrefix(r.rest, "<![CDATA["):
			body, _, _ := strings.Cut(r.rest[len("<![CDATA["):], "]]>")
			r.text(body)
			r.skip("]]>")
		case strings.HasPrefix(r.rest, "<?"):
			r.skip("?>")
		case strings.HasPrefix(r.rest, "<!"):
			r.skip(">")
		case strings.HasPrefix(r.rest, "</"):
			name, _, _ := strings.Cut(r.rest[2:], ">")
			r.skip(">")
			r.end(local(strings.TrimSpace(name)))
		default:
			r.start()
		}
	}
}

// skip goes behind the next end.
func (r *reader) skip(end string) {
	i := strings.Index(r.rest, end)
	if i < 0 {
		r.rest = ""
		return
	}
	r.rest = r.rest[i+len(end):]
}

func (r *reader) text(s string) {
	if n := len(r.open); n > 0 && n == len(r.names) && s != "" {
		switch r.open[n-1].name {
		case "text", "tspan", "a":
			r.count++
			r.open[n-1].kids = append(r.open[n-1].kids, &node{text: s})
		case "style":
			r.doc.rules = append(r.doc.rules, rulesOf(s, len(r.doc.rules))...)
		}
	}
}

func (r *reader) end(name string) {
	for i := len(r.names) - 1; i >= 0; i-- {
		if r.names[i] == name {
			r.names = r.names[:i]
			r.open = r.open[:min(len(r.open), i)]
			return
		}
	}
}

// start reads a start tag at the beginning of rest.
func (r *reader) start() {
	r.count++
	s := r.rest[1:]
	i := strings.IndexAny(s, " \t\r\n/>")
	if i < 0 {
		r.rest = ""
		return
	}
	n := &node{name: local(s[:i])}
	s = s[i:]
	closed := false
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			break
		}
		if s[0] == '>' {
			s = s[1:]
			break
		}
		if s[0] == '/' {
			closed = strings.HasPrefix(s, "/>")
			s = s[1:]
			continue
		}
		i := strings.IndexAny(s, "= \t\r\n/>")
		if i <= 0 {
			s = s[1:]
			continue
		}
		key := local(s[:i])
		s = strings.TrimLeft(s[i:], " \t\r\n")
		if s == "" || s[0] != '=' {
			continue
		}
		s = strings.TrimLeft(s[1:], " \t\r\n")
		if s == "" || s[0] != '"' && s[0] != '\'' {
			continue
		}
		end := strings.IndexByte(s[1:], s[0])
		if end < 0 {
			s = ""
			break
		}
		if len(n.attrs) < 100 {
			n.attrs = append(n.attrs, attr{key, unescape(s[1 : 1+end])})
		}
		s = s[end+2:]
	}
	r.rest = s
	if r.doc.root == nil {
		if n.name != "svg" {
			return
		}
		r.doc.root = n
	} else if k := len(r.open); k == 0 {
		return // behind the root
	} else if k == len(r.names) && k < maxDepth {
		r.open[k-1].kids = append(r.open[k-1].kids, n)
	} else if !closed {
		r.names = append(r.names, n.name)
		return
	}
	if id := n.attr("id"); id != "" && r.doc.ids[id] == nil {
		r.doc.ids[id] = n
	}
	if !closed {
		r.open, r.names = append(r.open, n), append(r.names, n.name)
	}
}

// local is a name without its prefix.
func local(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// unescape resolves XML's entities.
func unescape(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		end := strings.IndexByte(s[:min(len(s), 12)], ';')
		r, ok := rune(0), false
		if end > 1 {
			r, ok = entity(s[1:end])
		}
		if !ok {
			b.WriteByte('&')
			s = s[1:]
			continue
		}
		b.WriteRune(r)
		s = s[end+1:]
	}
}

func entity(name string) (rune, bool) {
	switch name {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		base := 10
		if len(digits) > 0 && digits[0]|32 == 'x' {
			digits, base = digits[1:], 16
		}
		n, err := strconv.ParseUint(digits, base, 21)
		if err == nil && n > 0 && utf8.ValidRune(rune(n)) {
			return rune(n), true
		}
	}
	return 0, false
}
