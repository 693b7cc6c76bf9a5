package pdk

import (
	"reflect"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

func TestASyntaxSaysWhatAVerbTakes(t *testing.T) {
	for _, tt := range []struct {
		syntax, name string
		want         abi.Takes
	}{
		{"stats", "stats", abi.Takes{}},
		{"add TEXT", "add", abi.Takes{Min: 1, Max: 1}},
		{"done TASK|@SEL", "done", abi.Takes{Select: true, Min: 1, Max: 1}},
		{"remove NAME… | @SEL", "remove", abi.Takes{Select: true, Min: 1, Max: -1}},
		{"list @SEL", "list", abi.Takes{Select: true}},
		{"recur TASK|@SEL RULE [until:DATE]", "recur", abi.Takes{Select: true, Min: 2, Max: 2, Params: []abi.Param{{Key: "until", Value: "DATE"}}}},
		{"note PITCH... [at:POS vel:1-127] [TRACK]", "note", abi.Takes{Min: 1, Max: -1, Params: []abi.Param{{Key: "at", Value: "POS"}, {Key: "vel", Value: "1-127"}}}},
		{"page add|remove [NAME]", "page", abi.Takes{Min: 1, Max: 2}},
		{"name REF|SEL|REF ARROW REF TEXT", "name", abi.Takes{Select: true, Min: 2, Max: 4}},
		{"remove REF…|SEL | remove row TEXT", "remove", abi.Takes{Select: true, Min: 1, Max: -1}},
		{"bend TRACK N [at:POS] | bend TRACK FROM-TO @range:P-P [curve:C] [at:TICK] · bend all", "bend", abi.Takes{Select: true, Min: 1, Max: 2,
			Params: []abi.Param{{Key: "at", Value: "POS|TICK"}, {Key: "curve", Value: "C"}}}},
		{"chords [TRACK[,TRACK…]] [P-P] [@SEL…]", "chords", abi.Takes{Select: true, Max: 2}},
		{"turn dir:up|down", "turn", abi.Takes{Params: []abi.Param{{Key: "dir", Value: "up|down"}}}},
	} {
		v := NewVerb[*int](tt.syntax, "does it", nil, tt.syntax)
		got := abi.Takes{Params: v.Params, Select: v.Select, Min: v.Min, Max: v.Max}
		if v.Name != tt.name || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %s %+v, want %+v", tt.syntax, v.Name, got, tt.want)
		}
		if q := NewQuery[*int](tt.syntax, "answers", nil); q.Name != tt.name || !reflect.DeepEqual(*q.Takes, tt.want) {
			t.Errorf("query %s: %s %+v", tt.syntax, q.Name, *q.Takes)
		}
	}
}

func TestASyntaxWithKeysOfAnyNameTakesThem(t *testing.T) {
	for _, keys := range []string{"key:value…", "[INPUT:VALUE…]"} {
		if v := NewVerb[*int]("style REF [fill:COLOUR] "+keys, "", nil); !v.AnyParam || len(v.Params) != 1 || v.Max != 1 {
			t.Errorf("%s: got %+v", keys, v.Verb)
		}
	}
}

func TestCutLastRemovesTheWordsAfterTheTargets(t *testing.T) {
	words := func(list ...string) Args {
		op := &abi.Op{Verb: "recur"}
		for _, w := range list {
			op.Positionals = append(op.Positionals, abi.Positional{Text: w})
		}
		return Args{op}
	}
	a := words("milk", "weekly")
	rest, cut, err := a.CutLast(1)
	if err != nil || len(rest.Positionals) != 1 || rest.Text(0) != "milk" || cut[0] != "weekly" || len(a.Positionals) != 2 {
		t.Errorf("got %v, %v, %v", rest.Positionals, cut, err)
	}
	if rest, cut, err = words("weekly").CutLast(1); err != nil || len(rest.Positionals) != 0 || cut[0] != "weekly" {
		t.Errorf("got %v, %v, %v", rest.Positionals, cut, err)
	}
	if _, _, err = words().CutLast(1); err == nil || err.Error() != "recur needs 1 word after its targets" {
		t.Errorf("got %v", err)
	}
}

func TestDoneRepliesForOneForManyAndForNoElements(t *testing.T) {
	for _, tt := range []struct {
		names []string
		kind  abi.Kind
		text  string
	}{
		{[]string{"a"}, abi.Deleted, "remove a"},
		{[]string{"a", "b"}, abi.Bulk, "remove 2 tasks: a, b"},
		{[]string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, abi.Bulk, "remove 9 tasks: a, b, c, d, e, f, g, h, …"},
	} {
		c := new(Ctx[*int])
		if err := c.Done(abi.Deleted, "remove", "task", tt.names); err != nil || c.kind != tt.kind || c.text != tt.text {
			t.Errorf("%v: %q %q, %v", tt.names, c.kind, c.text, err)
		}
	}
	if err := new(Ctx[*int]).Done(abi.Changed, "done", "task", nil); !IsUnchanged(err) {
		t.Errorf("nothing changed is %v", err)
	}
}
