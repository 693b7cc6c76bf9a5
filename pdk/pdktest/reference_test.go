package pdktest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	var verbs []string
	for _, v := range d.Manifest().Verbs {
		verbs = append(verbs, v.Name)
	}
	first, rest := verbs[0], strings.Join(verbs[1:], " x\n")
	sources := pdktest.Sources{Tests: []string{filepath.Join(dir, "*_test.go")}, Generator: filepath.Join(dir, "random_test.go"), Reference: filepath.Join(dir, "reference.md")}
	complete := func() string {
		return record(t, func(t testing.TB) { pdktest.Complete(t, d, sources) })
	}
	write("a_test.go", "package x\n\nvar a = `"+rest+"`\n")
	write("random_test.go", "package x\n\nvar b = `"+first+"\n"+rest+"`\n")
	if got := complete(); !strings.Contains(got, "the verb "+first+" is in no test") || strings.Contains(got, "never generated") || !strings.Contains(got, "reference.md is missing or out of date") {
		t.Errorf("it says %s", got)
	}
	t.Setenv("FCP_UPDATE", "1")
	write("a_test.go", "package x\n\nvar a = \""+first+" x\"\nvar b = `"+rest+"`\n")
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
