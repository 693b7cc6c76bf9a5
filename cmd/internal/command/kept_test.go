package command

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The modules in testdata/kept were built from sdk as it was on 2026-11-23 (commit a303a1f4). basic.fcp and basic.want are its script of
// that day and what the modules replied.
func TestModulesBuiltAgainstAnEarlierABIRunUnchanged(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs(filepath.Join("testdata", "kept", "basic.fcp"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "kept", "basic.want"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join("testdata", "kept", "*.wasm.gz"))
	if err != nil || len(kept) != 4 {
		t.Fatal(kept, err)
	}
	for _, file := range kept {
		packed, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		r, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		module, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out, done := hostRun(t, nil, "exec", "--config", "off", "--no-builtin", "--plugin", wasmFile(t, module), script)
		var said strings.Builder
		for line := range strings.Lines(out) {
			if !strings.HasPrefix(line, "fcp-host: ") { // stderr
				said.WriteString(line)
			}
		}
		if !done || said.String() != string(want) {
			t.Errorf("%s says\n%s\nwant\n%s", filepath.Base(file), out, want)
		}
	}
}
