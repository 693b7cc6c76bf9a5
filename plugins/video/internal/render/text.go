package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/picture/draw"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// Style is the style of a text. Lengths are in thousandths of the picture's shorter side.
type Style struct {
	Name  string
	About string

	size   int
	bold   bool
	color  string // with its opacity
	anchor string
	wide   int // maximum width of a line, in percent of the picture's
	edge   int // width of the outline
	shadow int
	panel  string // color and opacity of the panel behind the text, "" for none
	full   bool   // the panel covers the whole picture
	bar    string // color of a bar beside the text
	second int    // size of the lines after the first in percent, in a regular font; 0 if all are alike
	rolls  bool   // the text moves from below to above the picture
	fade   int    // length of a fade in milliseconds
}

// Styles returns the styles of texts; the first is the default.
func Styles() []Style {
	return []Style{
		{Name: "title", About: "large in the middle", size: 110, bold: true, color: "0xFFFFFF", anchor: "center", wide: 86, edge: 4, shadow: 5, fade: 400},
		{Name: "title-card", About: "large in the middle, the picture darkened", size: 130, bold: true, color: "0xFFFFFF", anchor: "center", wide: 80, panel: "0x000000@0.6", full: true, fade: 500},
		{Name: "lower-third", About: "on a panel at the lower left; the first line is a name", size: 58, bold: true, color: "0xFFFFFF", anchor: "bottom-left", wide: 60, panel: "0x101418@0.78", bar: "0xFFB000", second: 72, fade: 300},
		{Name: "caption", About: "what is said, at the bottom", size: 52, color: "0xFFFFFF", anchor: "bottom", wide: 84, edge: 5},
		{Name: "heading", About: "at the top", size: 76, bold: true, color: "0xFFFFFF", anchor: "top", wide: 90, edge: 3, shadow: 4, fade: 300},
		{Name: "note", About: "on a panel at the top right", size: 44, color: "0xFFFFFF", anchor: "top-right", wide: 50, panel: "0x101418@0.7", fade: 250},
		{Name: "watermark", About: "small and faint at the lower right", size: 34, bold: true, color: "0xFFFFFF@0.7", anchor: "bottom-right", wide: 50, shadow: 2},
		{Name: "credits", About: "rolls from below to above", size: 56, color: "0xFFFFFF", anchor: "center", wide: 80, edge: 3, rolls: true},
	}
}

// styleNamed returns a style by its name: the first for "", a zero one for an unknown name.
func styleNamed(name string) Style {
	all := Styles()
	if name == "" {
		return all[0]
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return Style{}
}

// row is a line of a laid-out text.
type row struct {
	text  string
	size  int // pixels
	bold  bool
	width float64
}

// textBlock is a laid-out text: its rows, and its size including the panel's padding.
type textBlock struct {
	style         Style
	rows          []row
	pad, bar      int
	width, height int
}

const leading = 1.22 // distance of rows, in font sizes

// layOut breaks a text into rows.
func (p *Project) layOut(t *Text) textBlock {
	s := styleNamed(t.Style)
	short := min(p.Width, p.Height)
	size := t.Size
	if size == 0 {
		size = max(short*s.size/1000, 8)
	}
	k := textBlock{style: s}
	if s.panel != "" && !s.full {
		k.pad = max(size*4/10, 2)
	}
	if s.bar != "" {
		k.bar = max(size/7, 2)
	}
	most := float64(p.Width*s.wide)/100 - float64(2*k.pad+k.bar)
	width, height := 0.0, 0.0
	for i, line := range strings.Split(cleanText(t.Text), "\n") {
		r := row{size: size, bold: s.bold}
		if i > 0 && s.second > 0 {
			r.size, r.bold = max(size*s.second/100, 6), false
		}
		font := draw.Font{Size: float64(r.size), Bold: r.bold}
		for _, text := range font.Wrap(line, most) {
			r.text, r.width = text, font.Width(text)
			k.rows = append(k.rows, r)
			width, height = max(width, r.width), height+leading*float64(r.size)
		}
	}
	k.width, k.height = int(width+0.999)+2*k.pad+k.bar, int(height+0.999)+2*k.pad
	return k
}

// Extent returns the upper left corner and the size of a text in pixels of the project. Parts outside of the picture
// are not seen. Credits, which move, are measured in the middle of their way.
func (p *Project) Extent(t *Text) (x, y, width, height int) {
	k := p.layOut(t)
	x, y = p.corner(t, &k)
	return x, y, k.width, k.height
}

// corner returns the upper left corner of a text block.
func (p *Project) corner(t *Text, k *textBlock) (x, y int) {
	return t.Place.pixels(k.style.anchor, p.Width, p.Height, k.width, k.height, p.margin())
}

// edge returns the width of the outline in pixels.
func (p *Project) edge(s Style) int {
	if s.edge == 0 {
		return 0
	}
	return max(min(p.Width, p.Height)*s.edge/1000, 1)
}

// FadesOrRolls reports whether a text of this style, and with this Text.Fade, changes while it is shown.
func FadesOrRolls(style string, fade int) bool {
	s := styleNamed(style)
	return s.rolls || fade > 0 || fade == 0 && s.fade > 0
}

// whole returns for how many frames the text fades and rolls, also before and after it is shown.
func (t *Text) whole() int { return t.Frames + t.Cut.Before + t.Cut.After }

// fade returns the length of the fade-in and the fade-out in frames.
func (p *Project) fade(t *Text, k *textBlock) int {
	fade := t.Fade
	switch {
	case fade < 0:
		return 0
	case fade == 0:
		fade = int(int64(k.style.fade) * p.FPS.Num / p.FPS.Den / 1000)
	}
	return min(fade, t.whole()/2)
}

// cleanText removes everything but printable characters, spaces and line breaks.
func cleanText(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// texts draws the texts over a picture.
func (b *build) texts(base string) string {
	var drawn []string
	draw := func() {
		if len(drawn) > 0 {
			base = b.chain("v", strings.Join(drawn, ","), base)
		}
		drawn = nil
	}
	for i := range b.p.Texts {
		t := &b.p.Texts[i]
		k := b.p.layOut(t)
		x, y := b.p.corner(t, &k)
		fade := b.p.fade(t, &k)
		if k.style.panel != "" {
			draw()
			base = b.panel(base, t, &k, x, y, fade)
		}
		drawn = append(drawn, b.rows(t, &k, x, y, fade)...)
	}
	draw()
	return base
}

// panel draws the panel behind a text over a picture.
func (b *build) panel(base string, t *Text, k *textBlock, x, y, fade int) string {
	w, h := k.width, k.height
	if k.style.full {
		x, y, w, h = 0, 0, b.p.Width, b.p.Height
	}
	f := []string{fmt.Sprintf("color=c=%s:s=%dx%d:r=%s", k.style.panel, max(w, 2), max(h, 2), b.p.FPS), "format=yuva420p", fmt.Sprintf("trim=end_frame=%d", t.Frames)}
	if k.bar > 0 {
		f = append(f, fmt.Sprintf("drawbox=x=0:y=0:w=%d:h=ih:color=%s@1:t=fill:replace=1", k.bar, k.style.bar))
	}
	f = append(f, b.fades(fade, fade, t.Cut, t.Frames, true)...)
	f = append(f, "settb="+b.p.timeBase(), fmt.Sprintf("setpts=N+(%d)", t.From))
	over := b.chain("v", strings.Join(f, ","))
	return b.chain("v", fmt.Sprintf("overlay=x=%d:y=%d:eof_action=pass", x, y), base, over)
}

// rows returns the filters that draw a text. Each row has its own, because centered rows are placed one by one.
func (b *build) rows(t *Text, k *textBlock, x, y, fade int) (filters []string) {
	s := k.style
	short := min(b.p.Width, b.p.Height)
	baseline := float64(y + k.pad)
	for _, r := range k.rows {
		room := leading * float64(r.size)
		base := baseline + room/2 + float64(r.size)*(picture.Ascent-picture.Descent)/2
		baseline += room
		if strings.TrimSpace(r.text) == "" {
			continue
		}
		left := fmt.Sprint(x + k.bar + k.pad)
		if k.bar == 0 {
			left = fmt.Sprintf("%s-text_w/2", number(float64(x)+float64(k.width)/2))
		}
		top := fmt.Sprintf("%d-ascent", int(base+0.5))
		if s.rolls {
			// From just below the picture to just above it.
			top = fmt.Sprintf("%d-ascent+(%d)-(n-(%d))*%d/%d", int(base+0.5), b.p.Height-y, t.From-t.Cut.Before, b.p.Height+k.height, t.whole())
		}
		color := s.color
		if t.Color != "" {
			color = "0x" + strings.ToUpper(t.Color[1:])
		}
		f := []string{
			"fontfile=" + b.font(r), "textfile=" + b.textFile(r.text), "expansion=none",
			fmt.Sprintf("fontsize=%d", r.size), "fontcolor=" + color, "x=" + left, "y=" + top,
		}
		if edge := b.p.edge(s); edge > 0 {
			f = append(f, fmt.Sprintf("borderw=%d:bordercolor=0x000000@0.85", edge))
		}
		if s.shadow > 0 {
			d := max(short*s.shadow/1000, 1)
			f = append(f, fmt.Sprintf("shadowx=%d:shadowy=%d:shadowcolor=0x000000@0.5", d, d))
		}
		if fade > 0 {
			f = append(f, fmt.Sprintf(`alpha='clip(min((n-(%d))/%d,(%d-n)/%d),0,1)'`, t.From-t.Cut.Before-1, fade+1, t.From+t.Frames+t.Cut.After, fade+1))
		}
		f = append(f, fmt.Sprintf("enable='between(n,%d,%d)'", t.From, t.From+t.Frames-1))
		filters = append(filters, "drawtext="+strings.Join(f, ":"))
	}
	return filters
}

// font returns the font of a row. It is one of ours, which are sent along, so that texts look the same wherever they
// are rendered, even where no fonts are installed. For characters that ours lack, fontconfig looks for a system font
// that has them; if there is none, ffmpeg fails and says so.
func (b *build) font(r row) string {
	var lacks []string
	for _, letter := range r.text {
		if code := strconv.FormatInt(int64(letter), 16); letter != ' ' && !picture.Holds(letter, r.bold) && !slices.Contains(lacks, code) && len(lacks) < 16 {
			lacks = append(lacks, code)
		}
	}
	if lacks != nil {
		// Color fonts come in one size, which drawtext cannot scale.
		return `'\:color=false\:scalable=true\:charset=` + strings.Join(lacks, " ") + `'`
	}
	return b.fontFile(r.bold)
}

// fontFile adds one of our fonts to the files and returns its name.
func (b *build) fontFile(bold bool) string {
	i, f := 0, File{"regular.ttf", goregular.TTF}
	if bold {
		i, f = 1, File{"bold.ttf", gobold.TTF}
	}
	if !b.fonts[i] {
		b.fonts[i] = true
		b.files = append(b.files, f)
	}
	return f.Name
}

// textFile adds a text to the files and returns its name.
func (b *build) textFile(text string) string {
	name := fmt.Sprintf("text%d.txt", len(b.files))
	b.files = append(b.files, File{name, []byte(text)})
	return name
}
