package jsontree

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/fcp-host/fcp-host/pdk/splice"
	"pgregory.net/rapid"
)

// same fails unless two trees have equal kinds, offsets, keys and texts, and all values of
// the first belong to one source.
func same(t interface{ Fatalf(string, ...any) }, got, want *Value) {
	var walk func(got, want *Value)
	walk = func(got, want *Value) {
		if got.Kind != want.Kind || got.Start != want.Start || got.End != want.End || got.Raw() != want.Raw() || got.src != want.src && got.src.text != want.src.text ||
			len(got.Members) != len(want.Members) || len(got.Items) != len(want.Items) || (got.Members == nil) != (want.Members == nil) || (got.Items == nil) != (want.Items == nil) {
			t.Fatalf("%d %d-%d %q, but with Parse %d %d-%d %q", got.Kind, got.Start, got.End, got.Raw(), want.Kind, want.Start, want.End, want.Raw())
		}
		for i, m := range want.Members {
			if got.Members[i].Key != m.Key || got.Members[i].Start != m.Start {
				t.Fatalf("member %q at %d, but with Parse %q at %d", got.Members[i].Key, got.Members[i].Start, m.Key, m.Start)
			}
			walk(got.Members[i].Value, m.Value)
		}
		for i := range want.Items {
			walk(got.Items[i], want.Items[i])
		}
	}
	walk(got, want)
	for _, v := range values(got) {
		if v.src != got.src || got.src.root != got {
			t.Fatalf("%q does not belong to the tree", v.Raw())
		}
	}
}

// values lists a value and all values in it.
func values(v *Value) []*Value {
	out := []*Value{v}
	for _, m := range v.Members {
		out = append(out, values(m.Value)...)
	}
	for _, item := range v.Items {
		out = append(out, values(item)...)
	}
	return out
}

// randomJSON writes a value with random white space.
func randomJSON(t *rapid.T, depth int) string {
	pick := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "piece") }
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	if depth == 0 || kind < 4 && depth < 4 {
		return pick("1", "-0.5e3", "true", "false", "null", `""`, `"a"`, `"é\n\u0041]}{["`, "[]", "{ }", "[\n]", "{}")
	}
	space := func() string { return pick("", "", "", " ", "\n\t") }
	var b strings.Builder
	open, shut := "[", "]"
	if kind > 6 {
		open, shut = "{", "}"
	}
	b.WriteString(open + space())
	for i := range rapid.IntRange(0, 4).Draw(t, "parts") {
		if i > 0 {
			b.WriteString("," + space())
		}
		if open == "{" {
			b.WriteString(pick(`"a"`, `"b"`, `"\u0061"`, `"c d"`, `""`) + space() + ":" + space())
		}
		b.WriteString(randomJSON(t, depth-1) + space())
	}
	return b.String() + shut
}

// randomEdit is one of the edits of this package for a random value, or splices anywhere
// in the text.
func randomEdit(t *rapid.T, root *Value) splice.All {
	raw := func() string { return randomJSON(t, rapid.IntRange(0, 2).Draw(t, "depth")) }
	key := func() string { return rapid.SampledFrom([]string{"a", "b", "c d", "new"}).Draw(t, "key") }
	v := rapid.SampledFrom(values(root)).Draw(t, "value")
	switch n := rapid.IntRange(0, 6).Draw(t, "edit"); {
	case n == 0:
		text, at := root.src.text, rapid.IntRange(v.Start, v.End).Draw(t, "at")
		return splice.All{{At: at, Old: text[at:rapid.IntRange(at, min(at+4, len(text))).Draw(t, "end")], New: rapid.SampledFrom([]string{"", ",", "1", "-", " ", `"`, ":", "[", "]", "}", "{", ",2", "2,", `"a":1,`, `\`}).Draw(t, "new")}}
	case n < 3 && v.Kind == Object:
		return v.Put(key(), raw())
	case v.Kind == Object:
		return v.Drop(key(), key())
	case n < 3 && v.Kind == Array:
		return v.Append(raw(), raw())[:1]
	case v.Kind == Array && len(v.Items) > 0:
		i := rapid.SliceOfN(rapid.IntRange(0, len(v.Items)-1), 1, 3).Draw(t, "indexes")
		return v.Remove(i...)
	}
	return v.Set(raw())
}

// After random edits, alone and several at once, and after their inverses, the tree of
// Reparse equals that of Parse. Splices whose result is not JSON leave the tree unchanged.
func TestReparseEqualsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, err := Parse(rapid.SampledFrom([]string{"", "\uFEFF", "\n "}).Draw(t, "lead") + randomJSON(t, 4))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			var all splice.All
			for range rapid.IntRange(1, 3).Draw(t, "at once") {
				more := append(slices.Clone(all), randomEdit(t, root)...)
				if _, ok := more.Apply(root.src.text); ok {
					all = more
				}
			}
			for _, s := range []splice.All{all, all.Inverse(), all} {
				root = again(t, root, s)
			}
		}
	})
}

// again applies splices to the tree's text, and returns the next tree: the same one if the
// result is not JSON.
func again(t *rapid.T, root *Value, s splice.All) *Value {
	before := root.src.text
	text, ok := s.Apply(before)
	if !ok {
		return root // the inverse of splices whose result is not JSON
	}
	want, wrong := Parse(text)
	got, err := root.Reparse(text, s)
	if fmt.Sprint(err) != fmt.Sprint(wrong) {
		t.Fatalf("%q became %q by %+v: %v, and parsed anew %v", before, text, s, err, wrong)
	}
	if err != nil {
		was, _ := Parse(before)
		same(t, root, was)
		return root
	}
	same(t, got, want)
	return got
}

// Values that no splice touches are not parsed again, wherever the splices are.
func TestReparseKeepsTheOtherValues(t *testing.T) {
	const text = `{"a":[{"x":1},{"x":2},{"x":3}],"b":{"c":[1,2],"d":{}},"e":"f"}`
	for _, c := range []struct {
		name string
		edit func(v *Value) splice.All
		kept string // values that are in both trees
	}{
		{"append", func(v *Value) splice.All { return v.Get("a").Append(`{"x":4}`) }, `{"x":1} 1 {"x":2} 2 {"x":3} 3 {"c":[1,2],"d":{}} [1,2] 1 2 {} "f"`},
		{"set within", func(v *Value) splice.All { return v.Get("a").Items[1].Put("x", "20") }, `{"x":1} 1 {"x":3} 3 {"c":[1,2],"d":{}} [1,2] 1 2 {} "f"`},
		{"remove", func(v *Value) splice.All { return v.Get("a").Remove(0, 2) }, `{"x":2} 2 {"c":[1,2],"d":{}} [1,2] 1 2 {} "f"`},
		{"in several places", func(v *Value) splice.All {
			return slices.Concat(v.Get("b", "d").Put("y", "[]"), v.Get("a").Items[0].Put("z", "null"), v.Get("e").Set("7"))
		}, `1 {"x":2} 2 {"x":3} 3 [1,2] 1 2`},
		{"the last member", func(v *Value) splice.All { return v.Drop("b", "e") }, `[{"x":1},{"x":2},{"x":3}] {"x":1} 1 {"x":2} 2 {"x":3} 3`},
		{"nothing", func(*Value) splice.All { return nil }, `[{"x":1},{"x":2},{"x":3}] {"x":1} 1 {"x":2} 2 {"x":3} 3 {"c":[1,2],"d":{}} [1,2] 1 2 {} "f"`},
	} {
		root := parse(t, text)
		s := c.edit(root)
		changed, _ := s.Apply(text)
		old := values(root)
		fresh, err := root.Reparse(changed, s)
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for _, v := range values(fresh) {
			if slices.Contains(old, v) {
				kept = append(kept, v.Raw())
			}
		}
		if got := strings.Join(kept, " "); got != c.kept {
			t.Errorf("%s keeps %s", c.name, got)
		}
		same(t, fresh, parse(t, changed))
	}
}

// For splices of another text, of an outdated tree and around the root, the text is parsed
// as a whole, with the limits of Parse.
func TestReparseFallsBackToParse(t *testing.T) {
	const text = ` {"a":[1]} `
	root := parse(t, text)
	next, err := root.Reparse(` {"a":[2]} `, root.Get("a").Items[0].Set("2"))
	if err != nil || next.Raw() != `{"a":[2]}` {
		t.Fatal(err, next.Raw())
	}
	for _, c := range []struct {
		name, text string
		v          *Value
		s          splice.All
	}{
		{"out of date", `{"b":0}`, root, nil},
		{"another text", `{"b":0}`, next, splice.All{{At: 2, Old: `"a"`, New: `"b"`}}},
		{"of the same length", ` {"c":[2]} `, next, splice.All{{At: 2, Old: `"a"`, New: `"b"`}}},
		{"around the root", `{"a":[2]} `, next, splice.All{{At: 0, Old: " "}}},
		{"not the root", `[1]`, next.Get("a"), nil},
	} {
		got, err := c.v.Reparse(c.text, c.s)
		if err != nil {
			t.Fatal(c.name, err)
		}
		same(t, got, parse(t, c.text))
	}
	same(t, next, parse(t, ` {"a":[2]} `))
	deep := parse(t, strings.Repeat("[", 990)+strings.Repeat("]", 990))
	s := splice.All{{At: 990, New: strings.Repeat("[", 20) + strings.Repeat("]", 20)}}
	changed, _ := s.Apply(deep.src.text)
	if _, err := deep.Reparse(changed, s); err == nil || !strings.Contains(err.Error(), "too deep") {
		t.Errorf("a deep value within a deep one: %v", err)
	}
	loose, err := ParseNonFinite("[1,NaN]")
	if err != nil {
		t.Fatal(err)
	}
	s = loose.Items[0].Set("-Inf")
	changed, _ = s.Apply("[1,NaN]")
	if loose, err = loose.Reparse(changed, s); err != nil || loose.Items[0].Raw() != "-Inf" || loose.Items[1].Raw() != "NaN" {
		t.Errorf("numbers that are not finite: %v", err)
	}
}

// A tree that is edited many times keeps only the latest text in memory.
func TestReparsedKeysDoNotKeepTheText(t *testing.T) {
	root := parse(t, `{"a":1}`)
	s := root.Put("key", "1")
	text, _ := s.Apply(root.src.text)
	root, err := root.Reparse(text, s)
	if err != nil {
		t.Fatal(err)
	}
	key := root.Members[1].Key
	if at := uintptr(unsafe.Pointer(unsafe.StringData(key))) - uintptr(unsafe.Pointer(unsafe.StringData(text))); at < uintptr(len(text)) {
		t.Errorf("%q is byte %d of the text", key, at)
	}
}
