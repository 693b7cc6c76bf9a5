package value

import (
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/pdk"
)

// Place is one of the nine regions of an area, in thirds of its width and height from its upper left corner.
type Place struct{ Col, Row int }

// Fractions returns how much of the free space lies left of and above something in the region: 0, 0.5 or 1.
func (p Place) Fractions() (x, y float64) { return float64(p.Col) / 2, float64(p.Row) / 2 }

// Regions lists the names of the regions, row by row.
func Regions() []string {
	return []string{"top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"}
}

// Region is the name of a region. It also accepts top-center, middle-left, middle and centre.
var Region = Type[Place]{Takes: "REGION", Parse: func(s string) (Place, error) {
	if i := regionIndex(s); i >= 0 {
		return Place{i % 3, i / 3}, nil
	}
	var near []string
	if s != "" && unicode.IsLetter(rune(s[0])) { // not where points are accepted, too: they are tried often, and looking for a near name takes long
		near = pdk.Nearest(s, Regions())
	}
	return Place{}, invalid(near, "is not a region: %s", strings.Join(Regions(), " "))
}}

func regionIndex(s string) int {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	col, row := -1, -1
	for _, w := range words {
		switch {
		case w == "left" && col < 0:
			col = 0
		case w == "right" && col < 0:
			col = 2
		case w == "top" && row < 0:
			row = 0
		case w == "bottom" && row < 0:
			row = 2
		case w == "center" || w == "centre" || w == "middle":
		default:
			return -1
		}
	}
	if len(words) == 0 || len(words) > 2 {
		return -1
	}
	middle := func(i int) int {
		if i < 0 {
			return 1
		}
		return i
	}
	return 3*middle(row) + middle(col)
}

// Step is a direction: right (DX) and down (DY), each -1, 0 or 1.
type Step struct{ DX, DY int }

// Directions lists the names of the directions.
func Directions() []string {
	return []string{"above", "below", "left", "right", "above-left", "above-right", "below-left", "below-right"}
}

// Direction is where something stands beside another thing.
var Direction = Type[Step]{Takes: "above|below|left|right|above-left|above-right|below-left|below-right", Parse: func(s string) (step Step, err error) {
	name, ok := pdk.OneOf(s, Directions())
	if !ok {
		return step, invalid(nearDirections(s), "is not a direction: %s", strings.Join(Directions(), " "))
	}
	for part := range strings.SplitSeq(name, "-") {
		switch part {
		case "above":
			step.DY = -1
		case "below":
			step.DY = 1
		case "left":
			step.DX = -1
		case "right":
			step.DX = 1
		}
	}
	return step, nil
}}

// nearDirections lists the directions that other words mean.
func nearDirections(s string) []string {
	switch strings.ToLower(s) {
	case "up", "north", "top", "over":
		return []string{"above"}
	case "down", "south", "bottom", "under", "beneath":
		return []string{"below"}
	case "west":
		return []string{"left"}
	case "east":
		return []string{"right"}
	}
	return pdk.Nearest(s, Directions())
}
