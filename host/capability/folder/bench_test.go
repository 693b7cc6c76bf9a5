package folder

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// thousand returns a workspace of 500 docs and 500 cards of 2 KiB.
func thousand(b *testing.B) *place {
	texts := map[string]string{}
	for i := range 500 {
		texts[fmt.Sprintf("docs/%d/doc%d.md", i%20, i)] = strings.Repeat("words ", 340)
		texts[fmt.Sprintf(".deck/cards/%06d.md", i)] = strings.Repeat("cards ", 340)
	}
	return newPlace(b, texts)
}

func BenchmarkOpenAThousandFiles(b *testing.B) {
	p := thousand(b)
	for b.Loop() {
		f, s, err := Open(p.root(), deck, userKey, Limits{})
		if err != nil || len(s.Files) != 1000 {
			b.Fatal(len(s.Files), err)
		}
		f.Close()
	}
}

func BenchmarkSaveOneChangeOfAThousandFiles(b *testing.B) {
	f, _ := thousand(b).open()
	text := string(f.known[".deck/cards/000007.md"].data)
	for n := 0; b.Loop(); n++ {
		next := fmt.Sprint("card ", n)
		if _, err := f.Save([]Change{change(".deck/cards/000007.md", text, next)}); err != nil {
			b.Fatal(err)
		}
		text = next
	}
}

func BenchmarkSaveAThousandFiles(b *testing.B) {
	f, _ := thousand(b).open()
	for n := 0; b.Loop(); n++ {
		var changes []Change
		for name, k := range f.known {
			changes = append(changes, Change{name, k.data, fmt.Append(nil, n, name)})
		}
		if _, err := f.Save(changes); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkChangedOfAThousandFiles(b *testing.B) {
	for name, later := range map[string]time.Duration{"by their stamps": time.Hour, "written this moment": 0} {
		b.Run(name, func(b *testing.B) {
			f, _ := thousand(b).open()
			at := time.Now()
			f.now = func() time.Time { return at.Add(later) }
			for b.Loop() {
				if changes, _, err := f.Changed(); err != nil || len(changes) > 0 {
					b.Fatal(changes, err)
				}
			}
		})
	}
}
