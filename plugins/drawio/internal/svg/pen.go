package svg

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// num prints a coordinate with at most two decimals.
func num(f float64) string {
	if f = math.Round(f*100) / 100; f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return "0"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// escape makes any text fit for XML, in text and in double quotes. What XML
// cannot hold is left out.
func escape(s string) string {
	if !strings.ContainsAny(s, "&<>\"\n\r\t") && utf8.ValidString(s) && !strings.ContainsFunc(s, bad) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		case bad(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func bad(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0xFFFE || r == 0xFFFF
}

// path writes the data of an SVG path. Letters are commands, numbers their
// coordinates.
func path(parts ...any) string {
	var b strings.Builder
	for _, p := range parts {
		switch v := p.(type) {
		case string:
			b.WriteString(v)
		case float64:
			b.WriteString(num(v))
			b.WriteByte(' ')
		case int:
			b.WriteString(strconv.Itoa(v))
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// polygon is the closed path through points given as x, y, x, y, …
func polygon(xy ...float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(xy); i += 2 {
		if i == 0 {
			b.WriteByte('M')
		} else {
			b.WriteByte('L')
		}
		b.WriteString(num(xy[i]) + " " + num(xy[i+1]))
	}
	return b.String() + "Z"
}

// ellipse is the path of an ellipse in a box.
func ellipse(x, y, w, h float64) string {
	return path("M", x, y+h/2, "A", w/2, h/2, 0, 1, 1, x+w, y+h/2, "A", w/2, h/2, 0, 1, 1, x, y+h/2, "Z")
}

// box is the path of a rectangle with round corners of radius r.
func box(x, y, w, h, r float64) string {
	if r <= 0 {
		return polygon(x, y, x+w, y, x+w, y+h, x, y+h)
	}
	r = min(r, w/2, h/2)
	return path("M", x+r, y, "H", x+w-r, "A", r, r, 0, 0, 1, x+w, y+r, "V", y+h-r, "A", r, r, 0, 0, 1, x+w-r, y+h,
		"H", x+r, "A", r, r, 0, 0, 1, x, y+h-r, "V", y+r, "A", r, r, 0, 0, 1, x+r, y, "Z")
}
