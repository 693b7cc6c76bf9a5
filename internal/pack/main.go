// Command pack packs the modules that are embedded in fcp-host into one file.
//
//	go run ./internal/pack cmd/internal/command/builtin/domains.zip bin/plugins/midi.wasm …
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
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

// pack does not touch a file that is up to date, so that what embeds it is not rebuilt. Equal modules give equal bytes,
// so it does nothing if a stamp beside the modules matches both.
func pack(out string, files []string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	code, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	inputs := sha256.New()
	inputs.Write(code)
	var modules [][]byte
	for _, file := range files {
		wasm, err := plugin.Read(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		modules = append(modules, wasm)
		sum := sha256.Sum256(wasm)
		inputs.Write(sum[:])
	}
	old, _ := os.ReadFile(out)
	stampFile := filepath.Join(filepath.Dir(files[0]), ".packed")
	if made, err := os.ReadFile(stampFile); err == nil && bytes.Equal(made, makeStamp(inputs.Sum(nil), old)) {
		return nil
	}
	var packed bytes.Buffer
	if err := plugin.Pack(context.Background(), &packed, nil, modules...); err != nil {
		return err
	}
	if !bytes.Equal(old, packed.Bytes()) {
		if err := replace(out, packed.Bytes()); err != nil {
			return err
		}
	}
	return replace(stampFile, makeStamp(inputs.Sum(nil), packed.Bytes()))
}

// makeStamp lists the SHA-256 of the inputs and of the result.
func makeStamp(inputs, made []byte) []byte {
	return fmt.Appendf(nil, "%x %x\n", inputs, sha256.Sum256(made))
}

func replace(file string, data []byte) error {
	tmp := filepath.Join(filepath.Dir(file), ".tmp")
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
