package engine

import (
	"encoding/binary"
	"log/slog"
	"math"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/tetratelabs/wazero/api"
)

const extismModule = "extism:host/env"

// extismFuncs returns Extism's 25 host functions. Offsets and handles come from the guest and are compared as uint64 before they are
// narrowed. Variables and HTTP are not permitted: a domain keeps its data in the document and has no network.
func extismFuncs() []hostFunc {
	return []hostFunc{
		{"input_length", "", "l", func(e *Engine, _ api.Memory, s []uint64) { s[0] = uint64(len(e.cur.input)) }},
		{"input_load_u8", "l", "i", func(e *Engine, _ api.Memory, s []uint64) {
			in, off := e.cur.input, s[0]
			s[0] = 0
			if off < uint64(len(in)) {
				s[0] = uint64(in[off])
			}
		}},
		{"input_load_u64", "l", "l", func(e *Engine, _ api.Memory, s []uint64) {
			in, off := e.cur.input, s[0]
			s[0] = 0
			if n := uint64(len(in)); n >= 8 && off <= n-8 {
				s[0] = binary.LittleEndian.Uint64(in[off:])
			}
		}},
		{"alloc", "l", "l", func(e *Engine, _ api.Memory, s []uint64) { s[0] = e.arena.alloc(s[0]) }},
		{"free", "l", "", func(e *Engine, _ api.Memory, s []uint64) { e.arena.free(s[0]) }},
		{"length", "l", "l", func(e *Engine, _ api.Memory, s []uint64) { s[0] = e.arena.length(s[0]) }},
		{"length_unsafe", "l", "l", func(e *Engine, _ api.Memory, s []uint64) { s[0] = e.arena.length(s[0]) }},
		{"load_u8", "l", "i", func(e *Engine, _ api.Memory, s []uint64) { s[0] = uint64(e.arena.loadU8(s[0])) }},
		{"load_u64", "l", "l", func(e *Engine, _ api.Memory, s []uint64) { s[0] = e.arena.loadU64(s[0]) }},
		{"store_u8", "li", "", func(e *Engine, _ api.Memory, s []uint64) { e.arena.storeU8(s[0], byte(s[1])) }},
		{"store_u64", "ll", "", func(e *Engine, _ api.Memory, s []uint64) { e.arena.storeU64(s[0], s[1]) }},
		{"output_set", "ll", "", func(e *Engine, _ api.Memory, s []uint64) { e.outputSet(s[0], s[1]) }},
		{"error_set", "l", "", func(e *Engine, _ api.Memory, s []uint64) { e.errorSet(s[0]) }},
		{"config_get", "l", "l", func(_ *Engine, _ api.Memory, s []uint64) { s[0] = 0 }},
		{"var_get", "l", "l", func(_ *Engine, _ api.Memory, s []uint64) { s[0] = 0 }},
		{"var_set", "ll", "", func(e *Engine, _ api.Memory, _ []uint64) {
			e.trap(fail.Trap, "trap: var_set is not permitted; keep state in the document")
		}},
		{"http_request", "ll", "l", func(e *Engine, _ api.Memory, _ []uint64) {
			e.trap(fail.Trap, "trap: http_request is not permitted; a plugin has no network")
		}},
		{"http_status_code", "", "i", func(_ *Engine, _ api.Memory, s []uint64) { s[0] = 0 }},
		{"http_headers", "", "l", func(_ *Engine, _ api.Memory, s []uint64) { s[0] = 0 }},
		{"log_trace", "l", "", logFunc(slog.LevelDebug - 4)},
		{"log_debug", "l", "", logFunc(slog.LevelDebug)},
		{"log_info", "l", "", logFunc(slog.LevelInfo)},
		{"log_warn", "l", "", logFunc(slog.LevelWarn)},
		{"log_error", "l", "", logFunc(slog.LevelError)},
		{"get_log_level", "", "i", func(e *Engine, _ api.Memory, s []uint64) { s[0] = extismLevel(e.opts.LogLevel) }},
	}
}

// logFunc returns the host function that logs a block and frees it.
func logFunc(level slog.Level) func(*Engine, api.Memory, []uint64) {
	return func(e *Engine, _ api.Memory, s []uint64) {
		if text, ok := e.arena.block(s[0]); ok {
			e.log.Write(level, text)
		}
		e.arena.free(s[0])
	}
}

// extismLevel returns Extism's number for the lowest level that is logged: 0 for trace to 4 for error, the largest int32 for none.
func extismLevel(least slog.Level) uint64 {
	switch {
	case least < slog.LevelDebug:
		return 0
	case least <= slog.LevelDebug:
		return 1
	case least <= slog.LevelInfo:
		return 2
	case least <= slog.LevelWarn:
		return 3
	case least <= slog.LevelError:
		return 4
	}
	return math.MaxInt32
}

// outputSet sets a copy of n bytes of the arena, which need not be one block, as the call's output. A later call replaces it.
func (e *Engine) outputSet(off, n uint64) {
	if n == 0 {
		e.cur.output = nil
		return
	}
	e.checkOutput(n)
	b, ok := e.arena.view(off, n)
	if !ok {
		e.trap(fail.Trap, "trap: output_set names %d bytes at %d, which is outside the allocated blocks", n, off)
	}
	e.setOutput(b)
}

// checkOutput traps when an output of n bytes is over the limit.
func (e *Engine) checkOutput(n uint64) {
	if n > uint64(e.opts.Limits.Output) {
		e.trap(fail.Output, "the output has %d bytes; the limit is %d; return less at once", n, e.opts.Limits.Output)
	}
}

// errorSet sets the text of a block as the call's error. Handle 0 clears the error.
func (e *Engine) errorSet(handle uint64) {
	e.cur.failed = handle != 0
	e.cur.errText = ""
	if text, ok := e.arena.block(handle); ok {
		e.cur.errText = string(text[:min(len(text), fail.MaxRefusalBytes)])
	}
}
