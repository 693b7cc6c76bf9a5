package outline

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// aliases are stencils that look like a plain shape.
var aliases = invert(map[string]string{
	"": "flowchart.process bootstrap.rect aws4.group aws4.groupCenter basic.rect gcp2.doubleRect ios7.misc.rect mockup.containers.marginRect2 label rectangle " +
		"swimlane2 tableLine rect rect2 sketch kubernetes.frame azure2.group flexArrow2 connector floorplan.wall",
	"pill":             "bootstrap.rrect flowchart.terminator bootstrap.anchor",
	"rhombus":          "flowchart.decision bpmn.gateway2",
	"document":         "flowchart.document flowchart.document2",
	"cylinder3":        "flowchart.database flowchart.direct_data flowchart.stored_data2 cylinder2",
	"parallelogram":    "flowchart.data flowchart.parallel_mode2",
	"ellipse":          "flowchart.start_1 flowchart.start_2 flowchart.on-page_reference basic.ellipse bootstrap.circle2 mockup.graphics.circle",
	"process":          "flowchart.predefined_process process2",
	"manualInput":      "flowchart.manual_input",
	"hexagon":          "flowchart.preparation",
	"delay":            "flowchart.delay",
	"display":          "flowchart.display",
	"offPageConnector": "flowchart.off-page_reference",
	"internalStorage":  "flowchart.internal_storage",
	"card":             "flowchart.card",
	"dataStorage":      "flowchart.stored_data",
	"bpmn":             "bpmn.event bpmn.shape",
	"cloud":            "basic.cloud_callout aws4.internet networks.cloud",
	"cube":             "isoCube",
	"folder":           "package umlPackage",
	"note":             "note2",
	"swimlane":         "table",
	"partialRectangle": "tableRow",
})

// table draws each shape that is known. It is never written to.
var table = map[string]func(kind) Shape{
	"":                 func(k kind) Shape { return body(Box(0, 0, k.w, k.h, k.round())) },
	"pill":             func(k kind) Shape { return body(Box(0, 0, k.w, k.h, min(k.least()/2, 12))) },
	"swimlane":         func(k kind) Shape { return body(Box(0, 0, k.w, k.h, LaneRound(k.Map, k.w, k.h))) },
	"image":            func(k kind) Shape { return loose(body(Box(0, 0, k.w, k.h, 0))) },
	"partialRectangle": func(k kind) Shape { return body(Box(0, 0, k.w, k.h, 0)) },
	"ellipse":          func(k kind) Shape { return body(Ellipse(0, 0, k.w, k.h)) },
	"doubleEllipse":    twice,
	"startState":       func(k kind) Shape { return body(k.state()) },
	"endState":         endState,
	"orEllipse": func(k kind) Shape {
		return body(Ellipse(0, 0, k.w, k.h), lines(0, k.h/2, k.w, k.h/2), lines(k.w/2, 0, k.w/2, k.h))
	},
	"sumEllipse":       crossedOut,
	"bpmn":             bpmn,
	"rhombus":          rhombus,
	"triangle":         func(k kind) Shape { return body(rounded(k.corner(), 0, 0, k.w, k.h/2, 0, k.h)) },
	"hexagon":          func(k kind) Shape { return body(k.hexagon(k.corner())) },
	"parallelogram":    func(k kind) Shape { return body(k.parallelogram(k.corner())) },
	"trapezoid":        func(k kind) Shape { return body(k.trapezoid(k.corner())) },
	"step":             func(k kind) Shape { return body(k.step(k.corner())) },
	"cylinder":         func(k kind) Shape { return store(k, min(40, math.Round(k.h/5))) },
	"datastore":        func(k kind) Shape { return store(k, min(k.h/2, math.Round(k.h/8)+k.Num("strokeWidth", 1)-1)) },
	"cylinder3":        drum,
	"cloud":            cloud,
	"actor":            torso,
	"document":         document,
	"tape":             tape,
	"process":          process,
	"note":             note,
	"card":             card,
	"folder":           folder,
	"cube":             cube,
	"internalStorage":  internalStorage,
	"dataStorage":      dataStorage,
	"delay":            delay,
	"display":          display,
	"manualInput":      manualInput,
	"loopLimit":        loopLimit,
	"offPageConnector": offPage,
	"callout":          callout,
	"or":               func(k kind) Shape { return gate(k, false) },
	"xor":              func(k kind) Shape { return gate(k, true) },
	"cross":            cross,
	"plus": func(k kind) Shape {
		return body(Box(0, 0, k.w, k.h, k.round()), lines(k.w/2, 0, k.w/2, k.h), lines(0, k.h/2, k.w, k.h/2))
	},
	"message":                        func(k kind) Shape { return body(Box(0, 0, k.w, k.h, 0), lines(0, 0, k.w/2, k.h/2, k.w, 0)) },
	"ext":                            framed,
	"component":                      func(k kind) Shape { return jetties(k, 32, 12, 0.3*k.h, 0.7*k.h) },
	"module":                         module,
	"singleArrow":                    func(k kind) Shape { return arrow(k, k.w*k.part("arrowSize", 0.2), k.h*k.part("arrowWidth", 0.3)) },
	"arrow":                          func(k kind) Shape { return arrow(k, k.w*k.part("arrowSize", 0.2), k.h*k.part("arrowWidth", 0.3)) },
	"mxgraph.arrows2.arrow":          func(k kind) Shape { return arrow(k, min(k.w, k.Num("dx", 40)), k.h*(1-k.part("dy", 0.6))) },
	"doubleArrow":                    doubleArrow,
	"mxgraph.infographic.shadedCube": shadedCube,
	"mxgraph.basic.star": func(k kind) Shape {
		return k.scaled(95, 90, 0, 33, 36.4, 33, 47.5, 0, 58.6, 33, 95, 33, 66, 55.1, 77.5, 90, 47.5, 68.4, 17.5, 90, 29, 55.1)
	},
	"mxgraph.basic.4_point_star": func(k kind) Shape {
		return k.scaled(92, 92, 46, 0, 56, 36, 92, 46, 56, 56, 46, 92, 36, 56, 0, 46, 36, 36)
	},
	"mxgraph.basic.6_point_star": func(k kind) Shape {
		return k.scaled(96, 84.5, 23, 28.9, 23, 0, 48, 14.4, 73, 0, 73, 28.9, 96, 42.2, 73, 55.6, 73, 84.5, 48, 70, 23, 84.5, 23, 55.6, 0, 42.2)
	},
	"mxgraph.basic.8_point_star": func(k kind) Shape {
		return k.scaled(96, 96, 28, 28, 28, 0, 48, 20, 68, 0, 68, 28, 96, 28, 76, 48, 96, 68, 68, 68, 68, 96, 48, 76, 28, 96, 28, 68, 0, 68, 20, 48, 0, 28)
	},
	"mxgraph.basic.pentagon": func(k kind) Shape { return k.scaled(97, 90, 18.5, 90, 0, 33, 48.5, 0, 97, 33, 78.5, 90) },
	"mxgraph.basic.octagon": func(k kind) Shape {
		return k.scaled(98, 98, 0, 29, 29, 0, 69, 0, 98, 29, 98, 69, 69, 98, 29, 98, 0, 69)
	},

	// What follows encloses nothing, or only a part of what is drawn.
	"umlActor":    umlActor,
	"umlLifeline": umlLifeline,
	"waypoint": func(k kind) Shape {
		d := max(0, k.Num("size", 6)-2) + 2*k.Num("strokeWidth", 1)
		return loose(body(Ellipse((k.w-d)/2, (k.h-d)/2, d, d)))
	},
	"umlFrame": umlFrame,
	"umlBoundary": func(k kind) Shape {
		return loose(body(Ellipse(k.w/6, 0, k.w*5/6, k.h), lines(0, k.h/4, 0, k.h*3/4), lines(0, k.h/2, k.w/6, k.h/2)))
	},
	"umlEntity": func(k kind) Shape { return body(Ellipse(0, 0, k.w, k.h), lines(k.w/8, k.h, k.w*7/8, k.h)) },
	"umlControl": func(k kind) Shape {
		return loose(body(Ellipse(0, k.h/8, k.w, k.h*7/8), lines(k.w*5/8, 0, k.w*3/8, k.h/8, k.w*5/8, k.h/4)))
	},
	"umlDestroy": func(k kind) Shape {
		return Shape{Lines: []Path{lines(0, 0, k.w, k.h), lines(k.w, 0, 0, k.h)}, Loose: true}
	},
	"line":         func(k kind) Shape { return Shape{Lines: []Path{lines(0, k.h/2, k.w, k.h/2)}, Loose: true} },
	"curlyBracket": curlyBracket,
	"lollipop":     lollipop,
	"providedRequiredInterface": func(k kind) Shape {
		return loose(body(Ellipse(0, 0, k.least(), k.least())))
	},
}

// invert maps each of the words to its key.
func invert(of map[string]string) map[string]string {
	out := map[string]string{}
	for plain, names := range of {
		for _, n := range strings.Fields(names) {
			out[n] = plain
		}
	}
	return out
}

func body(outline Path, over ...Path) Shape { return Shape{Outline: outline, Lines: over} }

func loose(s Shape) Shape {
	s.Loose = true
	return s
}

func (k kind) least() float64 { return min(k.w, k.h) }

// part is a key that is a share of an extent.
func (k kind) part(key string, def float64) float64 { return max(0, min(1, k.Num(key, def))) }

// share is the key size: a share of the extent of, or with fixedSize a length
// up to it.
func (k kind) share(def, fixed, of float64) float64 {
	if v, ok := k.Map["fixedSize"]; ok && v != "0" {
		return max(0, min(of, k.Num("size", fixed)))
	}
	return k.part("size", def) * of
}

// corner is the radius of a polygon's corners.
func (k kind) corner() float64 {
	if !k.On("rounded") {
		return 0
	}
	return k.Num("arcSize", 20) / 2
}

// round is the radius of a box's corners.
func (k kind) round() float64 {
	switch {
	case !k.On("rounded"):
		return 0
	case k.On("absoluteArcSize"):
		return k.Num("arcSize", 20) / 2
	}
	return k.least() * min(50, k.Num("arcSize", 15)) / 100
}

// LaneRound is the radius of the corners of a container with a title.
func LaneRound(l style.Map, w, h float64) float64 {
	k := kind{l, "", w, h}
	if !k.On("rounded") {
		return 0
	}
	title := k.h
	if k.Map["horizontal"] == "0" {
		title = k.w
	}
	return min(k.least()*min(50, k.Num("arcSize", 15))/100, min(k.Num("startSize", 23), title), 12)
}

// scaled is a closed polygon that was drawn in a box of w by h.
func (k kind) scaled(w, h float64, xy ...float64) Shape {
	for i := range xy {
		if i%2 == 0 {
			xy[i] *= k.w / w
		} else {
			xy[i] *= k.h / h
		}
	}
	return body(polygon(xy...))
}

func diamond(x, y, w, h float64) Path { return polygon(x+w/2, y, x+w, y+h/2, x+w/2, y+h, x, y+h/2) }

func rhombus(k kind) Shape {
	s := body(rounded(k.corner(), k.w/2, 0, k.w, k.h/2, k.w/2, k.h, 0, k.h/2))
	if k.On("double") {
		d := 2*k.gap() + k.Num("margin", 0)
		s.Parts = []Path{diamond(d, d, max(0, k.w-2*d), max(0, k.h-2*d))}
	}
	return s
}

func bpmn(k kind) Shape {
	if strings.Contains(k.Map["outline"]+k.Map["perimeter"], "rhombus") || k.Map["background"] == "gateway" {
		return body(diamond(0, 0, k.w, k.h))
	}
	return body(Ellipse(0, 0, k.w, k.h))
}

// state is the disc in a circle that stands for the start or the end of a process.
func (k kind) state() Path {
	d := min(4, k.least()/5)
	return Ellipse(d, d, k.w-2*d, k.h-2*d)
}

func twice(k kind) Shape {
	d := min(4, k.least()/5)
	s := body(Ellipse(0, 0, k.w, k.h))
	s.Parts = []Path{Ellipse(d, d, k.w-2*d, k.h-2*d)}
	return s
}

// endState is filled within a ring that is not.
func endState(k kind) Shape {
	return Shape{Parts: []Path{k.state()}, Lines: []Path{Ellipse(0, 0, k.w, k.h)}, Loose: true}
}

// gap is what draw.io leaves between two lines of a shape.
func (k kind) gap() float64 { return max(2, k.Num("strokeWidth", 1)+1) }

func framed(k kind) Shape {
	s := body(Box(0, 0, k.w, k.h, k.round()))
	if k.On("double") {
		d := k.gap() + k.Num("margin", 0)
		s.Parts = []Path{Box(d, d, max(0, k.w-2*d), max(0, k.h-2*d), k.round())}
	}
	return s
}

func crossedOut(k kind) Shape {
	const s = math.Sqrt2 / 4
	x0, x1, y0, y1 := k.w*(0.5-s), k.w*(0.5+s), k.h*(0.5-s), k.h*(0.5+s)
	return body(Ellipse(0, 0, k.w, k.h), lines(x0, y0, x1, y1), lines(x1, y0, x0, y1))
}

func (k kind) hexagon(r float64) Path {
	s := min(k.w/2, k.share(0.25, 20, k.w))
	return rounded(r, s, 0, k.w-s, 0, k.w, k.h/2, k.w-s, k.h, s, k.h, 0, k.h/2)
}

func (k kind) parallelogram(r float64) Path {
	s := k.share(0.2, 20, k.w)
	return rounded(r, s, 0, k.w, 0, k.w-s, k.h, 0, k.h)
}

func (k kind) trapezoid(r float64) Path {
	s := min(k.w/2, k.share(0.2, 20, k.w))
	return rounded(r, s, 0, k.w-s, 0, k.w, k.h, 0, k.h)
}

func (k kind) step(r float64) Path {
	s := k.share(0.2, 20, k.w)
	return rounded(r, 0, 0, k.w-s, 0, k.w, k.h/2, k.w-s, k.h, 0, k.h, s, k.h/2)
}

// drum is a cylinder between two half ellipses.
func drum(k kind) Shape {
	w, h, s := k.w, k.h, max(0, min(k.h/2, k.Num("size", 15)))
	var p, lid Path
	p.move(0, s)
	p.arc(w/2, s, w, s)
	p.line(w, h-s)
	p.arc(w/2, s, 0, h-s)
	p.close()
	lid.move(w, s)
	lid.arc(w/2, s, 0, s)
	return body(p, lid)
}

// store is a cylinder with a lid d deep, between two cubics.
func store(k kind, d float64) Shape {
	w, h := k.w, k.h
	var p, lid Path
	p.move(0, d)
	p.cubic(0, -d/3, w, -d/3, w, d)
	p.line(w, h-d)
	p.cubic(w, h+d/3, 0, h+d/3, 0, h-d)
	p.close()
	lid.move(0, d)
	lid.cubic(0, 2*d, w, 2*d, w, d)
	return body(p, lid)
}

func cloud(k kind) Shape {
	w, h := k.w, k.h
	var p Path
	p.move(0.25*w, 0.25*h)
	p.cubic(0.05*w, 0.25*h, 0, 0.5*h, 0.16*w, 0.55*h)
	p.cubic(0, 0.66*h, 0.18*w, 0.9*h, 0.31*w, 0.8*h)
	p.cubic(0.4*w, h, 0.7*w, h, 0.8*w, 0.8*h)
	p.cubic(w, 0.8*h, w, 0.6*h, 0.875*w, 0.5*h)
	p.cubic(w, 0.3*h, 0.8*w, 0.1*h, 0.625*w, 0.2*h)
	p.cubic(0.5*w, 0.05*h, 0.3*w, 0.05*h, 0.25*w, 0.25*h)
	p.close()
	return body(p)
}

// torso is draw.io's plain actor: a head on shoulders.
func torso(k kind) Shape {
	w, h, t := k.w, k.h, k.w/3
	var p Path
	p.move(0, h)
	p.cubic(0, h*3/5, 0, h*2/5, w/2, h*2/5)
	p.cubic(w/2-t, h*2/5, w/2-t, 0, w/2, 0)
	p.cubic(w/2+t, 0, w/2+t, h*2/5, w/2, h*2/5)
	p.cubic(w, h*2/5, w, h*3/5, w, h)
	p.close()
	return body(p)
}

func document(k kind) Shape {
	w, h := k.w, k.h
	s := h * k.part("size", 0.3)
	var p Path
	p.move(0, 0)
	p.line(w, 0)
	p.line(w, h-s/2)
	p.quad(w*3/4, h-s*1.4, w/2, h-s/2)
	p.quad(w/4, h+s*0.4, 0, h-s/2)
	p.close()
	return body(p)
}

func tape(k kind) Shape {
	w, h := k.w, k.h
	s := h * k.part("size", 0.4)
	var p Path
	p.move(0, s/2)
	p.quad(w/4, s*1.4, w/2, s/2)
	p.quad(w*3/4, -s*0.4, w, s/2)
	p.line(w, h-s/2)
	p.quad(w*3/4, h-s*1.4, w/2, h-s/2)
	p.quad(w/4, h+s*0.4, 0, h-s/2)
	p.close()
	return body(p)
}

func process(k kind) Shape {
	s := min(k.w/2, k.share(0.1, 0.1, k.w))
	return body(Box(0, 0, k.w, k.h, k.round()), lines(s, 0, s, k.h), lines(k.w-s, 0, k.w-s, k.h))
}

// cut is how large the corner is that a shape lacks.
func (k kind) cut(def float64) float64 { return max(0, min(k.Num("size", def), k.w, k.h)) }

func note(k kind) Shape {
	w, h, s := k.w, k.h, k.cut(30)
	return body(polygon(0, 0, w-s, 0, w, s, w, h, 0, h), lines(w-s, 0, w-s, s, w, s))
}

func card(k kind) Shape {
	w, h, s := k.w, k.h, k.cut(30)
	return body(rounded(k.corner(), s, 0, w, 0, w, h, 0, h, 0, s))
}

func folder(k kind) Shape {
	w, h, tw, th := k.w, k.h, max(0, min(k.Num("tabWidth", 60), k.w)), max(0, min(k.Num("tabHeight", 20), k.h))
	if k.Map["tabPosition"] == "left" {
		return body(polygon(0, 0, tw, 0, tw, th, w, th, w, h, 0, h), lines(0, th, tw, th))
	}
	return body(polygon(w-tw, 0, w, 0, w, h, 0, h, 0, th, w-tw, th), lines(w-tw, th, w, th))
}

func cube(k kind) Shape {
	w, h, s := k.w, k.h, k.cut(20)
	return body(polygon(0, 0, w-s, 0, w, s, w, h, s, h, 0, h-s), lines(0, 0, s, s, w, s), lines(s, s, s, h))
}

func shadedCube(k kind) Shape {
	w, h, s := k.w, k.h, k.least()*0.25
	return body(polygon(0, s, w/2, 0, w, s, w, h-s, w/2, h, 0, h-s))
}

func internalStorage(k kind) Shape {
	x, y := min(k.w, k.Num("dx", 20)), min(k.h, k.Num("dy", 20))
	return body(Box(0, 0, k.w, k.h, k.round()), lines(x, 0, x, k.h), lines(0, y, k.w, y))
}

func dataStorage(k kind) Shape {
	w, h, s := k.w, k.h, k.share(0.1, 20, k.w)
	var p Path
	p.move(s, 0)
	p.line(w, 0)
	p.quad(w-2*s, h/2, w, h)
	p.line(s, h)
	p.quad(-s, h/2, s, 0)
	p.close()
	return body(p)
}

func delay(k kind) Shape {
	w, h, d := k.w, k.h, min(k.w, k.h/2)
	var p Path
	p.move(0, 0)
	p.line(w-d, 0)
	p.quad(w, 0, w, h/2)
	p.quad(w, h, w-d, h)
	p.line(0, h)
	p.close()
	return body(p)
}

func display(k kind) Shape {
	w, h, d := k.w, k.h, min(k.w, k.h/2)
	s := min(w-d, max(0, k.Num("size", 0.25))*w)
	var p Path
	p.move(0, h/2)
	p.line(s, 0)
	p.line(w-d, 0)
	p.quad(w, 0, w, h/2)
	p.quad(w, h, w-d, h)
	p.line(s, h)
	p.close()
	return body(p)
}

func manualInput(k kind) Shape {
	return body(rounded(k.corner(), 0, k.h, 0, k.tail(), k.w, 0, k.w, k.h))
}

func loopLimit(k kind) Shape {
	w, h, s := k.w, k.h, min(k.w/2, k.cut(20))
	return body(rounded(k.corner(), s, 0, w-s, 0, w, s*0.8, w, h, 0, h, 0, s*0.8))
}

func offPage(k kind) Shape {
	w, h, s := k.w, k.h, k.h*k.part("size", 3.0/8)
	return body(rounded(k.corner(), 0, 0, w, 0, w, h-s, w/2, h, 0, h-s))
}

// tail is the height that the key size takes off a box: of a callout's tail, of
// the slope of a manual input.
func (k kind) tail() float64 { return max(0, min(k.h, k.Num("size", 30))) }

func callout(k kind) Shape {
	w, h, s := k.w, k.h, k.tail()
	at, tip := w*k.part("position", 0.5), w*k.part("position2", 0.5)
	base := max(0, min(w, k.Num("base", 20)))
	return body(rounded(k.corner(), 0, 0, w, 0, w, h-s, min(w, at+base), h-s, tip, h, at, h-s, 0, h-s))
}

func gate(k kind, hollow bool) Shape {
	w, h := k.w, k.h
	var p Path
	p.move(0, 0)
	p.quad(w, 0, w, h/2)
	p.quad(w, h, 0, h)
	if hollow {
		p.quad(w/2, h/2, 0, 0)
	}
	p.close()
	return body(p)
}

func cross(k kind) Shape {
	w, h, s := k.w, k.h, k.least()*k.part("size", 0.2)
	x, y := (w-s)/2, (h-s)/2
	return body(polygon(x, 0, x+s, 0, x+s, y, w, y, w, y+s, x+s, y+s, x+s, h, x, h, x, y+s, 0, y+s, 0, y, x, y))
}

// jetties is a box with two plugs at its left side, whose middles are at y0
// and y1.
func jetties(k kind, jw, jh, y0, y1 float64) Shape {
	w, h := k.w, k.h
	jw, jh = min(w, k.Num("jettyWidth", jw)), min(h/2, k.Num("jettyHeight", jh))
	x, a, b := jw/2, max(0, y0-jh/2), max(0, y1-jh/2)
	return body(polygon(x, 0, w, 0, w, h, x, h, x, b+jh, 0, b+jh, 0, b, x, b, x, a+jh, 0, a+jh, 0, a, x, a),
		lines(x, a, jw, a, jw, a+jh, x, a+jh), lines(x, b, jw, b, jw, b+jh, x, b+jh))
}

func module(k kind) Shape {
	jh := min(k.h/2, k.Num("jettyHeight", 10))
	y0 := min(jh, k.h-jh)
	return jetties(k, 20, 10, y0+jh/2, min(y0+2*jh, k.h-jh)+jh/2)
}

// arrow points right, with a head that long and a shaft that wide.
func arrow(k kind, head, shaft float64) Shape {
	w, h := k.w, k.h
	a, b := (h-shaft)/2, (h+shaft)/2
	return body(rounded(k.corner(), 0, a, w-head, a, w-head, 0, w, h/2, w-head, h, w-head, b, 0, b))
}

func doubleArrow(k kind) Shape {
	w, h := k.w, k.h
	head, shaft := min(w/2, w*k.part("arrowSize", 0.2)), h*k.part("arrowWidth", 0.3)
	a, b := (h-shaft)/2, (h+shaft)/2
	return body(rounded(k.corner(), 0, h/2, head, 0, head, a, w-head, a, w-head, 0, w, h/2, w-head, h, w-head, b, head, b, head, h))
}

func umlActor(k kind) Shape {
	w, h := k.w, k.h
	return loose(body(Ellipse(w/4, 0, w/2, h/4), lines(w/2, h/4, w/2, h*2/3), lines(0, h/3, w, h/3), lines(0, h, w/2, h*2/3, w, h)))
}

func umlLifeline(k kind) Shape {
	s := max(0, min(k.h, k.Num("size", 40)))
	head := body(Box(0, 0, k.w, s, kind{k.Map, k.name, k.w, s}.round()))
	head.Loose = true
	head.Dashed = lines(k.w/2, s, k.w/2, k.h)
	return head
}

func umlFrame(k kind) Shape {
	w, h := min(k.w, k.Num("width", 60)), min(k.h, k.Num("height", 30))
	return loose(body(polygon(0, 0, w, 0, w, max(0, h-15), max(0, w-10), h, 0, h), Box(0, 0, k.w, k.h, 0)))
}

func curlyBracket(k kind) Shape {
	s := k.w * k.part("size", 0.5)
	return Shape{Lines: []Path{bent(k.corner(), false, k.w, 0, s, 0, s, k.h/2, 0, k.h/2, s, k.h/2, s, k.h, k.w, k.h)}, Loose: true}
}

func lollipop(k kind) Shape {
	s := k.Num("size", 10)
	return loose(body(Ellipse((k.w-s)/2, 0, s, s), lines(k.w/2, s, k.w/2, k.h)))
}
