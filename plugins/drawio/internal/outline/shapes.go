package outline

import (
	"math"
	"strings"
)

func body(outline Path, over ...Path) Shape { return Shape{Outline: outline, Lines: over} }

func endAtPerimeter(s Shape) Shape {
	s.EndAtPerimeter = true
	return s
}

// scaled returns a closed polygon given in coordinates of a box of w by h.
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

// state returns the disc that marks the start or the end of a process.
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

// endState returns a disc in a ring that is not filled.
func endState(k kind) Shape {
	return Shape{Parts: []Path{k.state()}, Lines: []Path{Ellipse(0, 0, k.w, k.h)}, EndAtPerimeter: true}
}

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

// drum returns a cylinder between two half ellipses.
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

// store returns a cylinder with a lid of height d, between two cubic curves.
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

// torso draws draw.io's plain actor: a head on shoulders.
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

// jetties returns a box with two plugs on its left side, whose middles are at y0 and y1.
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

// arrow draws an arrow to the right; head is the length of its head, shaft the width of its
// shaft.
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
	return endAtPerimeter(body(Ellipse(w/4, 0, w/2, h/4), lines(w/2, h/4, w/2, h*2/3), lines(0, h/3, w, h/3), lines(0, h, w/2, h*2/3, w, h)))
}

func umlLifeline(k kind) Shape {
	s := max(0, min(k.h, k.Num("size", 40)))
	head := body(Box(0, 0, k.w, s, kind{k.Map, k.name, k.w, s}.round()))
	head.EndAtPerimeter = true
	head.Dashed = lines(k.w/2, s, k.w/2, k.h)
	return head
}

func umlFrame(k kind) Shape {
	w, h := min(k.w, k.Num("width", 60)), min(k.h, k.Num("height", 30))
	return endAtPerimeter(body(polygon(0, 0, w, 0, w, max(0, h-15), max(0, w-10), h, 0, h), Box(0, 0, k.w, k.h, 0)))
}

func curlyBracket(k kind) Shape {
	s := k.w * k.part("size", 0.5)
	return Shape{Lines: []Path{roundedLine(k.corner(), false, k.w, 0, s, 0, s, k.h/2, 0, k.h/2, s, k.h/2, s, k.h, k.w, k.h)}, EndAtPerimeter: true}
}

func lollipop(k kind) Shape {
	s := k.Num("size", 10)
	return endAtPerimeter(body(Ellipse((k.w-s)/2, 0, s, s), lines(k.w/2, s, k.w/2, k.h)))
}
