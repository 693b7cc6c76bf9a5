package pdk

import (
	"runtime"
	"runtime/debug"
	"unsafe"

	extism "github.com/extism/go-pdk"
	"github.com/fcp-host/fcp-host/abi"
)

// served is what the exports below run on. Exports are package functions, so
// it cannot live anywhere else; Serve sets it once, from an init function.
var served interface {
	Call(export string, input []byte) ([]byte, error)
}

// Serve makes d the domain of this plugin. Call it from an init function of
// package main: a c-shared module never runs main.
func Serve[M any](d *Domain[M]) {
	// A guest has one thread, so a garbage collection blocks the call during
	// which it runs: 300 ms, measured with a document of 10,000 notes. Collect
	// rarely, until memory nears half of the host's default limit, at which
	// instances are replaced.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(96 << 20)
	served = NewInstance(d)
}

//go:wasmimport extism:host/env input_length
func inputLength() uint64

// inputRead copies input[offset:offset+length] to memory at ptr and returns
// how many bytes it copied.
//
//go:wasmimport fcp:host/env input_read
func inputRead(ptr unsafe.Pointer, length, offset uint32) uint32

// outputWrite makes memory[ptr:ptr+length] the output of this call.
//
//go:wasmimport fcp:host/env output_write
func outputWrite(ptr unsafe.Pointer, length uint32)

func export(name string) int32 {
	if served == nil {
		extism.SetErrorString("pdk.Serve was not called: call it from an init function of package main, whose main never runs")
		return 1
	}
	input := make([]byte, inputLength())
	if len(input) > 0 {
		inputRead(unsafe.Pointer(&input[0]), uint32(len(input)), 0)
	}
	out, err := served.Call(name, input)
	asks := err == ErrAsks
	if err != nil {
		extism.SetErrorString(Text(err))
		if !asks {
			return 1
		}
	}
	if len(out) > 0 {
		outputWrite(unsafe.Pointer(&out[0]), uint32(len(out)))
	}
	runtime.KeepAlive(input)
	runtime.KeepAlive(out)
	if asks {
		return abi.Asks
	}
	return 0
}

//go:wasmexport fcp_manifest
func fcpManifest() int32 { return export(abi.ExportManifest) }

//go:wasmexport fcp_new
func fcpNew() int32 { return export(abi.ExportNew) }

//go:wasmexport fcp_open
func fcpOpen() int32 { return export(abi.ExportOpen) }

//go:wasmexport fcp_save
func fcpSave() int32 { return export(abi.ExportSave) }

//go:wasmexport fcp_apply
func fcpApply() int32 { return export(abi.ExportApply) }

//go:wasmexport fcp_query
func fcpQuery() int32 { return export(abi.ExportQuery) }

//go:wasmexport fcp_reverse
func fcpReverse() int32 { return export(abi.ExportReverse) }

//go:wasmexport fcp_replay
func fcpReplay() int32 { return export(abi.ExportReplay) }

//go:wasmexport fcp_state
func fcpState() int32 { return export(abi.ExportState) }

//go:wasmexport fcp_help
func fcpHelp() int32 { return export(abi.ExportHelp) }

//go:wasmexport fcp_session
func fcpSession() int32 { return export(abi.ExportSession) }

//go:wasmexport fcp_export
func fcpExport() int32 { return export(abi.ExportExport) }

//go:wasmexport fcp_resume
func fcpResume() int32 { return export(abi.ExportResume) }

//go:wasmexport fcp_fetch
func fcpFetch() int32 { return export(abi.ExportFetch) }

//go:wasmexport fcp_store
func fcpStore() int32 { return export(abi.ExportStore) }

//go:wasmexport fcp_tool
func fcpTool() int32 { return export(abi.ExportTool) }
