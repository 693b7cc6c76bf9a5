package theory

import (
	"math"
	"slices"
)

// The probe-tone ratings of C. L. Krumhansl and E. J. Kessler, "Tracing the
// dynamic changes in perceived tonal organization in a spatial representation
// of musical keys", Psychological Review 89 (1982), as printed in Krumhansl,
// "Cognitive Foundations of Musical Pitch" (1990), for the tonic and the
// eleven semitones above it.
var (
	majorProfile = [12]float64{6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88}
	minorProfile = [12]float64{6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17}
)

// KeyGuess is a key and how well it fits: the correlation, -1 to 1.
type KeyGuess struct {
	Key Key
	Fit float64
}

// FindKeys ranks the 24 keys, best first, by the correlation of the total lengths of
// the pitch classes with listeners' ratings (the Krumhansl-Schmuckler algorithm). It
// returns nil if all classes have the same length.
func FindKeys(weight [12]float64) []KeyGuess {
	var out []KeyGuess
	// Of enharmonic keys use the one with fewer accidentals.
	for fifths := -5; fifths <= 6; fifths++ {
		for _, minor := range []bool{false, true} {
			k := Key{fifths, minor}
			profile := &majorProfile
			if minor {
				profile = &minorProfile
			}
			fit := correlation(weight, profile, k.Tonic().Semitone())
			if math.IsNaN(fit) {
				return nil
			}
			out = append(out, KeyGuess{k, fit})
		}
	}
	slices.SortStableFunc(out, func(a, b KeyGuess) int {
		switch {
		case a.Fit > b.Fit:
			return -1
		case a.Fit < b.Fit:
			return 1
		}
		return 0
	})
	return out
}

// correlation returns Pearson's correlation of the weights and a profile on a tonic.
func correlation(weight [12]float64, profile *[12]float64, tonic int) float64 {
	var mw, mp float64
	for i := range 12 {
		mw += weight[i] / 12
		mp += profile[i] / 12
	}
	var cov, vw, vp float64
	for i := range 12 {
		w, p := weight[i]-mw, profile[(i-tonic+12)%12]-mp
		cov += w * p
		vw += w * w
		vp += p * p
	}
	return cov / math.Sqrt(vw*vp)
}
