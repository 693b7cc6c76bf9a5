package smf

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestRealFilesComeBackByteForByte(t *testing.T) {
	dir := testwasm.DataDir(t, "midi")
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
