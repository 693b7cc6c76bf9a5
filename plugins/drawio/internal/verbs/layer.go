package verbs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/queries"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func layerVerb() verb {
	return verb{Run: runLayer, Keys: []pdk.Parameter{values.Text("to", "LAYER, for move of shapes")}, Verb: abi.Verb{
		Name: "layer", Syntax: "layer create NAME | switch L | show L | hide L | lock L | unlock L | rename L NAME | move REF|SEL to:L | move L N | remove L | list",
		Brief:   "layer create NAME | switch L | show L | hide L | lock L | unlock L | rename L NAME | move REF|SEL to:L | move L N | remove L | list · create switches to it",
		Summary: "work with the page's layers; L is a name or a number from the lowest, 1", Category: "pages",
		Select: true, Min: 1, Max: 4,
		Examples: []string{"layer create Notes", "layer move A to:Extra", "layer hide 1", "layer rename 1 Base", "layer list"},
	}}
}

// ownWord returns the word of page and layer for a word that other tools use.
func ownWord(word string) string {
	switch word {
	case "new", "add", "create":
		return "create"
	case "delete", "drop", "rm":
		return "remove"
	case "goto", "select", "use", "open", "activate":
		return "switch"
	case "copy", "clone":
		return "duplicate"
	case "visible":
		return "show"
	}
	return word
}

func layerWords() []string {
	return []string{"create", "switch", "show", "hide", "lock", "unlock", "rename", "move", "remove", "list"}
}

func runLayer(c *ctx, a pdk.Args) error {
	word := strings.ToLower(a.Text(0))
	if !slices.Contains(layerWords(), word) {
		err := pdk.Errorf("layer %s is unknown: layer %s", a.Text(0), strings.Join(layerWords(), "|"))
		if _, none := selector.Layer(c.Model.Current, a.Text(0), false); none == nil && len(a.Positionals) == 1 {
			err.Try(a.Mended(pdk.WithWords(0, 0, "switch")))
		}
		return suggestWord(a, err, ownWord(word), layerWords()).TryQuery("layers")
	}
	if len(a.Selectors) > 0 && word != "move" {
		return pdk.Errorf("layer %s takes no selector", word).TryQuery("layers")
	}
	if a.Has("to") && word != "move" {
		return pdk.Errorf("to: goes with layer move").Try(a.Mended(pdk.Without("to")))
	}
	if word == "move" && a.Has("to") {
		return layerTake(c, a)
	}
	want := map[string]int{"list": 1, "rename": 3, "move": 3}[word]
	if want == 0 {
		want = 2
	}
	if len(a.Positionals) != want || len(a.Selectors) > 0 {
		err := pdk.Errorf("layer %s takes %s after it, not %d", word, pdk.Count(want-1, "word"), len(a.Positionals)-1)
		_, none := selector.Layer(c.Model.Current, strings.Join(a.Texts(1), " "), word == "remove")
		if len(a.Positionals) > want && len(a.Selectors) == 0 && (word == "create" || word == "rename" || want == 2 && none == nil) {
			err.Try(a.Mended(pdk.WithJoined(want - 1)))
		}
		return err.TryQuery("layers")
	}
	p := c.Model.Current
	switch word {
	case "list":
		c.Bulk("%s", queries.LayersText(p))
		return nil
	case "create":
		return layerCreate(c, a.Text(1))
	}
	l := pdk.Must(selector.Layer(p, a.Text(1), word == "remove"))
	d := c.Model.Draft()
	if word == "remove" {
		return layerRemove(c, l)
	}
	so := pdk.Must(draftLayer(d, l, word, a.Text(2)))
	pdk.Check(edit.Commit(c, d, "layer "+strings.Join(a.Texts(0), " "), fmt.Sprintf("layer %s is already %s", model.LayerTitle(l), so)))
	c.Changed("layer %s%s", model.LayerTitle(p.Cell(l.Key)), queries.LayerMarks(p.Cell(l.Key)))
	return nil
}

// draftLayer drafts the change of a layer that word names; to is the new name or position.
// so describes a layer that needs no change: shown, locked.
func draftLayer(d *mxfile.Draft, l *cell, word, to string) (so string, err error) {
	switch word {
	case "switch":
		if l.Page.DefaultLayer() == l {
			return "", pdk.Unchanged("layer %s is already the current one", model.LayerTitle(l))
		}
		d.SwitchLayer(l.Page, l)
	case "show", "hide":
		so = map[string]string{"show": "shown", "hide": "hidden"}[word]
		if word == "hide" {
			d.Change(l, func(t mxfile.Text) mxfile.Text { return t.WithAttr("visible", "0") })
		} else {
			d.Change(l, func(t mxfile.Text) mxfile.Text { return t.WithoutAttr("visible") })
		}
	case "lock", "unlock":
		so = word + "ed"
		s := l.Style.Drop("locked")
		if word == "lock" {
			s = l.Style.Set("locked", "1")
		}
		d.Change(l, func(t mxfile.Text) mxfile.Text { return t.WithOptionalStyle(string(s)) })
	case "rename":
		pdk.Check(layerName(l.Page, to, l))
		so = "called that"
		d.Change(l, func(t mxfile.Text) mxfile.Text { return t.WithValue(to) })
	case "move":
		pdk.Check(layerPlace(d, l, to))
	}
	return so, nil
}

// suggestWord adds a suggestion to err: the op with meant as its first word, or else with
// the most similar words.
func suggestWord(a pdk.Args, err *pdk.Error, meant string, words []string) *pdk.Error {
	near := []string{meant}
	if !slices.Contains(words, meant) {
		near = pdk.Nearest(a.Text(0), words)
	}
	for _, w := range near {
		err.Try(a.Mended(pdk.WithWords(0, 1, w)))
	}
	return err
}

// layerName checks the name of a layer; of is nil for a new one.
func layerName(p *mxfile.Page, name string, of *cell) error {
	if strings.TrimSpace(name) == "" || len(name) > 200 {
		return pdk.Errorf("a layer needs a name of 200 bytes at most")
	}
	for _, l := range p.Layers() {
		if model.LayerLabel(l) == name && l != of {
			err := pdk.Errorf("layer %s already has that name", model.LayerTitle(l))
			if of == nil {
				err.Tryf("layer switch %s", pdk.Quote(name))
			}
			return err
		}
	}
	return nil
}

func layerCreate(c *ctx, name string) error {
	p := c.Model.Current
	if l := p.DefaultLayer(); l != nil && model.LayerLabel(l) == name {
		return pdk.Unchanged("layer %s already exists, and is the current one", model.LayerTitle(l))
	}
	pdk.Check(layerName(p, name, nil))
	pdk.Check(edit.EnsureRoot(c, p))
	d := c.Model.Draft()
	id := d.NewID()
	d.NewLayer(p, id, name)
	d.SwitchLayerKey(p, id)
	pdk.Check(c.Do(d.Edit(), "create layer "+name))
	c.Created("layer %s (current)", model.LayerTitle(p.Cell(id)))
	return nil
}

func layerRemove(c *ctx, l *cell) error {
	p := l.Page
	if len(p.Layers()) < 2 {
		return pdk.Errorf("the last layer stays; a page needs one")
	}
	if p.ActiveLayer() == l {
		d := c.Model.Draft()
		d.SwitchLayer(p, nil)
		pdk.Check(c.Do(d.Edit(), "leave the layer"))
	}
	return removeCells(c, []*cell{l}, "layer "+model.LayerTitle(l), "remove")
}

// layerPlace drafts the move of a layer to a position, counted from the lowest, 1.
func layerPlace(d *mxfile.Draft, l *cell, place string) error {
	p := l.Page
	layers := p.Layers()
	n, err := strconv.Atoi(place)
	if err != nil || n < 1 || n > len(layers) {
		bad := pdk.Errorf("%q is not a layer position from 1 to %d", place, len(layers))
		if err == nil {
			bad.Instead(place, strconv.Itoa(max(1, min(n, len(layers)))))
		}
		return bad
	}
	if layers[n-1] == l {
		return pdk.Unchanged("layer %s is already at that place", model.LayerTitle(l))
	}
	rest := pdk.Filter(layers, func(x *cell) bool { return x != l })
	// Move all its content, too: no cell may come before its parent.
	all := arranger.Subtree([]*cell{l})
	if n <= len(rest) {
		d.Reorder(all, rest[n-1])
	} else {
		d.Reorder(all, nil)
	}
	return nil
}

// layerTake runs `layer move … to:`. It moves shapes to a layer, out of their groups.
func layerTake(c *ctx, a pdk.Args) error {
	p := c.Model.Current
	l := pdk.Must(selector.Layer(p, a.String("to", ""), false))
	op := a.With(pdk.WithoutWord(0), func(op *abi.Op) { op.Verb = "layer move" })
	if len(op.Positionals) == 0 && len(op.Selectors) == 0 {
		return pdk.Errorf("layer move needs shapes").TryQuery("map")
	}
	cells, used := pdk.Must2(selector.Target(c, op, false))
	if len(op.Positionals) > used {
		return pdk.Errorf("layer move takes one reference; %q is one too many", op.Positionals[used].Text).Try(a.Mended(pdk.WithoutWord(used + 1)))
	}
	d := c.Model.Draft()
	var done []*cell
	moving := pdk.Set(cells)
	for _, x := range cells {
		if x.Page != p {
			return pdk.Errorf("layer move works on the current page").Try(model.PageSwitch(c.Model, x.Page))
		}
		if x.Relative && !x.Edge {
			return pdk.Errorf("%s is fastened to its parent and cannot be moved alone", model.Short(x))
		}
		if o := x.Owner(); o != nil && model.IsPart(x) {
			return pdk.Errorf("%s is a part of %s", model.Short(x), model.Short(o))
		}
		inside := false
		for o, n := x.Owner(), 0; o != nil && n < 100; o, n = o.Owner(), n+1 {
			inside = inside || moving[o]
		}
		if inside || x.Parent == l.ID {
			continue
		}
		done = append(done, x)
		if x.Edge {
			by := x.Origin()
			d.Change(x, func(t mxfile.Text) mxfile.Text {
				return t.WithAttr("parent", l.ID).WithEnds(by).WithPointsMoved(by)
			})
			continue
		}
		placement.Reparent(d, x, l.ID, x.Abs())
	}
	if len(done) == 0 {
		return pdk.Unchanged("%s", model.Already(cells, "on layer "+model.LayerTitle(l), ""))
	}
	pdk.Check(edit.Commit(c, d, "move "+model.ListFirst(done)+" to layer "+model.LayerLabel(l), model.Already(done, "on layer "+model.LayerTitle(l), ""), done...))
	edit.Report(c, done, "%s on layer %s", model.ListFirst(done), model.LayerTitle(l))
	return nil
}
