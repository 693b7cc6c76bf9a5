package engine

import (
	"context"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// pieces holds the parts of a module that the interpreter has translated so far.
type pieces struct {
	lazy   *module.Lazy
	loader wazero.CompiledModule
	ready  []wazero.CompiledModule // by piece; nil for one that was not needed yet
}

// The module and the function by which stubs load pieces.
const lazyHost, lazyLoad = "fcp:lazy", "load"

// servePieces prepares the pieces of a module.
func (e *Engine) servePieces(ctx context.Context, lazy *module.Lazy) error {
	load := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) { e.load(uint32(stack[0])) })
	_, err := e.runtime.NewHostModuleBuilder(lazyHost).NewFunctionBuilder().
		WithGoModuleFunction(load, []api.ValueType{api.ValueTypeI32}, nil).Export(lazyLoad).Instantiate(ctx)
	if err != nil {
		return err
	}
	loader, err := e.runtime.CompileModule(ctx, lazy.Loader(lazyHost, lazyLoad))
	e.pieces = &pieces{lazy: lazy, loader: loader, ready: make([]wazero.CompiledModule, lazy.Pieces())}
	return err
}

// load loads the piece with a function into the guest that runs.
func (e *Engine) load(function uint32) {
	p, g := e.pieces, e.cur.guest
	n := p.lazy.PieceOf(function)
	if n < 0 {
		e.trap(fail.Trap, "a piece of the module does not exist")
	}
	if g.loaded[n] {
		return
	}
	if p.ready[n] == nil {
		wasm, ok := p.lazy.Piece(n)
		if !ok {
			e.trap(fail.Load, "the module cannot be interpreted in pieces")
		}
		var err error
		if p.ready[n], err = e.runtime.CompileModule(context.Background(), wasm); err != nil {
			e.trap(fail.Load, "%s", firstLine(err))
		}
	}
	if err := g.add(p.ready[n]); err != nil {
		e.trap(fail.Load, "%s", firstLine(err))
	}
	g.loaded[n] = true
}

// add instantiates a part of the guest's module.
func (g *Guest) add(part wazero.CompiledModule) error {
	main := func(name string) api.Module {
		if name == module.LazyModule {
			return g.module
		}
		return nil
	}
	ctx := experimental.WithImportResolver(context.Background(), main)
	m, err := g.engine.runtime.InstantiateModule(ctx, part, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err == nil {
		g.parts = append(g.parts, m)
	}
	return err
}
