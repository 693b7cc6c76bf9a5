package picture

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"strconv"
	"strings"
)

// maxImages bounds the pixels of all images that a picture holds.
const maxImages = 16 << 20

// image draws an image element whose address holds the image itself.
func (v *visit) image(n *node, s style, m matrix, into rect) {
	kind, data, ok := held(n.attr("href"))
	if !ok || into.x1 <= into.x0 || into.y1 <= into.y0 || v.canvas.work < 0 {
		return
	}
	if strings.Contains(kind, "svg") {
		if d, err := parse(data); err == nil && v.images < 3 {
			w, h := d.size()
			m = m.times(placed(rect{0, 0, w, h}, into, n.attr("preserveAspectRatio")))
			layered := s.opacity < 1 && len(v.canvas.layers) <= deepest
			if layered {
				v.canvas.push()
			}
			v.painter.document(d, m, rect{0, 0, w, h}, v.images+1)
			if layered {
				v.canvas.pop(s.opacity)
			}
		}
		return
	}
	src := v.decode(data)
	if src == nil {
		return
	}
	b := src.Bounds()
	m = m.times(placed(rect{0, 0, float64(b.Dx()), float64(b.Dy())}, into, n.attr("preserveAspectRatio")))
	for m.scale() <= 0.5 && (src.Rect.Dx() > 1 || src.Rect.Dy() > 1) {
		was := src.Rect
		src = halved(src)
		m = m.times(matrix{float64(was.Dx()) / float64(src.Rect.Dx()), 0, 0, float64(was.Dy()) / float64(src.Rect.Dy()), 0, 0})
	}
	back, ok := m.inverse()
	if !ok {
		return
	}
	w, h := float64(src.Rect.Dx()), float64(src.Rect.Dy())
	var corners []point
	for _, q := range []point{{0, 0}, {w, 0}, {w, h}, {0, h}} {
		corners = append(corners, m.at(q))
	}
	v.canvas.raster.polygon(corners)
	opacity := share(s.opacity)
	v.canvas.fill(false, &brush{at: func(x, y int) uint32 {
		q := back.at(point{float64(x) + 0.5, float64(y) + 0.5})
		return fade(between(src, q.x-0.5, q.y-0.5), opacity)
	}})
}

// held reads a data: address.
func held(href string) (kind string, data []byte, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(href), "data:")
	if !ok {
		return "", nil, false
	}
	kind, body, ok := strings.Cut(rest, ",")
	if !ok {
		return "", nil, false
	}
	if strings.Contains(body, "%") {
		body = plain(body)
	}
	if !strings.Contains(kind, "base64") {
		return kind, []byte(body), true
	}
	body = strings.Map(func(r rune) rune {
		if r <= ' ' || r == '=' {
			return -1
		}
		return r
	}, body)
	data, err := base64.RawStdEncoding.DecodeString(body)
	return kind, data, err == nil
}

// plain resolves the %xx of an address.
func plain(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(v))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

// decode reads a PNG, JPEG or GIF; nil for what is none, or too large.
func (v *visit) decode(data []byte) *image.RGBA {
	var config image.Config
	var read func() (image.Image, error)
	var err error
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		config, err = png.DecodeConfig(bytes.NewReader(data))
		read = func() (image.Image, error) { return png.Decode(bytes.NewReader(data)) }
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		config, err = jpeg.DecodeConfig(bytes.NewReader(data))
		read = func() (image.Image, error) { return jpeg.Decode(bytes.NewReader(data)) }
	case bytes.HasPrefix(data, []byte("GIF8")):
		config, err = gif.DecodeConfig(bytes.NewReader(data))
		read = func() (image.Image, error) { return gif.Decode(bytes.NewReader(data)) }
	default:
		return nil
	}
	if err != nil || config.Width <= 0 || config.Height <= 0 || config.Width > (maxImages-v.pixels)/config.Height {
		return nil
	}
	v.pixels += config.Width * config.Height
	v.canvas.work -= 8 * config.Width * config.Height
	decoded, err := read()
	src, ok := decoded.(image.RGBA64Image)
	if err != nil || !ok || decoded.Bounds().Empty() {
		return nil
	}
	b := src.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		row := out.Pix[y*out.Stride:]
		for x := range b.Dx() {
			c := src.RGBA64At(b.Min.X+x, b.Min.Y+y)
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = uint8(c.R>>8), uint8(c.G>>8), uint8(c.B>>8), uint8(c.A>>8)
		}
	}
	return out
}

// halved is an image of half the width and height, rounded up.
func halved(src *image.RGBA) *image.RGBA {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, (w+1)/2, (h+1)/2))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			x0, y0 := 2*x, 2*y
			x1, y1 := min(x0+1, w-1), min(y0+1, h-1)
			for k := range 4 {
				sum := uint32(src.Pix[y0*src.Stride+4*x0+k]) + uint32(src.Pix[y0*src.Stride+4*x1+k]) +
					uint32(src.Pix[y1*src.Stride+4*x0+k]) + uint32(src.Pix[y1*src.Stride+4*x1+k])
				out.Pix[y*out.Stride+4*x+k] = uint8((sum + 2) / 4)
			}
		}
	}
	return out
}

// between is the colour at a place between four pixels.
func between(src *image.RGBA, x, y float64) uint32 {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	x, y = min(float64(w-1), max(0, x)), min(float64(h-1), max(0, y))
	x0, y0 := int(x), int(y)
	fx, fy := uint32((x-math.Floor(x))*256), uint32((y-math.Floor(y))*256)
	x1, y1 := min(x0+1, w-1), min(y0+1, h-1)
	var out uint32
	for k, shift := range [4]uint{16, 8, 0, 24} {
		at := func(x, y int) uint32 { return uint32(src.Pix[y*src.Stride+4*x+k]) }
		top := at(x0, y0)*(256-fx) + at(x1, y0)*fx
		bottom := at(x0, y1)*(256-fx) + at(x1, y1)*fx
		out |= (top*(256-fy) + bottom*fy + 1<<15) >> 16 << shift
	}
	return out
}
