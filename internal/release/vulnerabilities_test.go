package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyAFinishedCheckForVulnerabilitiesAllowsPublishing(t *testing.T) {
	for _, tt := range []struct{ script, record, says string }{
		{"echo No vulnerabilities found.", "checked: nothing", ""},
		{"echo GO-2026-1; exit 3", "checked: the programs have known vulnerabilities", "checked: the programs have known vulnerabilities: see "},
		{"echo no such host >&2; exit 1", "not checked for known vulnerabilities (exit status 1)", "not checked for known vulnerabilities (exit status 1): see "},
	} {
		record := filepath.Join(t.TempDir(), "vulnerabilities.txt")
		err := checkVulnerabilities(record, []string{"sh", "-c", tt.script})
		if (err != nil) != (tt.says != "") || err != nil && !strings.HasPrefix(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.script, err)
		}
		text, err := os.ReadFile(record)
		if err != nil || !strings.HasPrefix(string(text), tt.record) || !strings.Contains(string(text), strings.Fields(tt.script)[1]) {
			t.Errorf("%s: %v, the record is\n%s", tt.script, err, text)
		}
	}
	record := filepath.Join(t.TempDir(), "vulnerabilities.txt")
	err := checkVulnerabilities(record, []string{filepath.Join(t.TempDir(), "none")})
	if text, _ := os.ReadFile(record); err == nil || !strings.HasPrefix(string(text), "not checked") {
		t.Errorf("without the program: %v, %q", err, text)
	}
}
