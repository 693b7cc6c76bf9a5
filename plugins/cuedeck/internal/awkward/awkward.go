// Package awkward generates card files for tests, as people and other programs write them: in all of YAML's notations, with values
// that YAML reads as other types.
package awkward

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// File is a card file in pieces.
type File struct {
	Head  string  // byte order mark and the line ---
	Keys  []Chunk // the front matter
	Tail  string  // the line --- and the rest
	Plain bool    // no front matter: Head and Keys are empty
}

// Chunk is the text of one key in a front matter, or a comment, with its line breaks.
type Chunk struct{ Key, Text string }

// Text returns the file.
func (f *File) Text() string {
	var b strings.Builder
	b.WriteString(f.Head)
	for _, c := range f.Keys {
		b.WriteString(c.Text)
	}
	return b.String() + f.Tail
}

// Front returns the front matter without its fences.
func (f *File) Front() string {
	var b strings.Builder
	for _, c := range f.Keys {
		b.WriteString(c.Text)
	}
	return b.String()
}

var words = []string{
	"@dev", "a: b", "012345", "1e5678", "- x", "#tag", "~", "null", "yes", "No", "on", "true", "0x1f", "0o17", "1_000", ".inf", ".NaN", "12:30:45", "2024-01-02", "2024-01-02T03:04:05Z",
	`say "hi"`, "it's", `'quoted'`, `"quoted"`, `back\slash`, "%percent", "`tick`", "*star", "&and", "!bang", "|", ">", "[x]", "{x}", "a, b", "a,b", "? q", ": c", "x:", "x #y", "x#y", "-", "--", "---", "...", "<<", "=",
	"über", "日本語", "emoji 🎉 party", "e\u0301", "right\u202eleft", "zero\u200bwidth", "nb\u00a0sp", "next\u0085line", "line\u2028sep", "tab\there", "bell\x07", "del\x7f", "\ufeffbom", "  led", "trailed ", "x  y", "C:\\new", "{{ x }}", "${HOME}", "a -> b", "<b>&amp;", "Fix it", "Write the login page", "v1.2", "R&D", "50%", "why?", "(really)", "plain",
}

// Word returns an awkward one-line text, never empty.
func Word(r *rand.Rand) string {
	switch r.IntN(12) {
	case 0:
		return strings.Repeat("long ", 1+r.IntN(300)) + "end"
	case 1:
		return words[r.IntN(len(words))] + " " + words[r.IntN(len(words))]
	}
	return words[r.IntN(len(words))]
}

// double writes a text in double quotes, with many escapes.
func double(s string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0xfeff || c == 0x202e || c == 0x200b:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	return `"` + b.String() + `"`
}

func single(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// simple reports whether a text can be written unescaped in single quotes or in a block.
func simple(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0xfeff || r == 0x202e || r == 0x200b
	})
}

// scalar writes a text in one of YAML's notations. indent is the indentation of further lines.
func scalar(r *rand.Rand, s, indent, nl string) string {
	switch n := r.IntN(6); {
	case n == 0 && simple(s):
		return single(s)
	case n == 1 && simple(s) && strings.TrimSpace(s) == s && !strings.HasPrefix(s, "#"):
		return "|" + nl + indent + "  " + s
	case n == 2 && simple(s) && strings.TrimSpace(s) == s && !strings.Contains(s, "  ") && !strings.HasPrefix(s, "#"):
		return ">-" + nl + indent + "  " + strings.ReplaceAll(s, " ", nl+indent+"  ")
	case n == 3 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ") == "" && strings.TrimSpace(s) == s:
		if len(s) > 40 {
			return strings.Replace(s, " ", nl+indent+"  ", 1)
		}
		return s
	}
	return double(s)
}

func comment(r *rand.Rand) string {
	switch n := r.IntN(100); {
	case n == 0:
		return "\t# tab" // some readers refuse it
	case n < 30:
		return []string{" # why", "  # a: b", " #", " # 'x"}[r.IntN(4)]
	}
	return ""
}

// sequence writes a list in one of YAML's notations.
func sequence(r *rand.Rand, list []string, nl string) string {
	if len(list) == 0 {
		return []string{" []", "", " [ ]"}[r.IntN(3)] + comment(r)
	}
	var b strings.Builder
	switch r.IntN(4) {
	case 0:
		b.WriteString(" [" + double(list[0]))
		for _, s := range list[1:] {
			b.WriteString([]string{", ", ",", " , "}[r.IntN(3)] + double(s))
		}
		return b.String() + "]" + comment(r)
	case 1:
		b.WriteString(" [" + nl)
		for _, s := range list {
			b.WriteString("  " + double(s) + "," + comment(r) + nl)
		}
		return b.String() + "  ]" + comment(r)
	}
	indent := []string{"", "  ", "    "}[r.IntN(3)]
	b.WriteString(comment(r))
	for _, s := range list {
		b.WriteString(nl)
		if r.IntN(6) == 0 {
			b.WriteString(indent + "# between" + nl)
		}
		b.WriteString(indent + "- " + double(s) + comment(r))
	}
	return b.String()
}

// New generates a file with valid YAML.
func New(r *rand.Rand) *File {
	nl := "\n"
	if r.IntN(4) == 0 {
		nl = "\r\n"
	}
	f := &File{}
	if r.IntN(8) == 0 {
		f.Head = "\ufeff"
	}
	body := Body(r, nl)
	if r.IntN(15) == 0 {
		f.Plain = true
		f.Tail = body
		if f.Tail == "" || strings.HasPrefix(f.Tail, "---") {
			f.Tail = "x" + nl
		}
		return f
	}
	f.Head += "---" + []string{"", "", " "}[r.IntN(3)] + nl
	add := func(key, text string) { f.Keys = append(f.Keys, Chunk{key, text + nl}) }
	keys := []string{"title", "status", "priority", "assignee", "tags", "depends_on", "created", "updated", "estimate", "sprint", "links", "odd key", "x-meta", "anchor", "text"}
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys {
		if r.IntN(10) == 0 {
			add("", []string{"# a comment", "", "   ", "# key: value", "#"}[r.IntN(5)])
		}
		if key != "title" && r.IntN(5) == 0 {
			continue
		}
		colon := []string{": ", ":  ", ": "}[r.IntN(3)]
		if r.IntN(50) == 0 {
			colon = ":\t" // some readers refuse it
		}
		addKey(r, key, colon, nl, add)
	}
	f.Tail = []string{"---", "---", "--- ", "..."}[r.IntN(4)] + nl + body
	if r.IntN(20) == 0 {
		f.Tail = "---" // the file ends without a line break
	}
	return f
}

// addKey calls add with a key and a suitable value. colon is the colon with the blanks after it.
func addKey(r *rand.Rand, key, colon, nl string, add func(key, text string)) {
	switch key {
	case "title", "assignee", "sprint":
		if r.IntN(12) == 0 && key != "title" {
			add(key, key+[]string{":", ": ~", ": null", ": # none"}[r.IntN(4)])
			return
		}
		v := scalar(r, Word(r), "", nl)
		if r.IntN(8) == 0 && !strings.HasPrefix(v, "|") && !strings.HasPrefix(v, ">") {
			v = []string{"&" + key + "1 ", "!!str "}[r.IntN(2)] + v
		}
		if !strings.Contains(v, nl) {
			v += comment(r)
		}
		add(key, key+": "+v)
	case "status":
		add(key, key+colon+[]string{"todo", "active", `"done"`, "'archived'", "|" + nl + "  todo"}[r.IntN(5)])
	case "priority":
		add(key, key+colon+[]string{"low", "medium", `"high"`, "critical"}[r.IntN(4)]+comment(r))
	case "tags", "depends_on":
		var list []string
		for range r.IntN(4) {
			w := Word(r)
			if key == "depends_on" {
				w = fmt.Sprintf("%06x", r.IntN(1<<24))
			}
			list = append(list, strings.Join(strings.Fields(w), " "))
		}
		add(key, key+":"+sequence(r, list, nl))
	case "created", "updated":
		add(key, key+": "+[]string{"2024-05-06T07:08:09Z", `"2024-05-06T07:08:09.123+02:00"`, "2024-05-06", "'2024-05-06 07:08:09'"}[r.IntN(4)]+comment(r))
	case "estimate":
		add(key, key+colon+[]string{"3", "0.5", "1e3", "3 # days", "012"}[r.IntN(5)])
	case "links":
		add(key, key+":"+nl+"  docs: [a, {b: c}]"+nl+"  # kept"+nl+"  more:"+nl+"    - x: 1"+nl+"      y: 'two'"+nl+"    - z")
	case "odd key":
		add(key, []string{`"odd key"`, "'odd key'", "odd key"}[r.IntN(3)]+": "+scalar(r, Word(r), "", nl))
	case "x-meta":
		add(key, key+": {a: 1, b: [x, 'y, z'], \"c d\": {e: f}}"+comment(r))
	case "text":
		add(key, key+": >"+nl+"  folded words"+nl+"  go on"+nl+nl+"  # no comment"+nl+"    deeper: yes")
	case "anchor":
		add(key, key+": &base {color: red}")
		add("uses", "uses: *base")
	}
}

// Body generates a text below a front matter.
func Body(r *rand.Rand, nl string) string {
	parts := []string{"", "# " + Word(r), "text", "---", "```" + nl + "# code" + nl + "---" + nl + "title: none" + nl + "```", "## Notes", "- [ ] item", "- [x] done *it*", "title: not this one", "> quoted", "trailing  ", "[a](b.md#c)", "\tindented", "| a | b |", "é ☺ 日本"}
	var out []string
	for range r.IntN(12) {
		out = append(out, parts[r.IntN(len(parts))])
	}
	s := strings.Join(out, nl)
	if r.IntN(3) > 0 {
		s += nl
	}
	return s
}
