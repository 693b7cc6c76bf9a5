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

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// maxImages limits the pixels of all images in a picture.
const maxImages = 16 << 20

// image draws an image element whose image is embedded in its URL.
func (v *visit) image(n *node, s *style, at place) { v.imageInto(n, s, at, vector.Empty()) }

// imageInto draws an image into a box of pixels, or into its own box if that is empty.
func (v *visit) imageInto(n *node, s *style, at place, given rect) {
	href, _ := n.Href()
	if href == "" || v.exhausted() {
		return
	}
	kind, data, ok := decodeDataURL(href)
	if !ok {
		v.addMissing("image %s, which is not part of the document", clipped(href))
		return
	}
	if strings.Contains(kind, "svg") || bytes.Contains(data[:min(len(data), 512)], []byte("<svg")) {
		if d, err := parse(data); err == nil && v.images < 3 {
			w, h := d.size()
			v.drawImage(n, s, at, given, w, h, func(m matrix) {
				layered := s.Opacity < 1 && v.canvas.room()
				if layered {
					v.canvas.push()
				}
				v.painter.document(d, m, rect{X1: w, Y1: h}, v.images+1)
				if layered {
					v.canvas.pop(s.Opacity, 0)
				}
			})
		} else {
			v.addMissing("an image in SVG that cannot be read")
		}
		return
	}
	src := v.decode(data)
	if src == nil {
		v.addMissing("an image of %d bytes that is not a PNG, JPEG or GIF", len(data))
		return
	}
	b := src.Bounds()
	v.drawImage(n, s, at, given, float64(b.Dx()), float64(b.Dy()), func(m matrix) { v.pixelsOf(src, s, m) })
}

// drawImage finds the box of an image of w by h pixels and draws it there.
func (v *visit) drawImage(n *node, s *style, at place, given rect, w, h float64, draw func(m matrix)) {
	measure := v.measure(n, s, &at)
	into := measure.Box(math.NaN(), math.NaN())
	wide, high := into.Width(), into.Height()
	switch noWidth, noHeight := math.IsNaN(wide), math.IsNaN(high); {
	case noWidth && noHeight:
		into = measure.Box(w, h)
	case noWidth:
		into = measure.Box(high*w/h, high)
	case noHeight:
		into = measure.Box(wide, wide*h/w)
	}
	if !given.IsEmpty() {
		into, at.m = given, vector.Identity()
	}
	if !(into.Width() > 0 && into.Height() > 0) {
		return
	}
	if v.recorded != nil {
		*v.recorded = v.recorded.Union(at.m.Bounds(into))
		return
	}
	if keep := n.Get("preserveAspectRatio"); strings.Contains(keep, "slice") {
		defer v.clip(at.m, into)()
	}
	draw(at.m.Times(svgdom.Fit(rect{X1: w, Y1: h}, into, n.Get("preserveAspectRatio"))))
}

// pixelsOf draws the pixels of an image.
func (v *visit) pixelsOf(src *image.RGBA, s *style, m matrix) {
	for m.Factor() <= 0.5 && !s.Rough && (src.Rect.Dx() > 1 || src.Rect.Dy() > 1) {
		was := src.Rect
		src = halved(src)
		m = m.Times(vector.Scale(float64(was.Dx())/float64(src.Rect.Dx()), float64(was.Dy())/float64(src.Rect.Dy())))
	}
	back, ok := m.Inverse()
	if !ok {
		return
	}
	w, h := float64(src.Rect.Dx()), float64(src.Rect.Dy())
	opacity := share(s.Opacity)
	v.quad(m, rect{X1: w, Y1: h}, &brush{at: func(x, y int) uint32 {
		q := back.At(point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
		if s.Rough {
			q = point{X: math.Floor(q.X) + 0.5, Y: math.Floor(q.Y) + 0.5}
		}
		return fade(bilinear(src, q.X-0.5, q.Y-0.5), opacity)
	}})
}

// decodeDataURL decodes a data: URL.
func decodeDataURL(href string) (kind string, data []byte, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(href), "data:")
	if !ok {
		return "", nil, false
	}
	kind, body, ok := strings.Cut(rest, ",")
	if !ok {
		return "", nil, false
	}
	if strings.Contains(body, "%") {
		body = percentDecode(body)
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

// percentDecode decodes the %xx in a URL.
func percentDecode(s string) string {
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

// decode decodes a PNG, JPEG or GIF. It returns nil for other data and for images that are too large.
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
	*v.canvas.work -= 8 * config.Width * config.Height
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

// halved returns an image at half the width and height, rounded up.
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

// bilinear returns the bilinearly interpolated colour at a point.
func bilinear(src *image.RGBA, x, y float64) uint32 {
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
