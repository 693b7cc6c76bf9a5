package picture

import "math"

// raster converts polygons to coverage. It adds up, cell by cell, how much each edge changes the covered fraction of the
// cell, and sums these changes along each row. Only touched cells are swept and cleared.
type raster struct {
	w, h, stride int
	cells        []float32
	lo, hi       []int32 // the cells touched in each row; lo > hi for none
	top, bottom  int     // the rows touched
	clip         rect    // whole pixels
	work         *int    // steps left
}

func newRaster(w, h int, work *int) *raster {
	r := &raster{w: w, h: h, stride: w + 2, cells: make([]float32, (w+2)*h), lo: make([]int32, h), hi: make([]int32, h), work: work}
	for y := range h {
		r.lo[y], r.hi[y] = math.MaxInt32, -1
	}
	r.top, r.bottom = h, 0
	r.clip = rect{X1: float64(w), Y1: float64(h)}
	return r
}

// polygon adds a closed polygon in pixels.
func (r *raster) polygon(points []point) {
	if len(points) < 2 {
		return
	}
	a := points[len(points)-1]
	for _, b := range points {
		r.edge(a, b)
		a = b
	}
}

// edge adds an edge. Parts left or right of the clip are moved to its border; parts above or below are dropped.
func (r *raster) edge(a, b point) {
	if a.Y == b.Y || a.X != a.X || a.Y != a.Y || b.X != b.X || b.Y != b.Y {
		return
	}
	sign := float64(1)
	if a.Y > b.Y {
		a, b, sign = b, a, -1
	}
	c := r.clip
	if b.Y <= c.Y0 || a.Y >= c.Y1 {
		return
	}
	slope := (b.X - a.X) / (b.Y - a.Y)
	if a.Y < c.Y0 {
		a = point{X: a.X + (c.Y0-a.Y)*slope, Y: c.Y0}
	}
	if b.Y > c.Y1 {
		b = point{X: b.X - (b.Y-c.Y1)*slope, Y: c.Y1}
	}
	if a.X >= c.X0 && a.X <= c.X1 && b.X >= c.X0 && b.X <= c.X1 {
		r.inside(a, b, slope, sign)
		return
	}
	// Cut the edge at the left and the right border.
	cuts := [4]point{a, a, b, b}
	for i, x := range [2]float64{c.X0, c.X1} {
		if (a.X-x)*(b.X-x) < 0 {
			at := point{X: x, Y: min(b.Y, max(a.Y, a.Y+(x-a.X)/slope))}
			if i == 0 == (slope > 0) {
				cuts[1] = at
			} else {
				cuts[2] = at
			}
		}
	}
	for i := range 3 {
		p, q := cuts[i], cuts[i+1]
		if p.Y >= q.Y {
			continue
		}
		p.X, q.X = min(c.X1, max(c.X0, p.X)), min(c.X1, max(c.X0, q.X))
		r.inside(p, q, (q.X-p.X)/(q.Y-p.Y), sign)
	}
}

// inside adds an edge that runs downwards within the clip.
func (r *raster) inside(a, b point, slope, sign float64) {
	first, last := int(a.Y), min(r.h, int(math.Ceil(b.Y)))
	if first >= last {
		return
	}
	r.top, r.bottom = min(r.top, first), max(r.bottom, last)
	*r.work -= last - first
	x := a.X
	for y := first; y < last; y++ {
		dy := min(float64(y+1), b.Y) - max(float64(y), a.Y)
		next := min(r.clip.X1, max(r.clip.X0, x+slope*dy))
		d := float32(dy * sign)
		x0, x1 := x, next
		if x0 > x1 {
			x0, x1 = x1, x0
		}
		i, j := int(x0), int(math.Ceil(x1))
		row := r.cells[y*r.stride : (y+1)*r.stride]
		if int32(i) < r.lo[y] {
			r.lo[y] = int32(i)
		}
		if j <= i+1 {
			part := float32((x0+x1)/2 - float64(i))
			row[i] += d - d*part
			row[i+1] += d * part
			if int32(i+1) > r.hi[y] {
				r.hi[y] = int32(i + 1)
			}
		} else {
			// The edge crosses several cells: the covered share grows linearly
			// between its ends.
			s := float32(1 / (x1 - x0))
			f0 := float32(x0 - float64(i))
			f1 := float32(x1 - float64(j-1))
			left, right := s*(1-f0)*(1-f0)/2, s*f1*f1/2
			row[i] += d * left
			if j == i+2 {
				row[i+1] += d * (1 - left - right)
			} else {
				second := s * (1.5 - f0)
				row[i+1] += d * (second - left)
				for k := i + 2; k < j-1; k++ {
					row[k] += d * s
				}
				row[j-1] += d * (1 - second - float32(j-i-3)*s - right)
			}
			row[j] += d * right
			if int32(j) > r.hi[y] {
				r.hi[y] = int32(j)
			}
			*r.work -= j - i
		}
		x = next
	}
}

// sweep calls span for each run of pixels with equal coverage, from 1 to 255 in steps of 17, and clears the cells. Sixteen
// steps look like 256 and keep the number of colours in a picture small.
func (r *raster) sweep(evenodd bool, span func(y, x0, x1 int, cover uint32)) {
	for y := r.top; y < r.bottom; y++ {
		lo, hi := int(r.lo[y]), int(r.hi[y])
		if lo > hi {
			continue
		}
		r.lo[y], r.hi[y] = math.MaxInt32, -1
		*r.work -= hi - lo
		row := r.cells[y*r.stride : (y+1)*r.stride]
		sum := float32(0)
		from, cover := lo, uint32(0)
		for x := lo; x <= hi; x++ {
			if row[x] == 0 {
				continue
			}
			sum += row[x]
			row[x] = 0
			v := sum
			if v < 0 {
				v = -v
			}
			if evenodd {
				v -= 2 * float32(int(v/2))
				if v > 1 {
					v = 2 - v
				}
			} else if v > 1 {
				v = 1
			}
			now := uint32(v*15+0.5) * 17
			if now == cover {
				continue
			}
			if cover > 0 && x > from {
				span(y, from, x, cover)
			}
			from, cover = x, now
		}
		if end := min(hi+1, r.w); cover > 0 && end > from {
			span(y, from, end, cover)
		}
	}
	r.top, r.bottom = r.h, 0
}
