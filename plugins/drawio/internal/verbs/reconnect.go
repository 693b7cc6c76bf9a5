package verbs

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
)

// runReconnect gives edges other ends: move A -> B target:C. They keep their ids, styles and labels.
func runReconnect(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	if len(a.Positionals) > used {
		return pdk.Errorf("source: and target: give an edge other ends; quote a name with spaces").Try(a.Mended(pdk.WithJoined(used)))
	}
	ends := map[string]*cell{}
	for _, key := range []string{"source", "target"} {
		if ref, ok := a.Param(key); ok {
			ends[key] = pdk.Must(selector.Vertex(c.Model, ref))
		}
	}
	d := c.Model.Draft()
	was := model.List(cells, 1)
	for _, e := range cells {
		switch {
		case !e.Edge:
			return pdk.Errorf("%s is a shape; source: and target: are for edges", model.Short(e)).TryQuery("connections " + model.Reference(e))
		case model.IsMessage(e):
			return pdk.Errorf("%s is a message of a sequence; remove it and draw another", model.ArrowText(e)).TryQuery("connections *")
		}
		source, target := ends["source"], ends["target"]
		if edit.Reversed(a, e) {
			source, target = target, source
		}
		d.Change(e, func(t mxfile.Text) mxfile.Text {
			s := e.Style
			if source != nil && source.ID != e.Source {
				t, s = t.WithAttr("source", source.ID), arranger.WithoutPorts(s, "exit")
			}
			if target != nil && target.ID != e.Target {
				t, s = t.WithAttr("target", target.ID), arranger.WithoutPorts(s, "entry")
			}
			if s == e.Style && string(t) == e.Raw() {
				return t
			}
			if s != e.Style {
				t = t.WithStyle(s)
			}
			return t.WithPoints(nil).SealedLike(e)
		})
	}
	pdk.Check(edit.Commit(c, d, "move the end of "+was, model.Already(cells, "connected like that", ""), cells...))
	pdk.Check(settleNew(c, freeOf(cells), cells))
	if len(cells) > 1 {
		c.Bulk("%s have other ends: %s", was, model.All(cells))
		return nil
	}
	c.Connected("%s, was %s", model.EdgeEntry(cells[0]), was)
	return nil
}
