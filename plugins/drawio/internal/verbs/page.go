package verbs

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/queries"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func pageVerb() verb {
	return verb{Run: runPage, Keys: []pdk.Parameter{values.Text("as", "NAME")}, Verb: abi.Verb{
		Name: "page", Syntax: "page add [NAME] | switch P | rename P NAME | move P N | duplicate P [as:NAME] | split REF…|SEL [as:NAME] | remove P | list", Summary: "work with the file's pages; P is a name or a number; split moves shapes to a page of their own, with stand-ins for the shapes that they are connected to", Category: "pages",
		Brief:  "page add [NAME] | switch P | rename P NAME | move P N | duplicate P | remove P",
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
		if _, none := selector.Page(c.Model, a.Text(0), false); none == nil && len(a.Positionals) == 1 {
			err.Try(a.Mended(pdk.WithWords(0, 0, "switch")))
		}
		return suggestWord(a, err, strings.Replace(ownWord(word), "create", "add", 1), names).TryQuery("pages")
	}
	if n := len(a.Positionals); n < act.min || n > act.max {
		err := pdk.Errorf("page %s takes %s after it, not %d", word, pdk.Count(act.max-1, "word"), n-1)
		_, none := selector.Page(c.Model, strings.Join(a.Texts(1), " "), word == "remove")
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

// pageName checks the name of a page; of is nil for a new one.
func pageName(f *file, name string, of *mxfile.Page) error {
	if strings.TrimSpace(name) == "" {
		return pdk.Errorf("a page needs a name")
	}
	if len(name) > 200 {
		return pdk.Errorf("the page's name is longer than 200 bytes")
	}
	for _, p := range f.Pages {
		if p.Name == name && p != of {
			return pdk.Errorf("page %d is already called %q", f.Number(p), name).TryQuery("pages")
		}
	}
	return nil
}

// freshPageName returns an unused page name: base, with a number if necessary.
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
	if f.Current.Name == name && model.Count(f.Current) == (model.Tally{}) {
		return pdk.Unchanged("page %s already exists, is empty, and is the current one", model.PageTitle(f, f.Current))
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
	key := pdk.Must(d.AddPage(name, f.Pages[len(f.Pages)-1], nil))
	d.Switch(key)
	pdk.Check(c.Do(d.Edit(), "add page "+name))
	c.Created("page %s", model.PageTitle(f, f.Current))
	return nil
}

func pageSwitch(c *ctx, a pdk.Args) error {
	p := pdk.Must(selector.Page(c.Model, a.Text(1), false))
	if p == c.Model.Current {
		return pdk.Unchanged("page %s is already the current one", model.PageTitle(c.Model, p))
	}
	d := c.Model.Draft()
	d.Switch(p.Key)
	pdk.Check(c.Do(d.Edit(), "switch to page "+p.Name))
	c.Changed("page %s", model.PageTitle(c.Model, p))
	return nil
}

func pageRename(c *ctx, a pdk.Args) error {
	f := c.Model
	p := pdk.Must(selector.Page(f, a.Text(1), false))
	pdk.Check(pageName(f, a.Text(2), p))
	if p.Name == a.Text(2) {
		return pdk.Unchanged("page %s already has that name", model.PageTitle(f, p))
	}
	d := f.Draft()
	if f.Bare() {
		d.Wrap(a.Text(2))
	} else {
		d.RenamePage(p, a.Text(2))
	}
	was := p.Name
	pdk.Check(c.Do(d.Edit(), fmt.Sprintf("rename page %s to %s", was, a.Text(2))))
	c.Changed("page %s (was %q)", model.PageTitle(f, p), was)
	return nil
}

func pageMove(c *ctx, a pdk.Args) error {
	f := c.Model
	p := pdk.Must(selector.Page(f, a.Text(1), false))
	n, err := strconv.Atoi(a.Text(2))
	if err != nil || n < 1 || n > len(f.Pages) {
		bad := pdk.Errorf("%q is not a page position from 1 to %d", a.Text(2), len(f.Pages))
		if err == nil {
			bad.Try(a.Mended(pdk.WithWords(2, 1, strconv.Itoa(max(1, min(n, len(f.Pages)))))))
		}
		return bad
	}
	if f.Number(p) == n {
		return pdk.Unchanged("page %s is already at that place", model.PageTitle(f, p))
	}
	d := f.Draft()
	d.MovePage(p, n)
	pdk.Check(c.Do(d.Edit(), fmt.Sprintf("move page %s to %d", p.Name, n)))
	c.Changed("page %s", model.PageTitle(f, p))
	return nil
}

func pageDuplicate(c *ctx, a pdk.Args) error {
	f := c.Model
	p := pdk.Must(selector.Page(f, a.Text(1), false))
	name := a.String("as", "")
	if !a.Has("as") {
		name = freshPageName(f, "Page-")
	}
	pdk.Check(pageName(f, name, nil))
	d := f.Draft()
	key := pdk.Must(d.AddPage(name, p, p))
	d.Switch(key)
	pdk.Check(c.Do(d.Edit(), "duplicate page "+p.Name))
	c.Created("page %s, a copy of %s", model.PageTitle(f, f.Current), model.PageTitle(f, p))
	return nil
}

func pageRemove(c *ctx, a pdk.Args) error {
	f := c.Model
	p := pdk.Must(selector.Page(f, a.Text(1), true))
	if len(f.Pages) == 1 {
		return pdk.Errorf("the last page stays; a file needs one")
	}
	was := model.PageTitle(f, p)
	t := model.Count(p)
	d := f.Draft()
	if p == f.Current {
		i := f.Number(p) // show the next page, or the one before the last
		if i == len(f.Pages) {
			i = len(f.Pages) - 2
		}
		d.Switch(f.Pages[i].Key)
	}
	pdk.Check(d.RemovePage(p))
	pdk.Check(c.Do(d.Edit(), "remove page "+p.Name))
	c.Deleted("page %s with %s and %s; now on page %s", was, pdk.Count(t.Shapes+t.Groups, "shape"), pdk.Count(t.Edges, "edge"), model.PageTitle(f, f.Current))
	return nil
}

func pageList(c *ctx, _ pdk.Args) error {
	c.Bulk("%s", queries.PagesText(c.Model))
	return nil
}
