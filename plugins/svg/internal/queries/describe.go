package queries

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

func describeQuery() query {
	return query{Run: runDescribe, Query: abi.Query{Syntax: "describe REF…|SEL", Summary: "everything about elements: where it lies, the points of a short path, its attributes, how it is painted and from where, what refers to it"}}
}

// maxPoints is how many segments a path has at most whose points describe prints.
const maxPoints = 12

func runDescribe(v *view, a pdk.Args) (abi.QueryResponse, error) {
	list, err := queryTargets(v, a)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	p := v.Page()
	for _, n := range list {
		for _, l := range description(v.Model, n) {
			p.Line(func(b []byte) []byte { return append(b, l...) })
		}
	}
	return p.Answer(0), nil
}

// description returns the lines of describe about an element.
func description(f *drawing, n *node) []string {
	sc := f.Scene()
	out := []string{f.Typed(n)}
	add := func(format string, args ...any) { out = append(out, "  "+fmt.Sprintf(format, args...)) }
	if n.Parent != nil {
		add("in %s", f.Ref(n.Parent))
	}
	if l := f.Label(n); l != "" {
		add("label %s", model.QuoteText(l, 200))
	}
	if svgdom.Draws(n.Type) || f.IsText(n) {
		if b, ok := sc.Box(n); ok {
			text := "box " + f.BoxOf(n, b)
			if local, ok := sc.Local(n); ok && sc.CTM(n) != vector.Identity() {
				text += ", in its own space " + model.Box(local)
			}
			if p, ok := sc.Painted(n); ok && model.Box(p) != model.Box(b) {
				text += ", painted " + model.Box(p)
			}
			add("%s", text)
		} else {
			add("no box: nothing of it is drawn")
		}
	}
	if p, ok := sc.Path(n); ok && len(p) <= maxPoints && n.Type != "rect" && n.Type != "circle" && n.Type != "ellipse" {
		var points []string
		for _, s := range p.Transform(sc.CTM(n)) {
			if s.Kind != vector.Close {
				points = append(points, model.Short(s.To.X)+","+model.Short(s.To.Y))
			}
		}
		add("points on the canvas %s", strings.Join(points, " "))
	}
	var attrs []string
	for k, v := range n.Attrs() {
		attrs = append(attrs, k+"="+pdk.Quote(model.Line(v, 120)))
	}
	if len(attrs) > 0 {
		add("attributes %s", strings.Join(attrs, " "))
	}
	if (svgdom.Draws(n.Type) || f.IsText(n)) && n != f.Root {
		if paints := paintText(f, sc, n); paints != "" {
			add("painted %s", paints)
		}
	}
	if moves := model.AnimationsText(sc, n); moves != "" {
		add("animated %s", moves)
	}
	if k := n.Count() - 1; k > 0 {
		add("%s inside: %s", pdk.Count(k, "element"), f.Refs(slices.Collect(n.Kids())))
	}
	if users := f.Referrers(n.ID()); len(users) > 0 {
		add("used by %s", f.Refs(users))
	}
	if one, ok := f.Invisible(sc, n); ok {
		add("%s", one.Text)
	}
	return out
}

// paintText prints how an element is painted, and the origin of values that it does not
// set itself.
func paintText(f *drawing, sc *scene.Scene, n *node) string {
	var out []string
	properties := []string{"fill", "stroke", "stroke-width", "opacity"}
	if f.IsText(n) {
		properties = append(properties, "font-family", "font-size", "font-weight", "text-anchor")
	}
	for _, p := range properties {
		v := sc.Value(n, p)
		if v == "" || p == "stroke-width" && sc.Value(n, "stroke") == "none" || p == "opacity" && v == "1" {
			continue
		}
		_, from := sc.Own(n, p)
		where := map[svgdom.Origin]string{svgdom.Sheet: " (rule)", svgdom.Inline: " (style)"}[from]
		if from == svgdom.Nowhere {
			where = " (default)"
			for m := n.Parent; m != nil; m = m.Parent {
				if _, up := sc.Own(m, p); up != svgdom.Nowhere && p != "opacity" {
					where = " (of " + f.Ref(m) + ")"
					break
				}
			}
			if where == " (default)" && svgdom.Group(n.Type) {
				continue // it paints nothing itself
			}
		}
		out = append(out, p+":"+model.Line(v, 60)+where)
	}
	return strings.Join(out, " ")
}

func sourceQuery() query {
	return query{Query: abi.Query{Syntax: "source [REF…|SEL]", Summary: "the text of elements, or of the file, as it will be saved"}, Run: func(v *view, a pdk.Args) (abi.QueryResponse, error) {
		list, err := queryTargets(v, a)
		if err != nil {
			return abi.QueryResponse{}, err
		}
		if len(list) == 0 {
			return abi.QueryResponse{Text: strings.TrimPrefix(v.Model.Text(), "\uFEFF")}, nil
		}
		var out []string
		for _, n := range model.Tops(list) {
			out = append(out, n.Raw())
		}
		return abi.QueryResponse{Text: strings.Join(out, "\n")}, nil
	}}
}

func treeQuery() query {
	return query{Run: runTree, Query: abi.Query{Syntax: "tree [DEPTH] [REF…|SEL]", Summary: "elements, nested as in the file; what is never drawn, such as metadata and gradients, only if it is named"}}
}

func runTree(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	depth := 1000
	for i, w := range a.Texts(0) {
		if d, err := strconv.Atoi(w); err == nil && d > 0 {
			depth, a = d, a.With(pdk.WithoutWord(i))
			break
		}
	}
	list, err := queryTargets(v, a)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	whole := len(list) == 0
	if whole {
		list = []*node{f.Root}
	}
	p := v.Page()
	var left []*node
	lost := 0
	var walk func(n *node, level int)
	walk = func(n *node, level int) {
		if whole && neverDrawn(f, n) {
			left, lost = append(left, n), lost+n.Count()
			return
		}
		p.Line(func(b []byte) []byte {
			b = append(b, strings.Repeat("  ", level)+n.Type...)
			if id := n.ID(); id != "" {
				b = append(b, "#"+id...)
			} else if n != f.Root {
				b = append(b, " "+f.Ref(n)...)
			}
			if c := n.Get("class"); c != "" {
				b = append(b, "."+strings.Join(strings.Fields(c), ".")...)
			}
			if t := n.Text(); strings.TrimSpace(t) != "" && f.Mixed(n) {
				b = append(b, " "+model.QuoteText(t, 50)...)
			}
			if level == depth && n.First != nil {
				b = fmt.Appendf(b, ": %s inside", pdk.Count(n.Count()-1, "element"))
			}
			return b
		})
		if level < depth {
			for c := range n.Kids() {
				walk(c, level+1)
			}
		}
	}
	for _, n := range model.Tops(list) {
		walk(n, 0)
	}
	if lost > 0 {
		p.Line(func(b []byte) []byte {
			return fmt.Appendf(b, "not shown: %s never drawn, in %s", pdk.Count(lost, "element"), f.Refs(left))
		})
	}
	return p.Answer(0), nil
}

// neverDrawn reports whether nothing of an element is drawn as such: metadata, what programs note for themselves, and
// gradients.
func neverDrawn(f *drawing, n *node) bool {
	typ := n.Type
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Type == "foreignObject" {
			return false
		}
	}
	return typ == "metadata" || typ == "linearGradient" || typ == "radialGradient" || strings.Contains(typ, ":")
}

func lintQuery() query {
	return query{Run: runLint, Query: abi.Query{Syntax: "lint", Brief: "lint · what is likely wrong", Summary: "what is likely wrong: nothing to see, outside, broken references, weak contrast, text wider than its box, scripts and links, no title"}}
}

func runLint(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	list := append(f.Broken(10), f.ExternalContent(true)...)
	if f.Title() == "" {
		list = append(list, "no title for screen readers: title \"…\"")
	}
	if sc := f.Scene(); sc.MayAnimate() {
		for n := range f.Root.All() {
			if moves := model.AnimationsText(sc, n); moves != "" {
				list = append(list, f.Ref(n)+" is animated: "+moves)
			}
		}
	}
	for n := range f.Root.All() {
		if said := pdk.Hidden(n.Tag + n.Text()); said != "" {
			list = append(list, f.Ref(n)+" has "+said)
		}
	}
	for _, one := range f.Faults(f.Scene()) {
		list = append(list, f.Ref(one.Node)+" "+one.Text)
	}
	p := v.Page()
	for _, l := range list {
		p.Line(func(b []byte) []byte { return append(b, l...) })
	}
	return p.AnswerOr("lint: nothing found"), nil
}
