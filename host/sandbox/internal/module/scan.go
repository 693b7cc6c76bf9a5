// Package module reads WebAssembly modules without running them and rewrites what an engine would run slowly or without bounds.
//
// Scan checks a module's structure. Prepare and Skeleton rewrite a module that Scan accepted: tables get a maximum, data segments that
// lie close together become one, and a skeleton has no function bodies.
package module

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
)

// The limits of Scan. They lie far above what real guests need (a Go guest of 3.3 MB has 2,173 functions, bodies of at most 13,513
// instructions nested at most 549 deep, and a table of 6,269) and below what makes the compiler slow.
const (
	MaxSize       = 32 << 20 // bytes of the file
	maxBody       = 1 << 20  // bytes of one function's code
	maxFunctions  = 200_000
	maxTypes      = 100_000
	maxLocals     = 50_000 // per function
	maxNesting    = 4_000
	maxBranches   = 100_000   // br_table targets in one function; the compiler's cost grows faster than their number
	maxBranchSum  = 4_000_000 // in the module; a Go guest of 4.9 MB has some 110,000
	maxTables     = 4
	maxTableItems = 1 << 20 // the sum of the tables' minimums, and the maximum of each table
	maxParams     = 1_000
	PageSize      = 64 << 10 // bytes of a page of linear memory
)

// Info describes a module's structure.
type Info struct {
	Size    int // bytes of the whole file
	Imports []Import
	Exports []Export

	Functions    int // defined in the module, imports not counted
	CodeSize     int // bytes of function bodies
	DataSegments int
	DataSize     int    // bytes of initialised data
	MemoryMin    uint64 // bytes of linear memory at the start
	MemoryMax    uint64 // bytes; 0 when the module declares no maximum
	TableItems   uint64 // sum of the tables' minimums
	HasStart     bool   // whether code runs while the module is instantiated
}

// Import is something a module needs from its host. The host serves functions only.
type Import struct {
	Module, Name string
	Kind         string // "func", "table", "memory" or "global"
	Signature    string // of a function: "(i64, i32) -> i64"
}

// Export is something a module offers to its host.
type Export struct {
	Name      string
	Kind      string // "func", "table", "memory" or "global"
	Signature string // of a function: "() -> i32"
}

// Func returns the signature of an exported function. Plugin calls functions of "() -> i32" and "() -> ()".
func (i Info) Func(name string) (signature string, ok bool) {
	for _, e := range i.Exports {
		if e.Name == name && e.Kind == "func" {
			return e.Signature, true
		}
	}
	return "", false
}

// Scan reads a module's structure and, with bodies, its code, and refuses what is malformed or would slow the compiler down. The error
// is one printable line that says what is wrong and what to do; Info then holds what was read before it. Scan never allocates memory
// for a count that the file has no room for. Reading the bodies costs 2 ms a megabyte and protects only the compiler, so a module that
// was compiled before does not need it.
func Scan(wasm []byte, bodies bool) (Info, error) {
	s := scanner{info: Info{Size: len(wasm)}, start: -1, code: bodies}
	if err := s.read(wasm); err != nil {
		return s.info, errors.New(fail.Line(err.Error()))
	}
	return s.info, nil
}

// scanner is the state of one Scan.
type scanner struct {
	info      Info
	code      bool // whether function bodies are read
	types     []string
	funcs     []uint32 // index of each function's type, imports first
	imported  int
	tables    int
	memories  int
	globals   int
	start     int64
	bodies    int
	branches  int
	dataCount int64

	names func(r *reader, op byte) // called, if not nil, behind op of an instruction that names a function or segment, or changes a table
}

func (s *scanner) read(wasm []byte) error {
	switch {
	case len(wasm) == 0:
		return errors.New("the file is empty; build the plugin again")
	case len(wasm) > MaxSize:
		return fmt.Errorf("the file has %d MiB; the limit is %d MiB; strip it (go build -ldflags='-s -w', wasm-opt -Oz)", len(wasm)>>20, MaxSize>>20)
	case !bytes.HasPrefix(wasm, []byte("\x00asm")):
		return fmt.Errorf("not a WebAssembly module: it starts with %q; use a .wasm file", wasm[:min(8, len(wasm))])
	case len(wasm) < 8:
		return errors.New("the file is cut off in its header; copy or build it again")
	case wasm[4] == 0x0d && wasm[6] == 1:
		return errors.New("a WebAssembly component, not a core module; build for wasip1 (preview 1)")
	case !bytes.Equal(wasm[4:8], []byte{1, 0, 0, 0}):
		return fmt.Errorf("unknown WebAssembly version % x; build a version 1 core module", wasm[4:8])
	}
	s.dataCount = -1
	r := &reader{b: wasm, pos: 8}
	last := 0
	for r.left() > 0 {
		id := int(r.u8())
		body := r.sub(r.u32())
		if r.err != nil {
			return fmt.Errorf("section %d is cut off: %w; copy or build the file again", id, r.err)
		}
		if id != 0 {
			order := sectionOrder(id)
			if order == 0 {
				return fmt.Errorf("unknown section %d; build a core module without newer proposals", id)
			}
			if order <= last {
				return fmt.Errorf("section %d is out of order; the file is damaged, build it again", id)
			}
			last = order
		}
		s.section(id, body)
		if body.err == nil && body.left() > 0 {
			body.fail("section %d is longer than its content", id)
		}
		if body.err != nil {
			return fmt.Errorf("the module is malformed at %w; build it again", body.err)
		}
	}
	if defined := len(s.funcs) - s.imported; s.bodies != defined {
		return fmt.Errorf("the module declares %d functions and has %d bodies; the file is damaged, build it again", defined, s.bodies)
	}
	if s.dataCount > int64(s.info.DataSegments) {
		return fmt.Errorf("the module announces %d data segments and has %d; the file is damaged, build it again", s.dataCount, s.info.DataSegments)
	}
	return nil
}
