package pdk

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
)

// Area returns the place of an element on a View's picture. x, y, width and height are in the picture's units; ids are those
// of the element in events.
func Area(name string, x, y, width, height float64, ids ...string) abi.Area {
	return abi.Area{Name: name, IDs: sendable(ids), X: Hundredths(x), Y: Hundredths(y), Width: Hundredths(width), Height: Hundredths(height)}
}

// Hundredths converts a length to hundredths of a unit, as in an Area or a Moment. NaN and infinity become a value that the
// host does not show.
func Hundredths(v float64) int {
	const far = 1 << 40
	if !(math.Abs(v) < far) {
		return far
	}
	return int(math.Round(v * 100))
}
