package sandbox

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"
	"unicode"
)

func TestScanDescribesAModule(t *testing.T) {
	info, err := Scan(module{
		imports: []testImport{{extismModule, "alloc", "l", "l"}},
		funcs:   []testFunc{run(i32(0)), {export: "f", params: "il", results: "", code: nil}},
		memory:  []uint32{2, 10},
		data:    []byte("data"),
	}.bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Imports) != 1 || info.Imports[0] != (Import{extismModule, "alloc", "func", "(i64) -> i64"}) {
		t.Errorf("imports: %+v", info.Imports)
	}
	if sig, ok := info.Func("run"); !ok || sig != "() -> i32" {
		t.Errorf("run: %q %v", sig, ok)
	}
	if sig, ok := info.Func("f"); !ok || sig != "(i32, i64) -> ()" {
		t.Errorf("f: %q %v", sig, ok)
	}
	if _, ok := info.Func("memory"); ok {
		t.Error("a memory is no function")
	}
	if info.Functions != 2 || info.DataSize != 4 || info.DataSegments != 1 || info.MemoryMin != 2*wasmPage || info.MemoryMax != 10*wasmPage {
		t.Errorf("sizes: %+v", info)
	}
}

func TestScanAcceptsARealGuest(t *testing.T) {
	info, err := Scan(guestWasm(t))
	if err != nil {
		t.Fatal(err)
	}
	if sig, _ := info.Func("echo"); sig != "() -> i32" {
		t.Errorf("echo is %q", sig)
	}
}

func TestScanRefuses(t *testing.T) {
	empty := module{funcs: []testFunc{run(i32(0))}}
	tests := []struct {
		name string
		wasm []byte
		want string // part of the error
	}{
		{"an empty file", nil, "empty"},
		{"text", []byte("hello, world"), `it starts with "hello, w"`},
		{"a file cut in the header", []byte("\x00asm\x01"), "cut off"},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00"), "component"},
		{"an unknown version", []byte("\x00asm\x02\x00\x00\x00"), "version"},
		{"a file over the size cap", append([]byte(wasmHeader), make([]byte, maxModule)...), "strip it"},
		{"an unknown section", append([]byte(wasmHeader), 99, 0), "section 99"},
		{"sections out of order", join([]byte(wasmHeader), wasmSection(3, []byte{0}), wasmSection(1, []byte{0})), "out of order"},
		{"a section longer than the file", append([]byte(wasmHeader), 1, 100, 0), "cut off"},
		{"a section longer than its content", join([]byte(wasmHeader), wasmSection(1, []byte{0, 0})), "longer than its content"},
		{"an unknown import", module{imports: []testImport{{wasiModule, "sock_accept", "iii", "i"}}, funcs: empty.funcs}.bytes(), "wasi_snapshot_preview1.sock_accept"},
		{"a kernel internal of extism", module{imports: []testImport{{extismModule, "reset", "", ""}}, funcs: empty.funcs}.bytes(), "extism:host/env.reset"},
		{"an import of another plugin", module{imports: []testImport{{"midi", "run", "", "i"}}, funcs: empty.funcs}.bytes(), "midi.run"},
		{"AssemblyScript's abort", module{imports: []testImport{{"env", "abort", "iiii", ""}}, funcs: empty.funcs}.bytes(), "--use abort="},
		{"an import with the wrong type", module{imports: []testImport{{extismModule, "alloc", "i", "i"}}, funcs: empty.funcs}.bytes(), "it is (i64) -> i64"},
		{"an old extism PDK", module{imports: []testImport{{"env", "extism_alloc", "l", "l"}}, funcs: empty.funcs}.bytes(), "1.0 or later"},
		{"a command", module{funcs: []testFunc{{export: "_start"}}}.bytes(), "-buildmode=c-shared"},
		{"an imported memory", join([]byte(wasmHeader), wasmSection(2, join([]byte{1}, wasmName("env"), wasmName("memory"), []byte{2, 0, 1}))), "memory env.memory"},
		{"a shared memory", join([]byte(wasmHeader), wasmSection(5, []byte{1, 3, 1, 1})), "shared"},
		{"two memories", join([]byte(wasmHeader), wasmSection(5, []byte{2, 0, 1, 0, 1})), "more than one memory"},
		{"a memory over 4 GiB", module{funcs: empty.funcs, memory: []uint32{65537}}.bytes(), "65537"},
		{"five tables", module{funcs: empty.funcs, tables: make([]tableLimits, 5)}.bytes(), "tables"},
		{"a table of 2^27", module{funcs: empty.funcs, tables: []tableLimits{{lo: 1 << 27}}}.bytes(), "tables"},
		{"50,001 locals", module{funcs: []testFunc{{locals: 50_001}}}.bytes(), "local variables"},
		{"2^32-1 locals", join([]byte(wasmHeader), wasmSection(1, []byte{1, 0x60, 0, 0}), wasmSection(3, []byte{1, 0}),
			wasmSection(10, []byte{1, 8, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x0b})), "local variables"},
		{"blocks nested 100,000 deep", module{funcs: []testFunc{{code: join(bytes.Repeat([]byte{2, 0x40}, 100_000), bytes.Repeat([]byte{0x0b}, 100_000))}}}.bytes(), "nest deeper"},
		{"a body of more than a megabyte", module{funcs: []testFunc{{code: bytes.Repeat([]byte{1}, 1<<20)}}}.bytes(), "split it"},
		{"branch tables with more than 100,000 targets", module{funcs: []testFunc{{code: join(i32(0), []byte{0x0e}, uleb(200_000), make([]byte, 200_001))}}}.bytes(), "targets"},
		{"a million functions", join([]byte(wasmHeader), wasmSection(1, []byte{1, 0x60, 0, 0}), wasmSection(3, join(uleb(1_000_000), make([]byte, 1_000_000)))), "functions"},
		{"threads", module{funcs: []testFunc{{code: []byte{0xfe, 0x03, 0x00}}}}.bytes(), "instruction 0xfe"},
		{"a function without a body", join([]byte(wasmHeader), wasmSection(1, []byte{1, 0x60, 0, 0}), wasmSection(3, []byte{1, 0})), "bodies"},
		{"an export of a function that is not there", join([]byte(wasmHeader), wasmSection(7, join([]byte{1}, wasmName("f"), []byte{0, 9}))), `"f"`},
		{"an export twice", module{funcs: []testFunc{run(i32(0)), run(i32(0))}}.bytes(), "twice"},
		{"a name with ANSI escapes", module{imports: []testImport{{"\x1b[31mred", "x\ny", "", ""}}, funcs: empty.funcs}.bytes(), `\u001b[31mred.x\u000ay`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Scan(tt.wasm)
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

// checkLine checks what every message for a person must be.
func checkLine(t *testing.T, s string) {
	t.Helper()
	if s == "" || len([]rune(s)) > maxMessageBytes+60 {
		t.Errorf("message of %d runes", len([]rune(s)))
	}
	for _, r := range s {
		if unicode.IsControl(r) {
			t.Errorf("message %q holds %q", s, r)
		}
	}
}

func TestScanListsEveryMissingImport(t *testing.T) {
	_, err := Scan(module{imports: []testImport{{"a", "x", "", ""}, {"b", "y", "", ""}}, funcs: []testFunc{run(i32(0))}}.bytes())
	if err == nil || !strings.Contains(err.Error(), "a.x") || !strings.Contains(err.Error(), "b.y") {
		t.Error(err)
	}
}

func TestScanBelievesNoCount(t *testing.T) {
	for id := byte(1); id <= 12; id++ {
		wasm := join([]byte(wasmHeader), wasmSection(id, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Scan(wasm)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("section %d with 2^32-1 items was accepted", id)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("section %d: %d bytes allocated", id, n)
		}
	}
}

func TestScanRefusesEveryTruncation(t *testing.T) {
	wasm := module{
		imports: []testImport{{extismModule, "alloc", "l", "l"}},
		funcs:   []testFunc{run(i32(0))}, memory: []uint32{1}, tables: []tableLimits{{1, 2}}, element: true, data: []byte("abc"),
	}.bytes()
	if _, err := Scan(wasm); err != nil {
		t.Fatal(err)
	}
	boundaries := map[int]bool{8: true} // a file that ends with a section is whole as far as anybody can tell
	for r := (&reader{b: wasm, pos: 8}); r.left() > 0; {
		r.u8()
		r.sub(r.u32())
		boundaries[r.pos] = true
	}
	for n := range wasm {
		if _, err := Scan(wasm[:n]); err == nil && !boundaries[n] {
			t.Errorf("the first %d of %d bytes were accepted", n, len(wasm))
		}
	}
}

func TestTablesAreHeldToALimitWhenLoaded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tables []tableLimits
		want   []tableLimits
	}{
		{"without a maximum", []tableLimits{{lo: 3}}, []tableLimits{{3, maxTableItems}}},
		{"with a small one", []tableLimits{{3, 7}}, []tableLimits{{3, 7}}},
		{"with a huge one", []tableLimits{{3, 1<<32 - 1}, {4, 5}}, []tableLimits{{3, maxTableItems}, {4, 5}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := module{funcs: []testFunc{run(i32(0))}, tables: tt.tables, memory: []uint32{1}}
			got := capTables(m.bytes())
			m.tables = tt.want
			if !bytes.Equal(got, m.bytes()) {
				t.Errorf("got % x\nwant % x", got, m.bytes())
			}
			if _, err := Scan(got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAModuleWithoutBodiesIsWhatItWasButForThem(t *testing.T) {
	m := module{funcs: []testFunc{run(forever(), i32(0)), {params: "il", results: "l", locals: 3, code: i64(7)}}, tables: []tableLimits{{1, 2}}, memory: []uint32{1}, element: true, data: []byte("abc"), start: 2, name: "n"}
	got := withoutBodies(m.bytes())
	for i := range m.funcs {
		m.funcs[i].locals, m.funcs[i].code = 0, unreachable()
	}
	if !bytes.Equal(got, m.bytes()) {
		t.Errorf("got % x\nwant % x", got, m.bytes())
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(wasmHeader))
	f.Add(module{imports: []testImport{{extismModule, "alloc", "l", "l"}}, funcs: []testFunc{run(i32(0))}, memory: []uint32{1, 2}, tables: []tableLimits{{1, 2}, {lo: 1}}, element: true, data: []byte("abc"), start: 2, name: "n"}.bytes())
	f.Add(module{funcs: []testFunc{run(forever(), call(0), i64(-1), drop(), []byte{0xfc, 8, 0, 0, 0xfd, 12}, make([]byte, 16))}}.bytes())
	f.Add(binary.AppendUvarint([]byte(wasmHeader), 1<<40))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		info, err := Scan(wasm)
		if err != nil {
			checkLine(t, err.Error())
		}
		if len(info.Imports) > len(wasm) || len(info.Exports) > len(wasm) {
			t.Error("more was found than there are bytes")
		}
		if err == nil {
			if _, err := Scan(capTables(wasm)); err != nil {
				t.Errorf("after capping its tables: %v", err)
			}
			if _, err := Scan(withoutBodies(wasm)); err != nil {
				t.Errorf("without bodies: %v", err)
			}
			if _, err := Scan(joinData(wasm)); err != nil {
				t.Errorf("with its data joined: %v", err)
			}
		}
	})
}
