package model

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// kind is the kind of a fault of an element that is drawn.
type kind byte

// The kinds, in the order of warnings.
const (
	sizeless kind = iota
	outside
	unpainted
	faint
	overflowing
	kindsOfFault
)

// of returns the text of a warning that n elements have a fault of this kind.
func (k kind) of(n int) string {
	nouns := [...]string{"element", "element", "element", "text", "text"}
	what := [...]string{"without size", "outside the canvas", "that paint nothing", "with weak contrast (below 4.5) to what is beneath", "wider than what is beneath"}
	return pdk.Count(n, nouns[k]) + " " + what[k]
}

// Fault is something that prevents an element from being seen or read.
type Fault struct {
	kind
	Node    *node
	Text    string // for lint
	measure string // for a warning: by how much; may be ""
}

// Invisible returns what prevents an element from being seen. ok is false if nothing
// does, or if it may be visible at another time.
func (f *Drawing) Invisible(sc *scene.Scene, n *node) (out Fault, ok bool) {
	typ := n.Type
	if !svgdom.Draws(typ) || svgdom.Group(typ) || InDefs(f, n) || !sc.Visible(n) || typ == "use" && sc.Target(n) == nil {
		return Fault{}, false
	}
	if k, text := f.whyInvisible(sc, n); text != "" && !sc.Animated(n) {
		return Fault{kind: k, Node: n, Text: text}, true
	}
	return Fault{}, false
}

// whyInvisible explains why an element that is drawn is not visible; the text is "" if
// it is visible.
func (f *Drawing) whyInvisible(sc *scene.Scene, n *node) (kind, string) {
	typ := n.Type
	b, boxed := sc.Box(n)
	shape := svgdom.Shape(typ)
	if !boxed && typ != "text" || shape && b.Width() == 0 && b.Height() == 0 {
		return sizeless, "has no size, so it is not visible"
	}
	if shape || typ == "text" {
		fill, stroke := sc.Value(n, "fill"), sc.Value(n, "stroke")
		if (fill == "none" || typ == "line") && (stroke == "none" || stroke == "") {
			return unpainted, "has neither fill nor stroke, so it is not visible"
		}
		if text := f.flatReason(sc, n); text != "" {
			return unpainted, text
		}
	}
	for m := n; m != nil; m = m.Parent {
		switch {
		case opacity(sc, m, "opacity") > 0:
		case m == n:
			return unpainted, "has opacity:0, so it is not visible"
		default:
			return unpainted, "lies in " + f.Ref(m) + ", which has opacity:0, so it is not visible"
		}
	}
	if !boxed {
		return 0, ""
	}
	if c := sc.Canvas(); b.X1 < c.X0 || b.Y1 < c.Y0 || b.X0 > c.X1 || b.Y0 > c.Y1 {
		return outside, "lies outside the canvas " + Box(c)
	}
	if f.Count("clipPath") > 0 || f.Count("svg") > 1 {
		if _, painted := sc.Painted(n); !painted {
			return unpainted, "is clipped away completely by a clip path or a viewport"
		}
	}
	return 0, ""
}

// flatReason explains that a shape is not visible because it has no width or height and
// something that paints, clips or filters it is measured in its box.
func (f *Drawing) flatReason(sc *scene.Scene, n *node) string {
	b, ok := sc.Local(n)
	if !ok || !svgdom.Shape(n.Type) || b.Width() > 0 && b.Height() > 0 {
		return ""
	}
	lacks := "width"
	if b.Height() == 0 {
		lacks = "height"
	}
	for _, p := range []string{"filter", "mask", "clip-path", "stroke"} {
		def := sc.Reference(n, p)
		if def == nil || !f.InBoxes(sc, def) {
			continue
		}
		if _, fallback, _ := strings.Cut(sc.Value(n, p), ")"); p == "stroke" && strings.TrimSpace(fallback) != "" {
			continue
		}
		return "has no " + lacks + ", so it is not visible with " + f.Ref(def) + ", a " + def.Type + " that is measured in boxes"
	}
	return ""
}

// InBoxes reports whether a definition is measured in the box of the element that
// refers to it.
func (f *Drawing) InBoxes(sc *scene.Scene, def *node) bool {
	units, usual := "", "objectBoundingBox"
	switch def.Type {
	case "linearGradient", "radialGradient":
		units = "gradientUnits"
	case "pattern":
		units = "patternUnits"
	case "mask":
		units = "maskUnits"
	case "filter":
		units = "filterUnits"
	case "clipPath":
		units, usual = "clipPathUnits", "userSpaceOnUse"
	default:
		return false
	}
	for range 10 {
		if v, ok := def.Attr(units); ok {
			usual = v
			break
		}
		if def = sc.Target(def); def == nil {
			break
		}
	}
	return usual == "objectBoundingBox"
}

// InDefs reports whether an element is drawn only where something refers to it.
func InDefs(f *Drawing, n *node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if !svgdom.Draws(p.Type) {
			return true
		}
	}
	return false
}

// Shown returns the elements that draw by themselves, from the lowest to the uppermost.
func (f *Drawing) Shown(sc *scene.Scene) []*node { return f.shownExcept(sc, nil) }

// shownExcept is shown, but accepts elements for which known is true without examining
// them.
func (f *Drawing) shownExcept(sc *scene.Scene, known func(n *node) bool) (out []*node) {
	var walk func(n *node)
	walk = func(n *node) {
		for c := range n.Kids() {
			typ := c.Type
			if known != nil && known(c) {
				out = append(out, c)
				continue
			}
			if !svgdom.Draws(typ) || !sc.Shown(c) || !sc.Chosen(c) {
				continue
			}
			if svgdom.Group(typ) {
				walk(c)
			} else if sc.Value(c, "visibility") == "visible" {
				out = append(out, c)
			}
		}
	}
	walk(f.Root)
	return out
}

// Faults returns the faults of all elements that are drawn, in document order, those of
// texts last.
func (f *Drawing) Faults(sc *scene.Scene) (out []Fault) {
	f.faultCache.refresh(f)
	shown := f.shownExcept(sc, f.faultCache.valid)
	boxes := make([]vector.Box, len(shown))
	for i, n := range shown {
		b, one, bad := f.faultCache.lookup(f, sc, n)
		if boxes[i] = b; bad {
			out = append(out, one)
			boxes[i] = vector.Empty()
		}
	}
	work := 2_000_000
	for i, n := range shown {
		if n.Type == "text" && work > 0 {
			work -= i
			out = append(out, f.textFaults(sc, n, boxes[i], shown[:i], boxes[:i])...)
		}
	}
	return out
}

// textFaults returns the faults of a visible text: weak contrast to what is beneath it,
// and more width than the shape beneath it.
func (f *Drawing) textFaults(sc *scene.Scene, n *node, b vector.Box, below []*node, boxes []vector.Box) (out []Fault) {
	if strings.TrimSpace(n.FullText()) == "" || b.IsEmpty() {
		return nil
	}
	ground, known, on := f.beneath(sc, b.Center(), below, boxes)
	if k, ok := f.contrast(sc, n, ground); known && ok && k < minContrast {
		out = append(out, Fault{faint, n, fmt.Sprintf("%s has a contrast of %s to what is beneath; 4.5 reads well", QuoteText(n.FullText(), 40), ratio(k)), ratio(k)})
	}
	if on != nil {
		if q, ok := sc.Box(on); ok && b.Width() > q.Width() {
			out = append(out, Fault{overflowing, n, fmt.Sprintf("%s is about %s wide, wider than %s, which it stands on (%s)", QuoteText(n.FullText(), 40), whole(b.Width()), f.Ref(on), Short(q.Width())),
				fmt.Sprintf("about %s, %s has %s", whole(b.Width()), f.Ref(on), Short(q.Width()))})
		}
	}
	return out
}

// Limits for examining the whole document after every call: elements, elements times
// rules of style elements, and bytes of start tags without those of images. The
// examination takes longer than everything else in a call. lint has no such limits.
const (
	watchedElements = 300
	watchedRules    = 10_000
	watchedBytes    = 100_000
)

// IsWatched reports whether every call warns of the faults of all elements, not only of
// the elements that it touched.
func (f *Drawing) IsWatched() bool {
	all := 0
	for _, n := range f.Counts() {
		all += n
	}
	if all > watchedElements || all*len(f.styles.Of(f.Doc).List) > watchedRules {
		return false
	}
	size := 0
	for n := range f.Root.All() {
		if n.Type != "image" {
			size += len(n.Tag)
		}
	}
	return size <= watchedBytes
}

// MaxNamed is how many elements a warning names.
const MaxNamed = 3

// warnings prints faults, grouped by kind.
func (f *Drawing) warnings(list []Fault) (out []string) {
	for k := range kindsOfFault {
		n := 0
		var names []string
		for _, one := range list {
			if one.kind != k {
				continue
			}
			if n++; n > MaxNamed {
				continue
			}
			text := f.Ref(one.Node)
			if one.measure != "" {
				text += " (" + one.measure + ")"
			}
			names = append(names, text)
		}
		if n > MaxNamed {
			names = append(names, "…")
		}
		if n > 0 {
			out = append(out, k.of(n)+": "+strings.Join(names, ", "))
		}
	}
	return out
}

// AnimationsText prints the animations of an element, "" if it has none.
func AnimationsText(sc *scene.Scene, n *node) string {
	var out []string
	for _, a := range sc.Animations(n) {
		name := a.Name
		if name == "" {
			name = "its place along a path"
		}
		out = append(out, name+" ("+Line(a.Values, 60)+")")
	}
	return strings.Join(out, ", ")
}
