package drawing

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// turnVerb returns a verb that transforms elements about a point.
func turnVerb(v abi.Verb, read func(o *op) (words int, m vector.Matrix, text func(p vector.Point) string, err error)) verb {
	v.Category, v.Select, v.Max = "place", true, -1
	v.Params = append(v.Params, abi.Param{Key: "about", Value: "X,Y|REGION of the canvas|REF: the point that stays in place; otherwise their middle, or with each its own"}, abi.Param{Key: "around", Value: "the same as about:"})
	return verb{Verb: v, Run: running(func(o *op) error {
		o.readAround()
		each := o.cutFlag("each")
		words, m, text, err := read(o)
		if err != nil {
			return err
		}
		list, whole, err := o.turnTargets(words)
		if err != nil {
			return err
		}
		var about *vector.Point
		switch b, boxed := o.union(list); {
		case o.a.Has("about"):
			if about, err = o.about(); err != nil {
				return err
			}
		case whole:
			p := center(o.scene().Canvas())
			about = &p
		case !each && len(list) > 1 && boxed:
			p := center(b)
			about = &p
		}
		turned := ""
		if o.aims() {
			if m, text, turned, err = o.aim(list, about); err != nil {
				return err
			}
		}
		for _, n := range list {
			if err := o.turn(n, m, text, about); err != nil {
				return err
			}
		}
		o.unchanged = "that changes nothing"
		o.touch(list...)
		o.placedReply(list)
		if turned != "" {
			o.Changed("%s", turned)
		}
		return nil
	})}
}

// cutFlag removes a word from the end of the op's words, and reports whether it was there.
func (o *op) cutFlag(word string) bool {
	n := len(o.a.Positionals) - 1
	if n < 0 || o.a.Positionals[n].Quoted || !strings.EqualFold(o.a.Text(n), word) || n == 0 && len(o.a.Selectors) == 0 {
		return false
	}
	cut := *o.a.Op
	cut.Positionals = cut.Positionals[:n:n]
	o.a.Op = &cut
	return true
}

// turnTargets returns the elements that the first words name, or selectors. The root stands for all that it draws; whole reports
// that.
func (o *op) turnTargets(words int) (list []*node, whole bool, err error) {
	if words == 1 && len(o.a.Selectors) == 0 {
		if n, err := o.f.find(o.a.Text(0), false); err == nil && n == o.f.Root {
			for c := range n.Kids() {
				if scene.Draws(o.f.Type(c)) {
					list = append(list, c)
				}
			}
			if len(list) == 0 {
				return nil, false, pdk.Errorf("nothing is drawn")
			}
			return list, true, nil
		}
	}
	list, err = o.movableTargets(0, words)
	return list, false, err
}

// readAround reads around: as about:.
func (o *op) readAround() {
	read := *o.a.Op
	pdk.WithKey("around", "about")(&read)
	o.a.Op = &read
}

// about reads about:.
func (o *op) about() (*vector.Point, error) { return o.pointAt("about") }

// pointAt reads a parameter that is a point or region of the canvas, or an element, which stands for its middle.
func (o *op) pointAt(key string) (*vector.Point, error) {
	ref := o.a.String(key, "")
	if x, y, ok := region(ref); ok {
		c := o.scene().Canvas()
		return &vector.Point{X: c.X0 + x*c.Width(), Y: c.Y0 + y*c.Height()}, nil
	}
	p, err := point(key, ref)
	if err == nil {
		return &p, nil
	}
	n, none := o.f.find(ref, false)
	if none != nil {
		return nil, err
	}
	b, ok := o.scene().Box(n)
	if !ok {
		return nil, pdk.Errorf("%s has no middle", o.f.name(n))
	}
	p = center(b)
	return &p, nil
}

// turn puts a transform about a point before that of an element.
func (o *op) turn(n *node, m vector.Matrix, text func(p vector.Point) string, about *vector.Point) error {
	b, ok := o.scene().Box(n)
	if !ok && about == nil {
		return pdk.Errorf("%s has no box; give about:X,Y", o.f.name(n))
	}
	p := center(b)
	if about != nil {
		p = *about
	}
	ctm := o.scene().CTM(n.Parent)
	inv, ok := ctm.Inverse()
	if !ok {
		return pdk.Errorf("%s lies in something that is flattened to nothing", o.f.name(n))
	}
	local := inv.At(p)
	want := around(local, m).Times(o.scene().Transform(n))
	if o.addToRotation(n, m, local) {
		return nil
	}
	o.before(n, text(local))
	if matrixText(want) == "" {
		o.transform(n, "")
	}
	return nil
}

// addToRotation adds to the angle of an element that is already rotated about the same
// point. It reports false for other elements.
func (o *op) addToRotation(n *node, m vector.Matrix, p vector.Point) bool {
	if _, _, other := o.scene().Origin(n); other || math.Abs(m.A*m.A+m.B*m.B-1) > 1e-9 || math.Abs(m.A-m.D) > 1e-9 || math.Abs(m.B+m.C) > 1e-9 {
		return false
	}
	inside, rest, ok := function(strings.TrimSpace(n.Get("transform")), "rotate")
	f := vector.Numbers(inside, 3)
	if !ok || rest != "" || len(f) != 3 || math.Abs(f[1]-p.X) > 0.01 || math.Abs(f[2]-p.Y) > 0.01 {
		return false
	}
	angle := math.Mod(f[0]+math.Atan2(m.B, m.A)*180/math.Pi, 360)
	if math.Abs(angle) < 1e-6 {
		o.transform(n, "")
	} else {
		o.transform(n, "rotate("+num(angle)+" "+num(f[1])+" "+num(f[2])+")")
	}
	return true
}

func rotateVerb() verb {
	return turnVerb(abi.Verb{
		Name: "rotate", Syntax: "rotate REF…|SEL DEGREES|to:DEGREES|toward:X,Y|REF [about:X,Y|REGION|REF] [each]", Params: []abi.Param{{Key: "by", Value: "DEGREES, after the elements or here"}, {Key: "to", Value: "DEGREES, 0 up, 90 right: where the tip, the part farthest from about:, points then"}, {Key: "toward", Value: "X,Y|REGION|REF: what the tip points at then"}}, Brief: "rotate REF…|SEL DEGREES|to:DEGREES [about:X,Y|REF] [each] · clockwise; to: points the tip there, 0 is up", Summary: "turn elements clockwise about their middle, several as one; each turns each about its own; to: and toward: turn the hand of a clock, the needle of a gauge or an arrow to where its tip should point, seen from about:",
		Examples: []string{"rotate logo 45", "rotate hand 90 about:100,100", "rotate hand to:220 about:100,100", "rotate hand toward:dot about:100,100"},
	}, func(o *op) (int, vector.Matrix, func(vector.Point) string, error) {
		if o.aims() {
			return len(o.a.Positionals), vector.Matrix{}, nil, nil
		}
		words := len(o.a.Positionals) - 1
		text, given := o.a.Param("by")
		if given {
			words++
		} else {
			text = o.a.Text(words)
		}
		angle, ok := degrees(text)
		if words < 0 || !ok {
			return 0, vector.Matrix{}, nil, pdk.Errorf("rotate needs an angle in degrees after its elements, such as rotate logo 45, or to:DEGREES")
		}
		m, written := rotation(angle)
		return words, m, written, nil
	})
}

func degrees(text string) (float64, bool) {
	return number(strings.TrimSuffix(strings.TrimSuffix(text, "deg"), "°"))
}

// rotation returns a rotation, and the function of a transform attribute that writes it about a point.
func rotation(angle float64) (vector.Matrix, func(vector.Point) string) {
	return vector.Rotate(angle), func(p vector.Point) string {
		if math.Mod(angle, 360) == 0 {
			return ""
		}
		return "rotate(" + num(angle) + " " + num(p.X) + " " + num(p.Y) + ")"
	}
}

// aims reports whether the op says where elements point rather than how far they turn.
func (o *op) aims() bool { return o.a.Verb == "rotate" && (o.a.Has("to") || o.a.Has("toward")) }

// aim returns the rotation about a point that points the tip of elements as to: or toward: says, and a line about it.
func (o *op) aim(list []*node, about *vector.Point) (m vector.Matrix, text func(vector.Point) string, turned string, err error) {
	if about == nil || !o.a.Has("about") {
		return m, nil, "", pdk.Errorf("rotate to: points the tip away from about:X,Y|REF; say the point that stays in place")
	}
	tip, ok := o.tip(list, *about)
	if !ok {
		return m, nil, "", pdk.Errorf("%s has no tip seen from about:%s", o.f.names(list), o.a.String("about", ""))
	}
	now := bearing(*about, tip)
	to, ok := degrees(o.a.String("to", ""))
	if o.a.Has("toward") {
		p, err := o.pointAt("toward")
		if err != nil {
			return m, nil, "", err
		}
		to, ok = bearing(*about, *p), true
	}
	if !ok {
		return m, nil, "", pdk.Errorf("to:%s is not a direction in degrees: 0 is up, 90 right", o.a.String("to", ""))
	}
	angle := math.Round(math.Remainder(to-now, 360)*1e4) / 1e4
	m, text = rotation(angle)
	return m, text, "the tip points to " + short(math.Mod(to+360, 360)) + " degrees, was " + short(now), nil
}

// bearing returns the direction from one point to another in degrees clockwise from up, from 0 to 360.
func bearing(from, to vector.Point) float64 {
	return math.Mod(math.Atan2(to.X-from.X, from.Y-to.Y)*180/math.Pi+360, 360)
}

// tip returns the point of the outlines of elements that is farthest from a point: the middle of those that are about as far, such
// as the corners of a blunt end.
func (o *op) tip(list []*node, from vector.Point) (vector.Point, bool) {
	var points []vector.Point
	for _, top := range list {
		for n := range top.All() {
			if p, ok := o.scene().Path(n); ok && scene.Draws(o.f.Type(n)) {
				for _, s := range p.Transform(o.scene().CTM(n)) {
					points = append(points, s.To)
				}
			}
		}
	}
	away := func(p vector.Point) float64 { return math.Hypot(p.X-from.X, p.Y-from.Y) }
	farthest := 0.0
	for _, p := range points {
		farthest = max(farthest, away(p))
	}
	var end []vector.Point // each once: outlines close where they start
	var sum vector.Point
	for _, p := range points {
		if away(p) >= 0.98*farthest && !slices.Contains(end, p) {
			end, sum = append(end, p), vector.Point{X: sum.X + p.X, Y: sum.Y + p.Y}
		}
	}
	k := max(1, float64(len(end)))
	tip := vector.Point{X: sum.X / k, Y: sum.Y / k}
	return tip, away(tip) > 0.01*farthest && farthest > 0
}

func scaleVerb() verb {
	return turnVerb(abi.Verb{
		Name: "scale", Syntax: "scale REF…|SEL F|FX,FY [about:X,Y|REGION|REF] [each]", Brief: "scale REF…|SEL F|FX,FY [about:] [each] · with strokes; -1,1 mirrors; svg: all", Summary: "scale elements with their strokes by a factor, about their middle, several as one; each scales each about its own; -1,1 mirrors; svg is the whole drawing, about the middle of the canvas",
		Params:   []abi.Param{{Key: "x", Value: "F"}, {Key: "y", Value: "F"}},
		Examples: []string{"scale logo 1.5", "scale logo -1,1", "scale svg 1,-1", "scale dot card 0.5 each"},
	}, func(o *op) (int, vector.Matrix, func(vector.Point) string, error) {
		words := len(o.a.Positionals) - 1
		text := o.a.Text(words)
		if o.a.Has("x") || o.a.Has("y") {
			words, text = words+1, o.a.String("x", "1")+","+o.a.String("y", "1")
		}
		if share, ok := strings.CutSuffix(text, "%"); ok {
			if f, err := strconv.ParseFloat(share, 64); err == nil {
				text = num(f / 100)
			}
		}
		x, y, ok := pair(text, ",")
		if f, one := number(text); one {
			x, y, ok = f, f, true
		}
		if words < 0 || !ok || x == 0 || y == 0 {
			return 0, vector.Matrix{}, nil, pdk.Errorf("scale needs a factor after its elements, such as scale logo 1.5 or scale logo 2,1")
		}
		m := vector.Scale(x, y)
		return words, m, func(p vector.Point) string { return matrixText(around(p, m)) }, nil
	})
}

func skewVerb() verb {
	return turnVerb(abi.Verb{
		Name: "skew", Syntax: "skew REF…|SEL x:DEGREES | y:DEGREES [about:X,Y|REGION|REF] [each]", Brief: "skew REF…|SEL x:DEGREES | y:DEGREES [about:] [each]", Summary: "slant elements, several as one; each slants each about its own middle",
		Params:   []abi.Param{{Key: "x", Value: "DEGREES"}, {Key: "y", Value: "DEGREES"}},
		Examples: []string{"skew card x:15"},
	}, func(o *op) (int, vector.Matrix, func(vector.Point) string, error) {
		x, err := o.a.Float("x", 0, -89, 89)
		if err != nil {
			return 0, vector.Matrix{}, nil, err
		}
		y, err := o.a.Float("y", 0, -89, 89)
		if err != nil {
			return 0, vector.Matrix{}, nil, err
		}
		if x == 0 && y == 0 {
			return 0, vector.Matrix{}, nil, pdk.Errorf("skew needs x:DEGREES or y:DEGREES")
		}
		m := vector.Matrix{A: 1, B: math.Tan(y * math.Pi / 180), C: math.Tan(x * math.Pi / 180), D: 1}
		return len(o.a.Positionals), m, func(p vector.Point) string { return matrixText(around(p, m)) }, nil
	})
}
