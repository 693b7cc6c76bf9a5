package diagram

import (
	"sort"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// stacked reports whether c is a lane of a pool, which gives it its place.
func stacked(c *cell) bool {
	o := c.Owner()
	return o != nil && c.Kind() == "lane" && o.Kind() == "pool"
}

// laneColumns reports whether a pool's lanes stand beside each other.
func laneColumns(pool *cell) bool { return !pool.Style.Is("horizontalStack", "0") }

// lanesOf are a pool's lanes from the first on.
func lanesOf(pool *cell) []*cell {
	if pool.ID == "" {
		return nil
	}
	var out []*cell
	for _, k := range pool.Page.Children(pool.ID) {
		if k.Vertex && k.Kind() == "lane" {
			out = append(out, k)
		}
	}
	columns := laneColumns(pool)
	sort.SliceStable(out, func(i, j int) bool {
		if columns {
			return out[i].Geo.X < out[j].Geo.X
		}
		return out[i].Geo.Y < out[j].Geo.Y
	})
	return out
}

// laneOrigin is where a pool's first lane starts, or what is in a lane: behind
// the title.
func laneOrigin(x *cell) (left, top float64) {
	size := startSize(x)
	if x.Style.Is("horizontal", "0") {
		return size, 0
	}
	return 0, size
}

// startSize is the extent of a swimlane's header.
func startSize(x *cell) float64 {
	if v, ok := x.Style.Get("startSize"); ok {
		if n, ok := parseNumber(v); ok {
			return n
		}
	}
	return 23
}

// restack drafts the places of a pool's lanes, one behind the other and all
// as wide as the widest, and the pool's size, which it gives. Lanes in gone do
// not count.
func restack(d *mxfile.Draft, grown map[*cell]geom.Rect, pool *cell, gone map[*cell]bool) geom.Rect {
	size, ok := grown[pool]
	if !ok {
		size = pool.Geo
	}
	columns := laneColumns(pool)
	left, top := laneOrigin(pool)
	now := func(x *cell) geom.Rect {
		if r, ok := grown[x]; ok {
			return r
		}
		return x.Geo
	}
	var lanes []*cell
	across := size.W - left
	if columns {
		across = size.H - top
	}
	for _, l := range lanesOf(pool) {
		if gone[l] {
			continue
		}
		lanes = append(lanes, l)
		if r := now(l); columns {
			across = max(across, r.H)
		} else {
			across = max(across, r.W)
		}
	}
	if len(lanes) == 0 {
		return size
	}
	at := top
	if columns {
		at = left
	}
	for _, l := range lanes {
		r := now(l)
		if columns {
			r = geom.Rect{X: at, Y: top, W: r.W, H: across}
			at += r.W
		} else {
			r = geom.Rect{X: left, Y: at, W: across, H: r.H}
			at += r.H
		}
		grown[l] = r
		d.Change(l, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
	}
	if columns {
		size.W, size.H = at, top+across
	} else {
		size.W, size.H = left+across, at
	}
	grown[pool] = size
	d.Change(pool, func(t mxfile.Text) mxfile.Text { return t.WithGeo(size) })
	return size
}
