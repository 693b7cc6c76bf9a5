package engine

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/fcp-host/fcp-host/internal/asm"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// interpreted returns an engine that interprets, with one guest.
func interpreted(t *testing.T, wasm []byte) (*Engine, *Guest) {
	t.Helper()
	e, failure := New(context.Background(), wasm, Options{Interpret: true})
	if failure != nil {
		t.Fatal(failure)
	}
	t.Cleanup(e.Close)
	return e, mustStart(t, e)
}

func mustStart(t *testing.T, e *Engine) *Guest {
	t.Helper()
	g, failure := e.NewGuest(1)
	if failure != nil {
		t.Fatal(failure)
	}
	t.Cleanup(g.Close)
	return g
}

func TestOnlyPiecesOfAModuleThatAreCalledAreTranslated(t *testing.T) {
	wasm, err := os.ReadFile(testwasm.List(t))
	if err != nil {
		t.Fatal(err)
	}
	e, g := interpreted(t, wasm)
	first, failure := g.Call("fcp_manifest", nil)
	if failure != nil {
		t.Fatal(failure)
	}
	first = bytes.Clone(first)
	if n := len(g.parts); n < 2 || n > e.pieces.lazy.Pieces()/2 {
		t.Errorf("%d of %d pieces are translated", n, e.pieces.lazy.Pieces())
	}
	// Another guest has its own functions and memory, and uses what is translated.
	translated := 0
	for _, p := range e.pieces.ready {
		if p != nil {
			translated++
		}
	}
	second, failure := mustStart(t, e).Call("fcp_manifest", nil)
	if failure != nil || !bytes.Equal(first, second) {
		t.Errorf("another guest answers %d bytes, %v; the first %d", len(second), failure, len(first))
	}
	for _, p := range e.pieces.ready {
		if p != nil {
			translated--
		}
	}
	if translated != 0 {
		t.Errorf("%d more pieces were translated for a second guest", -translated)
	}
}

// large is code of more bytes than a function may have that is not moved into a piece.
var large = bytes.Repeat([]byte{0x01}, 64) // nop

func TestPiecesCallEachOtherAndWhatStays(t *testing.T) {
	result := func(n int32) []byte { return asm.Join(large, asm.I32(n)) }
	m := asm.Module{
		Imports: []asm.Import{{Module: "wasi_snapshot_preview1", Name: "sched_yield", Results: "i"}},
		Funcs: []asm.Func{
			{Export: "same", Results: "i", Code: asm.Join(large, asm.Call(2))},                  // 1
			{Results: "i", Code: asm.I32(7)},                                                    // 2 stays
			{Export: "far", Results: "i", Code: asm.Join(bytes.Repeat(large, 64), asm.Call(4))}, // 3 fills a piece
			{Results: "i", Code: result(9)},                                                     // 4
			{Export: "host", Results: "i", Code: asm.Join(large, asm.Call(0))},                  // 5
			{Export: "up", Results: "i", Code: asm.Call(4)},                                     // 6 stays
		},
	}
	e, g := interpreted(t, m.Bytes())
	if e.pieces == nil || e.pieces.lazy.Pieces() < 2 {
		t.Fatal("the module is in one piece")
	}
	for range 2 {
		for export, want := range map[string]uint64{"same": 7, "far": 9, "host": 0, "up": 9} {
			e.begin(g, nil)
			got, err := g.module.ExportedFunction(export).Call(context.Background())
			e.end()
			if err != nil || len(got) != 1 || got[0] != want {
				t.Errorf("%s gives %v, %v", export, got, err)
			}
		}
	}
}

func TestAModuleThatCannotBeCutIsInterpretedWhole(t *testing.T) {
	for name, m := range map[string]asm.Module{
		"a start function": {Funcs: []asm.Func{{Code: large}, asm.Run(asm.I32(0))}, Start: 1},
		"table.grow":       {Funcs: []asm.Func{asm.Run([]byte{0xd0, 0x70}, asm.I32(1), []byte{0xfc, 15, 0}, asm.Drop(), asm.I32(0))}, Tables: []asm.Table{{Min: 1}}},
	} {
		e, g := interpreted(t, m.Bytes())
		if e.pieces != nil {
			t.Errorf("%s: it is in pieces", name)
		}
		if _, failure := g.Call("run", nil); failure != nil {
			t.Errorf("%s: %v", name, failure)
		}
	}
}
