package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/docs"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestTheABIPageListsTheReservedNames(t *testing.T) {
	_, section, _ := strings.Cut(docs.ABI, "\n- Some names are reserved for the host.")
	section, _, _ = strings.Cut(section, "\n- ")
	section = strings.Join(strings.Fields(section), " ")
	name := regexp.MustCompile("`([a-z]+)`")
	for _, c := range []struct {
		kind  string
		names []string
	}{
		{"Queries: ", domain.Names(domain.Queries(domain.Always))},
		{"Session actions: ", domain.Names(domain.Actions(domain.Always, domain.Rare))},
	} {
		_, list, _ := strings.Cut(section, c.kind)
		list, _, _ = strings.Cut(list, ".")
		var shown []string
		for _, m := range name.FindAllStringSubmatch(list, -1) {
			shown = append(shown, m[1])
		}
		if !slices.Equal(shown, c.names) {
			t.Errorf("%sthe page lists %q, the host reserves %q", c.kind, shown, c.names)
		}
	}
}

func TestTheABIPageStatesTheLimitsThatTheHostChecks(t *testing.T) {
	var code strings.Builder
	for _, pkg := range []string{"domain", "picture"} {
		files, err := filepath.Glob("../host/" + pkg + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(data)
		}
	}
	page := strings.Join(strings.Fields(docs.ABI), " ")
	for constant, sentence := range map[string]string{
		"maxWord = 64":           "single lower-case words of at most 64 bytes",
		"maxType = 128":          "whose `type` is not one line of at most 128 bytes",
		"maxTryBytes = 4 << 10":  "that are longer than 4 KiB",
		"len(name) > 32":         "The domain's name has 1 to 32 characters",
		"len(s) <= 24":           "a dot and 1 to 23 bytes",
		"maxExtensions = 32":     "there are at most 32",
		"maxTitle = 48":          "at most 48 bytes",
		"maxSide   = 16_384":     "at most 16,384 pixels",
		"maxPixels = 64_000_000": "at most 64 million pixels in all",
	} {
		if !strings.Contains(code.String(), constant) || !strings.Contains(page, sentence) {
			t.Errorf("host/domain or host/picture must contain %q and the page %q", constant, sentence)
		}
	}
}

func TestTheABIPageCompilesCLikeTheDomainInC(t *testing.T) {
	words, _ := testwasm.ClangLine(t, "tally")
	if line := strings.Join(words, " "); !strings.Contains(docs.ABI, fmt.Sprintf("```sh\n%s\n```", line)) {
		t.Errorf("the page does not show the command %q", line)
	}
}

// protocol.md lists the actions and queries that every domain has; a domain's own are on its reference page (pdktest.Complete).
func TestTheProtocolPageHasEveryActionAndQueryOfTheHost(t *testing.T) {
	lists := map[string][]domain.Word{"actions": slices.Concat(domain.ActionsOf(everything), domain.Actions(domain.Rare)), "queries": domain.QueriesOf(everything)}
	page := generated.ReplaceAllStringFunc(docs.Protocol, func(old string) string {
		what := generated.FindStringSubmatch(old)[1]
		words, known := lists[what]
		if !known {
			t.Fatalf("protocol.md asks for %q", what)
		}
		delete(lists, what)
		var b strings.Builder
		fmt.Fprintf(&b, "<!-- generated: %s -->\n| | |\n|---|---|\n", what)
		for _, w := range words {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(w.Syntax, "|", "\\|"), w.Summary)
		}
		return b.String() + "<!-- end -->"
	})
	if len(lists) > 0 {
		t.Errorf("protocol.md lacks %d lists", len(lists))
	}
	if *update {
		if err := os.WriteFile("protocol.md", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if page != docs.Protocol {
		t.Error("protocol.md differs from host/domain: go test ./docs -update regenerates it")
	}
}

// everything is a manifest for which the host provides all its actions and queries.
var everything = &abi.Manifest{Wants: []abi.Want{{Kind: abi.WantProgram, Name: "ffmpeg"}}, Schemes: []string{"flow"}}
