package mxfile

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// RouteKey is the style key of edges whose route an op computed. Its value is a checksum of the
// route, so that a route counts as a person's once somebody has changed it. draw.io keeps the key
// and ignores it.
const RouteKey = "fcpRoute"

// PortKeys returns the style keys of the port at an end, exit or entry.
func PortKeys(end string) []string {
	return []string{end + "X", end + "Y", end + "Dx", end + "Dy", end + "Perimeter"}
}

// Sealed marks the route of an edge as computed, so that later ops may compute it again. A route
// without ports and waypoints needs no mark.
func (t Text) Sealed() Text {
	_, cell, geo := t.tree()
	v, _ := cell.Attr("style")
	s := style.Style(v).Drop(RouteKey)
	if sum := routeSum(s, geo); sum != "" {
		s = s.Set(RouteKey, sum)
	}
	if string(s) == v {
		return t
	}
	return t.WithStyle(s)
}

// SealedLike is Sealed for an edge whose route was computed before, and does nothing to others.
func (t Text) SealedLike(before *Cell) Text {
	if !before.Computed() {
		return t
	}
	return t.Sealed()
}

// WithPointsMoved moves the waypoints of an edge. A computed route remains one.
func (t Text) WithPointsMoved(by geom.Point) Text {
	_, cell, geo := t.tree()
	points := route(geo).Points
	for i := range points {
		points[i].X, points[i].Y = points[i].X+by.X, points[i].Y+by.Y
	}
	if len(points) == 0 || by == (geom.Point{}) {
		return t
	}
	v, _ := cell.Attr("style")
	computed := isSealed(style.Style(v), geo)
	if t = t.WithPoints(points); computed {
		t = t.Sealed()
	}
	return t
}

// Computed reports whether an op computed the route of an edge and nobody has changed it since.
func (c *Cell) Computed() bool {
	_, _, geo := c.element()
	return isSealed(c.Style, geo)
}

// ByHand reports whether a person set the route of an edge: ports or waypoints.
func (c *Cell) ByHand() bool {
	_, _, geo := c.element()
	return routeSum(c.Style, geo) != "" && !isSealed(c.Style, geo)
}

func isSealed(s style.Style, geo *xmltree.Element) bool {
	sum, ok := s.Get(RouteKey)
	return ok && sum == routeSum(s, geo)
}

// routeSum returns the checksum of an edge's ports, waypoints and label position, "" for an edge
// with neither ports nor waypoints.
func routeSum(s style.Style, geo *xmltree.Element) string {
	r, h := route(geo), fnv.New32a()
	set := len(r.Points) > 0
	for _, key := range append(PortKeys("exit"), PortKeys("entry")...) {
		v, ok := s.Get(key)
		set = set || ok
		fmt.Fprintln(h, key, v)
	}
	if !set {
		return ""
	}
	if geo != nil {
		r.Points = append(r.Points, r.Offset, geom.Point{X: attrNumber(geo, "x"), Y: attrNumber(geo, "y")})
	}
	for _, p := range r.Points {
		fmt.Fprintln(h, strconv.FormatFloat(p.X, 'f', 4, 64), strconv.FormatFloat(p.Y, 'f', 4, 64))
	}
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}
