package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func compile(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Compile([]byte(text))
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return s
}

func check(t testing.TB, s *Schema, text string) error {
	t.Helper()
	v, err := Decode([]byte(text))
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return s.Check(v)
}

func TestAnErrorSaysWhereAndWhatWouldBeRight(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{
		"id":{"type":"string","pattern":"^[a-z0-9]{6}$"},
		"limit":{"type":"integer","minimum":1,"maximum":50},
		"name":{"type":"string","minLength":2,"maxLength":4},
		"when":{"type":"string","format":"date-time"},
		"updates":{"type":"object","properties":{"status":{"enum":["todo","done"]},"tags":{"type":"array","items":{"type":"string"},"maxItems":2}},"minProperties":1},
		"either":{"type":["string","null"]}},
		"required":["id"],"additionalProperties":false,"anyOf":[{"required":["name"]},{"required":["limit"]}]}`)
	for args, want := range map[string]string{
		`{"id":"abc123","limit":5}`:   ``,
		`{"id":"abc123","limit":5.0}`: ``,
		`{"limit":5}`:                 `"id" is missing`,
		`{"id":"abc123"}`:             `one of these must be corrected: "name" is missing; or "limit" is missing`,
		`{"id":"ABC","limit":5}`:      `id: must match ^[a-z0-9]{6}$, and "ABC" does not`,
		`{"id":7,"limit":5}`:          `id: must be string, not number`,
		`{"id":"abc123","limit":0}`:   `limit: must be at least 1`,
		`{"id":"abc123","limit":123456789012345678901234567890}`:                `limit: must be at most 50`,
		`{"id":"abc123","limit":1.5}`:                                           `limit: must be integer, not number`,
		`{"id":"abc123","name":"é"}`:                                            `name: must have at least 2 characters, and has 1`,
		`{"id":"abc123","name":"abcde"}`:                                        `name: must have at most 4 characters, and has 5`,
		`{"id":"abc123","limit":5,"when":"noon"}`:                               `when: must be a date-time, such as 2025-10-16T12:00:00Z, not "noon"`,
		`{"id":"abc123","limit":5,"updates":{}}`:                                `updates: must have at least 1 properties, and has 0`,
		`{"id":"abc123","limit":5,"updates":{"status":"open"}}`:                 `updates.status: must be one of "todo", "done", not "open"`,
		`{"id":"abc123","limit":5,"updates":{"tags":["a","b","c"]}}`:            `updates.tags: must have at most 2 items, and has 3`,
		`{"id":"abc123","limit":5,"updates":{"tags":["a",2]}}`:                  `updates.tags[1]: must be string, not number`,
		`{"id":"abc123","limit":5,"either":4}`:                                  `either: must be null or string, not number`,
		`{"id":"abc123","limt":5,"name":"abc"}`:                                 `there is no "limt"; there are "either", "id", "limit", "name", "updates", "when"`,
		`{"id":"abc123","limit":"5","updates":{"status":"x\u001b[31m\u202ey"}}`: `limit: must be integer, not string; updates.status: must be one of "todo", "done", not "x\\u001b[31m\\u202ey"`,
	} {
		got := ""
		if err := check(t, s, args); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", args, got, want)
		}
	}
}

func TestAmbiguousJSONIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"a":2}`:                      `the key "a" occurs twice`,
		`{"a":{"b":[{"c":1,"\u0063":2}]}}`:   `the key "c" occurs twice`,
		`NaN`:                                `not JSON`,
		`{"a":NaN}`:                          `not JSON`,
		`{"a":Infinity}`:                     `not JSON`,
		`{"a":1,}`:                           `not JSON`,
		`[1 2]`:                              `not JSON`,
		`{"a" 1}`:                            `not JSON`,
		``:                                   `not JSON`,
		`{"a":01}`:                           `not JSON`,
		`{} {}`:                              `after its end`,
		`{}]`:                                `after its end`,
		"{}\f":                               `after its end`,
		"{}\u00a0":                           `after its end`,
		"{\"a\":\"\xff\"}":                   `not UTF-8`,
		`{"a":1e999999999}`:                  `a: the number 1e999999999 has more than`,
		`[1E-99999]`:                         `[0]: the number`,
		`[1e99999999999999999999]`:           `[0]: the number`,
		`[` + strings.Repeat("9", 600) + `]`: `[0]: the number`,
		strings.Repeat("[", 200):             `nested more than`,
		strings.Repeat(`{"a":`, 100) + `1`:   `nested more than`,
		strings.Repeat("[", 1<<20) + "]":     `nested more than`,
		`{"` + strings.Repeat("k", 300) + `":nope}`: `not JSON`,
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{`{"a":[1,2.50,1e308,-0,{"b":null}],"c":true}`, " 1 \n", `"\ud800"`, `{"":{"":[]}}`} {
		if _, err := Decode([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAnUnusableSchemaIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"$ref":"https://example.com/s.json"}`:                           "may refer only to itself",
		`{"$ref":"file:///etc/passwd"}`:                                   "may refer only to itself",
		`{"$ref":"other.json"}`:                                           "may refer only to itself",
		`{"$schema":"https://example.com/meta"}`:                          "may refer only to itself",
		`{"$ref":"#/$defs/none"}`:                                         "$defs/none",
		`{"type":"text"}`:                                                 "type",
		`{"pattern":"(?=a)b"}`:                                            "",
		`{"pattern":"a{5000}"}`:                                           "",
		`{"pattern":"((a{100}){100}){10}"}`:                               "",
		`{"pattern":"(a{900}|b{900}|c{900}|(d{90}){9}|(e|é|ü){300}){9}"}`: "pattern",
		`{"properties":{"a":{"$dynamicRef":"#x"}},"$dynamicAnchor":"x"}`:  "dynamic",
		`{"a":1,"a":2}`:                                                   "twice",
		`[]`:                                                              "",
		`"x"`:                                                             "",
		`{"allOf":[` + strings.Repeat(`{},`, 5000) + `{}]}`:               "more than 2000 objects",
		`{"multipleOf":1e999999999}`:                                      "number",
		strings.Repeat(`{"not":`, 500) + `{}`:                             "nested",
	} {
		_, err := Compile([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80s: %v, want %s", text, err, want)
		}
	}
}

// doubling returns a schema that looks at a value twice in each of n steps, as combine says.
func doubling(n int, combine, leaf string) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":`, i)+strings.ReplaceAll(combine, "NEXT", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)))
	}
	return `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(append(defs, fmt.Sprintf(`"d%d":%s`, n, leaf)), ",") + `}}`
}

func TestUnracedExponentialWorkIsAborted(t *testing.T) {
	testwasm.Unraced(t)
	deep := strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 60)
	deepList := strings.Repeat(`[`, 60) + `1` + strings.Repeat(`]`, 60)
	long := `{"a":"` + strings.Repeat("a", 4<<20-100) + `"}`
	many := `{"a":[` + strings.Repeat(`"x",`, 1_000_000) + `"x"]}`
	var enum []string
	for i := range 3000 {
		enum = append(enum, fmt.Sprintf(`"v%d"`, i))
	}
	for name, c := range map[string][2]string{
		"allOf":               {doubling(40, `{"allOf":[NEXT,NEXT]}`, `{"type":"object"}`), `{}`},
		"anyOf that fails":    {doubling(40, `{"anyOf":[NEXT,NEXT]}`, `false`), `{}`},
		"within not":          {`{"not":` + strings.Replace(doubling(40, `{"dependentSchemas":{"a":NEXT,"b":NEXT}}`, `false`), `{"$ref":"#/$defs/d0",`, `{"$ref":"#/not/$defs/d0",`, 1) + `}`, `{"a":1,"b":2}`},
		"of properties":       {`{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}},"type":["object","number"]}`, deep},
		"of items":            {`{"not":{"$ref":"#/$defs/s"},"$defs":{"s":{"items":{"$ref":"#/$defs/s"},"contains":{"$ref":"#/$defs/s"},"type":"array"}}}`, deepList},
		"pattern of a string": {`{"properties":{"a":{"pattern":"^(a|b|ab|ba){1,200}c(x?){900}$"}}}`, long},
		"enum for each item":  {`{"properties":{"a":{"items":{"enum":[` + strings.Join(enum, ",") + `]}}}}`, many},
	} {
		text := c[0]
		if name == "within not" {
			text = strings.ReplaceAll(text, `"#/$defs`, `"#/not/$defs`)
		}
		if len(text) > 32<<10 {
			t.Fatalf("%s: a schema of %d bytes", name, len(text))
		}
		if err := check(t, compile(t, text), c[1]); err != errTooMuch {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A schema may refer to itself, and to no end in a circle.
	if err := check(t, compile(t, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`), `{}`); err == nil {
		t.Error("a circle of references ends well")
	}
}

func TestErrorsStaySmall(t *testing.T) {
	s := compile(t, `{"type":"object","additionalProperties":{"type":"string"},"properties":{"a":{"type":"array","items":{"type":"string"}}}}`)
	for _, text := range []string{
		`{"a":[` + strings.Repeat(`1,`, 200_000) + `1]}`,
		`{"` + strings.Repeat("k", 1<<20) + `":1}`,
		`{"a":"` + strings.Repeat("v", 1<<20) + `"}`,
	} {
		if err := check(t, s, text); err == nil || len(err.Error()) > 3000 {
			t.Errorf("%.20s: %.300v", text, err)
		}
	}
}

// contract is the schemas of the tools of a server that exists.
type contract []struct {
	Name          string
	Input, Output json.RawMessage
}

func contracts(t testing.TB) map[string]contract {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	out := map[string]contract{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c contract
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = c
	}
	return out
}

func TestPublishedSchemasHaveAnObjectAtTheRootAndNoAlternatives(t *testing.T) {
	wraps := []string{"list_chatflows", "read_context", "list_tasks"}
	n := 0
	for _, c := range contracts(t) {
		for _, tool := range c {
			n++
			in, err := Input(tool.Input)
			if err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			out, wrapped, err := Output(tool.Output)
			if err != nil || wrapped != slices.Contains(wraps, tool.Name) {
				t.Fatalf("%s: wrapped %v, %v", tool.Name, wrapped, err)
			}
			for _, published := range [][]byte{in, out} {
				var root map[string]json.RawMessage
				if err := json.Unmarshal(published, &root); err != nil || string(root["type"]) != `"object"` || root["anyOf"] != nil {
					t.Errorf("%s: %s", tool.Name, published)
				}
			}
			if wrapped {
				var root struct {
					Properties struct{ Result json.RawMessage }
				}
				if err := json.Unmarshal(out, &root); err != nil || !bytes.Equal(root.Properties.Result, Clean(tool.Output)) {
					t.Errorf("%s: the result's schema is %s, want %s", tool.Name, root.Properties.Result, tool.Output)
				}
			} else if tool.Name != "update_chatflow" && !bytes.Equal(in, Clean(tool.Input)) {
				t.Errorf("%s: published %s, want %s", tool.Name, in, tool.Input)
			}
		}
	}
	if n != 15 {
		t.Errorf("%d tools", n)
	}
}

func TestAWrappedSchemaKeepsItsReferences(t *testing.T) {
	text := `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"array","items":{"$ref":"#/$defs/card"},"$defs":{"card":{"type":"object","properties":{"next":{"$ref":"#"},"\u202e":{"$ref":"#/$defs/n"}},"required":["id"]},"n":{"enum":[1,2.50]}}}`
	published, wrapped, err := Output([]byte(text))
	if err != nil || !wrapped {
		t.Fatal(err)
	}
	want := `{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"card":{"type":"object","properties":{"next":{"$ref":"#/properties/result"},"\u202e":{"$ref":"#/$defs/n"}},"required":["id"]},"n":{"enum":[1,2.50]}},"properties":{"result":{"type":"array","items":{"$ref":"#/$defs/card"}}},"required":["result"]}`
	if string(published) != want {
		t.Errorf("published\n%s, want\n%s", published, want)
	}
	s := compile(t, string(published))
	if err := check(t, s, `{"result":[{"id":1,"next":[{"id":2}]}]}`); err != nil {
		t.Error(err)
	}
	if err := check(t, s, `{"result":[{"id":1,"next":[{}]}]}`); err == nil || err.Error() != `result[0].next[0]: "id" is missing` {
		t.Error(err)
	}
	for _, text := range []string{`{"type":"string"}`, `true`, `{"anyOf":[{"type":"object"}]}`, `{"type":["object","null"]}`} {
		published, wrapped, err := Output([]byte(text))
		if err != nil || !wrapped {
			t.Errorf("%s: %s %v", text, published, err)
		}
	}
	for _, text := range []string{`{}`, `true`, `{"type":["object"]}`, `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`} {
		if _, err := Input([]byte(text)); err == nil {
			t.Errorf("%s is taken for the schema of arguments", text)
		}
	}
	if _, err := Input([]byte(`{"type":"object","anyOf":[{"required":["a"]}],"properties":{"a":{"$ref":"#/anyOf/0"}}}`)); err == nil {
		t.Error("what is referred to is left out")
	}
}

func TestCleanJSONIsTheSameValue(t *testing.T) {
	in := " {\"z\" : 1.50, \"a\":\t\"\u202ex\u2028\U000e0001\x7f é\", \"n\":123456789012345678901234567890}\n"
	want := `{"z":1.50,"a":"\u202ex\u2028\udb40\udc01\u007f é","n":123456789012345678901234567890}`
	if got := string(Clean([]byte(in))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var a, b any
	if json.Unmarshal([]byte(in), &a) != nil || json.Unmarshal([]byte(want), &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%v is not %v", a, b)
	}
	if Clean([]byte("{")) != nil {
		t.Error("text that is not JSON is cleaned")
	}
}

func TestConcurrentCallsShareASchema(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"a":{"type":"string","pattern":"^x"}}}`)
	done := make(chan error)
	for i := range 8 {
		go func() {
			v := map[string]any{"a": fmt.Sprintf("x%d", i)}
			var err error
			for range 100 {
				if e := s.Check(v); e != nil {
					err = e
				}
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	c := contracts(b)["flows.json"]
	var items []string
	for i := range 40 {
		items = append(items, fmt.Sprintf(`{"id":"%d","name":"Flow %d","type":"CHATFLOW","deployed":true,"createdDate":"2025-10-16T12:00:00Z"}`, i, i))
	}
	text := []byte("[" + strings.Join(items, ",") + "]")
	s, err := Compile(c[0].Output)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("a list of 40", func(b *testing.B) {
		for b.Loop() {
			v, err := Decode(text)
			if err == nil {
				err = s.Check(v)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compile 15 tools", func(b *testing.B) {
		for b.Loop() {
			for _, c := range contracts(b) {
				for _, tool := range c {
					for _, text := range []json.RawMessage{tool.Input, tool.Output} {
						if _, err := Compile(text); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
		}
	})
}

func FuzzCompileAndCheck(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{}}`)
	f.Add(doubling(40, `{"allOf":[NEXT,NEXT]}`, `{"type":"object"}`), `{"a":[1,2]}`)
	f.Add(`{"items":{"uniqueItems":true,"pattern":"^a+$","format":"date-time","multipleOf":0.1}}`, `[[1,1.0],"aaa",3]`)
	f.Fuzz(func(t *testing.T, schema, text string) {
		if len(schema) > 4<<10 || len(text) > 4<<10 {
			return
		}
		v, err := Decode([]byte(text))
		if (err == nil) && !json.Valid([]byte(text)) {
			t.Fatalf("%q is read as JSON", text)
		}
		if err == nil {
			if clean := Clean([]byte(text)); !json.Valid(clean) {
				t.Fatalf("%q becomes %q", text, clean)
			}
		}
		s, no := Compile([]byte(schema))
		if err != nil || no != nil {
			return
		}
		if err := s.Check(v); err != nil && len(err.Error()) > 5000 {
			t.Fatalf("an error of %d bytes", len(err.Error()))
		}
		if in, err := Input([]byte(schema)); err == nil && !json.Valid(in) {
			t.Fatalf("published %q", in)
		}
		if out, _, err := Output([]byte(schema)); err == nil && !json.Valid(out) {
			t.Fatalf("published %q", out)
		}
	})
}
