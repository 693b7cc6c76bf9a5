package style

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
)

// Color normalizes a colour for draw.io: #rgb and #rrggbb to six lower-case digits, a CSS name to its hex value; "none"
// and "default" stay. ok is false for anything else.
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

// ColorNames lists the names that Color accepts, for suggestions.
func ColorNames() []string { return csscolor.Names() }
