package chart

import (
	"fmt"
	"strings"
	"testing"
)

// summarize returns a chart on one line: its nodes with their contents, its edges with
// their kinds, and its steps.
func summarize(c *Chart) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %q", c.Kind, c.Dir, c.Title)
	for _, g := range c.Groups {
		fmt.Fprintf(&b, " {%s %q %d}", g.ID, g.Label, g.Parent)
	}
	for _, n := range c.Nodes {
		fmt.Fprintf(&b, " %s(%s %q %d", n.ID, n.Shape, n.Label, n.Group)
		if len(n.Fields)+len(n.Methods) > 0 {
			fmt.Fprintf(&b, " %q %q", n.Fields, n.Methods)
		}
		if c.Kind == Mindmap {
			fmt.Fprintf(&b, " level %d", n.Level)
		}
		b.WriteString(")")
	}
	for _, e := range c.Edges {
		what := e.Relation
		if what == "" {
			what = e.Tail + e.Line + ">" + e.Head
		}
		fmt.Fprintf(&b, " %s %s %s", e.From, what, e.To)
		if e.Label+e.TailText+e.HeadText != "" {
			fmt.Fprintf(&b, " %q %q %q", e.TailText, e.Label, e.HeadText)
		}
	}
	if s := c.Sequence; s != nil {
		for _, p := range s.Participants {
			fmt.Fprintf(&b, " %s(%q", p.ID, p.Label)
			if p.Actor {
				b.WriteString(" actor")
			}
			b.WriteString(")")
		}
		for _, x := range s.Boxes {
			fmt.Fprintf(&b, " box %q %d-%d", x.Label, x.From, x.To)
		}
		for _, s := range s.Steps {
			switch s.Kind {
			case Message:
				line := "-"
				if s.Dashed {
					line = "--"
				}
				fmt.Fprintf(&b, " | %d%s%s%d %q", s.From, line, s.Head, s.To, s.Text)
				if s.Both {
					b.WriteString(" both")
				}
			case Note:
				fmt.Fprintf(&b, " | note %s %d-%d %q", s.Side, s.From, s.To, s.Text)
			case Open:
				fmt.Fprintf(&b, " | %s %q", s.Frame, s.Text)
			case Section:
				fmt.Fprintf(&b, " | section %q", s.Text)
			case Close:
				b.WriteString(" | close")
			default:
				fmt.Fprintf(&b, " | %s %d", s.Kind, s.From)
			}
		}
	}
	if c.Plan != nil {
		for _, t := range c.Plan.Tasks {
			fmt.Fprintf(&b, " | %s/%s %s %s", t.Section, t.Label, t.Start.Format("01-02"), t.End.Format("01-02"))
			for name, is := range map[string]bool{" done": t.Done, " active": t.Active, " crit": t.Critical, " milestone": t.Moment} {
				if is {
					b.WriteString(name)
				}
			}
		}
	}
	return b.String()
}

func TestMermaidsOtherKindsAreRead(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"flowchart attributes", "```mermaid\nflowchart LR\nA@{ shape: doc, label: \"Big, doc\" } --> B\nA e1@--> C\ne1@{ animate: true }\nC@{shape: cyl}\n```",
			`flowchart LR "" A(doc "Big, doc" -1) B( "B" -1) C(db "C" -1) A none>classic B A none>classic C`},
		{"classes", "classDiagram\ndirection LR\nclass Animal {\n<<interface>>\n+int age\n-name: String\n+run(int speed) bool\n}\nAnimal <|-- Duck\nDuck ..|> Flyer\nPond \"1\" *-- \"many\" Duck : holds\nDuck o-- Egg\nDuck --> Pond\nDuck ..> Bread\nA -- B\nA <--> B\nDuck : List~int~ eggs\nclass C[\"A label\"]\nnamespace N {\nclass D\n}",
			`classes LR "" {N "N" -1} Animal(class "«interface»\nAnimal" -1 ["+ age: int" "- name: String"] ["+ run(int speed): bool"]) Duck(class "Duck" -1 ["eggs: List<int>"] []) Flyer(class "Flyer" -1) Pond(class "Pond" -1) Egg(class "Egg" -1) Bread(class "Bread" -1) A(class "A" -1) B(class "B" -1) C(class "A label" -1) D(class "D" 0) Duck inherits Animal Duck implements Flyer Pond composes Duck "1" "holds" "many" Duck aggregates Egg Duck associates Pond Duck depends Bread A none>none B A open>open B`},
		{"entities", "erDiagram\nCUSTOMER ||--o{ ORDER : places\nORDER }|..o| \"LINE ITEM\" : \"has, maybe\"\nCUSTOMER {\nint id PK\nstring name \"the full one\"\nint shop FK\n}\np[Person]",
			`entities  "" CUSTOMER(entity "CUSTOMER" -1 ["PK id: int" "name: string" "FK shop: int"] []) ORDER(entity "ORDER" -1) LINE ITEM(entity "LINE ITEM" -1) p(entity "Person" -1) CUSTOMER ERmandOne>ERzeroToMany ORDER "" "places" "" ORDER ERoneToManydashed>ERzeroToOne LINE ITEM "" "has, maybe" ""`},
		{"states", "stateDiagram-v2\n[*] --> Idle\nIdle --> Busy : go\nstate Busy {\n[*] --> On\nOn --> [*]\n}\nstate \"Very long\" as L\nBusy --> L\nstate c <<choice>>\nL --> c\nc --> [*]\nIdle : waits\nnote right of Idle : quiet",
			`states  "" {Busy "Busy" -1} [*] initial -1(initial "" -1) Idle(state "waits" -1) [*] initial 0(initial "" 0) On(state "On" 0) [*] final 0(final "" 0) L(state "Very long" -1) c(decision "" -1) [*] final -1(final "" -1) note 8(note "quiet" -1) [*] initial -1 none>classic Idle Idle none>classic Busy "" "go" "" [*] initial 0 none>classic On On none>classic [*] final 0 Busy none>classic L L none>classic c c none>classic [*] final -1 note 8 nonedashed>none Idle`},
		{"a mind map", "mindmap\n  root((Idea))\n    One\n      (Deep)\n    Two words here\n      ::icon(fa fa-book)\n",
			`mindmap  "" m1(circle "Idea" -1 level 0) m2(svc "One" -1 level 1) m3(svc "Deep" -1 level 2) m4(svc "Two words here" -1 level 1) m1 none>none m2 m2 none>none m3 m1 none>none m4`},
		{"a sequence", "sequenceDiagram\ntitle T\nautonumber\nactor A as Alice\nbox Blue Team\nparticipant B\nparticipant C\nend\nA->>+B: hi\nloop each, day\nB--xC: no\nC-)C: self\nelse other\nNote over A,C: long<br>text\nend\nB-->>-A: bye\nB<<->>C: talk\nactivate C\ndeactivate C\nNote left of A: n",
			`sequence  "T" A("Alice" actor) B("B") C("C") box "Team" 1-2 | 0-block1 "1. hi" | activate 1 | loop "each, day" | 1--cross2 "2. no" | 2-open2 "3. self" | section "other" | note over 0-2 "long\ntext" | close | 1--block0 "4. bye" | deactivate 1 | 1-block2 "5. talk" both | activate 2 | deactivate 2 | note left 0-0 "n"`},
		{"a plan", "gantt\ntitle P\ndateFormat DD-MM-YYYY\nexcludes weekends\nsection S\nA :done, a1, 05-01-2026, 5d\nB :crit, after a1, 1w\nsection T\nC :milestone, after a1, 0d\nD : 2d\nE :active, 01-02-2026, 03-02-2026",
			`gantt  "P" | S/A 01-05 01-10 done | S/B 01-10 01-21 crit | T/C 01-10 01-10 milestone | T/D 01-10 01-14 | T/E 02-01 02-03 active`},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, err := Mermaid(x.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := summarize(c); got != x.want {
				t.Errorf("%s\nwant %s", got, x.want)
			}
		})
	}
}

func TestPlantUMLIsRead(t *testing.T) {
	for _, x := range []struct{ name, text, want string }{
		{"a sequence", "@startuml\ntitle T\nskinparam x y\nactor User\nparticipant \"Web App\" as W\nUser -> W ++ : go\nW --> User : done\nUser <-- W : again\nW ->> DB : async\nalt ok\nW -[#red]> W : self\nelse bad\nend\nnote left of W: n\nnote right\ntwo\nlines\nend note\n== Later ==\nreturn value\n@enduml",
			`sequence  "T" User("User" actor) W("Web App") DB("DB") | 0-block1 "go" | activate 1 | 1--block0 "done" | 1--block0 "again" | 1-open2 "async" | alt "ok" | 1-block1 "self" | section "bad" | close | note left 1-1 "n" | note right 1-1 "two\nlines" | note over 0-2 "Later" | 1--block0 "value" | deactivate 1`},
		{"classes", "@startuml\nabstract class A {\n- x: int\n--\n+ {static} run()\n}\ninterface I\nclass B extends A implements I\nB *-left- \"2\" C : has\nA ---> C\npackage \"P Q\" {\nclass D\n}\nhide empty members\n@enduml",
			`classes  "" {P Q "P Q" -1} A(class "«abstract»\nA" -1 ["- x: int"] ["+ run()"]) I(class "«interface»\nI" -1) B(class "B" -1) C(class "C" -1) D(class "D" 0) B implements I B inherits A B composes C "" "has" "2" A associates C`},
	} {
		t.Run(x.name, func(t *testing.T) {
			c, err := PlantUML(x.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := summarize(c); got != x.want {
				t.Errorf("%s\nwant %s", got, x.want)
			}
		})
	}
}

func TestBrokenTextsOfOtherKindsAreRefusedWithTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"sequenceDiagram\nA->>B":                   "line 2: neither a message",
		"sequenceDiagram\nA B: x":                  "line 2: an arrow such as ->>",
		"sequenceDiagram\nloop x\nA->>B: y":        "line 2: a frame or a box has no end",
		"sequenceDiagram\nend":                     "line 2: end without a frame",
		"sequenceDiagram\nNote over A":             "line 2: a note needs a text",
		"sequenceDiagram":                          "line 1: there are no participants",
		"classDiagram\nclass A {\n+x":              "line 2: a class or a namespace has no end",
		"classDiagram\nwhat is this":               "line 2: neither a class nor a relation",
		"classDiagram\n <|-- B":                    "line 2: a relation needs a class at both ends",
		"erDiagram\nA |--o B : x":                  "line 2: not a relation such as",
		"erDiagram\nA {\nint\n}":                   "line 3: an attribute needs a type and a name",
		"stateDiagram-v2\nstate A {\nB":            "line 2: a state or a note has no end",
		"stateDiagram-v2\nstate a <<odd>>":         "line 2: the kind <<odd>> of a state",
		"mindmap\nA\nB":                            "line 3: a mind map has one root",
		"gantt\nA: 3d":                             "line 2: the first task needs a start",
		"gantt\nA: 2026-01-05, soon":               `line 2: "soon" is neither a date`,
		"gantt\nA: 2026-01-05, 2d\nB: after x, 1d": `line 3: task "B" starts after "x"`,
		"gantt\nA: 2026-01-05, 2026-01-01":         "line 2: task \"A\" ends before it starts",
		"flowchart TB\nA@{ shape: blob }":          `line 2: the shape "blob" of A is not known`,
	} {
		if _, err := Mermaid(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                         "line 1: the text draws nothing",
		"@startuml\nA ? B":         "line 2: neither a message",
		"A -> B: x\nnote right\ny": "line 3: a note has no end",
		"class A {\n x":            "line 1: a class or a namespace has no end",
	} {
		if _, err := PlantUML(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzMermaid(f *testing.F) {
	for _, s := range []string{"graph LR\nA[Web] -->|x| B{y} & C\nsubgraph s\nD\nend", "sequenceDiagram\nA->>+B: x", "classDiagram\nA <|-- B", "erDiagram\nA ||--o{ B : x", "stateDiagram-v2\n[*] --> A", "mindmap\n a\n  b", "gantt\nA: 2026-01-05, 3d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = Mermaid(text)
		_, _ = PlantUML(text)
	})
}
