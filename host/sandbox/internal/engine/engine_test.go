package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
	"github.com/fcp-host/fcp-host/internal/asm"
)

// load builds an engine in this process. It must not run guests that never return.
func load(t testing.TB, wasm []byte, change ...func(*Options)) *Engine {
	t.Helper()
	info, err := module.Scan(wasm, true)
	if err == nil {
		err = Check(info)
	}
	if err != nil {
		t.Fatal(err)
	}
	var opts Options
	if len(wasm) > 1<<20 {
		file := compiled(t, wasm)
		defer file.Close()
		opts.Code = codecache.NewFile(file, false)
		if wasm, err = opts.Code.Skeleton(); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range change {
		f(&opts)
	}
	e, failure := New(context.Background(), wasm, opts)
	if failure != nil {
		t.Fatal(failure)
	}
	t.Cleanup(e.Close)
	return e
}

func start(t testing.TB, e *Engine) *Guest {
	t.Helper()
	g, failure := e.NewGuest(1)
	if failure != nil {
		t.Fatal(failure)
	}
	return g
}

// imports returns imports of host functions; their order is that of their indexes.
func imports(names ...string) []asm.Import {
	var list []asm.Import
	for _, name := range names {
		for module, funcs := range hostModules() {
			for _, f := range funcs {
				if f.name == name {
					list = append(list, asm.Import{Module: module, Name: name, Params: f.params, Results: f.results})
				}
			}
		}
	}
	return list
}

func TestEveryWayToEndACall(t *testing.T) {
	imports := imports("proc_exit", "error_set", "alloc", "output_set", "var_set", "http_request", "input_read", "output_write", "store_u8")
	const procExit, errorSet, alloc, outputSet, varSet, httpRequest, inputRead, outputWrite, storeU8, self = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	someError := asm.Join(asm.I64(2), asm.Call(alloc), []byte{0x22, 0}, asm.I32('n'), asm.Call(storeU8), asm.LocalGet(0), asm.Call(errorSet)) // local.tee
	tests := []struct {
		name string
		f    asm.Func
		kind fail.Kind // 0 for success
		want string
	}{
		{"zero is success", asm.Run(asm.I32(0)), 0, ""},
		{"no result is success", asm.Func{Export: "run"}, 0, ""},
		{"one without a reason", asm.Run(asm.I32(1)), fail.Refused, "run failed with code 1 and gave no reason"},
		{"minus one without a reason", asm.Run(asm.I32(-1)), fail.Refused, "code -1"},
		{"zero with an error", asm.Func{Export: "run", Results: "i", Locals: "l", Code: asm.Join(someError, asm.I32(0))}, fail.Refused, "n"},
		{"zero with an error that was cleared", asm.Func{Export: "run", Results: "i", Locals: "l", Code: asm.Join(someError, asm.I64(0), asm.Call(errorSet), asm.I32(0))}, 0, ""},
		{"an invalid error handle", asm.Run(asm.I64(99), asm.Call(errorSet), asm.I32(0)), fail.Refused, "gave no reason"},
		{"unreachable", asm.Run(asm.Unreachable()), fail.Trap, "trap: unreachable executed in run"},
		{"a load out of bounds", asm.Run(asm.I32(-4), asm.LoadI32(0)), fail.Trap, "trap: out of bounds memory access in run"},
		{"a division by zero", asm.Run(asm.I32(1), asm.I32(0), []byte{0x6d}), fail.Trap, "trap: integer divide by zero in run"},
		{"a bad indirect call", asm.Run(asm.I32(7), []byte{0x11, 9, 0}), fail.Trap, "trap: invalid table access in run"},
		{"infinite recursion", asm.Run(asm.Call(self)), fail.StackOverflow, "stack overflow in run"},
		{"exit with zero", asm.Run(asm.I32(0), asm.Call(procExit), asm.I32(0)), fail.Exit, "exited with code 0 in run"},
		{"exit with three", asm.Run(asm.I32(3), asm.Call(procExit), asm.I32(0)), fail.Exit, "exited with code 3 in run"},
		{"a trap after an error", asm.Func{Export: "run", Results: "i", Locals: "l", Code: asm.Join(someError, asm.Unreachable())}, fail.Trap, "unreachable"},
		{"memory beyond the limit, then unreachable", asm.Run(asm.I32(60000), asm.MemGrow(), asm.I32(-1), []byte{0x46, 0x04, 0x40}, asm.Unreachable(), []byte{0x0b}, asm.I32(0)), fail.Memory, "16 MiB"},
		{"output from nowhere", asm.Run(asm.I64(64), asm.I64(8), asm.Call(outputSet), asm.I32(0)), fail.Trap, "outside the allocated blocks (in run)"},
		{"output that wraps around", asm.Run(asm.I64(-1), asm.I64(2), asm.Call(outputSet), asm.I32(0)), fail.Trap, "outside"},
		{"output 4 GiB up", asm.Run(asm.I64(1<<32+arenaBase), asm.I64(2), asm.Call(outputSet), asm.I32(0)), fail.Trap, "outside"},
		{"output over the limit", asm.Run(asm.I64(0), asm.I64(1<<20+1), asm.Call(outputSet), asm.I32(0)), fail.Output, "the limit is 1048576"},
		{"empty output", asm.Run(asm.I64(0), asm.I64(0), asm.Call(outputSet), asm.I32(0)), 0, ""},
		{"bulk output outside memory", asm.Run(asm.I32(65530), asm.I32(10), asm.Call(outputWrite), asm.I32(0)), fail.Trap, "outside linear memory"},
		{"bulk output that wraps around", asm.Run(asm.I32(-1), asm.I32(10), asm.Call(outputWrite), asm.I32(0)), fail.Trap, "outside linear memory"},
		{"bulk output over the limit", asm.Run(asm.I32(0), asm.I32(-1), asm.Call(outputWrite), asm.I32(0)), fail.Output, "4294967295 bytes"},
		{"bulk input outside memory", asm.Run(asm.I32(-1), asm.I32(10), asm.I32(0), asm.Call(inputRead), asm.Drop(), asm.I32(0)), fail.Trap, "outside linear memory"},
		{"bulk input past the end", asm.Run(asm.I32(-1), asm.I32(10), asm.I32(100), asm.Call(inputRead)), 0, ""},
		{"a variable", asm.Run(asm.I64(0), asm.I64(0), asm.Call(varSet), asm.I32(0)), fail.Trap, "var_set is not permitted"},
		{"HTTP", asm.Run(asm.I64(0), asm.I64(0), asm.Call(httpRequest), asm.Drop(), asm.I32(0)), fail.Trap, "http_request is not permitted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := load(t, asm.Module{Imports: imports, Funcs: []asm.Func{tt.f}, Memory: []uint32{1}, Tables: []asm.Table{{Min: 8}}}.Bytes(),
				func(o *Options) { o.Limits.Output, o.Limits.Memory = 1<<20, 16<<20 })
			g := start(t, e)
			out, failure := g.Call("run", []byte("input"))
			if tt.kind == 0 {
				if failure != nil {
					t.Fatalf("%v: %v", failure.Kind, failure)
				}
				if len(out) != 0 {
					t.Errorf("output %q", out)
				}
				return
			}
			if failure == nil || failure.Kind != tt.kind || !strings.Contains(failure.Message, tt.want) || failure.Export != "run" {
				t.Fatalf("got %+v, want %v with %q", failure, tt.kind, tt.want)
			}
			checkLine(t, failure.Message)
			if failure.Fatal() != (tt.kind != fail.Refused) {
				t.Error("fatal:", failure.Fatal())
			}
			if failure.Fatal() {
				if _, again := g.Call("run", nil); again == nil || again.Kind != fail.Lost {
					t.Errorf("a call after a fatal error gives %+v", again)
				}
			}
			// A failure of one instance does not affect the next.
			if next, failure := e.NewGuest(1); failure != nil || next.MemorySize() != module.PageSize {
				t.Errorf("the next instance: %v", failure)
			}
		})
	}
}

func TestWrongCallsAreNotFatal(t *testing.T) {
	g := start(t, load(t, asm.Module{Memory: []uint32{1}, Funcs: []asm.Func{asm.Run(asm.I32(0)), {Export: "takes", Params: "i"}, {Export: "two", Results: "ii", Code: asm.Join(asm.I32(0), asm.I32(0))}}}.Bytes()))
	for _, export := range []string{"missing", "memory", "takes", "two", ""} {
		if _, failure := g.Call(export, nil); failure == nil || failure.Kind != fail.Input {
			t.Errorf("%q: %v", export, failure)
		}
	}
	if _, failure := g.Call("run", nil); failure != nil {
		t.Error(failure)
	}
}

func TestInputIsReadBothWays(t *testing.T) {
	// The output is: length, byte 1, byte 99, eight bytes at 1, at 3 and at 2^64-4, and five bytes at 2 by bulk, 16 asked for.
	imports := imports("input_length", "input_load_u8", "input_load_u64", "input_read", "output_write")
	store := func(at int, code ...[]byte) []byte {
		return asm.Join(asm.I32(int32(at)), asm.Join(code...), []byte{0x37, 3, 0}) // i64.store
	}
	wide := []byte{0xad} // i64.extend_i32_u
	g := start(t, load(t, asm.Module{Imports: imports, Memory: []uint32{1}, Funcs: []asm.Func{asm.Run(
		store(0, asm.Call(0)),
		store(8, asm.I64(1), asm.Call(1), wide), store(16, asm.I64(99), asm.Call(1), wide),
		store(24, asm.I64(1), asm.Call(2)), store(32, asm.I64(3), asm.Call(2)), store(40, asm.I64(-4), asm.Call(2)),
		store(48, asm.I32(64), asm.I32(16), asm.I32(5), asm.Call(3), wide),
		asm.I32(0), asm.I32(72), asm.Call(4), asm.I32(0),
	)}}.Bytes()))
	out, failure := g.Call("run", []byte("0123456789"))
	if failure != nil {
		t.Fatal(failure)
	}
	var want []byte
	for _, v := range []uint64{10, '1', 0, binary.LittleEndian.Uint64([]byte("12345678")), 0, 0, 5} {
		want = binary.LittleEndian.AppendUint64(want, v)
	}
	want = append(want, "\x00\x00\x00\x00\x00\x00\x00\x0056789\x00\x00\x00"...)
	if !bytes.Equal(out, want) {
		t.Errorf("got  % x\nwant % x", out, want)
	}
}

func TestAStartRunsOnlyTheInitialisersOfTheModule(t *testing.T) {
	mark := func(bit int32) []byte { // memory[0] |= bit
		return asm.Join(asm.I32(0), asm.I32(0), asm.LoadI32(0), asm.I32(bit), []byte{0x72}, asm.StoreI32(0))
	}
	report := asm.Func{Export: "run", Results: "i", Code: asm.Join(asm.I32(0), asm.I32(4), asm.Call(0), asm.I32(0))}
	f := func(name string, bit int32) asm.Func { return asm.Func{Export: name, Code: mark(bit)} }
	hs := asm.Func{Export: "hs_init", Params: "ii", Code: mark(8)}
	for _, tt := range []struct {
		name  string
		funcs []asm.Func
		start int
		want  uint32
	}{
		{"nothing", nil, 0, 0},
		{"_initialize", []asm.Func{f("_initialize", 1)}, 0, 1},
		{"never _start", []asm.Func{f("_initialize", 1), f("_start", 2)}, 0, 1},
		{"_initialize rather than constructors", []asm.Func{f("_initialize", 1), f("__wasm_call_ctors", 4)}, 0, 1},
		{"constructors", []asm.Func{f("__wasm_call_ctors", 4)}, 0, 4},
		{"Haskell", []asm.Func{hs}, 0, 8},
		{"Haskell after _initialize", []asm.Func{hs, f("_initialize", 1), f("__wasm_call_ctors", 4)}, 0, 9},
		{"the start section", []asm.Func{f("begin", 16)}, 2, 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wasm := asm.Module{Imports: imports("output_write"), Memory: []uint32{1}, Funcs: append([]asm.Func{report}, tt.funcs...), Start: tt.start}.Bytes()
			out, failure := start(t, load(t, wasm)).Call("run", nil)
			if failure != nil {
				t.Fatal(failure)
			}
			if got := binary.LittleEndian.Uint32(out); got != tt.want {
				t.Errorf("ran %b, want %b", got, tt.want)
			}
		})
	}
}

func TestAFailingStartIsALoadFailure(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    asm.Module
		want string
	}{
		{"_initialize traps", asm.Module{Funcs: []asm.Func{{Export: "_initialize", Code: asm.Unreachable()}}}, "could not start: trap: unreachable executed in _initialize"},
		{"the start section traps", asm.Module{Funcs: []asm.Func{{Code: asm.Unreachable()}}, Start: 1}, "in the start section"},
		{"data outside memory", asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}, Memory: []uint32{0}, Data: asm.DataAt(16, "x")}, "could not start"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, failure := load(t, tt.m.Bytes()).NewGuest(1)
			if failure == nil || failure.Kind != fail.Load || !strings.Contains(failure.Message, tt.want) {
				t.Fatalf("%+v", failure)
			}
			checkLine(t, failure.Message)
		})
	}
}

func TestTablesGrowToTheirLimitOnly(t *testing.T) {
	grow := func(n int32) []byte { return asm.Join([]byte{0xd0, 0x70}, asm.I32(n), []byte{0xfc, 15, 0}) } // ref.null func, table.grow
	g := start(t, load(t, asm.Module{Tables: []asm.Table{{Min: 1}}, Funcs: []asm.Func{
		{Export: "huge", Results: "i", Code: grow(2_000_000_000)},
		{Export: "some", Results: "i", Code: grow(1000)},
	}}.Bytes()))
	if _, failure := g.Call("huge", nil); failure == nil || !strings.Contains(failure.Message, "code -1") {
		t.Error("a table grew by 2,000,000,000:", failure)
	}
	if _, failure := g.Call("some", nil); failure == nil || !strings.Contains(failure.Message, "code 1 ") {
		t.Error("a table did not grow by 1,000:", failure)
	}
}

func TestMemoryGrowsToItsLimitOnly(t *testing.T) {
	g := start(t, load(t, asm.Module{Memory: []uint32{1}, Funcs: []asm.Func{asm.Run(asm.I32(1), asm.MemGrow(), asm.Drop(),
		asm.I32(14), asm.MemGrow(), asm.Drop(), asm.I32(1<<20-4), asm.I32(7), asm.StoreI32(0), asm.I32(1), asm.MemGrow())}}.Bytes(), func(o *Options) { o.Limits.Memory = 16 * module.PageSize }))
	if _, failure := g.Call("run", nil); failure == nil || !strings.Contains(failure.Message, "code -1") || failure.Kind != fail.Refused {
		t.Error(failure)
	}
	if g.MemorySize() != 16*module.PageSize {
		t.Errorf("memory has %d bytes", g.MemorySize())
	}
}

func TestAModuleNameLinksNothing(t *testing.T) {
	// The first module calls itself extism:host/env; the second must still get the host's functions.
	e := load(t, asm.Module{Name: extismModule, Imports: imports("input_length"), Funcs: []asm.Func{asm.Run(asm.Call(0), []byte{0xa7})}}.Bytes())
	start(t, e)
	if _, failure := start(t, e).Call("run", []byte("four")); failure == nil || !strings.Contains(failure.Message, "code 4") {
		t.Error(failure)
	}
}

func TestAnInstanceSeesNothingOfAnothersCalls(t *testing.T) {
	// The guest allocates 64 bytes, writes them, and gives back what was there.
	const code = 64
	g := asm.Module{Imports: imports("alloc", "output_set", "store_u8"), Funcs: []asm.Func{{Export: "run", Results: "i", Locals: "l", Code: asm.Join(
		asm.I64(code), asm.Call(0), asm.LocalSet(0), asm.LocalGet(0), asm.I64(code), asm.Call(1), asm.LocalGet(0), asm.I32('x'), asm.Call(2), asm.I32(0))}}}
	e := load(t, g.Bytes())
	for range 3 {
		out, failure := start(t, e).Call("run", nil)
		if failure != nil || !bytes.Equal(out, make([]byte, code)) {
			t.Fatalf("%q %v", out, failure)
		}
	}
}
