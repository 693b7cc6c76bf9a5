package arrange

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkShop(b *testing.B) {
	g, _ := corpus[0].read(b)
	for b.Loop() {
		Arrange(g, Options{})
	}
}

// large is a diagram of groups of ten shapes.
func large(t testing.TB, groups int) *Graph {
	var text strings.Builder
	for i := range groups {
		fmt.Fprintf(&text, "[Group %d\n", i)
		for k := range 10 {
			fmt.Fprintf(&text, "S%d_%d\n", i, k)
		}
		text.WriteString("]\n")
	}
	for i := range groups {
		for k := range 10 {
			fmt.Fprintf(&text, "S%d_%d > S%d_%d\n", i, k, min(groups-1, i+1+k%3), (k*7+i)%10)
			if k%2 == 0 {
				fmt.Fprintf(&text, "S%d_%d > S%d_%d: uses\n", i, k, i, k+1)
			}
		}
	}
	g, _ := brief{name: "large", text: text.String()}.read(t)
	return g
}

func BenchmarkLarge(b *testing.B) {
	g := large(b, 30)
	for b.Loop() {
		Arrange(g, Options{})
	}
}
