package style

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
)

// Color reads a colour as a value draw.io takes: #rgb and #rrggbb in lower
// case with six digits, a CSS name as its hex, "none" and "default" as they
// are. ok is false for anything else.
func Color(s string) (string, bool) {
	low := strings.ToLower(s)
	if low == "none" || low == "default" {
		return low, true
	}
	if strings.HasPrefix(low, "#") {
		digits := low[1:]
		if strings.Trim(digits, "0123456789abcdef") != "" {
			return "", false
		}
		switch len(digits) {
		case 6:
			return low, true
		case 3:
			return string([]byte{'#', low[1], low[1], low[2], low[2], low[3], low[3]}), true
		}
		return "", false
	}
	v, ok := csscolor.Named(low)
	if !ok {
		return "", false
	}
	return fmt.Sprintf("#%06x", v), true
}

// ColorNames lists the names Color knows, for suggestions.
func ColorNames() []string { return csscolor.Names() }
