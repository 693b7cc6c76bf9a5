package verbs

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

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
	how := "pinned"
	if off {
		how = "not pinned"
	}
	pdk.Check(edit.Commit(c, d, "pin "+model.ListFirst(done), model.Already(done, how, ""), done...))
	edit.Report(c, done, "%s %s at %s", model.ListFirst(done), how, values.Box(placement.Bounds(done)))
	return nil
}
