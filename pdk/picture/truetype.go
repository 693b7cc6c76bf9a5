package picture

import "github.com/fcp-host/fcp-host/pdk/vector"

// typeface reads a TrueType font: its glyphs, their widths and outlines. It trusts the offsets in the font, so it must
// be used only for fonts that are part of the program. General font packages would add megabytes of encodings and
// formats to each plugin.
type typeface struct {
	data                   []byte
	cmap, glyf, loca, hmtx int // offsets of the tables
	long                   bool
	widths                 int          // number of glyphs with a width of their own
	scale                  float64      // thousandths of the font size per unit
	ascii                  [128]float64 // advance widths of ASCII characters, in font sizes
}

func (f *typeface) u16(at int) int { return int(f.data[at])<<8 | int(f.data[at+1]) }
func (f *typeface) i16(at int) int { return int(int16(f.u16(at))) }
func (f *typeface) u32(at int) int { return f.u16(at)<<16 | f.u16(at+2) }

func newTypeface(data []byte) *typeface {
	f := &typeface{data: data}
	for i := range f.u16(4) {
		record := 12 + 16*i
		at := f.u32(record + 8)
		switch string(data[record : record+4]) {
		case "head":
			f.scale = 1000 / float64(f.u16(at+18))
			f.long = f.u16(at+50) != 0
		case "hhea":
			f.widths = f.u16(at + 34)
		case "hmtx":
			f.hmtx = at
		case "loca":
			f.loca = at
		case "glyf":
			f.glyf = at
		case "cmap":
			for k := range f.u16(at + 2) {
				sub := at + f.u32(at+4+8*k+4)
				if f.u16(sub) == 4 { // segments of the Basic Multilingual Plane
					f.cmap = sub
				}
			}
		}
	}
	for r := range f.ascii {
		f.ascii[r] = f.room(rune(r))
	}
	return f
}

// glyph returns the index of a character's glyph, 0 if the font lacks it.
func (f *typeface) glyph(r rune) int {
	if r > 0xffff {
		return 0
	}
	double := f.u16(f.cmap + 6) // twice the number of segments
	ends := f.cmap + 14
	starts := ends + double + 2
	for k := 0; k < double; k += 2 {
		if int(r) > f.u16(ends+k) {
			continue
		}
		start := f.u16(starts + k)
		if int(r) < start {
			return 0
		}
		delta, far := f.u16(starts+double+k), starts+2*double+k
		if f.u16(far) == 0 {
			return (int(r) + delta) & 0xffff
		}
		g := f.u16(far + f.u16(far) + 2*(int(r)-start))
		if g != 0 {
			g = (g + delta) & 0xffff
		}
		return g
	}
	return 0
}

// advance returns the advance width of a glyph, in thousandths of the font size.
func (f *typeface) advance(g int) float64 {
	return float64(f.u16(f.hmtx+4*min(g, f.widths-1))) * f.scale
}

// curve is a line or, with a control point, a quadratic curve of an outline. begin starts a contour at to.
type curve struct {
	to, bend     point
	bent, begins bool
}

// outline appends the outline of a glyph, in thousandths of the font size, y downwards. m positions a glyph that is a
// component of another.
func (f *typeface) outline(out []curve, g int, m matrix, depth int) []curve {
	var from, to int
	if f.long {
		from, to = f.u32(f.loca+4*g), f.u32(f.loca+4*g+4)
	} else {
		from, to = 2*f.u16(f.loca+2*g), 2*f.u16(f.loca+2*g+2)
	}
	if from == to || depth > 4 {
		return out
	}
	at := f.glyf + from
	if f.i16(at) < 0 {
		return f.composite(out, at+10, m, depth)
	}
	ends := at + 10
	contours := f.i16(at)
	count := f.u16(ends+2*contours-2) + 1
	at = ends + 2*contours
	at += 2 + f.u16(at) // skip the hints
	flags := make([]byte, 0, count)
	for len(flags) < count {
		b := f.data[at]
		at++
		flags = append(flags, b)
		if b&8 != 0 {
			for range f.data[at] {
				flags = append(flags, b)
			}
			at++
		}
	}
	points := make([]point, count)
	read := func(short, same byte, put func(i, v int)) {
		v := 0
		for i, b := range flags[:count] {
			switch {
			case b&short != 0:
				d := int(f.data[at])
				at++
				if b&same == 0 {
					d = -d
				}
				v += d
			case b&same == 0:
				v += f.i16(at)
				at += 2
			}
			put(i, v)
		}
	}
	read(2, 16, func(i, v int) { points[i].X = float64(v) })
	read(4, 32, func(i, v int) { points[i].Y = float64(v) })
	for i := range points {
		p := m.At(points[i])
		points[i] = point{X: p.X * f.scale, Y: -p.Y * f.scale}
	}
	first := 0
	for k := range contours {
		last := f.u16(ends + 2*k)
		out = contour(out, points[first:last+1], flags[first:last+1])
		first = last + 1
	}
	return out
}

// contour appends a closed contour of points on it and control points; points between adjacent control points are
// implied.
func contour(out []curve, points []point, flags []byte) []curve {
	n := len(points)
	if n < 2 {
		return out
	}
	middle := func(a, b point) point { return point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2} }
	on := func(i int) bool { return flags[i%n]&1 != 0 }
	start, k := points[0], 1
	if !on(0) {
		start, k = middle(points[n-1], points[0]), 0
		if on(n - 1) {
			start = points[n-1]
		}
	}
	out = append(out, curve{to: start, begins: true})
	for end := k + n - 1; k <= end; k++ {
		p := points[k%n]
		if k == end && on(0) {
			p = start
		}
		if on(k) || k == end && on(0) {
			out = append(out, curve{to: p})
			continue
		}
		to := points[(k+1)%n]
		switch {
		case k == end:
			to = start
		case !on(k + 1):
			to = middle(p, to)
		default:
			k++
		}
		out = append(out, curve{to: to, bend: p, bent: true})
	}
	return out
}

// composite appends a composite glyph, such as é.
func (f *typeface) composite(out []curve, at int, m matrix, depth int) []curve {
	for {
		flags, g := f.u16(at), f.u16(at+2)
		at += 4
		part := vector.Identity()
		if flags&1 != 0 {
			part.E, part.F = float64(f.i16(at)), float64(f.i16(at+2))
			at += 4
		} else {
			part.E, part.F = float64(int8(f.data[at])), float64(int8(f.data[at+1]))
			at += 2
		}
		fixed := func(k int) float64 { return float64(f.i16(at+2*k)) / (1 << 14) }
		switch {
		case flags&8 != 0:
			part.A, part.D = fixed(0), fixed(0)
			at += 2
		case flags&0x40 != 0:
			part.A, part.D = fixed(0), fixed(1)
			at += 4
		case flags&0x80 != 0:
			part.A, part.B, part.C, part.D = fixed(0), fixed(1), fixed(2), fixed(3)
			at += 8
		}
		out = f.outline(out, g, m.Times(part), depth+1)
		if flags&0x20 == 0 {
			return out
		}
	}
}
