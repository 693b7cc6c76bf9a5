// Package markdown finds the parts of a Markdown text that cuedeck uses: headings with their sections, links, and check items.
// Offsets are in bytes, lines count from 1.
package markdown

import (
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Text is a parsed Markdown text.
type Text struct {
	Headings []Heading
	Links    []Link
	Checks   []Check
}

// Heading is a heading with its section, which ends before the next heading of the same or a higher level.
type Heading struct {
	Text       string
	Slug       string // as in links: #set-up-the-build; duplicates get -1, -2, …
	Level      int    // 1 to 6
	From       int    // start of its line
	Title      [2]int // start and end of its text
	Below      int    // start of the line after it
	To         int    // end of the section
	First      int    // its line
	Last       int    // last line of the section
	Underlined bool   // marked by an underline instead of #
}

// Link is a link or an image.
type Link struct {
	To   string // destination as written
	Line int
}

// Check is a list item with a box: "- [ ] text".
type Check struct {
	Text string
	Done bool
	Mark int // offset of the character between the brackets
	Line int
}

// parsing reads CommonMark and check boxes. goldmark's extensions would need as long to start as all the rest of the guest, and nothing else
// of them is used: links in tables are found without rows and cells.
var parsing = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(boxParser{}, 0))...),
	parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
)

// Parse parses a text. It skips the first from bytes, which are front matter, but counts them in offsets and lines.
func Parse(source string, from int) *Text {
	src := []byte(source[from:])
	doc := parsing.Parse(text.NewReader(src), parser.WithContext(parser.NewContext()))
	out := &Text{}
	lines := lineStarts(source)
	at := func(offset int) int { return lineOf(lines, offset) }
	slugs := map[string]int{}
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Parent() != doc || n.Lines().Len() == 0 || isTable(n, src) {
				return ast.WalkContinue, nil // headings in quotations and lists have no sections
			}
			first, last := n.Lines().At(0), n.Lines().At(n.Lines().Len()-1)
			h := Heading{Text: plain(n, src), Level: n.Level, Title: [2]int{from + first.Start, from + last.Stop}}
			h.First = at(h.Title[0])
			h.From = max(from, lines[h.First-1]) // after a byte order mark
			end := at(h.Title[1])
			if !strings.HasPrefix(strings.TrimLeft(source[h.From:], " "), "#") {
				h.Underlined = true
				end++
			}
			h.Below = start(lines, end+1, len(source))
			h.Slug = slug(h.Text, slugs)
			out.Headings = append(out.Headings, h)
		case *ast.Link:
			out.Links = append(out.Links, Link{To: string(n.Destination), Line: at(from + textStart(n))})
		case *ast.Image:
			out.Links = append(out.Links, Link{To: string(n.Destination), Line: at(from + textStart(n))})
		case *box:
			p := n.Parent()
			if p.Lines().Len() == 0 {
				return ast.WalkContinue, nil
			}
			line := p.Lines().At(0)
			bracket := strings.IndexByte(string(src[line.Start:line.Stop]), '[')
			out.Checks = append(out.Checks, Check{Text: strings.TrimSpace(plain(p, src)), Done: n.done, Mark: from + line.Start + bracket + 1, Line: at(from + line.Start)})
		}
		return ast.WalkContinue, nil
	})
	for i := range out.Headings {
		h := &out.Headings[i]
		h.To, h.Last = len(source), len(lines)
		if strings.HasSuffix(source, "\n") {
			h.Last-- // nothing follows the last line break
		}
		for _, next := range out.Headings[i+1:] {
			if next.Level <= h.Level {
				h.To, h.Last = next.From, next.First-1
				break
			}
		}
	}
	return out
}

// isTable reports whether a heading of several lines is a table before a line of hyphens, which ends it (GitHub Flavored Markdown, section
// 4.10): its second line has only hyphens, colons, bars and blanks, and a bar.
func isTable(h *ast.Heading, src []byte) bool {
	if h.Lines().Len() < 2 {
		return false
	}
	second := h.Lines().At(1)
	row := string(second.Value(src))
	return strings.Contains(row, "|") && strings.Contains(row, "-") && strings.Trim(row, "|:- \t\r\n") == ""
}

// plain returns the text of a node without markup.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Text:
				b.Write(n.Segment.Value(src))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			case *ast.String:
				b.Write(n.Value)
			case *ast.AutoLink:
				b.Write(n.Label(src))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// textStart returns the offset of the text of an inline node, or of its block.
func textStart(n ast.Node) int {
	found := -1
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			found = t.Segment.Start
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	for p := n.Parent(); found < 0 && p != nil; p = p.Parent() {
		if p.Type() == ast.TypeBlock && p.Lines().Len() > 0 {
			found = p.Lines().At(0).Start
		}
	}
	return max(0, found)
}

// Slug returns the anchor of a heading, as GitHub makes it.
func Slug(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func slug(s string, used map[string]int) string {
	base := Slug(s)
	out := base
	for n := used[base]; ; n++ {
		if n > 0 {
			out = base + "-" + strconv.Itoa(n)
		}
		if _, taken := used[out]; !taken {
			used[base] = n + 1
			if out != base {
				used[out] = 1
			}
			return out
		}
	}
}

// lineStarts returns the offsets of the lines.
func lineStarts(s string) []int {
	out := []int{0}
	for i := range len(s) {
		if s[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// start returns the offset of a line, or the end of the text.
func start(lines []int, line, end int) int {
	if line-1 < len(lines) {
		return lines[line-1]
	}
	return end
}

// lineOf returns the line of an offset.
func lineOf(lines []int, offset int) int {
	return sort.Search(len(lines), func(i int) bool { return lines[i] > offset })
}
