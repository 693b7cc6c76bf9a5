package deck

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/markdown"
)

// file finds the file of a doc by its path, or that of a card by its id or title.
func (w *Workspace) file(ref string) (string, error) {
	name := strings.TrimPrefix(ref, "./")
	if w.Files.Has(name) && (isCard(name) || IsDoc(name)) {
		return name, nil
	}
	k, err := w.find(ref, false)
	if err == nil {
		return k.Path, nil
	}
	if !strings.ContainsAny(ref, "/.") {
		return "", err
	}
	var same []string // docs of that name in other folders
	for _, d := range w.Docs() {
		if strings.EqualFold(path.Base(d), path.Base(name)) {
			same = append(same, d)
		}
	}
	if len(same) == 0 {
		same = pdk.Nearest(name, w.Docs())
	}
	no := pdk.Errorf("no doc %s", pdk.Quote(line(name, 120)))
	if len(same) > 0 {
		no.Message += "; nearest: " + strings.Join(same[:min(len(same), 3)], ", ")
		var quoted []string
		for _, s := range same[:min(len(same), 3)] {
			quoted = append(quoted, pdk.Quote(s))
		}
		return "", no.Instead(ref, quoted...)
	}
	return "", no.TryQuery("map")
}

// place splits PATH#Anchor and finds both. The heading is nil without an anchor.
func (w *Workspace) place(ref string) (name string, h *markdown.Heading, err error) {
	base, anchor, ok := strings.Cut(ref, "#")
	if base == "" || !ok {
		name, err = w.file(ref)
		return name, nil, err
	}
	if name, err = w.file(base); err != nil {
		if _, whole := w.file(ref); whole == nil { // a title with # in it
			name, err = w.file(ref)
			return name, nil, err
		}
		if e, is := err.(*pdk.Error); is {
			return "", nil, pdk.Errorf("%s", e.Message)
		}
		return "", nil, err
	}
	h, err = w.heading(name, anchor)
	if e, is := err.(*pdk.Error); is {
		var near []string
		for _, n := range pdk.Nearest(anchor, w.anchors(name)) {
			near = append(near, pdk.Quote(base+"#"+n))
		}
		return "", nil, e.Instead(ref, near...)
	}
	return name, h, err
}

func (w *Workspace) anchors(name string) (out []string) {
	for _, h := range w.Text(name).Headings {
		out = append(out, h.Text)
	}
	return out
}

// heading finds a heading by its text or its slug.
func (w *Workspace) heading(name, anchor string) (*markdown.Heading, error) {
	anchor = strings.TrimSpace(strings.TrimLeft(anchor, "# "))
	all := w.Text(name).Headings
	for _, fits := range []func(h markdown.Heading) bool{
		func(h markdown.Heading) bool { return h.Text == anchor },
		func(h markdown.Heading) bool { return h.Slug == anchor },
		func(h markdown.Heading) bool { return strings.EqualFold(h.Text, anchor) },
		func(h markdown.Heading) bool { return h.Slug == markdown.Slug(anchor) },
	} {
		var hits []int
		for i, h := range all {
			if fits(h) {
				hits = append(hits, i)
			}
		}
		switch {
		case len(hits) == 1:
			return &all[hits[0]], nil
		case len(hits) > 1:
			var slugs []string
			for _, i := range hits {
				slugs = append(slugs, fmt.Sprintf("#%s (line %d)", all[i].Slug, all[i].First))
			}
			return nil, pdk.Errorf("%s has %d headings %s: %s", name, len(hits), pdk.Quote(anchor), strings.Join(slugs, ", "))
		}
	}
	if len(all) == 0 {
		return nil, pdk.Errorf("%s has no headings", w.called(name))
	}
	return nil, pdk.Errorf("%s has no heading %s; it has: %s", w.called(name), pdk.Quote(line(anchor, 80)), line(strings.Join(w.anchors(name), ", "), 300))
}

// write makes a file hold a text, and notes in a card's front matter when.
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
	return c.PutFile(name, []byte(text), short("%s", summary), touched(name)...)
}

// called names a file in replies: a card by its id and title, a doc by its path.
func (w *Workspace) called(name string) string {
	if k := w.byPath[name]; k != nil {
		return k.String()
	}
	return pdk.Quote(name)
}

// newline is the line break that a text is written with.
func newline(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// lined gives a text the line breaks nl, without empty lines around it.
func lined(text, nl string) string {
	text = strings.Trim(strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n"), "\n")
	return strings.ReplaceAll(text, "\n", nl)
}

// insert puts paragraphs at a place, with an empty line before and after.
func insert(text string, at int, more string) string {
	nl := newline(text)
	before, after := text[:at], text[at:]
	body := strings.TrimRight(before, " \t\r\n")
	if body != "" && (strings.Count(before[len(body):], "\n") < 2 || !strings.HasSuffix(before, "\n")) {
		head, rest := parted(before, len(body), 2, nl)
		before = head + rest
	}
	more = lined(more, nl) + nl
	if strings.Trim(after, " \t\r\n") != "" {
		more += nl
	}
	return before + more + after
}

// parted splits a text after n line breaks after a place that only blanks follow. Those it has stay as they are, and those
// it has not are added.
func parted(text string, at, n int, nl string) (head, rest string) {
	for ; n > 0; n-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text + strings.Repeat(nl, n), ""
		}
		at += i + 1
	}
	return text[:at], text[at:]
}

func noteVerb() verb {
	return verb{Run: note, Verb: abi.Verb{
		Name: "note", Syntax: "note CARD TEXT", Summary: "write down what happened, with the date, below the heading Notes", Brief: "note CARD \"…\" · dated, below ## Notes", Category: "texts",
		Min: 2, Max: 2, Examples: []string{`note "Set up the build" "CI runs on every push now"`},
	}}
}

func note(c *ctx, a pdk.Args) error {
	k, err := c.Model.find(a.Text(0), false)
	if err != nil {
		return err
	}
	is, err := Note(c, k, a.Text(1))
	if err != nil {
		return err
	}
	c.Changed("%s note: %s", is, quoted(line(a.Text(1), 60)))
	return nil
}

// Note adds a note to a card.
func Note(c *ctx, k *Card, text string) (*Card, error) {
	if k.Broken != nil {
		return nil, k.unreadable()
	}
	if text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd")); text == "" {
		return nil, pdk.Errorf("a note needs its text")
	}
	item := "- " + time.UnixMilli(int64(c.Now())).UTC().Format("2006-01-02") + ": " + strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\n  ")
	next := ""
	if h, err := c.Model.heading(k.Path, "Notes"); err == nil && h.Text == "Notes" {
		body := strings.TrimRight(k.Text[:h.To], " \t\r\n")
		nl := newline(k.Text)
		breaks := 1
		if strings.TrimSpace(k.Text[min(h.Below, len(body)):len(body)]) == "" {
			breaks = 2
		}
		head, blank := parted(k.Text[:h.To], len(body), breaks, nl)
		next = head + lined(item, nl) + nl
		if rest := k.Text[h.To:]; rest != "" && blank == "" {
			next += nl
		}
		next += blank + k.Text[h.To:]
	} else {
		next = insert(k.Text, len(k.Text), "## Notes\n\n"+item)
	}
	parsed, err := card.Parse(next)
	if err != nil {
		return nil, pdk.Errorf("%s: %v", k.Path, err)
	}
	return Put(c, k, parsed, "note "+k.ID+" "+quoted(line(text, 60)))
}

func sectionVerb() verb {
	return verb{Run: section, Verb: abi.Verb{
		Name: "section", Syntax: "section PATH|CARD[#Heading] set|append|rename TEXT", Summary: "edit the text below a heading of a doc or card, or without one the whole: set replaces, append adds, rename changes the heading",
		Brief: "section PATH|CARD[#Heading] set|append|rename TEXT", Category: "texts", Min: 3, Max: -1,
		Examples: []string{`section docs/plan.md append "## Risks\n\nNone yet."`, `section "docs/plan.md#Risks" set "The licence is not settled."`, `section "docs/plan.md#Risks" rename "Open questions"`},
	}}
}

func section(c *ctx, a pdk.Args) error {
	w := c.Model
	hows := []string{"set", "append", "rename"}
	if len(a.Positionals) > 3 {
		return w.scatteredSection(a, hows)
	}
	how, ok := pdk.OneOf(a.Text(1), hows)
	if !ok {
		return pdk.Errorf("section is set, append or rename, not %s", pdk.Quote(a.Text(1))).Try(a.Mended(pdk.WithWords(1, 1, "append")))
	}
	name, h, err := w.place(a.Text(0))
	if base, anchor, ok := strings.Cut(a.Text(0), "#"); err != nil && ok && how == "append" && len(pdk.Nearest(anchor, w.anchors(name))) == 0 {
		if _, there := w.file(base); there == nil { // a new section, then
			err = pdk.Errorf("%v", err).Try(a.Mended(pdk.WithWords(0, 1, base), pdk.WithWords(2, 1, "## "+anchor+"\n\n"+a.Text(2))))
		}
	}
	if err != nil {
		return err
	}
	text := string(w.Files.Get(name))
	what := w.called(name)
	if h != nil {
		what += "#" + h.Text
	}
	more := a.Text(2)
	from, to := w.body(name), len(text)
	if h != nil {
		from, to = h.Below, h.To
	}
	next := ""
	switch {
	case how == "rename":
		return w.rename(c, name, h, more)
	case h == nil && how == "append":
		next = insert(text, len(text), more)
	case h == nil:
		next = w.withText(name, more)
	case how == "append":
		at := h.To
		if !strings.HasPrefix(strings.TrimLeft(more, "\n"), "#") { // before the headings below
			for _, below := range w.Text(name).Headings {
				if below.From > h.From && below.From < h.To {
					at = below.From
					break
				}
			}
		}
		next = insert(text, at, more)
	default:
		more = beheaded(more, h)
		next = insert(text[:from]+text[to:], from, more)
		if strings.TrimSpace(more) == "" {
			next = text[:from] + text[to:]
		}
	}
	if next == text {
		return pdk.Unchanged("%s holds that already", what)
	}
	if err := w.write(c, name, next, how+" "+what); err != nil {
		return err
	}
	said := "appended"
	if how == "set" {
		said = "set, " + pdk.Count(strings.Count(strings.TrimSpace(text[from:to])+"\n", "\n"), "line") + " replaced"
		if strings.TrimSpace(text[from:to]) == "" {
			said = "set"
		}
	}
	c.Changed("%s %s, %d tokens in all", what, said, Tokens(len(w.Files.Get(name))))
	return nil
}

// scatteredSection is the refusal of a section whose place or text has blanks and is not in quotes as a whole.
func (w *Workspace) scatteredSection(a pdk.Args, hows []string) error {
	words := a.Texts(0)
	err := pdk.Errorf(`a place and a text with blanks are each one word in quotes: section "PATH#Two words" append "More text"`)
	how := slices.IndexFunc(words, func(s string) bool { return isOne(s, hows...) })
	if how < 1 || how+1 == len(words) {
		return err
	}
	ref := strings.ReplaceAll(strings.Join(words[:how], " "), `"`, "")
	if _, _, missing := w.place(ref); missing != nil {
		return err
	}
	return err.Try(a.Mended(pdk.WithJoined(how+1), pdk.WithWords(0, how, ref)))
}

// withText is what a file holds with another text below its front matter, and of a card below its title.
func (w *Workspace) withText(name, more string) string {
	text, from := string(w.Files.Get(name)), w.body(name)
	if strings.TrimSpace(more) == "" {
		head, _ := parted(text[:from], len(strings.TrimRight(text[:from], "\r\n")), 1, newline(text))
		return head
	}
	return insert(text[:from], from, more)
}

// body is where the text of a file begins that is no front matter, and of a card not its title.
func (w *Workspace) body(name string) int {
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
		err := pdk.Errorf("which heading: section %s#HEADING rename TEXT", name)
		if k != nil {
			err.Tryf("modify %s title:%s", pdk.Quote(k.ID), pdk.Quote(title))
		}
		return err
	case title == "":
		return pdk.Errorf("a heading needs its text")
	case h.Text == title:
		return pdk.Unchanged("%s#%s already has that name", w.called(name), title)
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
		return pdk.Errorf("%s would be no heading there", pdk.Quote(line(title, 80)))
	}
	old := h.Text
	summary := "rename " + w.called(name) + "#" + old
	if k != nil && k.Card != nil && h.Level == 1 && k.Title == old {
		next, err := card.Parse(changed)
		if err == nil && next.Title != title { // of the front matter
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
	c.Changed("%s#%s is now #%s", w.called(name), old, title)
	if len(lost) > 0 {
		c.Warn("%s", short("links to #%s lead nowhere now: %s", markdown.Slug(old), listed(lost)))
	}
	return nil
}

// listed prints up to five words.
func listed(words []string) string {
	if more := len(words) - 5; more > 0 {
		return strings.Join(words[:5], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(words, ", ")
}

func checkVerb() verb {
	return verb{Run: check, Verb: abi.Verb{
		Name: "check", Syntax: "check CARD|PATH ITEM|N|all [done:false]", Summary: "tick an item of a list of boxes (- [ ] item), by its text or number; done:false clears the box", Brief: "check CARD \"item\"|N|all [done:false] · tick - [ ] item", Category: "texts",
		Params: []abi.Param{{Key: "done", Value: "true|false"}}, Min: 2, Max: 2, Examples: []string{`check "Write the login page" form`, `check "Write the login page" 2 done:false`},
	}}
}

func check(c *ctx, a pdk.Args) error {
	w := c.Model
	name, err := w.file(a.Text(0))
	if err != nil {
		return err
	}
	if k := w.byPath[name]; k != nil && k.Broken != nil {
		return k.unreadable()
	}
	done, err := a.Bool("done", true)
	if err != nil {
		return err
	}
	items := w.Text(name).Checks
	if len(items) == 0 {
		return pdk.Errorf("%s has no items - [ ] to check", w.called(name)).Tryf("section %s append %s", pdk.Quote(w.ref(name)), pdk.Quote("- [ ] "+a.Text(1)))
	}
	chosen, err := w.items(a, name, items)
	if err != nil {
		return err
	}
	text := []byte(string(w.Files.Get(name)))
	mark, changed := byte('x'), 0
	if !done {
		mark = ' '
	}
	for _, i := range chosen {
		if items[i].Done != done {
			text[items[i].Mark] = mark
			changed++
		}
	}
	what := fmt.Sprintf("%s %s", w.called(name), quoted(line(items[chosen[0]].Text, 60)))
	if len(chosen) > 1 {
		what = fmt.Sprintf("%s %d items", w.called(name), len(chosen))
	}
	state := "checked"
	if !done {
		state = "not checked"
	}
	if changed == 0 {
		return pdk.Unchanged("%s: %s already", what, state)
	}
	if err := w.write(c, name, string(text), "check "+what); err != nil {
		return err
	}
	ticked := 0
	for _, it := range w.Text(name).Checks {
		if it.Done {
			ticked++
		}
	}
	c.Changed("%s %s, %d/%d", what, state, ticked, len(items))
	if k := w.byPath[name]; k != nil && ticked == len(items) && k.open() {
		c.Warn("%s", short("all items of %s are checked, and it is %s", k, k.Status))
	}
	return nil
}

// items finds check items by number, by text, by the beginning of one, or all.
func (w *Workspace) items(a pdk.Args, name string, items []markdown.Check) ([]int, error) {
	ref := a.Text(1)
	if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= len(items) {
		return []int{n - 1}, nil
	}
	var texts pdk.Index[int]
	var all []int
	for i, it := range items {
		texts.Put(i, it.Text, "", "")
		all = append(all, i)
	}
	hits, _ := texts.Find(ref, false)
	if len(hits) == 0 && strings.EqualFold(ref, "all") {
		return all, nil
	}
	if len(hits) == 0 {
		for i, it := range items {
			if strings.Contains(strings.ToLower(it.Text), strings.ToLower(ref)) {
				hits = append(hits, i)
			}
		}
	}
	if len(hits) == 1 {
		return hits[:1:1], nil
	}
	var said []string
	list := hits
	if len(hits) == 0 {
		list = all
	}
	for _, i := range list {
		said = append(said, fmt.Sprintf("%d %s", i+1, quoted(line(items[i].Text, 40))))
	}
	if len(hits) > 1 {
		return nil, pdk.Errorf("%s may be %s", pdk.Quote(ref), listed(said)).Instead(ref, strconv.Itoa(hits[0]+1), strconv.Itoa(hits[1]+1))
	}
	return nil, pdk.Errorf("%s has no item %s; it has %s (section %s append \"- [ ] …\" adds one)", w.called(name), pdk.Quote(line(ref, 60)), listed(said), pdk.Quote(w.ref(name))).Instead(ref, texts.Nearest(ref)...)
}

// ref is what names a file in ops: the id of a card, the path of a doc.
func (w *Workspace) ref(name string) string {
	if k := w.byPath[name]; k != nil && w.byID[k.ID] == k {
		return k.ID
	}
	return name
}

func (w *Workspace) cardPaths() (out []string) {
	for _, k := range w.Cards() {
		out = append(out, k.Path)
	}
	return out
}

// beheaded is a text without a heading at its start that says what its section's says.
func beheaded(more string, h *markdown.Heading) string {
	t := markdown.Parse(more, 0)
	if len(t.Headings) > 0 && strings.TrimSpace(more[:t.Headings[0].From]) == "" && t.Headings[0].Text == h.Text {
		return more[t.Headings[0].Below:]
	}
	return more
}
