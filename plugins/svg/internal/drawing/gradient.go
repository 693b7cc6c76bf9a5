package drawing

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func gradientVerb() verb {
	return verb{Run: running(runGradient), Verb: abi.Verb{
		Name: "gradient", Category: "definitions", Select: true, Min: 1, Max: -1,
		Syntax:   `gradient NAME [linear|radial] stops:"COLOUR [AT], COLOUR…" [angle:DEGREES | from:X,Y to:X,Y] [spread:] [for:REF,REF|SEL]`,
		Brief:    `gradient NAME [linear|radial] stops:"red, #fff 40%, blue" [angle:DEGREES for:REF,REF] · then fill:NAME`,
		Summary:  "make a gradient, or change one: what is not given stays; a colour may have an opacity after a slash: red/0.5",
		Params:   []abi.Param{{Key: "stops", Value: "COLOUR[/OPACITY] [AT%], …"}, {Key: "angle", Value: "DEGREES: 0 to the right, 90 downwards"}, {Key: "from", Value: "X,Y as shares of the box"}, {Key: "to", Value: "X,Y as shares of the box"}, {Key: "spread", Value: "pad|reflect|repeat"}, forParam()},
		Examples: []string{`gradient sky stops:"#def, navy" angle:90 for:background`, `gradient glow radial stops:"gold, orange/0 100%"`},
	}}
}

func runGradient(o *op) error {
	old := o.f.ByID(o.a.Text(0))
	if old != nil && !isGradient(o.f.Type(old)) {
		old = nil
	}
	kind := "linear"
	if old != nil {
		kind = strings.TrimSuffix(o.f.Type(old), "Gradient")
	}
	if words := o.a.Texts(1); len(words) > 1 && !o.a.Has("stops") {
		at := 1
		if _, ok := pdk.OneOf(words[0], []string{"linear", "radial"}); ok {
			at, words = 2, words[1:]
		}
		return pdk.Errorf(`the colours of a gradient are stops:"COLOUR, COLOUR"`).Try(o.a.Mended(pdk.WithWords(at, len(words)), pdk.WithParam("stops", strings.Join(words, ", "))))
	}
	if len(o.a.Positionals) > 2 {
		return pdk.Errorf("gradient takes a name and linear or radial, so not %s", pdk.Quote(o.a.Text(2))).Try(o.a.Mended(pdk.WithWords(2, len(o.a.Positionals)-2)))
	}
	if len(o.a.Positionals) == 2 {
		var ok bool
		if kind, ok = pdk.OneOf(o.a.Text(1), []string{"linear", "radial"}); !ok {
			kinds := []string{"linear", "radial"}
			if o.a.Has("angle") { // which is of linear ones
				kinds = kinds[:1]
			}
			return pdk.Errorf("a gradient is linear or radial, not %s", pdk.Quote(o.a.Text(1))).Instead(o.a.Text(1), kinds...)
		}
	}
	if old != nil && o.f.Type(old) == kind+"Gradient" {
		return o.changeGradient(old, kind)
	}
	stops, err := o.stops()
	if err != nil {
		return err
	}
	e := element{name: kind + "Gradient", attrs: [][2]string{{"id", o.a.Text(0)}}, kids: stops}
	attrs, err := o.gradientAttributes(kind)
	if err != nil {
		return err
	}
	e.attrs = append(e.attrs, attrs...)
	takers, err := o.defTargets()
	if err != nil {
		return err
	}
	n, err := o.define(e, takers, "linearGradient", "radialGradient")
	if err != nil {
		return err
	}
	if old != nil {
		o.Warn("%s was a %s: its direction and units are gone", o.a.Text(0), strings.Replace(o.f.Type(old), "Gradient", " gradient", 1))
	}
	o.touch(n)
	o.defined(old != nil, "%s gradient %s, %s%s", kind, o.f.name(n), plural(len(stops), "stop"), o.apply(takers, o.a.Text(0), "fill"))
	return nil
}

func isGradient(typ string) bool { return typ == "linearGradient" || typ == "radialGradient" }

// changeGradient changes what the op gives of a gradient, and leaves the rest as it is.
func (o *op) changeGradient(n *node, kind string) error {
	attrs, err := o.gradientAttributes(kind)
	if err != nil {
		return err
	}
	var said []string
	if o.a.Has("stops") || len(attrs) == 0 && len(o.a.Selectors) == 0 && !o.a.Has("for") {
		stops, err := o.stops()
		if err != nil {
			return err
		}
		o.replaceStops(n, stops)
		said = append(said, plural(len(stops), "stop"))
	}
	turned := false
	for _, a := range attrs {
		turned = turned || a[0] == "x1"
		o.SetAttr(n, a[0], a[1])
		said = append(said, a[0]+":"+a[1])
	}
	if turned { // from shares of the box
		o.DropAttr(n, "gradientTransform")
		o.DropAttr(n, "gradientUnits")
		if !o.f.inBoxes(o.scene(), n) {
			o.SetAttr(n, "gradientUnits", "objectBoundingBox")
		}
	}
	takers, err := o.defTargets()
	if err != nil {
		return err
	}
	o.touch(n)
	o.unchanged = o.f.name(n) + ": no change"
	o.Changed("%s gradient %s %s%s", kind, o.f.name(n), strings.Join(said, " "), o.apply(takers, n.ID(), "fill"))
	return nil
}

// replaceStops replaces the stops of a gradient. It does nothing if they are the same.
func (o *op) replaceStops(n *node, stops []element) {
	var old []*node
	for c := range n.Kids() {
		if o.f.Type(c) == "stop" {
			old = append(old, c)
		}
	}
	same := len(old) == len(stops)
	for i := 0; same && i < len(stops); i++ {
		attrs := 0
		for range old[i].Attrs() {
			attrs++
		}
		same = attrs == len(stops[i].attrs) && old[i].First == nil
		for _, a := range stops[i].attrs {
			same = same && old[i].Get(a[0]) == a[1]
		}
	}
	if same {
		return
	}
	after := n.Last
	if len(old) > 0 {
		after = old[len(old)-1]
	}
	for _, s := range stops {
		after = o.Insert(n, after, o.f.writer(s))
	}
	for _, c := range old {
		if c.First != nil {
			o.Warn("a stop of %s is gone with what was in it: %s", o.f.name(n), o.f.name(c.First))
		}
		o.Remove(c)
	}
}

// gradientAttributes reads the parameters for the direction and the end of a gradient.
func (o *op) gradientAttributes(kind string) (out [][2]string, err error) {
	angle, err := o.a.Float("angle", 0, -360, 360)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"angle", "from", "to"} {
		if kind == "radial" && o.a.Has(key) {
			return nil, pdk.Errorf("a radial gradient has no %s", key).Try(o.a.Mended(pdk.Without(key)))
		}
	}
	if o.a.Has("angle") || o.a.Has("from") || o.a.Has("to") {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		k := 0.5 / math.Max(math.Abs(sin), math.Abs(cos))
		ends := map[string]string{"from": num(0.5-k*cos) + "," + num(0.5-k*sin), "to": num(0.5+k*cos) + "," + num(0.5+k*sin)}
		for i, key := range []string{"from", "to"} {
			p, err := point(key, o.a.String(key, ends[key]))
			if err != nil {
				return nil, err
			}
			n := strconv.Itoa(i + 1)
			out = append(out, [2]string{"x" + n, num(p.X)}, [2]string{"y" + n, num(p.Y)})
		}
	}
	if v, ok := o.a.Param("spread"); ok {
		w, ok := pdk.OneOf(v, []string{"pad", "reflect", "repeat"})
		if !ok {
			return nil, pdk.Errorf("spread:%s is not pad, reflect or repeat", v).Instead(v, "reflect")
		}
		out = append(out, [2]string{"spreadMethod", w})
	}
	return out, nil
}

// stops reads the parameter stops:.
func (o *op) stops() ([]element, error) {
	v, ok := o.a.Param("stops")
	if !ok {
		return nil, pdk.Errorf(`a gradient needs stops:"COLOUR, COLOUR"`).Try(o.a.Mended(pdk.WithParam("stops", "white, black")))
	}
	parts := splitList(v)
	if len(parts) < 2 {
		return nil, pdk.Errorf("stops:%s: a gradient needs at least two colours", pdk.Quote(v))
	}
	var out []element
	for i, part := range parts {
		words := strings.Fields(part)
		at := float64(i) / float64(len(parts)-1)
		if n := len(words); n > 1 {
			share, isShare := strings.CutSuffix(words[n-1], "%")
			if f, ok := number(share); ok {
				if isShare || f > 1 {
					f /= 100
				}
				at, words = f, words[:n-1]
			}
		}
		text, alpha, faded := strings.Cut(strings.Join(words, " "), "/")
		if strings.Contains(text, "(") {
			text, faded = strings.Join(words, " "), false
		}
		c, err := color("stops", text)
		if err != nil {
			return nil, err
		}
		if at < 0 || at > 1 {
			return nil, pdk.Errorf("stops: %s is not within 0%% to 100%%", words)
		}
		s := element{name: "stop", attrs: [][2]string{{"offset", num(at)}, {"stop-color", c}}}
		if faded {
			f, ok := number(strings.TrimSuffix(alpha, "%"))
			if strings.HasSuffix(alpha, "%") {
				f /= 100
			}
			if !ok || f < 0 || f > 1 {
				return nil, pdk.Errorf("stops: %s is not an opacity from 0 to 1", pdk.Quote(alpha))
			}
			s.set("stop-opacity", num(f))
		}
		out = append(out, s)
	}
	return out, nil
}

// splitList splits a list at commas and semicolons outside of brackets.
func splitList(v string) (out []string) {
	depth, from := 0, 0
	for i := 0; i <= len(v); i++ {
		switch {
		case i == len(v), depth == 0 && (v[i] == ',' || v[i] == ';'):
			if s := strings.TrimSpace(v[from:i]); s != "" {
				out = append(out, s)
			}
			from = i + 1
		case v[i] == '(':
			depth++
		case v[i] == ')':
			depth--
		}
	}
	return out
}
