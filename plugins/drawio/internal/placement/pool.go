package placement

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Restack drafts the places of a pool's lanes, one after the other and all as wide as the
// widest, and the pool's size, which it returns. It leaves out the lanes in gone.
func Restack(d *mxfile.Draft, grown map[*cell]geom.Rect, pool *cell, gone map[*cell]bool) geom.Rect {
	size, ok := grown[pool]
	if !ok {
		size = pool.Geo
	}
	columns := model.LanesAreColumns(pool)
	left, top := model.LaneOrigin(pool)
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
	for _, l := range model.Lanes(pool) {
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
	at := pdk.If(columns, left, top)
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

// minAcross is the minimum height of a lane that is a row; its title needs it.
const minAcross = 40

// ResizeLanes drafts a new size of a pool or a lane, and returns the pool's. Along the
// stack the lanes share what the pool gains or loses; across it all lanes are as wide as
// the pool. It is an error if a lane gets too small for its content.
func ResizeLanes(d *mxfile.Draft, grown map[*cell]geom.Rect, x *cell, to geom.Rect) (geom.Rect, error) {
	pool := x
	if model.IsPoolLane(x) {
		pool = x.Owner()
	}
	columns := model.LanesAreColumns(pool)
	left, top := model.LaneOrigin(pool)
	flip := func(r geom.Rect) geom.Rect { // so that y runs along the stack
		if columns {
			return geom.Rect{X: r.Y, Y: r.X, W: r.H, H: r.W}
		}
		return r
	}
	head := geom.Rect{X: left, Y: top}
	if columns {
		head = flip(head)
	}
	lanes := model.Lanes(pool)
	var across, along float64 // the sizes that the content of the lanes needs
	needs := make([]float64, len(lanes))
	sizes := make([]float64, len(lanes))
	slack := 0.0
	for i, l := range lanes {
		in := flip(ContentBounds(l))
		needs[i] = math.Ceil(max(in.Bottom(), minAcross))
		sizes[i] = max(needs[i], flip(l.Geo).H)
		if l == x {
			needs[i] = math.Ceil(in.Bottom())
			sizes[i] = flip(to).H
		}
		across, along = max(across, math.Ceil(in.Right())), along+needs[i]
		slack += sizes[i] - needs[i]
		if l == x && sizes[i] < needs[i] {
			return geom.Rect{}, tooSmall(x, flip(geom.Rect{W: max(across, 1), H: needs[i]}))
		}
	}
	want := flip(to)
	wide := want.W
	if x == pool {
		wide -= head.X
	}
	if len(lanes) > 0 && (wide < across || x == pool && want.H-head.Y < along) {
		least := geom.Rect{W: across, H: along + head.Y}
		if x == pool {
			least.W += head.X
		} else {
			least.H = want.H
		}
		return geom.Rect{}, tooSmall(x, flip(least))
	}
	if x == pool && len(lanes) > 0 {
		spreadSpare(sizes, needs, want.H-head.Y-along, slack)
	}
	at := head.Y
	for i, l := range lanes {
		r := flip(geom.Rect{X: head.X, Y: at, W: wide, H: sizes[i]})
		at += sizes[i]
		grown[l] = r
		d.Change(l, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
	}
	size := pool.Geo
	if x == pool {
		size = to
	}
	if len(lanes) > 0 {
		took := flip(geom.Rect{W: head.X + wide, H: at})
		size.W, size.H = took.W, took.H
	}
	grown[pool] = size
	d.Change(pool, func(t mxfile.Text) mxfile.Text { return t.WithGeo(size) })
	return size, nil
}

// spreadSpare sets the size of each lane to what it needs plus its share of the spare
// space, in proportion to the space that it had to spare before. slack is the sum of the
// latter.
func spreadSpare(sizes, needs []float64, spare, slack float64) {
	share, at := 0.0, 0.0
	for i := range sizes {
		if slack > 0 {
			share += spare * (sizes[i] - needs[i]) / slack
		} else {
			share += spare / float64(len(sizes))
		}
		sizes[i] = needs[i] + math.Round(share-at)
		at += sizes[i] - needs[i]
	}
}

// tooSmall returns the error for a size that the content of x does not fit in.
func tooSmall(x *cell, least geom.Rect) error {
	return pdk.Errorf("%s needs at least %sx%s for what is in it", model.Short(x), mxfile.Num(least.W), mxfile.Num(least.H)).TryQuery("describe " + model.Reference(x))
}
