package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
)

// inspect reads modules. It runs nothing of them unless asked for the
// manifest or the card.
func inspect(ctx context.Context, args []string, io stdio) int {
	f := flag.NewFlagSet("fcp-host inspect", flag.ContinueOnError)
	f.SetOutput(io.err)
	manifest := f.Bool("manifest", false, "run the module, sandboxed, and print what it says of itself")
	card := f.Bool("card", false, "run the module, sandboxed, and print its reference card")
	f.Usage = func() {
		fmt.Fprintln(io.err, "usage: fcp-host inspect [--manifest] [--card] FILE.wasm…")
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return exitUsage
	}
	if f.NArg() == 0 {
		f.Usage()
		return exitUsage
	}
	code := exitOK
	for _, path := range f.Args() {
		if err := inspectOne(ctx, path, *manifest, *card, io); err != nil {
			fmt.Fprintf(io.err, "fcp-host: %s: %v\n", path, err)
			code = exitFailed
		}
	}
	return code
}

func inspectOne(ctx context.Context, path string, manifest, card bool, io stdio) error {
	wasm, err := plugin.Read(path)
	if err != nil {
		return err
	}
	info, err := sandbox.Scan(wasm)
	if err != nil {
		return err
	}
	fmt.Fprintf(io.out, "file:    %s\nsize:    %d bytes\nsha256:  %x\n", path, len(wasm), sha256.Sum256(wasm))
	fmt.Fprintf(io.out, "imports: %d\n", len(info.Imports))
	for _, i := range info.Imports {
		fmt.Fprintf(io.out, "  %s.%s %s\n", i.Module, i.Name, i.Signature)
	}
	fmt.Fprintf(io.out, "exports: %d\n", len(info.Exports))
	for _, e := range info.Exports {
		fmt.Fprintf(io.out, "  %s %s %s\n", e.Kind, e.Name, e.Signature)
	}
	var missing []string
	for _, name := range abi.Required() {
		if _, ok := info.Func(name); !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("not an fcp plugin: it does not export %s", strings.Join(missing, ", "))
	}
	if !manifest && !card {
		return nil
	}
	box, err := sandbox.NewPlugin(sandbox.Config{Name: filepath.Base(path), Wasm: wasm, Limits: sandbox.DefaultLimits(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer box.Close()
	m, err := domain.Describe(ctx, box)
	if err != nil {
		return err
	}
	if _, err := domain.New(m, box); err != nil {
		return err
	}
	if manifest {
		fmt.Fprintf(io.out, "domain:  %s %s (ABI %d)\ntitle:   %s\nsummary: %s\nfiles:   %s\nverbs:   %d\n",
			m.Domain, m.Version, m.ABI, m.Title, m.Summary, strings.Join(m.Extensions, " "), len(m.Verbs))
	}
	if card {
		fmt.Fprint(io.out, "\n"+session.Card(m, m.Domain))
	}
	return nil
}
