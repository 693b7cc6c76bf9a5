package grammar

import (
	"strings"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	rules := testRules(b)
	for _, bench := range []struct{ name, in string }{
		{"note", "note Piano C4 at:1.1 dur:quarter vel:mf"},
		{"connect", `connect "Auth API" -> db:Cache label:"data flow" style:dashed exit:right`},
		{"select", `remove @track:Piano @range:1.1-4.4 @not:pitch:C4`},
		{"most words", strings.Repeat("a:b ", MaxTokens)},
		{"longest", "x " + strings.Repeat("y", MaxOpBytes-2)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(bench.in, rules); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseAll(b *testing.B) {
	ops := strings.Split(strings.Repeat("note Piano C4 at:1.1 dur:quarter vel:mf\n", 9999)+"undo", "\n")
	for _, bench := range []struct {
		name string
		ops  []string
	}{{"10,000 elements", ops}, {"10,000 lines", []string{strings.Join(ops, "\n")}}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ParseAll(bench.ops, Rules{})
			}
		})
	}
}
