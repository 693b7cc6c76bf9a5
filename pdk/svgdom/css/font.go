package css

import (
	"slices"
	"strings"
)

// Expand adds, after each font shorthand, the properties that it sets (CSS Fonts 4,
// section 2.7).
func Expand(list []Declaration) []Declaration {
	if !slices.ContainsFunc(list, func(d Declaration) bool { return d.Name == "font" }) {
		return list
	}
	var out []Declaration
	for _, d := range list {
		out = append(out, d)
		if d.Name == "font" {
			for _, p := range fontOf(d.Value) {
				out = append(out, Declaration{Name: p[0], Value: p[1], Important: d.Important})
			}
		}
	}
	return out
}

// fontOf reads a font shorthand: style, variant, weight and width in any order, then
// the size, optionally the line height, then the family.
func fontOf(value string) [][2]string {
	style, weight := "normal", "normal"
	for rest := strings.TrimSpace(value); rest != ""; {
		word, after, _ := strings.Cut(rest, " ")
		size, _, _ := strings.Cut(word, "/")
		switch {
		case word == "italic" || word == "oblique":
			style = word
		case word == "bold" || word == "bolder" || word == "lighter" || len(word) == 3 && strings.HasSuffix(word, "00"):
			weight = word
		case word[0] >= '0' && word[0] <= '9' || word[0] == '.' || strings.HasSuffix(size, "small") || strings.HasSuffix(size, "large") || size == "medium" || word == "larger" || word == "smaller":
			return [][2]string{{"font-style", style}, {"font-weight", weight}, {"font-size", size}, {"font-family", strings.TrimSpace(after)}}
		case after == "":
			return nil // inherit, or a system font
		}
		rest = strings.TrimSpace(after)
	}
	return nil
}
