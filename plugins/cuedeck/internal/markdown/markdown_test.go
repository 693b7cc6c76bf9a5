package markdown

import (
	"fmt"
	"strings"
	"testing"
)

const sample = "---\ntitle: x\n---\n\n# The *plan* #\n\ntext [a](b.md#c) and ![p](p.png)\n\n```\n# no heading\n```\n\nSet up\n------\n\n- [ ] one\n- [x] two `#2`\n  - [ ] [three](x.md)\n\n### Deeper\n\n## Set up\n\n> # quoted\n\nlast"

func TestHeadingsLinksAndChecksAreFoundWithTheirPlaces(t *testing.T) {
	from := strings.Index(sample, "\n\n# The") + 1
	got := Parse(sample, from)
	var lines []string
	for _, h := range got.Headings {
		lines = append(lines, fmt.Sprintf("%d %s #%s %d-%d %q %q", h.Level, h.Text, h.Slug, h.First, h.Last, sample[h.Title[0]:h.Title[1]], sample[h.Below:h.To]))
	}
	for _, l := range got.Links {
		lines = append(lines, fmt.Sprintf("link %s %d", l.To, l.Line))
	}
	for _, c := range got.Checks {
		lines = append(lines, fmt.Sprintf("check %s %v %d %q", c.Text, c.Done, c.Line, sample[c.Mark-1:c.Mark+2]))
	}
	want := []string{
		`1 The plan #the-plan 5-26 "The *plan*"`, `2 Set up #set-up 13-21 "Set up" "\n- [ ] one`, `3 Deeper #deeper 20-21 "Deeper" "\n"`, `2 Set up #set-up-1 22-26 "Set up" "\n> # quoted\n\nlast"`,
		"link b.md#c 7", "link p.png 7", "link x.md 18", `check one false 16 "[ ]"`, `check two #2 true 17 "[x]"`, `check three false 18 "[ ]"`,
	}
	for i, w := range want {
		if i >= len(lines) || !strings.HasPrefix(lines[i], w) {
			t.Errorf("line %d is not %s:\n%s", i, w, strings.Join(lines, "\n"))
		}
	}
}

func TestHeadingsAfterAByteOrderMark(t *testing.T) {
	if h := Parse("\ufeff# A\n", 3).Headings[0]; h.From != 3 || h.Underlined {
		t.Errorf("%+v", h)
	}
}

func TestATableBeforeALineOfHyphensIsNoHeading(t *testing.T) {
	got := Parse("# A\n\n| a | b |\n| :-- | --- |\n| [x](y.md) | 2 |\n-----\n\nlast\nline | 2\n----\n", 0)
	if len(got.Headings) != 2 || got.Headings[1].Text != "last line | 2" || len(got.Links) != 1 || got.Links[0] != (Link{"y.md", 5}) {
		t.Errorf("%+v", got)
	}
}
