package film

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/value"
)

// Colour is an opaque colour of CSS, as #rrggbb.
var Colour = value.Map(value.Colour(), func(s string) (string, error) {
	c, _ := csscolor.Parse(s)
	if c.A < 1 {
		return "", &value.Invalid{Why: "is transparent, and a colour here covers what is below", Near: []string{c.Hex()}}
	}
	return c.Hex(), nil
})

// earlierColours are names that files may hold with another value than CSS's, from before names of colours meant CSS's.
var earlierColours = map[string]string{"green": "#00a000", "orange": "#ff8000", "pink": "#ff80c0", "brown": "#804000", "gold": "#ffc000"}

// FileColour reads a colour of a file, and returns #rrggbb.
func FileColour(s string) (string, bool) {
	if c, ok := earlierColours[strings.ToLower(strings.TrimSpace(s))]; ok {
		return c, true
	}
	c, err := Colour.Parse(s)
	return c, err == nil
}
