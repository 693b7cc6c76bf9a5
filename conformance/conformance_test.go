package conformance_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/conformance"
)

func TestThereAreAtLeast300Cases(t *testing.T) {
	n := 0
	for _, f := range conformance.Builtin() {
		n += len(f.Tests) + len(f.ErrorTests)
	}
	if n < 300 {
		t.Errorf("%d cases", n)
	}
	t.Logf("%d cases", n)
}

func TestOurOwnPackagesPassEverySuite(t *testing.T) {
	r := conformance.Run(conformance.Builtin(), conformance.Native())
	for _, f := range r.Failures {
		t.Error(f)
	}
	t.Logf("%d passed", r.Passed)
}

// docs/conformance.md has the number of cases of each suite.
func TestThePageCountsTheCases(t *testing.T) {
	data, err := os.ReadFile("../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, f := range conformance.Builtin() {
		n := len(f.Tests) + len(f.ErrorTests)
		counts["`"+f.Suite+"`"] = n
		counts["all"] += n
	}
	counts["`events/cursor`, `events/checkpoint`"] = counts["`events/cursor`"] + counts["`events/checkpoint`"]
	for name, n := range counts {
		row := fmt.Sprintf("| %s | %d |", name, n)
		if name != "all" && !strings.Contains(string(data), row) && !strings.HasPrefix(name, "`events/c") {
			t.Errorf("the page lacks %q", row)
		}
	}
	steps := 0
	for _, suite := range conformance.StepSuites() {
		steps += counts["`"+suite+"`"]
	}
	for _, text := range []string{fmt.Sprintf("| %d fixture cases |", counts["all"]-steps), fmt.Sprintf("| %d fixture cases of sessions", steps)} {
		if !strings.Contains(string(data), text) {
			t.Errorf("the page lacks %q", text)
		}
	}
}

// Each expected failure is a single check with its reason, so that the other checks of its scenario still count.
func TestEachExpectedFailureOfTheMCPSuiteIsOneCheckWithItsReason(t *testing.T) {
	data, err := os.ReadFile("mcp/expected-failures.yml")
	if err != nil {
		t.Fatal(err)
	}
	entry, seen := regexp.MustCompile(`^  - ([a-z0-9-]+:[a-z0-9-]+) # \S.{10,}$`), map[string]bool{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line == "server:" || strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		m := entry.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("%q is not SCENARIO:CHECK # REASON", line)
			continue
		}
		if seen[m[1]] {
			t.Errorf("%s is listed twice", m[1])
		}
		seen[m[1]] = true
	}
	if len(seen) == 0 {
		t.Error("the file lists nothing")
	}
}
