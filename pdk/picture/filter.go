package picture

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
)

// maxPrimitives limits the primitives of a filter.
const maxPrimitives = 100

// step is one filter in a filter property: an element, or a function with its argument.
type step struct {
	node      *node
	name, arg string
}

// filters reads a filter property; draws is false if the element is not drawn because its filter does not exist.
func (v *visit) filters(s *style) (steps []step, draws bool) {
	rest := strings.TrimSpace(s.Filter)
	if rest == "" || rest == "none" || v.plain() {
		return nil, true
	}
	for rest != "" && len(steps) < 20 {
		name, arg, after, ok := css.Function(rest)
		if !ok {
			v.addMissing("filter %s", clipped(rest))
			return nil, true
		}
		rest = after
		if name != "url" {
			steps = append(steps, step{name: name, arg: arg})
			continue
		}
		n := v.doc.ids[css.Reference("url("+arg+")")]
		if n != nil && n.Type == "filter" {
			steps = append(steps, step{node: n})
		} else {
			v.addMissing("filter url(%s)", clipped(arg))
		}
	}
	return steps, len(steps) > 0
}

// run is the execution of one filter.
type run struct {
	*visit
	filtered *style // of the element
	at       *place
	all      chain
	box      rect
	obb      bool // primitives use units of the element's bounding box
	region   rect // in user space
	x0, y0   int  // corner of the region on the canvas
	sx, sy   float64
	m        matrix // from user space to the canvas
	source   *plane
	last     *plane
	covered  rect // area of last, in user space
	results  map[string]*plane
}

// filter draws an element on a new layer and applies filters to it. bounds is the box of the element in its own
// coordinates.
func (v *visit) filter(steps []step, s *style, at place, bounds func() rect, draw func(at place)) {
	if !upright(at.m) {
		v.drawUnrotated(at, bounds, func(at place) bool {
			draw(at)
			return v.pass(steps, s, &at, bounds)
		})
		return
	}
	c := v.canvas
	was := c.raster.clip
	// A filter may move things outside a viewport into it.
	c.raster.clip = rect{X1: float64(c.w), Y1: float64(c.h)}
	draw(at)
	if !v.pass(steps, s, &at, bounds) {
		c.top().clear(c.w)
	}
	c.raster.clip = was
}

// pass applies filters to the top layer; ok is false if nothing is left of it.
func (v *visit) pass(steps []step, s *style, at *place, bounds func() rect) (ok bool) {
	for _, k := range steps {
		r := &run{visit: v, filtered: s, at: at, m: at.m, sx: math.Hypot(at.m.A, at.m.B), sy: math.Hypot(at.m.C, at.m.D), results: map[string]*plane{}}
		if k.node == nil {
			r.region = v.everything(at)
		} else {
			r.all = v.doc.chained(k.node, func(name string) bool { return name == "filter" })
			if !r.place(bounds) {
				return false
			}
		}
		c := v.canvas
		b := at.m.Bounds(r.region).Intersect(rect{X1: float64(c.w), Y1: float64(c.h)})
		x0, y0, x1, y1 := int(math.Floor(b.X0+1e-6)), int(math.Floor(b.Y0+1e-6)), int(math.Ceil(b.X1-1e-6)), int(math.Ceil(b.Y1-1e-6))
		if b.IsEmpty() || x1 <= x0 || y1 <= y0 {
			return false
		}
		r.x0, r.y0 = x0, y0
		l := c.top()
		r.source = &plane{w: x1 - x0, h: y1 - y0, pix: make([]uint32, (x1-x0)*(y1-y0)), sub: pixels{0, 0, x1 - x0, y1 - y0}}
		for y := range r.source.h {
			copy(r.source.pix[y*r.source.w:(y+1)*r.source.w], l.pix[(y0+y)*c.w+x0:])
		}
		r.spend(2)
		r.last, r.covered = r.source, r.region
		if k.node == nil {
			r.function(k.name, k.arg)
		} else if !r.primitives() {
			return false
		}
		l.clear(c.w)
		l.x0, l.y0, l.x1, l.y1 = c.w, c.h, 0, 0
		l.touch(x0, y0, x1, y1)
		out := r.last.as(false)
		for y := range out.h {
			copy(l.pix[(y0+y)*c.w+x0:(y0+y)*c.w+x1], out.pix[y*out.w:(y+1)*out.w])
		}
		if v.exhausted() {
			return true
		}
	}
	return true
}

// everything returns the whole canvas in the coordinates of at.
func (v *visit) everything(at *place) rect {
	back, ok := at.m.Inverse()
	if !ok {
		return rect{}
	}
	return back.Bounds(rect{X1: float64(v.canvas.w), Y1: float64(v.canvas.h)})
}

// spend subtracts work for each pixel of the region.
func (r *run) spend(each int) { *r.canvas.work -= each * r.source.w * r.source.h }

// place finds the region of a filter element.
func (r *run) place(bounds func() rect) (ok bool) {
	r.obb = r.all.attr("primitiveUnits") == "objectBoundingBox"
	units := r.all.attr("filterUnits")
	if units != "userSpaceOnUse" || r.obb {
		r.box = bounds()
	}
	if units != "userSpaceOnUse" && !(r.box.Width() > 0 && r.box.Height() > 0) {
		return false
	}
	r.region, ok = svgdom.Region(r.all.attr, units, r.box, r.at.w, r.at.h, r.filtered.Size)
	return ok
}

// primitives runs the primitives of the filter; ok is false if it has none.
func (r *run) primitives() (ok bool) {
	holder := r.all.holder(func(name string) bool { return strings.HasPrefix(name, "fe") })
	if holder == nil {
		return false
	}
	if !r.enter(holder) {
		return false
	}
	defer r.leave()
	count := 0
	for k := range holder.Kids() {
		if !strings.HasPrefix(k.Type, "fe") {
			continue
		}
		if count++; count > maxPrimitives || r.exhausted() {
			break
		}
		user := r.subregion(k)
		sub := r.pixels(user)
		r.spend(8)
		p := &primitive{run: r, node: k, user: user, sub: sub, linear: !strings.EqualFold(r.doc.Value(k, "color-interpolation-filters"), "sRGB")}
		out := p.result()
		if out == nil {
			r.addMissing("filter %s", k.Type)
			out = p.in("in")
		}
		if out == r.source || out.sub != sub {
			same := *out
			same.pix = append([]uint32(nil), out.pix...)
			out = &same
		}
		out.crop(sub)
		r.last, r.covered = out, user
		if name := k.Get("result"); name != "" {
			r.results[name] = out
		}
	}
	return true
}

// subregion returns the area of a primitive in user space.
func (r *run) subregion(n *node) rect {
	get := func(key string, of, zero, scale float64) (float64, bool) {
		l, ok := svgdom.ReadLength(n.Get(key))
		if !ok {
			return 0, false
		}
		if r.obb {
			return zero + l.In(1, r.filtered.Size)*scale, true
		}
		return l.In(of, r.filtered.Size), true
	}
	x, hasX := get("x", r.at.w, r.box.X0, r.box.Width())
	y, hasY := get("y", r.at.h, r.box.Y0, r.box.Height())
	w, hasW := get("width", r.at.w, 0, r.box.Width())
	h, hasH := get("height", r.at.h, 0, r.box.Height())
	out := r.region
	if n.Type == "feOffset" {
		out = r.covered // it moves the previous result
	}
	w0, h0 := out.Width(), out.Height()
	if hasX {
		out.X0 = x
	}
	if hasY {
		out.Y0 = y
	}
	out.X1, out.Y1 = out.X0+w0, out.Y0+h0
	if hasW {
		out.X1 = out.X0 + max(w, 0)
	}
	if hasH {
		out.Y1 = out.Y0 + max(h, 0)
	}
	return out
}

// pixels converts a box in user space to pixels of the region.
func (r *run) pixels(b rect) pixels {
	d := r.m.Bounds(b)
	clamp := func(f float64, n, from int) int { return int(min(float64(n), max(0, math.Round(f)-float64(from)))) }
	return pixels{clamp(d.X0, r.source.w, r.x0), clamp(d.Y0, r.source.h, r.y0), clamp(d.X1, r.source.w, r.x0), clamp(d.Y1, r.source.h, r.y0)}
}
