package card

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/splice"
)

// editItems removes and appends items until a list holds the wanted ones. Items that are not text are removed unless others is
// true. ok is false if the list cannot be edited by item.
func (c *Card) editItems(e entry, v value, want []string, others bool) (out splice.All, ok bool) {
	w, ok := c.findValue(e)
	if !ok || v.kind != sequence {
		return nil, false
	}
	var items []span
	switch {
	case w.form == flow && c.Text[w.head.from] == '[':
		items = c.flowItems(w.head)
	case w.form == lines:
		items = c.blockItems(w.tail)
	}
	if len(items) != len(v.list) || len(items) == 0 {
		return nil, false
	}
	gone := func(i int) bool {
		if word := v.list[i]; word != "" || !others {
			return countWord(v.list[:i], word) >= countWord(want, word)
		}
		return false
	}
	var fresh []string
	for _, word := range want {
		if !slices.Contains(v.list, word) && !slices.Contains(fresh, word) {
			fresh = append(fresh, word)
		}
	}
	left := -1 // the last item that stays
	for i := range items {
		if !gone(i) {
			left = i
		}
	}
	if left < 0 {
		return nil, false
	}
	for i, s := range items {
		switch {
		case !gone(i):
		case w.form == lines:
			out = append(out, c.replaceSpan(span{s.from, s.to}, ""))
		case i > left:
			out = append(out, c.replaceSpan(span{items[i-1].to, s.to}, ""))
		default:
			out = append(out, c.replaceSpan(span{s.from, items[i+1].from}, ""))
		}
		if i == left {
			more := ""
			for _, word := range fresh {
				if w.form == flow {
					more += ", " + Quote(word)
				} else {
					more += c.newline + strings.TrimLeft(c.Text[s.from:s.to], "\r\n")[:c.dashWidth(s)] + Quote(word)
				}
			}
			if more != "" {
				out = append(out, splice.Splice{At: s.to, New: more})
			}
		}
	}
	return out, true
}

// countWord returns how often a list has a word.
func countWord(list []string, word string) (n int) {
	for _, w := range list {
		if w == word {
			n++
		}
	}
	return n
}

// dashWidth returns the length of the dash of a list item with the blanks around it.
func (c *Card) dashWidth(s span) int {
	line := strings.TrimLeft(c.Text[s.from:s.to], "\r\n")
	at := blanks(line, 0) + 1
	return blanks(line, at)
}

// blockItems finds the items of a list in block style. Each span is from the line break before the item to the end of its last line
// that is not a comment.
func (c *Card) blockItems(tail span) (out []span) {
	indent := -1
	at := tail.from
	for line := range strings.Lines(strings.TrimPrefix(strings.TrimPrefix(c.Text[tail.from:tail.to], "\r"), "\n")) {
		from := at // of the line break before the line
		begin := from + len(c.Text[from:]) - len(strings.TrimPrefix(strings.TrimPrefix(c.Text[from:], "\r"), "\n"))
		text := strings.TrimRight(line, "\r\n")
		at = begin + len(text)
		bare := strings.TrimLeft(text, " ")
		if bare == "" || bare[0] == '#' {
			continue
		}
		if dash := bare == "-" || strings.HasPrefix(bare, "- "); dash && (indent < 0 || len(text)-len(bare) == indent) {
			indent = len(text) - len(bare)
			out = append(out, span{from, at})
		} else if len(out) == 0 {
			return nil
		}
		out[len(out)-1].to = at
	}
	return out
}

// flowItems finds the items of a list in brackets.
func (c *Card) flowItems(head span) (out []span) {
	depth, from := 0, -1
	end := from
	item := func() {
		if from >= 0 {
			out = append(out, span{from, end})
		}
		from = -1
	}
	for i := head.from + 1; i < head.to-1; i++ {
		switch b := c.Text[i]; {
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			continue
		case b == ',' && depth == 0:
			item()
			continue
		case b == '#' && strings.ContainsRune(" \t\n", rune(c.Text[i-1])):
			i += strings.IndexByte(c.Text[i:], '\n')
			continue
		case (b == '"' || b == '\'') && from < 0:
			n := quotedEnd(c.Text[i:])
			from, end = i, i+n
			i += n - 1
			continue
		case b == '[' || b == '{':
			depth++
		case b == ']' || b == '}':
			depth--
		}
		if from < 0 {
			from = i
		}
		end = i + 1
	}
	item()
	return out
}
