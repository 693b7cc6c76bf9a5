package main

import (
	"unsafe"

	extism "github.com/extism/go-pdk"
	"github.com/fcp-host/fcp-host/abi"
)

//go:wasmimport extism:host/env input_length
func inputLength() uint64

//go:wasmimport fcp:host/env input_read
func inputRead(ptr unsafe.Pointer, length, offset uint32) uint32

//go:wasmimport fcp:host/env output_write
func outputWrite(ptr unsafe.Pointer, length uint32)

func export(name string) int32 {
	input := make([]byte, inputLength())
	if len(input) > 0 {
		inputRead(unsafe.Pointer(&input[0]), uint32(len(input)), 0)
	}
	result := int32(0)
	answer, err := call(name, input)
	if a, ok := answer.(*asks); ok {
		result, answer = abi.Asks, &a.Requests
		extism.SetErrorString("deck needs a newer fcp-host")
	}
	var out []byte
	if err == nil {
		out, err = abi.Marshal(answer)
	}
	if err != nil {
		extism.SetErrorString(err.Error())
		return 1
	}
	if len(out) > 0 {
		outputWrite(unsafe.Pointer(&out[0]), uint32(len(out)))
	}
	return result
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

//go:wasmexport fcp_resume
func fcpResume() int32 { return export(abi.ExportResume) }

//go:wasmexport fcp_fetch
func fcpFetch() int32 { return export(abi.ExportFetch) }

//go:wasmexport fcp_store
func fcpStore() int32 { return export(abi.ExportStore) }

//go:wasmexport fcp_tool
func fcpTool() int32 { return export(abi.ExportTool) }
