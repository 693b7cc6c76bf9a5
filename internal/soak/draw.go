package soak

import "pgregory.net/rapid"

// Draw draws the words of ops for a property test.
type Draw struct{ T *rapid.T }

// Pick draws one of some words.
func (d Draw) Pick(what string, from ...string) string {
	return rapid.SampledFrom(from).Draw(d.T, what)
}

// Num draws a number from lo to hi, inclusive.
func (d Draw) Num(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(d.T, what) }

// Maybe returns text with a space before it, or "", at random.
func (d Draw) Maybe(text string) string {
	if rapid.Bool().Draw(d.T, text) {
		return " " + text
	}
	return ""
}
