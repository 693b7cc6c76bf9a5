// Package model answers questions about the cells of a document: what a cell is, what it
// lies in, what it is called in replies, and which edges connect it to others.
package model

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// choice is a word of marker: with the style keys that it stands for.
type choice struct {
	Word string
	Keys [][2]string
}

// Markers lists the words that marker: takes for a type. Those of an event give its
// position in the flow and its subject: end, message, end-message.
func Markers(kind string) (out []choice) {
	add := func(key string, words ...string) {
		for _, w := range words {
			word, value, ok := strings.Cut(w, "=")
			if !ok {
				value = word
			}
			out = append(out, choice{word, [][2]string{{key, value}}})
		}
	}
	switch kind {
	case "task":
		add("taskMarker", "abstract", "user", "service", "script", "manual", "send", "receive", "business-rule=businessRule")
	case "gateway":
		add("gwType", "exclusive", "parallel", "complex")
		out = append(out, choice{"inclusive", [][2]string{{"gwType", ""}, {"outline", "end"}, {"symbol", "general"}}},
			choice{"event", [][2]string{{"gwType", ""}, {"outline", "boundInt"}, {"symbol", "multiple"}}})
	case "participant":
		add("participant", "actor=umlActor")
	case "event":
		add("outline", "start=standard", "intermediate=catching", "throwing", "boundary=boundInt", "end")
		add("symbol", "general", "message", "timer", "escalation", "conditional", "link", "error", "cancel", "compensation", "signal", "multiple", "terminate")
	}
	return out
}

// MarkerWords lists the words that marker: takes for a type, without their style keys.
func MarkerWords(kind string) (out []string) {
	return pdk.Map(Markers(kind), func(c choice) string { return c.Word })
}

// Marker returns the marker: of an event or a gateway without a label, with a space before
// it: " end-message". It is "" for the plain symbol.
func Marker(c *cell) string {
	kind := c.Kind()
	if kind != "event" && kind != "gateway" || c.Label() != "" {
		return ""
	}
	var words []string
	for _, m := range Markers(kind) {
		has := m.Word != "start" && m.Word != "general" && m.Word != "exclusive"
		for _, kv := range m.Keys {
			has = has && StyleValue(c.Style, kv[0]) == kv[1]
		}
		if has {
			words = append(words, m.Word)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, "-")
}

// IsIcon reports whether c is a drawing with no room for a label inside.
func IsIcon(c *cell) bool { return IsIconStyle(c.Style) }

// IsIconStyle is IsIcon for a style.
func IsIconStyle(s style.Style) bool {
	if v, _ := s.Get("shape"); strings.HasPrefix(v, "mxgraph.") {
		return true
	}
	v, _ := s.Get("image")
	return strings.HasPrefix(v, "img/lib/")
}

// StyleValue returns the value of a style key, "" if it is missing.
func StyleValue(s style.Style, key string) string {
	v, _ := s.Get(key)
	return v
}

// IsLifeline reports whether c is the participant of a sequence with its lifeline.
func IsLifeline(c *cell) bool {
	shape, _ := c.Style.Get("shape")
	return shape == "umlLifeline"
}

// PinKey is draw.io's own style key. With the value 0, draw.io's layouts leave the shape
// where it is, too.
const PinKey = "movable"

// IsPinned reports whether layouts leave x where it is.
func IsPinned(x *cell) bool { return x.Style.Is(PinKey, "0") }

// ThemeSuffix returns the theme of a cell with a space before it, "" for none.
func ThemeSuffix(c *cell) string {
	if t := c.Theme(); t != "" {
		return " " + t
	}
	return ""
}

type (
	file = mxfile.File
	cell = mxfile.Cell
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
