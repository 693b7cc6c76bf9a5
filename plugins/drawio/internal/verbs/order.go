package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func orderVerb() verb {
	return verb{Run: runOrder, Verb: abi.Verb{
		Syntax: "order REF|SEL|REF ARROW REF front|back", Summary: "draw shapes and edges above or below their siblings", Category: "place",
		Brief:    "order REF|REF ARROW REF|SEL front|back",
		Examples: []string{"order UserDB back", "order @type:note front"},
	}}
}

func runOrder(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	way, ok := pdk.OneOf(a.Text(used), []string{"front", "back"})
	if len(a.Positionals) != used+1 || !ok {
		err := pdk.Errorf("order ends with front or back")
		if n := len(a.Positionals) - used; n > 0 {
			for _, w := range nearDepth(a.Text(used)) {
				err.Try(a.Mended(pdk.WithWords(used, n, w)))
			}
		}
		return err
	}
	p := cells[0].Page
	cells = model.InOrder(p, cells)
	d := c.Model.Draft()
	var before *cell
	if way == "back" {
		// Move them below all cells with the same parents: before the first of these, which comes
		// after its parent.
		parents := map[string]bool{}
		for _, x := range cells {
			parents[x.Parent] = true
		}
		if len(parents) > 1 {
			return pdk.Errorf("order back works on what lies in one group or layer")
		}
		before = p.FirstChild(cells[0].Parent)
	}
	all := arranger.Subtree(cells)
	if alreadyThere(all, before) {
		return pdk.Unchanged("%s", model.Already(cells, "drawn at the "+way, ""))
	}
	for before != nil && slices.Contains(all, before) {
		before = before.Next()
	}
	d.Reorder(all, before)
	pdk.Check(edit.Commit(c, d, "order "+model.ListFirst(cells)+" "+way, model.Already(cells, "drawn at the "+way, ""), cells...))
	edit.Report(c, cells, "%s drawn at the %s", model.ListFirst(cells), way)
	return nil
}

// nearDepth returns the words front or back that an unknown word may mean.
func nearDepth(word string) []string {
	switch strings.ToLower(word) {
	case "top", "up", "forward", "forwards", "above", "raise":
		return []string{"front"}
	case "bottom", "down", "backward", "backwards", "behind", "below", "lower":
		return []string{"back"}
	}
	return pdk.Nearest(word, []string{"front", "back"})
}

// alreadyThere reports whether cells are already consecutive and start at before, or end the
// list if before is nil.
func alreadyThere(cells []*cell, before *cell) bool {
	x := before
	if x == nil {
		x = cells[0].Page.Last()
		for i := len(cells) - 1; i >= 0; i, x = i-1, x.Prev() {
			if x != cells[i] {
				return false
			}
		}
		return true
	}
	for _, c := range cells {
		if x != c {
			return false
		}
		x = x.Next()
	}
	return true
}

func pinVerb() verb {
	return verb{Run: runPin, Verb: abi.Verb{
		Syntax: "pin REF|SEL [off]", Summary: "keep shapes where they are in every layout, with their group; off releases them", Category: "place",
		Brief:    "pin REF|SEL [off] · layouts leave it",
		Examples: []string{"pin AuthService", "pin @type:db", "pin AuthService off"},
	}}
}

func runPin(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	off := false
	if rest := a.Texts(used); len(rest) > 0 {
		word, ok := pdk.OneOf(rest[0], []string{"off", "on"})
		if !ok || len(rest) > 1 {
			return pdk.Errorf("pin takes a reference or a selector, and off after it").Try(a.Mended(pdk.WithWords(used, len(rest))))
		}
		off = word == "off"
	}
	d := c.Model.Draft()
	var done []*cell
	for _, x := range cells {
		if !x.Vertex {
			continue
		}
		done = append(done, x)
		s := x.Style.Set(model.PinKey, "0")
		if off {
			s = x.Style.Drop(model.PinKey)
		}
		if model.IsPinned(x) == off {
			d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithStyle(s) })
		}
	}
	if len(done) == 0 {
		return pdk.Errorf("edges cannot be pinned")
	}
	how := pdk.If(off, "not pinned", "pinned")
	pdk.Check(edit.Commit(c, d, "pin "+model.ListFirst(done), model.Already(done, how, ""), done...))
	edit.Report(c, done, "%s %s at %s", model.ListFirst(done), how, values.Box(placement.Bounds(done)))
	return nil
}
