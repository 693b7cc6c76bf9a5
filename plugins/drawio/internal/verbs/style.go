package verbs

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

func styleVerb() verb {
	return verb{Run: runStyle, Keys: edit.StyleKeys(), Verb: abi.Verb{
		Syntax: "style REF|SEL|REF ARROW REF [FLAG…] [key:value…]", Summary: "change how shapes, groups and edges look", Category: "looks",
		Brief:    "style REF|REF ARROW REF|SEL [FLAG…] [theme: fill: stroke: font-color: font-size: opacity: align: or any style key of draw.io]",
		Examples: []string{"style AuthService fill:#dae8fc bold", "style @type:db theme:green", "style A -> B dashed stroke:red", "style @edges curved no-shadow"},
	}}
}

func runStyle(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	changes := pdk.Must(edit.ReadChanges(c.Model, a, used, nil))
	if changes.Len() == 0 {
		return pdk.Errorf("style needs something to change, such as theme:blue or bold")
	}
	d := c.Model.Draft()
	pdk.Check(restyle(d, a, cells, changes))
	what := model.List(cells, 1)
	pdk.Check(edit.Commit(c, d, "style "+what+" "+changes.Words(), model.Already(cells, "in that style", changes.Words()), cells...))
	edit.Report(c, cells, "%s: %s", what, changes.Words())
	return nil
}

// restyle drafts the changes for each cell.
func restyle(d *mxfile.Draft, a pdk.Args, cells []*cell, changes *style.Changes) error {
	type look struct {
		style style.Style
		edge  bool
	}
	done := map[look]style.Style{} // many cells share few styles
	for _, x := range cells {
		was := look{x.Style, x.Edge}
		s, ok := done[was]
		if !ok {
			kind := style.Vertex
			if x.Edge {
				kind = style.Edge
			}
			var err error
			if s, err = changes.Apply(x.Style, kind); err != nil {
				return pdk.Errorf("%s: %s", model.List([]*cell{x}, 1), err.Error())
			}
			done[was] = s
		}
		if x.Edge {
			from, to := model.Ends(x)
			s = edit.WithPorts(a, s, from, to)
		}
		if s != x.Style {
			d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithStyle(s) })
		}
	}
	return nil
}
