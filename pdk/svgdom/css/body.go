package css

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Body is the text of a style element, and where it is in what the file has there.
type Body struct {
	Text    string
	tail    string
	offsets []int // in tail, of each byte of Text and of its end
	cdata   bool
}

// ReadBody reads what is between the tags of a style element: text, perhaps with references such as &gt;, or just one
// CDATA section. ok is false for anything else.
func ReadBody(tail string) (s Body, ok bool) {
	s.tail = tail
	from, to := 0, len(tail)
	if i := strings.Index(tail, "<![CDATA["); i >= 0 {
		end := strings.Index(tail, "]]>")
		if end < i || strings.Contains(tail[end:], "<") || strings.TrimSpace(tail[:i]) != "" {
			return s, false
		}
		from, to, s.cdata = i+len("<![CDATA["), end, true
	} else if strings.Contains(tail, "<") {
		return s, false
	}
	var text []byte
	for i := from; i < to; {
		n, letters := 1, tail[i:i+1]
		if tail[i] == '&' && !s.cdata {
			n = strings.IndexByte(tail[i:], ';') + 1
			if letters = xmltree.Unescape(tail[i : i+n]); n == 0 || letters == tail[i:i+n] {
				return s, false // an entity of the document type
			}
		}
		for range len(letters) {
			s.offsets = append(s.offsets, i)
		}
		text = append(text, letters...)
		i += n
	}
	s.Text, s.offsets = string(text), append(s.offsets, to)
	return s, true
}

// Edited returns the tail with edits of the text. All else keeps its bytes.
func (s Body) Edited(edits ...Edit) string {
	var raw []Edit
	for _, e := range edits {
		if !s.cdata {
			e.Text = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(e.Text)
		}
		raw = append(raw, Edit{From: s.offsets[e.From], To: s.offsets[e.To], Text: e.Text})
	}
	return Edited(s.tail, raw)
}

// WithRule returns the tail with another rule at the end, with the indentation of the other rules.
func (s Body) WithRule(text string) string {
	body := strings.TrimRight(s.Text, " \t\r\n")
	gap := " "
	if i := strings.IndexByte(s.Text, '\n'); i >= 0 {
		gap = s.Text[i:]
		gap = gap[:len(gap)-len(strings.TrimLeft(gap, " \t\r\n"))]
	}
	if body == "" {
		gap = ""
		if i := strings.IndexByte(s.Text, '\n'); i >= 0 {
			gap = s.Text[:len(s.Text)-len(strings.TrimLeft(s.Text, " \t\r\n"))]
		}
		return s.Edited(Edit{To: len(s.Text), Text: gap + text + s.Text})
	}
	return s.Edited(Edit{From: len(body), To: len(body), Text: gap + text})
}

// RenamedBody returns the raw content of a style element with other ids, as Renamed does. It returns anything but text
// unchanged.
func RenamedBody(raw string, to func(id string) string) string {
	if s, ok := ReadBody(raw); ok {
		return s.Edited(Renamed(s.Text, to)...)
	}
	return raw
}
