package smf

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shared is the folder of real files, beside the repository.
func shared(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("FCP_SHARED"); dir != "" {
		return filepath.Join(dir, "data", "midi")
	}
	dir, err := os.Getwd()
	for err == nil {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	dir = filepath.Join(dir, "..", "shared", "data", "midi")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no real files: set FCP_SHARED to the folder that holds data/midi")
	}
	return dir
}

func TestRealFilesComeBackByteForByte(t *testing.T) {
	dir := shared(t)
	names, err := filepath.Glob(filepath.Join(dir, "*.mid"))
	if err != nil || len(names) == 0 {
		t.Skipf("no files in %s", dir)
	}
	refused := map[string]string{"test-not-a-midi-file.mid": "not a MIDI file"}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, warnings, err := Parse(data)
			if why, ok := refused[filepath.Base(name)]; ok {
				if err == nil || !strings.Contains(err.Error(), why) {
					t.Fatalf("error %v, want one about %q", err, why)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(f.Encode(), data) {
				t.Error("encoded bytes differ")
			}
			t.Log(warnings)
		})
	}
}
