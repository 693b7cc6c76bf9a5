package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// If the temporary folder is missing, only the checks that need it fail.
func TestDoctorGoesOnWithoutAFolderOfTemporaryFiles(t *testing.T) {
	report, err := sandbox.SelfTest(sandbox.Config{Name: "x"}, nil)
	if err != nil || len(report.Layers) == 0 {
		t.Skipf("nothing confines workers here: %v", err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if _, err := os.CreateTemp("", "x"); err == nil {
		t.Skip("this system does not look at TMPDIR")
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"doctor", "--config", "off", "--cache", "off", "--no-builtin", "--plugins", t.TempDir()}, stdio{strings.NewReader(""), &out, &errs})
	if code != exitFailed || strings.Count(out.String(), "\n  self-test     attempted ") != 1 || !strings.Contains(out.String(), "\n! cannot create a file in the temporary folder (TMPDIR): ") {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
}

// After an upgrade of the host, doctor names plugins built for another ABI and says what to do.
func TestDoctorNamesPluginsOfAnotherABI(t *testing.T) {
	older := manifest(func(m *abi.Manifest) { m.ABI = abi.Version - 1 }).file(t)
	newer := manifest(func(m *abi.Manifest) { m.ABI = abi.Version + 1 }).file(t)
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"doctor", "--config", "off", "--cache", "off", "--no-builtin", "--plugin", older, "--plugin", newer}, stdio{strings.NewReader(""), &out, &errs})
	for file, want := range map[string]string{older: ": rebuild the plugin with a current SDK", newer: ": upgrade fcp-host"} {
		found := false
		for line := range strings.Lines(out.String()) {
			found = found || strings.HasPrefix(line, "! ") && strings.Contains(line, file) && strings.Contains(line, "speaks ABI") && strings.HasSuffix(line, want+"\n")
		}
		if !found {
			t.Errorf("it does not say of %s%s", file, want)
		}
	}
	if code != exitFailed || t.Failed() {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
}
