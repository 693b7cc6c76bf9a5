package svg

import (
	"html"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// filled is a cell's label with the %names% in it replaced by custom
// properties, its own or those of what it lies in, where the cell asks for
// that. Names that nothing has stay.
func filled(c *mxfile.Cell) string {
	if c.Wrapper == "" || !strings.Contains(c.Value, "%") {
		return c.Value
	}
	if on, _ := c.DataValue("placeholders"); on != "1" {
		return c.Value
	}
	var b strings.Builder
	rest := c.Value
	for {
		before, after, ok := strings.Cut(rest, "%")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, behind, ok := strings.Cut(after, "%")
		if value, has := property(c, name); ok && has {
			if c.HTML() {
				value = html.EscapeString(value)
			}
			b.WriteString(value)
			rest = behind
			continue
		}
		b.WriteString("%")
		rest = after
	}
}

// property is a custom property of c, or of the nearest cell around it that
// has it.
func property(c *mxfile.Cell, name string) (string, bool) {
	if name == "" || strings.ContainsAny(name, " <>\"'=;{}") {
		return "", false
	}
	for n := 0; c != nil && n < deepest; c, n = c.Owner(), n+1 {
		if v, ok := c.DataValue(name); ok {
			return v, true
		}
	}
	return "", false
}
