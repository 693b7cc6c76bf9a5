package session

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestADescriptionHasFirstWhatAFirstCallNeeds(t *testing.T) {
	text, at := Describe(list(t).Manifest, "list", 100_000).Edit, -1
	for _, want := range []string{"Edits the open List document (list_session opens it).", "An op: VERB words... [key:value...] [@selector...];", "list_help WORDS",
		"\n## Selectors (all must match; @not:X negates @X)\n@all @recent[:N]", "\n## Verbs\n", "\n## Syntax\n", "\nadd TEXT"} {
		next := strings.Index(text, want)
		if next <= at {
			t.Errorf("%q stands at %d, what comes before it at %d:\n%s", want, next, at, text)
		}
		at = next
	}
	m := &abi.Manifest{Domain: "d", Title: "D", Verbs: []abi.Verb{{Name: "go", Syntax: "go PLACE…", Category: "ways"}}, Conventions: []string{"Left is left."}, Example: []string{"go Rome"},
		Selectors: []abi.Selector{{Type: "far", Syntax: "@far:KM", Brief: "@far:9 · farther away"}}, Vocabulary: []abi.Section{{Title: "Places", Lines: []string{"Rome", "Oslo"}}}}
	want := "\n## Conventions\nLeft is left.\n## Example\ngo Rome\n## Selectors (all must match; @not:X negates @X)\n@all @recent[:N] @far:9\n## Values\nPlaces: Rome; Oslo\n## Verbs\nways: go\n## Syntax\ngo PLACE..." + legend
	if _, got, _ := strings.Cut(Describe(m, "d", 100_000).Edit, "of anything."); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestTheVerbsOfEverydayWorkComeWithTheirSyntaxAndTheOthersByName(t *testing.T) {
	m := wide(6, 30)
	_, all, _ := strings.Cut(Describe(m, "wide", 100_000).Edit, "\n## Syntax\n")
	if n := strings.Count(all, "key"); n != 6 || !strings.HasPrefix(all, "verb0 WORD") {
		t.Errorf("without a choice:\n%s", all)
	}
	m.Common = []string{"verb4", "nothing", "verb1"}
	text := Describe(m, "wide", 100_000).Edit
	head, some, _ := strings.Cut(text, "\n## Syntax\n")
	if !strings.HasPrefix(some, "verb4 WORD... [key4:ONE|TWO]; w4") || strings.Count(some, "WORD") != 2 || !strings.Contains(some, "\nverb1 ") {
		t.Errorf("with a choice:\n%s", some)
	}
	for i := range 6 {
		if !strings.Contains(head, fmt.Sprintf(" verb%d", i)) {
			t.Errorf("verb%d is not named:\n%s", i, head)
		}
	}
}

// wide is a manifest with n of everything, each of the maximum length that the
// host accepts if n is small enough.
func wide(n, long int) *abi.Manifest {
	text := func(i int) string {
		return fmt.Sprintf("w%d %s", i, strings.Repeat("words of it ", 1+long/12))[:max(8, long)]
	}
	m := &abi.Manifest{Domain: "wide", Title: "Wide", Conventions: []string{text(0)}, Example: []string{text(1)}, Extensions: []string{".wide"}}
	for i := range n {
		m.Verbs = append(m.Verbs, abi.Verb{Name: fmt.Sprintf("verb%d", i), Syntax: fmt.Sprintf("verb%d WORD… [key%d:ONE|TWO]", i, i), Summary: text(i), Category: fmt.Sprintf("c%d", i%7)})
		m.Selectors = append(m.Selectors, abi.Selector{Type: fmt.Sprintf("sel%d", i), Syntax: fmt.Sprintf("@sel%d:VALUE", i), Summary: text(i)})
		m.Queries = append(m.Queries, abi.Query{Name: fmt.Sprintf("query%d", i), Syntax: fmt.Sprintf("query%d [WORD]", i), Summary: text(i)})
		m.Session = append(m.Session, abi.Session{Name: fmt.Sprintf("action%d", i), Syntax: fmt.Sprintf("action%d PATH", i), Summary: text(i)})
		m.Vocabulary = append(m.Vocabulary, abi.Section{Title: fmt.Sprintf("Section %d", i), Lines: []string{text(i), text(i + 1)}})
	}
	return m
}

func TestUnracedADescriptionOfAnyManifestFits(t *testing.T) {
	testwasm.Unraced(t)
	for _, n := range []int{1, 5, 20, 60, 300} {
		for _, long := range []int{8, 100, 500} {
			m := wide(n, long)
			for _, room := range []int{100_000, 7000, 5500} {
				texts := Describe(m, "wide", room)
				if size := texts.size(); size > room {
					t.Errorf("%d of each, %d characters long: %d characters as JSON, %d fit", n, long, size, room)
				}
				head, _, _ := strings.Cut(texts.Edit, "\n## Syntax\n")
				if length(texts.Edit) > MaxEdit || length(head) > MaxHead || length(texts.Query) > maxList || length(texts.Session) > maxList {
					t.Errorf("%d of each, %d characters long: %d characters, %d before the syntax, %d and %d", n, long, length(texts.Edit), length(head), length(texts.Query), length(texts.Session))
				}
				if again := Describe(m, "wide", room); texts != again {
					t.Errorf("%d of each: the texts differ between runs", n)
				}
				for what, s := range map[string]string{"edit": texts.Edit, "query": texts.Query, "session": texts.Session} {
					if !utf8.ValidString(s) || utf8.RuneCountInString(s) < 80 || strings.Contains(s, "…") {
						t.Errorf("%d of each: the text of %s is %q", n, what, s)
					}
				}
				if n > 60 { // the names alone do not fit
					continue
				}
				for _, v := range m.Verbs {
					if !strings.Contains(head, v.Name) {
						t.Errorf("%d of each, %d characters long, in %d: %s is not in the card", n, long, room, v.Name)
					}
				}
			}
		}
	}
}

func TestADescriptionIsCutFromItsEnd(t *testing.T) {
	m := wide(8, 40)
	whole := Describe(m, "wide", 100_000)
	head, _, _ := strings.Cut(whole.Edit, "\n## Syntax\n")
	last := whole.Edit
	for room := whole.size() - 1; room > whole.size()-1200; room -= 50 {
		text := Describe(m, "wide", room).Edit
		if !strings.HasPrefix(text, head) {
			t.Fatalf("in %d characters what a first call needs is cut:\n%s", room, text)
		}
		if strings.Count(text, "WORD") > strings.Count(last, "WORD") {
			t.Errorf("in %d characters there is more than in %d:\n%s", room, room+50, text)
		}
		last = text
	}
	if strings.Contains(last, "## Syntax") {
		t.Errorf("nothing is cut:\n%s", last)
	}
}

func TestCharactersAreCountedAsJavaScriptDoes(t *testing.T) {
	for text, want := range map[string]int{"abc": 3, "é…": 2, "𝄞": 2} {
		if got := length(text); got != want {
			t.Errorf("%s has %d characters, not %d", text, got, want)
		}
	}
	m := wide(1, 8)
	m.Conventions = nil
	for range 20 {
		m.Conventions = append(m.Conventions, strings.Repeat("𝄞", 100))
	}
	if head := describeHead(m, "wide"); length(head) > MaxHead || !strings.Contains(head, "𝄞 ...") {
		t.Errorf("%d characters", length(head))
	}
}
