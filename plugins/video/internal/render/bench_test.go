package render

import (
	"fmt"
	"testing"
)

func BenchmarkBuild(b *testing.B) {
	var items []Item
	for i := range 200 {
		it := Item{Clip: Clip{ID: fmt.Sprintf("c%d", i), Media: i % 3, In: Rational{int64(i % 50), 1}, Frames: 50}}
		if i < 199 && i%2 == 0 {
			it.Next = &Transition{"crossfade", 10}
		}
		items = append(items, it)
	}
	p := project(items...)
	for b.Loop() {
		if _, err := Build(p, "h264_1080p"); err != nil {
			b.Fatal(err)
		}
	}
}
