package jsontree

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk/splice"
)

func parse(t testing.TB, text string) *Value {
	t.Helper()
	v, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestValuesHaveTheirOffsets(t *testing.T) {
	const text = "\uFEFF {\"a\" : [1.50e+2, -0,true ,null], \"b\\u0020c\":\"x\\n\\ud83d\\ude00\\ud83dy\",\"a\":{\"d\": \"\\/\"}}\n"
	v := parse(t, text)
	if v.Raw() != strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF")) {
		t.Errorf("raw %q", v.Raw())
	}
	if got := v.Members[0].Value; got.Raw() != "[1.50e+2, -0,true ,null]" || got.Items[0].Float() != 150 || got.Items[1].Raw() != "-0" || !got.Items[2].True() || got.Items[3].Plain() != "" {
		t.Errorf("the array is %q", got.Raw())
	}
	if got := v.Get("b c").Text(); got != "x\n😀\uFFFDy" {
		t.Errorf("the string is %q", got)
	}
	if got := v.Get("a", "d").Text(); got != "/" { // the last member of a repeated key counts
		t.Errorf("got %q", got)
	}
	if v.Get("a", "d", "e") != nil || v.Get("nothing") != nil || v.Get("nothing").Text() != "" {
		t.Error("found a missing value")
	}
}

func TestErrorsContainTheOffset(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		reason string
	}{
		{"", 0, "ends where a value"}, {"{", 1, "a key"}, {`{"a" 1}`, 5, "colon"}, {`{"a":1,}`, 7, "a key"}, {"[1 2]", 3, "comma or ]"}, {"[1,]", 3, "start of a value"}, {`"a`, 2, "closing quote"},
		{"\"a\nb\"", 2, "control character"}, {`"\x"`, 2, "no escape"}, {`"\u12g4"`, 5, "four hexadecimal"}, {"01", 1, "text after"}, {"1.", 2, "a digit"}, {"-", 1, "a digit"}, {"1e+", 3, "a digit"}, {"tru", 0, "start of a value"},
		{"1\n2", 2, "text after"}, {"'a'", 0, "start of a value"}, {strings.Repeat("[", 2000), maxDepth + 1, "too deep"},
	} {
		_, err := Parse(c.text)
		e, ok := err.(*SyntaxError)
		if !ok || e.Offset != c.offset || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%.20q: %v, want %s at %d", c.text, err, c.reason, c.offset)
		}
	}
}

func TestEditsKeepTheRestOfTheText(t *testing.T) {
	const lines = "{\n\t\"a\": [\n\t\t1,\n\t\t2\n\t],\n\t\"b\": {},\n\t\"c\": []\n}\n"
	for _, c := range []struct {
		name, text string
		edit       func(v *Value) splice.All
		want       string
	}{
		{"set", `{"a": 1 ,"b":2}`, func(v *Value) splice.All { return v.Get("a").Set("7") }, `{"a": 7 ,"b":2}`},
		{"set to what it is", `{"a":1.0}`, func(v *Value) splice.All { return v.Put("a", "1.0") }, `{"a":1.0}`},
		{"put anew", `{"a":1}`, func(v *Value) splice.All { return v.Put("b", `{"x":[1]}`) }, `{"a":1,"b":{"x":[1]}}`},
		{"put with spaces", `{"a": 1, "b": 2}`, func(v *Value) splice.All { return v.Put("c", "3") }, `{"a": 1, "b": 2, "c": 3}`},
		{"put on a line", lines, func(v *Value) splice.All { return v.Put("d", `{"x":[1,{}]}`) },
			strings.Replace(lines, "[]\n}", "[],\n\t\"d\": {\n\t\t\"x\": [\n\t\t\t1,\n\t\t\t{}\n\t\t]\n\t}\n}", 1)},
		{"append on a line", lines, func(v *Value) splice.All { return v.Get("a").Append("3", `{"y":"z"}`) },
			strings.Replace(lines, "2\n", "2,\n\t\t3,\n\t\t{\n\t\t\t\"y\": \"z\"\n\t\t}\n", 1)},
		{"append to none", lines, func(v *Value) splice.All { return v.Get("c").Append("3") }, strings.Replace(lines, "[]", "[\n\t\t3\n\t]", 1)},
		{"append to none in a line", `{"c":[ ]}`, func(v *Value) splice.All { return v.Get("c").Append("3", "4") }, `{"c":[3,4]}`},
		{"append nothing", `[]`, func(v *Value) splice.All { return v.Append() }, `[]`},
		{"put into none", lines, func(v *Value) splice.All { return v.Get("b").Put("k", `"v"`) }, strings.Replace(lines, "{}", "{\n\t\t\"k\": \"v\"\n\t}", 1)},
		{"remove the first", `[1, 2, 3]`, func(v *Value) splice.All { return v.Remove(0) }, `[2, 3]`},
		{"remove the last", `[1, 2, 3 ]`, func(v *Value) splice.All { return v.Remove(2) }, `[1, 2 ]`},
		{"remove several", `[1, 2, 3, 4, 5, 6]`, func(v *Value) splice.All { return v.Remove(0, 2, 3, 5) }, `[2, 5]`},
		{"remove all", `[ 1, 2 ]`, func(v *Value) splice.All { return v.Remove(0, 1) }, `[]`},
		{"drop all of a name", `{"a":1,"b":2,"a":3}`, func(v *Value) splice.All { return v.Drop("a") }, `{"b":2}`},
		{"drop a line", lines, func(v *Value) splice.All { return v.Drop("b") }, strings.Replace(lines, "\"b\": {},\n\t", "", 1)},
		{"several at once", `{"a":[1],"b":2}`, func(v *Value) splice.All { return append(v.Get("b").Set("3"), v.Get("a").Append("2")...) }, `{"a":[1,2],"b":3}`},
		{"lines of another system", "{\r\n  \"a\": 1\r\n}", func(v *Value) splice.All { return v.Put("b", "[2]") }, "{\r\n  \"a\": 1,\r\n  \"b\": [\r\n    2\r\n  ]\r\n}"},
	} {
		edit := c.edit(parse(t, c.text))
		got, ok := edit.Apply(c.text)
		if !ok || got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if back, ok := edit.Inverse().Apply(got); !ok || back != c.text {
			t.Errorf("%s: its inverse gives %q", c.name, back)
		}
	}
}

// decode reads a value with encoding/json. Numbers stay as they are written, because large
// ones cannot be decoded as floats.
func decode(raw string, v *any) error {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{"{}", `{"a":[1,"x\u00e9"],"b":{"c":null}}`, "[1 ,\n2]", `"\ud800"`, "\uFEFF[]", `{"a":1,"a":2}`, "[[[[]]]]", "{\n  \"a\": 1\n}"} {
		f.Add(s, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, pick uint8) {
		root, err := Parse(text)
		plain := strings.TrimPrefix(text, "\uFEFF")
		if valid := json.Valid([]byte(plain)); valid != (err == nil) && strings.Count(text, "[")+strings.Count(text, "{") < maxDepth {
			t.Fatalf("%q: we say %v, encoding/json %v", text, err, valid)
		}
		if err != nil {
			return
		}
		var all []*Value
		var walk func(v *Value)
		walk = func(v *Value) {
			all = append(all, v)
			for _, m := range v.Members {
				walk(m.Value)
			}
			for _, item := range v.Items {
				walk(item)
			}
		}
		walk(root)
		v := all[int(pick)%len(all)]
		var want, got any
		if err := decode(v.Raw(), &want); err != nil {
			t.Fatalf("%q of %q is no JSON: %v", v.Raw(), text, err)
		}
		if s, ok := want.(string); ok && utf8.ValidString(text) && s != v.Text() {
			t.Fatalf("%q is %q, and encoding/json reads %q", v.Raw(), v.Text(), s)
		}
		edit := v.Set(Quote(text))
		switch {
		case v.Kind == Object && pick%2 == 0:
			edit = v.Put("new", `{"x":[1]}`)
		case v.Kind == Object && len(v.Members) > 0:
			edit = v.Drop(v.Members[int(pick)%len(v.Members)].Key)
		case v.Kind == Array && pick%2 == 0:
			edit = v.Append("1", `{"x":[2]}`)
		case v.Kind == Array && len(v.Items) > 0:
			edit = v.Remove(int(pick)%len(v.Items), int(pick/2)%len(v.Items))
		}
		changed, ok := edit.Apply(text)
		if !ok {
			t.Fatalf("%q: %+v does not fit", text, edit)
		}
		if back, ok := edit.Inverse().Apply(changed); !ok || back != text {
			t.Fatalf("%q: the inverse of %+v gives %q", text, edit, back)
		}
		again, err := Parse(changed)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, changed, err)
		}
		if err := decode(again.Raw(), &got); err != nil || v == root && len(edit) > 0 && v.Kind != String && v.parts() > 0 && reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q: %v", text, changed, err)
		}
		fresh, err := root.Reparse(changed, edit)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, changed, err)
		}
		same(t, fresh, again)
	})
}

func TestNonFiniteNumbersAreReadIfAllowed(t *testing.T) {
	const text = `{"a": NaN, "b": [-Infinity, Inf, +Inf, -NaN, 1.5], "c": "NaN"}`
	v, err := ParseNonFinite(text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range append(v.Get("b").Items, v.Get("a")) {
		got = append(got, x.Raw())
		if f := x.Float(); f != 0 && f != 1.5 {
			t.Errorf("%s is %v", x.Raw(), f)
		}
	}
	if s := strings.Join(got, " "); s != "-Infinity Inf +Inf -NaN 1.5 NaN" {
		t.Errorf("the numbers are %s", s)
	}
	for _, bad := range []string{`Na`, `--Inf`, `Infinite`, `I`, `+1`} {
		if _, err := ParseNonFinite(bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
	if _, err := Parse(text); err == nil {
		t.Error("NaN is read as JSON")
	}
}
