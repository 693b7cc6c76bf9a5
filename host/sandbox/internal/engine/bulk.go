package engine

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/tetratelabs/wazero/api"
)

const bulkModule = "fcp:host/env"

// bulkFuncs returns the two functions that move a whole message at once. Extism's own functions take one host call for every 8 bytes,
// about 19 ms a megabyte. A guest may use both: they share the call's input and output.
//
//	input_read(ptr i32, len i32, off i32) -> i32
//
// copies input bytes, starting at off, to the guest's linear memory at ptr, and returns how many it copied: the smaller of len and the
// number of input bytes from off on, 0 when off is at or past the end. Extism's input_length returns the length of the input. All
// numbers are unsigned. It traps when the bytes do not fit into linear memory at ptr.
//
//	output_write(ptr i32, len i32)
//
// sets the call's output to a copy of the len bytes of linear memory at ptr. A later output_write or output_set replaces it. It traps
// when the range is not within linear memory or len is over the output limit.
func bulkFuncs() []hostFunc {
	return []hostFunc{
		{"input_read", "iii", "i", func(e *Engine, mem api.Memory, s []uint64) {
			ptr, n, off := uint32(s[0]), uint32(s[1]), uint32(s[2])
			s[0] = 0
			if uint64(off) >= uint64(len(e.cur.input)) {
				return
			}
			part := e.cur.input[off:]
			part = part[:min(uint64(len(part)), uint64(n))]
			if mem == nil || !mem.Write(ptr, part) {
				e.trap(fail.Trap, "trap: input_read writes %d bytes at %d, outside linear memory", len(part), ptr)
			}
			s[0] = uint64(len(part))
		}},
		{"output_write", "ii", "", func(e *Engine, mem api.Memory, s []uint64) {
			ptr, n := uint32(s[0]), uint32(s[1])
			e.checkOutput(uint64(n))
			if n == 0 {
				e.cur.output = nil
				return
			}
			if mem != nil {
				if b, ok := mem.Read(ptr, n); ok {
					e.setOutput(b)
					return
				}
			}
			e.trap(fail.Trap, "trap: output_write reads %d bytes at %d, outside linear memory", n, ptr)
		}},
	}
}
