package render

import (
	"cmp"
	"fmt"

	"github.com/fcp-host/fcp-host/pdk/value"
)

// region returns where on the picture a thing is placed, at a margin from the edges.
func (p Place) region(otherwise string) value.Place {
	r, err := value.Region.Parse(cmp.Or(p.Anchor, otherwise))
	if err != nil {
		return value.Place{Col: 1, Row: 1}
	}
	return r
}

// expressions returns the upper left corner of a thing of size w by h on a picture of size W by H, as filter
// expressions.
func (p Place) expressions(otherwise, W, H, w, h string, margin int) (x, y string) {
	along := func(third int, all, part string, by int) string {
		e := [3]string{fmt.Sprint(margin), "(" + all + "-" + part + ")/2", fmt.Sprintf("%s-%s-%d", all, part, margin)}[third]
		if by != 0 {
			e += fmt.Sprintf("%+d", by)
		}
		return e
	}
	r := p.region(otherwise)
	return along(r.Col, W, w, p.X), along(r.Row, H, h, p.Y)
}

// pixels returns the values of the expressions.
func (p Place) pixels(otherwise string, W, H, w, h, margin int) (x, y int) {
	along := func(third, all, part int) int { return [3]int{margin, (all - part) / 2, all - part - margin}[third] }
	r := p.region(otherwise)
	return along(r.Col, W, w) + p.X, along(r.Row, H, h) + p.Y
}

// Margin returns the margin between things and the edges of a picture, in pixels.
func Margin(width, height int) int { return max(min(width, height)/20, 2) }

// Corner returns the upper left corner of an overlay of w by h pixels.
func (p *Project) Corner(at Place, w, h int) (x, y int) {
	return at.pixels("center", p.Width, p.Height, w, h, Margin(p.Width, p.Height))
}
