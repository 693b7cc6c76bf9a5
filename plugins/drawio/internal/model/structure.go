package model

import (
	"sort"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// IsCompound reports whether c is a class, a table or an entity: one shape to the reader,
// although it contains other cells.
func IsCompound(c *cell) bool {
	k := c.Kind()
	return k == "class" || k == "table" || k == "entity" || k == "participant"
}

// InCompound reports whether c is a part of a compound shape.
func InCompound(c *cell) bool {
	for o, n := c.Owner(), 0; o != nil && n < 100; o, n = o.Owner(), n+1 {
		if IsCompound(o) {
			return true
		}
	}
	return false
}

// Outermost returns the compound shape that a part belongs to.
func Outermost(c *cell) *cell {
	out := c
	for o, n := c.Owner(), 0; o != nil && n < 100; o, n = o.Owner(), n+1 {
		if IsCompound(o) {
			out = o
		}
	}
	return out
}

// Home returns the shape that a reader sees c in: the nearest one with a name, nil if none contains it.
func Home(c *cell) *cell {
	if o := c.NamedOwner(); o != nil {
		return o
	}
	return c.Owner()
}

// InCycles returns the cells of a page that lie, through their parents, in themselves, and those in
// them: no layer holds them, so draw.io does not show them.
func InCycles(p *mxfile.Page) []*cell {
	const unknown, walking, rooted, lost = 0, 1, 2, 3
	state := map[*cell]int{}
	var walk func(x *cell) int
	walk = func(x *cell) int {
		switch {
		case x == nil || x.Parent == "":
			return rooted
		case state[x] == walking:
			return lost
		case state[x] == unknown:
			state[x] = walking
			state[x] = walk(p.Cell(x.Parent))
		}
		return state[x]
	}
	return p.Where(func(x *cell) bool { return walk(x) == lost })
}

// IsOrphan reports whether c is a shape that should have edges but has none, counting those
// of the cells in it and around it.
func IsOrphan(c *cell) bool {
	if !c.Shape() || c.Degree() > 0 {
		return false
	}
	switch c.Kind() {
	case "text", "note", "group", "lane", "image", "pool", "frame", "table":
		return false
	}
	return !c.Relative && !c.Page.Holds(c.ID) && !IsPart(c) && IsSolid(c)
}

// IsPart reports whether c lies in a shape that is not a container: a class, a table, a
// composite symbol.
func IsPart(c *cell) bool {
	o := c.Owner()
	return o != nil && !Expands(o)
}

// IsGroup reports whether c holds shapes or is meant to.
func IsGroup(c *cell) bool {
	if !c.Vertex {
		return false
	}
	switch c.Kind() {
	case "group", "lane", "pool", "frame":
		return true
	case "class", "table", "entity", "participant":
		return false
	}
	return c.Page.Holds(c.ID)
}

// Expands reports whether layout and lint treat the shapes inside c one by one: c is a
// container, not a shape built from parts.
func Expands(c *cell) bool {
	if _, stacked := c.Style.Get("childLayout"); stacked {
		return c.Kind() == "pool"
	}
	k := c.Kind()
	return k == "lane" || k == "frame" || k != "participant" && c.Style.Is("container", "1")
}

// IsBare reports whether c is a part of a table, an entity or a class that has nothing to
// show: a row that holds the cells, an empty key, a line between members. The empty cell of
// a table is not bare; it can be filled.
func IsBare(c *cell) bool {
	if c.Label() != "" || c.Owner() == nil || !InCompound(c) {
		return false
	}
	kind := Outermost(c).Kind()
	return kind == "entity" || kind == "class" || kind == "table" && c.Page.Holds(c.ID)
}

// IsPoolLane reports whether c is a lane of a pool, which determines its place.
func IsPoolLane(c *cell) bool {
	o := c.Owner()
	return o != nil && c.Kind() == "lane" && o.Kind() == "pool"
}

// LanesAreColumns reports whether the lanes of a pool lie side by side.
func LanesAreColumns(pool *cell) bool { return !pool.Style.Is("horizontalStack", "0") }

// Lanes returns the lanes of a pool in their order.
func Lanes(pool *cell) []*cell {
	if pool.ID == "" {
		return nil
	}
	out := pdk.Filter(pool.Page.Children(pool.ID), func(k *cell) bool { return k.Vertex && k.Kind() == "lane" })
	columns := LanesAreColumns(pool)
	sort.SliceStable(out, func(i, j int) bool {
		if columns {
			return out[i].Geo.X < out[j].Geo.X
		}
		return out[i].Geo.Y < out[j].Geo.Y
	})
	return out
}

// LaneOrigin returns the position after the title of a pool or lane, where its content
// begins.
func LaneOrigin(x *cell) (left, top float64) {
	size := StartSize(x)
	if x.Style.Is("horizontal", "0") {
		return size, 0
	}
	return 0, size
}

// StartSize returns the height (or width) of the title of a pool or lane.
func StartSize(x *cell) float64 {
	if v, ok := x.Style.Get("startSize"); ok {
		if n, ok := value.ParseNumber(v); ok {
			return n
		}
	}
	return 23
}

// LaneOrPool returns the container of a pool; for a lane, the container of its pool.
func LaneOrPool(x *cell) *cell {
	if IsPoolLane(x) {
		x = x.Owner()
	}
	return x.Owner()
}
