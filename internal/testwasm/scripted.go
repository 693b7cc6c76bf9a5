package testwasm

import (
	"maps"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/asm"
)

// Act is what an export of a scripted plugin does in every call.
type Act struct {
	code   []byte // instructions
	data   []byte // written as the call's output
	result int32
	params string
	locals string // types of local variables, as in asm.Func
}

// Says answers with these bytes.
func Says(output []byte) Act { return Act{data: output} }

// Answers answers with an encoded message.
func Answers(message any) Act {
	data, err := abi.Marshal(message)
	if err != nil {
		panic(err)
	}
	return Says(data)
}

// Asks answers with requests.
func Asks(requests ...abi.Request) Act {
	act := Answers(&abi.Requests{Requests: requests})
	act.result = abi.Asks
	return act
}

// Refuses calls error_set with text and returns 1.
func Refuses(text string) Act {
	// Local 0 is the block's offset.
	code := asm.Join(asm.I64(int64(len(text))), asm.Call(importAlloc), []byte{0xa7, 0x21, 0})
	for i := range len(text) {
		code = asm.Join(code, asm.LocalGet(0), asm.I32(int32(i)), []byte{0x6a, 0xad}, asm.I32(int32(text[i])), asm.Call(importStore))
	}
	return Act{code: asm.Join(code, asm.LocalGet(0), []byte{0xad}, asm.Call(importError), asm.I32(1), []byte{0x0f}), locals: "i"}
}

// Traps executes unreachable.
func Traps() Act { return Act{code: asm.Unreachable()} }

// Loops never returns.
func Loops() Act { return Act{code: asm.Forever()} }

// TakesAnArgument has a signature that no export of the ABI has.
func TakesAnArgument() Act { return Act{params: "i"} }

// Indexes of the imports of every scripted module.
const (
	importOutput = iota
	importAlloc
	importStore
	importError
)

// Scripted assembles a plugin whose exports do what acts says, including what the SDK would never do. An export
// "_initialize" runs when an instance starts.
func Scripted(acts map[string]Act) []byte {
	const base = 16
	g := asm.Module{Imports: []asm.Import{
		importOutput: {Module: "fcp:host/env", Name: "output_write", Params: "ii"},
		importAlloc:  {Module: "extism:host/env", Name: "alloc", Params: "l", Results: "l"},
		importStore:  {Module: "extism:host/env", Name: "store_u8", Params: "li"},
		importError:  {Module: "extism:host/env", Name: "error_set", Params: "l"},
	}}
	var data []byte
	for _, n := range slices.Sorted(maps.Keys(acts)) {
		act := acts[n]
		f := asm.Func{Export: n, Params: act.params, Results: "i", Locals: act.locals, Code: act.code}
		if len(act.data) > 0 {
			f.Code = asm.Join(f.Code, asm.I32(int32(base+len(data))), asm.I32(int32(len(act.data))), asm.Call(importOutput))
			data = append(data, act.data...)
		}
		if n == "_initialize" {
			f.Results = ""
		} else {
			f.Code = asm.Join(f.Code, asm.I32(act.result))
		}
		g.Funcs = append(g.Funcs, f)
	}
	g.Data = []asm.Segment{{At: base, Bytes: data}}
	g.Memory = []uint32{uint32(base+len(data))/65536 + 1}
	return g.Bytes()
}

// Minimal returns the acts of a minimal valid plugin: change them and pass them to Scripted.
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

// MinimalManifest returns Minimal's manifest.
func MinimalManifest() *abi.Manifest {
	return &abi.Manifest{ABI: abi.Version, Domain: "thing", Title: "Things", Version: "1.0.0", Extensions: []string{".thing"},
		Verbs:   []abi.Verb{{Name: "add", Syntax: "add", Max: -1, Examples: []string{"add"}}},
		Queries: []abi.Query{{Name: "map", Syntax: "map"}}}
}
