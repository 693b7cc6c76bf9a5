package pdk_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/pdk"
)

// thing is an element of the index in these tests.
type thing struct{ label, kind, group, id string }

func indexOf(things ...thing) *pdk.Index[int] {
	x := &pdk.Index[int]{}
	for i, e := range things {
		x.Put(i, e.label, e.kind, e.group)
		x.Identify(i, e.id)
	}
	return x
}

func rack() *pdk.Index[int] {
	return indexOf(
		thing{"Web Server", "host", "Front", ""}, // 0
		thing{"web-server", "host", "Back", ""},  // 1
		thing{"WEB SERVER", "db", "Back", ""},    // 2
		thing{"Cache", "db", "Back", ""},         // 3
		thing{"Cache", "host", "Back", ""},       // 4
		thing{"Cachet", "host", "Front", ""},     // 5
		thing{"a:b", "", "", ""},                 // 6
		thing{"b", "a", "x/y", ""},               // 7
		thing{"b", "a", "x", ""},                 // 8
		thing{"--", "", "", ""},                  // 9
		thing{"", "host", "Front", "n1"},         // 10
		thing{"Twin", "host", "Front", "n2"},     // 11
		thing{"Twin", "host", "Front", "n3"},     // 12
		thing{"Größe", "", "", ""},               // 13
		thing{"Desk", "", "Back Office", ""},     // 14
	)
}

func TestAReferenceResolvesAtTheFirstLevelWithAHit(t *testing.T) {
	tests := []struct {
		name, ref string
		exactish  bool
		want      []int
		match     pdk.Match
	}{
		{"exact wins over case", "WEB SERVER", false, []int{2}, pdk.MatchExact},
		{"exact wins over separators", "web-server", false, []int{1}, pdk.MatchExact},
		{"case comes second, and may be ambiguous", "web server", false, []int{0, 2}, pdk.MatchFold},
		{"separators come third", "web_server", false, []int{0, 1, 2}, pdk.MatchNormal},
		{"umlauts fold too", "GRÖSSE", false, nil, pdk.MatchNone},
		{"umlauts fold in case", "GRÖßE", false, []int{13}, pdk.MatchFold},
		{"the whole label wins over the beginning of another", "Cachet", false, []int{5}, pdk.MatchExact},
		{"a beginning comes last", "webs", false, []int{0, 1, 2}, pdk.MatchPrefix},
		{"a unique beginning", "grö", false, []int{13}, pdk.MatchPrefix},
		{"what destroys takes no beginning", "grö", true, nil, pdk.MatchNone},
		{"what destroys ignores case", "cachet", true, []int{5}, pdk.MatchFold},
		{"what destroys ignores separators", "ca-chet", true, []int{5}, pdk.MatchNormal},
		{"kind qualifies", "db:Cache", true, []int{3}, pdk.MatchExact},
		{"kind ignores case", "DB:cache", true, []int{3}, pdk.MatchFold},
		{"group qualifies", "Front/web_server", true, []int{0}, pdk.MatchNormal},
		{"group and kind qualify together", "back/host:cache", true, []int{4}, pdk.MatchFold},
		{"a group ignores separators, too", "back-office/desk", true, []int{14}, pdk.MatchFold},
		{"a label with a colon wins over kind:label", "a:b", true, []int{6}, pdk.MatchExact},
		{"a group may hold a slash", "x/y/b", true, []int{7}, pdk.MatchExact},
		{"a qualified full name wins over a plain beginning", "x/b", false, []int{8}, pdk.MatchExact},
		{"a qualified beginning", "front/cach", false, []int{5}, pdk.MatchPrefix},
		{"punctuation alone is not a beginning of everything", "-", false, nil, pdk.MatchNone},
		{"punctuation is found exactly", "--", true, []int{9}, pdk.MatchExact},
		{"an id finds what has no label", "#n1", true, []int{10}, pdk.MatchExact},
		{"ids are exact", "#N1", false, nil, pdk.MatchNone},
		{"nothing is nobody's name", "", false, nil, pdk.MatchNone},
		{"a kind alone names nothing", "host:", false, nil, pdk.MatchNone},
		{"a group alone names nothing", "Front/", false, nil, pdk.MatchNone},
		{"an unknown kind", "disk:Cache", false, nil, pdk.MatchNone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, match := rack().Find(tt.ref, tt.exactish)
			if fmt.Sprint(got) != fmt.Sprint(tt.want) || match != tt.match {
				t.Errorf("Find(%q) = %v, %v; want %v, %v", tt.ref, got, match, tt.want, tt.match)
			}
		})
	}
}

func TestAReferenceThatIsNotOneElementSaysWhatToWrite(t *testing.T) {
	tests := []struct {
		name, ref string
		exactish  bool
		want      string
	}{
		{"twins by label are told apart", "cache", false, `thing "cache" is ambiguous: "db:Cache", "host:Cache"`},
		{"the spelling tells apart", "web_server", false, `thing "web_server" is ambiguous: "Web Server", web-server, "WEB SERVER"`},
		{"ids are the last resort", "twin", false, `thing "twin" is ambiguous: #n2, #n3`},
		{"a beginning of several", "cach", false, `thing "cach" is ambiguous: "db:Cache", "host:Cache", Cachet`},
		{"a beginning for what destroys", "grö", true, `thing "grö" not found; give the full name: Größe`},
		{"a misspelling", "Cachett", false, `thing "Cachett" not found; nearest: Cachet, Cache`},
		{"nothing like it", "Zebra", false, `thing "Zebra" not found`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := rack().One(tt.ref, "thing", tt.exactish)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	t.Run("indistinguishable twins", func(t *testing.T) {
		_, err := indexOf(thing{label: "x"}, thing{label: "x"}).One("x", "thing", false)
		if err == nil || !strings.Contains(err.Error(), "2 are named exactly alike") {
			t.Error(err)
		}
	})
	t.Run("many candidates are cut", func(t *testing.T) {
		x := pdk.Index[int]{}
		for i := range 20 {
			x.Put(i, fmt.Sprintf("item %02d", i), "", "")
		}
		_, err := x.One("item", "thing", false)
		if err == nil || strings.Count(err.Error(), `"item `) != 8 || !strings.HasSuffix(err.Error(), ", …") {
			t.Error(err)
		}
	})
}

// genThing generates a thing of few letters, so that names collide in every way.
func genThing(t *rapid.T) thing {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("aAb- :/#")), 0, 4, -1)
	return thing{word.Draw(t, "label"), word.Draw(t, "kind"), word.Draw(t, "group"), ""}
}

func TestANameThatIsPrintedResolves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := &pdk.Index[int]{}
		n := rapid.IntRange(1, 8).Draw(t, "n")
		for i := range n {
			e := genThing(t)
			x.Put(i, e.label, e.kind, e.group)
			x.Identify(i, fmt.Sprintf("id%d", i)) // unlike any label
		}
		for i := range n {
			ref := readBack(t, x.Name(i))
			if got, err := x.One(ref, "thing", true); err != nil || got != i {
				t.Fatalf("Name(%d) prints %s, which resolves to %v, %v", i, x.Name(i), got, err)
			}
		}
	})
}

func TestTheIndexFollowsEveryChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, model := &pdk.Index[int]{}, map[int]thing{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			e := rapid.IntRange(0, 5).Draw(t, "element")
			if rapid.Bool().Draw(t, "delete") {
				x.Delete(e)
				delete(model, e)
			} else {
				model[e] = genThing(t)
				x.Put(e, model[e].label, model[e].kind, model[e].group)
				x.Identify(e, fmt.Sprintf("id%d", e))
			}
			if x.Len() != len(model) {
				t.Fatalf("%d elements, want %d", x.Len(), len(model))
			}
			for e := range 6 {
				got, _ := x.Find(fmt.Sprintf("#id%d", e), true)
				if _, known := model[e]; known != (len(got) == 1) {
					t.Fatalf("#id%d finds %v", e, got)
				}
			}
			for e, m := range model {
				if m.label == "" {
					continue
				}
				got, match := x.Find(m.label, true)
				if match != pdk.MatchExact {
					t.Fatalf("%q of %d is found as %v, %v", m.label, e, got, match)
				}
				for _, g := range got {
					if model[g].label != m.label {
						t.Fatalf("%q finds %d, which is %q", m.label, g, model[g].label)
					}
				}
			}
		}
	})
}

func TestARenamedElementKeepsItsPlaceAndID(t *testing.T) {
	x := indexOf(thing{"a1", "", "", "k"}, thing{"a2", "", "", ""})
	x.Put(0, "a3", "", "")
	if got, _ := x.Find("a", false); fmt.Sprint(got) != "[0 1]" {
		t.Errorf("candidates %v", got)
	}
	if got, _ := x.Find("a1", true); got != nil {
		t.Errorf("the old name still finds %v", got)
	}
	if got, _ := x.Find("#k", true); fmt.Sprint(got) != "[0]" {
		t.Errorf("the id finds %v", got)
	}
}

// Ten thousand elements are put, found by every level except prefixes, renamed
// and deleted. Quadratic work would exceed the time limit of a test.
func TestTenThousandElements(t *testing.T) {
	const n = 10_000
	var x pdk.Index[int]
	name := func(i int) string { return fmt.Sprintf("Item-%d", i) }
	for i := range n {
		x.Put(i, name(i), "kind", "group")
	}
	for i := range n {
		for _, ref := range []string{name(i), strings.ToLower(name(i)), fmt.Sprintf("item %d", i), "kind:" + name(i), "group/kind:" + name(i)} {
			if got, err := x.One(ref, "item", true); err != nil || got != i {
				t.Fatalf("%s: %d, %v", ref, got, err)
			}
		}
	}
	for i := range n {
		x.Put(i, "Other "+name(i), "", "")
	}
	for i := range n {
		x.Delete(i)
	}
	if x.Len() != 0 {
		t.Errorf("%d are left", x.Len())
	}
}

func TestNearestListsWordsAsTheyAre(t *testing.T) {
	words := []string{"note", "notes", "chord", "time-sig", `say "hi"`, "A"}
	for word, want := range map[string]string{
		"noet": "[note notes]", "NOTE": "[note]", "not": "[note notes]", "timesig": "[time-sig]",
		`say "ho"`: `[say "hi"]`, "chrod": "[chord]", "zzz": "[]", "": "[]", "Z": "[]", "AZ": "[A]",
	} {
		if got := fmt.Sprint(pdk.Nearest(word, words)); got != want {
			t.Errorf("Nearest(%q) = %s, want %s", word, got, want)
		}
	}
}

// osa is the textbook form of what Distance computes.
func osa(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestDistanceIsTheEditDistanceUpToItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abcé")), 0, 9, -1)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		limit := rapid.IntRange(0, 10).Draw(t, "limit")
		want := min(osa([]rune(a), []rune(b)), limit+1)
		if got := pdk.Distance(a, b, limit); got != want {
			t.Fatalf("Distance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
	})
}
