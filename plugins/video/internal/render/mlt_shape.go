package render

import (
	"math"
	"math/big"
)

// setPixelAspect sets the pixel aspect ratio with which width by height pixels of a medium fill the film.
func (m *mltWriter) setPixelAspect(medium *Media, width, height int) {
	pixel := big.NewRat(int64(m.p.Width)*int64(height), int64(m.p.Height)*int64(width))
	if medium.Rotation%180 != 0 {
		pixel.Inv(pixel) // before rotation
	}
	m.property(2, "force_aspect_ratio", pixel.FloatString(9))
}

// surplus returns how many pixels of a covering medium are outside of the film, across and down. The remaining width
// is even, because MLT would crop an odd one further.
func (p *Project) surplus(medium *Media) (across, down int) {
	shape := big.NewRat(int64(p.Width), int64(p.Height))
	shape.Quo(shape, medium.Pixel.orDefault(Rational{1, 1}).rat())
	w, h := int64(medium.Width), int64(medium.Height)
	if big.NewRat(w, h).Cmp(shape) > 0 {
		seen := shape.Mul(shape, big.NewRat(h, 1))
		half, _ := new(big.Rat).Quo(seen, big.NewRat(2, 1)).Float64()
		return int(w) - 2*int(math.Round(half)), 0
	}
	seen, _ := new(big.Rat).Quo(big.NewRat(w, 1), shape).Float64()
	return 0, int(h) - int(math.Round(seen))
}

// shape returns the aspect ratio of a clip as it is seen.
func (p *Project) shape(c *Clip) *big.Rat {
	m := &p.Media[c.Media]
	if c.Fit == "cover" || c.Fit == "stretch" || m.Width == 0 || m.Height == 0 {
		return big.NewRat(int64(p.Width), int64(p.Height))
	}
	shape := big.NewRat(int64(m.Width), int64(m.Height))
	return shape.Mul(shape, m.Pixel.orDefault(Rational{1, 1}).rat())
}
