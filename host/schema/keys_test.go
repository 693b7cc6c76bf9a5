package schema

import (
	"strings"
	"testing"
)

func TestASchemaDeclaresItsKeysWhereverTheyAre(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"object","properties":{"a":{}}}`:                                                                             "a",
		`{"type":"object","properties":{"a":{}},"additionalProperties":false}`:                                                "a",
		`{"type":"object","additionalProperties":{"type":"string"}}`:                                                          "a b _c",
		`{"type":"object","additionalProperties":true}`:                                                                       "a b _c",
		`{"type":"object","patternProperties":{"^_":{}}}`:                                                                     "_c",
		`{"type":"object","anyOf":[{"properties":{"a":{}}},{"$ref":"#/$defs/b"}],"$defs":{"b":{"properties":{"b":{}}}}}`:      "a b",
		`{"type":"object","if":{"required":["x"]},"then":{"properties":{"b":{}}},"properties":{"n":{"properties":{"a":{}}}}}`: "b",
		`{"$ref":"#"}`: "",
	} {
		s, err := Compile([]byte(text))
		if err != nil {
			t.Fatal(text, err)
		}
		var got []string
		for _, key := range []string{"a", "b", "_c"} {
			if s.Declares(key) {
				got = append(got, key)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s declares %q, want %q", text, got, want)
		}
	}
}

func TestASchemaIgnoresAKeyOnlyIfItListsOthersAndNothingSpeaksOfAll(t *testing.T) {
	for text, want := range map[string]bool{
		`{"type":"object","properties":{"id":{}}}`:                                      true,
		`{"type":"object","allOf":[{"properties":{"id":{}}}]}`:                          true,
		`{"type":"object","properties":{"id":{},"ID":{}}}`:                              false,
		`{"type":"object","properties":{"id":{}},"additionalProperties":false}`:         false, // checking refuses it
		`{"type":"object","properties":{"id":{}},"additionalProperties":{}}`:            false,
		`{"type":"object","properties":{"id":{}},"patternProperties":{"^I":{}}}`:        false,
		`{"type":"object","properties":{"id":{}},"propertyNames":{"pattern":"^[a-z]"}}`: false,
		`{"type":"object"}`: false,
	} {
		s, err := Compile([]byte(text))
		if err != nil {
			t.Fatal(text, err)
		}
		if got := s.Ignores("ID"); got != want {
			t.Errorf("%s ignores ID: %v", text, got)
		}
	}
}

func TestMembersAreRemovedAndTheRestStaysAsItIs(t *testing.T) {
	drop := func(key string) bool { return key == "x" || key == "é" }
	for text, want := range map[string]string{
		`{"b":1.0,"x":{"b":2},"a":[ 1e2 , {"x":3}],"\u00e9":0}`: `{"b":1.0,"a":[ 1e2 , {"x":3}]}`,
		`{"b": 1}`: `{"b": 1}`, `{"x":1,"x":2}`: `{}`, `[1]`: `[1]`, ``: ``, `{"x":`: `{"x":`,
	} {
		if got := string(Without([]byte(text), drop)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestAPublishedObjectMayHaveWarnings(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"object","properties":{"a":{}}}`:                                                     `{"type":"object","properties":{"a":{}}}`,
		`{"type":"object","properties":{"a":{}},"additionalProperties":false}`:                        `{"type":"object","properties":{"a":{},"warnings":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`,
		`{"type":"object","unevaluatedProperties":false}`:                                             `{"type":"object","unevaluatedProperties":false,"properties":{"warnings":{"type":"array","items":{"type":"string"}}}}`,
		`{"type":"object","properties":{"warnings":{"type":"integer"}},"additionalProperties":false}`: `{"type":"object","properties":{"warnings":{"type":"integer"}},"additionalProperties":false}`,
		`{"type":"array"}`: `{"type":"object","properties":{"result":{"type":"array"}},"required":["result"]}`,
	} {
		got, _, err := Output([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s is published as %s, %v\nwant %s", text, got, err, want)
		}
	}
}

func TestWarningsAreAddedToAStructuredResult(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1.0}`: `{"a":1.0,"warnings":["one","<2>\u202e"]}`, `{}`: `{"warnings":["one","<2>\u202e"]}`,
		`{"warnings":["own"],"a":1}`: `{"warnings":["own","one","<2>\u202e"],"a":1}`,
		`{"warnings":[{"line":1}]}`:  "", `{"warnings":"own"}`: "", `[1]`: "", `1`: "",
	} {
		got, ok := AddWarnings([]byte(text), []string{"one", "<2>\u202e"})
		if string(got) != want || ok != (want != "") {
			t.Errorf("%s: %s, %v; want %s", text, got, ok, want)
		}
	}
}
