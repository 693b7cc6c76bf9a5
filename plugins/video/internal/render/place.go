package render

import "fmt"

// Places returns the anchors, which place things on the picture at a margin from its edges.
func Places() []string {
	return []string{"top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom", "bottom-right"}
}

// expressions returns the upper left corner of a thing of size w by h on a picture of size W by H, as filter expressions.
func (p Place) expressions(otherwise, W, H, w, h string, margin int) (x, y string) {
	anchor := p.Anchor
	if anchor == "" {
		anchor = otherwise
	}
	near, far := fmt.Sprint(margin), "-"+fmt.Sprint(margin)
	x, y = "("+W+"-"+w+")/2", "("+H+"-"+h+")/2"
	switch anchor {
	case "top-left", "left", "bottom-left":
		x = near
	case "top-right", "right", "bottom-right":
		x = W + "-" + w + far
	}
	switch anchor {
	case "top-left", "top", "top-right":
		y = near
	case "bottom-left", "bottom", "bottom-right":
		y = H + "-" + h + far
	}
	shift := func(e string, by int) string {
		if by == 0 {
			return e
		}
		return fmt.Sprintf("%s%+d", e, by)
	}
	return shift(x, p.X), shift(y, p.Y)
}

// pixels returns the values of the expressions.
func (p Place) pixels(otherwise string, W, H, w, h, margin int) (x, y int) {
	anchor := p.Anchor
	if anchor == "" {
		anchor = otherwise
	}
	x, y = (W-w)/2, (H-h)/2
	switch anchor {
	case "top-left", "left", "bottom-left":
		x = margin
	case "top-right", "right", "bottom-right":
		x = W - w - margin
	}
	switch anchor {
	case "top-left", "top", "top-right":
		y = margin
	case "bottom-left", "bottom", "bottom-right":
		y = H - h - margin
	}
	return x + p.X, y + p.Y
}

// Margin returns the margin between things and the edges of a picture, in pixels.
func Margin(width, height int) int { return max(min(width, height)/20, 2) }

// Corner returns the upper left corner of an overlay of w by h pixels.
func (p *Project) Corner(at Place, w, h int) (x, y int) {
	return at.pixels("center", p.Width, p.Height, w, h, Margin(p.Width, p.Height))
}
