package picture

import "github.com/fcp-host/fcp-host/pdk/csscolor"

// rgba is a colour with channels from 0 to 1, not premultiplied.
type rgba struct{ r, g, b, a float64 }

// pixel returns the colour in the format of layers.
func (c rgba) pixel(opacity float64) uint32 {
	a := min(1, max(0, c.a*opacity))
	return share(a)<<24 | share(c.r*a)<<16 | share(c.g*a)<<8 | share(c.b*a)
}

func parseColor(s string) (rgba, bool) {
	c, ok := csscolor.Parse(s)
	return rgba{c.R, c.G, c.B, c.A}, ok
}
