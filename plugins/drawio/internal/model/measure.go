package model

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// TextWidth estimates the width of a text in draw.io's default font.
func TextWidth(s string) float64 {
	widest := 0
	for _, l := range strings.Split(s, "\n") {
		widest = max(widest, len([]rune(l)))
	}
	return float64(widest) * 6.5
}

// LabelWidth returns the width of the longest line of a label at draw.io's default font
// size.
func LabelWidth(label string) float64 {
	w := 0.0
	for l := range strings.SplitSeq(label, "\n") {
		w = math.Max(w, svg.Width(l, 12, false))
	}
	return w
}
