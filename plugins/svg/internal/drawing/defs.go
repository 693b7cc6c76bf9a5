package drawing

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/css"
)

// defsNode is the element that definitions go into, which it makes where there is
// none.
func (o *op) defsNode() *node {
	for c := range o.f.Root.Kids() {
		if o.f.Type(c) == "defs" {
			return c
		}
	}
	return o.Insert(o.f.Root, o.home(), o.f.writer(element{name: "defs"}))
}

// define makes a definition, or gives one of that name what it is now. moved are
// the elements that are to go into it.
func (o *op) define(e element, moved []*node, types ...string) (*node, error) {
	id := e.attrs[0][1]
	if old := o.f.ByID(id); old != nil {
		for _, m := range moved {
			if m.Within(old) {
				return nil, pdk.Errorf("%s lies in the %s %s, which would be replaced", o.f.name(m), o.f.Type(old), id)
			}
		}
		for _, t := range types {
			if o.f.Type(old) == t {
				n := o.Insert(old.Parent, old, o.f.writer(e))
				o.Remove(old)
				return n, nil
			}
		}
		return nil, pdk.Errorf("the id %s is that of a %s", id, o.f.Type(old)).Instead(id, o.f.FreeID(id+"-", 1))
	}
	if err := o.newID(id); err != nil {
		return nil, err
	}
	d := o.defsNode()
	return o.Append(d, o.f.writer(e)), nil
}

// apply sets a property of the elements that for: names to a definition.
func (o *op) apply(id, property string) (string, error) {
	ref, ok := o.a.Param("for")
	if !ok && len(o.a.Selectors) == 0 {
		return "", nil
	}
	var list []*node
	if len(o.a.Selectors) > 0 {
		var err error
		if list, err = o.f.selected(o.Recent, o.a.Selectors, false); err != nil {
			return "", err
		}
		list = leaves(list)
	}
	for r := range strings.SplitSeq(ref, ",") {
		if !ok {
			break
		}
		n, err := o.f.find(r, false)
		if err != nil {
			return "", err
		}
		list = append(list, n)
	}
	p, _ := css.PropertyNamed(property)
	for _, n := range list {
		o.paintKey(n, p, "url(#"+id+")")
	}
	o.touch(list...)
	return ", " + property + " of " + o.f.names(list), nil
}

func forParam() abi.Param { return abi.Param{Key: "for", Value: "REF,REF that get it"} }

func gradientVerb() verb {
	return verb{Run: running(runGradient), Verb: abi.Verb{
		Name: "gradient", Category: "definitions", Select: true, Min: 1, Max: -1,
		Syntax:   `gradient NAME [linear|radial] stops:"COLOUR [AT], COLOUR…" [angle:DEGREES | from:X,Y to:X,Y] [spread:] [for:REF,REF|SEL]`,
		Brief:    `gradient NAME [linear|radial] stops:"red, #fff 40%, blue" [angle:DEGREES for:REF,REF] · a paint: style REF fill:NAME`,
		Summary:  "make a gradient, or change one; a colour may have an opacity behind a slash: red/0.5",
		Params:   []abi.Param{{Key: "stops", Value: "COLOUR[/OPACITY] [AT%], …"}, {Key: "angle", Value: "DEGREES: 0 to the right, 90 downwards"}, {Key: "from", Value: "X,Y as shares of the box"}, {Key: "to", Value: "X,Y as shares of the box"}, {Key: "spread", Value: "pad|reflect|repeat"}, forParam()},
		Examples: []string{`gradient sky stops:"#def, navy" angle:90 for:background`, `gradient glow radial stops:"gold, orange/0 100%"`},
	}}
}

func runGradient(o *op) error {
	kind := "linear"
	if words := o.a.Texts(1); len(words) > 1 && !o.a.Has("stops") {
		at := 1
		if _, ok := oneOf(words[0], []string{"linear", "radial"}); ok {
			at, words = 2, words[1:]
		}
		return pdk.Errorf(`the colours of a gradient are stops:"COLOUR, COLOUR"`).Try(mended(o.a, withWords(at, len(words)), withParam("stops", strings.Join(words, ", "))))
	}
	if len(o.a.Positionals) > 2 {
		return pdk.Errorf("gradient takes a name and linear or radial, so not %s", pdk.Quote(o.a.Text(2))).Try(mended(o.a, withWords(2, len(o.a.Positionals)-2)))
	}
	if len(o.a.Positionals) == 2 {
		var ok bool
		if kind, ok = oneOf(o.a.Text(1), []string{"linear", "radial"}); !ok {
			return pdk.Errorf("a gradient is linear or radial, not %s", pdk.Quote(o.a.Text(1))).Instead(o.a.Text(1), "linear", "radial")
		}
	}
	id := o.a.Text(0)
	stops, err := o.stops()
	if err != nil {
		return err
	}
	e := element{name: kind + "Gradient", attrs: [][2]string{{"id", id}}, kids: stops}
	angle, err := o.a.Float("angle", 0, -360, 360)
	if err != nil {
		return err
	}
	if kind == "linear" && (o.a.Has("angle") || o.a.Has("from") || o.a.Has("to")) {
		sin, cos := math.Sincos(angle * math.Pi / 180)
		k := 0.5 / math.Max(math.Abs(sin), math.Abs(cos))
		ends := map[string]string{"from": num(0.5-k*cos) + "," + num(0.5-k*sin), "to": num(0.5+k*cos) + "," + num(0.5+k*sin)}
		for i, key := range []string{"from", "to"} {
			p, err := point(key, o.a.String(key, ends[key]))
			if err != nil {
				return err
			}
			e.set("x"+strconv.Itoa(i+1), num(p.X))
			e.set("y"+strconv.Itoa(i+1), num(p.Y))
		}
	} else if o.a.Has("angle") {
		return pdk.Errorf("a radial gradient has no angle").Try(mended(o.a, without("angle")))
	}
	if v, ok := o.a.Param("spread"); ok {
		w, ok := oneOf(v, []string{"pad", "reflect", "repeat"})
		if !ok {
			return pdk.Errorf("spread:%s is not pad, reflect or repeat", v).Instead(v, "reflect")
		}
		e.set("spreadMethod", w)
	}
	n, err := o.define(e, nil, "linearGradient", "radialGradient")
	if err != nil {
		return err
	}
	o.touch(n)
	used, err := o.apply(id, "fill")
	if err != nil {
		return err
	}
	o.Created("%s gradient %s, %s%s", kind, o.f.name(n), plural(len(stops), "stop"), used)
	return nil
}

// stops reads stops:.
func (o *op) stops() ([]element, error) {
	v, ok := o.a.Param("stops")
	if !ok {
		return nil, pdk.Errorf(`a gradient needs stops:"COLOUR, COLOUR"`).Try(mended(o.a, withParam("stops", "white, black")))
	}
	parts := splitList(v)
	if len(parts) < 2 {
		return nil, pdk.Errorf("stops:%s: a gradient needs two colours at least", pdk.Quote(v))
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

// splitList cuts a list at its commas and semicolons, but for those in brackets.
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

var patterns = []string{"dots", "lines", "grid", "checks", "diagonal"}

func patternVerb() verb {
	return verb{Run: running(runPattern), Verb: abi.Verb{
		Name: "pattern", Category: "definitions", Select: true, Min: 1, Max: 2,
		Syntax:   "pattern NAME dots|lines|grid|checks|diagonal [size:N] [color:] [background:] [width:N] [for:REF,REF|SEL] | pattern NAME of:REF [gap:N]",
		Brief:    "pattern NAME dots|lines|grid|checks|diagonal [size: color: background: width: for:REF] | NAME of:REF [gap:] · a paint",
		Summary:  "make a pattern, or of: an element, which goes into it",
		Params:   []abi.Param{{Key: "size", Value: "N of a tile"}, {Key: "color", Value: "COLOUR"}, {Key: "background", Value: "COLOUR"}, {Key: "width", Value: "N of lines and dots"}, {Key: "of", Value: "REF"}, {Key: "gap", Value: "N between tiles"}, forParam()},
		Examples: []string{"pattern dotted dots size:8 color:#999 for:card", "pattern stars of:dot gap:4"},
	}}
}

func runPattern(o *op) error {
	id := o.a.Text(0)
	e := element{name: "pattern", attrs: [][2]string{{"id", id}}}
	e.set("patternUnits", "userSpaceOnUse")
	gap, err := o.a.Float("gap", 0, 0, most)
	if err != nil {
		return err
	}
	var source *node
	if ref, ok := o.a.Param("of"); ok {
		if source, err = o.f.find(ref, false); err != nil {
			return err
		}
		b, ok := o.scene().Painted(source)
		if !ok || source == o.f.Root {
			return pdk.Errorf("%s cannot be a pattern's tile", o.f.name(source))
		}
		e.set("x", num(b.X0-gap/2))
		e.set("y", num(b.Y0-gap/2))
		e.set("width", num(b.Width()+gap))
		e.set("height", num(b.Height()+gap))
	} else if err := o.tile(&e); err != nil {
		return err
	}
	var into []*node
	if source != nil {
		into = append(into, source)
	}
	n, err := o.define(e, into, "pattern")
	if err != nil {
		return err
	}
	if source != nil {
		if n.Within(source) {
			return pdk.Errorf("%s lies in %s", id, o.f.name(source))
		}
		if err := o.reparent(source, n); err != nil {
			return err
		}
	}
	o.touch(n)
	used, err := o.apply(id, "fill")
	if err != nil {
		return err
	}
	o.Created("pattern %s %sx%s%s", o.f.name(n), n.Get("width"), n.Get("height"), used)
	return nil
}

// tile draws the tile of a pattern with a name.
func (o *op) tile(e *element) error {
	kind, ok := oneOf(o.a.Text(1), patterns)
	if !ok {
		return pdk.Errorf("a pattern is one of %s, or of:REF", strings.Join(patterns, " ")).Instead(o.a.Text(1), pdk.Nearest(o.a.Text(1), patterns)...)
	}
	s, err := o.a.Float("size", 10, 0.1, most)
	if err != nil {
		return err
	}
	w, err := o.a.Float("width", map[string]float64{"dots": s / 3}[kind], 0, most)
	if err != nil {
		return err
	}
	if w == 0 {
		w = 1
	}
	ink, err := color("color", o.a.String("color", "black"))
	if err != nil {
		return err
	}
	e.set("width", num(s))
	e.set("height", num(s))
	if v, ok := o.a.Param("background"); ok {
		c, err := color("background", v)
		if err != nil {
			return err
		}
		e.kids = append(e.kids, element{name: "rect", attrs: [][2]string{{"width", num(s)}, {"height", num(s)}, {"fill", c}}})
	}
	stroke := func(d string) element {
		return element{name: "path", attrs: [][2]string{{"d", d}, {"fill", "none"}, {"stroke", ink}, {"stroke-width", num(w)}}}
	}
	half := num(s / 2)
	switch kind {
	case "dots":
		e.kids = append(e.kids, element{name: "circle", attrs: [][2]string{{"cx", half}, {"cy", half}, {"r", num(w / 2)}, {"fill", ink}}})
	case "lines":
		e.kids = append(e.kids, stroke("M0 "+half+"H"+num(s)))
	case "grid":
		e.kids = append(e.kids, stroke("M0 "+half+"H"+num(s)+"M"+half+" 0V"+num(s)))
	case "checks":
		e.kids = append(e.kids, element{name: "path", attrs: [][2]string{{"d", "M0 0H" + half + "V" + num(s) + "H" + num(s) + "V" + half + "H0Z"}, {"fill", ink}}})
	case "diagonal":
		e.set("patternTransform", "rotate(45)")
		e.kids = append(e.kids, stroke("M0 "+half+"H"+num(s)))
	}
	return nil
}

var heads = []string{"arrow", "dot", "square", "diamond", "bar", "open"}

func markerVerb() verb {
	return verb{Run: running(runMarker), Verb: abi.Verb{
		Name: "marker", Category: "definitions", Select: true, Min: 2, Max: 2,
		Syntax: "marker NAME arrow|dot|square|diamond|bar|open [size:N] [color:] [for:REF,REF|SEL]", Brief: "marker NAME arrow|dot|square|diamond|bar|open [size: color: for:REF] · the end of a line: style REF marker-end:NAME", Summary: "make a marker for the ends of lines; size: is in stroke widths",
		Params:   []abi.Param{{Key: "size", Value: "N stroke widths"}, {Key: "color", Value: "COLOUR; the line's own otherwise"}, forParam()},
		Examples: []string{"marker arrow arrow for:axis", "marker knob dot size:4 color:red"},
	}}
}

func runMarker(o *op) error {
	id := o.a.Text(0)
	kind, ok := oneOf(o.a.Text(1), heads)
	if !ok {
		return pdk.Errorf("a marker is one of %s", strings.Join(heads, " ")).Instead(o.a.Text(1), pdk.Nearest(o.a.Text(1), heads)...)
	}
	s, err := o.a.Float("size", 6, 0.1, most)
	if err != nil {
		return err
	}
	ink := "context-stroke"
	if v, ok := o.a.Param("color"); ok {
		if ink, err = color("color", v); err != nil {
			return err
		}
	}
	e := element{name: "marker", attrs: [][2]string{{"id", id}, {"viewBox", "0 0 10 10"}, {"refX", "5"}, {"refY", "5"}, {"markerWidth", num(s)}, {"markerHeight", num(s)}, {"orient", "auto-start-reverse"}}}
	shape := element{name: "path", attrs: [][2]string{{"d", ""}, {"fill", ink}}}
	switch kind {
	case "arrow":
		shape.set("d", "M0 0L10 5L0 10Z")
		e.set("refX", "9")
	case "dot":
		shape = element{name: "circle", attrs: [][2]string{{"cx", "5"}, {"cy", "5"}, {"r", "4"}, {"fill", ink}}}
	case "square":
		shape.set("d", "M1 1H9V9H1Z")
	case "diamond":
		shape.set("d", "M0 5L5 0L10 5L5 10Z")
	case "bar":
		shape.set("d", "M4 0H6V10H4Z")
	case "open":
		shape = element{name: "path", attrs: [][2]string{{"d", "M1 1L9 5L1 9"}, {"fill", "none"}, {"stroke", ink}, {"stroke-width", "1.5"}}}
		e.set("refX", "9")
	}
	e.kids = []element{shape}
	n, err := o.define(e, nil, "marker")
	if err != nil {
		return err
	}
	o.touch(n)
	used, err := o.apply(id, "marker-end")
	if err != nil {
		return err
	}
	o.Created("marker %s %s%s", o.f.name(n), kind, used)
	return nil
}

var effects = []string{"shadow", "blur", "glow", "grayscale", "sepia", "brighten"}

func filterVerb() verb {
	return verb{Run: running(runFilter), Verb: abi.Verb{
		Name: "filter", Category: "definitions", Select: true, Min: 2, Max: 2,
		Syntax: "filter NAME shadow|blur|glow|grayscale|sepia|brighten [blur:N] [dx:] [dy:] [color:] [opacity:] [amount:] [for:REF,REF|SEL]", Brief: "filter NAME shadow|blur|glow|grayscale|sepia|brighten [blur: dx: dy: color: opacity: amount: for:REF] · style REF filter:NAME", Summary: "make a filter",
		Params:   []abi.Param{{Key: "blur", Value: "N"}, {Key: "dx", Value: "N"}, {Key: "dy", Value: "N"}, {Key: "color", Value: "COLOUR"}, {Key: "opacity", Value: "0-1"}, {Key: "amount", Value: "0-1, or more to brighten"}, forParam()},
		Examples: []string{"filter soft shadow blur:3 dy:2 opacity:0.3 for:card", "filter fog blur blur:4"},
	}}
}

func runFilter(o *op) error {
	id := o.a.Text(0)
	kind, ok := oneOf(o.a.Text(1), effects)
	if !ok {
		return pdk.Errorf("a filter is one of %s", strings.Join(effects, " ")).Instead(o.a.Text(1), pdk.Nearest(o.a.Text(1), effects)...)
	}
	v := map[string]float64{"blur": 3, "dx": 0, "dy": 2, "opacity": 0.4, "amount": 1}
	if kind == "glow" {
		v["dy"], v["opacity"] = 0, 1
	}
	if kind == "brighten" {
		v["amount"] = 1.3
	}
	for _, key := range []string{"blur", "dx", "dy", "opacity", "amount"} {
		var err error
		lo, hi := 0.0, 1000.0
		if key == "dx" || key == "dy" {
			lo = -1000
		}
		if key == "opacity" {
			hi = 1
		}
		if v[key], err = o.a.Float(key, v[key], lo, hi); err != nil {
			return err
		}
	}
	ink, err := color("color", o.a.String("color", map[string]string{"glow": "gold"}[kind]+map[bool]string{true: "black"}[kind != "glow"]))
	if err != nil {
		return err
	}
	e := element{name: "filter", attrs: [][2]string{{"id", id}}}
	one := func(name string, attrs ...[2]string) { e.kids = append(e.kids, element{name: name, attrs: attrs}) }
	switch kind {
	case "shadow", "glow":
		one("feDropShadow", [2]string{"dx", num(v["dx"])}, [2]string{"dy", num(v["dy"])}, [2]string{"stdDeviation", num(v["blur"])}, [2]string{"flood-color", ink}, [2]string{"flood-opacity", num(v["opacity"])})
		for _, a := range [][2]string{{"x", "-50%"}, {"y", "-50%"}, {"width", "200%"}, {"height", "200%"}} {
			e.set(a[0], a[1])
		}
	case "blur":
		one("feGaussianBlur", [2]string{"stdDeviation", num(v["blur"])})
	case "grayscale":
		one("feColorMatrix", [2]string{"type", "saturate"}, [2]string{"values", num(math.Max(0, 1-v["amount"]))})
	case "sepia":
		one("feColorMatrix", [2]string{"type", "matrix"}, [2]string{"values", "0.393 0.769 0.189 0 0 0.349 0.686 0.168 0 0 0.272 0.534 0.131 0 0 0 0 0 1 0"})
	case "brighten":
		k := num(v["amount"])
		one("feColorMatrix", [2]string{"type", "matrix"}, [2]string{"values", k + " 0 0 0 0 0 " + k + " 0 0 0 0 0 " + k + " 0 0 0 0 0 1 0"})
	}
	n, err := o.define(e, nil, "filter")
	if err != nil {
		return err
	}
	o.touch(n)
	used, err := o.apply(id, "filter")
	if err != nil {
		return err
	}
	o.Created("filter %s %s%s", o.f.name(n), kind, used)
	return nil
}

// holderVerb is clip and mask: shapes move into a definition.
func holderVerb(name, typ, property, what string) verb {
	return verb{Verb: abi.Verb{
		Name: name, Category: "definitions", Min: 2, Max: -1,
		Syntax: name + " NAME REF… [for:REF,REF]", Brief: name + " NAME REF… [for:REF,REF] · " + what, Summary: what,
		Params:   []abi.Param{forParam()},
		Examples: []string{name + " round dot for:card"},
	}, Run: running(func(o *op) error {
		id := o.a.Text(0)
		list, err := o.placed(1, len(o.a.Positionals))
		if err != nil {
			return err
		}
		n, err := o.define(element{name: typ, attrs: [][2]string{{"id", id}}}, list, typ)
		if err != nil {
			return err
		}
		for _, c := range list {
			if n.Within(c) {
				return pdk.Errorf("%s lies in %s", o.f.name(n), o.f.name(c))
			}
			if err := o.reparent(c, n); err != nil {
				return err
			}
		}
		o.touch(n)
		used, err := o.apply(id, property)
		if err != nil {
			return err
		}
		o.Created("%s %s of %s%s", name, o.f.name(n), o.f.names(list), used)
		return nil
	})}
}

func clipVerb() verb {
	return holderVerb("clip", "clipPath", "clip-path", "shapes become the only part that is seen of what has it")
}

func maskVerb() verb {
	return holderVerb("mask", "mask", "mask", "shapes become what shows what has it: white all, black nothing")
}
