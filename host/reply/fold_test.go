package reply

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// shapes is the answer of a domain that lists shapes in groups.
func shapes(groups, each int) string {
	var b strings.Builder
	b.WriteString("map: 1200x800\n")
	for g := range groups {
		fmt.Fprintf(&b, "  Zone %c(group) @(%d,0 400x300)\n", 'A'+g, g*400)
		for i := range each {
			fmt.Fprintf(&b, "    Server %c%d(svc) @(%d,%d 140x60)\n", 'A'+g, i, g*400, i*80)
		}
		fmt.Fprintf(&b, "    Store %c(db) @(0,%d 120x80)\n", 'A'+g, g)
	}
	return b.String()
}

func TestAShortAnswerIsNotFolded(t *testing.T) {
	text := shapes(3, 5)
	if out, hidden := Fold(text, len(text)); out != text || hidden != 0 {
		t.Errorf("%d lines hidden:\n%s", hidden, out)
	}
}

func TestLinesOfOneFormAreCounted(t *testing.T) {
	out, hidden := Fold(shapes(3, 40), 1000)
	want := `map: 1200x800
  Zone A(group) @(0,0 400x300)
    Server A0(svc) @(0,0 140x60)
    Server A1(svc) @(0,80 140x60)
    Server A2(svc) @(0,160 140x60)
    Server A3(svc) @(0,240 140x60)
    Server A4(svc) @(0,320 140x60)
    … 35 more like it: Server A5…Server A39
    Store A(db) @(0,0 120x80)
  Zone B(group) @(400,0 400x300)
    Server B0(svc) @(400,0 140x60)
    Server B1(svc) @(400,80 140x60)
    Server B2(svc) @(400,160 140x60)
    Server B3(svc) @(400,240 140x60)
    Server B4(svc) @(400,320 140x60)
    … 35 more like it: Server B5…Server B39
    Store B(db) @(0,1 120x80)
  Zone C(group) @(800,0 400x300)
    Server C0(svc) @(800,0 140x60)
    Server C1(svc) @(800,80 140x60)
    Server C2(svc) @(800,160 140x60)
    Server C3(svc) @(800,240 140x60)
    Server C4(svc) @(800,320 140x60)
    … 35 more like it: Server C5…Server C39
    Store C(db) @(0,2 120x80)
`
	if out != want || hidden != 105 {
		t.Errorf("%d lines hidden:\n%s", hidden, out)
	}
}

// With less room the lines of groups are counted, then whole groups of one form, then levels, then lines.
func TestWhatHasNoRoomIsCounted(t *testing.T) {
	for room, want := range map[int]string{
		230: "map: 1200x800\n  Zone A(group) @(0,0 400x300)\n    Server A0(svc) @(0,0 140x60)\n    … 40 more: Server A1…Server A39, Store A\n  Zone B(group) @(400,0 400x300) (41 lines below)\n  Zone C(group) @(800,0 400x300) (41 lines below)\n",
		110: "map: 1200x800\n  Zone A(group) @(0,0 400x300) (41 lines below)\n  … 2 more like it: Zone B, Zone C\n",
		60:  "map: 1200x800 (126 lines below)\n",
		20:  "map: 1200x800\n",
	} {
		out, hidden := Fold(shapes(3, 40), room)
		if out != want || hidden != 127-strings.Count(want, "\n")+strings.Count(want, " more") {
			t.Errorf("with room for %d, %d lines hidden:\n%s", room, hidden, out)
		}
	}
}

// Sentences that have no words in common are not like each other.
func TestUnlikeLinesAreNotCalledAlike(t *testing.T) {
	text := ""
	for i := range 40 {
		c := string(rune('a' + i%26))
		text += fmt.Sprintf("%s%d%s %s%s %s %s\n", c, i, c, c+c, c, strings.Repeat(c, i), strings.Repeat(c, i+40))
	}
	out, hidden := Fold(text, 500)
	if strings.Contains(out, "like it") || !strings.Contains(out, "\n… 35 more: f5f fff") || hidden != 35 {
		t.Errorf("%d hidden:\n%s", hidden, out)
	}
	// Of groups whose lines have many forms, the first of each group are shown, not only how many there are.
	text = "regions: top 2\n"
	for i := range 60 {
		text += fmt.Sprintf("  %sGate%s(image) @(%d,0 1x1)\n", strings.Repeat("Forti ", i%7), strings.Repeat(" AV", i%5), i)
	}
	text += "edges:\n"
	for i := range 60 {
		text += fmt.Sprintf("  %sGate--Router%s solid\n", strings.Repeat("Forti ", i%7), strings.Repeat(" B", i%5))
	}
	if out, _ := Fold(text, 900); !strings.Contains(out, "edges:\n  Gate--Router solid\n") || strings.Contains(out, "lines below") {
		t.Errorf("it says no more than:\n%s", out)
	}
}

// Folding takes time in proportion to the lines, whatever their names.
func BenchmarkFold(b *testing.B) {
	for _, n := range []int{1000, 4000} {
		var flat strings.Builder
		for i := range n {
			fmt.Fprintf(&flat, "  note%d(svc) of %d @(%d,%d 1x1)\n", i*7919, i%50, i, i)
		}
		for name, text := range map[string]string{"flat": flat.String(), "groups": shapes(n/50, 48)} {
			b.Run(fmt.Sprintf("%s-%d", name, n), func(b *testing.B) {
				for b.Loop() {
					Fold(text, 4000)
				}
			})
		}
	}
}

func TestNamesOfHiddenLinesAreListed(t *testing.T) {
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("n%d", i))
	}
	for _, tt := range []struct {
		names []string
		room  int
		want  string
		left  int
	}{
		{names, 100, "n0…n29", 0},
		{[]string{"a", "b2", "b3", "c"}, 100, "a, b2, b3, c", 0},
		{[]string{"x9", "x10", "x11", "y01", "y02", "y03"}, 100, "x9…x11, y01…y03", 0},
		{[]string{"one", "two", "three"}, 9, "one, two", 1},
		{[]string{"a name that is far too long"}, 9, "", 1},
	} {
		if got, left := list(tt.names, tt.room); got != tt.want || left != tt.left {
			t.Errorf("%v: %q, %d left", tt.names, got, left)
		}
	}
}

func TestDataIsNamedByItsSize(t *testing.T) {
	png := "data:image/png;base64," + strings.Repeat("iVBORw0K", 5000)
	inStyle := "data:image/png," + strings.Repeat("iVBORw0K", 5000)
	for text, want := range map[string]string{
		`image "a" href:` + png + ` 10x10`:             `image "a" href:data:image/png, 30 KB 10x10`,
		"style: shape=image;image=" + inStyle + ";b=1": "style: shape=image;image=data:image/png, 30 KB;b=1",
		"a data:text/plain,short one":                  "a data:text/plain,short one",
		"data: 5 rows":                                 "data: 5 rows",
		"url(" + png + ") and url(" + png + ")":        "url(data:image/png, 30 KB) and url(data:image/png, 30 KB)",
	} {
		if got := ShortenData(text); got != want {
			t.Errorf("%.40s: %s", text, got)
		}
	}
}

// Whatever a domain answers: what is folded has no more characters than there is room for, shown lines keep their order, and each line is
// shown or hidden.
func TestFoldKeepsToItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`( {0,6})(note|clip|"a b"|Zone A|é)( [a-c]{1,3}[0-9]{0,2}){0,4}`), 0, 200).Draw(t, "lines")
		text := strings.Join(lines, "\n") + "\n"
		room := rapid.IntRange(30, 3000).Draw(t, "room")
		out, hidden := Fold(text, room)
		if hidden == 0 && strings.TrimRight(out, "\n") == strings.TrimRight(text, "\n") {
			return
		}
		if n := utf8.RuneCountInString(out); n > room {
			t.Fatalf("%d characters, there is room for %d", n, room)
		}
		shown := 0
		for l := range strings.Lines(out) {
			l = strings.TrimSuffix(l, "\n")
			if strings.HasPrefix(strings.TrimLeft(l, " "), "… ") {
				continue
			}
			l, _, _ = strings.Cut(l, " (")
			for len(lines) > 0 && lines[0] != l {
				lines = lines[1:]
			}
			if len(lines) == 0 {
				t.Fatalf("%q is not a line of the answer, or not in order:\n%s", l, out)
			}
			lines = lines[1:]
			shown++
		}
		if all := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1; shown+hidden != all {
			t.Fatalf("%d shown and %d hidden of %d", shown, hidden, all)
		}
	})
}

func TestNamesHaveTheirPlacesIfThereIsRoom(t *testing.T) {
	text := "map:\n"
	for i := range 4 {
		text += fmt.Sprintf("  arrow%d(path) @(%d.25,%d.125 171.58x7.5) fill:#8cc2ef stroke:#000000 stroke-width:1.48\n", i+1, i*100, i)
	}
	want := "map:\n  arrow1(path) @(0.25,0.125 171.58x7.5) fill:#8cc2ef stroke:#000000 stroke-width:1.48\n  … 3 more like it: "
	for room, rest := range map[int]string{250: "arrow2 @(100,1.12 171x7.5), arrow3 @(200,2.12 171x7.5), arrow4 @(300,3.12 171x7.5)\n", 140: "arrow2…arrow4\n"} {
		if got, hidden := Fold(text, room); got != want+rest || hidden != 3 {
			t.Errorf("%d: %d hidden\n%s", room, hidden, got)
		}
	}
}
