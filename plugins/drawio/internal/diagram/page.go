package diagram

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

func pageVerb() verb {
	return verb{Run: runPage, Verb: abi.Verb{
		Name: "page", Syntax: "page add [NAME] | switch P | rename P NAME | move P N | duplicate P [as:NAME] | split REF…|SEL [as:NAME] | remove P | list", Summary: "work with the file's pages; P is a name or a number; split moves shapes to a page of their own, with stand-ins for what they are joined to", Category: "pages",
		Brief:  "page add [NAME] | switch P | rename P NAME | move P N | duplicate P [as:] | split REF…|SEL [as:] | remove P | list · P is a name or number; add and duplicate switch to it",
		Params: []abi.Param{{Key: "as", Value: "NAME"}},
		Select: true, Min: 1, Max: -1,
		Examples: []string{`page add Details`, "page switch 1", `page split @all as:Parts`, `page rename 1 Overview`, "page duplicate 1 as:Draft", "page list"},
	}}
}

func runPage(c *ctx, a pdk.Args) error {
	type action struct {
		min, max int
		run      func(*ctx, pdk.Args) error
	}
	actions := map[string]action{
		"add": {1, 2, pageAdd}, "switch": {2, 2, pageSwitch}, "rename": {3, 3, pageRename}, "move": {3, 3, pageMove},
		"duplicate": {2, 2, pageDuplicate}, "remove": {2, 2, pageRemove}, "list": {1, 1, pageList},
		"split": {1, math.MaxInt, pageSplit},
	}
	word := strings.ToLower(a.Text(0))
	act, ok := actions[word]
	names := []string{"add", "switch", "rename", "move", "duplicate", "split", "remove", "list"}
	if !ok {
		err := pdk.Errorf("page %s is unknown: page %s", a.Text(0), strings.Join(names, "|"))
		if _, none := pageRef(c.Model, a.Text(0), false); none == nil && len(a.Positionals) == 1 {
			err.Try(a.Mended(pdk.WithWords(0, 0, "switch")))
		}
		return meantInstead(a, err, strings.Replace(meantWord(word), "create", "add", 1), names).TryQuery("pages")
	}
	if n := len(a.Positionals); n < act.min || n > act.max {
		err := pdk.Errorf("page %s takes %s after it, not %d", word, plural(act.max-1, "word"), n-1)
		_, none := pageRef(c.Model, strings.Join(a.Texts(1), " "), word == "remove")
		if word == "add" || word == "rename" || none == nil {
			if act.max > 1 && n > act.max {
				err.Try(a.Mended(pdk.WithJoined(act.max - 1)))
			}
		}
		return err.TryQuery("pages")
	}
	if a.Has("as") && word != "duplicate" && word != "split" {
		return pdk.Errorf("as: goes with page duplicate and page split").Try(a.Mended(pdk.Without("as")))
	}
	if len(a.Selectors) > 0 && word != "split" {
		return pdk.Errorf("page %s takes no selector; page split does", word).TryQuery("pages")
	}
	return act.run(c, a)
}

// pageRef finds a page by its number, or by its name as references go. exactish
// keeps to full names.
func pageRef(f *file, ref string, exactish bool) (*mxfile.Page, error) {
	var names pdk.Index[*mxfile.Page]
	for _, p := range f.Pages {
		names.Put(p, p.Name, "page", "")
	}
	hits, level := names.Find(ref, exactish)
	if level != pdk.MatchExact {
		if n, err := strconv.Atoi(ref); err == nil {
			if n < 1 || n > len(f.Pages) {
				return nil, pdk.Errorf("there is no page %d; the file has %d", n, len(f.Pages)).TryQuery("pages")
			}
			return f.Pages[n-1], nil
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		err := pdk.Errorf("no page %q: %s", ref, pageNames(f))
		if near := nearNames(&names, ref); len(near) > 0 {
			return nil, err.Instead(ref, near...)
		}
		return nil, err.TryQuery("pages")
	}
	var numbers []string
	for _, h := range hits {
		numbers = append(numbers, strconv.Itoa(f.Number(h)))
	}
	return nil, pdk.Errorf("page %q is ambiguous; say which by its number: %s", ref, strings.Join(numbers, ", ")).Instead(ref, numbers...)
}

// nearNames are names close to one that is not found: what it is the beginning
// of, where that does not do, or else the nearest.
func nearNames[E comparable](names *pdk.Index[E], ref string) (out []string) {
	hits, level := names.Find(ref, false)
	if level == pdk.MatchNone {
		return names.Nearest(ref)
	}
	for _, h := range hits[:min(3, len(hits))] {
		out = append(out, names.Name(h))
	}
	return out
}

func pageNames(f *file) string {
	var out []string
	for i, p := range f.Pages {
		if i == 12 {
			out = append(out, "…")
			break
		}
		out = append(out, pageTitle(f, p))
	}
	return strings.Join(out, ", ")
}

func pageTitle(f *file, p *mxfile.Page) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", f.Number(p), oneLine(p.Name)))
}

// pageName checks the name for a page, nil for a new one.
func pageName(f *file, name string, of *mxfile.Page) error {
	if strings.TrimSpace(name) == "" {
		return pdk.Errorf("a page needs a name")
	}
	if len(name) > 200 {
		return pdk.Errorf("the page's name is longer than 200 bytes")
	}
	for _, p := range f.Pages {
		if p.Name == name && p != of {
			return pdk.Errorf("page %d is called %q already", f.Number(p), name).TryQuery("pages")
		}
	}
	return nil
}

func freshPageName(f *file, base string) string {
	for n := len(f.Pages) + 1; ; n++ {
		name := fmt.Sprintf("%s%d", base, n)
		if pageName(f, name, nil) == nil {
			return name
		}
	}
}

func pageAdd(c *ctx, a pdk.Args) error {
	f := c.Model
	name := a.Text(1)
	if len(a.Positionals) == 1 {
		name = freshPageName(f, "Page-")
	}
	if f.Current.Name == name && count(f.Current) == (tally{}) {
		return pdk.Unchanged("page %s already exists, is empty, and is the current one", pageTitle(f, f.Current))
	}
	if err := pageName(f, name, nil); err != nil {
		for _, p := range f.Pages {
			if e, ok := err.(*pdk.Error); ok && p.Name == name && p != f.Current {
				e.Tries = nil
				return e.Tryf("page switch %s", pdk.Quote(name))
			}
		}
		return err
	}
	d := f.Draft()
	key, err := d.AddPage(name, f.Pages[len(f.Pages)-1], nil)
	if err != nil {
		return err
	}
	d.Switch(key)
	if err := c.Do(d.Edit(), "add page "+name); err != nil {
		return err
	}
	c.Created("page %s", pageTitle(f, f.Current))
	return nil
}

func pageSwitch(c *ctx, a pdk.Args) error {
	p, err := pageRef(c.Model, a.Text(1), false)
	if err != nil {
		return err
	}
	if p == c.Model.Current {
		return pdk.Unchanged("page %s is the current one already", pageTitle(c.Model, p))
	}
	d := c.Model.Draft()
	d.Switch(p.Key)
	if err := c.Do(d.Edit(), "switch to page "+p.Name); err != nil {
		return err
	}
	c.Changed("page %s", pageTitle(c.Model, p))
	return nil
}

func pageRename(c *ctx, a pdk.Args) error {
	f := c.Model
	p, err := pageRef(f, a.Text(1), false)
	if err != nil {
		return err
	}
	if err := pageName(f, a.Text(2), p); err != nil {
		return err
	}
	if p.Name == a.Text(2) {
		return pdk.Unchanged("page %s already has that name", pageTitle(f, p))
	}
	d := f.Draft()
	if f.Bare() {
		d.Wrap(a.Text(2))
	} else {
		d.RenamePage(p, a.Text(2))
	}
	was := p.Name
	if err := c.Do(d.Edit(), line(fmt.Sprintf("rename page %s to %s", was, a.Text(2)))); err != nil {
		return err
	}
	c.Changed("page %s (was %q)", pageTitle(f, p), was)
	return nil
}

func pageMove(c *ctx, a pdk.Args) error {
	f := c.Model
	p, err := pageRef(f, a.Text(1), false)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(a.Text(2))
	if err != nil || n < 1 || n > len(f.Pages) {
		bad := pdk.Errorf("%q is not a page's place from 1 to %d", a.Text(2), len(f.Pages))
		if err == nil {
			bad.Try(a.Mended(pdk.WithWords(2, 1, strconv.Itoa(max(1, min(n, len(f.Pages)))))))
		}
		return bad
	}
	if f.Number(p) == n {
		return pdk.Unchanged("page %s is already at that place", pageTitle(f, p))
	}
	d := f.Draft()
	d.MovePage(p, n)
	if err := c.Do(d.Edit(), fmt.Sprintf("move page %s to %d", p.Name, n)); err != nil {
		return err
	}
	c.Changed("page %s", pageTitle(f, p))
	return nil
}

func pageDuplicate(c *ctx, a pdk.Args) error {
	f := c.Model
	p, err := pageRef(f, a.Text(1), false)
	if err != nil {
		return err
	}
	name := a.String("as", "")
	if !a.Has("as") {
		name = freshPageName(f, "Page-")
	}
	if err := pageName(f, name, nil); err != nil {
		return err
	}
	d := f.Draft()
	key, err := d.AddPage(name, p, p)
	if err != nil {
		return err
	}
	d.Switch(key)
	if err := c.Do(d.Edit(), "duplicate page "+p.Name); err != nil {
		return err
	}
	c.Created("page %s, a copy of %s", pageTitle(f, f.Current), pageTitle(f, p))
	return nil
}

func pageRemove(c *ctx, a pdk.Args) error {
	f := c.Model
	p, err := pageRef(f, a.Text(1), true)
	if err != nil {
		return err
	}
	if len(f.Pages) == 1 {
		return pdk.Errorf("the last page stays; a file needs one")
	}
	was := pageTitle(f, p)
	t := count(p)
	d := f.Draft()
	if p == f.Current {
		i := f.Number(p) // the next page, or the one before the last
		if i == len(f.Pages) {
			i = len(f.Pages) - 2
		}
		d.Switch(f.Pages[i].Key)
	}
	if err := d.RemovePage(p); err != nil {
		return err
	}
	if err := c.Do(d.Edit(), "remove page "+p.Name); err != nil {
		return err
	}
	c.Deleted("page %s with %s and %s; now on page %s", was, plural(t.shapes+t.groups, "shape"), plural(t.edges, "edge"), pageTitle(f, f.Current))
	return nil
}

func pageList(c *ctx, _ pdk.Args) error {
	c.Bulk("%s", pagesText(c.Model))
	return nil
}

func pagesText(f *file) string {
	var lines []string
	for _, p := range f.Pages {
		t := count(p)
		mark := ""
		if p == f.Current {
			mark = " (current)"
		}
		if p.Compressed() {
			mark += " compressed"
		}
		lines = append(lines, fmt.Sprintf("%s: %ds %de %dg%s", pageTitle(f, p), t.shapes, t.edges, t.groups, mark))
	}
	return strings.Join(lines, "\n")
}
