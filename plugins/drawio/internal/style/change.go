package style

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/pdk"
)

// Target is the kind of cell that a change applies to.
type Target int

// The targets. A change that fits both has the two bits set.
const (
	Vertex Target = 1 << iota
	Edge
)

// Changes is a list of checked changes of a style, in the order given.
type Changes struct {
	More []Theme // themes in addition to those of this package

	list []change
}

type change struct {
	name string
	fits Target
	do   func(Style, Target) Style
}

// Len returns the number of changes.
func (c *Changes) Len() int { return len(c.list) }

// Words formats the changes for a reply.
func (c *Changes) Words() string {
	out := pdk.Map(c.list, func(x change) string { return x.name })
	return strings.Join(out, " ")
}

func (c *Changes) add(name string, fits Target, do func(Style, Target) Style) {
	c.list = append(c.list, change{name, fits, do})
}

// Apply applies the changes. A change that does not fit the target is an error.
func (c *Changes) Apply(s Style, t Target) (Style, error) {
	for _, x := range c.list {
		if x.fits&t == 0 {
			what := pdk.If(x.fits == Edge, "edges", "shapes")
			return s, fmt.Errorf("%s is for %s", x.name, what)
		}
		s = x.do(s, t)
	}
	return s, nil
}

// flagTable and keyTable are built when first needed and never written to.
var flagTable, keyTable = sync.OnceValue(flags), sync.OnceValue(keys)

// Flags lists the words that Flag accepts, in order.
func Flags() []string {
	var out []string
	for name := range flagTable() {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// LineFlags lists the flags that make sense for a new edge.
func LineFlags() []string {
	return []string{"solid", "dashed", "dotted", "thick", "curved", "straight", "orthogonal", "elbow", "er", "rounded", "shadow", "bold", "italic"}
}

// Flag adds a change named by a single word.
func (c *Changes) Flag(word string) error {
	x, ok := flagTable()[strings.ToLower(word)]
	if !ok {
		return fmt.Errorf("unknown style %q%s", word, nearest(word, Flags()))
	}
	c.list = append(c.list, x)
	return nil
}

// Set adds a change by key and value: one of this domain's words, a flag with true or false, or a key of draw.io.
func (c *Changes) Set(key, value string) error {
	key = Key(key)
	if strings.ContainsAny(value, ";\n\r") {
		return fmt.Errorf("%s: a style value cannot hold ; or a line end", key)
	}
	word := func(internal, value string, fits Target) {
		c.add(key+":"+value, fits, func(s Style, _ Target) Style { return s.Set(internal, value) })
	}
	switch key {
	case "theme":
		return c.theme(value)
	case "unset":
		return c.unset(value)
	case "source-arrow", "target-arrow":
		return c.head(key, value)
	case "exit", "entry":
		return c.port(key, value)
	case "align":
		return c.oneOf(key, "align", value, "left", "center", "right")
	case "valign":
		return c.oneOf(key, "verticalAlign", value, "top", "middle", "bottom")
	case "fill":
		return c.color(key, "fillColor", value)
	case "stroke":
		return c.color(key, "strokeColor", value)
	case "font-color":
		return c.color(key, "fontColor", value)
	case "font":
		if value == "" {
			return fmt.Errorf("font: needs a family, such as font:Helvetica")
		}
		word("fontFamily", value, Vertex|Edge)
		return nil
	case "font-size":
		return c.number(key, "fontSize", value, 1, 400)
	case "opacity":
		return c.number(key, "opacity", value, 0, 100)
	case "stroke-width":
		return c.number(key, "strokeWidth", value, 0, 100)
	}
	if _, ok := flagTable()[key]; ok {
		return c.flagValue(key, value)
	}
	kind, ok := keyTable()[key]
	if !ok {
		return fmt.Errorf("unknown style key %q%s", key, nearest(key, KeyNames()))
	}
	switch kind {
	case isColor:
		return c.color(key, key, value)
	case isNumber:
		lo, hi := span(key)
		return c.number(key, key, value, lo, hi)
	case isFlag:
		return c.oneOf(key, key, value, "0", "1")
	case isHead:
		v, ok := Head(value)
		if !ok {
			return UnknownHead(value)
		}
		value = v
	}
	if value == "" {
		return fmt.Errorf("%s: needs a value", key)
	}
	word(key, value, Vertex|Edge)
	return nil
}

// flagValue adds a flag with a value: true or false, or for a key of draw.io of that name another word.
func (c *Changes) flagValue(key, value string) error {
	switch strings.ToLower(value) {
	case "true", "1", "yes", "on":
		return c.Flag(key)
	case "false", "0", "no", "off":
		if _, ok := flagTable()["no-"+key]; ok {
			return c.Flag("no-" + key)
		}
		return fmt.Errorf("%s:%s: %s cannot be switched off; choose another", key, value, key)
	}
	if keyTable()[key] == isText && hasKey(key) { // elbow:vertical
		c.add(key+":"+value, Vertex|Edge, func(s Style, _ Target) Style { return s.Set(key, value) })
		return nil
	}
	return fmt.Errorf("%s:%s is neither true nor false", key, value)
}

// hasKey reports whether draw.io has a style key.
func hasKey(key string) bool {
	_, ok := keyTable()[key]
	return ok
}

// inFile maps the keys of this domain to those of draw.io.
func inFile(key string) []string {
	switch key {
	case "fill", "stroke":
		return []string{key + "Color"}
	case "font-color":
		return []string{"fontColor"}
	case "font":
		return []string{"fontFamily"}
	case "font-size":
		return []string{"fontSize"}
	case "stroke-width":
		return []string{"strokeWidth"}
	case "valign":
		return []string{"verticalAlign"}
	case "source-arrow":
		return []string{"startArrow", "startFill"}
	case "target-arrow":
		return []string{"endArrow", "endFill"}
	case "exit", "entry":
		return []string{key + "X", key + "Y", key + "Dx", key + "Dy", key + "Perimeter"}
	case "theme":
		return []string{"fillColor", "strokeColor", "fontColor"}
	}
	return []string{key}
}

// unset removes keys, so that what draw.io does without them applies.
func (c *Changes) unset(list string) error {
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		keys := inFile(Key(word))
		c.add("unset:"+word, Vertex|Edge, func(s Style, _ Target) Style {
			for _, k := range keys {
				s = s.Drop(k)
			}
			return s
		})
	}
	if strings.Trim(list, ", ") == "" {
		return fmt.Errorf("unset: needs the keys to remove, such as unset:dashed,opacity")
	}
	return nil
}

func (c *Changes) oneOf(key, internal, value string, allowed ...string) error {
	for _, a := range allowed {
		if strings.EqualFold(a, value) {
			c.add(key+":"+a, Vertex|Edge, func(s Style, _ Target) Style { return s.Set(internal, a) })
			return nil
		}
	}
	return fmt.Errorf("%s:%s is not one of %s", key, value, strings.Join(allowed, " "))
}

func (c *Changes) number(key, internal, value string, lo, hi float64) error {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || !(f >= lo && f <= hi) || strings.Trim(value, "+-.0123456789") != "" {
		return fmt.Errorf("%s:%s is not a number from %g to %g", key, value, lo, hi)
	}
	c.add(key+":"+value, Vertex|Edge, func(s Style, _ Target) Style {
		return s.Set(internal, strconv.FormatFloat(f, 'f', -1, 64))
	})
	return nil
}

func (c *Changes) color(key, internal, value string) error {
	v, ok := Color(value)
	if !ok {
		if t, isTheme := c.themeNamed(value); isTheme {
			switch internal {
			case "fillColor":
				v = t.Fill
			case "fontColor":
				v = t.Font
				if v == "" {
					v = t.Stroke
				}
			default:
				v = t.Stroke
			}
		} else {
			return fmt.Errorf("%s:%s is not a colour: #rgb, #rrggbb, a CSS name, a theme's name or none%s", key, value, nearest(value, ColorNames()))
		}
	}
	c.add(key+":"+value, Vertex|Edge, func(s Style, _ Target) Style { return s.Set(internal, v) })
	return nil
}

func (c *Changes) themeNamed(name string) (Theme, bool) {
	for _, t := range c.More {
		if strings.EqualFold(t.Name, name) {
			return t, true
		}
	}
	return ThemeNamed(name)
}

func (c *Changes) theme(value string) error {
	t, ok := c.themeNamed(value)
	if !ok {
		names := ThemeNames()
		for _, t := range c.More {
			names = append(names, t.Name)
		}
		return fmt.Errorf("unknown theme %q; themes: %s", value, strings.Join(names, " "))
	}
	c.add("theme:"+t.Name, Vertex|Edge, func(s Style, to Target) Style {
		if to == Edge {
			return s.Set("strokeColor", t.Stroke)
		}
		return t.Paint(s)
	})
	return nil
}

func (c *Changes) head(key, value string) error {
	if _, ok := Head(value); !ok {
		return UnknownHead(value)
	}
	end := pdk.If(key == "source-arrow", "start", "end")
	c.add(key+":"+value, Edge, func(s Style, _ Target) Style { return SetHead(s, end, value) })
	return nil
}

// port reads FACE or FACE@F, where an edge leaves or enters a shape; "auto" lets draw.io choose.
func (c *Changes) port(key, value string) error {
	value = strings.ToLower(value)
	if value == "auto" || value == "none" {
		c.add(key+":"+value, Edge, func(s Style, _ Target) Style {
			return s.Drop(key + "X").Drop(key + "Y").Drop(key + "Dx").Drop(key + "Dy").Drop(key + "Perimeter")
		})
		return nil
	}
	face, at, has := strings.Cut(value, "@")
	f := 0.5
	if has {
		var err error
		if f, err = strconv.ParseFloat(at, 64); err != nil || !(f >= 0 && f <= 1) || strings.Trim(at, ".0123456789") != "" {
			return fmt.Errorf("%s:%s: %q is not a fraction from 0 to 1", key, value, at)
		}
	}
	var x, y float64
	switch face {
	case "left":
		x, y = 0, f
	case "right":
		x, y = 1, f
	case "top":
		x, y = f, 0
	case "bottom":
		x, y = f, 1
	default:
		return fmt.Errorf("%s:%s is not a face: left right top bottom, with @0.25 for a place on it, or auto", key, value)
	}
	c.add(key+":"+value, Edge, func(s Style, _ Target) Style { return Port(s, key, x, y) })
	return nil
}

// Port fixes where an edge leaves ("exit") or enters ("entry") a shape, in
// fractions of its width and height.
func Port(s Style, which string, x, y float64) Style {
	num := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return s.Set(which+"X", num(x)).Set(which+"Y", num(y)).Set(which+"Dx", "0").Set(which+"Dy", "0")
}

// Line describes how an edge is drawn: by the relation that it expresses, or as solid, dashed or dotted; and whether it
// is curved.
func (s Style) Line() string {
	out := "solid"
	if r := s.Relation(); r != "" {
		out = r
	} else if s.Is("dashed", "1") {
		out = "dashed"
		if p, _ := s.Get("dashPattern"); strings.HasPrefix(p, "1 ") {
			out = "dotted"
		}
	}
	if s.Is("curved", "1") {
		out += " curved"
	}
	return out
}
