package domain

import (
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func painting(t *testing.T) *Domain {
	m := testwasm.MinimalManifest()
	m.Verbs = []abi.Verb{
		{Name: "add", Syntax: "add [KIND] NAME", Min: 1, Max: 2, AnyParam: true, Params: []abi.Param{{Key: "label", Value: "TEXT"}, {Key: "at", Value: "X,Y"}, {Key: "size", Value: "WxH"}, {Key: "in", Value: "FRAME"}}},
		{Name: "remove", Syntax: "remove NAME", Min: 0, Max: 1, Select: true},
		{Name: "modify", Syntax: "modify NAME", Min: 0, Max: 1, Select: true, AnyParam: true, Params: []abi.Param{{Key: "label", Value: "TEXT"}}},
		{Name: "join", Syntax: "join NAME ARROW NAME", Min: 2, Max: -1, Params: []abi.Param{{Key: "label", Value: "TEXT"}}},
		{Name: "part", Syntax: "part NAME ARROW NAME", Min: 2, Max: 3},
		{Name: "arrange", Syntax: "arrange [by:]", Max: 0, Params: []abi.Param{{Key: "by", Value: "row|column|ring"}}},
		{Name: "sheet", Syntax: "sheet create NAME | remove N | rename N NAME", Min: 1, Max: 3},
		{Name: "width", Syntax: "width NAME N", Min: 2, Max: 2},
	}
	m.Selectors = []abi.Selector{{Type: "type", Syntax: "@type:T"}, {Type: "lines", Syntax: "@lines"}}
	m.Synonyms = []abi.Synonym{
		{Word: "line", Means: "join"}, {Word: "->", Means: "join"}, {Word: "remove line", Means: "part"}, {Word: "node", Means: "add"},
		{Word: "frame:", Means: "in:"}, {Word: "@kind", Means: "@type"}, {Word: "Upper", Means: "add"}, {Word: "a  b", Means: "add"},
	}
	d, err := New(m, scripted(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(d.Manifest.Synonyms); n != 6 {
		t.Errorf("%d synonyms are kept", n)
	}
	return d
}

func TestARefusedOpIsRephrasedOneHabitAtATime(t *testing.T) {
	d := painting(t)
	for _, c := range []struct {
		op, want string
		guess    bool // not among the faithful ones
	}{
		{"delete sheet 2", "sheet remove 2", false},
		{"deleteSheet 2", "sheet remove 2", false},
		{"add sheet Plan", "sheet create Plan", false},
		{"add line A B", "join A B", false},
		{"delete line A -> B", "part A -> B", false},
		{"remove node A", "remove A", false},
		{"addNode A", "add node A", false},
		{"A -> B", "join A -> B", false},
		{"A->B", "A -> B", false},
		{"join A=>B", "join A -> B", false},
		{"join A ---> B", "join A -> B", false},
		{"join A<->B label:x", "join A <-> B label:x", false},
		{"join from:A to:B", "join A B", false},
		{"join A to B", "join A -> B", false},
		{"add Box label=x", "add Box label:x", false},
		{"add Box label x", "add Box label:x", false},
		{"add Box label: x", "add Box label:x", false},
		{"add Box at 1 2", "add Box at:1,2", false},
		{"add Box 1,2", "add Box at:1,2", false},
		{"add Box 3x4", "add Box size:3x4", false},
		{"add Box x:1 y:2 width:3 h:4", "add Box at:1,2 size:3x4", false},
		{"add Box frame:F", "add Box in:F", false},
		{"add Box name:x", "add Box label:x", false},
		{"add type:Box name:x", "add Box x", false},
		{"arrange ring", "arrange by:ring", false},
		{"arrange type:ring", "arrange by:ring", false},
		{"modify A width:3", "width A 3", false},
		{"remove the A", "remove A", false},
		{"remove A, B", "remove A B", false},
		{"remove all", "remove @all", false},
		{"remove lines", "remove @lines", false},
		{"remove @kind:box", "remove @type:box", true},
		{"remove @box", "remove @type:box", true},
		{`join "Web" App -> B`, "", true},
	} {
		all, faithful := d.Rephrase(c.op, false), d.Rephrase(c.op, true)
		if c.want != "" && !slices.Contains(all, c.want) {
			t.Errorf("%s: %q lacks %q", c.op, all, c.want)
		}
		if slices.Contains(faithful, c.want) == c.guess && c.want != "" {
			t.Errorf("%s: faithful: %q", c.op, faithful)
		}
		if slices.Contains(all, c.op) {
			t.Errorf("%s is among its own rephrasings", c.op)
		}
	}
	for _, text := range []string{"", `join "A`, "join A\nB"} {
		if got := d.Rephrase(text, false); got != nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestNamesOfSeveralWordsAreReadInTheOneReadingThatWorks(t *testing.T) {
	d := painting(t)
	names := []string{"Web App", "User DB", "East Wing", "Big Box", "A B", "B C D", "C D"}
	for _, c := range []struct {
		op    string
		works []string
		want  string
	}{
		{"join Web App -> User DB", []string{`join "Web App" -> "User DB"`}, `join "Web App" -> "User DB"`},
		{"add Box Hall in:East Wing", []string{`add Box Hall in:"East Wing"`}, `add Box Hall in:"East Wing"`},
		{"remove @type:Big Box", []string{`remove @type:"Big Box"`}, `remove @type:"Big Box"`},
		{"join A B C D", []string{`join "A B" C D`, `join "A B" "C D"`}, `join "A B" C D`}, // the second joins more
		{"join A B C D", []string{`join "A B" "C D"`, `join A "B C D"`}, ""},               // neither joins less
		{`join "Web" App -> B`, []string{`join "Web App" -> B`}, ""},                       // quoted words stay apart
		{"add Box Main Hall", []string{`add Box "Main Hall"`}, ""},                         // not the name of anything
		{"paint Web App", []string{`paint "Web App"`}, ""},                                 // no verb
	} {
		has := func(name string) bool { return slices.Contains(names, name) }
		got := d.Joined(abi.TryOp, c.op, has, func(text string) bool { return slices.Contains(c.works, text) })
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.op, got, c.want)
		}
	}
}

func TestASuggestionKeepsTheIntentOfTheOp(t *testing.T) {
	d := painting(t)
	for _, c := range []struct {
		op, mend string
		removes  bool
		good     bool
	}{
		{"delete A", "remove A", true, true},
		{"deleteNode A", "remove A", true, true},
		{"delete line A -> B", "part A -> B", true, true},
		{"rename sheet 2", "sheet remove 2", true, false},
		{"rename sheet 2", "sheet rename 2", false, true},
		{"remove a b", "remove b", true, false},
		{"A -> B", "join A -> B", false, true},
		{"A -> B", "remove A", true, false},
		{"add line A B", "join A B", false, true},
		{"modify A width:3", "width A 3", false, true},
		{"arrange A", "remove A", true, false},
	} {
		if got := d.Intends(c.op, c.mend, c.removes); got != c.good {
			t.Errorf("%s, try %s: %v", c.op, c.mend, got)
		}
	}
}
