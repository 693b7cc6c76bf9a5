package drawing

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// Every example in the manifest must work as printed.
func TestTheManifestsExamplesWork(t *testing.T) {
	setup := map[string][]string{
		"style":      {"modify heading id:title"},
		"remove":     {"class old card", "add rect", "add rect"},
		"distribute": {"add rect a at:0,0 size:5x5", "add rect b at:20,0 size:5x5", "add rect c at:90,0 size:5x5", "class card a b c"},
		"group":      {"class bar axis curve"},
		"move":       {"add rect legend", "class label heading"},
		"copy":       {"class bar axis"},
		"repeat":     {"add line tick from:100,10 to:100,20"},
		"rotate":     {"add line name from:100,100 to:100,50"},
		"text":       {`add text note "x"`},
		"reparent":   {"reparent dot in:root", "add rect in:logo"},
		"align":      {"move heading by:9,0"},
		"order":      {"reparent dot card in:root", "order background front"},
		"class":      {"class muted card"},
		"fit":        {"move curve by:-50,0"},
		"optimize":   {"modify dot cx:20.0001"},
		"bool":       {"move dot by:40,0"},
	}
	for _, v := range Domain().Verbs {
		for _, example := range v.Examples {
			doc := onBoard(t)
			if v.Name == "add" {
				doc.Do("remove card", "remove dot")
				if strings.Contains(example, "card") && !strings.HasPrefix(example, "add rect card") {
					doc.Do("add rect card")
				}
				if strings.Contains(example, "heading") {
					doc.Do("remove heading")
				}
				if strings.Contains(example, "add line axis") {
					doc.Do("remove axis")
				}
				if strings.Contains(example, "of:dot") {
					doc.Do("add circle dot")
				}
			}
			doc.Do(setup[v.Name]...)
			if example == "reparent dot in:root" {
				doc.Do("reparent dot in:logo")
			}
			if got := doc.Do(example); strings.HasPrefix(got, "?") {
				t.Errorf("%s: %s", example, got)
			}
		}
	}
	pdktest.New(t, Domain(), `"Card"`).Do(Domain().Example...)
}
