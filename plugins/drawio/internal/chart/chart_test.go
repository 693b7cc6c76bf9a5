package chart

import (
	"fmt"
	"strings"
	"testing"
)

func sketch(c *Chart) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", c.Dir)
	for _, n := range c.Nodes {
		fmt.Fprintf(&b, " %s(%s %q %d)", n.ID, n.Shape, n.Label, n.Group)
	}
	for _, e := range c.Edges {
		fmt.Fprintf(&b, " %s-%s>%s(%s %s %q)", e.From, e.Line, e.To, e.Tail, e.Head, e.Label)
	}
	for _, g := range c.Groups {
		fmt.Fprintf(&b, " {%s %q %d}", g.ID, g.Label, g.Parent)
	}
	return b.String()
}

func TestMermaidFlowchartsAreRead(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nodes and an edge", "graph LR\nA[Web App] --> B[(User DB)]", `LR A(box "Web App" -1) B(db "User DB" -1) A->B(none classic "")`},
		{"TD is TB", "flowchart TD; A-->B", `TB A( "A" -1) B( "B" -1) A->B(none classic "")`},
		{"chains and &", "graph TB\nA & B --> C --> D", `TB A( "A" -1) B( "B" -1) C( "C" -1) D( "D" -1) A->C(none classic "") B->C(none classic "") C->D(none classic "")`},
		{"labels", "graph TB\nA -->|yes| B\nA -- no --> C\nA -. may be .-> D\nA == must ==> E", `TB A( "A" -1) B( "B" -1) C( "C" -1) D( "D" -1) E( "E" -1) A->B(none classic "yes") A->C(none classic "no") A-dashed>D(none classic "may be") A-thick>E(none classic "must")`},
		{"lines and heads", "graph TB\nA --- B\nA <--> C\nA -.-> D\nA ==> E\nA --o F\nA x--x G\nA ~~~ H", `TB A( "A" -1) B( "B" -1) C( "C" -1) D( "D" -1) E( "E" -1) F( "F" -1) G( "G" -1) H( "H" -1) A->B(none none "") A->C(classic classic "") A-dashed>D(none classic "") A-thick>E(none classic "") A->F(none circle "") A->G(cross cross "") A-hidden>H(none none "")`},
		{"shapes", "graph TB\na([S]) --> b[[P]] --> c((C)) --> d{D?} --> e{{H}} --> f>F]", `TB a(svc "S" -1) b(process "P" -1) c(circle "C" -1) d(decision "D?" -1) e(api "H" -1) f(box "F" -1) a->b(none classic "") b->c(none classic "") c->d(none classic "") d->e(none classic "") e->f(none classic "")`},
		{"quoted text", `graph TB` + "\n" + `A["a; [b] --> #quot;c#quot;<br>d"] --> B`, `TB A(box "a; [b] --> \"c\"\nd" -1) B( "B" -1) A->B(none classic "")`},
		{"subgraphs", "graph TB\nsubgraph one [Front End]\nA\nsubgraph two\nB\nend\nend\nA --> two", `TB A( "A" 0) B( "B" 1) A->two(none classic "") {one "Front End" -1} {two "two" 0}`},
		{"what is only looks is passed over", "---\ntitle: x\n---\ngraph TB\n%% note\nA:::big --> B %% more\nclassDef big fill:#f00\nclick A href \"x\"\n", `TB A( "A" -1) B( "B" -1) A->B(none classic "")`},
		{"ids with dashes", "graph TB\nload-balancer-->web_1", `TB load-balancer( "load-balancer" -1) web_1( "web_1" -1) load-balancer->web_1(none classic "")`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Mermaid(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := sketch(c); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestBrokenMermaidIsRefusedWithTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "line 1: the text does not begin a diagram",
		"pie\n\"a\": 1":             `line 1: "pie" does not begin a supported diagram`,
		"graph XX\nA":               `line 1: "XX" is not a direction`,
		"graph TB\nA[open":          "line 2: the bracket of A[open is not closed",
		"graph TB\nA --> ":          "line 2: nothing follows the arrow",
		"graph TB\nA B":             "line 2: an arrow such as -->",
		"graph TB\n\nsubgraph x\nA": `line 3: subgraph "x" has no end`,
		"graph TB\nend":             "line 2: end without a subgraph",
		"graph TB\nA -->|yes B":     "line 2: the label |yes B is not closed",
		"graph TB\n--> B":           "line 2: a node is missing here",
	} {
		if _, err := Mermaid(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestTablesAreRead(t *testing.T) {
	c, err := CSV("id,label,type,group,from,to\nweb,Web App,svc,Front,,\ndb,\"User, DB\",db,,,\n,reads,,,web,db\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sketch(c), ` web(svc "Web App" 0) db(db "User, DB" -1) web->db(none classic "reads") {Front "Front" -1}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for text, want := range map[string]string{
		"":                          "line 1: the table is empty",
		"a,b\n":                     `line 1: unknown column "a"`,
		"from,label\n":              "line 1: the first row needs",
		"from,to\nx,\n":             "line 2: an edge needs both",
		"id,label\n,x\n":            "line 2: the row names neither",
		"id,label\na,\"x\n":         "line ",
		"id,label\na,A\nb,B\na,C\n": `line 4: line 2 already describes the node "a"`,
	} {
		if _, err := CSV(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
