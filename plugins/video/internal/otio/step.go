package otio

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Step is one change of a container: it inserts a part (Old is empty), removes one (New is empty), or replaces its
// value. It has all that its inverse needs.
type Step struct {
	Path   string `msgpack:"p"`           // of the object or array
	At     int    `msgpack:"i"`           // index of the part
	Old    string `msgpack:"o,omitempty"` // the value before
	New    string `msgpack:"n,omitempty"`
	Key    string `msgpack:"k,omitempty"` // as written in the file, with its colon; "" in arrays
	Lead   string `msgpack:"l,omitempty"` // white space before the inserted or removed part
	Trail  string `msgpack:"t,omitempty"` // and after it
	Before string `msgpack:"b,omitempty"` // white space after the previous part, if the part is the last
	End    string `msgpack:"e,omitempty"` // white space after the part, if it is the only one
	None   string `msgpack:"z,omitempty"` // text between the brackets of the container without the part
}

// Inverse implements pdk.Step.
func (s Step) Inverse() Step {
	s.Old, s.New = s.New, s.Old
	return s
}

// AppendMsgpack encodes the step as the msgpack package would, but faster.
func (s *Step) AppendMsgpack(b []byte) []byte {
	texts := [...][2]string{{"o", s.Old}, {"n", s.New}, {"k", s.Key}, {"l", s.Lead}, {"t", s.Trail}, {"b", s.Before}, {"e", s.End}, {"z", s.None}}
	n, size := 2, len(s.Path)+32
	for _, kv := range texts {
		if kv[1] != "" {
			n++
			size += len(kv[1]) + 8
		}
	}
	b = slices.Grow(b, size)
	b = abi.AppendString(abi.AppendString(abi.AppendMap(b, n), "p"), s.Path)
	b = abi.AppendInt(abi.AppendString(b, "i"), s.At)
	for _, kv := range texts {
		if kv[1] != "" {
			b = abi.AppendString(abi.AppendString(b, kv[0]), kv[1])
		}
	}
	return b
}

// Do applies a step.
func (d *Document) Do(s *Step) error {
	// Caches of the values on the path are outdated, but only if the step succeeds.
	way := []*Node{d.root}
	n := d.root
	for step := range strings.SplitSeq(s.Path, "/") {
		if step == "" {
			continue
		}
		n.unfold()
		if n.array {
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(n.parts) {
				return fmt.Errorf("there is nothing at %s", s.Path)
			}
			n = n.parts[i].value
		} else if n = n.Get(step); n == nil {
			return fmt.Errorf("there is nothing at %s", s.Path)
		}
		way = append(way, n)
	}
	n.unfold()
	switch {
	case !n.open || s.At < 0 || s.At > len(n.parts) || s.At == len(n.parts) && s.Old != "":
		return fmt.Errorf("there is no part %d at %s", s.At, s.Path)
	case s.Old != "" && n.parts[s.At].value.Text() != s.Old:
		return fmt.Errorf("part %d at %s has another value", s.At, s.Path)
	case s.Old == "" && s.New == "":
		return fmt.Errorf("a step at %s changes nothing", s.Path)
	}
	switch {
	case s.Old == "":
		indent := n.indent
		if strings.Contains(s.Lead, "\n") {
			indent = lastIndent(s.Lead)
		}
		name := ""
		if s.Key != "" {
			i := strings.LastIndexByte(s.Key, '"')
			name = strings.Trim(s.Key[:max(i, 0)], `"`)
		}
		if last := len(n.parts); last == 0 {
			n.end, n.none = s.End, s.None
		} else if s.At == last {
			n.parts[last-1].trail = s.Before
		}
		p := part{lead: s.Lead, key: s.Key, name: name, trail: s.Trail, value: &Node{text: s.New, indent: indent}}
		n.parts = append(n.parts, part{})
		copy(n.parts[s.At+1:], n.parts[s.At:])
		n.parts[s.At] = p
	case s.New == "":
		n.parts = append(n.parts[:s.At], n.parts[s.At+1:]...)
		if last := len(n.parts); last == 0 {
			n.end, n.none = s.End, s.None
		} else if s.At == last {
			n.parts[last-1].trail = ""
		}
	default:
		p := &n.parts[s.At]
		p.value = &Node{text: s.New, indent: p.value.indent}
	}
	for _, n := range way {
		n.Memo = nil
	}
	return nil
}

// Insert returns the step that inserts a value into an array before the item at index at.
func (d *Document) Insert(path string, at int, v any) Step {
	n := d.At(path)
	n.unfold()
	lead, inner := d.lead(n)
	s := Step{Path: path, At: at, Lead: lead, New: d.write(v, inner)}
	d.setOnly(n, &s)
	return s
}

// setOnly sets the white space of a step that inserts or removes a container's only part.
func (d *Document) setOnly(n *Node, s *Step) {
	if len(n.parts) > 0 {
		return
	}
	s.None = n.none
	if strings.Contains(s.Lead, "\n") {
		s.End = d.newline + n.indent
	}
}

// lead returns the white space before a new part, and its indentation.
func (d *Document) lead(n *Node) (lead, indent string) {
	if len(n.parts) > 0 {
		lead = n.parts[len(n.parts)-1].lead
		if len(n.parts) == 1 && !strings.Contains(lead, "\n") && d.indentUnit != "" {
			lead = " "
		}
		return lead, n.parts[0].value.indent
	}
	if d.indentUnit == "" {
		return "", ""
	}
	return d.newline + n.indent + d.indentUnit, n.indent + d.indentUnit
}

// Put returns the step that sets a member of an object, or appends it. nothing is true if the member has that value
// already.
func (d *Document) Put(path, key string, v any) (s Step, nothing bool) {
	n := d.At(path)
	n.unfold()
	for i := len(n.parts) - 1; i >= 0; i-- {
		p := &n.parts[i]
		if p.name == key {
			text := d.write(v, p.value.indent)
			return Step{Path: path, At: i, Old: p.value.Text(), New: text}, text == p.value.Text()
		}
	}
	lead, inner := d.lead(n)
	colon := `": `
	if d.indentUnit == "" {
		colon = `":`
	}
	s = Step{Path: path, At: len(n.parts), Lead: lead, Key: `"` + key + colon, New: d.write(v, inner)}
	d.setOnly(n, &s)
	return s, false
}

// Set returns the step that replaces the value of a part. text is the new value.
func (d *Document) Set(path string, at int, text string) Step {
	return Step{Path: path, At: at, Old: d.At(path).parts[at].value.Text(), New: text}
}

// Remove returns the step that removes a part.
func (d *Document) Remove(path string, at int) Step {
	n := d.At(path)
	p := &n.parts[at]
	s := Step{Path: path, At: at, Key: p.key, Lead: p.lead, Trail: p.trail, Old: p.value.Text()}
	switch last := len(n.parts) - 1; {
	case last == 0:
		s.End, s.None = n.end, ""
	case at == last:
		s.Before = n.parts[last-1].trail
	}
	return s
}

// Drop returns the step that removes a member. ok is false if there is none.
func (d *Document) Drop(path, key string) (s Step, ok bool) {
	n := d.At(path)
	if n == nil {
		return s, false
	}
	n.unfold()
	for i := len(n.parts) - 1; i >= 0 && !n.array; i-- {
		if n.parts[i].name == key {
			return d.Remove(path, i), true
		}
	}
	return s, false
}

// Write returns the text of a value, laid out to replace the item at index at of an array.
func (d *Document) Write(v any, path string, at int) string {
	return d.write(v, d.At(path).parts[at].value.indent)
}
