package diagram

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

func resizeVerb() verb {
	return verb{Run: runResize, Verb: abi.Verb{
		Name: "resize", Syntax: "resize REF|SEL [WxH] [size:WxH] [w:N] [h:N]", Summary: "change a shape's size, its top left corner stays", Category: "place",
		Brief:  "resize REF|SEL WxH | w: | h:",
		Params: []abi.Param{{Key: "size", Value: "WxH"}, {Key: "w", Value: "WIDTH"}, {Key: "h", Value: "HEIGHT"}, {Key: "to", Value: "WxH"}},
		Select: true, Min: 0, Max: 4,
		Examples: []string{"resize AuthService 200x80", "resize @type:db size:140x90", "resize A w:200"},
	}}
}

func runResize(c *ctx, a pdk.Args) error {
	cells, used, err := target(c, a, false)
	if err != nil {
		return err
	}
	if len(a.Positionals) > used+1 {
		err := pdk.Errorf("resize takes one size; %q is one too many", a.Text(used+1))
		if _, _, bad := parseSize(a.Text(used) + "x" + a.Text(used+1)); bad == nil {
			err.Try(a.Mended(pdk.WithWords(used, 2, a.Text(used)+"x"+a.Text(used+1))))
		}
		return err
	}
	w, h := 0.0, 0.0 // 0: as it is
	given := 0
	sizes := []string{a.Text(used)}
	for _, key := range []string{"size", "to"} {
		if v, ok := a.Param(key); ok {
			sizes = append(sizes, v)
			if v == "" {
				return pdk.Errorf("%s: needs WxH", key)
			}
		}
	}
	for _, v := range sizes {
		if v == "" {
			continue
		}
		given++
		if w, h, err = parseSize(v); err != nil {
			return err
		}
	}
	if given > 1 || given == 1 && (a.Has("w") || a.Has("h")) {
		return pdk.Errorf("give the size once: WxH, or w: and h:").Try(a.Mended(pdk.Without("w", "h")))
	}
	if given == 0 {
		if w, err = a.Float("w", 0, minSize, maxSize); err != nil {
			return err
		}
		if h, err = a.Float("h", 0, minSize, maxSize); err != nil {
			return err
		}
	}
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
		if x.Kind() == "pool" || stacked(x) {
			inside, err := resizeLanes(d, grown, x, r)
			if err != nil {
				return err
			}
			if o := outerOf(x); o != nil && expands(o) {
				fit(d, grown, o, inside)
			}
			continue
		}
		if need := contents(x); expands(x) && (r.W < need.Right() || r.H < need.Bottom()) {
			return pdk.Errorf("%s needs at least %sx%s for what is in it", short(x), mxfile.Num(math.Ceil(need.Right())), mxfile.Num(math.Ceil(need.Bottom()))).TryQuery("describe " + name(x))
		}
		d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
		grown[x] = r
		if o := x.Owner(); o != nil && expands(o) && !x.Relative {
			fit(d, grown, o, r)
		}
	}
	if len(done) == 0 {
		return pdk.Errorf("edges have no size")
	}
	what := list(done, 1)
	pushed := makeWay(d, grown, nil)
	for _, x := range done {
		delete(grown, x) // whose size the line says
	}
	if err := commit(c, d, "resize "+what, already(done, "of that size", ""), done...); err != nil {
		return err
	}
	warnTight(c, done...)
	say(c, done, "%s %s%s", what, box(boundsOf(done)), aftermath(grown, pushed))
	return nil
}

// contents is the rectangle around what lies in x, in its coordinates.
func contents(x *cell) geom.Rect {
	var r geom.Rect
	if x.ID == "" {
		return r
	}
	for _, k := range x.Page.Children(x.ID) {
		if k.Vertex && !k.Relative {
			r = r.Union(k.Geo)
		}
	}
	return r
}
