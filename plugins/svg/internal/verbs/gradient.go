package verbs

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

var (
	turn   = value.Key[float64]{Name: "angle", Type: value.Number(-360, 360), About: ", degrees: 0 to the right, 90 downwards"}
	starts = value.Key[vector.Point]{Name: "from", Type: point, About: " as shares of the box"}
	ends   = value.Key[vector.Point]{Name: "to", Type: point, About: " as shares of the box"}
	spread = value.Key[string]{Name: "spread", Type: value.OneOf("pad", "reflect", "repeat")}
	stops  = value.Key[[]element]{Name: "stops", Type: value.Type[[]element]{Takes: "COLOUR[/OPACITY] [AT%], …", Parse: readStops}}
)

func gradientVerb() verb {
	return verb{Run: running(runGradient), Keys: []pdk.Parameter{stops, turn, starts, ends, spread, takers}, Verb: abi.Verb{
		Name: "gradient", Category: "definitions", Select: true, Min: 1, Max: -1,
		Syntax:   `gradient NAME [linear|radial] stops:"COLOUR [AT], COLOUR…" [angle:DEGREES | from:X,Y to:X,Y] [spread:] [for:REF,REF|SEL]`,
		Brief:    `gradient NAME [linear|radial] stops:"red, #fff 40%, blue" [angle:DEGREES for:REF,REF] · then fill:NAME`,
		Summary:  "make a gradient, or change one: what is not given stays; a colour may have an opacity after a slash: red/0.5",
		Examples: []string{`gradient sky stops:"#def, navy" angle:90 for:background`, `gradient glow radial stops:"gold, orange/0 100%"`},
	}}
}

func runGradient(o *op) error {
	id := o.a.Text(0)
	if id == "" {
		return pdk.Errorf("gradient takes a name first")
	}
	old := o.f.ByID(id)
	if old != nil && !isGradient(old.Type) {
		old = nil
	}
	kind, err := o.gradientKind(old)
	if err != nil {
		return err
	}
	if old != nil && old.Type == kind+"Gradient" {
		return o.changeGradient(old, kind)
	}
	list, err := o.stops()
	if err != nil {
		return err
	}
	attrs, err := o.gradientAttributes(kind)
	if err != nil {
		return err
	}
	was := ""
	if old != nil {
		was = strings.Replace(old.Type, "Gradient", " gradient", 1)
	}
	e := element{name: kind + "Gradient", attrs: append([][2]string{{"id", id}}, attrs...), kids: list}
	return o.makeDef(e, "fill", nil, 0, func(n *node, _ []*node) string {
		if was != "" {
			o.Warn("%s was a %s: its direction and units are gone", id, was)
		}
		return kind + " gradient " + o.f.Ref(n) + ", " + pdk.Count(len(list), "stop")
	})
}

// gradientKind reads whether a gradient is linear or radial: as the op says, as the old one is, or linear.
func (o *op) gradientKind(old *node) (string, error) {
	names := []string{"linear", "radial"}
	kinds := value.OneOf(names...)
	if words := o.a.Texts(1); len(words) > 1 && !o.a.Has(stops.Name) {
		at := 1
		if _, err := kinds.Parse(words[0]); err == nil {
			at, words = 2, words[1:]
		}
		return "", pdk.Errorf(`the colours of a gradient are stops:"COLOUR, COLOUR"`).Try(o.a.Mended(pdk.WithWords(at, len(words)), pdk.WithParam(stops.Name, strings.Join(words, ", "))))
	}
	switch len(o.a.Positionals) {
	case 1:
		if old != nil {
			return strings.TrimSuffix(old.Type, "Gradient"), nil
		}
		return "linear", nil
	case 2:
		if o.a.Has(turn.Name) { // which is of linear ones
			names = names[:1]
		}
		kind, err := kinds.Word(o.a, 1, "the gradient")
		if bad, ok := err.(*pdk.Error); ok {
			return "", bad.Instead(o.a.Text(1), names...)
		}
		return kind, err
	}
	return "", pdk.Errorf("gradient takes a name and linear or radial, so not %s", pdk.Quote(o.a.Text(2))).Try(o.a.Mended(pdk.WithWords(2, len(o.a.Positionals)-2)))
}

func isGradient(typ string) bool { return typ == "linearGradient" || typ == "radialGradient" }

// changeGradient changes what the op gives of a gradient, and leaves the rest as it is.
func (o *op) changeGradient(n *node, kind string) error {
	attrs, err := o.gradientAttributes(kind)
	if err != nil {
		return err
	}
	var said []string
	if o.a.Has(stops.Name) || len(attrs) == 0 && len(o.a.Selectors) == 0 && !o.a.Has(takers.Name) {
		list, err := o.stops()
		if err != nil {
			return err
		}
		o.replaceStops(n, list)
		said = append(said, pdk.Count(len(list), "stop"))
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
		if !o.f.InBoxes(o.scene(), n) {
			o.SetAttr(n, "gradientUnits", "objectBoundingBox")
		}
	}
	list, err := o.defTargets()
	if err != nil {
		return err
	}
	o.touch(n)
	o.unchanged = o.f.Ref(n) + ": no change"
	o.Changed("%s gradient %s %s%s", kind, o.f.Ref(n), strings.Join(said, " "), o.apply(list, n.ID(), "fill"))
	return nil
}

// replaceStops replaces the stops of a gradient. It does nothing if they are the same.
func (o *op) replaceStops(n *node, stops []element) {
	var old []*node
	for c := range n.Kids() {
		if c.Type == "stop" {
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
		after = o.Insert(n, after, writer(o.f, s))
	}
	for _, c := range old {
		if c.First != nil {
			o.Warn("a stop of %s is gone with what was in it: %s", o.f.Ref(n), o.f.Ref(c.First))
		}
		o.Remove(c)
	}
}

// gradientAttributes reads the parameters for the direction and the end of a gradient.
func (o *op) gradientAttributes(kind string) (out [][2]string, err error) {
	directed := false
	for _, key := range []string{turn.Name, starts.Name, ends.Name} {
		directed = directed || o.a.Has(key)
		if kind == "radial" && o.a.Has(key) {
			return nil, pdk.Errorf("a radial gradient has no %s", key).Try(o.a.Mended(pdk.Without(key)))
		}
	}
	if directed {
		sin, cos := math.Sincos(turn.Of(o.a) * math.Pi / 180)
		k := 0.5 / math.Max(math.Abs(sin), math.Abs(cos))
		from, to := starts, ends
		from.Default, to.Default = vector.Point{X: 0.5 - k*cos, Y: 0.5 - k*sin}, vector.Point{X: 0.5 + k*cos, Y: 0.5 + k*sin}
		p, q := from.Of(o.a), to.Of(o.a)
		out = [][2]string{{"x1", model.Num(p.X)}, {"y1", model.Num(p.Y)}, {"x2", model.Num(q.X)}, {"y2", model.Num(q.Y)}}
	}
	if v, ok := spread.Lookup(o.a); ok {
		out = append(out, [2]string{"spreadMethod", v})
	}
	return out, nil
}

// stops returns the stops that the op gives.
func (o *op) stops() ([]element, error) {
	list, ok := stops.Lookup(o.a)
	if !ok {
		return nil, pdk.Errorf(`a gradient needs stops:"COLOUR, COLOUR"`).Try(o.a.Mended(pdk.WithParam(stops.Name, "white, black")))
	}
	return list, nil
}

// readStops reads the stops of a gradient.
func readStops(v string) (out []element, err error) {
	parts := splitList(v)
	if len(parts) < 2 {
		return nil, &value.Invalid{Why: "has less than two colours, which a gradient needs"}
	}
	for i, part := range parts {
		words := strings.Fields(part)
		at := float64(i) / float64(len(parts)-1)
		if n := len(words); n > 1 {
			if f, ok := model.Fraction(words[n-1]); ok {
				if f > 1 && !strings.HasSuffix(part, "%") {
					f /= 100
				}
				at, words = f, words[:n-1]
			}
		}
		paint := strings.Join(words, " ")
		name, alpha, faded := strings.Cut(paint, "/")
		if strings.Contains(name, "(") {
			name, faded = paint, false
		}
		c, err := colour.Parse(name)
		if err != nil {
			bad := err.(*value.Invalid)
			for i, near := range bad.Near {
				bad.Near[i] = strings.Replace(v, name, near, 1)
			}
			bad.Why = "has " + pdk.Quote(name) + ", which " + bad.Why
			return nil, bad
		}
		if at < 0 || at > 1 {
			return nil, &value.Invalid{Why: "has a stop that is not within 0% to 100%: " + part}
		}
		s := element{name: "stop", attrs: [][2]string{{"offset", model.Num(at)}, {"stop-color", c}}}
		if faded {
			f, ok := model.Fraction(alpha)
			if !ok || f < 0 || f > 1 {
				return nil, &value.Invalid{Why: "has an opacity that is not from 0 to 1: " + alpha}
			}
			s.set("stop-opacity", model.Num(f))
		}
		out = append(out, s)
	}
	return out, nil
}

// splitList splits a list at commas and semicolons outside of brackets.
func splitList(v string) (out []string) {
	for v != "" {
		end := css.IndexOutside(v, ",;")
		if s := strings.TrimSpace(v[:end]); s != "" {
			out = append(out, s)
		}
		v = v[min(end+1, len(v)):]
	}
	return out
}
