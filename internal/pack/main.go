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
	"slices"
	"time"

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

// pack writes the modules in files to out. It does not touch a file that is up to date, so that packages that embed it
// are not rebuilt. Equal modules give equal bytes, so it does nothing if a stamp beside the modules matches the inputs
// and out. If FCP_CACHE is set, its folder packs keeps the last few packs, so that another checkout can copy a pack of
// the same modules made by the same program.
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
	packed, err := fromCache(fmt.Sprintf("%x", inputs.Sum(nil)), func() ([]byte, error) {
		var made bytes.Buffer
		err := plugin.Pack(context.Background(), &made, nil, modules...)
		return made.Bytes(), err
	})
	if err != nil {
		return err
	}
	if !bytes.Equal(old, packed) {
		if err := replace(out, packed); err != nil {
			return err
		}
	}
	return replace(stampFile, makeStamp(inputs.Sum(nil), packed))
}

// maxPacks is the number of packs that the cache keeps.
const maxPacks = 4

// fromCache returns the pack of these inputs from the cache. If it is missing there, fromCache makes it with pack and
// stores it.
func fromCache(inputs string, pack func() ([]byte, error)) ([]byte, error) {
	dir := os.Getenv("FCP_CACHE")
	if dir == "" {
		return pack()
	}
	dir = filepath.Join(dir, "packs")
	file := filepath.Join(dir, inputs)
	if data, err := os.ReadFile(file); err == nil && len(data) > sha256.Size {
		packed, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
		if got := sha256.Sum256(packed); bytes.Equal(got[:], sum) {
			return packed, nil
		}
	}
	packed, err := pack()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b string) int { return modTime(b).Compare(modTime(a)) })
	for _, old := range list[min(len(list), maxPacks-1):] {
		_ = os.Remove(old) // another checkout may have removed it
	}
	sum := sha256.Sum256(packed)
	return packed, replace(file, append(bytes.Clone(packed), sum[:]...))
}

// modTime returns when a file was written, the zero time if it is gone.
func modTime(file string) (t time.Time) {
	if info, err := os.Stat(file); err == nil {
		t = info.ModTime()
	}
	return t
}

// makeStamp lists the SHA-256 of the inputs and of the result.
func makeStamp(inputs, made []byte) []byte {
	return fmt.Appendf(nil, "%x %x\n", inputs, sha256.Sum256(made))
}

func replace(file string, data []byte) error {
	tmp := fmt.Sprintf("%s.%d", filepath.Join(filepath.Dir(file), ".tmp"), os.Getpid())
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
