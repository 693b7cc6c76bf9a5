package verbs

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/legend"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
)

// runKeep runs layout with keep:true.
func runKeep(c *ctx, a pdk.Args) error {
	for _, key := range []string{"dir", "by", "spacing", "algo"} {
		if a.Has(key) {
			return pdk.Errorf("keep:true keeps the layout, so %s: has no effect", key).Try(a.Mended(pdk.Without(key)), a.Mended(pdk.Without("keep")))
		}
	}
	page := c.Model.Current
	if arranger.ShowsSequence(page) {
		return arranger.RefuseSequence()
	}
	before, known := arranger.Score(page)
	if !known {
		return pdk.Errorf("keep:true is for pages of up to %d shapes and edges", arranger.MaxScored).Try(a.Mended(pdk.Without("keep")))
	}
	var fresh []*cell
	if len(a.Selectors) > 0 {
		cells := pdk.Must(selector.Select(c.Model, c.Recent, a.Selectors, false))
		fresh = arranger.Placeable(cells)
	} else {
		fresh = arranger.Unplaced(page)
	}
	fresh = slices.DeleteFunc(fresh, model.IsPinned)
	k := arranger.NewKeeper(page, fresh)
	grown, pushed, changed, err := k.PlaceAll(c, fresh)
	if err != nil {
		return err
	}
	lines := k.EdgesToRoute(append(slices.Clone(fresh), pushed...))
	n := 0
	if len(lines) > 0 {
		d := c.Model.Draft()
		n = arranger.Reroute(d, page, lines, arranger.WithLabels)
		if e := d.Edit(); e != nil {
			pdk.Check(c.Do(e, "route "+pdk.Count(n, "edge")))
			changed = true
		}
	}
	if !changed {
		return pdk.Unchanged("nothing is new on this page, and no edge runs through a shape")
	}
	pdk.Check(legend.Place(c))
	after, _ := arranger.Score(page)
	summary := "no shape is new"
	if len(fresh) > 0 {
		summary = model.List(fresh, 3) + " placed"
		if len(fresh) > 3 {
			c.Also("placed: %s", model.All(fresh))
		}
	}
	if n > 0 {
		summary += fmt.Sprintf(", %s routed", pdk.Count(n, "edge"))
	}
	c.Bulk("layout keep: %s, score %s → %s%s", summary, arranger.Points(before), arranger.Points(after), placement.Growth(grown, pushed))
	return nil
}
