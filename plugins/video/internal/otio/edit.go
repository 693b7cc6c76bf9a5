package otio

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// Edited returns the text of a node with changed members. Missing objects on a path are added; a nil value removes
// the member. All other bytes stay.
func (d *Document) Edited(n *Node, changes ...Change) string {
	text := n.Text()
	for _, c := range changes {
		text = d.editedText(text, n.indent, c)
	}
	return text
}

// Change sets the member at Path to Value, or removes it if Value is nil.
type Change struct {
	Path  []string
	Value any
}

// editedText returns a text with one change applied. indent is the indentation of its lines.
func (d *Document) editedText(text, indent string, c Change) string {
	v, err := jsontree.ParseNonFinite(text)
	if err != nil {
		return text // impossible: the text is valid
	}
	at := v
	for i, key := range c.Path {
		last := i == len(c.Path)-1
		next := at.Get(key)
		switch {
		case last && c.Value == nil:
			return putMember(text, v, at, key, nil, d, indent)
		case last:
			return putMember(text, v, at, key, c.Value, d, indent)
		case !next.Is(jsontree.Object):
			if c.Value == nil {
				return text
			}
			made := c.Value
			for k := len(c.Path) - 1; k > i; k-- {
				made = Object{{c.Path[k], made}}
			}
			return putMember(text, v, at, key, made, d, indent)
		}
		at = next
	}
	return text
}

// putMember sets a member of the object at, which is in root, or removes it if value is nil. It follows the layout of
// the object: the white space before its first member, or else the indentation of its line.
func putMember(text string, root, at *jsontree.Value, key string, value any, d *Document, indent string) string {
	if !at.Is(jsontree.Object) {
		return text
	}
	if value == nil {
		out, _ := at.Drop(key).Apply(text)
		return out
	}
	line := func(i int) string { // the indentation of the line of text[i]
		j := strings.LastIndexByte(text[:i], '\n')
		if j < 0 {
			return indent
		}
		rest := text[j+1:]
		return rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]
	}
	if old := at.Get(key); old != nil {
		return text[:old.Start] + d.write(value, line(old.Start)) + text[old.End:]
	}
	lead, inner := "", ""
	if n := len(at.Members); n > 0 {
		from := strings.LastIndexAny(text[:at.Members[n-1].Start], ",{")
		lead = text[from+1 : at.Members[n-1].Start]
		inner = line(at.Members[n-1].Start)
	} else if d.indentUnit != "" {
		inner = line(at.Start) + d.indentUnit
		lead = d.newline + inner
	}
	colon := ":"
	if d.indentUnit != "" {
		colon = ": "
	}
	made := lead + jsontree.Quote(key) + colon + d.write(value, inner)
	if n := len(at.Members); n > 0 {
		end := at.Members[n-1].Value.End
		return text[:end] + "," + made + text[end:]
	}
	close := ""
	if d.indentUnit != "" {
		close = d.newline + line(at.Start)
	}
	return text[:at.Start+1] + made + close + text[at.End-1:]
}
