package model

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// TextWidth estimates how wide a text is in draw.io's usual font.
func TextWidth(s string) float64 {
	widest := 0
	for _, l := range strings.Split(s, "\n") {
		widest = max(widest, len([]rune(l)))
	}
	return float64(widest) * 6.5
}

// LabelWidth is how wide a label is at draw.io's usual size.
func LabelWidth(label string) float64 {
	w := 0.0
	for l := range strings.SplitSeq(label, "\n") {
		w = math.Max(w, svg.Width(l, 12, false))
	}
	return w
}
