package pdk

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
)

// Area is where an element lies on a View's picture, in the picture's units; ids are those of the element in events.
func Area(name string, x, y, width, height float64, ids ...string) abi.Area {
	return abi.Area{Name: name, IDs: sendable(ids), X: Hundredths(x), Y: Hundredths(y), Width: Hundredths(width), Height: Hundredths(height)}
}

// Hundredths is a length as an Area or a Moment has it, in hundredths of a unit. NaN and infinity become a place that the host does not show.
func Hundredths(v float64) int {
	const far = 1 << 40
	if !(math.Abs(v) < far) {
		return far
	}
	return int(math.Round(v * 100))
}
