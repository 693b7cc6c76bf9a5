package verbs

import (
	"math"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

const maxRepeat = 2000

var (
	copies = value.Key[int]{Name: "count", Type: value.Int(1, maxRepeat)}
	eachX  = value.Key[float64]{Name: "dx", Type: number}
	eachY  = value.Key[float64]{Name: "dy", Type: number}
	eachBy = value.Key[float64]{Name: "rotate", Type: degrees}
	eachTo = value.Key[float64]{Name: "scale", Type: positive, Default: 1}
	about  = text("about", "X,Y|REGION|REF: the point that stays in place; otherwise their middle")
	around = text("around", "the same as about:")
)

func repeatVerb() verb {
	return verb{Run: running(runRepeat), Keys: []pdk.Parameter{copies, eachX, eachY, eachBy, about, around, eachTo}, Verb: abi.Verb{
		Syntax:   "repeat REF…|SEL count:N [dx:N] [dy:N] [rotate:DEGREES [about:X,Y|REGION|REF]] [scale:F]",
		Brief:    "repeat REF…|SEL count:N [dx: dy: rotate:DEGREES about:X,Y|REF scale:F] · N copies, each further",
		Summary:  "make N copies, each moved, turned and scaled further than the one before",
		Category: "elements",
		Examples: []string{"repeat dot count:5 dx:20", "repeat tick count:11 rotate:30 about:100,100", "repeat card count:2 dy:60 scale:0.9"},
	}}
}

func runRepeat(o *op) error {
	n, ok := copies.Lookup(o.a)
	if !ok {
		return pdk.Errorf("repeat needs count:N, the number of copies").Try(o.a.Mended(pdk.WithParam(copies.Name, "3")))
	}
	list, err := o.movableTargets(0, len(o.a.Positionals))
	if err != nil {
		return err
	}
	if n*len(list) > maxRepeat {
		return pdk.Errorf("that would be %d elements; the limit is %d", n*len(list), maxRepeat)
	}
	b, boxed := o.union(list)
	step := vector.Point{X: eachX.Of(o.a), Y: eachY.Of(o.a)}
	angle, scale := eachBy.Of(o.a), eachTo.Of(o.a)
	if !o.a.Has(eachX.Name) && !o.a.Has(eachY.Name) && !o.a.Has(eachBy.Name) && !o.a.Has(eachTo.Name) {
		if !boxed {
			return pdk.Errorf("repeat needs dx: or dy: here")
		}
		step.X = math.Round(b.Width() + 10)
	}
	pivot, err := o.about()
	switch {
	case err != nil:
		return err
	case pivot == nil && !boxed && (angle != 0 || scale != 1):
		return pdk.Errorf("%s has no middle to rotate about; give about:X,Y", o.f.Refs(list))
	case pivot == nil:
		pivot = new(b.Center())
	}
	var made []*node
	for _, x := range list {
		last := x
		for range n {
			c := o.clone(x, "")
			if last != x {
				o.Move(c, last.Parent, last)
			}
			last, made = c, append(made, c)
		}
	}
	o.keepRules()
	for i, c := range made {
		k := float64(i%n + 1)
		o.spread(c, math.Mod(angle*k, 360), math.Pow(scale, k), *pivot)
		o.moveOnCanvas(c, vector.Point{X: step.X * k, Y: step.Y * k})
	}
	o.touch(made...)
	where, _ := o.union(made)
	o.Created("%s %s: %s", pdk.Count(len(made), "element"), model.Box(where), o.f.Refs(made))
	return nil
}

// spread turns and scales a copy about a point of the canvas.
func (o *op) spread(c *node, angle, scale float64, about vector.Point) {
	inv, ok := o.scene().CTM(c.Parent).Inverse()
	if !ok {
		return
	}
	p := inv.At(about)
	switch {
	case angle != 0 && scale == 1:
		o.before(c, "rotate("+model.Num(angle)+" "+model.Num(p.X)+" "+model.Num(p.Y)+")")
	case angle != 0 || scale != 1:
		o.before(c, matrixText(vector.Rotate(angle).Times(vector.Scale(scale, scale)).About(p)))
	}
}
