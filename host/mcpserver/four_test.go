package mcpserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// cut returns the first n characters of a text, as JavaScript counts them.
func cut(text string, n int) string {
	u := utf16.Encode([]rune(text))
	return string(utf16.Decode(u[:min(n, len(u))]))
}

// A widely used client cuts descriptions at 4,096 characters, and at 2,048 in older versions.
func TestUnracedACutCardHasWhatAFirstCallNeeds(t *testing.T) {
	testwasm.Unraced(t)
	for _, d := range domains(t, testwasm.Plugins(t)...) {
		m := d.Manifest
		texts, size := tools(t, []*domain.Domain{d}, false)
		card := texts[m.Domain]
		t.Logf("%s: %d characters, its card %d", m.Domain, size, len(utf16.Encode([]rune(card))))
		if size > maxTools {
			t.Errorf("%s: the four tools take %d characters, the limit is %d", m.Domain, size, maxTools)
		}
		if _, size := tools(t, []*domain.Domain{d}, false, true); size > maxTools+maxStructured {
			t.Errorf("%s: with schemas of what they answer the four tools take %d characters", m.Domain, size)
		}
		limit := session.MaxEdit
		if m.Domain == "cuedeck" || m.Domain == "flowise" {
			limit = session.MaxHead
		}
		if cut(card, limit) != card {
			t.Errorf("%s: its card is longer than %d characters", m.Domain, limit)
		}
		if whole := session.Describe(m, m.Domain, 100_000); card != whole.Edit || cut(card, 4096) != card {
			t.Errorf("%s: not all of its card fits: shorten a Brief, or name fewer verbs in Common", m.Domain)
		}
		head := cut(card, 2048)
		has := func(what, text string) {
			t.Helper()
			if !strings.Contains(head, strings.ReplaceAll(text, "…", "...")) {
				t.Errorf("%s: the first 2,048 characters lack %s %q", m.Domain, what, text)
			}
		}
		for _, text := range []string{"An op: VERB words... [key:value...] [@selector...]", m.Domain + "_help WORDS", "@not:X negates @X", "\n## Verbs\n"} {
			has("", text)
		}
		for _, c := range m.Conventions {
			has("the convention", c)
		}
		for _, e := range m.Example {
			has("the example", e)
		}
		for _, s := range m.Selectors {
			has("the selector", "@"+s.Type)
		}
		for _, s := range m.Vocabulary {
			has("the values of", s.Title+": ")
		}
		_, names, _ := strings.Cut(head, "\n## Verbs\n")
		names, rest, _ := strings.Cut(names, "\n## Syntax\n")
		for i := range m.Verbs {
			if v := &m.Verbs[i]; !v.Hidden && !regexp.MustCompile(`[ \n]`+v.Name+`([ \n]|$)`).MatchString(" "+names) {
				t.Errorf("%s: the first 2,048 characters do not name %s: %s", m.Domain, v.Name, names)
			}
		}
		_, syntax, _ := strings.Cut(card, "\n## Syntax\n")
		if len(m.Common) == 0 || rest != "" && !strings.HasPrefix(syntax, m.Common[0]+" ") {
			t.Errorf("%s: the syntax of its commonest verb does not come first", m.Domain)
		}
		for _, name := range m.Common {
			if !strings.Contains("\n"+syntax, "\n"+name+" ") {
				t.Errorf("%s: the card lacks the syntax of %s", m.Domain, name)
			}
		}
		for _, q := range m.Queries {
			if !strings.Contains(texts[m.Domain+"_query"], "\n"+q.Name) {
				t.Errorf("%s: the query %s is not in the card", m.Domain, q.Name)
			}
		}
	}
}

// op matches a call of an edit tool in a transcript, with its domain and its ops as JSON.
var op = regexp.MustCompile(`(?m)^> ([a-z]+) (\[".*"\])$`)

func TestUnracedTheCardHasTheSyntaxOfNineInTenOpsOfThePages(t *testing.T) {
	testwasm.Unraced(t)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	all, shown := map[string]int{}, map[string]int{}
	for _, d := range domains(t, testwasm.Plugins(t)...) {
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range op.FindAllStringSubmatch(string(text), -1) {
				var ops []string
				if call[1] != d.Name() || json.Unmarshal([]byte(call[2]), &ops) != nil {
					continue
				}
				for _, op := range ops {
					verb, _, _ := strings.Cut(op, " ")
					if all[d.Name()]++; slices.Contains(d.Manifest.Common, verb) {
						shown[d.Name()]++
					}
				}
			}
		}
		n, of := shown[d.Name()], all[d.Name()]
		t.Logf("%s: %d of %d ops", d.Name(), n, of)
		if of == 0 || 10*n < 9*of {
			t.Errorf("%s: the card has the syntax of %d of %d ops: name more verbs in Common", d.Name(), n, of)
		}
	}
}

// Clients that do not load tools on demand send the whole list with each request to their model.
func TestUnracedTheListOfTheDefaultDomainsTakesAtMost26000Characters(t *testing.T) {
	testwasm.Unraced(t)
	list, size := listOf(t, domains(t, "cuedeck", "drawio", "midi", "svg", "video"), false)
	t.Logf("%d tools, %d characters", len(list), size)
	if len(list) != 20 || size > 26_000 {
		t.Errorf("%d tools take %d characters", len(list), size)
	}
	words := map[string][]string{"midi": {"song", "chords", "drums"}, "drawio": {"diagram", "flowchart", "architecture"}, "svg": {"icon", "logo", "chart"}, "video": {"film", "cut", "captions"}, "cuedeck": {"task", "board"}}
	for _, tool := range list {
		hint, _ := tool.Meta[metaHint].(string)
		dom, kind, _ := strings.Cut(tool.Name, "_")
		for _, word := range words[dom] {
			if found := slices.Contains(strings.Fields(hint), word); found != (kind == "" || kind == "session") {
				t.Errorf("%s is found by %q: %v", tool.Name, word, found)
			}
		}
		if long, _ := tool.Meta[metaResult].(float64); (long == maxResult) != (kind == "" || kind == "query") {
			t.Errorf("%s: %s is %v", tool.Name, metaResult, long)
		}
		if tool.Meta[metaLoad] != nil != (kind == "session") {
			t.Errorf("%s: %s is %v", tool.Name, metaLoad, tool.Meta[metaLoad])
		}
		if kind == "session" && (!strings.Contains(tool.Description, dom+" edits.") || tool.Description[0] == '\n') {
			t.Errorf("%s does not say what its domain does:\n%s", tool.Name, tool.Description)
		}
	}
}

func TestUnracedOnlyAFewSmallToolsAreNotDeferred(t *testing.T) {
	testwasm.Unraced(t)
	real := domains(t, "drawio", "midi")
	for _, list := range [][]*domain.Domain{real[:1], real, append(many(t, real[0], 30), real[1]), many(t, real[1], 100)} {
		marked := func() (names []string, size int) {
			tools, _ := listOf(t, list, false)
			for _, tool := range tools {
				if tool.Meta[metaLoad] == true {
					names = append(names, tool.Name)
					data, err := json.Marshal(tool)
					if err != nil {
						t.Fatal(err)
					}
					size += utf8.RuneCount(data)
				}
			}
			return names, size
		}
		names, size := marked()
		if again, _ := marked(); !slices.Equal(names, again) {
			t.Errorf("%d domains: %q, then %q", len(list), names, again)
		}
		t.Logf("%d domains: %d tools, %d characters", len(list), len(names), size)
		if size > maxLoaded || len(names) == 0 || len(names) < min(len(list), 4) {
			t.Errorf("%d domains: %d characters of %q", len(list), size, names)
		}
		for _, name := range names {
			if !strings.HasSuffix(name, "_session") {
				t.Errorf("%d domains: %s is not deferred", len(list), name)
			}
		}
	}
	if tools, _ := listOf(t, real, true); tools[3].Name != "fcp_session" || tools[3].Meta[metaLoad] != true {
		t.Errorf("unified: %s %v", tools[3].Name, tools[3].Meta)
	}
}
