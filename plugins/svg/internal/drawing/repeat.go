package drawing

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

const maxRepeat = 2000

func repeatVerb() verb {
	return verb{Run: running(runRepeat), Verb: abi.Verb{
		Name: "repeat", Category: "elements", Select: true, Max: -1,
		Syntax:   "repeat REF…|SEL count:N [dx:] [dy:] [rotate:DEGREES [about:X,Y|REGION|REF]] [scale:F]",
		Brief:    "repeat REF…|SEL count:N [dx: dy: rotate:DEGREES about:X,Y|REF scale:F] · N copies, each further",
		Summary:  "make N copies, each moved, turned and scaled further than the one before",
		Params:   []abi.Param{{Key: "count", Value: "1-2000"}, {Key: "dx", Value: "N"}, {Key: "dy", Value: "N"}, {Key: "rotate", Value: "DEGREES"}, {Key: "about", Value: "X,Y|REGION|REF: the point to turn about; their middle otherwise"}, {Key: "around", Value: "the same as about:"}, {Key: "scale", Value: "F"}},
		Examples: []string{"repeat dot count:5 dx:20", "repeat tick count:11 rotate:30 about:100,100", "repeat card count:2 dy:60 scale:0.9"},
	}}
}

func runRepeat(o *op) error {
	o.readAround()
	count, err := o.a.Int("count", 0, 1, maxRepeat)
	if err != nil {
		return err
	}
	if count == 0 {
		return pdk.Errorf("repeat needs count:N, the number of copies").Try(o.a.Mended(pdk.WithParam("count", "3")))
	}
	list, err := o.movableTargets(0, len(o.a.Positionals))
	if err != nil {
		return err
	}
	if count*len(list) > maxRepeat {
		return pdk.Errorf("that would be %d elements; the limit is %d", count*len(list), maxRepeat)
	}
	v := map[string]float64{"dx": 0, "dy": 0, "rotate": 0, "scale": 1}
	for _, key := range []string{"dx", "dy", "rotate", "scale"} {
		if v[key], err = o.numberOf(key, v[key]); err != nil {
			return err
		}
	}
	if v["scale"] <= 0 {
		return pdk.Errorf("scale:%s: it must be more than 0", o.a.String("scale", ""))
	}
	b, boxed := o.union(list)
	if !o.a.Has("dx") && !o.a.Has("dy") && !o.a.Has("rotate") && !o.a.Has("scale") {
		if !boxed {
			return pdk.Errorf("repeat needs dx: or dy: here")
		}
		v["dx"] = math.Round(b.Width() + 10)
	}
	about := center(b)
	if o.a.Has("about") {
		p, err := o.about()
		if err != nil {
			return err
		}
		about = *p
	} else if !boxed && (v["rotate"] != 0 || v["scale"] != 1) {
		return pdk.Errorf("%s has no middle to rotate about; give about:X,Y", o.f.names(list))
	}
	var made []*node
	for _, n := range list {
		last := n
		for i := 1; i <= count; i++ {
			last = o.cloneBehind(n, last)
			made = append(made, last)
		}
	}
	o.keepRules()
	for i, c := range made {
		o.spread(c, float64(i%count+1), v, about)
	}
	o.touch(made...)
	where, _ := o.union(made)
	o.Created("%s %s: %s", plural(len(made), "element"), box(where), o.f.names(made))
	return nil
}

// cloneBehind copies an element and inserts the copy after another one.
func (o *op) cloneBehind(n, after *node) *node {
	c := o.clone(n, "")
	if after != n {
		o.Move(c, after.Parent, after)
	}
	return c
}

// spread transforms the i-th copy.
func (o *op) spread(c *node, i float64, v map[string]float64, about vector.Point) {
	inv, ok := o.scene().CTM(c.Parent).Inverse()
	if !ok {
		return
	}
	p := inv.At(about)
	angle, scale := math.Mod(v["rotate"]*i, 360), math.Pow(v["scale"], i)
	switch {
	case angle != 0 && scale == 1:
		o.before(c, "rotate("+num(angle)+" "+num(p.X)+" "+num(p.Y)+")")
	case angle != 0 || scale != 1:
		o.before(c, matrixText(around(p, vector.Rotate(angle).Times(vector.Scale(scale, scale)))))
	}
	o.moveOnCanvas(c, v["dx"]*i, v["dy"]*i)
}
