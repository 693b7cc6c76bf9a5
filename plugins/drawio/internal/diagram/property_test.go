package diagram

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func TestEveryOpIsUndoneRedoneAndReplayedExactly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		checkLaws(rt, func() *doc { return newDoc(t) })
	})
}

func TestEveryOpIsExactOnRealFiles(t *testing.T) {
	files := samples(t)
	var names []string
	for n, data := range files {
		if len(data) < 20_000 {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	rapid.Check(t, func(rt *rapid.T) {
		data := files[rapid.SampledFrom(names).Draw(rt, "file")]
		checkLaws(rt, func() *doc { return openDoc(t, data) })
	})
}

// gen generates ops, most of which fit the document: they use its names and valid values.
type gen struct {
	t *rapid.T
	d *doc
	n int // labels made so far
}

func (g *gen) pick(what string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.t, what)
}

func (g *gen) num(what string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(g.t, what) }

func (g *gen) maybe(what, text string) string {
	if rapid.Bool().Draw(g.t, what) {
		return " " + text
	}
	return ""
}

// ref returns a reference to a cell of the current page, sometimes to a missing one.
func (g *gen) ref(test func(*cell) bool) string {
	var names []string
	for c := g.d.in.Model().Current.First(); c != nil; c = c.Next() {
		if test(c) {
			names = append(names, model.Reference(c))
		}
	}
	if len(names) == 0 || g.num("bogus", 0, 30) == 0 {
		return "Nobody"
	}
	return rapid.SampledFrom(names).Draw(g.t, "ref")
}

func isVertex(c *cell) bool { return c.Shape() }

func anyCell(c *cell) bool { return c.Shape() || c.Edge }

func (g *gen) selector() string {
	switch g.num("selector", 0, 10) {
	case 0:
		return "@all"
	case 1:
		return "@type:" + g.pick("type", style.Order()...)
	case 2:
		return "@group:" + g.ref(model.IsGroup)
	case 3:
		return "@connected:" + g.ref(isVertex)
	case 4:
		return fmt.Sprintf("@recent:%d", g.num("n", 1, 5))
	case 5:
		return "@not:type:" + g.pick("type", "box", "svc", "db")
	case 6:
		return "@edges"
	case 7:
		return "@orphan"
	case 9:
		return "@layer:" + g.pick("layer", "1", "2", "Background")
	case 8:
		return "@theme:" + g.pick("theme", style.ThemeNames()...)
	}
	return "@text:" + g.pick("text", "a", "Node", "1")
}

func (g *gen) target(test func(*cell) bool) string {
	if g.num("kind of target", 0, 3) == 0 {
		return g.selector()
	}
	return g.ref(test)
}

func (g *gen) label() string {
	if g.num("odd", 0, 4) == 0 {
		return g.pick("odd label", `"List<String>"`, `"a & b"`, `"two\nlines"`, `"quo\"te"`, `"x;y=z"`, "Zürich", `"Node 1"`, `"<b>bold</b>"`)
	}
	g.n++
	return fmt.Sprintf("Node%d", g.n)
}

func (g *gen) point() string {
	return fmt.Sprintf("%d,%d", g.num("x", -50, 1200), g.num("y", -50, 1200))
}

func (g *gen) look() string {
	return g.pick("look", "theme:blue", "theme:dark", "fill:#ff0000", "stroke:navy", "bold", "no-bold", "dashed", "dotted", "no-dashed", "italic",
		"opacity:50", "font-size:14", "align:left", "rounded", "shadow no-shadow", "glass:1", "fill:nocolour", "thick", "curved", "target-arrow:open")
}

// rowOp returns an op on the rows of a class, a table or an entity.
func (g *gen) rowOp() string {
	isRow := func(c *cell) bool { return model.WholeRow(c) != nil }
	box, row := g.ref(model.HasRows), g.ref(isRow)
	text := g.pick("text", `"a, b"`, `"PK key"`, "x", `"Node 7"`, `"a; b"`, `"f(a: int, b: int)"`)
	switch g.num("row op", 0, 7) {
	case 0, 1:
		return "add " + g.pick("word", "row", "field", "method") + " " + text + " in:" + box + g.maybe("at", "at:"+g.pick("end", "first", "last"))
	case 2:
		return "add row " + text + " " + g.pick("side", "after:", "before:") + row
	case 3:
		return "add column " + text + " in:" + box + g.maybe("rows", `rows:"1; 2"`)
	case 4:
		return "move " + row + " " + g.pick("to", "to:first", "to:last", "after:"+g.ref(isRow), "before:"+g.ref(isRow))
	case 5:
		return "add " + g.label() + " like:" + g.ref(isVertex) + g.maybe("rows", "rows:"+text)
	case 6:
		return "remove column " + g.pick("title", "a", "b", "A", "Node1") + " in:" + box
	}
	return "label " + row + " " + text
}

func (g *gen) op() string {
	switch g.num("verb", 0, 39) {
	case 39:
		return g.rowOp()
	case 0, 1, 2:
		op := "add"
		if g.num("typed", 0, 3) > 0 {
			op += " " + g.pick("type", style.Order()...)
		}
		op += " " + g.label()
		switch g.num("place", 0, 6) {
		case 0:
			op += " near:" + g.ref(isVertex) + g.maybe("dir", "dir:"+g.pick("dir", value.Directions()...))
		case 1:
			op += " at:" + g.point()
		case 2:
			op += " at:" + g.pick("region", value.Regions()...)
		case 3:
			op += " in:" + g.ref(model.IsGroup)
		}
		return op + g.maybe("theme", "theme:"+g.pick("theme", style.ThemeNames()...)) + g.maybe("size", "size:90x45") +
			g.maybe("count", fmt.Sprintf("count:%d", g.num("n", 1, 3))) + g.maybe("build", g.pick("build", "lanes:A,B", "lanes:A,B flow:TB", `fields:"a; b" methods:"c()"`, "cols:a,b rows:1", "src:x.png", "around:"+g.label()))
	case 3, 4:
		op := "connect " + g.ref(isVertex) + " " + g.pick("arrow", "->", "<-", "<->", "--") + " " + g.ref(isVertex)
		return op + g.maybe("more", "-> "+g.ref(isVertex)) + g.maybe("label", "label:"+g.label()) +
			g.maybe("style", "style:dashed,curved") + g.maybe("exit", "exit:right@0.25") + g.maybe("via", "via:10,20;30,40") + g.maybe("after", "after:"+g.label())
	case 5:
		return "remove " + g.target(anyCell)
	case 6:
		return "disconnect " + g.ref(isVertex) + " -- " + g.ref(isVertex)
	case 7, 8:
		return "style " + g.target(anyCell) + " " + g.look() + g.maybe("more", g.look())
	case 9:
		return "label " + g.target(anyCell) + " " + g.label()
	case 10, 11:
		return "move " + g.target(isVertex) + " " + g.pick("way", "by:40,-20", "to:"+g.point(), "to:bottom-right", "near:"+g.ref(isVertex), "in:"+g.ref(model.IsGroup), "in:none", "to:"+g.point()+" strict:true", "page:2", "page:1")
	case 12:
		return "resize " + g.target(isVertex) + " " + g.pick("size", "size:200x100", "w:90", "h:33.5")
	case 13:
		return "group " + g.ref(isVertex) + " " + g.ref(isVertex) + " as:" + g.pick("name", "G1", "G2", `"Back End"`) + g.maybe("theme", "theme:gray")
	case 14:
		return "ungroup " + g.target(model.IsGroup)
	case 15:
		return "copy " + g.target(isVertex) + g.maybe("to", "to:"+g.point()) + g.maybe("page", "page:"+g.pick("page", "1", "2")) + g.maybe("as", "as:"+g.label())
	case 16:
		return "repeat " + g.target(isVertex) + fmt.Sprintf(" count:%d", g.num("n", 1, 3)) + g.maybe("dy", "dy:90")
	case 17:
		return "modify " + g.target(anyCell) + " " + g.pick("what", "type:db", "label:"+g.label(), "size:80x80", "at:"+g.point(), "theme:red bold", "via:none", "via:40,50", "exit:none")
	case 19:
		return "link " + g.target(anyCell) + " " + g.pick("to", "url:https://example.com/a?b=1", "url:none", "page:1", "url:javascript:alert(1)")
	case 20:
		return "tooltip " + g.ref(anyCell) + " " + g.pick("text", `""`, `"a <b> & \"c\""`, "x")
	case 21:
		return "data " + g.target(anyCell) + " " + g.pick("data", `owner:"Team A"`, `owner:""`, "cost:1 tier:2", "link:x", "9x:1", "label:y")
	case 22:
		return "badge " + g.target(isVertex) + " " + g.pick("badge", "1", `""`, `"<b>"`) + g.maybe("at", "at:bottom-left") + g.maybe("theme", "theme:green")
	case 23:
		return "rotate " + g.target(isVertex) + " " + g.pick("angle", "45", "0", "-90", "by:30", "north")
	case 24:
		return "swap " + g.ref(isVertex) + " " + g.ref(isVertex)
	case 25:
		return "align " + g.pick("what", g.selector(), g.ref(isVertex)+" "+g.ref(isVertex)) + " " + g.pick("side", values.Sides()...)
	case 26:
		return "distribute " + g.pick("what", g.selector(), g.ref(isVertex)+" "+g.ref(isVertex)) + " " + g.pick("way", "horizontal", "vertical") + g.maybe("gap", "spacing:30")
	case 27:
		return "order " + g.target(anyCell) + " " + g.pick("way", "front", "back")
	case 28:
		return "orient " + g.pick("way", "TB", "LR", "landscape", "portrait")
	case 29:
		return "layer " + g.pick("what", "create "+g.label(), "switch 1", "switch 2", "hide 2", "show 2", "lock 1", "unlock 1", "rename 1 "+g.label(),
			"move 1 2", "move "+g.target(anyCell)+" to:2", "move "+g.target(anyCell)+" to:1", "remove 2", "list")
	case 30:
		return g.pick("what", "define fn base:svc theme:orange badge:x size:90x40", "define theme brand fill:#abcdef stroke:navy", "define theme brand fill:red stroke:navy font-color:white",
			"add fn "+g.label(), "add box "+g.label()+" theme:brand", "style @all theme:brand", "define box base:svc", "define x base:nothing")
	case 32:
		return g.pick("what", "load "+g.pick("pack", pack.Names()...), "load aws k8s", "load nothing",
			"add "+g.pick("icon", "lambda", "aws.ec2", "pod", "k8s.svc", "router", "azure.vm", "bigquery", "group_vpc", "ibm.vpc", "lamda")+" "+g.label(),
			"modify "+g.target(isVertex)+" type:"+g.pick("icon", "lambda", "pod", "box", "fn"))
	case 33:
		return g.pick("what", "add lane "+g.label()+" in:"+g.ref(func(c *cell) bool { return c.Kind() == "pool" })+g.maybe("size", "size:300x80"),
			"copy "+g.ref(model.IsPoolLane)+g.maybe("as", "as:"+g.label()), fmt.Sprintf("repeat %s count:%d", g.ref(model.IsPoolLane), g.num("n", 1, 3)),
			"remove "+g.ref(model.IsPoolLane), "move "+g.ref(isVertex)+" in:"+g.ref(model.IsPoolLane))
	case 35:
		return g.pick("text", "mermaid\nsequenceDiagram\nA->>+B: x\nalt y\nB->>B: z\nend\nB-->>-A: w\nend mermaid", "mermaid\nclassDiagram\nA <|-- B\nclass C {\n+int x\n}\nA \"1\" *-- \"n\" C\nend mermaid",
			"mermaid\nmindmap\n  R\n    a\n    b\nend mermaid", "mermaid\ngantt\nA: 2026-01-05, 3d\nend mermaid", "mermaid\nstateDiagram-v2\n[*] --> A\nstate B {\nC --> D\n}\nA --> B\nend mermaid",
			"mermaid\nerDiagram\nA ||--o{ B : has\nend mermaid", "mermaid\nnothing\nend mermaid", "plantuml\nA -> B : x\n@enduml", "plantuml\nclass A extends B\n@enduml")
	case 34:
		return "replace " + g.pick("old", "Node", "1", "o", `"two\nlines"`) + " " + g.pick("new", "N", `"<i>"`, `""`) + g.maybe("sel", g.selector())
	case 36:
		return g.pick("what", "route", "route "+g.target(anyCell), "pin "+g.target(isVertex), "pin "+g.target(isVertex)+" off", "layout keep:true", "layout keep:true "+g.selector(),
			"split "+g.ref(isVertex)+" as:P,Q"+g.maybe("in", "in:P")+g.maybe("out", "out:Q")+g.maybe("with", "with:Q="+g.ref(isVertex)))
	case 37:
		return g.pick("what", "look"+g.maybe("palette", " "+g.pick("palette", style.PaletteNames()...))+g.maybe("page", " "+g.pick("page", "light", "dark"))+
			g.maybe("by", "by:"+g.pick("by", "group", "type"))+g.maybe("title", g.pick("title", `title:"A <b>"`, "title:none")), "legend", "legend off")
	case 38:
		return g.pick("what", "add topic "+g.label(), "add topic "+g.label()+" of:"+g.ref(isVertex)+g.maybe("before", "before:"+g.ref(isVertex)),
			"move "+g.ref(isVertex)+" "+g.pick("way", "of:", "before:", "after:")+g.ref(isVertex))
	case 31:
		return "title " + g.pick("title", `"A & B"`, `""`, "T")
	case 18:
		return "page " + g.pick("page", "add", "switch 1", "switch 2", "rename 1 "+g.label(), "move 1 2", "duplicate 1", "remove 2", "add "+g.label(), "list", "split "+g.target(isVertex)+" as:"+g.label())
	}
	return "layout" + g.maybe("sel", g.selector()) + g.maybe("algo", "algo:"+g.pick("algo", "layered", "tree", "force", "grid", "radial")) + g.maybe("spacing", "spacing:25") + g.maybe("dir", "dir:"+g.pick("dir", "TB", "LR", "BT", "RL")) + g.maybe("by", "by:"+g.pick("by", "groups", "flow"))
}
