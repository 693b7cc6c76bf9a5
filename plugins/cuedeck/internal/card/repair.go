package card

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk"
)

// Repair repairs front matter that cannot be read, without losing any of its text: it puts values in quotes and comments out lines
// that are neither keys nor values. did describes the repairs. The error is a problem that remains.
func Repair(text string) (mended string, did []string, err error) {
	if !utf8.ValidString(text) {
		return "", nil, &Broken{Why: "it is not UTF-8 text"}
	}
	c := &Card{Text: text, newline: newline(text)}
	if strings.HasPrefix(text, bom) {
		c.top = len(bom)
	}
	if c.findFence() != nil {
		if bareCR().MatchString(text) {
			return "", nil, errBareCR
		}
		if text, err = closeFence(text, c.top, c.newline); err != nil {
			return "", nil, err
		}
		did = append(did, "ended the front matter with ---")
		c.Text = text
		if err := c.findFence(); err != nil {
			return "", nil, err
		}
	}
	if err := c.checkSize(); err != nil {
		return "", nil, err
	}
	if bareCR().MatchString(c.Text[:c.end]) {
		return "", nil, errBareCR
	}
	front, repairs := repairFront(text[c.top:c.end])
	did = append(did, repairs...)
	out, err := Parse(text[:c.top] + front + text[c.end:])
	if err != nil {
		return "", nil, err
	}
	return out.Text, did, nil
}

// repairFront repairs the lines of a front matter. It returns a sentence for each repair.
func repairFront(front string) (mended string, did []string) {
	var lines []string
	for line := range strings.Lines(front) {
		lines = append(lines, line)
	}
	var b strings.Builder
	n := 1 // number of the line in the file
	last := map[string]int{}
	for i, line := range lines {
		if key, _, ok := topKey(line); ok {
			last[key] = i
		}
	}
	for i := 0; i < len(lines); i++ {
		n++
		line := lines[i]
		bare := strings.TrimRight(line, "\r\n")
		ending := line[len(bare):]
		key, behind, top := topKey(line)
		switch {
		case strings.TrimSpace(bare) == "" || strings.HasPrefix(strings.TrimSpace(bare), "#"):
		case top && last[key] != i:
			// Keep the last one, which most readers use. Comment out the earlier key with the lines of its value.
			did = append(did, fmt.Sprintf("line %d: commented out %s, which is repeated below", n, key))
			b.WriteString("# " + line)
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], " ") {
				i++
				n++
				b.WriteString("# " + lines[i])
			}
			continue
		case top:
			if text, ok := requote(bare, behind, lines[i+1:]); ok {
				did = append(did, fmt.Sprintf("line %d: put the value of %s in quotes", n, key))
				b.WriteString(text + ending)
				continue
			}
		case strings.HasPrefix(bare, "\t"):
			did = append(did, fmt.Sprintf("line %d: replaced a tab by blanks", n))
			b.WriteString(strings.Repeat("  ", len(bare)-len(strings.TrimLeft(bare, "\t"))) + strings.TrimLeft(bare, "\t") + ending)
			continue
		case !strings.HasPrefix(bare, " ") && !strings.HasPrefix(bare, "-") && !strings.ContainsAny(bare[:1], "]}"):
			did = append(did, fmt.Sprintf("line %d: commented out what is not KEY: VALUE", n))
			b.WriteString("# " + line)
			continue
		}
		b.WriteString(line)
	}
	return b.String(), did
}

var bareCR = pdk.Regexp(`\r(?:[^\n]|$)`)

// errBareCR is the error for CR as a line break: other YAML readers accept it, but the code here does not.
var errBareCR = &Broken{Why: "lines of its front matter end with CR alone: end them with LF or CRLF"}

// topKey reads the key of a line that is not indented.
func topKey(line string) (key string, behind int, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	if line == "" || strings.ContainsRune(" \t#-]}", rune(line[0])) {
		return "", 0, false
	}
	return keyOf(line)
}

// requote puts a value in quotes if it cannot be read without, and no line below continues it.
func requote(line string, behind int, below []string) (string, bool) {
	value := strings.TrimSpace(line[behind:])
	if value == "" || strings.ContainsAny(value[:1], "|>") {
		return "", false
	}
	whole := line + "\n"
	for _, more := range below {
		if _, _, top := topKey(more); top || strings.HasPrefix(more, "#") {
			break
		}
		whole += more
	}
	if _, err := parseYAML(whole); err == nil {
		return "", false
	}
	if _, err := parseYAML(line + "\n"); err == nil {
		return "", false
	}
	indent := line[:behind]
	comment := ""
	if at := strings.Index(value, " #"); at > 0 {
		value, comment = strings.TrimSpace(value[:at]), " "+value[at+1:]
	}
	if strings.ContainsAny(value[:1], "[{") && strings.ContainsAny(value[len(value)-1:], "]}") {
		if words := requoteList(value); words != "" {
			return indent + " " + words + comment, true
		}
	}
	return indent + " " + forceQuotes(value) + comment, true
}

// requoteList rewrites a list in brackets with quotes where they are needed. It returns "" for nested lists.
func requoteList(value string) string {
	inner := value[1 : len(value)-1]
	if value[0] != '[' || strings.ContainsAny(inner, "[]{}\"'") {
		return ""
	}
	var words []string
	for w := range strings.SplitSeq(inner, ",") {
		if w = strings.TrimSpace(w); w != "" {
			words = append(words, w)
		}
	}
	return list(words)
}

// forceQuotes puts a text in quotes. Quotes at both of its ends are not part of the text.
func forceQuotes(value string) string {
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		value = value[1 : n-1]
	}
	if q := Quote(value); q[0] == '"' {
		return q
	}
	return `"` + value + `"`
}

// closeFence adds the end of a front matter that has none, before the first line that cannot belong to it.
func closeFence(text string, top int, nl string) (string, error) {
	at := top
	for i, line := range strings.SplitAfter(text[top:], "\n") {
		bare := strings.TrimRight(line, "\r\n")
		_, _, key := topKey(line)
		mine := i == 0 || key || bare != "" && strings.ContainsRune(" \t-", rune(bare[0])) && i > 1
		if !mine {
			if i == 1 {
				return "", &Broken{Line: 1, Why: "the front matter begins with --- and has no --- that ends it"}
			}
			return text[:at] + "---" + nl + text[at:], nil
		}
		at += len(line)
	}
	if !strings.HasSuffix(text, "\n") {
		text += nl
	}
	return text + "---" + nl, nil
}
