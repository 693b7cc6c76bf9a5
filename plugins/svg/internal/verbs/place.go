package verbs

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// spot is a point of the canvas, or a region of it.
type spot struct {
	point  *vector.Point
	region value.Place
}

var spots = value.Type[spot]{Takes: "X,Y|" + strings.Join(value.Regions(), "|"), Parse: func(s string) (spot, error) {
	p, bad := point.Parse(s)
	if bad == nil {
		return spot{point: &p}, nil
	}
	r, err := value.Region.Parse(s)
	if err == nil {
		return spot{region: r}, nil
	}
	no, near := err.(*value.Invalid), bad.(*value.Invalid).Near
	return spot{}, &value.Invalid{Why: "is neither a point X,Y nor a region: " + strings.Join(value.Regions(), " "), Near: append(near, no.Near...)}
}}

// beside lists the keys that place an element relative to another one, with the side of it.
var beside = []struct {
	key  value.Key[string]
	side value.Step
}{
	{text("right-of", "REF"), value.Step{DX: 1}}, {text("left-of", "REF"), value.Step{DX: -1}},
	{text("above", "REF"), value.Step{DY: -1}}, {text("below", "REF"), value.Step{DY: 1}}, {text("on", "REF: centred on it"), value.Step{}},
}

var (
	at   = value.Key[spot]{Name: "at", Type: spots}
	near = text("near", "REF, the same as right-of: or the side of dir:")
	side = value.Key[value.Step]{Name: "dir", Type: value.Direction, Default: value.Step{DX: 1}}
	gap  = value.Key[float64]{Name: "gap", Type: number, About: " from it"}
)

// withPlace adds the keys that give a position to others.
func withPlace(keys ...pdk.Parameter) []pdk.Parameter {
	keys = append(keys, at, near, side, gap)
	for _, b := range beside {
		keys = append(keys, b.key)
	}
	return keys
}

// keyNames lists the names of keys.
func keyNames(keys []pdk.Parameter) (out []string) {
	for _, k := range keys {
		out = append(out, k.Param().Key)
	}
	return out
}

// place is a target position on the canvas.
type place struct {
	given  bool
	point  *vector.Point // a corner or the centre, depending on the kind of element
	box    vector.Box    // without a point: the box that the position refers to
	side   value.Step    // of that box
	out    float64       // 1 outside of the box, -1 in it
	gap    float64
	anchor string // text-anchor that places a text there: start, middle, end
}

// center returns where the middle of something of size w by h goes.
func (p *place) center(w, h float64) vector.Point {
	c := p.box.Center()
	return vector.Point{
		X: c.X + float64(p.side.DX)*(p.box.Width()/2+p.out*(p.gap+w/2)),
		Y: c.Y + float64(p.side.DY)*(p.box.Height()/2+p.out*(p.gap+h/2)),
	}
}

// shift returns how far a box moves to the place.
func (p *place) shift(b vector.Box) vector.Point {
	if p.point != nil {
		return p.point.Minus(vector.Point{X: b.X0, Y: b.Y0})
	}
	return p.center(b.Width(), b.Height()).Minus(b.Center())
}

// place reads the keys that give a position.
func (o *op) place() (place, error) {
	to := place{gap: gap.Of(o.a), out: 1}
	var keys []string
	ref := ""
	if where, ok := at.Lookup(o.a); ok {
		keys = append(keys, at.Name)
		to.point, to.box, to.out = where.point, o.scene().Canvas(), -1
		to.side = value.Step{DX: where.region.Col - 1, DY: where.region.Row - 1}
	}
	if v, ok := near.Lookup(o.a); ok {
		keys, ref, to.side = append(keys, near.Name), v, side.Of(o.a)
	} else if o.a.Has(side.Name) {
		return to, pdk.Errorf("%s:%s needs near:REF", side.Name, o.a.String(side.Name, "")).Try(o.a.Mended(pdk.Without(side.Name)))
	}
	for _, b := range beside {
		if v, ok := b.key.Lookup(o.a); ok {
			keys, ref, to.side = append(keys, b.key.Name), v, b.side
		}
	}
	switch {
	case len(keys) > 1:
		return to, pdk.Errorf("%s: and %s: both give a place; use one", keys[0], keys[1]).Try(o.a.Mended(pdk.Without(keys[1:]...)))
	case len(keys) == 0:
		return to, nil
	case ref != "":
		var err error
		if to.box, err = o.boxAt(ref); err != nil {
			return to, err
		}
	}
	to.given = true
	to.anchor = []string{"start", "middle", "end"}[1-int(to.out)*to.side.DX]
	return to, nil
}

// boxAt returns the box of the element with a reference.
func (o *op) boxAt(ref string) (vector.Box, error) {
	n, err := o.f.Find(ref, false)
	if err != nil {
		return vector.Box{}, err
	}
	b, ok := o.scene().Box(n)
	if !ok {
		return b, pdk.Errorf("%s has no box: nothing of it is drawn", o.f.Ref(n))
	}
	return b, nil
}

// pointAt reads a key that is a point or region of the canvas, or an element, which stands for its middle.
func (o *op) pointAt(key string) (vector.Point, error) {
	ref := o.a.String(key, "")
	where, err := value.Key[spot]{Name: key, Type: spots}.Parse(ref)
	if err != nil {
		if _, none := o.f.Find(ref, false); none != nil {
			return vector.Point{}, pdk.Errorf("%s:%s is no point X,Y, no region and no element", key, ref)
		}
		b, err := o.boxAt(ref)
		return b.Center(), err
	}
	if where.point != nil {
		return *where.point, nil
	}
	x, y := where.region.Fractions()
	c := o.scene().Canvas()
	return vector.Point{X: c.X0 + x*c.Width(), Y: c.Y0 + y*c.Height()}, nil
}

// linear returns a matrix without its translation.
func linear(m vector.Matrix) vector.Matrix { m.E, m.F = 0, 0; return m }

// into maps a vector on the canvas to the space that m maps to the canvas.
func into(m vector.Matrix, by vector.Point) (vector.Point, bool) {
	inv, ok := linear(m).Inverse()
	return inv.At(by), ok
}

// stretch returns the factors by which a matrix scales along the axes.
func stretch(m vector.Matrix) (x, y float64) {
	x, y = math.Hypot(m.A, m.B), math.Hypot(m.C, m.D)
	if x == 0 || y == 0 {
		return 1, 1
	}
	return x, y
}

// maxCoordinate limits coordinates and sizes.
const maxCoordinate = 1e7

// The types of values that keys share.
var (
	number   = value.Number(-maxCoordinate, maxCoordinate)
	positive = value.Number(0.001, maxCoordinate)
	share    = value.Number(0, 1)
	point    = value.Map(value.Point(maxCoordinate), func(p geom.Point) (vector.Point, error) { return vector.Point(p), nil })
	offset   = value.Type[vector.Point]{Takes: "DX,DY", Parse: point.Parse}
)

// degrees is an angle, perhaps with its unit.
var degrees = value.Type[float64]{Takes: "DEGREES", Parse: func(s string) (float64, error) {
	f, err := number.Parse(strings.TrimSuffix(strings.TrimSuffix(s, "deg"), "°"))
	if err != nil {
		err = &value.Invalid{Why: "is not an angle in degrees; as a direction 0 is up, 90 right"}
	}
	return f, err
}}

// size is WxH, or one number for both.
var size = value.Type[value.Dimensions]{Takes: "WxH", Parse: func(s string) (value.Dimensions, error) {
	if f, ok := value.ParseNumber(s); ok && f > 0 && f <= maxCoordinate {
		return value.Dimensions{W: f, H: f}, nil
	}
	return sizeOfTwo.Parse(s)
}}

var sizeOfTwo = value.Size(0.001, maxCoordinate)

// colour is a colour of CSS, as it was written, or a variable.
var colour = value.Type[string]{Takes: "COLOUR", Parse: func(s string) (string, error) {
	if strings.HasPrefix(s, "var(") {
		return s, nil
	}
	return plainColour.Parse(s)
}}

var plainColour = value.Colour("currentColor", "inherit", "transparent")

// text is a key whose value needs a document, or may be anything.
func text(name, takes string) value.Key[string] {
	return value.Key[string]{Name: name, Type: value.Text(takes)}
}

// texts are such keys, each a name and what it takes.
func texts(keys ...string) (out []pdk.Parameter) {
	for key := range slices.Chunk(keys, 2) {
		out = append(out, text(key[0], key[1]))
	}
	return out
}
