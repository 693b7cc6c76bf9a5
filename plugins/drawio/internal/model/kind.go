package model

import (
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// choice is one word of marker: and the style keys that it stands for.
type choice struct {
	Word string
	Keys [][2]string
}

// Markers are the words that marker: takes for a type. Those of an event say where
// in the flow it is, and what it is about: end, message, end-message.
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

func MarkerWords(kind string) (out []string) {
	for _, c := range Markers(kind) {
		out = append(out, c.Word)
	}
	return out
}

// Marker says what an event or a gateway without a label is, " end-message", as marker:
// has it: "" for the plainest.
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

// IsIcon reports whether c is a drawing that has no room for a label in it.
func IsIcon(c *cell) bool { return IsIconStyle(c.Style) }

func IsIconStyle(s style.Style) bool {
	if v, _ := s.Get("shape"); strings.HasPrefix(v, "mxgraph.") {
		return true
	}
	v, _ := s.Get("image")
	return strings.HasPrefix(v, "img/lib/")
}

func StyleValue(s style.Style, key string) string {
	v, _ := s.Get(key)
	return v
}

func IsLifeline(c *cell) bool {
	shape, _ := c.Style.Get("shape")
	return shape == "umlLifeline"
}

// PinKey is draw.io's own: its layouts leave such shapes where they are, too.
const PinKey = "movable"

func IsPinned(x *cell) bool { return x.Style.Is(PinKey, "0") }

func ThemeSuffix(c *cell) string {
	if t := c.Theme(); t != "" {
		return " " + t
	}
	return ""
}
