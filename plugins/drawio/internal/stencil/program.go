package stencil

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/canvas"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/script"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

//go:embed prelude.js
var prelude string

// maxSteps limits the steps for drawing a shape. Most shapes take up to a thousand.
const maxSteps = 300_000

// Programs draws the shapes that are programs.
type Programs struct {
	// Width returns the width of a text.
	Width func(text string, size float64, bold bool) float64

	lock    sync.Mutex
	machine *script.Machine
	shapes  map[string]*script.Object // constructors
	files   map[string]string         // by shape: the file that registers it
	read    map[string]bool
	canvas  *canvas.Canvas // the canvas being drawn on
	own     float64        // line width of the shape
}

// Common is the library with code that the others use.
const Common = "common"

// Load runs a source, which registers shapes.
func (p *Programs) Load(src string) error {
	p.start()
	p.machine.Steps = 10 * maxSteps
	return p.machine.Run(src)
}

// Names lists the shapes that were loaded.
func (p *Programs) Names() []string {
	var out []string
	for n := range p.shapes {
		out = append(out, n)
	}
	return out
}

// start creates the machine that runs programs.
func (p *Programs) start() {
	if p.machine != nil {
		return
	}
	p.shapes, p.read = map[string]*script.Object{}, map[string]bool{}
	p.machine = script.New(p.globals())
	p.machine.Steps = maxSteps
	if err := p.machine.Run(prelude); err != nil {
		panic(err) // it is embedded
	}
}

// shape returns the constructor of a shape, and loads its file if necessary; nil if there is none.
func (p *Programs) shape(name string) *script.Object {
	if p.files == nil {
		p.files = map[string]string{}
		for line := range strings.SplitSeq(unpack("programs"), "\n") {
			file, names, _ := strings.Cut(line, " ")
			for n := range strings.FieldsSeq(names) {
				p.files[n] = file
			}
		}
	}
	file, ok := p.files[name]
	if older, is := strings.CutSuffix(name, "2"); !ok && is { // newer versions of draw.io have a second version of some shapes
		if file, ok = p.files[older]; ok {
			name = older
		}
	}
	if made := p.shapes[name]; made != nil || !ok {
		return made
	}
	p.start()
	left := p.machine.Steps
	for _, f := range []string{"program." + Common, file} {
		if p.read[f] {
			continue
		}
		p.read[f] = true
		if err := p.Load(unpack(f)); err != nil {
			panic(err) // cannot happen: gen has run it
		}
	}
	p.machine.Steps = left
	return p.shapes[name]
}

// Has reports whether a shape has a program.
func (p *Programs) Has(name string) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.shape(name) != nil
}

// Paint draws a shape that is a program in a box at 0,0, and reports whether there is such a shape.
func (p *Programs) Paint(c *canvas.Canvas, name string, l style.Map, w, h float64) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	made := p.make(name, l, w, h)
	if made == nil {
		return false
	}
	p.canvas, p.own = c, c.Width
	c.Drawn = false
	p.machine.Steps = maxSteps
	err := p.machine.Do(func() { made.Method("paintVertexShape", p.brush(), 0.0, 0.0, w, h) })
	return err == nil || c.Drawn
}

// Margins returns the space that a shape keeps free of its label: left, top, right, bottom. ok is false if the shape is
// not a program.
func (p *Programs) Margins(name string, l style.Map, w, h float64) (margins [4]float64, ok bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	made := p.make(name, l, w, h)
	if made == nil {
		return margins, false
	}
	p.machine.Steps = maxSteps
	err := p.machine.Do(func() {
		rect := rectangle(0, 0, w, h)
		v, _ := made.Method("getLabelMargins", rect)
		if m, is := v.(*script.Object); is {
			for i, k := range []string{"x", "y", "width", "height"} {
				margins[i] = script.Number(m.Get(k))
			}
			ok = true
			return
		}
		v, _ = made.Method("getLabelBounds", rect)
		if b, is := v.(*script.Object); is && b != rect {
			x, y := script.Number(b.Get("x")), script.Number(b.Get("y"))
			margins = [4]float64{x, y, w - x - script.Number(b.Get("width")), h - y - script.Number(b.Get("height"))}
			ok = true
		}
	})
	for _, m := range margins {
		ok = ok && math.Abs(m) < 1e5
	}
	return margins, ok && err == nil
}

func rectangle(x, y, w, h float64) *script.Object {
	return script.NewObject(map[string]script.Value{"x": x, "y": y, "width": w, "height": h})
}

// make creates a shape as draw.io does before drawing it.
func (p *Programs) make(name string, l style.Map, w, h float64) *script.Object {
	ctor := p.shape(name)
	if ctor == nil {
		return nil
	}
	var made *script.Object
	p.machine.Steps = maxSteps
	if p.machine.Do(func() { made, _ = ctor.New().(*script.Object) }) != nil || made == nil {
		return nil
	}
	look := script.NewObject(nil)
	for k, v := range l {
		look.Props[k] = typedValue(v)
	}
	made.Props["style"] = look
	graph := script.NewObject(map[string]script.Value{"getLabel": script.NewFunc(func(script.Value, []script.Value) script.Value { return nil })})
	made.Props["state"] = script.NewObject(map[string]script.Value{"style": look, "x": 0.0, "y": 0.0, "width": w, "height": h,
		"view": script.NewObject(map[string]script.Value{"graph": graph})})
	made.Props["bounds"] = rectangle(0, 0, w, h)
	made.Props["scale"] = 1.0
	made.Props["fill"], made.Props["stroke"] = typedValue(l["fillColor"]), typedValue(l["strokeColor"])
	made.Props["strokewidth"] = l.Num("strokeWidth", 1)
	made.Props["isRounded"] = l.On("rounded")
	return made
}

// typedValue converts a value of a style as draw.io does: to a number if it is one.
func typedValue(v string) script.Value {
	if f, err := strconv.ParseFloat(v, 64); err == nil && f-f == 0 && !strings.ContainsAny(v, "xXpP_") {
		return f
	}
	return v
}
