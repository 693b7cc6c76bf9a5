package chart

import (
	"html"
	"strings"
	"unicode"
)

// nodes reads one node, or several separated by &.
func (p *mermaid) nodes(s string) (ids []string, rest string, err error) {
	for {
		id, after, err := p.node(strings.TrimSpace(s))
		if err != nil {
			return nil, "", err
		}
		ids = append(ids, id)
		next := strings.TrimSpace(after)
		if !strings.HasPrefix(next, "&") {
			return ids, after, nil
		}
		s = next[1:]
	}
}

// shapes are Mermaid's brackets, longer ones first, and the shape types that they stand for.
func shapes() []struct{ open, shut, kind string } {
	return []struct{ open, shut, kind string }{
		{"(((", ")))", "circle"}, {"((", "))", "circle"}, {"([", "])", "svc"}, {"(", ")", "svc"},
		{"[[", "]]", "process"}, {"[(", ")]", "db"}, {"[/", "/]", "box"}, {"[/", `\]`, "box"}, {`[\`, `\]`, "box"}, {`[\`, "/]", "box"},
		{"[", "]", "box"}, {"{{", "}}", "api"}, {"{", "}", "decision"}, {">", "]", "box"},
	}
}

func (p *mermaid) node(s string) (id, rest string, err error) {
	n := 0
	for i, r := range s {
		// A dash belongs to an id if a letter or digit follows it: load-balancer.
		dash := (r == '-' || r == '.') && i > 0 && i+1 < len(s) && (unicode.IsLetter(rune(s[i+1])) || unicode.IsDigit(rune(s[i+1]))) && s[i-1] != '-' && s[i-1] != ' '
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && !dash {
			break
		}
		n = i + len(string(r))
	}
	if n == 0 {
		return "", "", p.fail("a node is missing here: %.40q", s)
	}
	id, rest = s[:n], s[n:]
	if rest, ok := strings.CutPrefix(rest, "@{"); ok {
		return p.attributes(id, rest)
	}
	isGroup := p.c.Group(id) >= 0
	for _, sh := range shapes() {
		if !strings.HasPrefix(rest, sh.open) {
			continue
		}
		end := closingIndex(rest, len(sh.open), sh.shut)
		if end < 0 {
			continue
		}
		label := clean(rest[len(sh.open):end])
		node := p.c.touch(id, p.around())
		if label != "" {
			node.Label = label
		}
		node.Shape = sh.kind
		p.setGroup(node)
		return id, class(rest[end+len(sh.shut):]), nil
	}
	if rest != "" && strings.ContainsRune("[({", rune(rest[0])) {
		return "", "", p.fail("the bracket of %s%.20s is not closed", id, rest)
	}
	if !isGroup {
		p.setGroup(p.c.touch(id, p.around()))
	}
	return id, class(rest), nil
}

// attributes reads A@{ shape: doc, label: "Text" }. For an edge they contain styles only and are ignored.
func (p *mermaid) attributes(id, s string) (string, string, error) {
	end := closingIndex(s, 0, "}")
	if end < 0 {
		return "", "", p.fail("the bracket of %s@{%.20s is not closed", id, s)
	}
	if p.edges[id] {
		return id, s[end+1:], nil
	}
	node := p.c.touch(id, p.around())
	for _, kv := range splitOutside(s[:end], ',') {
		key, value, _ := strings.Cut(kv, ":")
		value = clean(value)
		switch strings.TrimSpace(key) {
		case "label":
			node.Label = value
		case "shape":
			kind, ok := shapeNames()[value]
			if !ok {
				return "", "", p.fail("the shape %q of %s is not known", value, id)
			}
			node.Shape = kind
		}
	}
	p.setGroup(node)
	return id, class(s[end+1:]), nil
}

// splitOutside splits at sep outside quotes.
func splitOutside(s string, sep byte) (out []string) {
	quoted, from := false, 0
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			quoted = !quoted
		} else if s[i] == sep && !quoted {
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

// shapeNames maps Mermaid's shape names in @{ shape: … } to shape types.
func shapeNames() map[string]string {
	out := map[string]string{}
	for kind, names := range map[string]string{
		"box": "rect proc process rectangle notch-rect card notched-rectangle sl-rect manual-input sloped-rectangle trap-b priority trapezoid-bottom trapezoid trap-t manual " +
			"trapezoid-top inv-trapezoid lean-r in-out lean-right lean-l out-in lean-left div-rect div-proc divided-rectangle divided-process win-pane internal-storage " +
			"window-pane odd st-rect procs processes stacked-rectangle tag-rect tag-proc tagged-rectangle tagged-process bow-rect stored-data bow-tie-rectangle delay " +
			"half-rounded-rectangle curv-trap display curved-trapezoid",
		"svc":      "rounded event stadium pill terminal",
		"process":  "fr-rect subproc subprocess subroutine framed-rectangle lin-rect lin-proc lined-rectangle lined-process shaded-process",
		"db":       "cyl cylinder database db lin-cyl disk lined-cylinder datastore data-store",
		"queue":    "h-cyl das horizontal-cylinder",
		"circle":   "circ circle dbl-circ double-circle sm-circ small-circle start fr-circ framed-circle stop f-circ filled-circle junction cross-circ summary crossed-circle",
		"decision": "diam decision diamond question",
		"api":      "hex hexagon prepare",
		"doc":      "doc document docs documents st-doc stacked-document lin-doc lined-document tag-doc tagged-document flag paper-tape",
		"cloud":    "cloud",
		"triangle": "tri extract triangle flip-tri manual-file flipped-triangle hourglass collate",
		"note":     "brace comment brace-l brace-r braces",
		"text":     "text",
		"event":    "bolt com-link lightning-bolt",
	} {
		for _, n := range strings.Fields(names) {
			out[n] = kind
		}
	}
	return out
}

// setGroup puts a node into the subgraph that first names it.
func (p *mermaid) setGroup(n *Node) {
	if n.Group < 0 {
		n.Group = p.around()
	}
}

// class drops the :::class of a node.
func class(s string) string {
	rest, ok := strings.CutPrefix(s, ":::")
	if !ok {
		return s
	}
	return strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' })
}

// closingIndex returns the index of the next shut outside quotes, searching from index from; -1 if there
// is none.
func closingIndex(s string, from int, shut string) int {
	quoted := false
	for i := from; i < len(s); i++ {
		if s[i] == '"' {
			quoted = !quoted
		} else if !quoted && strings.HasPrefix(s[i:], shut) {
			return i
		}
	}
	return -1
}

// clean converts a label to plain text.
func clean(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	s = strings.Trim(s, "`")
	for _, br := range []string{"<br>", "<br/>", "<br />", `\n`} {
		s = strings.ReplaceAll(s, br, "\n")
	}
	s = strings.ReplaceAll(s, "#quot;", `"`)
	return strings.TrimSpace(html.UnescapeString(s))
}
