package picture_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/pdk/picture"
)

// hostile returns documents that require much more work than their length suggests. Each
// must be drawn or refused within the time limit of the test.
func hostile() map[string]string {
	nested := func(levels, times int, level func(i int, inside string) string, last string) string {
		var b strings.Builder
		for i := range levels {
			inside := last
			if i > 0 {
				inside = strings.Repeat(fmt.Sprintf(`<rect width="900" height="900" fill="url(#p%d)" mask="url(#m%d)" clip-path="url(#c%d)" filter="url(#f%d)" marker-mid="url(#k%d)"/><use href="#u%d"/>`, i-1, i-1, i-1, i-1, i-1, i-1), times)
			}
			b.WriteString(level(i, inside))
		}
		return b.String()
	}
	const square = `<rect width="900" height="900"/>`
	circle := `<circle cx="450" cy="450" r="450" `
	path := `<path d="M0 0` + strings.Repeat("l9 9 9-9", 5000) + `" `
	return map[string]string{
		"uses of uses": nested(12, 10, func(i int, in string) string { return fmt.Sprintf(`<g id="u%d">%s</g>`, i, in) }, square) + `<use href="#u11"/>`,
		"patterns of patterns": nested(12, 10, func(i int, in string) string {
			return fmt.Sprintf(`<pattern id="p%d" width="1" height="1">%s</pattern>`, i, in)
		}, square) + circle + `fill="url(#p11)"/>`,
		"masks of masks": nested(12, 10, func(i int, in string) string { return fmt.Sprintf(`<mask id="m%d">%s</mask>`, i, in) }, square) + circle + `mask="url(#m11)"/>`,
		"clip paths of clip paths": nested(12, 10, func(i int, in string) string {
			return fmt.Sprintf(`<clipPath id="c%d">%s</clipPath>`, i, in)
		}, square) + circle + `clip-path="url(#c11)"/>`,
		"filters of filters": nested(8, 10, func(i int, in string) string {
			return fmt.Sprintf(`<g id="u%d">%s</g><filter id="f%d"><feImage href="#u%d"/><feGaussianBlur stdDeviation="500"/></filter>`, i, in, i, i)
		}, square) + circle + `filter="url(#f7)"/>`,
		"markers on markers": nested(6, 1, func(i int, in string) string {
			return fmt.Sprintf(`<marker id="k%d" overflow="visible">%s%smarker-mid="url(#k%d)" stroke="red"/></marker>`, i, in, path, i-1)
		}, square) + path + `marker-mid="url(#k5)"/>`,
		"tiny dashes":       path + `stroke="red" stroke-width="900" stroke-dasharray="0.001" transform="scale(100)" stroke-linecap="round"/>`,
		"tiny tiles":        `<pattern id="p" width="1e-9" height="1e9" patternUnits="userSpaceOnUse">` + square + `</pattern>` + circle + `fill="url(#p)" transform="scale(1e5)"/>`,
		"many primitives":   `<filter id="f" x="-9" y="-9" width="99" height="99">` + strings.Repeat(`<feMorphology radius="900"/><feTurbulence numOctaves="99" baseFrequency="1"/><feConvolveMatrix order="20" kernelMatrix="`+strings.Repeat("1 ", 400)+`"/>`, 30) + `</filter>` + circle + `filter="url(#f)" transform="rotate(9)"/>`,
		"filter functions":  circle + `filter="` + strings.Repeat("blur(400px) drop-shadow(1 1 9px red) ", 50) + `"/>`,
		"deep groups":       strings.Repeat(`<g opacity=".9" clip-path="url(#c)" mask="url(#m)" filter="blur(3px)" transform="rotate(3)">`, 150) + square + strings.Repeat(`</g>`, 150) + `<clipPath id="c"><circle r="900"/></clipPath><mask id="m"><circle r="900" fill="white"/></mask>`,
		"long selectors":    `<style>` + strings.Repeat(strings.Repeat("g ", 7)+"b, ", 200) + `a{}</style>` + strings.Repeat(`<g>`, 190) + strings.Repeat(`<b/>`, 2000) + strings.Repeat(`</g>`, 190),
		"bounding boxes":    strings.Repeat(`<g mask="url(#m)">`, 150) + strings.Repeat(`<rect width="9" height="9"/>`, 5000) + strings.Repeat(`</g>`, 150) + `<mask id="m"><rect width="9" height="9"/></mask>`,
		"styles of markers": strings.Repeat(`<g fill="red">`, 150) + `<marker id="m"><rect/></marker>` + strings.Repeat(`</g>`, 150) + path + `marker-mid="url(#m)"/>`,
		"text on a path":    `<path id="t" d="M0 0` + strings.Repeat("q9 9 9-9", 3000) + `"/>` + strings.Repeat(`<text><textPath href="#t">`+strings.Repeat("word ", 1000)+`</textPath></text>`, 20),
	}
}

func TestHostileDocumentsAreDrawnOrRefused(t *testing.T) {
	for name, inside := range hostile() {
		t.Run(name, func(t *testing.T) {
			if name == "markers on markers" && !soak.Whole() {
				t.Skip("it takes as much work as a picture may: seconds")
			}
			_, err := picture.Draw([]byte(`<svg width="1000" height="1000">`+inside+`</svg>`), picture.Options{})
			if err != nil && !strings.Contains(err.Error(), "too much") {
				t.Error(err)
			}
		})
	}
}
