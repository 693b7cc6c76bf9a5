package verbs

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// page is the size at which a document is shown.
type page struct {
	value.Dimensions
	unit string // of the file if it is ""
}

// pages is a page with or without a unit: 300x200, 210mmx297mm.
var pages = value.Type[page]{Takes: "WxH, in px or with a unit", Parse: func(s string) (p page, err error) {
	plain := strings.ToLower(s)
	for u := range svgdom.Pixels {
		if u != "" && strings.HasSuffix(plain, u) {
			p.unit, plain = u, strings.ReplaceAll(plain, u, "")
		}
	}
	p.Dimensions, err = size.Parse(plain)
	return p, err
}}

// viewBoxes is a part of the plane.
var viewBoxes = value.Type[vector.Box]{Takes: "X,Y,W,H", Parse: func(s string) (vector.Box, error) {
	f := vector.Numbers(s, 5)
	if len(f) != 4 || f[2] <= 0 || f[3] <= 0 {
		return vector.Box{}, &value.Invalid{Why: "is not X,Y,W,H with a width and height above 0"}
	}
	return vector.Box{X0: f[0], Y0: f[1], X1: f[0] + f[2], Y1: f[1] + f[3]}, nil
}}

// ratios is the start of a preserveAspectRatio.
var ratios = value.Type[string]{Takes: "none|xMidYMid|xMinYMin slice…", Parse: func(s string) (string, error) {
	if s != "none" && !strings.HasPrefix(s, "xM") {
		return "", &value.Invalid{Why: "is not none, xMidYMid, xMinYMax slice or the like", Near: []string{"xMidYMid", "none"}}
	}
	return s, nil
}}

// orNone is a type that also takes the word none, as nil.
func orNone[T any](t value.Type[T]) value.Type[*T] {
	return value.Type[*T]{Takes: t.Takes + "|none", Parse: func(s string) (*T, error) {
		if s == "none" {
			return nil, nil
		}
		v, err := t.Parse(s)
		return &v, err
	}}
}

var (
	pageSize = value.Key[*page]{Name: "size", Type: orNone(pages)}
	viewBox  = value.Key[*vector.Box]{Name: "viewbox", Type: orNone(viewBoxes)}
	aspect   = value.Key[string]{Name: "ratio", Type: ratios}
	room     = [4]value.Key[float64]{{Name: "top", Type: number}, {Name: "right", Type: number}, {Name: "bottom", Type: number}, {Name: "left", Type: number}}
)

func canvasVerb() verb {
	return verb{Run: running(runCanvas), Keys: []pdk.Parameter{pageSize, viewBox, room[0], room[1], room[2], room[3], aspect}, Verb: abi.Verb{
		Syntax: "canvas [size:WxH|none] [viewbox:X,Y,W,H|none] [top:N right:N bottom:N left:N] [ratio:…]", Category: "document",
		Brief:    "canvas [size:WxH|none viewbox:X,Y,W,H|none top:N right: bottom: left: ratio:none|xMidYMid…] · how large it is shown, and which part of the plane; top: adds room there",
		Summary:  "set the display size and the viewBox; size:none leaves the size to the page; top: and the like add room at a side, at the same scale",
		Examples: []string{"canvas size:800x600", "canvas viewbox:0,0,24,24 size:none", "canvas top:48"},
	}}
}

func runCanvas(o *op) error {
	root := o.f.Root
	if len(o.a.Params) == 0 {
		return pdk.Errorf("canvas needs size:WxH, viewbox:X,Y,W,H, or room to add at top:, right:, bottom:, left:; now %s", o.canvasText())
	}
	if b, given := viewBox.Lookup(o.a); b != nil {
		o.viewBox(*b)
	} else if given {
		o.DropAttr(root, "viewBox")
	}
	if p, given := pageSize.Lookup(o.a); p != nil {
		o.resizeCanvas(*p)
	} else if given {
		if !strings.Contains(root.Tag, "viewBox") {
			o.viewBox(o.scene().Canvas())
		}
		o.DropAttr(root, "width")
		o.DropAttr(root, "height")
	}
	if err := o.grow(); err != nil {
		return err
	}
	if v, ok := aspect.Lookup(o.a); ok {
		o.SetAttr(root, "preserveAspectRatio", v)
	}
	o.unchanged = "the canvas is unchanged: " + o.canvasText()
	o.touch(root)
	o.Changed("canvas %s", o.canvasText())
	return nil
}

// resizeCanvas sets the size at which the document is shown: in px, written in the unit
// of the file, or in the unit given.
func (o *op) resizeCanvas(p page) {
	if p.unit != "" {
		o.SetAttr(o.f.Root, "width", model.Num(p.W)+p.unit)
		o.SetAttr(o.f.Root, "height", model.Num(p.H)+p.unit)
		return
	}
	o.extent("width", p.W)
	o.extent("height", p.H)
}

// extent sets the width or height of the document, given in px, in the unit that the
// attribute already has.
func (o *op) extent(key string, px float64) {
	_, unit, _ := svgdom.Split(o.f.Root.Get(key))
	per, ok := svgdom.Pixels[unit]
	if !ok {
		unit, per = "", 1
	}
	o.SetAttr(o.f.Root, key, model.Num(px/per)+unit)
}

// setView makes b the canvas, and sizes the page so that the drawing is shown at the same scale. The page gets the
// proportions of b: it has no strips beside the canvas any more, which setView reports.
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
	b := vector.Box{X0: before.X0 - room[3].Of(o.a), Y0: before.Y0 - room[0].Of(o.a), X1: before.X1 + room[1].Of(o.a), Y1: before.Y1 + room[2].Of(o.a)}
	if b == before {
		return nil
	}
	if b.Width() <= 0 || b.Height() <= 0 {
		return pdk.Errorf("that would leave nothing of the canvas %s", model.Box(before))
	}
	o.setView(b)
	for n := range o.f.Root.All() {
		if c, ok := o.scene().Box(n); ok && n != o.f.Root && n.First == nil && c.Holds(before) && !c.Holds(b) {
			o.Warn("%s covered the canvas and does not cover the added space", o.f.Ref(n))
			break
		}
	}
	return nil
}

func (o *op) canvasText() string { return model.CanvasText(o.scene()) }

func (o *op) viewBox(b vector.Box) {
	was := o.f.Root.Get("viewBox")
	if now, ok := svgdom.ViewBox(o.f.Root); ok && now == b {
		return
	}
	text := model.ViewText(b, model.Num)
	if strings.Contains(was, ",") {
		text = strings.ReplaceAll(text, " ", ",")
	}
	o.SetAttr(o.f.Root, "viewBox", text)
}

// margin is a number of units, or a share of a width.
type margin struct {
	n       float64
	percent bool
}

var margins = value.Type[margin]{Takes: "N|N%", Parse: func(s string) (margin, error) {
	plain, percent := strings.CutSuffix(s, "%")
	n, err := number.Parse(plain)
	return margin{n, percent}, err
}}

var (
	padding  = value.Key[margin]{Name: "padding", Type: margins}
	pageOnly = value.Key[page]{Name: "size", Type: pages}
)

func fitVerb() verb {
	return verb{Run: running(runFit), Keys: []pdk.Parameter{padding, pageOnly}, Verb: abi.Verb{
		Syntax: "fit [REF…|SEL] [padding:N|N%] [size:WxH]", Brief: "fit [REF…|SEL] [padding:N|N% size:WxH] · the canvas to what is drawn", Category: "document",
		Summary:  "fit the canvas to everything that is drawn, or to some elements, with strokes, at the same scale; padding: (a margin on all sides) may be in percent of its width; with size: the page has that size, such as a square icon, and the drawing fills it in its middle",
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
	b, some := model.Boxes(list, o.scene().Painted)
	pad := padding.Of(o.a)
	if pad.percent {
		pad.n *= b.Width() / 100
	}
	b = b.Grow(pad.n, pad.n)
	if !some || b.Width() <= 0 || b.Height() <= 0 {
		return pdk.Errorf("nothing is drawn, so there is nothing to fit the canvas to")
	}
	note := ""
	if p, ok := pageOnly.Lookup(o.a); ok {
		o.viewBox(b.Grow(max(0, b.Height()*p.W/p.H-b.Width())/2, max(0, b.Width()*p.H/p.W-b.Height())/2))
		o.resizeCanvas(p)
	} else if o.setView(b) {
		note = ", in the same proportions now: no strips beside it"
	}
	o.unchanged = "the canvas already fits: " + o.canvasText()
	o.touch(o.f.Root)
	o.Changed("canvas %s%s", o.canvasText(), note)
	return nil
}
