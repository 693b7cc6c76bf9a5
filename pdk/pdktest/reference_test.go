package pdktest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestAnUntestedVerbIsReportedWithTheFilesToChange(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := domain(bugs{})
	d.Queries = append(d.Queries, pdk.Query[*bag]{Query: abi.Query{Name: "weigh"}})
	d.Session = append(d.Session, pdk.SessionAction[*bag]{Session: abi.Session{Name: "shake"}})
	d.Selectors = append(d.Selectors, abi.Selector{Type: "heavy"})
	var verbs []string
	for _, v := range d.Manifest().Verbs {
		verbs = append(verbs, v.Name)
	}
	var others string // the queries, actions and selectors
	for _, q := range d.Manifest().Queries {
		others += q.Name + "\n"
	}
	for _, a := range d.Manifest().Session {
		others += a.Name + "\n"
	}
	for _, sel := range d.Manifest().Selectors {
		others += "list @" + sel.Type + "\n"
	}
	first, rest := verbs[0], strings.Join(verbs[1:], " x\n")
	sources := pdktest.Sources{Tests: []string{filepath.Join(dir, "*_test.go")}, Generator: filepath.Join(dir, "random_test.go"), Reference: filepath.Join(dir, "reference.md")}
	complete := func() string {
		return record(t, func(t testing.TB) { pdktest.Complete(t, d, sources) })
	}
	write("a_test.go", "package x\n\nvar a = `"+rest+"`\n")
	write("random_test.go", "package x\n\nvar b = `"+first+"\n"+rest+"`\n")
	for _, want := range []string{"the query weigh", "the session action shake", "the selector @heavy"} {
		if got := complete(); !strings.Contains(got, want+" is in no test: add one to "+sources.Tests[0]) {
			t.Errorf("it does not name %s: %s", want, got)
		}
	}
	if got := complete(); !strings.Contains(got, "the verb "+first+" is in no test") || strings.Contains(got, "never generated") || !strings.Contains(got, "reference.md is missing or out of date") {
		t.Errorf("it says %s", got)
	}
	t.Setenv("FCP_UPDATE", "1")
	write("a_test.go", "package x\n\nvar a = \""+first+" x\"\nvar b = `"+rest+"\n"+others+"`\n")
	write("random_test.go", "package x\n\nvar b = `"+rest+"`\n")
	if got := complete(); strings.Contains(got, "is in no test") || !strings.Contains(got, "the verb "+first+" is never generated") {
		t.Errorf("it says %s", got)
	}
	t.Setenv("FCP_UPDATE", "")
	sources.Generator = ""
	if got := complete(); got != "" {
		t.Errorf("it says %s", got)
	}
	page, err := os.ReadFile(sources.Reference)
	if err != nil || !strings.Contains(string(page), "### `"+first+"`") {
		t.Errorf("the page: %s %v", page, err)
	}
}
