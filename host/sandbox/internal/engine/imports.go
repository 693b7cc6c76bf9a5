package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// hostFunc is one function that guests may import. Check and the engine use the same table, so Check accepts exactly what the engine
// serves.
type hostFunc struct {
	name            string
	params, results string // one letter for each value: i is i32, l is i64
	call            func(e *Engine, mem api.Memory, stack []uint64)
}

// signature returns the function's type as module.Import does.
func (f hostFunc) signature() string {
	list := func(letters string) string {
		names := make([]string, len(letters))
		for i, c := range letters {
			names[i] = map[rune]string{'i': "i32", 'l': "i64"}[c]
		}
		return strings.Join(names, ", ")
	}
	return module.Signature(list(f.params), list(f.results))
}

// hostModules returns all functions that a guest may import, by module name.
func hostModules() map[string][]hostFunc {
	return map[string][]hostFunc{
		extismModule: extismFuncs(),
		bulkModule:   bulkFuncs(),
		wasiModule:   wasiFuncs(),
	}
}

// Check returns an error when a scanned module cannot run as a plugin: it imports what the host does not serve, or it is a program
// rather than a library. The error is one printable line that says what to do.
func Check(info module.Info) error {
	err := checkImports(info.Imports)
	_, hasStart := info.Func("_start")
	_, hasInit := info.Func("_initialize")
	_, hasCtors := info.Func("__wasm_call_ctors")
	if err == nil && hasStart && !hasInit && !hasCtors {
		err = errors.New("a command (it exports _start), not a library; build with -buildmode=c-shared (Go) or -mexec-model=reactor (C)")
	}
	if err != nil {
		return errors.New(fail.Line(err.Error()))
	}
	return nil
}

// checkImports names the imports that the host does not serve, in one line.
func checkImports(imports []module.Import) error {
	known := map[string]string{}
	for module, funcs := range hostModules() {
		for _, f := range funcs {
			known[module+"\x00"+f.name] = f.signature()
		}
	}
	var bad []string
	for _, im := range imports {
		want, ok := known[im.Module+"\x00"+im.Name]
		name := fail.Escape(im.Module, 60) + "." + fail.Escape(im.Name, 60)
		switch {
		case im.Kind != "func":
			bad = append(bad, im.Kind+" "+name+" (define it in the module itself)")
		case im.Module == "env" && extismHas(im.Name):
			return fmt.Errorf("it imports %s, as Extism PDKs before 1.0 did; rebuild it with a PDK of 1.0 or later", name)
		case !ok && im.Module == "env" && im.Name == "abort":
			bad = append(bad, name+" (not given to plugins; AssemblyScript: compile with --use abort= or with an abort of your own, --use abort=FILE/FUNCTION)")
		case !ok:
			bad = append(bad, name+" (not given to plugins)")
		case want != im.Signature:
			bad = append(bad, fmt.Sprintf("%s as %s (it is %s)", name, im.Signature, want))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	text := strings.Join(bad[:min(len(bad), 4)], ", ")
	if len(bad) > 4 {
		text += fmt.Sprintf(" and %d more", len(bad)-4)
	}
	return fmt.Errorf("it imports %s; build it with imports from %s, %s and %s only", text, extismModule, bulkModule, wasiModule)
}

// extismHas reports whether Extism has a function of this name, with or without the old prefix extism_.
func extismHas(name string) bool {
	name = strings.TrimPrefix(name, "extism_")
	for _, f := range extismFuncs() {
		if f.name == name {
			return true
		}
	}
	return false
}

// serve instantiates the host modules in the engine's runtime.
func (e *Engine) serve(ctx context.Context) error {
	types := func(letters string) []api.ValueType {
		out := make([]api.ValueType, len(letters))
		for i := range letters {
			out[i] = api.ValueTypeI32
			if letters[i] == 'l' {
				out[i] = api.ValueTypeI64
			}
		}
		return out
	}
	for module, funcs := range hostModules() {
		b := e.runtime.NewHostModuleBuilder(module)
		for _, f := range funcs {
			b = e.export(b, f, types)
		}
		if _, err := b.Instantiate(ctx); err != nil {
			return fmt.Errorf("serve %s: %w", module, err)
		}
	}
	return nil
}

// export adds f to a host module.
func (e *Engine) export(b wazero.HostModuleBuilder, f hostFunc, types func(string) []api.ValueType) wazero.HostModuleBuilder {
	call := f.call
	return b.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, mod api.Module, stack []uint64) {
			call(e, mod.Memory(), stack)
		}), types(f.params), types(f.results)).
		Export(f.name)
}
