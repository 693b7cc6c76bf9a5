package pdk

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
)

// Area is where a thing lies on a View's picture, in the picture's units; ids are those that its events name.
func Area(name string, x, y, width, height float64, ids ...string) abi.Area {
	return abi.Area{Name: name, IDs: sendable(ids), X: Hundredths(x), Y: Hundredths(y), Width: Hundredths(width), Height: Hundredths(height)}
}

// Hundredths is how an Area and a Moment say a length. What is no number lies where the host shows nothing.
func Hundredths(v float64) int {
	const far = 1 << 40
	if !(math.Abs(v) < far) {
		return far
	}
	return int(math.Round(v * 100))
}
