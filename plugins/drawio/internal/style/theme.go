package style

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// Theme is a pair of colours that go together.
type Theme struct {
	Name, Fill, Stroke string
	Font               string // "" for the default
}

// Themes lists draw.io's own pastel pairs, and dark and white.
func Themes() []Theme { return slices.Clone(themes) }

// themes is never written to.
var themes = []Theme{
	{"blue", "#dae8fc", "#6c8ebf", ""},
	{"green", "#d5e8d4", "#82b366", ""},
	{"red", "#f8cecc", "#b85450", ""},
	{"yellow", "#fff2cc", "#d6b656", ""},
	{"orange", "#ffe6cc", "#d79b00", ""},
	{"purple", "#e1d5e7", "#9673a6", ""},
	{"gray", "#f5f5f5", "#666666", ""},
	{"dark", "#1a1a2e", "#16213e", "#e0e0e0"},
	{"white", "#ffffff", "#000000", ""},
}

// ThemeNames lists the themes' names.
func ThemeNames() []string {
	return pdk.Map(themes, func(t Theme) string { return t.Name })
}

// ThemeNamed finds a theme by its name in any case.
func ThemeNamed(name string) (Theme, bool) {
	for _, t := range themes {
		if strings.EqualFold(t.Name, name) || strings.EqualFold(name, "grey") && t.Name == "gray" {
			return t, true
		}
	}
	return Theme{}, false
}

// Paint gives a shape's style the theme's colours.
func (t Theme) Paint(s Style) Style {
	s = s.Set("fillColor", t.Fill).Set("strokeColor", t.Stroke)
	if v, ok := s.Get("gradientColor"); ok && v != "none" {
		s = s.Set("gradientColor", "none")
	}
	if t.Font != "" {
		return s.Set("fontColor", t.Font)
	}
	// Remove the font colour of an earlier theme, and white: fills of themes without a
	// font colour are too light for it.
	if v, ok := s.Get("fontColor"); ok {
		if strings.EqualFold(v, "#ffffff") {
			return s.Drop("fontColor")
		}
		for _, other := range themes {
			if other.Font != "" && strings.EqualFold(v, other.Font) {
				return s.Drop("fontColor")
			}
		}
	}
	return s
}

// On reports whether a style has the theme's fill and stroke.
func (t Theme) On(s Style) bool {
	fill, _ := s.Get("fillColor")
	stroke, _ := s.Get("strokeColor")
	return strings.EqualFold(fill, t.Fill) && strings.EqualFold(stroke, t.Stroke)
}

// Theme returns the name of the theme whose fill and stroke s has, "" for none.
func (s Style) Theme() string {
	fill, _ := s.Get("fillColor")
	if fill == "" {
		return ""
	}
	stroke, _ := s.Get("strokeColor")
	for _, t := range themes {
		if strings.EqualFold(fill, t.Fill) && strings.EqualFold(stroke, t.Stroke) {
			return t.Name
		}
	}
	return ""
}
