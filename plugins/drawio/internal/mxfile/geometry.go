package mxfile

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Num formats a coordinate with at most two decimals.
func Num(f float64) string {
	var buf [24]byte
	return string(AppendNum(buf[:0], f))
}

// AppendNum appends a number formatted by Num.
func AppendNum(b []byte, f float64) []byte {
	f = math.Round(f*100) / 100
	if n := int64(f); float64(n) == f && math.Abs(f) < 1e15 { // most are whole
		return strconv.AppendInt(b, n, 10)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// exact formats a coordinate for the file: with all its decimals, but without what adding such numbers leaves behind them.
func exact(f float64) string {
	var buf [32]byte
	return string(appendExact(buf[:0], f))
}

// appendExact appends a number formatted by exact.
func appendExact(b []byte, f float64) []byte {
	if short := math.Round(f*1e10) / 1e10; math.Abs(f-short) < 1e-11 {
		f = short
	}
	if n := int64(f); float64(n) == f && math.Abs(f) < 1e15 { // most are whole
		return strconv.AppendInt(b, n, 10)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// AppendBox appends a rectangle as replies show it.
func AppendBox(b []byte, r geom.Rect) []byte {
	b = AppendNum(append(b, "@("...), r.X)
	b = AppendNum(append(b, ','), r.Y)
	b = AppendNum(append(b, ' '), r.W)
	b = AppendNum(append(b, 'x'), r.H)
	return append(b, ')')
}

// number parses a coordinate; the result for anything but a finite number is 0.
func number(s string) float64 {
	if n, ok := parseDigits(s); ok {
		return n
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// parseDigits parses a short number that consists only of digits, as most coordinates do.
func parseDigits(s string) (float64, bool) {
	if len(s) > 9 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return float64(n), true
}

func attrNumber(e *xmltree.Element, name string) float64 {
	s, _ := e.Attr(name)
	return number(s)
}

// Route is the geometry of an edge apart from the shapes at its ends, in the coordinates of the edge's parent.
type Route struct {
	Source, Target *geom.Point // free ends, nil when absent
	Points         []geom.Point
	Offset         geom.Point // of the edge's own label
}

// route reads an edge's geometry element, which may be nil.
func route(geo *xmltree.Element) Route {
	var r Route
	if geo == nil {
		return r
	}
	for _, c := range geo.Children {
		as, _ := c.Attr("as")
		switch {
		case c.Name == "mxPoint" && as == "sourcePoint":
			r.Source = &geom.Point{X: attrNumber(c, "x"), Y: attrNumber(c, "y")}
		case c.Name == "mxPoint" && as == "targetPoint":
			r.Target = &geom.Point{X: attrNumber(c, "x"), Y: attrNumber(c, "y")}
		case c.Name == "mxPoint" && as == "offset":
			r.Offset = geom.Point{X: attrNumber(c, "x"), Y: attrNumber(c, "y")}
		case c.Name == "Array" && as == "points":
			for _, p := range c.Children {
				if p.Name == "mxPoint" {
					r.Points = append(r.Points, geom.Point{X: attrNumber(p, "x"), Y: attrNumber(p, "y")})
				}
			}
		}
	}
	return r
}
