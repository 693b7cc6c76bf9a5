package stencil

import (
	"math"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/canvas"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/script"
)

type (
	value = script.Value
	args  []script.Value
)

func (a args) num(i int) float64 { return script.Number(script.Arg(a, i)) }

func (a args) text(i int) string {
	if v := script.Arg(a, i); v != nil {
		return script.String(v)
	}
	return ""
}

func (a args) true(i int) bool { return script.True(script.Arg(a, i)) }

// constants holds the members of mxConstants that shapes use.
var constants = map[string]string{
	"STYLE_STROKECOLOR": "strokeColor", "STYLE_FILLCOLOR": "fillColor", "STYLE_FONTSIZE": "fontSize", "STYLE_STROKEWIDTH": "strokeWidth",
	"STYLE_FONTCOLOR": "fontColor", "STYLE_TEXTCOLOR": "textColor", "STYLE_DASHED": "dashed", "STYLE_POINTER_EVENTS": "pointerEvents", "STYLE_ROUNDED": "rounded",
	"STYLE_DIRECTION": "direction", "STYLE_GRADIENTCOLOR": "gradientColor", "STYLE_OPACITY": "opacity", "STYLE_ARCSIZE": "arcSize", "STYLE_STARTSIZE": "startSize",
	"ALIGN_LEFT": "left", "ALIGN_CENTER": "center", "ALIGN_RIGHT": "right", "ALIGN_TOP": "top", "ALIGN_MIDDLE": "middle", "ALIGN_BOTTOM": "bottom",
	"DIRECTION_NORTH": "north", "DIRECTION_SOUTH": "south", "DIRECTION_EAST": "east", "DIRECTION_WEST": "west", "NONE": "none", "DEFAULT_FONTFAMILY": "Helvetica",
	"SHAPE_CYLINDER": "cylinder",
}

// globals returns the global names of programs.
func (p *Programs) globals() map[string]value {
	do := func(f func(a args) value) value {
		return script.NewFunc(func(_ value, list []value) value { return f(list) })
	}
	one := func(f func(float64) float64) value { return do(func(a args) value { return f(a.num(0)) }) }
	many := func(start float64, f func(a, b float64) float64) value {
		return do(func(a args) value {
			out := start
			for i := range a {
				out = f(out, a.num(i))
			}
			return out
		})
	}
	consts := map[string]value{"FONT_BOLD": 1.0, "FONT_ITALIC": 2.0, "FONT_UNDERLINE": 4.0, "RECTANGLE_ROUNDING_FACTOR": 0.15, "LINE_ARCSIZE": 20.0, "DEFAULT_FONTSIZE": 12.0, "LINE_HEIGHT": 1.2}
	for k, v := range constants {
		consts[k] = v
	}
	renderer := script.NewObject(map[string]value{"registerShape": do(func(a args) value {
		if f, ok := script.Arg(a, 1).(*script.Object); ok {
			p.shapes[a.text(0)] = f
		}
		return nil
	})})
	renderer.Props["prototype"] = script.NewObject(map[string]value{"getShape": do(func(a args) value {
		if f := p.shape(a.text(0)); f != nil {
			return f
		}
		return nil
	})})
	return map[string]value{
		"Math": script.NewObject(map[string]value{"PI": math.Pi, "min": many(math.Inf(1), math.Min), "max": many(math.Inf(-1), math.Max), "abs": one(math.Abs), "sqrt": one(math.Sqrt),
			"floor": one(math.Floor), "ceil": one(math.Ceil), "round": one(func(f float64) float64 { return math.Floor(f + 0.5) }), "sin": one(math.Sin), "cos": one(math.Cos), "tan": one(math.Tan),
			"atan": one(math.Atan), "asin": one(math.Asin), "acos": one(math.Acos), "pow": do(func(a args) value { return math.Pow(a.num(0), a.num(1)) }),
			"atan2": do(func(a args) value { return math.Atan2(a.num(0), a.num(1)) })}),
		"parseFloat":  do(func(a args) value { return a.num(0) }),
		"parseInt":    do(func(a args) value { return math.Trunc(a.num(0)) }),
		"Number":      do(func(a args) value { return a.num(0) }),
		"isNaN":       do(func(a args) value { return math.IsNaN(a.num(0)) }),
		"Array":       do(func(args) value { return script.NewArray() }),
		"String":      script.NewObject(map[string]value{"fromCharCode": do(func(a args) value { return string(rune(a.num(0))) })}),
		"JSON":        script.NewObject(map[string]value{"parse": do(func(a args) value { return script.JSON(a.text(0)) })}),
		"mxConstants": script.NewObject(consts),
		"mxUtils": script.NewObject(map[string]value{
			"getValue": do(func(a args) value {
				if o, ok := script.Arg(a, 0).(*script.Object); ok {
					if v := o.Get(a.text(1)); v != nil {
						return v
					}
				}
				return script.Arg(a, 2)
			}),
			"getSizeForString": do(func(a args) value {
				size := a.num(1)
				if !(size > 0 && size < 1000) {
					size = 12
				}
				return script.NewObject(map[string]value{"width": p.Width(a.text(0), size, false), "height": size * 1.2})
			}),
		}),
		"mxCellRenderer":    renderer,
		"mxMarker":          script.NewObject(map[string]value{"addMarker": do(func(args) value { return nil })}),
		"Graph":             script.NewObject(map[string]value{"handleFactory": script.NewObject(nil)}),
		"mxStencilRegistry": script.NewObject(map[string]value{"getStencil": do(p.registered)}),
	}
}

// registered returns a stencil as an object that programs can draw.
func (p *Programs) registered(a args) value {
	s, ok := Find(a.text(0))
	if !ok {
		return nil
	}
	return script.NewObject(map[string]value{"w0": s.W, "h0": s.H, "drawShape": script.NewFunc(func(_ value, list []value) value {
		a := args(list)
		s.Draw(p.canvas, a.num(2), a.num(3), a.num(4), a.num(5), p.own)
		return nil
	})})
}

// brush returns the canvas as an object for programs.
func (p *Programs) brush() *script.Object {
	c := p.canvas
	o := script.NewObject(nil)
	color := func(a args, usual string) string {
		if s := a.text(0); s != "" {
			return canvas.Color(s, usual)
		}
		return "none"
	}
	for name, f := range map[string]func(a args){
		"begin":          func(args) { c.Begin() },
		"end":            func(args) {},
		"close":          func(args) { c.Close() },
		"moveTo":         func(a args) { c.MoveTo(a.num(0), a.num(1)) },
		"lineTo":         func(a args) { c.LineTo(a.num(0), a.num(1)) },
		"quadTo":         func(a args) { c.QuadTo(a.num(0), a.num(1), a.num(2), a.num(3)) },
		"curveTo":        func(a args) { c.CurveTo(a.num(0), a.num(1), a.num(2), a.num(3), a.num(4), a.num(5)) },
		"arcTo":          func(a args) { c.ArcTo(a.num(0), a.num(1), a.num(2), a.true(3), a.true(4), a.num(5), a.num(6)) },
		"rect":           func(a args) { c.Rect(a.num(0), a.num(1), a.num(2), a.num(3)) },
		"roundrect":      func(a args) { c.RoundRect(a.num(0), a.num(1), a.num(2), a.num(3), a.num(4), a.num(5)) },
		"ellipse":        func(a args) { c.Ellipse(a.num(0), a.num(1), a.num(2), a.num(3)) },
		"stroke":         func(args) { c.Paint(false, true) },
		"fill":           func(args) { c.Paint(true, false) },
		"fillAndStroke":  func(args) { c.Paint(true, true) },
		"save":           func(args) { c.Save() },
		"restore":        func(args) { c.Restore() },
		"translate":      func(a args) { c.Translate(a.num(0), a.num(1)) },
		"scale":          func(a args) { c.Scale(a.num(0)) },
		"rotate":         func(a args) { c.Rotate(a.num(0), a.true(1), a.true(2), a.num(3), a.num(4)) },
		"setFillColor":   func(a args) { c.Fill = color(a, "#ffffff") },
		"setStrokeColor": func(a args) { c.Stroke = color(a, "#000000") },
		"setFontColor":   func(a args) { c.FontColor = color(a, "#000000") },
		"setGradient": func(a args) {
			from, to := canvas.Color(a.text(0), "#ffffff"), canvas.Color(a.text(1), "#ffffff")
			if c.Fill = from; from != to && from != "none" && to != "none" && c.Gradient != nil {
				c.Fill = c.Gradient(from, to, a.text(6))
			}
		},
		"setStrokeWidth": func(a args) { c.Width = a.num(0) },
		"setShadow":      func(a args) { c.Shadow = a.true(0) && c.Shadow },
		"setAlpha":       func(a args) { c.Alpha = a.num(0) },
		"setFillAlpha":   func(a args) { c.FillAlpha = a.num(0) },
		"setStrokeAlpha": func(a args) { c.StrokeAlpha = a.num(0) },
		"setDashed":      func(a args) { c.Dashed, c.FixedDash = a.text(0) == "1" || a.text(0) == "true", a.true(1) },
		"setDashPattern": func(a args) { c.Pattern = a.text(0) },
		"setLineCap":     func(a args) { c.Cap = a.text(0) },
		"setLineJoin":    func(a args) { c.Join = a.text(0) },
		"setMiterLimit":  func(a args) { c.Miter = a.num(0) },
		"setFontSize":    func(a args) { c.FontSize = a.num(0) },
		"setFontStyle":   func(a args) { c.FontStyle = int(a.num(0)) },
		"setFontFamily":  func(args) {},
		"text": func(a args) {
			c.Set(canvas.Text{X: a.num(0), Y: a.num(1), W: a.num(2), H: a.num(3), Text: a.text(4), Align: a.text(5), Valign: a.text(6), Wrap: a.true(7), HTML: a.text(8) == "html", Angle: a.num(11)})
		},
	} {
		o.Props[name] = script.NewFunc(func(_ value, list []value) value { f(list); return nil })
	}
	o.Props["state"] = script.NewObject(map[string]value{"strokeColor": c.Stroke, "fillColor": c.Fill, "strokeWidth": c.Width, "dashed": c.Dashed})
	return o
}
