package otio

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// Edited is the text of a node with members of it changed: keys lead down, and what
// is not there on the way is made. A nil value takes the member out. What no change
// names keeps its bytes.
func (d *Document) Edited(n *Node, changes ...Change) string {
	text := n.Text()
	for _, c := range changes {
		text = d.edited(text, n.indent, c)
	}
	return text
}

// A Change gives the member at Path a value, or takes it out where Value is nil.
type Change struct {
	Path  []string
	Value any
}

// edited is one change of a text whose lines are indented as deep as indent.
func (d *Document) edited(text, indent string, c Change) string {
	v, err := jsontree.ParseNonFinite(text)
	if err != nil {
		return text // cannot be
	}
	at := v
	for i, key := range c.Path {
		last := i == len(c.Path)-1
		next := at.Get(key)
		switch {
		case last && c.Value == nil:
			return put(text, v, at, key, nil, d, indent)
		case last:
			return put(text, v, at, key, c.Value, d, indent)
		case !next.Is(jsontree.Object):
			if c.Value == nil {
				return text
			}
			made := c.Value
			for k := len(c.Path) - 1; k > i; k-- {
				made = Object{{c.Path[k], made}}
			}
			return put(text, v, at, key, made, d, indent)
		}
		at = next
	}
	return text
}

// put gives the object at, which lies in root, a member. It lays out by what stands around: the white space before the object's first
// member, or the line that the object begins on.
func put(text string, root, at *jsontree.Value, key string, value any, d *Document, indent string) string {
	if !at.Is(jsontree.Object) {
		return text
	}
	if value == nil {
		out, _ := at.Drop(key).Apply(text)
		return out
	}
	line := func(i int) string { // the indentation of the line that text[i] is on
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
	} else if d.unit != "" {
		inner = line(at.Start) + d.unit
		lead = d.newline + inner
	}
	colon := ":"
	if d.unit != "" {
		colon = ": "
	}
	made := lead + jsontree.Quote(key) + colon + d.write(value, inner)
	if n := len(at.Members); n > 0 {
		end := at.Members[n-1].Value.End
		return text[:end] + "," + made + text[end:]
	}
	close := ""
	if d.unit != "" {
		close = d.newline + line(at.Start)
	}
	return text[:at.Start+1] + made + close + text[at.End-1:]
}
