package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/asm"
)

// evil is a hostile plugin: a complete one in which a case replaces some answers or code.
type evil struct {
	manifest func(*abi.Manifest)
	raw      []byte            // the encoded manifest, instead of the one above
	answers  map[string][]any  // by export: an instance's first, second … answer; the last one repeats
	code     map[string][]byte // by export: code that runs instead of answering; it must leave the i32 to return
	funcs    []asm.Func        // functions that code calls as helper(0), helper(1) …
	pages    uint32            // minimum memory pages
	table    uint32
	start    []byte            // code of the start section
	without  string            // an export that is left out
	rename   map[string]string // exports under another name
	params   map[string]string // exports with parameters
	alien    []asm.Import      // imports that the host does not provide
}

// Indexes of the functions that an evil plugin imports.
const (
	outputWrite = iota
	outputSet
	alloc
	storeU8
	errorSet
	logError
	httpRequest
	varSet
	configGet
	procExit
	fdWrite
	pathOpen
	pollOneoff
	inputRead
	inputLength
	environSizes
	evilImports
)

func imports() []asm.Import {
	const extism, wasi = "extism:host/env", "wasi_snapshot_preview1"
	return []asm.Import{
		outputWrite:  {Module: "fcp:host/env", Name: "output_write", Params: "ii", Results: ""},
		outputSet:    {Module: extism, Name: "output_set", Params: "ll", Results: ""},
		alloc:        {Module: extism, Name: "alloc", Params: "l", Results: "l"},
		storeU8:      {Module: extism, Name: "store_u8", Params: "li", Results: ""},
		errorSet:     {Module: extism, Name: "error_set", Params: "l", Results: ""},
		logError:     {Module: extism, Name: "log_error", Params: "l", Results: ""},
		httpRequest:  {Module: extism, Name: "http_request", Params: "ll", Results: "l"},
		varSet:       {Module: extism, Name: "var_set", Params: "ll", Results: ""},
		configGet:    {Module: extism, Name: "config_get", Params: "l", Results: "l"},
		procExit:     {Module: wasi, Name: "proc_exit", Params: "i", Results: ""},
		fdWrite:      {Module: wasi, Name: "fd_write", Params: "iiii", Results: "i"},
		pathOpen:     {Module: wasi, Name: "path_open", Params: "iiiiillii", Results: "i"},
		pollOneoff:   {Module: wasi, Name: "poll_oneoff", Params: "iiii", Results: "i"},
		inputRead:    {Module: "fcp:host/env", Name: "input_read", Params: "iii", Results: "i"},
		inputLength:  {Module: extism, Name: "input_length", Params: "", Results: "l"},
		environSizes: {Module: wasi, Name: "environ_sizes_get", Params: "ii", Results: "i"},
	}
}

// scratch is an address at which no answer lies.
const scratch = 1024

func evilManifest() *abi.Manifest {
	return &abi.Manifest{
		ABI: 1, Domain: "evil", Title: "Evil", Version: "6.6.6", Summary: "Things that are not what they seem", Extensions: []string{".evil"},
		Verbs:   []abi.Verb{{Name: "do", Syntax: "do WORD", Max: -1, Select: true, AnyParam: true, Examples: []string{"do it"}}},
		Queries: []abi.Query{{Name: "peek", Syntax: "peek", Summary: "looks"}},
		Session: []abi.Session{{Name: "act", Syntax: "act", Summary: "acts"}},
		Exports: []abi.Format{{Name: "raw", Extension: ".raw", MIME: "text/plain", Summary: "as it is"}},
	}
}

func things(digest string) abi.State { return abi.State{Digest: digest} }

func did() abi.Result {
	return abi.Result{Kind: abi.Created, Text: "did it", Events: []abi.Event{{Type: "did", Summary: "did it", IDs: []string{"1"}, Data: []byte{1}}}}
}

func applied(results ...abi.Result) *abi.ApplyResponse {
	return &abi.ApplyResponse{Results: results, State: things("1 things")}
}

// honestAnswers returns the answers of an honest plugin, by export.
func honestAnswers() map[string][]any {
	return map[string][]any{
		abi.ExportNew:     {&abi.OpenResponse{State: things("0 things")}},
		abi.ExportOpen:    {&abi.OpenResponse{State: things("0 things")}},
		abi.ExportSave:    {&abi.SaveResponse{Data: []byte("evil bytes")}},
		abi.ExportApply:   {applied(did())},
		abi.ExportQuery:   {&abi.QueryResponse{Text: "nothing to see"}},
		abi.ExportReverse: {&abi.StateResponse{State: things("0 things")}},
		abi.ExportReplay:  {&abi.StateResponse{State: things("1 things")}},
		abi.ExportState:   {&abi.StateResponse{State: things("0 things")}},
		abi.ExportHelp:    {&abi.HelpResponse{}},
		abi.ExportSession: {applied(did())},
		abi.ExportExport:  {&abi.SaveResponse{Data: []byte("exported")}},
	}
}

// wasm assembles the plugin. Answers are messages of package abi, or raw bytes.
func (e evil) wasm(t testing.TB) []byte {
	t.Helper()
	m := evilManifest()
	if e.manifest != nil {
		e.manifest(m)
	}
	answers := honestAnswers()
	answers[abi.ExportManifest] = []any{m}
	if e.raw != nil {
		answers[abi.ExportManifest] = []any{e.raw}
	}
	for export, list := range e.answers {
		answers[export] = list
	}
	g := asm.Module{Imports: append(imports(), e.alien...)}
	if e.table > 0 {
		g.Tables = []asm.Table{{Min: uint64(e.table)}}
	}
	at := uint32(1 << 16)
	for _, export := range append(abi.Required(), abi.Optional()...) {
		if export == e.without {
			continue
		}
		code := e.code[export]
		if code == nil {
			code = e.answering(t, &g, &at, answers[export])
		}
		f := asm.Func{Export: export, Params: e.params[export], Results: "i", Code: code, Locals: "ii"}
		if other := e.rename[export]; other != "" {
			f.Export = other
		}
		g.Funcs = append(g.Funcs, f)
	}
	if e.without == "" && len(e.alien) == 0 && len(g.Funcs) != firstHelper-evilImports {
		t.Fatal("helpers are not where they are called")
	}
	g.Funcs = append(g.Funcs, e.funcs...)
	if e.start != nil {
		g.Funcs = append(g.Funcs, asm.Func{Code: e.start})
		g.Start = len(g.Funcs)
	}
	g.Memory = []uint32{max(at>>16+1, e.pages)}
	return g.Bytes()
}

var firstHelper = evilImports + len(abi.Required()) + len(abi.Optional())

func helper(n int) []byte { return asm.Call(firstHelper + n) }

// answering returns code that returns the answers of list in order.
func (e evil) answering(t testing.TB, g *asm.Module, at *uint32, list []any) []byte {
	t.Helper()
	calls := g.Globals
	g.Globals++
	var code []byte
	for i, a := range list {
		data, raw := a.([]byte)
		if !raw {
			var err error
			if data, err = abi.Marshal(a); err != nil {
				t.Fatal(err)
			}
		}
		g.Data = append(g.Data, asm.Segment{At: *at, Bytes: data})
		give := asm.Join(asm.I32(int32(*at)), asm.I32(int32(len(data))), asm.Call(outputWrite))
		*at += uint32(len(data))
		compare := []byte{0x46} // i32.eq
		if i == len(list)-1 {
			compare = []byte{0x4f} // i32.ge_u
		}
		code = append(code, asm.Join(asm.GlobalGet(calls), asm.I32(int32(i)), compare, asm.If(give))...)
	}
	return asm.Join(code, asm.GlobalGet(calls), asm.I32(1), []byte{0x6a}, asm.GlobalSet(calls), asm.I32(0))
}

// file writes the plugin to a file in a folder of its own and returns the path.
func (e evil) file(t testing.TB) string {
	t.Helper()
	return wasmFile(t, e.wasm(t))
}

func wasmFile(t testing.TB, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "evil.wasm")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// trapping returns code for an export that runs before and then traps.
func trapping(before ...[]byte) []byte {
	return asm.Join(asm.Join(before...), asm.Unreachable())
}

// looping returns code that never ends.
func looping(body ...[]byte) []byte { return asm.Join(asm.Forever(body...), asm.I32(0)) }

// says returns code that passes a block of n bytes, starting with text, to a function that takes an Extism block.
func says(f int, text string, n int) []byte {
	code := asm.Join(asm.I64(int64(n)), asm.Call(alloc), []byte{0xa7, 0x21, 1}) // local 1 is the block, as i32
	for i, c := range []byte(text) {
		code = append(code, asm.Join(asm.LocalGet(1), asm.I32(int32(i)), []byte{0x6a, 0xad}, asm.I32(int32(c)), asm.Call(storeU8))...)
	}
	return asm.Join(code, asm.LocalGet(1), []byte{0xad}, asm.Call(f))
}
