package drawing

import (
	"math"
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
	v.Params = append(v.Params, abi.Param{Key: "about", Value: "X,Y|REGION of the canvas|REF: the point that stays in place; otherwise their middle, or with each its own"})
	return verb{Verb: v, Run: running(func(o *op) error {
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
		for _, n := range list {
			if err := o.turn(n, m, text, about); err != nil {
				return err
			}
		}
		o.unchanged = "that changes nothing"
		o.touch(list...)
		o.placedReply(list)
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

// about reads about:, a point or region of the canvas, or an element, which stands for its middle.
func (o *op) about() (*vector.Point, error) {
	ref := o.a.String("about", "")
	if x, y, ok := region(ref); ok {
		c := o.scene().Canvas()
		return &vector.Point{X: c.X0 + x*c.Width(), Y: c.Y0 + y*c.Height()}, nil
	}
	p, err := point("about", ref)
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
		Name: "rotate", Syntax: "rotate REF…|SEL DEGREES [about:X,Y|REGION|REF] [each]", Params: []abi.Param{{Key: "by", Value: "DEGREES, after the elements or here"}}, Brief: "rotate REF…|SEL DEGREES [about:X,Y|REGION|REF] [each] · clockwise, several as one", Summary: "turn elements clockwise about their middle, several as one; each turns each about its own",
		Examples: []string{"rotate logo 45", "rotate hand 90 about:100,100"},
	}, func(o *op) (int, vector.Matrix, func(vector.Point) string, error) {
		words := len(o.a.Positionals) - 1
		text, given := o.a.Param("by")
		if given {
			words++
		} else {
			text = o.a.Text(words)
		}
		angle, ok := number(strings.TrimSuffix(strings.TrimSuffix(text, "deg"), "°"))
		if words < 0 || !ok {
			return 0, vector.Matrix{}, nil, pdk.Errorf("rotate needs an angle in degrees after its elements, such as rotate logo 45")
		}
		return words, vector.Rotate(angle), func(p vector.Point) string {
			if math.Mod(angle, 360) == 0 {
				return ""
			}
			return "rotate(" + num(angle) + " " + num(p.X) + " " + num(p.Y) + ")"
		}, nil
	})
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
