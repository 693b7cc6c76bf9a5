// Package values holds the types of values that only this domain has, and prints those of a reply.
package values

import (
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Limits of coordinates and sizes, in draw.io's units (1/100 inch on paper).
const (
	MaxCoord = 1_000_000
	MaxSize  = 100_000
	MinSize  = 1
)

// Keys that several verbs have.
var (
	Point  = value.Point(MaxCoord)
	Size   = value.Key[value.Dimensions]{Name: "size", Type: value.Size(MinSize, MaxSize)}
	Dir    = value.Key[value.Step]{Name: "dir", Type: value.Direction, Default: value.Step{DX: 1}}
	Strict = value.Key[bool]{Name: "strict", Type: value.Bool, About: ": true uses the place even if it is occupied"}
)

// Text is a key that takes any text, or what only the document can tell.
func Text(name, takes string) value.Key[string] {
	return value.Key[string]{Name: name, Type: value.Text(takes)}
}

// Number reads a number that a style or a file holds, 0 if it is none.
func Number(s string) float64 {
	n, _ := value.ParseNumber(s)
	return n
}

// Box prints a rectangle in the form used in replies: @(X,Y WxH).
func Box(r geom.Rect) string {
	var buf [64]byte
	return string(mxfile.AppendBox(buf[:0], r))
}

// Sides lists the sides and middles that align accepts.
func Sides() []string { return []string{"left", "center", "right", "top", "middle", "bottom"} }
