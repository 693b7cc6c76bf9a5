package domain

import (
	"slices"
	"strings"
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

func TestARefusedOpIsPutIntoTheGrammarsForm(t *testing.T) {
	d := painting(t)
	for _, c := range []struct {
		op, want string
		sure     bool // it does not depend on what bare words mean
	}{
		{"delete sheet 2", "sheet remove 2", true},
		{"deleteSheet 2", "sheet remove 2", true},
		{"add sheet Plan", "sheet create Plan", true},
		{"add line A B", "join A B", true},
		{"delete line A -> B", "part A -> B", true},
		{"remove node A", "remove A", true},
		{"addNode A", "add node A", true},
		{"A -> B", "join A -> B", true},
		{"join A=>B", "join A -> B", true},
		{"join A ---> B", "join A -> B", true},
		{"join A<->B label:x", "join A <-> B label:x", true},
		{"add Box label=x", "add Box label:x", true},
		{"add Box label x", "add Box label:x", true},
		{"add Box label: x", "add Box label:x", true},
		{"add Box x:1 y:2 width:3 h:4", "add Box at:1,2 size:3x4", true},
		{`remove "@type:Big Box"`, `remove @type:"Big Box"`, true},
		{"remove lines", "remove @lines", false},
		{"remove the A", "remove A", false},
		{"switch to sheet Plan", "", false},
		{`join "Web" App -> B`, "", false},
	} {
		all, sure := d.Forms(c.op)
		i := slices.Index(all, c.want)
		if c.want != "" && (i < 0 || (i < sure) != c.sure) {
			t.Errorf("%s: %q, %d of them sure; want %q", c.op, all, sure, c.want)
		}
		if slices.Contains(all, c.op) {
			t.Errorf("%s is among its own forms", c.op)
		}
	}
	many := strings.Repeat("A->B ", maxPhrase/2) // too many words only once they are apart
	for _, text := range []string{"", `join "A`, "join A\nB", "paint A", "remove A", "join " + many, "drawManyLines" + strings.Repeat(" x", maxPhrase-1), "B-C-D-E " + many} {
		if got, _ := d.Forms(text); got != nil {
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
