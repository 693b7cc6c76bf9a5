package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// load builds an engine in this process. Guests that do not end must not be run in it.
func load(t testing.TB, wasm []byte, change ...func(*engineOptions)) *engine {
	t.Helper()
	if _, err := Scan(wasm); err != nil {
		t.Fatal(err)
	}
	var opts engineOptions
	if len(wasm) > 1<<20 {
		p := goPlugin(t, func(c *Config) { c.Command = []string{os.Args[0], WorkerArg} }) // this binary runs what this binary compiled
		err := p.Warm(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		file := p.cache.open()
		if file == nil {
			t.Fatal("the guest is not in the cache")
		}
		defer file.Close()
		opts.Code = &codeCache{file: file}
		if wasm, err = opts.Code.skeleton(); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range change {
		f(&opts)
	}
	e, failure := newEngine(context.Background(), wasm, opts)
	if failure != nil {
		t.Fatal(failure)
	}
	t.Cleanup(e.close)
	return e
}

func start(t testing.TB, e *engine) *guest {
	t.Helper()
	g, failure := e.newGuest(1)
	if failure != nil {
		t.Fatal(failure)
	}
	return g
}

// extism imports some of the host's functions; the order gives their indexes.
func extism(names ...string) []testImport {
	var list []testImport
	for _, name := range names {
		for module, funcs := range hostModules() {
			for _, f := range funcs {
				if f.name == name {
					list = append(list, testImport{module, name, f.params, f.results})
				}
			}
		}
	}
	return list
}

func TestEveryWayToEndACall(t *testing.T) {
	imports := extism("proc_exit", "error_set", "alloc", "output_set", "var_set", "http_request", "input_read", "output_write", "store_u8")
	const procExit, errorSet, alloc, outputSet, varSet, httpRequest, inputRead, outputWrite, storeU8, self = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	someError := join(i64(2), call(alloc), []byte{0x22, 0}, i32('n'), call(storeU8), localGet(0), call(errorSet)) // local.tee
	tests := []struct {
		name string
		f    testFunc
		kind Kind // 0 for success
		want string
	}{
		{"zero is success", run(i32(0)), 0, ""},
		{"no result is success", testFunc{export: "run"}, 0, ""},
		{"one without a reason", run(i32(1)), KindRefused, "run failed with code 1 and gave no reason"},
		{"minus one without a reason", run(i32(-1)), KindRefused, "code -1"},
		{"zero with an error", testFunc{export: "run", results: "i", locals: 1, code: join(someError, i32(0))}, KindRefused, "n"},
		{"zero with an error that was cleared", testFunc{export: "run", results: "i", locals: 1, code: join(someError, i64(0), call(errorSet), i32(0))}, 0, ""},
		{"an error handle that is none", run(i64(99), call(errorSet), i32(0)), KindRefused, "gave no reason"},
		{"unreachable", run(unreachable()), KindTrap, "trap: unreachable executed in run"},
		{"a load out of bounds", run(i32(-4), loadI32(0)), KindTrap, "trap: out of bounds memory access in run"},
		{"a division by zero", run(i32(1), i32(0), []byte{0x6d}), KindTrap, "trap: integer divide by zero in run"},
		{"a bad indirect call", run(i32(7), []byte{0x11, 9, 0}), KindTrap, "trap: invalid table access in run"},
		{"infinite recursion", run(call(self)), KindStackOverflow, "stack overflow in run"},
		{"exit with zero", run(i32(0), call(procExit), i32(0)), KindExit, "exited with code 0 in run"},
		{"exit with three", run(i32(3), call(procExit), i32(0)), KindExit, "exited with code 3 in run"},
		{"a trap after an error", testFunc{export: "run", results: "i", locals: 1, code: join(someError, unreachable())}, KindTrap, "unreachable"},
		{"memory beyond the limit, then unreachable", run(i32(60000), memGrow(), i32(-1), []byte{0x46, 0x04, 0x40}, unreachable(), []byte{0x0b}, i32(0)), KindMemory, "16 MiB"},
		{"output from nowhere", run(i64(64), i64(8), call(outputSet), i32(0)), KindTrap, "outside the allocated blocks (in run)"},
		{"output that wraps around", run(i64(-1), i64(2), call(outputSet), i32(0)), KindTrap, "outside"},
		{"output 4 GiB up", run(i64(1<<32+arenaBase), i64(2), call(outputSet), i32(0)), KindTrap, "outside"},
		{"output over the limit", run(i64(0), i64(1<<20+1), call(outputSet), i32(0)), KindOutput, "may have 1048576"},
		{"empty output", run(i64(0), i64(0), call(outputSet), i32(0)), 0, ""},
		{"bulk output outside memory", run(i32(65530), i32(10), call(outputWrite), i32(0)), KindTrap, "outside linear memory"},
		{"bulk output that wraps around", run(i32(-1), i32(10), call(outputWrite), i32(0)), KindTrap, "outside linear memory"},
		{"bulk output over the limit", run(i32(0), i32(-1), call(outputWrite), i32(0)), KindOutput, "4294967295 bytes"},
		{"bulk input outside memory", run(i32(-1), i32(10), i32(0), call(inputRead), drop(), i32(0)), KindTrap, "outside linear memory"},
		{"bulk input past the end", run(i32(-1), i32(10), i32(100), call(inputRead)), 0, ""},
		{"a variable", run(i64(0), i64(0), call(varSet), i32(0)), KindTrap, "var_set is not permitted"},
		{"HTTP", run(i64(0), i64(0), call(httpRequest), drop(), i32(0)), KindTrap, "http_request is not permitted"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := load(t, module{imports: imports, funcs: []testFunc{tt.f}, memory: []uint32{1}, tables: []tableLimits{{lo: 8}}}.bytes(),
				func(o *engineOptions) { o.Limits.Output, o.Limits.Memory = 1<<20, 16<<20 })
			g := start(t, e)
			out, failure := g.call("run", []byte("input"))
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
			if failure.Fatal() != (tt.kind != KindRefused) {
				t.Error("fatal:", failure.Fatal())
			}
			if failure.Fatal() {
				if _, again := g.call("run", nil); again == nil || again.Kind != KindLost {
					t.Errorf("a call after a fatal error gives %+v", again)
				}
			}
			// What happened to one instance is nothing to the next.
			if next, failure := e.newGuest(1); failure != nil || next.memory.size() != wasmPage {
				t.Errorf("the next instance: %v", failure)
			}
		})
	}
}

func TestWhatCannotBeCalledIsNotFatal(t *testing.T) {
	g := start(t, load(t, module{memory: []uint32{1}, funcs: []testFunc{run(i32(0)), {export: "takes", params: "i"}, {export: "two", results: "ii", code: join(i32(0), i32(0))}}}.bytes()))
	for _, export := range []string{"missing", "memory", "takes", "two", ""} {
		if _, failure := g.call(export, nil); failure == nil || failure.Kind != KindInput {
			t.Errorf("%q: %v", export, failure)
		}
	}
	if _, failure := g.call("run", nil); failure != nil {
		t.Error(failure)
	}
}

func TestInputIsReadBothWays(t *testing.T) {
	// The output is: length, byte 1, byte 99, eight bytes at 1, at 3 and at 2^64-4, and five bytes at 2 by bulk, 16 asked for.
	imports := extism("input_length", "input_load_u8", "input_load_u64", "input_read", "output_write")
	store := func(at int, code ...[]byte) []byte {
		return join(i32(int32(at)), join(code...), []byte{0x37, 3, 0}) // i64.store
	}
	wide := []byte{0xad} // i64.extend_i32_u
	g := start(t, load(t, module{imports: imports, memory: []uint32{1}, funcs: []testFunc{run(
		store(0, call(0)),
		store(8, i64(1), call(1), wide), store(16, i64(99), call(1), wide),
		store(24, i64(1), call(2)), store(32, i64(3), call(2)), store(40, i64(-4), call(2)),
		store(48, i32(64), i32(16), i32(5), call(3), wide),
		i32(0), i32(72), call(4), i32(0),
	)}}.bytes()))
	out, failure := g.call("run", []byte("0123456789"))
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

func TestAStartRunsWhatTheModuleAsksForAndNothingElse(t *testing.T) {
	mark := func(bit int32) []byte { // memory[0] |= bit
		return join(i32(0), i32(0), loadI32(0), i32(bit), []byte{0x72}, storeI32(0))
	}
	report := testFunc{export: "run", results: "i", code: join(i32(0), i32(4), call(0), i32(0))}
	f := func(name string, bit int32) testFunc { return testFunc{export: name, code: mark(bit)} }
	hs := testFunc{export: "hs_init", params: "ii", code: mark(8)}
	for _, tt := range []struct {
		name  string
		funcs []testFunc
		start int
		want  uint32
	}{
		{"nothing", nil, 0, 0},
		{"_initialize", []testFunc{f("_initialize", 1)}, 0, 1},
		{"never _start", []testFunc{f("_initialize", 1), f("_start", 2)}, 0, 1},
		{"_initialize rather than constructors", []testFunc{f("_initialize", 1), f("__wasm_call_ctors", 4)}, 0, 1},
		{"constructors", []testFunc{f("__wasm_call_ctors", 4)}, 0, 4},
		{"Haskell", []testFunc{hs}, 0, 8},
		{"Haskell after _initialize", []testFunc{hs, f("_initialize", 1), f("__wasm_call_ctors", 4)}, 0, 9},
		{"the start section", []testFunc{f("begin", 16)}, 3, 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wasm := module{imports: extism("output_write"), memory: []uint32{1}, funcs: append([]testFunc{report}, tt.funcs...), start: tt.start}.bytes()
			out, failure := start(t, load(t, wasm)).call("run", nil)
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
		m    module
		want string
	}{
		{"_initialize traps", module{funcs: []testFunc{{export: "_initialize", code: unreachable()}}}, "could not start: trap: unreachable executed in _initialize"},
		{"the start section traps", module{funcs: []testFunc{{code: unreachable()}}, start: 1}, "in the start section"},
		{"data outside memory", module{funcs: []testFunc{run(i32(0))}, memory: []uint32{0}, data: []byte("x")}, "could not start"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, failure := load(t, tt.m.bytes()).newGuest(1)
			if failure == nil || failure.Kind != KindLoad || !strings.Contains(failure.Message, tt.want) {
				t.Fatalf("%+v", failure)
			}
			checkLine(t, failure.Message)
		})
	}
}

func TestTablesGrowToTheirLimitOnly(t *testing.T) {
	grow := func(n int32) []byte { return join([]byte{0xd0, 0x70}, i32(n), []byte{0xfc, 15, 0}) } // ref.null func, table.grow
	g := start(t, load(t, module{tables: []tableLimits{{lo: 1}}, funcs: []testFunc{
		{export: "huge", results: "i", code: grow(2_000_000_000)},
		{export: "some", results: "i", code: grow(1000)},
	}}.bytes()))
	if _, failure := g.call("huge", nil); failure == nil || !strings.Contains(failure.Message, "code -1") {
		t.Error("a table grew by 2,000,000,000:", failure)
	}
	if _, failure := g.call("some", nil); failure == nil || !strings.Contains(failure.Message, "code 1 ") {
		t.Error("a table did not grow by 1,000:", failure)
	}
}

func TestMemoryGrowsToItsLimitOnly(t *testing.T) {
	g := start(t, load(t, module{memory: []uint32{1}, funcs: []testFunc{run(i32(1), memGrow(), drop(),
		i32(14), memGrow(), drop(), i32(1<<20-4), i32(7), storeI32(0), i32(1), memGrow())}}.bytes(), func(o *engineOptions) { o.Limits.Memory = 16 * wasmPage }))
	if _, failure := g.call("run", nil); failure == nil || !strings.Contains(failure.Message, "code -1") || failure.Kind != KindRefused {
		t.Error(failure)
	}
	if g.memory.size() != 16*wasmPage {
		t.Errorf("memory has %d bytes", g.memory.size())
	}
}

func TestAModuleNameLinksNothing(t *testing.T) {
	// The first module calls itself extism:host/env; the second must still get the host's functions.
	e := load(t, module{name: extismModule, imports: extism("input_length"), funcs: []testFunc{run(call(0), []byte{0xa7})}}.bytes())
	start(t, e)
	if _, failure := start(t, e).call("run", []byte("four")); failure == nil || !strings.Contains(failure.Message, "code 4") {
		t.Error(failure)
	}
}

func TestAnInstanceSeesNothingOfAnothersCalls(t *testing.T) {
	// The guest allocates 64 bytes, writes them, and gives back what was there.
	const code = 64
	g := module{imports: extism("alloc", "output_set", "store_u8"), funcs: []testFunc{{export: "run", results: "i", locals: 1, code: join(
		i64(code), call(0), localSet(0), localGet(0), i64(code), call(1), localGet(0), i32('x'), call(2), i32(0))}}}
	e := load(t, g.bytes())
	for range 3 {
		out, failure := start(t, e).call("run", nil)
		if failure != nil || !bytes.Equal(out, make([]byte, code)) {
			t.Fatalf("%q %v", out, failure)
		}
	}
}

// wasiGuest writes what WASI says to its output: a Go program does, so that all of its runtime is in the way as well.
func TestUnracedAGoGuestSeesAFixedWorld(t *testing.T) {
	testwasm.Unraced(t)
	e := load(t, guestWasm(t))
	read := func(seed uint64) string {
		g, failure := e.newGuest(seed)
		if failure != nil {
			t.Fatal(failure)
		}
		defer g.close()
		out, failure := g.call("system", nil)
		if failure != nil {
			t.Fatal(failure)
		}
		return string(out)
	}
	one, same, other := read(1), read(1), read(2)
	if one != same {
		t.Errorf("equal seeds give %q and %q", one, same)
	}
	if one == other {
		t.Errorf("different seeds give %q", one)
	}
	if want := " 2022-01-01T00:00:00Z 0 0 true"; !strings.HasSuffix(one, want) {
		t.Errorf("got %q, want a number and %q", one, want)
	}
}

func TestUnracedAGoGuestEndsAsItsRuntimeSays(t *testing.T) {
	testwasm.Unraced(t)
	e := load(t, guestWasm(t), func(o *engineOptions) { o.Limits.Memory = 32 << 20 })
	for _, tt := range []struct {
		export, input string
		kind          Kind
		want          string
	}{
		{"echo", "", 0, ""},
		{"echo", "1234567890", 0, "1234567890"},
		{"echo_bulk", "1234567890", 0, "1234567890"},
		{"sleeps", "", 0, "1h0m0s"},
		{"config", "", 0, ""},
		{"panics", "", KindTrap, "trap: unreachable executed in panics: panic: the guest gave up"},
		{"exits", "", KindExit, "exited with code 3 in exits"},
		{"allocate", "", KindMemory, "out of memory in allocate: an instance may have 32 MiB"},
		{"recurses", "", KindMemory, "out of memory in recurses"},
		{"refuses", "no such track\ntry: track add \"Bass\"", KindRefused, "no such track\ntry: track add \"Bass\""},
		{"refuses_with_zero", "", KindRefused, "rc was zero"},
		{"refuses_silently", "", KindRefused, "refuses_silently failed with code 7 and gave no reason"},
		{"variable", "", KindTrap, "var_set is not permitted"},
		{"http", "", KindTrap, "http_request is not permitted"},
	} {
		t.Run(fmt.Sprint(tt.export, len(tt.input)), func(t *testing.T) {
			g := start(t, e)
			defer g.close()
			out, failure := g.call(tt.export, []byte(tt.input))
			if tt.kind == 0 {
				if failure != nil || string(out) != tt.want {
					t.Fatalf("%q %v", out, failure)
				}
				return
			}
			if failure == nil || failure.Kind != tt.kind || !strings.Contains(failure.Message, tt.want) {
				t.Fatalf("got %+v, want %v with %q", failure, tt.kind, tt.want)
			}
		})
	}
}

func TestUnracedAHugeErrorIsBoundedAndEscaped(t *testing.T) {
	testwasm.Unraced(t)
	_, failure := start(t, load(t, guestWasm(t))).call("big_error", nil)
	if failure == nil || failure.Kind != KindRefused || len(failure.Message) > maxRefusedBytes || strings.Contains(failure.Message, "\x1b") {
		t.Fatalf("%v", failure)
	}
}

func TestUnracedAFloodOfLogsIsHeldBack(t *testing.T) {
	testwasm.Unraced(t)
	lines := 0
	e := load(t, guestWasm(t), func(o *engineOptions) {
		o.Limits.LogLine, o.Limits.LogRate = 100, 1
		o.Log = func(level slog.Level, text string) {
			lines++
			if len(text) > 110 || strings.Contains(text, "jsonrpc") {
				t.Errorf("%v %q", level, text)
			}
		}
	})
	if _, failure := start(t, e).call("floods", nil); failure != nil {
		t.Fatal(failure)
	}
	if lines == 0 || lines > 200 {
		t.Errorf("%d lines were logged", lines)
	}
}

func TestUnracedAGoGuestSurvivesManyCalls(t *testing.T) {
	testwasm.Unraced(t)
	g := start(t, load(t, guestWasm(t), func(o *engineOptions) { o.Limits.Memory = 16 << 20 }))
	in := make([]byte, 1000)
	for n := range 50_000 {
		if _, failure := g.call("echo_bulk", in); failure != nil {
			t.Fatalf("call %d: %v", n, failure)
		}
	}
}
