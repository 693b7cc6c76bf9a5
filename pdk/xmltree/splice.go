package xmltree

import "github.com/fcp-host/fcp-host/pdk/splice"

// Splice is a change of the text from which elements were parsed.
type Splice = splice.Splice

// Diff is the smallest single splice that changes from to to. It cuts only between
// runes if from and to are UTF-8.
func Diff(from, to string) Splice {
	n := min(len(from), len(to))
	i := 0
	for i < n && from[i] == to[i] {
		i++
	}
	for i > 0 && i < len(from) && !runeStart(from[i]) {
		i--
	}
	j, k := len(from), len(to)
	for j > i && k > i && from[j-1] == to[k-1] {
		j--
		k--
	}
	for j < len(from) && !runeStart(from[j]) {
		j++
		k++
	}
	return Splice{At: i, Old: from[i:j], New: to[i:k]}
}

func runeStart(b byte) bool { return b&0xC0 != 0x80 }

// SetAttr sets an attribute of e to a decoded value: in place, keeping its quotes, or
// after the last attribute. If it already has the value, the splice is empty.
func (e *Element) SetAttr(name, value string) Splice {
	for i := range e.Attrs {
		a := &e.Attrs[i]
		if a.Name != name {
			continue
		}
		old := e.src[a.Start:a.End]
		if Unescape(old) == value {
			return Splice{At: a.Start}
		}
		return Splice{At: a.Start, Old: old, New: Escape(value, a.Quote)}
	}
	at := e.Start + 1 + len(e.Name)
	if n := len(e.Attrs); n > 0 {
		at = e.Attrs[n-1].End + 1
	}
	return Splice{At: at, Old: "", New: " " + name + `="` + Escape(value, '"') + `"`}
}

// DropAttr removes an attribute and the space before it. If e does not have the
// attribute, the splice is empty.
func (e *Element) DropAttr(name string) Splice {
	for i := range e.Attrs {
		if a := &e.Attrs[i]; a.Name == name {
			from := a.NameStart
			for from > 0 && space(e.src[from-1]) {
				from--
			}
			return Splice{At: from, Old: e.src[from : a.End+1], New: ""}
		}
	}
	return Splice{At: e.OpenEnd}
}

// Append inserts raw after e's last child. It gives e an end tag if e is self-closing.
func (e *Element) Append(raw string) Splice {
	if !e.SelfClosing() {
		at := e.CloseStart
		for at > e.OpenEnd && space(e.src[at-1]) {
			at--
		}
		return Splice{At: at, Old: "", New: raw}
	}
	end := e.src[e.tagEnd():e.OpenEnd]
	return Splice{At: e.tagEnd(), Old: end, New: ">" + raw + "</" + e.Name + ">"}
}

// tagEnd is where a self-closing tag's white space and "/>" start.
func (e *Element) tagEnd() int {
	at := e.OpenEnd - 2
	for space(e.src[at-1]) {
		at--
	}
	return at
}

// SetText replaces everything between e's tags by text. It gives e an end tag if e is
// self-closing. If e already has that text, as Text returns it, the splice is empty.
func (e *Element) SetText(text string) Splice {
	raw := EscapeText(text)
	switch {
	case len(e.Children) == 0 && e.Text() == text:
		return Splice{At: e.OpenEnd}
	case e.SelfClosing():
		return e.Append(raw)
	}
	return Splice{At: e.OpenEnd, Old: e.Inner(), New: raw}
}

// Drop removes e and the white space before it.
func (e *Element) Drop() Splice {
	from := e.Start
	for from > 0 && space(e.src[from-1]) {
		from--
	}
	return Splice{At: from, Old: e.src[from:e.End], New: ""}
}

// Replace replaces e by raw.
func (e *Element) Replace(raw string) Splice { return Splice{At: e.Start, Old: e.Raw(), New: raw} }
