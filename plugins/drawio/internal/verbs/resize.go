package verbs

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/rows"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// Keys of resize beside size:.
var (
	toSize = value.Key[value.Dimensions]{Name: "to", Type: values.Size.Type}
	width  = value.Key[float64]{Name: "w", Type: value.Number(values.MinSize, values.MaxSize)}
	height = value.Key[float64]{Name: "h", Type: width.Type}
)

func resizeVerb() verb {
	return verb{Run: runResize, Keys: []pdk.Parameter{values.Size, width, height, toSize}, Verb: abi.Verb{
		Syntax: "resize REF|SEL [WxH] [size:WxH] [w:N] [h:N] [to:WxH]", Max: 4, Summary: "change a shape's size; its top left corner stays in place", Category: "place",
		Brief:    "resize REF|SEL WxH | w: | h:",
		Examples: []string{"resize AuthService 200x80", "resize @type:db size:140x90", "resize A w:200"},
	}}
}

func runResize(c *ctx, a pdk.Args) error {
	cells, used := pdk.Must2(selector.Target(c, a, false))
	if len(a.Positionals) > used+1 {
		err := pdk.Errorf("resize takes one size; %q is one too many", a.Text(used+1))
		if _, bad := values.Size.Type.Parse(a.Text(used) + "x" + a.Text(used+1)); bad == nil {
			err.Try(a.Mended(pdk.WithWords(used, 2, a.Text(used)+"x"+a.Text(used+1))))
		}
		return err
	}
	w, h := pdk.Must2(newSize(a, used))
	if w == 0 && h == 0 {
		return pdk.Errorf("resize needs a size")
	}
	d := c.Model.Draft()
	grown := map[*cell]geom.Rect{}
	var done []*cell
	for _, x := range cells {
		if !x.Vertex {
			continue
		}
		done = append(done, x)
		r := x.Geo
		if w > 0 {
			r.W = w
		}
		if h > 0 {
			r.H = h
		}
		if x.Kind() == "pool" || model.IsPoolLane(x) {
			inside := pdk.Must(placement.ResizeLanes(d, grown, x, r))
			if o := model.LaneOrPool(x); o != nil && model.Expands(o) {
				placement.Fit(d, grown, o, inside)
			}
			continue
		}
		if need := placement.ContentBounds(x); model.Expands(x) && (r.W < need.Right() || r.H < need.Bottom()) {
			return pdk.Errorf("%s needs at least %sx%s for what is in it", model.Short(x), mxfile.Num(math.Ceil(need.Right())), mxfile.Num(math.Ceil(need.Bottom()))).TryQuery("describe " + model.Reference(x))
		}
		if model.HasRows(x) {
			rows.Resize(d, x, r.W)
		}
		d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
		grown[x] = r
		if o := x.Owner(); o != nil && model.Expands(o) && !x.Relative {
			placement.Fit(d, grown, o, r)
		}
	}
	if len(done) == 0 {
		return pdk.Errorf("edges have no size")
	}
	what := model.List(done, 1)
	pushed := placement.MakeWay(d, grown, nil)
	for _, x := range done {
		delete(grown, x) // the reply already contains their size
	}
	pdk.Check(edit.Commit(c, d, "resize "+what, model.Already(done, "that size", ""), done...))
	edit.WarnTight(c, done...)
	edit.Report(c, done, "%s %s%s", what, values.Box(placement.Bounds(done)), placement.Growth(grown, pushed))
	return nil
}

// newSize reads the size that the op gives: the positional i, size:, to:, or w: and h:. A
// width or height of 0 means that it does not change.
func newSize(a pdk.Args, i int) (w, h float64, err error) {
	given := 0
	for _, key := range []value.Key[value.Dimensions]{values.Size, toSize} {
		if size, ok := key.Lookup(a); ok {
			w, h, given = size.W, size.H, given+1
		}
	}
	if a.Text(i) != "" {
		size := pdk.Must(values.Size.Type.Word(a, i, "the size"))
		w, h, given = size.W, size.H, given+1
	}
	if given > 1 || given == 1 && (a.Has("w") || a.Has("h")) {
		return 0, 0, pdk.Errorf("give the size once: WxH, or w: and h:").Try(a.Mended(pdk.Without("w", "h")))
	}
	if given == 0 {
		w, h = width.Of(a), height.Of(a)
	}
	return w, h, nil
}
