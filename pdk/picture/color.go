package picture

import "github.com/fcp-host/fcp-host/pdk/csscolor"

// pixel returns a colour in the format of layers.
func pixel(c csscolor.Color, opacity float64) uint32 {
	a := min(1, max(0, c.A*opacity))
	return share(a)<<24 | share(c.R*a)<<16 | share(c.G*a)<<8 | share(c.B*a)
}
