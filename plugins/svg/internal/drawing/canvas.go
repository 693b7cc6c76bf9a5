package drawing

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

func canvasVerb() verb {
	return verb{Run: running(runCanvas), Verb: abi.Verb{
		Name: "canvas", Category: "document",
		Syntax: "canvas [size:WxH|none] [viewbox:X,Y,W,H|none] [top:N right:N bottom:N left:N] [ratio:…]", Brief: "canvas [size:WxH|none viewbox:X,Y,W,H|none top:N right: bottom: left: ratio:none|xMidYMid…] · how large it is shown, and which part of the plane; top: adds room there", Summary: "set the display size and the viewBox; size:none leaves the size to the page; top: and the like add room at a side, at the same scale",
		Params: []abi.Param{{Key: "size", Value: "WxH|none, in px or with a unit: 210mmx297mm"}, {Key: "viewbox", Value: "X,Y,W,H|none"}, {Key: "top", Value: "N"}, {Key: "right", Value: "N"}, {Key: "bottom", Value: "N"}, {Key: "left", Value: "N"},
			{Key: "ratio", Value: "none|xMidYMid|xMinYMin slice…"}},
		Examples: []string{"canvas size:800x600", "canvas viewbox:0,0,24,24 size:none", "canvas top:48"},
	}}
}

func runCanvas(o *op) error {
	root := o.f.Root
	if len(o.a.Params) == 0 {
		return pdk.Errorf("canvas needs size:WxH, viewbox:X,Y,W,H, or room to add at top:, right:, bottom:, left:; now %s", o.canvasText())
	}
	if v, ok := o.a.Param("viewbox"); ok {
		f := vector.Numbers(v, 5)
		switch {
		case v == "none":
			o.DropAttr(root, "viewBox")
		case len(f) != 4 || f[2] <= 0 || f[3] <= 0:
			return pdk.Errorf("viewbox:%s is not X,Y,W,H with a width and height above 0", v)
		default:
			o.viewBox(vector.Box{X0: f[0], Y0: f[1], X1: f[0] + f[2], Y1: f[1] + f[3]})
		}
	}
	if v, ok := o.a.Param("size"); ok {
		if v == "none" {
			if !strings.Contains(root.Tag, "viewBox") {
				o.viewBox(o.scene().Canvas())
			}
			o.DropAttr(root, "width")
			o.DropAttr(root, "height")
		} else {
			if err := o.resizeCanvas(v); err != nil {
				return err
			}
		}
	}
	if err := o.grow(); err != nil {
		return err
	}
	if v, ok := o.a.Param("ratio"); ok {
		if v != "none" && !strings.HasPrefix(v, "xM") {
			return pdk.Errorf("ratio:%s is not none, xMidYMid, xMinYMax slice or the like", v).Instead(v, "xMidYMid", "none")
		}
		o.SetAttr(root, "preserveAspectRatio", v)
	}
	o.unchanged = "the canvas is unchanged: " + o.canvasText()
	o.touch(root)
	o.Changed("canvas %s", o.canvasText())
	return nil
}

// resizeCanvas sets the size at which the document is shown: in px, written in the unit
// of the file, or in the unit given.
func (o *op) resizeCanvas(v string) error {
	w, h, unit, err := canvasSize(v)
	if err != nil {
		return err
	}
	if unit != "" {
		o.SetAttr(o.f.Root, "width", num(w)+unit)
		o.SetAttr(o.f.Root, "height", num(h)+unit)
		return nil
	}
	o.extent("width", w)
	o.extent("height", h)
	return nil
}

// canvasSize reads WxH with or without a unit.
func canvasSize(v string) (w, h float64, unit string, err error) {
	text := strings.ToLower(v)
	for u := range scene.Pixels {
		if u != "" && strings.HasSuffix(text, u) {
			unit, text = u, strings.ReplaceAll(text, u, "")
		}
	}
	w, h, err = size("size", text)
	return w, h, unit, err
}

// extent sets the width or height of the document, given in px, in the unit that the
// attribute already has.
func (o *op) extent(key string, px float64) {
	_, unit, _ := scene.Split(o.f.Root.Get(key))
	per, ok := scene.Pixels[unit]
	if !ok {
		unit, per = "", 1
	}
	o.SetAttr(o.f.Root, key, num(px/per)+unit)
}

// setView makes b the canvas, and sizes the page so that the drawing is shown at the same scale. The page gets the proportions of b:
// it has no strips beside the canvas any more, which setView reports.
func (o *op) setView(b vector.Box) (strips bool) {
	before := o.scene().Canvas()
	w, h := o.scene().Size()
	kx, ky := w/before.Width(), h/before.Height()
	if ratio := o.f.Root.Get("preserveAspectRatio"); !strings.Contains(ratio, "none") {
		strips = math.Abs(kx-ky) > 0.001*math.Max(kx, ky)
		k := math.Min(kx, ky)
		if strings.Contains(ratio, "slice") {
			k = math.Max(kx, ky)
		}
		if strips {
			kx, ky = k, k
		}
	}
	o.viewBox(b)
	if v, ok := o.f.Root.Attr("width"); ok && !strings.HasSuffix(v, "%") {
		o.extent("width", b.Width()*kx)
	}
	if v, ok := o.f.Root.Attr("height"); ok && !strings.HasSuffix(v, "%") {
		o.extent("height", b.Height()*ky)
	}
	return strips
}

// grow adds space at the sides of the canvas. It warns of an element that covered the
// whole canvas and no longer does.
func (o *op) grow() error {
	before := o.scene().Canvas()
	b := before
	for key, side := range map[string]*float64{"top": &b.Y0, "right": &b.X1, "bottom": &b.Y1, "left": &b.X0} {
		n, err := o.numberOf(key, 0)
		if err != nil {
			return err
		}
		if key == "top" || key == "left" {
			n = -n
		}
		*side += n
	}
	if b == before {
		return nil
	}
	if b.Width() <= 0 || b.Height() <= 0 {
		return pdk.Errorf("that would leave nothing of the canvas %s", box(before))
	}
	o.setView(b)
	for n := range o.f.Root.All() {
		if c, ok := o.scene().Box(n); ok && n != o.f.Root && n.First == nil && c.X0 <= before.X0 && c.Y0 <= before.Y0 && c.X1 >= before.X1 && c.Y1 >= before.Y1 && !(c.X0 <= b.X0 && c.Y0 <= b.Y0 && c.X1 >= b.X1 && c.Y1 >= b.Y1) {
			o.Warn("%s covered the canvas and does not cover the added space", o.f.name(n))
			break
		}
	}
	return nil
}

func (o *op) canvasText() string {
	w, h := o.scene().Size()
	return short(w) + "x" + short(h) + " " + viewText(o.scene().Canvas())
}

// viewText prints a viewBox in the form of the digest.
func viewText(b vector.Box) string {
	return "vb:" + short(b.X0) + "," + short(b.Y0) + "," + short(b.Width()) + "," + short(b.Height())
}

func (o *op) viewBox(b vector.Box) {
	sep := " "
	if strings.Contains(o.f.Root.Get("viewBox"), ",") {
		sep = ","
	}
	if now := vector.Numbers(o.f.Root.Get("viewBox"), 4); len(now) == 4 && now[0] == b.X0 && now[1] == b.Y0 && now[2] == b.Width() && now[3] == b.Height() {
		return
	}
	o.SetAttr(o.f.Root, "viewBox", strings.Join([]string{num(b.X0), num(b.Y0), num(b.Width()), num(b.Height())}, sep))
}

func fitVerb() verb {
	return verb{Run: running(runFit), Verb: abi.Verb{
		Name: "fit", Category: "document", Select: true, Max: -1,
		Syntax: "fit [REF…|SEL] [padding:N|N%] [size:WxH]", Brief: "fit [REF…|SEL] [padding:N|N% size:WxH] · the canvas to what is drawn", Summary: "fit the canvas to everything that is drawn, or to some elements, with strokes, at the same scale; padding: (a margin on all sides) may be in percent of its width; with size: the page has that size, such as a square icon, and the drawing fills it in its middle",
		Params:   []abi.Param{{Key: "padding", Value: "N|N%"}, {Key: "size", Value: "WxH, in px or with a unit"}},
		Examples: []string{"fit", "fit padding:10", "fit logo padding:5%", "fit size:256x256"},
	}}
}

func runFit(o *op) error {
	list := []*node{o.f.Root}
	if len(o.a.Positionals) > 0 || len(o.a.Selectors) > 0 {
		var err error
		if list, err = o.all(false); err != nil {
			return err
		}
	}
	b, some := vector.Empty(), false
	for _, n := range list {
		if c, ok := o.scene().Painted(n); ok {
			b, some = b.Union(c), true
		}
	}
	pad, err := o.padding(b.Width())
	if err != nil {
		return err
	}
	b = vector.Box{X0: b.X0 - pad, Y0: b.Y0 - pad, X1: b.X1 + pad, Y1: b.Y1 + pad}
	if !some || b.Width() <= 0 || b.Height() <= 0 {
		return pdk.Errorf("nothing is drawn, so there is nothing to fit the canvas to")
	}
	note := ""
	if page, ok := o.a.Param("size"); ok {
		w, h, _, err := canvasSize(page)
		if err != nil {
			return err
		}
		dx, dy := max(0, b.Height()*w/h-b.Width())/2, max(0, b.Width()*h/w-b.Height())/2
		o.viewBox(vector.Box{X0: b.X0 - dx, Y0: b.Y0 - dy, X1: b.X1 + dx, Y1: b.Y1 + dy})
		if err := o.resizeCanvas(page); err != nil {
			return err
		}
	} else if o.setView(b) {
		note = ", in the same proportions now: no strips beside it"
	}
	o.unchanged = "the canvas already fits: " + o.canvasText()
	o.touch(o.f.Root)
	o.Changed("canvas %s%s", o.canvasText(), note)
	return nil
}

// padding reads padding:, in units of the canvas or in percent of the width of what is drawn.
func (o *op) padding(width float64) (float64, error) {
	share, percent := strings.CutSuffix(o.a.String("padding", ""), "%")
	if !percent {
		return o.numberOf("padding", 0)
	}
	n, ok := number(share)
	if !ok {
		return 0, pdk.Errorf("padding:%s%% is not a number, or percent of the width", share)
	}
	return width * n / 100, nil
}
