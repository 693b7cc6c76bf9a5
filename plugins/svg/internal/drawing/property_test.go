package drawing

import (
	"fmt"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/value"

	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"pgregory.net/rapid"
)

// gen generates ops that often fit the document: most names and values are real, some
// are not.
type gen struct {
	t *rapid.T
	f func() *model.Drawing
	n int
}

func (g *gen) pick(what string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.t, what)
}

func (g *gen) num(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(g.t, what) }

func (g *gen) maybe(text string) string {
	if rapid.Bool().Draw(g.t, text) {
		return " " + text
	}
	return ""
}

// ref returns the name of an element that passes a test, or sometimes of one that does
// not exist.
func (g *gen) ref(test func(*node) bool) string {
	f := g.f()
	var names []string
	for n := range f.Root.All() {
		if test(n) {
			names = append(names, f.Ref(n))
		}
	}
	if len(names) == 0 || g.num("bogus", 0, 30) == 0 {
		return "nobody"
	}
	return rapid.SampledFrom(names).Draw(g.t, "ref")
}

func (g *gen) drawn() string {
	return g.ref(func(n *node) bool { return n.Parent != nil && svgdom.Draws(n.Type) })
}

func (g *gen) group() string {
	return g.ref(func(n *node) bool { return svgdom.Group(n.Type) })
}

func (g *gen) any() string { return g.ref(func(*node) bool { return true }) }

func (g *gen) selector() string {
	switch g.num("selector", 0, 11) {
	case 0:
		return "@all"
	case 1:
		return "@type:" + g.pick("type", "rect", "g", "text", "path", "circle", "tspan", "linearGradient")
	case 2:
		return "@group:" + g.group()
	case 3:
		return fmt.Sprintf("@recent:%d", g.num("n", 1, 4))
	case 4:
		return "@not:type:" + g.pick("type", "rect", "text")
	case 5:
		return "@fill:" + g.pick("fill", "red", "black", "none")
	case 6:
		return "@depth:" + g.pick("depth", "1", "2")
	case 7:
		return "@range:0,0-150,100"
	case 8:
		return `@css:"` + g.pick("css", "g > rect", "rect:first-child", "[id]", ".a, circle") + `"`
	case 9:
		return "@class:" + g.pick("class", "a", "b")
	case 10:
		return "@inside:" + g.drawn()
	}
	return "@id:" + g.pick("pattern", "r*", "*1", "n*")
}

func (g *gen) targets() string {
	switch g.num("targets", 0, 4) {
	case 0:
		return g.selector()
	case 1:
		return g.drawn() + " " + g.drawn()
	}
	return g.drawn()
}

func (g *gen) id() string {
	g.n++
	return fmt.Sprintf("n%d", g.n)
}

func (g *gen) point() string { return fmt.Sprintf("%d,%d", g.num("x", -50, 350), g.num("y", -50, 250)) }

func (g *gen) place() string {
	switch g.num("place", 0, 4) {
	case 0:
		return "at:" + g.point()
	case 1:
		return "at:" + g.pick("region", value.Regions()...)
	case 2:
		return g.pick("side", "right-of", "left-of", "above", "below", "on") + ":" + g.drawn() + g.maybe("gap:7")
	case 3:
		return "near:" + g.drawn() + g.maybe("dir:"+g.pick("dir", value.Directions()...))
	}
	return "at:10.5,20.25"
}

func (g *gen) paint() string {
	return g.pick("paint", "fill:red", "fill:none", "stroke:#123", `fill:""`, "stroke-width:3", "opacity:0.5", "fill:grad", "filter:none", "bold", "dashed", "hidden", "font-size:20", "text-anchor:middle", "fill:nocolour", `font-family:"]]></style>"`, `font-family:"A & 'B'"`)
}

func (g *gen) op() string {
	switch g.num("verb", 0, 33) {
	case 0, 1, 2:
		op := "add " + g.pick("kind", "rect", "circle", "ellipse", "line", "group "+g.id(), `text "Hi <&>"`, `text "two\nlines"`, `path d:"M0 0L20 30Q1 2 3 4Z"`, "polygon sides:5", `polyline points:"0,0 10,20 30,5"`, "use of:"+g.any(), "image href:a.png")
		return op + g.maybe("in:"+g.group()) + g.maybe(g.place()) + g.maybe("size:30x20") + g.maybe(g.paint()) + g.maybe("class:a")
	case 3, 4:
		return "style " + g.targets() + " " + g.paint() + g.maybe(g.paint())
	case 5:
		return "modify " + g.any() + " " + g.pick("what", "x:5", "id:"+g.id(), `class:"a b"`, "data-k:v", `d:"M1 1H5"`, "r:7", "width:20", `class:""`, "text:New", "transform:rotate(10)")
	case 6:
		return "text " + g.any() + " " + g.pick("text", `"plain"`, `"a\nb"`, `"<&>"`, `""`)
	case 7:
		return "remove " + g.pick("what", g.selector(), g.any())
	case 8:
		return "copy " + g.targets() + g.maybe("by:5,5") + g.maybe("in:"+g.group()) + g.maybe("as:"+g.id())
	case 9:
		return "repeat " + g.targets() + " count:2" + g.maybe("dx:9") + g.maybe("rotate:15") + g.maybe("scale:0.9")
	case 10, 11:
		return "move " + g.targets() + " " + g.pick("way", "by:3,-4", g.place())
	case 12:
		return "resize " + g.targets() + " " + g.pick("size", "40x40", "w:33", "h:21 from:center")
	case 13:
		return "rotate " + g.targets() + " " + g.pick("angle", "30", "-30", "360") + g.maybe("about:100,100")
	case 14:
		return "scale " + g.targets() + " " + g.pick("factor", "2", "-1,1", "0.5")
	case 15:
		return "skew " + g.targets() + " " + g.pick("skew", "x:10", "y:-5")
	case 16:
		return "align " + g.targets() + " " + g.pick("side", "left", "center", "right", "top", "middle", "bottom") + g.maybe("to:canvas")
	case 17:
		return "distribute " + g.selector() + " " + g.pick("way", "horizontal", "vertical") + g.maybe("gap:4")
	case 18:
		return "order " + g.drawn() + " " + g.pick("order", "front", "back", "forward", "backward", "above:"+g.drawn(), "below:"+g.drawn())
	case 19:
		return "group " + g.targets() + g.maybe("as:"+g.id())
	case 20:
		return "ungroup " + g.pick("what", g.group(), "@type:g")
	case 21:
		return "reparent " + g.targets() + " in:" + g.pick("to", g.group(), "root")
	case 22:
		return "layer " + g.pick("what", "create "+g.id(), "hide 1", "show 1", "lock 1", "unlock 1", "rename 1 "+g.id(), "order 1 back", "remove 2")
	case 23:
		return "gradient " + g.pick("name", "grad", "g2") + g.maybe("radial") + ` stops:"red, blue/0.5 80%"` + g.maybe("for:"+g.drawn()) + g.maybe("angle:30")
	case 24:
		return "pattern pat " + g.pick("kind", "dots", "lines", "grid", "checks", "diagonal") + g.maybe("for:"+g.drawn()) + g.maybe("background:white")
	case 25:
		return "marker mark " + g.pick("kind", "arrow", "dot", "square", "diamond", "bar", "open") + g.maybe("for:"+g.drawn())
	case 26:
		return "filter blurred " + g.pick("kind", "shadow", "blur", "glow", "grayscale", "sepia", "brighten") + g.maybe("for:"+g.drawn())
	case 27:
		return g.pick("what", "clip cut ", "mask cover ") + g.drawn() + g.maybe("for:"+g.drawn())
	case 28:
		return "class " + g.pick("name", "a", "b") + " " + g.pick("what", "fill:green", "stroke:red stroke-width:2", `font-family:"]]>"`, `font-family:"A & B"`, g.drawn(), "off "+g.drawn(), g.selector()+" opacity:0.5", `fill:""`)
	case 29:
		return "path " + g.drawn() + " " + g.pick("what", `append "L 9 9"`, "reverse", "round 1", "simplify 0.5", "shorten", "close", "open", "convert")
	case 30:
		return "bool " + g.pick("what", "union", "subtract", "intersect", "exclude") + " " + g.targets() + g.maybe(g.drawn()) + g.maybe("as:"+g.id())
	case 31:
		return "outline " + g.targets()
	case 32:
		return g.pick("what", "canvas size:200x100", "canvas viewbox:0,0,50,50", "canvas size:none", "fit", "fit "+g.drawn()+" padding:5", "optimize", "optimize precision:1 keep:defs")
	}
	return g.pick("what", "title ", "desc ") + g.maybe(g.drawn()) + g.pick("text", ` "A <b> title"`, ` ""`)
}
