// Package draw builds the drawings that domains show: SVG pages with texts that fit their place, and answers and exports of them.
package draw

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Page returns an SVG document that shows an area with what is drawn on it.
func Page(area geom.Rect, background, drawn string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="%s %s %[1]s %[2]s" font-family="Helvetica, Arial, sans-serif">`, Num(area.W), Num(area.H), Num(area.X), Num(area.Y))
	Rect(&b, area, `fill="`+background+`"`)
	b.WriteString(drawn)
	b.WriteString("</svg>")
	return b.String()
}

// Rect draws a rectangle with attributes such as fill="#ffffff".
func Rect(b *strings.Builder, r geom.Rect, attributes string) {
	fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" %s/>`, Num(r.X), Num(r.Y), Num(r.W), Num(r.H), attributes)
}

// Num prints a coordinate.
func Num(x float64) string { return value.FormatRounded(x, 2) }

// Font is how a text is drawn.
type Font struct {
	Size   float64 // in pixels
	Anchor string  // where the position is: middle or end; "" for the start
	Fill   string
	Bold   bool
}

// Text draws a text on one line.
func (f Font) Text(b *strings.Builder, x, y float64, s string) {
	if s == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s" fill="%s"`, Num(x), Num(y), Num(f.Size), f.Fill)
	if f.Anchor != "" {
		fmt.Fprintf(b, ` text-anchor="%s"`, f.Anchor)
	}
	if f.Bold {
		b.WriteString(` font-weight="bold"`)
	}
	fmt.Fprintf(b, `>%s</text>`, xmltree.EscapeText(s))
}

// Width returns how wide a text is drawn.
func (f Font) Width(s string) (w float64) {
	for _, r := range s {
		w += picture.Advance(r, f.Bold)
	}
	return w * f.Size
}

// Fit returns a text that is at most so wide: it ends with … if it had to be cut.
func (f Font) Fit(s string, width float64) string {
	if f.Width(s) <= width {
		return s
	}
	left := width - f.Width("…")
	for i, r := range s {
		if left -= picture.Advance(r, f.Bold) * f.Size; left < 0 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// Wrap breaks a line that is wider into rows, between words or within a word that is too wide by itself.
func (f Font) Wrap(line string, width float64) (rows []string) {
	now, used := "", 0.0
	flush := func() {
		rows = append(rows, strings.TrimRight(now, " "))
		now, used = "", 0
	}
	for _, word := range strings.SplitAfter(line, " ") {
		if w := f.Width(strings.TrimRight(word, " ")); now != "" && used+w > width {
			flush()
		}
		for _, r := range word {
			w := picture.Advance(r, f.Bold) * f.Size
			if r != ' ' && now != "" && used+w > width {
				flush()
			}
			now, used = now+string(r), used+w
		}
	}
	flush()
	return rows
}

// Drawing is an SVG document and what a query says about it.
type Drawing struct {
	SVG   string
	Text  string
	Areas []abi.Area // where the elements are
}

// Answer answers a query that draws, and has the keys width:N and format:png|svg.
func (d Drawing) Answer(a pdk.Args) (abi.QueryResponse, error) {
	a, note := a.AtMost("width", picture.Side)
	width, err := a.Int("width", 0, 16, picture.Side)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	svg, err := a.WantsSVG()
	if err != nil {
		return abi.QueryResponse{}, err
	}
	if svg {
		return abi.QueryResponse{Text: d.Text, Content: []abi.Content{{MIME: "image/svg+xml", Data: []byte(d.SVG)}}, Areas: d.Areas[:min(len(d.Areas), abi.MaxAreas)]}, nil
	}
	drawn, err := picture.Preview([]byte(d.SVG), width)
	if err != nil {
		return abi.QueryResponse{}, pdk.Errorf("%v", err)
	}
	return abi.QueryResponse{Text: d.Text + note, Content: []abi.Content{{MIME: "image/png", Data: drawn}}}, nil
}

// Formats are exports of a drawing as SVG and as PNG. what names it: "the board".
func Formats[M any](what string, svg func(M) string) []pdk.Format[M] {
	return []pdk.Format[M]{
		{Format: abi.Format{Name: "svg", Extension: ".svg", MIME: "image/svg+xml", Summary: what + " as a picture"}, Write: func(m M, _ pdk.Args) ([]byte, error) { return []byte(svg(m)), nil }},
		{Format: abi.Format{Name: "png", Extension: ".png", MIME: "image/png", Summary: "the same picture as a PNG, width:N"}, Params: []string{"width"}, Write: func(m M, a pdk.Args) ([]byte, error) {
			width, err := a.Int("width", 0, 16, picture.MaxWidth)
			if err != nil {
				return nil, err
			}
			out, err := picture.PNG([]byte(svg(m)), width)
			if err != nil {
				return nil, pdk.Errorf("%v", err)
			}
			return out, nil
		}},
	}
}
