package svgdom

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Rule is one selector with its declarations.
type Rule struct {
	Selector css.Selector
	Body     []css.Declaration
}

// maxRules limits the rules of a document, so that a specificity and an index fit into a number.
const maxRules = 1 << 20

// Rules are those of the style elements of a document, in its order. Nothing that they import is read.
type Rules struct {
	css.Sheet
	List []Rule

	by   map[string][]int // rules by what the element has to be, see css.Selector.Key: their specificity and their index
	sets map[string]bool  // the properties that they set
}

// ReadRules reads style elements, which are in document order.
func ReadRules(sheets []*Node) *Rules {
	r := &Rules{by: map[string][]int{}, sets: map[string]bool{}}
	for _, n := range sheets {
		if t := n.Get("type"); t == "" || t == "text/css" {
			r.Add(n.Text())
		}
	}
	for i := range r.Rules {
		body := css.Expand(r.Rules[i].Body)
		for k := range body {
			r.sets[body[k].Name] = true
		}
		for _, s := range r.Rules[i].Selectors {
			if len(r.List) < maxRules {
				key := s.Key()
				r.by[key] = append(r.by[key], s.Specificity()*maxRules+len(r.List))
				r.List = append(r.List, Rule{s, body})
			}
		}
	}
	return r
}

// Beside reports whether a rule depends on earlier siblings of an element.
func (r *Rules) Beside() bool {
	return slices.ContainsFunc(r.List, func(r Rule) bool { return r.Selector.Beside() })
}

// Sets reports whether a rule sets a property.
func (r *Rules) Sets(property string) bool { return r.sets[property] }

// Cascade says which declarations hold for the elements of one version of a document.
type Cascade struct {
	Matcher
	*Rules
	held map[*Node][]*Rule
}

// NewCascade returns the cascade of rules.
func NewCascade(r *Rules) *Cascade { return &Cascade{Rules: r, held: map[*Node][]*Rule{}} }

// Held returns the rules that hold for an element, the weakest first.
func (c *Cascade) Held(n *Node) []*Rule {
	if len(c.List) == 0 {
		return nil
	}
	out, known := c.held[n]
	if known {
		return out
	}
	keys := []string{"", xmltree.Local(n.Type), "#" + n.ID()}
	for class := range strings.FieldsSeq(n.Get("class")) {
		keys = append(keys, "."+class)
	}
	var may []int
	for _, key := range keys {
		may = append(may, c.by[key]...)
	}
	slices.Sort(may)
	for _, i := range slices.Compact(may) {
		if r := &c.List[i%maxRules]; c.Matches(r.Selector, n) {
			out = append(out, r)
		}
	}
	c.held[n] = out
	return out
}

// Origin is where a value comes from.
type Origin byte

// The origins, in ascending order of precedence.
const (
	Nowhere   Origin = iota
	Attribute        // a presentation attribute
	Sheet            // a rule of a style element
	Inline           // the style attribute
)

// onlyInCSS reports whether a property is not allowed as an attribute.
func onlyInCSS(property string) bool {
	switch property {
	case "marker", "font", "mix-blend-mode", "isolation":
		return true
	}
	return false
}

// Each calls set for each declaration of an element, the weakest first: its attributes, the rules, its style attribute.
// Those that are important come last. It leaves out those that name variables which are not set.
func (c *Cascade) Each(n *Node, set func(name, value string)) {
	declare := func(name, value string) {
		if value, ok := c.resolved(n, value); ok {
			set(name, value)
		}
	}
	for name, v := range n.Attrs() {
		if name != "style" && !onlyInCSS(name) {
			declare(name, strings.TrimSpace(v))
		}
	}
	if held, style := c.declaring(n, ""); len(held) > 0 || style != "" {
		declarations(held, style, func(d *css.Declaration, _ Origin) { declare(d.Name, d.Value) })
	}
}

// Own returns the value that an element itself has for a property, and its origin.
func (c *Cascade) Own(n *Node, property string) (string, Origin) {
	value, from := c.own(n, property)
	value, ok := c.resolved(n, value)
	if !ok {
		return "", Nowhere
	}
	return value, from
}

// Value returns the value of a property: the element's own, the inherited one if the
// property is inherited, or the initial one.
func (c *Cascade) Value(n *Node, property string) string {
	p, known := css.PropertyNamed(property)
	for m := n; m != nil; m = m.Parent {
		v, from := c.Own(m, property)
		if from != Nowhere && v != "inherit" {
			if v == "initial" {
				break
			}
			return v
		}
		if from == Nowhere && (!known || !p.Inherited) {
			break
		}
	}
	return p.Initial
}

// own is Own without values for variables.
func (c *Cascade) own(n *Node, property string) (string, Origin) {
	if held, style := c.declaring(n, property); len(held) > 0 || style != "" {
		if v, from := last(held, style, property); from != Nowhere {
			return v, from
		}
	}
	if v, ok := n.Attr(property); ok && !onlyInCSS(property) {
		return strings.TrimSpace(v), Attribute
	}
	return "", Nowhere
}

// last returns the strongest value that CSS gives a property.
func last(held []*Rule, style, property string) (value string, from Origin) {
	declarations(held, style, func(d *css.Declaration, origin Origin) {
		if d.Name == property {
			value, from = d.Value, origin
		}
	})
	return value, from
}

// declaring returns the rules and the style attribute of an element that may declare a property, "" for any.
func (c *Cascade) declaring(n *Node, property string) (held []*Rule, style string) {
	if property == "" || c.sets[property] {
		held = c.Held(n)
	}
	style = n.Get("style")
	if !strings.Contains(style, property) && !(strings.HasPrefix(property, "font-") && strings.Contains(style, "font")) {
		style = ""
	}
	return held, style
}

// declarations calls each for the declarations of rules and of a style attribute, the weakest first.
func declarations(held []*Rule, style string, each func(d *css.Declaration, from Origin)) {
	inline := css.Expand(css.Declarations(style))
	for _, important := range [2]bool{false, true} {
		body := func(list []css.Declaration, from Origin) {
			for i := range list {
				if list[i].Important == important {
					each(&list[i], from)
				}
			}
		}
		for _, r := range held {
			body(r.Body, Sheet)
		}
		body(inline, Inline)
	}
}

// maxVariables limits the variables in a value, and in those that they stand for.
const maxVariables = 50

// resolved replaces the variables in a value of an element. ok is false if one of them has no value.
func (c *Cascade) resolved(n *Node, value string) (v string, ok bool) {
	if !strings.Contains(value, "var(") {
		return value, true
	}
	left := maxVariables
	v, ok = c.substituted(n, value, &left)
	return strings.TrimSpace(v), ok
}

func (c *Cascade) substituted(n *Node, value string, left *int) (v string, ok bool) {
	head, rest, some := strings.Cut(value, "var(")
	if !some {
		return value, true
	}
	end := css.IndexOutside(rest, ")")
	name, other, hasOther := strings.Cut(rest[:end], ",")
	v, ok = c.variable(n, strings.TrimSpace(name), left)
	if !ok && hasOther {
		v, ok = c.substituted(n, strings.TrimSpace(other), left)
	}
	if !ok {
		return "", false
	}
	tail, ok := c.substituted(n, rest[min(end+1, len(rest)):], left)
	return head + v + tail, ok
}

// variable returns the value that an element has or inherits for a variable.
func (c *Cascade) variable(n *Node, name string, left *int) (string, bool) {
	if *left--; *left < 0 {
		return "", false
	}
	for ; n != nil; n = n.Parent {
		if v, from := c.own(n, name); from > Attribute {
			return c.substituted(n, v, left)
		}
	}
	return "", false
}
