package svg

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/canvas"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
)

// num prints a coordinate with at most two decimals.
func num(f float64) string { return canvas.Num(f) }

// path returns the data of an SVG path. Its arguments are commands (strings) and their
// coordinates (numbers).
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

// polygon returns the closed path through points given as x, y, x, y, …
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

// data returns the path data of a drawing.
func data(p outline.Path) string {
	var b []byte
	at := func(q geom.Point) {
		b = append(append(append(b, num(q.X)...), ' '), num(q.Y)...)
	}
	for _, s := range p {
		b = append(b, s.Op)
		switch s.Op {
		case 'Z':
			continue
		case 'Q':
			at(s.A)
			b = append(b, ' ')
		case 'C':
			at(s.A)
			b = append(b, ' ')
			at(s.B)
			b = append(b, ' ')
		case 'A':
			at(s.A)
			b = append(b, " 0 0 1 "...)
		}
		at(s.To)
	}
	return string(b)
}

// ellipse returns the path of an ellipse in a box.
func ellipse(x, y, w, h float64) string { return data(outline.Ellipse(x, y, w, h)) }

// box returns the path of a rectangle with corners of radius r.
func box(x, y, w, h, r float64) string { return data(outline.Box(x, y, w, h, r)) }
