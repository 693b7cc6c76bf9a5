package model

import (
	"sort"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// IsCompound reports whether c is one shape to its reader though it holds
// others: a class, a table, an entity.
func IsCompound(c *cell) bool {
	k := c.Kind()
	return k == "class" || k == "table" || k == "entity" || k == "participant"
}

// InCompound reports whether c is a part of such a shape.
func InCompound(c *cell) bool {
	for o, n := c.Owner(), 0; o != nil && n < 100; o, n = o.Owner(), n+1 {
		if IsCompound(o) {
			return true
		}
	}
	return false
}

// Outermost is the compound that a part belongs to.
func Outermost(c *cell) *cell {
	out := c
	for o, n := c.Owner(), 0; o != nil && n < 100; o, n = o.Owner(), n+1 {
		if IsCompound(o) {
			out = o
		}
	}
	return out
}

// IsOrphan reports whether a shape that could have edges has none, itself or
// through what lies in it or around it.
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

// IsPart reports whether c lies in something that is no container of shapes but
// a shape put together: a class box, a table, a composite symbol.
func IsPart(c *cell) bool {
	o := c.Owner()
	return o != nil && !Expands(o)
}

// IsGroup reports whether c holds shapes or is made to.
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

// Expands reports whether layout and lint look at the shapes inside c one by
// one: it is a container, and not a shape that is put together from parts.
func Expands(c *cell) bool {
	if _, stacked := c.Style.Get("childLayout"); stacked {
		return c.Kind() == "pool"
	}
	k := c.Kind()
	return k == "lane" || k == "frame" || k != "participant" && c.Style.Is("container", "1")
}

// IsBare reports whether c is a part of a table, an entity or a class that says nothing by
// itself: a row that holds its cells, a key that is none, a line between members. An
// empty cell of a table is to be filled.
func IsBare(c *cell) bool {
	if c.Label() != "" || c.Owner() == nil || !InCompound(c) {
		return false
	}
	kind := Outermost(c).Kind()
	return kind == "entity" || kind == "class" || kind == "table" && c.Page.Holds(c.ID)
}

// IsPoolLane reports whether c is a lane of a pool, which gives it its place.
func IsPoolLane(c *cell) bool {
	o := c.Owner()
	return o != nil && c.Kind() == "lane" && o.Kind() == "pool"
}

// LanesAreColumns reports whether a pool's lanes stand beside each other.
func LanesAreColumns(pool *cell) bool { return !pool.Style.Is("horizontalStack", "0") }

// Lanes are a pool's lanes from the first on.
func Lanes(pool *cell) []*cell {
	if pool.ID == "" {
		return nil
	}
	var out []*cell
	for _, k := range pool.Page.Children(pool.ID) {
		if k.Vertex && k.Kind() == "lane" {
			out = append(out, k)
		}
	}
	columns := LanesAreColumns(pool)
	sort.SliceStable(out, func(i, j int) bool {
		if columns {
			return out[i].Geo.X < out[j].Geo.X
		}
		return out[i].Geo.Y < out[j].Geo.Y
	})
	return out
}

// LaneOrigin is where a pool's first lane starts, or what is in a lane: behind
// the title.
func LaneOrigin(x *cell) (left, top float64) {
	size := StartSize(x)
	if x.Style.Is("horizontal", "0") {
		return size, 0
	}
	return 0, size
}

// StartSize is the extent of a swimlane's header.
func StartSize(x *cell) float64 {
	if v, ok := x.Style.Get("startSize"); ok {
		if n, ok := values.ParseNumber(v); ok {
			return n
		}
	}
	return 23
}

// LaneOrPool is what a pool lies in, or what the pool of a lane lies in.
func LaneOrPool(x *cell) *cell {
	if IsPoolLane(x) {
		x = x.Owner()
	}
	return x.Owner()
}
