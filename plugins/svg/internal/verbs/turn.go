package verbs

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// turning is a transform about a point. A rotation is written by its angle.
type turning struct {
	vector.Matrix
	rotates bool
	angle   float64
}

func rotation(angle float64) turning { return turning{vector.Rotate(angle), true, angle} }

// text writes the transform about a point as an attribute.
func (t *turning) text(p vector.Point) string {
	switch {
	case !t.rotates:
		return matrixText(t.About(p))
	case math.Mod(t.angle, 360) == 0:
		return ""
	}
	return "rotate(" + model.Num(t.angle) + " " + model.Num(p.X) + " " + model.Num(p.Y) + ")"
}

// turnVerb returns a verb that transforms elements about a point. read returns how many words name elements.
func turnVerb(v abi.Verb, read func(o *op) (words int, t turning, err error), keys ...pdk.Parameter) verb {
	v.Category = "place"
	return verb{Verb: v, Keys: append(keys, about, around), Run: running(func(o *op) error {
		each := o.cutFlag("each")
		words, t, err := read(o)
		if err != nil {
			return err
		}
		list, whole, err := o.turnTargets(words)
		if err != nil {
			return err
		}
		pivot, err := o.about()
		if err != nil {
			return err
		}
		turned := ""
		if o.aims() {
			if t, turned, err = o.aim(list, pivot); err != nil {
				return err
			}
		}
		if pivot == nil && whole {
			pivot = new(o.scene().Canvas().Center())
		} else if b, boxed := o.union(list); pivot == nil && !each && len(list) > 1 && boxed {
			pivot = new(b.Center())
		}
		for _, n := range list {
			if err := o.turn(n, &t, pivot); err != nil {
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
	o.a, _, _ = o.a.CutLast(1)
	return true
}

// turnTargets returns the elements that the first words name, or selectors. The root stands for all that it draws;
// whole reports that.
func (o *op) turnTargets(words int) (list []*node, whole bool, err error) {
	if words == 1 && len(o.a.Selectors) == 0 {
		if n, err := o.f.Find(o.a.Text(0), false); err == nil && n == o.f.Root {
			for c := range n.Kids() {
				if svgdom.Draws(c.Type) {
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

// about returns the point that about: or around: gives, nil without either.
func (o *op) about() (*vector.Point, error) {
	for _, key := range []string{about.Name, around.Name} {
		if o.a.Has(key) {
			p, err := o.pointAt(key)
			return &p, err
		}
	}
	return nil, nil
}

// turn puts a transform about a point before that of an element.
func (o *op) turn(n *node, t *turning, about *vector.Point) error {
	b, ok := o.scene().Box(n)
	if !ok && about == nil {
		return pdk.Errorf("%s has no box; give about:X,Y", o.f.Ref(n))
	}
	p := b.Center()
	if about != nil {
		p = *about
	}
	inv, ok := o.scene().CTM(n.Parent).Inverse()
	if !ok {
		return o.flattened(n)
	}
	local := inv.At(p)
	want := t.About(local).Times(o.scene().Transform(n))
	if o.addToRotation(n, t.Matrix, local) {
		return nil
	}
	o.before(n, t.text(local))
	if matrixText(want) == "" {
		o.transform(n, "")
	}
	return nil
}

// addToRotation adds to the angle of an element that is already rotated about the same
// point. It reports false for other elements.
func (o *op) addToRotation(n *node, m vector.Matrix, p vector.Point) bool {
	if _, other := o.scene().Origin(n); other || math.Abs(m.A*m.A+m.B*m.B-1) > 1e-9 || math.Abs(m.A-m.D) > 1e-9 || math.Abs(m.B+m.C) > 1e-9 {
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
		o.transform(n, "rotate("+model.Num(angle)+" "+model.Num(f[1])+" "+model.Num(f[2])+")")
	}
	return true
}

var (
	turnBy = value.Key[float64]{Name: "by", Type: degrees, About: ", after the elements or here"}
	turnTo = value.Key[float64]{Name: "to", Type: degrees, About: ", 0 up, 90 right: where the tip, the part farthest from about:, points then"}
	toward = text("toward", "X,Y|REGION|REF: what the tip points at then")
)

func rotateVerb() verb {
	return turnVerb(abi.Verb{
		Syntax:   "rotate REF…|SEL [DEGREES] [to:DEGREES] [toward:X,Y|REF] [about:X,Y|REGION|REF] [each]",
		Brief:    "rotate REF…|SEL DEGREES|to:DEGREES [about:X,Y|REF] [each] · clockwise; to: points the tip there, 0 is up",
		Summary:  "turn elements clockwise about their middle, several as one; each turns each about its own; to: and toward: turn the hand of a clock, the needle of a gauge or an arrow to where its tip should point, seen from about:",
		Examples: []string{"rotate name 45", "rotate name 90 about:100,100", "rotate name to:220 about:100,100", "rotate name toward:dot about:100,100"},
	}, func(o *op) (int, turning, error) {
		words := len(o.a.Positionals)
		if o.aims() {
			return words, turning{}, nil
		}
		if angle, given := turnBy.Lookup(o.a); given {
			return words, rotation(angle), nil
		}
		angle, err := degrees.Parse(o.a.Text(words - 1))
		if err != nil {
			return 0, turning{}, pdk.Errorf("rotate needs an angle in degrees after its elements, such as rotate logo 45, or to:DEGREES")
		}
		return words - 1, rotation(angle), nil
	}, turnBy, turnTo, toward)
}

// aims reports whether the op says where elements point rather than how far they turn.
func (o *op) aims() bool {
	return o.a.Verb == "rotate" && (o.a.Has(turnTo.Name) || o.a.Has(toward.Name))
}

// aim returns the rotation about a point that points the tip of elements as to: or toward: says, and a line about it.
func (o *op) aim(list []*node, pivot *vector.Point) (t turning, turned string, err error) {
	if pivot == nil {
		return t, "", pdk.Errorf("rotate to: points the tip away from about:X,Y|REF; say the point that stays in place")
	}
	tip, ok := o.tip(list, *pivot)
	if !ok {
		return t, "", pdk.Errorf("%s has no tip seen from %s,%s", o.f.Refs(list), model.Short(pivot.X), model.Short(pivot.Y))
	}
	now, to := bearing(*pivot, tip), turnTo.Of(o.a)
	if o.a.Has(toward.Name) {
		p, err := o.pointAt(toward.Name)
		if err != nil {
			return t, "", err
		}
		to = bearing(*pivot, p)
	}
	angle := math.Round(math.Remainder(to-now, 360)*1e4) / 1e4
	return rotation(angle), "the tip points to " + model.Short(math.Mod(to+360, 360)) + " degrees, was " + model.Short(now), nil
}

// bearing returns the direction from one point to another in degrees clockwise from up, from 0 to 360.
func bearing(from, to vector.Point) float64 {
	return math.Mod(math.Atan2(to.X-from.X, from.Y-to.Y)*180/math.Pi+360, 360)
}

// tip returns the point of the outlines of elements that is farthest from a point: the middle of those that are about
// as far, such as the corners of a blunt end.
func (o *op) tip(list []*node, from vector.Point) (vector.Point, bool) {
	var points []vector.Point
	farthest := 0.0
	for _, top := range list {
		for n := range top.All() {
			if p, ok := o.scene().Path(n); ok && svgdom.Draws(n.Type) {
				for _, s := range p.Transform(o.scene().CTM(n)) {
					points, farthest = append(points, s.To), max(farthest, from.Distance(s.To))
				}
			}
		}
	}
	var end []vector.Point // each once: outlines close where they start
	var sum vector.Point
	for _, p := range points {
		if from.Distance(p) >= 0.98*farthest && !slices.Contains(end, p) {
			end, sum = append(end, p), sum.Plus(p)
		}
	}
	k := max(1, float64(len(end)))
	tip := vector.Point{X: sum.X / k, Y: sum.Y / k}
	return tip, from.Distance(tip) > 0.01*farthest && farthest > 0
}

// scaling reads a factor, or one for each axis, 0 if it is neither.
func scaling(s string) vector.Point {
	if f, ok := model.Fraction(s); ok {
		return vector.Point{X: f, Y: f}
	}
	p, _ := point.Parse(s)
	return p
}

var (
	scaleX = value.Key[float64]{Name: "x", Type: number, Default: 1}
	scaleY = value.Key[float64]{Name: "y", Type: number, Default: 1}
)

func scaleVerb() verb {
	return turnVerb(abi.Verb{
		Syntax:   "scale REF…|SEL [F|FX,FY] [x:F] [y:F] [about:X,Y|REGION|REF] [each]",
		Brief:    "scale REF…|SEL F|FX,FY [about:] [each] · with strokes; -1,1 mirrors; svg: all",
		Summary:  "scale elements with their strokes by a factor, about their middle, several as one; each scales each about its own; -1,1 mirrors; svg is the whole drawing, about the middle of the canvas",
		Examples: []string{"scale logo 1.5", "scale logo -1,1", "scale svg 1,-1", "scale dot card 0.5 each"},
	}, func(o *op) (int, turning, error) {
		words := len(o.a.Positionals)
		by := vector.Point{X: scaleX.Of(o.a), Y: scaleY.Of(o.a)}
		if !o.a.Has(scaleX.Name) && !o.a.Has(scaleY.Name) {
			words--
			by = scaling(o.a.Text(words))
		}
		if by.X == 0 || by.Y == 0 {
			return 0, turning{}, pdk.Errorf("scale needs a factor after its elements, such as scale logo 1.5 or scale logo 2,1")
		}
		return words, turning{Matrix: vector.Scale(by.X, by.Y)}, nil
	}, scaleX, scaleY)
}

var (
	skewX = value.Key[float64]{Name: "x", Type: value.Number(-89, 89), About: " degrees"}
	skewY = value.Key[float64]{Name: "y", Type: value.Number(-89, 89), About: " degrees"}
)

func skewVerb() verb {
	return turnVerb(abi.Verb{
		Syntax:   "skew REF…|SEL x:DEGREES | y:DEGREES [about:X,Y|REGION|REF] [each]",
		Brief:    "skew REF…|SEL x:DEGREES | y:DEGREES [about:] [each]",
		Summary:  "slant elements, several as one; each slants each about its own middle",
		Examples: []string{"skew card x:15"},
	}, func(o *op) (int, turning, error) {
		x, y := skewX.Of(o.a), skewY.Of(o.a)
		if x == 0 && y == 0 {
			return 0, turning{}, pdk.Errorf("skew needs x:DEGREES or y:DEGREES")
		}
		return len(o.a.Positionals), turning{Matrix: vector.Matrix{A: 1, B: math.Tan(y * math.Pi / 180), C: math.Tan(x * math.Pi / 180), D: 1}}, nil
	}, skewX, skewY)
}
