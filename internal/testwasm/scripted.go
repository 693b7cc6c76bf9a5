package testwasm

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// Act is what an export of a scripted plugin does at every call.
type Act struct {
	code   []byte // instructions
	data   []byte // written as the call's output
	params string
	locals int
}

// Says answers with these bytes.
func Says(output []byte) Act { return Act{data: output} }

// Answers answers with a message.
func Answers(message any) Act {
	data, err := abi.Marshal(message)
	if err != nil {
		panic(err)
	}
	return Says(data)
}

// Refuses gives text to error_set and returns 1.
func Refuses(text string) Act {
	// local 0 is the block's offset.
	code := join([]byte{0x42}, sleb(int64(len(text))), callTo(importAlloc), []byte{0x21, 0})
	for i := range len(text) {
		code = join(code, []byte{0x20, 0, 0x42}, sleb(int64(i)), []byte{0x7c}, i32(int64(text[i])), callTo(importStore))
	}
	return Act{code: join(code, []byte{0x20, 0}, callTo(importError), i32(1), []byte{0x0f}), locals: 1}
}

// Traps runs into unreachable.
func Traps() Act { return Act{code: []byte{0x00}} }

// Loops never returns.
func Loops() Act { return Act{code: []byte{0x03, 0x40, 0x0c, 0x00, 0x0b}} }

// TakesAnArgument has a signature that no export of the ABI has.
func TakesAnArgument() Act { return Act{params: "i"} }

// Imports of every scripted module, by index.
const (
	importOutput = iota
	importAlloc
	importStore
	importError
	imports
)

// Scripted assembles a plugin whose exports do what acts says. It is the way
// to have one that says what the SDK would never say. An export "_initialize"
// runs when an instance starts.
func Scripted(acts map[string]Act) []byte {
	types := join(
		funcType("ii", ""), funcType("l", "l"), funcType("li", ""), funcType("l", ""), // the imports
		funcType("", "i"), funcType("", ""), funcType("i", "i"))
	const run, initialize, odd = 4, 5, 6
	importSection := join(
		name("fcp:host/env"), name("output_write"), []byte{0, importOutput},
		name("extism:host/env"), name("alloc"), []byte{0, importAlloc},
		name("extism:host/env"), name("store_u8"), []byte{0, importStore},
		name("extism:host/env"), name("error_set"), []byte{0, importError})

	var funcs, exports, code, data []byte
	names := slices.Sorted(maps.Keys(acts))
	const base = 16
	for i, n := range names {
		act, typ, result := acts[n], byte(run), i32(0)
		switch {
		case n == "_initialize":
			typ, result = initialize, nil
		case act.params != "":
			typ = odd
		}
		body := act.code
		if len(act.data) > 0 {
			body = join(body, i32(int64(base+len(data))), i32(int64(len(act.data))), callTo(importOutput))
			data = append(data, act.data...)
		}
		locals := []byte{0}
		if act.locals > 0 {
			locals = []byte{1, byte(act.locals), 0x7e}
		}
		body = join(locals, body, result, []byte{0x0b})
		funcs = append(funcs, typ)
		exports = append(exports, join(name(n), []byte{0}, uleb(uint64(imports+i)))...)
		code = append(code, join(uleb(uint64(len(body))), body)...)
	}
	exports = append(exports, join(name("memory"), []byte{2, 0})...)
	pages := uint64(base+len(data))/65536 + 1
	n := uint64(len(names))
	return join([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, join(uleb(7), types)),
		section(2, join(uleb(imports), importSection)),
		section(3, join(uleb(n), funcs)),
		section(5, join([]byte{1, 0}, uleb(pages))),
		section(7, join(uleb(n+1), exports)),
		section(10, join(uleb(n), code)),
		section(11, join([]byte{1, 0}, i32(base), []byte{0x0b}, uleb(uint64(len(data))), data)))
}

// Minimal is a plugin that does nothing wrong and nothing else: change its
// acts and hand them to Scripted.
func Minimal() map[string]Act {
	state := abi.State{Digest: "0 things"}
	stands := Answers(&abi.StateResponse{State: state})
	return map[string]Act{
		abi.ExportManifest: Answers(MinimalManifest()),
		abi.ExportNew:      Answers(&abi.OpenResponse{State: state}),
		abi.ExportOpen:     Answers(&abi.OpenResponse{State: state}),
		abi.ExportSave:     Answers(&abi.SaveResponse{Data: []byte("saved")}),
		abi.ExportApply:    Answers(&abi.ApplyResponse{Results: []abi.Result{{Kind: abi.Created, Text: "done", Events: []abi.Event{{Type: "e"}}}}, State: abi.State{Digest: "1 thing"}}),
		abi.ExportQuery:    Answers(&abi.QueryResponse{Text: "nothing"}),
		abi.ExportReverse:  stands,
		abi.ExportReplay:   Answers(&abi.StateResponse{State: abi.State{Digest: "1 thing"}}),
		abi.ExportState:    stands,
	}
}

// MinimalManifest is the manifest of Minimal.
func MinimalManifest() *abi.Manifest {
	return &abi.Manifest{ABI: abi.Version, Domain: "thing", Title: "Things", Version: "1.0.0", Extensions: []string{".thing"},
		Verbs:   []abi.Verb{{Name: "add", Syntax: "add", Max: -1, Examples: []string{"add"}}},
		Queries: []abi.Query{{Name: "map", Syntax: "map"}}}
}

func uleb(n uint64) []byte { return binary.AppendUvarint(nil, n) }

func sleb(n int64) []byte {
	var b []byte
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func i32(n int64) []byte { return join([]byte{0x41}, sleb(n)) }

func callTo(index uint64) []byte { return join([]byte{0x10}, uleb(index)) }

func name(s string) []byte { return join(uleb(uint64(len(s))), []byte(s)) }

func section(id byte, content []byte) []byte {
	return join([]byte{id}, uleb(uint64(len(content))), content)
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

func funcType(params, results string) []byte {
	list := func(s string) []byte {
		b := uleb(uint64(len(s)))
		for _, c := range s {
			b = append(b, map[rune]byte{'i': 0x7f, 'l': 0x7e}[c])
		}
		return b
	}
	return join([]byte{0x60}, list(params), list(results))
}
