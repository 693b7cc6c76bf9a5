package jsontree

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/splice"
)

// Set replaces v by raw, the text of a value. The list is empty if raw is already
// the text of v.
func (v *Value) Set(raw string) splice.All {
	if v.Raw() == raw {
		return nil
	}
	return splice.All{{At: v.Start, Old: v.Raw(), New: raw}}
}

// Put sets a member of an object: it replaces the value of the last member with that
// key, or adds a member after the last one. raw is laid out like the text around it.
func (v *Value) Put(key, raw string) splice.All {
	if old := v.member(key); old != nil {
		return old.Set(raw)
	}
	return v.insert(Quote(key) + v.colon() + v.reindent(raw))
}

// Append adds items after an array's last one, each laid out like the text around it.
func (v *Value) Append(raws ...string) splice.All {
	laid := make([]string, len(raws))
	for i, raw := range raws {
		laid[i] = v.reindent(raw)
	}
	return v.insert(laid...)
}

// Remove removes items from an array, by their indexes.
func (v *Value) Remove(indexes ...int) splice.All {
	return v.removeParts(func(i int) bool { return slices.Contains(indexes, i) })
}

// Drop removes all members with these keys from an object.
func (v *Value) Drop(keys ...string) splice.All {
	return v.removeParts(func(i int) bool { return slices.Contains(keys, v.Members[i].Key) })
}

// parts is the number of members or items of v; part returns the offsets of one.
func (v *Value) parts() int { return len(v.Members) + len(v.Items) }

func (v *Value) part(i int) (start, end int) {
	if v.Kind == Object {
		return v.Members[i].Start, v.Members[i].Value.End
	}
	return v.Items[i].Start, v.Items[i].End
}

// insert adds parts after the last one.
func (v *Value) insert(parts ...string) splice.All {
	if len(parts) == 0 {
		return nil
	}
	n, inner := v.parts(), v.inner()
	var b strings.Builder
	for i, part := range parts {
		if n > 0 || i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(inner)
		b.WriteString(part)
	}
	if n > 0 {
		_, end := v.part(n - 1)
		return splice.All{{At: end, New: b.String()}}
	}
	behind := ""
	if line := strings.LastIndexByte(inner, '\n'); line >= 0 {
		behind = v.newline() + v.indentAt(v.Start)
	}
	return splice.All{{At: v.Start, Old: v.Raw(), New: v.src.text[v.Start:v.Start+1] + b.String() + behind + v.src.text[v.End-1:v.End]}}
}

// removeParts removes the parts for which gone is true, each with one comma.
func (v *Value) removeParts(gone func(i int) bool) splice.All {
	var out splice.All
	n, kept := v.parts(), -1 // the last part before i that stays
	for i := 0; i < n; i++ {
		if !gone(i) {
			kept = i
			continue
		}
		last := i
		for last+1 < n && gone(last+1) {
			last++
		}
		_, end := v.part(last)
		from, _ := v.part(i)
		switch {
		case last+1 < n: // up to the next part
			end, _ = v.part(last + 1)
		case kept >= 0:
			_, from = v.part(kept)
		default: // no part stays
			from, end = v.Start+1, v.End-1
		}
		out = append(out, splice.Splice{At: from, Old: v.src.text[from:end]})
		i = last
	}
	return out
}

// inner is the white space before each part of v: that before its first part or, if it
// has none, one that fits the rest of the text.
func (v *Value) inner() string {
	if v.parts() > 0 {
		start, _ := v.part(0)
		if space := v.src.text[v.Start+1 : start]; strings.TrimSpace(space) == "" {
			if v.parts() > 1 && !strings.Contains(space, "\n") { // [a, b] has its space after the comma
				_, end := v.part(0)
				next, _ := v.part(1)
				_, space, _ = strings.Cut(v.src.text[end:next], ",")
			}
			return space
		}
	}
	if unit := v.unit(); unit != "" {
		return v.newline() + v.indentAt(v.Start) + unit
	}
	return ""
}

// newline is the line ending of the text.
func (v *Value) newline() string {
	if i := strings.IndexByte(v.src.text, '\n'); i > 0 && v.src.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unit is one step of the text's indentation: the white space at the start of its
// second line. It is "" if the text is one line.
func (v *Value) unit() string {
	_, second, ok := strings.Cut(v.src.text, "\n")
	if !ok {
		return ""
	}
	return leading(second)
}

// indentAt is the white space at the start of the line of an offset.
func (v *Value) indentAt(at int) string {
	return leading(v.src.text[strings.LastIndexByte(v.src.text[:at], '\n')+1:])
}

func leading(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// colon is the text between a key and its value.
func (v *Value) colon() string {
	if v.unit() != "" {
		return ": "
	}
	if i := strings.Index(v.src.text, `":`); i >= 0 && strings.HasPrefix(v.src.text[i:], `": `) {
		return ": "
	}
	return ":"
}

// reindent is raw, indented like the text if v's parts are on lines of their own.
func (v *Value) reindent(raw string) string {
	inner := v.inner()
	line := strings.LastIndexByte(inner, '\n')
	r, err := Parse(raw)
	if err != nil || line < 0 || v.unit() == "" {
		return raw
	}
	var b strings.Builder
	indent(&b, r, v.newline(), inner[line+1:], v.unit())
	return b.String()
}

func indent(b *strings.Builder, v *Value, newline, at, unit string) {
	n := v.parts()
	if n == 0 {
		if v.Kind == Object || v.Kind == Array {
			b.WriteByte(v.src.text[v.Start])
			b.WriteByte(v.src.text[v.End-1])
		} else {
			b.WriteString(v.Raw())
		}
		return
	}
	b.WriteByte(v.src.text[v.Start])
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(newline + at + unit)
		if v.Kind == Object {
			m := v.Members[i]
			b.WriteString(Quote(m.Key) + ": ")
			indent(b, m.Value, newline, at+unit, unit)
		} else {
			indent(b, v.Items[i], newline, at+unit, unit)
		}
	}
	b.WriteString(newline + at)
	b.WriteByte(v.src.text[v.End-1])
}
