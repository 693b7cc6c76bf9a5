package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/fcp-host/fcp-host/pdk/picture"
)

// Style is how a text looks. Lengths are in thousandths of the picture's shorter side.
type Style struct {
	Name  string
	About string

	size   int
	bold   bool
	color  string // with its opacity
	anchor string
	wide   int // percent of the picture's width that a line may take
	edge   int // outline
	shadow int
	panel  string // colour and opacity of what lies after the text, "" for nothing
	full   bool   // the panel covers the whole picture
	bar    string // colour of a bar beside the text
	second int    // percent of the size that lines after the first have, in a regular font; 0 for all alike
	rolls  bool   // it moves from below to above the picture
	fade   int    // thousandths of a second that it takes to come and to go
}

// Styles lists the styles of texts, the usual one first.
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

// styleNamed is a style of the table, the first for "" and the zero one for what is not there.
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

// row is a line of a text that is set.
type row struct {
	text  string
	size  int // pixels
	bold  bool
	width float64
}

// textBlock is a text that is set: its rows, and the room that they take with the panel's padding.
type textBlock struct {
	style         Style
	rows          []row
	pad, bar      int
	width, height int
}

const leading = 1.22 // from one row to the next, in sizes

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
		for _, text := range wrap(line, most/float64(r.size), r.bold) {
			r.text, r.width = text, advance(text, r.bold)*float64(r.size)
			k.rows = append(k.rows, r)
			width, height = max(width, r.width), height+leading*float64(r.size)
		}
	}
	k.width, k.height = int(width+0.999)+2*k.pad+k.bar, int(height+0.999)+2*k.pad
	return k
}

// Extent is the room that a text takes: the upper left corner and the size, in pixels of the project. What lies beyond the picture is not
// seen. Credits, which move, are told as they lie in the middle.
func (p *Project) Extent(t *Text) (x, y, width, height int) {
	k := p.layOut(t)
	x, y = p.corner(t, &k)
	return x, y, k.width, k.height
}

// corner is where a block lies.
func (p *Project) corner(t *Text, k *textBlock) (x, y int) {
	return t.Place.pixels(k.style.anchor, p.Width, p.Height, k.width, k.height, p.margin())
}

// edge is how many pixels wide the outline of letters is.
func (p *Project) edge(s Style) int {
	if s.edge == 0 {
		return 0
	}
	return max(min(p.Width, p.Height)*s.edge/1000, 1)
}

// fade is how many frames a text takes to come, and to go.
func (p *Project) fade(t *Text, k *textBlock) int {
	fade := t.Fade
	switch {
	case fade < 0:
		return 0
	case fade == 0:
		fade = int(int64(k.style.fade) * p.FPS.Num / p.FPS.Den / 1000)
	}
	return min(fade, t.Frames/2)
}

// cleanText leaves letters, spaces and the ends of lines.
func cleanText(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

func advance(text string, bold bool) (w float64) {
	for _, r := range text {
		w += picture.Advance(r, bold)
	}
	return w
}

// wrap breaks a line where it is wider than most, in sizes: between words, or within one that is too wide by itself.
func wrap(line string, most float64, bold bool) (rows []string) {
	now, width := "", 0.0
	flush := func() {
		rows = append(rows, strings.TrimRight(now, " "))
		now, width = "", 0
	}
	for _, word := range strings.SplitAfter(line, " ") {
		if w := advance(strings.TrimRight(word, " "), bold); now != "" && width+w > most {
			flush()
		}
		for _, r := range word {
			w := picture.Advance(r, bold)
			if r != ' ' && now != "" && width+w > most {
				flush()
			}
			now, width = now+string(r), width+w
		}
	}
	flush()
	return rows
}

// texts writes the texts over a picture.
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

// panel puts what lies after a text over a picture.
func (b *build) panel(base string, t *Text, k *textBlock, x, y, fade int) string {
	w, h := k.width, k.height
	if k.style.full {
		x, y, w, h = 0, 0, b.p.Width, b.p.Height
	}
	f := []string{fmt.Sprintf("color=c=%s:s=%dx%d:r=%s", k.style.panel, max(w, 2), max(h, 2), b.p.FPS), "format=yuva420p", fmt.Sprintf("trim=end_frame=%d", t.Frames)}
	if k.bar > 0 {
		f = append(f, fmt.Sprintf("drawbox=x=0:y=0:w=%d:h=ih:color=%s@1:t=fill:replace=1", k.bar, k.style.bar))
	}
	f = append(f, b.fades(fade, fade, t.Frames, true)...)
	f = append(f, "settb="+b.p.timeBase(), fmt.Sprintf("setpts=N+(%d)", t.From))
	over := b.chain("v", strings.Join(f, ","))
	return b.chain("v", fmt.Sprintf("overlay=x=%d:y=%d:eof_action=pass", x, y), base, over)
}

// rows are the filters that write a text, one a row: centred rows have to be placed one by one.
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
			top = fmt.Sprintf("%d-ascent+(%d)-(n-(%d))*%d/%d", int(base+0.5), b.p.Height-y, t.From, b.p.Height+k.height, t.Frames)
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
			f = append(f, fmt.Sprintf(`alpha='clip(min((n-(%d))/%d,(%d-n)/%d),0,1)'`, t.From-1, fade+1, t.From+t.Frames, fade+1))
		}
		f = append(f, fmt.Sprintf("enable='between(n,%d,%d)'", t.From, t.From+t.Frames-1))
		filters = append(filters, "drawtext="+strings.Join(f, ":"))
	}
	return filters
}

// font is the font of a row: one of ours, which travel with the run, so that what is written looks the same wherever it is rendered, and where
// no fonts are installed. Letters that they lack need one of the system's, for which fontconfig looks by these very letters; where there is
// none at all, ffmpeg fails and says so.
func (b *build) font(r row) string {
	var lacks []string
	for _, letter := range r.text {
		if code := strconv.FormatInt(int64(letter), 16); letter != ' ' && !picture.Holds(letter, r.bold) && !slices.Contains(lacks, code) && len(lacks) < 16 {
			lacks = append(lacks, code)
		}
	}
	if lacks != nil {
		// No coloured ones: they come in one size, which drawtext cannot scale.
		return `'\:color=false\:scalable=true\:charset=` + strings.Join(lacks, " ") + `'`
	}
	return b.fontFile(r.bold)
}

// fontFile is the name of one of our fonts among the files.
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

// textFile is the name of a text among the files.
func (b *build) textFile(text string) string {
	name := fmt.Sprintf("text%d.txt", len(b.files))
	b.files = append(b.files, File{name, []byte(text)})
	return name
}
