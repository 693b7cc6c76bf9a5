// Command pack writes the modules that are embedded in fcp-host into one file.
//
//	go run ./internal/pack cmd/fcp-host/builtin/domains.zip bin/plugins/midi.wasm …
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == sandbox.WorkerArg {
		os.Exit(sandbox.RunWorker())
	}
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: pack OUT.zip FILE.wasm…")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack leaves a file that is right already as it is: what embeds it need not be
// built again.
func pack(out string, files []string) error {
	var modules [][]byte
	for _, file := range files {
		wasm, err := plugin.Read(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		modules = append(modules, wasm)
	}
	var packed bytes.Buffer
	if err := plugin.Pack(context.Background(), &packed, nil, modules...); err != nil {
		return err
	}
	if old, err := os.ReadFile(out); err == nil && bytes.Equal(old, packed.Bytes()) {
		return nil
	}
	tmp := filepath.Join(filepath.Dir(out), ".tmp")
	if err := os.WriteFile(tmp, packed.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, out)
}
