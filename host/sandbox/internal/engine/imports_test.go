package engine

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
	"github.com/fcp-host/fcp-host/internal/asm"
)

func TestWhatTheHostDoesNotServeIsRefused(t *testing.T) {
	empty := asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}
	for _, tt := range []struct {
		name string
		wasm []byte
		want string // part of the error
	}{
		{"an unknown import", asm.Module{Imports: []asm.Import{{Module: wasiModule, Name: "sock_accept", Params: "iii", Results: "i"}}, Funcs: empty.Funcs}.Bytes(), "wasi_snapshot_preview1.sock_accept"},
		{"a kernel internal of extism", asm.Module{Imports: []asm.Import{{Module: extismModule, Name: "reset", Params: "", Results: ""}}, Funcs: empty.Funcs}.Bytes(), "extism:host/env.reset"},
		{"an import of another plugin", asm.Module{Imports: []asm.Import{{Module: "midi", Name: "run", Params: "", Results: "i"}}, Funcs: empty.Funcs}.Bytes(), "midi.run"},
		{"AssemblyScript's abort", asm.Module{Imports: []asm.Import{{Module: "env", Name: "abort", Params: "iiii", Results: ""}}, Funcs: empty.Funcs}.Bytes(), "--use abort="},
		{"an import with the wrong type", asm.Module{Imports: []asm.Import{{Module: extismModule, Name: "alloc", Params: "i", Results: "i"}}, Funcs: empty.Funcs}.Bytes(), "it is (i64) -> i64"},
		{"an old extism PDK", asm.Module{Imports: []asm.Import{{Module: "env", Name: "extism_alloc", Params: "l", Results: "l"}}, Funcs: empty.Funcs}.Bytes(), "1.0 or later"},
		{"a command", asm.Module{Funcs: []asm.Func{{Export: "_start"}}}.Bytes(), "-buildmode=c-shared"},
		{"an imported memory", asm.Join([]byte(asm.Header), asm.Section(2, asm.Join([]byte{1}, asm.Name("env"), asm.Name("memory"), []byte{2, 0, 1}))), "memory env.memory"},
		{"a name with ANSI escapes", asm.Module{Imports: []asm.Import{{Module: "\x1b[31mred", Name: "x\ny", Params: "", Results: ""}}, Funcs: empty.Funcs}.Bytes(), `\u001b[31mred.x\u000ay`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			info, err := module.Scan(tt.wasm, true)
			if err != nil {
				t.Fatal(err)
			}
			err = Check(info)
			if err == nil {
				t.Fatal("accepted")
			}
			checkLine(t, err.Error())
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not say %q", err, tt.want)
			}
		})
	}
}

func TestEveryMissingImportIsNamed(t *testing.T) {
	info, err := module.Scan(asm.Module{Imports: []asm.Import{{Module: "a", Name: "x", Params: "", Results: ""}, {Module: "b", Name: "y", Params: "", Results: ""}}, Funcs: []asm.Func{asm.Run(asm.I32(0))}}.Bytes(), true)
	if err != nil {
		t.Fatal(err)
	}
	err = Check(info)
	if err == nil || !strings.Contains(err.Error(), "a.x") || !strings.Contains(err.Error(), "b.y") {
		t.Error(err)
	}
}

// checkLine checks what every message must be: one printable line.
func checkLine(t testing.TB, s string) {
	t.Helper()
	if s == "" || fail.Line(s) != s {
		t.Errorf("message %q", s)
	}
}
