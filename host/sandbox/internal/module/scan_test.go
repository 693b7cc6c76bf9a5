package module

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/internal/asm"
)

func TestScanDescribesAModule(t *testing.T) {
	info, err := Scan(asm.Module{
		Imports: []asm.Import{{Module: "m", Name: "f", Params: "l", Results: "l"}},
		Funcs:   []asm.Func{asm.Run(asm.I32(0)), {Export: "f", Params: "il", Results: "", Code: nil}},
		Memory:  []uint32{2, 10},
		Data:    asm.DataAt(16, "data"),
	}.Bytes(), true)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Imports) != 1 || info.Imports[0] != (Import{"m", "f", "func", "(i64) -> i64"}) {
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
	if info.Functions != 2 || info.DataSize != 4 || info.DataSegments != 1 || info.MemoryMin != 2*PageSize || info.MemoryMax != 10*PageSize {
		t.Errorf("sizes: %+v", info)
	}
}

// checkLine checks what every message must be: one printable line.
func checkLine(t testing.TB, s string) {
	t.Helper()
	if s == "" || fail.Line(s) != s {
		t.Errorf("message %q", s)
	}
}

func TestScanRefuses(t *testing.T) {
	empty := asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}
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
		{"a file over the size cap", append([]byte(asm.Header), make([]byte, MaxSize)...), "strip it"},
		{"an unknown section", append([]byte(asm.Header), 99, 0), "section 99"},
		{"sections out of order", asm.Join([]byte(asm.Header), asm.Section(3, []byte{0}), asm.Section(1, []byte{0})), "out of order"},
		{"a section longer than the file", append([]byte(asm.Header), 1, 100, 0), "cut off"},
		{"a section longer than its content", asm.Join([]byte(asm.Header), asm.Section(1, []byte{0, 0})), "longer than its content"},
		{"a shared memory", asm.Join([]byte(asm.Header), asm.Section(5, []byte{1, 3, 1, 1})), "shared"},
		{"two memories", asm.Join([]byte(asm.Header), asm.Section(5, []byte{2, 0, 1, 0, 1})), "more than one memory"},
		{"a memory over 4 GiB", asm.Module{Funcs: empty.Funcs, Memory: []uint32{65537}}.Bytes(), "65537"},
		{"five tables", asm.Module{Funcs: empty.Funcs, Tables: make([]asm.Table, 5)}.Bytes(), "tables"},
		{"a table of 2^27", asm.Module{Funcs: empty.Funcs, Tables: []asm.Table{{Min: 1 << 27}}}.Bytes(), "tables"},
		{"50,001 locals", asm.Module{Funcs: []asm.Func{{Locals: strings.Repeat("l", 50_001)}}}.Bytes(), "local variables"},
		{"2^32-1 locals", asm.Join([]byte(asm.Header), asm.Section(1, []byte{1, 0x60, 0, 0}), asm.Section(3, []byte{1, 0}),
			asm.Section(10, []byte{1, 8, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x0b})), "local variables"},
		{"blocks nested 100,000 deep", asm.Module{Funcs: []asm.Func{{Code: asm.Join(bytes.Repeat([]byte{2, 0x40}, 100_000), bytes.Repeat([]byte{0x0b}, 100_000))}}}.Bytes(), "nest deeper"},
		{"a body of more than a megabyte", asm.Module{Funcs: []asm.Func{{Code: bytes.Repeat([]byte{1}, 1<<20)}}}.Bytes(), "split it"},
		{"branch tables with more than 100,000 targets", asm.Module{Funcs: []asm.Func{{Code: asm.Join(asm.I32(0), []byte{0x0e}, asm.Uleb(200_000), make([]byte, 200_001))}}}.Bytes(), "targets"},
		{"a million functions", asm.Join([]byte(asm.Header), asm.Section(1, []byte{1, 0x60, 0, 0}), asm.Section(3, asm.Join(asm.Uleb(1_000_000), make([]byte, 1_000_000)))), "functions"},
		{"threads", asm.Module{Funcs: []asm.Func{{Code: []byte{0xfe, 0x03, 0x00}}}}.Bytes(), "instruction 0xfe"},
		{"a function without a body", asm.Join([]byte(asm.Header), asm.Section(1, []byte{1, 0x60, 0, 0}), asm.Section(3, []byte{1, 0})), "bodies"},
		{"an export of a function that is not there", asm.Join([]byte(asm.Header), asm.Section(7, asm.Join([]byte{1}, asm.Name("f"), []byte{0, 9}))), `"f"`},
		{"an export twice", asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0)), asm.Run(asm.I32(0))}}.Bytes(), "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Scan(tt.wasm, true)
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

func TestScanAllocatesNothingForAClaimedCount(t *testing.T) {
	for id := byte(1); id <= 12; id++ {
		wasm := asm.Join([]byte(asm.Header), asm.Section(id, []byte{0xff, 0xff, 0xff, 0xff, 0x0f}))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Scan(wasm, true)
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
	wasm := asm.Module{
		Imports: []asm.Import{{Module: "m", Name: "f", Params: "l", Results: "l"}},
		Funcs:   []asm.Func{asm.Run(asm.I32(0))}, Memory: []uint32{1}, Tables: []asm.Table{{Min: 1, Max: 2}}, Element: true, Data: asm.DataAt(16, "abc"),
	}.Bytes()
	if _, err := Scan(wasm, true); err != nil {
		t.Fatal(err)
	}
	boundaries := map[int]bool{8: true} // a file that ends with a section may be complete
	for r := (&reader{b: wasm, pos: 8}); r.left() > 0; {
		r.u8()
		r.sub(r.u32())
		boundaries[r.pos] = true
	}
	for n := range wasm {
		if _, err := Scan(wasm[:n], true); err == nil && !boundaries[n] {
			t.Errorf("the first %d of %d bytes were accepted", n, len(wasm))
		}
	}
}

func TestCapTablesLimitsEachTable(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tables []asm.Table
		want   []asm.Table
	}{
		{"without a maximum", []asm.Table{{Min: 3}}, []asm.Table{{Min: 3, Max: maxTableItems}}},
		{"with a small one", []asm.Table{{Min: 3, Max: 7}}, []asm.Table{{Min: 3, Max: 7}}},
		{"with a huge one", []asm.Table{{Min: 3, Max: 1<<32 - 1}, {Min: 4, Max: 5}}, []asm.Table{{Min: 3, Max: maxTableItems}, {Min: 4, Max: 5}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}, Tables: tt.tables, Memory: []uint32{1}}
			got := capTables(m.Bytes())
			m.Tables = tt.want
			if !bytes.Equal(got, m.Bytes()) {
				t.Errorf("got % x\nwant % x", got, m.Bytes())
			}
			if _, err := Scan(got, true); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWithoutBodiesChangesOnlyTheBodies(t *testing.T) {
	m := asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0)), {Params: "il", Results: "l", Locals: "lll", Code: asm.I64(7)}}, Tables: []asm.Table{{Min: 1, Max: 2}}, Memory: []uint32{1}, Element: true, Data: asm.DataAt(16, "abc"), Start: 2, Name: "n"}
	got := withoutBodies(m.Bytes())
	for i := range m.Funcs {
		m.Funcs[i].Locals, m.Funcs[i].Code = "", asm.Unreachable()
	}
	if !bytes.Equal(got, m.Bytes()) {
		t.Errorf("got % x\nwant % x", got, m.Bytes())
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(asm.Header))
	f.Add(asm.Module{Imports: []asm.Import{{Module: "m", Name: "f", Params: "l", Results: "l"}}, Funcs: []asm.Func{asm.Run(asm.I32(0))}, Memory: []uint32{1, 2}, Tables: []asm.Table{{Min: 1, Max: 2}, {Min: 1}}, Element: true, Data: asm.DataAt(16, "abc"), Start: 1, Name: "n"}.Bytes())
	f.Add(asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.Call(0), asm.I64(-1), asm.Drop(), []byte{0xfc, 8, 0, 0, 0xfd, 12}, make([]byte, 16))}}.Bytes())
	f.Add(binary.AppendUvarint([]byte(asm.Header), 1<<40))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		info, err := Scan(wasm, true)
		if err != nil {
			checkLine(t, err.Error())
		}
		if len(info.Imports) > len(wasm) || len(info.Exports) > len(wasm) {
			t.Error("more imports or exports than bytes")
		}
		if err == nil {
			if _, err := Scan(capTables(wasm), true); err != nil {
				t.Errorf("after capping its tables: %v", err)
			}
			if _, err := Scan(withoutBodies(wasm), true); err != nil {
				t.Errorf("without bodies: %v", err)
			}
			if _, err := Scan(joinData(wasm), true); err != nil {
				t.Errorf("with its data joined: %v", err)
			}
		}
	})
}
