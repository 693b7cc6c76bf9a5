package theory

import (
	"fmt"
	"strconv"
	"strings"
)

// Dynamic is a dynamics marking and the velocity it stands for.
type Dynamic struct {
	Name     string
	Velocity int
}

// Dynamics lists the markings, softest first.
func Dynamics() []Dynamic {
	return []Dynamic{{"ppp", 16}, {"pp", 33}, {"p", 49}, {"mp", 64}, {"mf", 80}, {"f", 96}, {"ff", 112}, {"sfz", 120}, {"fff", 127}}
}

// DynamicNames lists their names.
func DynamicNames() (names []string) {
	for _, d := range Dynamics() {
		names = append(names, d.Name)
	}
	return names
}

// DefaultVelocity is mf.
const DefaultVelocity = 80

// ParseVelocity reads 1-127 or a dynamics marking. It refuses 0, because a note-on of
// velocity 0 is a note-off.
func ParseVelocity(s string) (int, error) {
	low := strings.ToLower(s)
	for _, d := range Dynamics() {
		if d.Name == low {
			return d.Velocity, nil
		}
	}
	v, err := strconv.Atoi(s)
	switch {
	case err != nil || strings.HasPrefix(s, "+"):
		return 0, fmt.Errorf("velocity %q is neither 1 to 127 nor one of ppp pp p mp mf f ff fff sfz", s)
	case v == 0:
		return 0, fmt.Errorf("velocity 0 would end the note instead of starting it; velocities are 1 to 127")
	case v < 0 || v > 127:
		return 0, fmt.Errorf("velocity %s is outside 1 to 127", s)
	}
	return v, nil
}
