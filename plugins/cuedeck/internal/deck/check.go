package deck

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/markdown"
)

var done = value.Key[bool]{Name: "done", Type: value.Bool, Default: true}

func checkVerb() verb {
	return verb{Run: check, Keys: []pdk.Parameter{done}, Verb: abi.Verb{
		Syntax: "check CARD|PATH ITEM|N|all [done:false]", Summary: "tick a check item (- [ ] item), by its text or number; done:false clears it", Brief: "check CARD \"item\"|N|all [done:false] · tick - [ ] item", Category: "texts",
		Examples: []string{`check "Write the login page" form`, `check "Write the login page" 2 done:false`},
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
	done := done.Of(a)
	items := w.Text(name).Checks
	if len(items) == 0 {
		return pdk.Errorf("%s has no items - [ ] to check", w.displayName(name)).Tryf("section %s append %s", pdk.Quote(w.ref(name)), pdk.Quote("- [ ] "+a.Text(1)))
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
	what := fmt.Sprintf("%s %s", w.displayName(name), quoted(pdk.Line(items[chosen[0]].Text, 60)))
	if len(chosen) > 1 {
		what = fmt.Sprintf("%s %d items", w.displayName(name), len(chosen))
	}
	state := "checked"
	if !done {
		state = "not checked"
	}
	if changed == 0 {
		return pdk.Unchanged("%s: already %s", what, state)
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

// items finds check items by number, text or unique prefix, or all of them.
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
		said = append(said, fmt.Sprintf("%d %s", i+1, quoted(pdk.Line(items[i].Text, 40))))
	}
	if len(hits) > 1 {
		return nil, pdk.Errorf("%s may be %s", pdk.Quote(ref), pdk.List(said, 5)).Instead(ref, strconv.Itoa(hits[0]+1), strconv.Itoa(hits[1]+1))
	}
	return nil, pdk.Errorf("%s has no item %s; it has %s (section %s append \"- [ ] …\" adds one)", w.displayName(name), pdk.Quote(pdk.Line(ref, 60)), pdk.List(said, 5), pdk.Quote(w.ref(name))).Instead(ref, texts.Nearest(ref)...)
}
