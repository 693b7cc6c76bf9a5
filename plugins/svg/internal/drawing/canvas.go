package drawing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

func canvasVerb() verb {
	return verb{Run: running(runCanvas), Verb: abi.Verb{
		Name: "canvas", Category: "document",
		Syntax: "canvas [size:WxH|none] [viewbox:X,Y,W,H|none] [ratio:…]", Brief: "canvas [size:WxH|none viewbox:X,Y,W,H|none ratio:none|xMidYMid…] · how large it is shown, and which part of the plane", Summary: "how large the document is shown, and which part of the plane; size:none lets the page decide",
		Params:   []abi.Param{{Key: "size", Value: "WxH|none"}, {Key: "viewbox", Value: "X,Y,W,H|none"}, {Key: "ratio", Value: "none|xMidYMid|xMinYMin slice…"}},
		Examples: []string{"canvas size:800x600", "canvas viewbox:0,0,24,24 size:none"},
	}}
}

func runCanvas(o *op) error {
	root := o.f.Root
	if len(o.a.Params) == 0 {
		return pdk.Errorf("canvas needs size:WxH or viewbox:X,Y,W,H; now %s", o.canvasText())
	}
	if v, ok := o.a.Param("viewbox"); ok {
		f := vector.Numbers(v, 5)
		switch {
		case v == "none":
			o.DropAttr(root, "viewBox")
		case len(f) != 4 || f[2] <= 0 || f[3] <= 0:
			return pdk.Errorf("viewbox:%s is not X,Y,W,H with sides that are larger than 0", v)
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
			w, h, err := size("size", v)
			if err != nil {
				return err
			}
			o.SetAttr(root, "width", num(w))
			o.SetAttr(root, "height", num(h))
		}
	}
	if v, ok := o.a.Param("ratio"); ok {
		if v != "none" && !strings.HasPrefix(v, "xM") {
			return pdk.Errorf("ratio:%s is not none, xMidYMid, xMinYMax slice or such", v).Instead(v, "xMidYMid", "none")
		}
		o.SetAttr(root, "preserveAspectRatio", v)
	}
	o.already = "the canvas is so already: " + o.canvasText()
	o.touch(root)
	o.Changed("canvas %s", o.canvasText())
	return nil
}

func (o *op) canvasText() string {
	w, h := o.scene().Size()
	return short(w) + "x" + short(h) + " " + viewText(o.scene().Canvas())
}

// viewText prints a part of the plane as the digest has it.
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
		Syntax: "fit [REF…|SEL] [padding:N]", Brief: "fit [REF…|SEL] [padding:] · the canvas to what is drawn", Summary: "make the canvas what is drawn, or what elements take, with strokes",
		Params:   []abi.Param{{Key: "padding", Value: "N"}},
		Examples: []string{"fit", "fit padding:10", "fit logo"},
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
	pad, err := o.numberOf("padding", 0)
	if err != nil {
		return err
	}
	b, some := vector.Empty(), false
	for _, n := range list {
		if c, ok := o.scene().Painted(n); ok {
			b, some = b.Union(c), true
		}
	}
	b = vector.Box{X0: b.X0 - pad, Y0: b.Y0 - pad, X1: b.X1 + pad, Y1: b.Y1 + pad}
	if !some || b.Width() <= 0 || b.Height() <= 0 {
		return pdk.Errorf("there is nothing drawn that the canvas could fit")
	}
	before := o.scene().Canvas()
	w, h := o.scene().Size()
	o.viewBox(b)
	// The scale stays as it was, so that nothing looks larger or smaller.
	_, hasW := o.f.Root.Attr("width")
	_, hasH := o.f.Root.Attr("height")
	if hasW && !strings.HasSuffix(o.f.Root.Get("width"), "%") {
		o.SetAttr(o.f.Root, "width", num(b.Width()*w/before.Width()))
	}
	if hasH && !strings.HasSuffix(o.f.Root.Get("height"), "%") {
		o.SetAttr(o.f.Root, "height", num(b.Height()*h/before.Height()))
	}
	o.already = "the canvas fits already: " + o.canvasText()
	o.touch(o.f.Root)
	o.Changed("canvas %s", o.canvasText())
	return nil
}
