package domain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestAnOpIsCheckedAgainstTheManifest(t *testing.T) {
	m := testwasm.MinimalManifest()
	m.Verbs = []abi.Verb{
		{Name: "note", Syntax: "note TRACK PITCH… [at:POS]", Min: 2, Max: 3, Params: []abi.Param{{Key: "at"}, {Key: "dur"}}, Examples: []string{`note "broken`, "note Piano C4"}},
		{Name: "move", Syntax: "move @SEL", Min: 1, Max: 1, Select: true},
		{Name: "set", Syntax: "set [k:v…]", AnyParam: true, Max: 0, Hidden: true},
		{Name: "grid", Syntax: "grid", Block: "END", Max: -1},
	}
	m.Selectors = []abi.Selector{{Type: "track", Syntax: "@track:NAME"}}
	d, err := New(m, scripted(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ op, says string }{
		{"note Piano C4", ""},
		{"note Piano C4 E4 at:1.1 dur:q", ""},
		{"NOTE Piano C4", ""},
		{"move x", ""},
		{"move @track:Bass @not:recent:3 @all", ""},
		{"set anything:1 goes:2", ""},
		{"grid\nx\nEND", ""},
		{"nte Piano C4", `unknown verb "nte" (try note Piano C4)`},
		{"gird", `unknown verb "gird"; nearest: grid`},
		{"xyzzy", `unknown verb "xyzzy"; the verbs are note move grid`},
		{"note Piano", "note needs 2 words after it, got 1: note TRACK PITCH… [at:POS]"},
		{"note", "note needs 2 words after it, got 0: note TRACK PITCH… [at:POS]"},
		{"note a b c d", `note takes at most 3 words after it, so not "d" (try note a b "c d")`},
		{`note a b c at:x,"z w"`, `at: takes a list that is quoted as a whole (try note a b c at:"x,z w")`},
		{"note a b att:1", "note has no parameter att:; nearest: at: (try note a b at:1)"},
		{"note a b duration:h", "note has no parameter duration:; nearest: dur: (try note a b dur:h)"},
		{"note a b vel:1", "note has no parameter vel:; it takes at: dur: (try note a b)"},
		{"note a b AT:1", ""},
		{"note a b AT:1 at:2", "note has no parameter AT:; it takes at: dur: (try note a b at:2)"},
		{"note a b @all", "note takes no selector, so not @all (try note a b)"},
		{"move", "move needs 1 word after it, got 0: move @SEL"},
		{"move a at:1", "move takes no parameter, so not at: (try move a)"},
		{"move @trak:x", "unknown selector @trak:x; nearest: @track (try move @track:x)"},
		{"move @not:zzz", "unknown selector @not:zzz; the selectors are @all @recent @track"},
		{"move @Track:x", ""},
		{"move @not:@track:x", ""},
		{"set x", "set takes no word, so not \"x\""},
	}
	for _, tt := range tests {
		op, err := grammar.Parse(tt.op, d.Rules)
		if err != nil {
			t.Fatalf("%s: %v", tt.op, err)
		}
		got := ""
		if e := d.Check(&op); e != nil {
			got = e.Message
			if len(e.Try) > 0 {
				var tries []string
				for _, s := range e.Try {
					tries = append(tries, s.Text)
				}
				got += " (try " + strings.Join(tries, ", ") + ")"
			}
		}
		if got != tt.says {
			t.Errorf("%s:\n got %s\nwant %s", tt.op, got, tt.says)
		}
	}
	op, err := grammar.ParseQuery("list @trak:x @all")
	if err != nil {
		t.Fatal(err)
	}
	if e := d.CheckQuery(&op); e == nil || e.Message != "unknown selector @trak:x; nearest: @track" {
		t.Errorf("a query's selector: %v", e)
	}
}

// If the manifest says what a query takes, anything else is refused, with a suggestion.
func TestAQueryIsCheckedAgainstTheManifest(t *testing.T) {
	m := testwasm.MinimalManifest()
	m.Selectors = []abi.Selector{{Type: "track", Syntax: "@track:T"}}
	m.Queries = []abi.Query{{Name: "map", Takes: &abi.Takes{}}, {Name: "show", Syntax: "show NAME", Takes: &abi.Takes{Min: 1, Max: 1, Select: true, Params: []abi.Param{{Key: "width"}}}}, {Name: "find", Takes: &abi.Takes{Min: 1, Max: -1}}, {Name: "free"}}
	d, err := New(m, scripted(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	for q, says := range map[string]string{
		"map":               "",
		"map x":             `map takes no word, so not "x" (try map)`,
		"map x:1":           "map takes no parameter, so not x: (try map)",
		"map @track:1":      "map takes no selector, so not @track:1 (try map)",
		"show a Width:3":    "",
		"show @track:1":     "",
		"show":              "show needs 1 word after it, got 0: show NAME",
		"show a b":          `show takes at most 1 word after it, so not "b" (try show "a b")`,
		"show a widht:3":    "show has no parameter widht:; nearest: width: (try show a width:3)",
		"show @trak:1":      "unknown selector @trak:1; nearest: @track (try show @track:1)",
		"find http://x":     "",
		"find a b:c":        `find takes no parameter, so not b: (try find a "b:c") (try find a)`,
		"free a b c:d @all": "",
	} {
		op, err := grammar.ParseQuery(q)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if e := d.CheckQuery(&op); e != nil {
			got = e.Message
			for _, s := range e.Try {
				got += " (try " + s.Text + ")"
			}
		}
		if got != says {
			t.Errorf("%s:\n got %s\nwant %s", q, got, says)
		}
	}
}

func TestAnUnknownSelectorMayBeATypesName(t *testing.T) {
	m := testwasm.MinimalManifest()
	m.Selectors = []abi.Selector{{Type: "type", Syntax: "@type:T"}}
	m.Queries = []abi.Query{{Name: "bbox", Takes: &abi.Takes{Select: true, Max: -1}}}
	d, err := New(m, scripted(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	op, err := grammar.ParseQuery("bbox @not:g")
	if err != nil {
		t.Fatal(err)
	}
	if e := d.CheckQuery(&op); e == nil || len(e.Try) != 1 || e.Try[0].Text != "bbox @not:type:g" {
		t.Errorf("%+v", e)
	}
}

func TestOpCarriesEverything(t *testing.T) {
	op, err := grammar.Parse(`connect "a b" -> c at:"1.1" @not:track:Bass`, grammar.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	w := op.Op
	if got := fmt.Sprintf("%+v", w); got != `{Verb:connect Positionals:[{Text:a b Quoted:true} {Text:-> Quoted:false} {Text:c Quoted:false}] Params:[{Key:at Value:1.1 Quoted:true}] Selectors:[{Raw:@not:track:Bass Type:track Value:Bass Negated:true}] Arrows:[1] Raw:connect "a b" -> c at:"1.1" @not:track:Bass Block:[]}` {
		t.Error(got)
	}
}
