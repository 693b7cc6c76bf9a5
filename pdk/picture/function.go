package picture

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
)

// function applies a filter function to the source.
func (r *run) function(name, arg string) {
	amount := func(def float64) float64 {
		if arg == "" {
			return def
		}
		return svgdom.Share(arg, def)
	}
	if f := amount(0); f < 0 && name != "hue-rotate" {
		return // ignore it
	}
	grey := func(keep, r, g, b float64) *matrix5 {
		var m matrix5
		for i := range 3 {
			for j, f := range [3]float64{r, g, b} {
				m[i*5+j] = f * (1 - keep)
			}
			m[i*5+i] += keep
		}
		m[18] = 1
		return &m
	}
	scaled := func(f, add float64) *matrix5 { return &matrix5{0: f, 4: add, 6: f, 9: add, 12: f, 14: add, 18: 1} }
	var m *matrix5
	switch name {
	case "blur":
		l, _ := svgdom.ReadLength(arg)
		if f := l.In(0, r.filtered.Size); f > 0 {
			r.last = r.blur(r.last, f*r.sx, f*r.sy)
		}
		return
	case "drop-shadow":
		r.dropShadow(arg)
		return
	case "grayscale":
		m = grey(1-min(1, amount(1)), 0.2126, 0.7152, 0.0722)
	case "sepia":
		k := 1 - min(1, amount(1))
		m = &matrix5{
			0.393 + 0.607*k, 0.769 - 0.769*k, 0.189 - 0.189*k, 0, 0,
			0.349 - 0.349*k, 0.686 + 0.314*k, 0.168 - 0.168*k, 0, 0,
			0.272 - 0.272*k, 0.534 - 0.534*k, 0.131 + 0.869*k, 0, 0, 0, 0, 0, 1, 0,
		}
	case "saturate":
		c, _ := colorMatrix("saturate", strconv.FormatFloat(amount(1), 'f', -1, 64))
		m = &c
	case "hue-rotate":
		d, ok := svgdom.Degrees(arg)
		if !ok && arg != "" {
			return
		}
		c, _ := colorMatrix("hueRotate", strconv.FormatFloat(d, 'f', -1, 64))
		m = &c
	case "invert":
		k := min(1, amount(1))
		m = scaled(1-2*k, k)
	case "opacity":
		m = &matrix5{0: 1, 6: 1, 12: 1, 18: min(1, amount(1))}
	case "brightness":
		m = scaled(amount(1), 0)
	case "contrast":
		k := amount(1)
		m = scaled(k, 0.5-0.5*k)
	default:
		r.addMissing("filter %s()", clipped(name))
		return
	}
	r.spend(8)
	r.last = m.over(r.last)
}

// dropShadow runs drop-shadow(dx dy blur color), in any order of color and lengths.
func (r *run) dropShadow(arg string) {
	color := r.filtered.Color
	var lengths []float64
	for rest := strings.TrimSpace(arg); rest != ""; {
		end := css.IndexOutside(rest, " ")
		word := rest[:end]
		rest = strings.TrimSpace(rest[end:])
		if strings.EqualFold(word, "currentcolor") {
			color = r.filtered.Color
		} else if l, ok := svgdom.ReadLength(word); ok {
			lengths = append(lengths, l.In(0, r.filtered.Size))
		} else if c, ok := csscolor.Parse(word); ok {
			color = c
		} else {
			return
		}
	}
	if len(lengths) < 2 || len(lengths) > 3 {
		return
	}
	for len(lengths) < 3 {
		lengths = append(lengths, 0)
	}
	std := max(0, lengths[2])
	r.last = r.shade(r.last, std*r.sx, std*r.sy, lengths[0]*r.sx, lengths[1]*r.sy, pixel(color, 1))
}
