package deck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/markdown"
)

// write writes a file. For a card it sets the time of the change in the front matter.
func (w *Workspace) write(c *ctx, name, text, summary string) error {
	if k := w.byPath[name]; k != nil {
		if k.Broken != nil {
			return k.unreadable()
		}
		next, err := card.Parse(text)
		if err != nil {
			return pdk.Errorf("%s: %v", name, err)
		}
		_, err = Put(c, k, next, summary)
		return err
	}
	return c.PutFile(name, []byte(text), short("%s", summary), fileID(name)...)
}

// newline returns the line break that a text uses.
func newline(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// withNewlines converts the line breaks of a text to nl, and removes empty lines around it.
func withNewlines(text, nl string) string {
	return inLines(strings.Trim(inLines(text, "\n"), "\n"), nl)
}

// inLines converts the line breaks of a text to nl.
func inLines(text, nl string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n"), "\n", nl)
}

// insert inserts paragraphs at an offset, with an empty line before and after.
func insert(text string, at int, more string) string {
	nl := newline(text)
	before, after := text[:at], text[at:]
	body := strings.TrimRight(before, " \t\r\n")
	if body != "" && (strings.Count(before[len(body):], "\n") < 2 || !strings.HasSuffix(before, "\n")) {
		head, rest := splitAfterBreaks(before, len(body), 2, nl)
		before = head + rest
	}
	more = withNewlines(more, nl) + nl
	if strings.Trim(after, " \t\r\n") != "" {
		more += nl
	}
	return before + more + after
}

// splitAfterBreaks splits a text after the n line breaks that follow the offset at, after which only blanks come. It adds missing
// ones.
func splitAfterBreaks(text string, at, n int, nl string) (head, rest string) {
	for ; n > 0; n-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text + strings.Repeat(nl, n), ""
		}
		at += i + 1
	}
	return text[:at], text[at:]
}

func sectionVerb() verb {
	return verb{Run: section, Verb: abi.Verb{
		Name: "section", Syntax: "section PATH|CARD[#Heading] set|append|rename TEXT | replace OLD NEW", Summary: "edit the text below a heading of a doc or card, or all of it without one: set replaces it, append adds, rename changes the heading, replace puts NEW for each OLD in it",
		Brief: "section PATH|CARD[#Heading] set|append|rename TEXT | replace OLD NEW", Category: "texts", Min: 3, Max: -1,
		Examples: []string{`section docs/plan.md append "## Risks\n\nNone yet."`, `section "docs/plan.md#Risks" set "The licence is not settled."`, `section "docs/plan.md#Risks" rename "Open questions"`, `section docs/plan.md replace Few Many`},
	}}
}

func section(c *ctx, a pdk.Args) error {
	w := c.Model
	hows := []string{"set", "append", "rename", "replace"}
	how, ok := pdk.OneOf(a.Text(1), hows)
	words := 3
	if how == "replace" {
		words = 4
	}
	switch {
	case len(a.Positionals) > words:
		return w.unquotedSection(a, hows)
	case len(a.Positionals) < words:
		return pdk.Errorf("replace takes two texts: section %s replace OLD NEW", pdk.Quote(a.Text(0)))
	case !ok:
		return pdk.Errorf("section takes set, append, rename or replace, not %s", pdk.Quote(a.Text(1))).Try(a.Mended(pdk.WithWords(1, 1, "append")))
	}
	name, h, err := w.locate(a.Text(0))
	if base, anchor, ok := strings.Cut(a.Text(0), "#"); err != nil && ok && how == "append" && len(pdk.Nearest(anchor, w.anchors(name))) == 0 {
		if _, there := w.file(base); there == nil { // suggests a new section
			err = pdk.Errorf("%v", err).Try(a.Mended(pdk.WithWords(0, 1, base), pdk.WithWords(2, 1, "## "+anchor+"\n\n"+a.Text(2))))
		}
	}
	if err != nil {
		return err
	}
	text := string(w.Files.Get(name))
	what := w.displayName(name)
	if h != nil {
		what += "#" + h.Text
	}
	more := a.Text(2)
	from, to := w.textStart(name), len(text)
	if h != nil {
		from, to = h.Below, h.To
	}
	next := ""
	said := "appended"
	switch {
	case how == "rename":
		return w.rename(c, name, h, more)
	case how == "replace":
		old, by := inLines(more, newline(text)), inLines(a.Text(3), newline(text))
		n := strings.Count(text[from:to], old)
		if old == "" || n == 0 {
			return nothingToReplace(a, what, text[from:to])
		}
		next = text[:from] + strings.ReplaceAll(text[from:to], old, by) + text[to:]
		said = pdk.Count(n, "place") + " replaced"
	case h == nil && how == "append":
		next = insert(text, len(text), more)
	case h == nil:
		next = w.withText(name, more)
	case how == "append":
		next = insert(text, w.appendAt(name, h, more), more)
	default:
		more = dropOwnHeading(more, h)
		next = insert(text[:from]+text[to:], from, more)
		if strings.TrimSpace(more) == "" {
			next = text[:from] + text[to:]
		}
	}
	if next == text {
		return pdk.Unchanged("%s already contains that", what)
	}
	if err := w.write(c, name, next, how+" "+what); err != nil {
		return err
	}
	if how == "set" {
		said = "set, " + pdk.Count(strings.Count(strings.TrimSpace(text[from:to])+"\n", "\n"), "line") + " replaced"
		if strings.TrimSpace(text[from:to]) == "" {
			said = "set"
		}
	}
	c.Changed("%s %s, %d tokens in all", what, said, Tokens(len(w.Files.Get(name))))
	return nil
}

// appendAt returns where more is appended to a section: before its subheadings, unless more is one.
func (w *Workspace) appendAt(name string, h *markdown.Heading, more string) int {
	if !strings.HasPrefix(strings.TrimLeft(more, "\n"), "#") {
		for _, below := range w.Text(name).Headings {
			if below.From > h.From && below.From < h.To {
				return below.From
			}
		}
	}
	return h.To
}

// nothingToReplace returns the error for a text that is not in a section, with the line that has most of its words.
func nothingToReplace(a pdk.Args, what, text string) error {
	words := strings.Fields(strings.ToLower(a.Text(2)))
	best, most := "", 0
	for l := range strings.Lines(text) {
		n := 0
		for _, word := range words {
			if strings.Contains(strings.ToLower(l), word) {
				n++
			}
		}
		if n > most {
			best, most = strings.TrimSpace(l), n
		}
	}
	err := pdk.Errorf("%s does not have %s", what, pdk.Quote(pdk.Line(a.Text(2), 80)))
	if most == 0 {
		return err.TryQuery("read " + pdk.Quote(a.Text(0)))
	}
	err = pdk.Errorf("%v; nearest: %s", err, pdk.Quote(pdk.Line(best, 200)))
	if i := strings.Index(strings.ToLower(text), strings.ToLower(a.Text(2))); i >= 0 && i+len(a.Text(2)) <= len(text) {
		err.Try(a.Mended(pdk.WithWords(2, 1, text[i:i+len(a.Text(2))])))
	}
	return err
}

// unquotedSection returns the error for a section whose place or text has blanks but no quotes.
func (w *Workspace) unquotedSection(a pdk.Args, hows []string) error {
	words := a.Texts(0)
	err := pdk.Errorf(`a place or a text with blanks needs quotes of its own: section "PATH#Two words" append "More text"`)
	how := slices.IndexFunc(words, func(s string) bool { return isOne(s, hows...) })
	if how < 1 || how+1 == len(words) {
		return err
	}
	ref := strings.ReplaceAll(strings.Join(words[:how], " "), `"`, "")
	if _, _, missing := w.locate(ref); missing != nil {
		return err
	}
	return err.Try(a.Mended(pdk.WithJoined(how+1), pdk.WithWords(0, how, ref)))
}

// withText returns a file with another text below its front matter, and for a card below its title.
func (w *Workspace) withText(name, more string) string {
	text, from := string(w.Files.Get(name)), w.textStart(name)
	if strings.TrimSpace(more) == "" {
		head, _ := splitAfterBreaks(text[:from], len(strings.TrimRight(text[:from], "\r\n")), 1, newline(text))
		return head
	}
	return insert(text[:from], from, more)
}

// textStart returns the offset of the text after the front matter, and for a card after its title.
func (w *Workspace) textStart(name string) int {
	t := w.Text(name)
	k := w.byPath[name]
	if k != nil && k.Card != nil {
		if len(t.Headings) > 0 && t.Headings[0].Level == 1 && t.Headings[0].Text == k.Title && strings.TrimSpace(k.Text[k.Body:t.Headings[0].From]) == "" {
			return t.Headings[0].Below
		}
		return k.Body
	}
	if c, err := card.Parse(string(w.Files.Get(name))); err == nil {
		return c.Body
	}
	return 0
}

func (w *Workspace) rename(c *ctx, name string, h *markdown.Heading, title string) error {
	title = strings.Join(strings.Fields(strings.TrimLeft(strings.ToValidUTF8(title, "\ufffd"), "# ")), " ")
	k := w.byPath[name]
	switch {
	case h == nil:
		err := pdk.Errorf("give a heading: section %s#HEADING rename TEXT", name)
		if k != nil {
			err.Tryf("modify %s title:%s", pdk.Quote(k.ID), pdk.Quote(title))
		}
		return err
	case title == "":
		return pdk.Errorf("a heading needs a text")
	case h.Text == title:
		return pdk.Unchanged("%s#%s already has that name", w.displayName(name), title)
	}
	text := string(w.Files.Get(name))
	var lost []string
	for _, other := range slices.Concat(w.Docs(), w.cardPaths()) {
		for _, r := range w.refsOf(other) {
			if r.path == name && r.anchor == h.Slug && markdown.Slug(title) != h.Slug {
				lost = append(lost, fmt.Sprintf("%s line %d", other, r.line))
			}
		}
	}
	changed := text[:h.Title[0]] + title + text[h.Title[1]:]
	if !slices.ContainsFunc(markdown.Parse(changed, w.front(name)).Headings, func(is markdown.Heading) bool { return is.From == h.From && is.Level == h.Level }) {
		return pdk.Errorf("%s would not be a heading there", pdk.Quote(pdk.Line(title, 80)))
	}
	old := h.Text
	summary := "rename " + w.displayName(name) + "#" + old
	if k != nil && k.Card != nil && h.Level == 1 && k.Title == old {
		next, err := card.Parse(changed)
		if err == nil && next.Title != title { // that of the front matter
			next, err = next.SetTitle(title)
		}
		if err != nil {
			return pdk.Errorf("%s: %v", name, err)
		}
		if _, err := Put(c, k, next, summary); err != nil {
			return err
		}
	} else if err := w.write(c, name, changed, summary); err != nil {
		return err
	}
	c.Changed("%s#%s is now #%s", w.displayName(name), old, title)
	if len(lost) > 0 {
		c.Warn("%s", short("links to #%s are dead now: %s", markdown.Slug(old), pdk.List(lost, 5)))
	}
	return nil
}

// dropOwnHeading removes a heading at the start of a text that repeats the section's own.
func dropOwnHeading(more string, h *markdown.Heading) string {
	t := markdown.Parse(more, 0)
	if len(t.Headings) > 0 && strings.TrimSpace(more[:t.Headings[0].From]) == "" && t.Headings[0].Text == h.Text {
		return more[t.Headings[0].Below:]
	}
	return more
}
