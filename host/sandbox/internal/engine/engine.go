// Package engine compiles a module with wazero and runs instances of it in this process. It serves the guest's imports: Extism's
// extism:host/env, the bulk functions of fcp:host/env, and a subset of WASI preview 1.
package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/guestlog"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/limits"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/memory"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"
)

// Options says how an engine runs its module.
type Options struct {
	Limits    limits.Limits
	Code      *codecache.File // where compiled code is read from or written to; nil for none
	Interpret bool            // do not compile
	LogLevel  slog.Level      // the lowest level that is logged
	Log       func(level slog.Level, text string)
}

// Engine holds one compiled module and runs instances of it in this process. It has no deadlines: a caller that needs one runs the
// engine in a process that it can kill. Its methods and those of its guests must be called by one goroutine at a time, since host
// functions find the running call in cur.
type Engine struct {
	opts     Options
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	arena    arena
	log      *guestlog.Limiter
	cur      *guestCall
	out      []byte  // buffer for the next output
	pieces   *pieces // nil unless the module is interpreted in pieces
}

// guestCall is the state of the running call.
type guestCall struct {
	guest    *Guest
	wasi     *wasi
	input    []byte
	output   []byte
	failed   bool // error_set was called with a handle
	errText  string
	stderr   []byte // the beginning of what the guest wrote to stderr, for the error text
	panicked bool   // whether stderr begins with a panic or fatal error
}

// noteStderr keeps the first 256 bytes that a guest writes to stderr, and starts again at a panic or fatal error: there runtimes say why
// they end.
func (c *guestCall) noteStderr(b []byte) {
	if !c.panicked {
		for _, word := range []string{"panic", "fatal error"} {
			if i := bytes.Index(b, []byte(word)); i >= 0 {
				c.panicked, c.stderr, b = true, nil, b[i:]
				break
			}
		}
	}
	if room := 256 - len(c.stderr); room > 0 {
		c.stderr = append(c.stderr, b[:min(len(b), room)]...)
	}
}

// New compiles a module. With Options.Code that is not to be filled, it loads the compiled code instead, and wasm is the module's
// skeleton. The module must have passed Scan.
func New(ctx context.Context, wasm []byte, opts Options) (*Engine, *fail.Error) {
	opts.Limits = opts.Limits.WithDefaults()
	if opts.Log == nil {
		opts.Log = func(slog.Level, string) {}
	}
	e := &Engine{opts: opts, log: guestlog.New(opts.Limits.LogLine, opts.Limits.LogRate, opts.LogLevel, opts.Log)}
	e.arena.limit = uint64(opts.Limits.Arena)
	config := wazero.NewRuntimeConfigCompiler()
	if opts.Interpret {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	config = config.WithDebugInfoEnabled(false)
	if opts.Code != nil {
		cache, err := opts.Code.WazeroCache()
		if err != nil {
			return nil, fail.New(fail.Load, "", "%v", err)
		}
		e.cache = cache
		config = config.WithCompilationCache(cache)
	}
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := e.serve(ctx); err != nil {
		e.Close()
		return nil, fail.New(fail.Load, "", "%v", err)
	}
	var err error
	if opts.Interpret {
		if lazy, ok := module.NewLazy(wasm); ok {
			if err = e.servePieces(ctx, lazy); err != nil {
				e.Close()
				return nil, fail.New(fail.Load, "", "%v", err)
			}
			wasm = lazy.Main
		}
	}
	if opts.Code == nil || opts.Code.Fills() {
		wasm = module.Prepare(wasm)
	}
	if e.compiled, err = e.runtime.CompileModule(ctx, wasm); err != nil {
		e.Close()
		return nil, fail.New(fail.Load, "", "the module does not compile: %s; build it again", firstLine(err))
	}
	return e, nil
}

// Close frees the engine and its guests.
func (e *Engine) Close() {
	ctx := context.Background()
	// The error is the exit code of closed guests; nothing can be done about it.
	_ = e.runtime.Close(ctx)
	if e.cache != nil {
		_ = e.cache.Close(ctx)
	}
}

// Guest is one instance of the engine's module.
type Guest struct {
	engine *Engine
	module api.Module
	memory *memory.Limited
	wasi   wasi
	funcs  map[string]api.Function
	parts  []api.Module // the pieces of the module that were loaded
	loaded map[int]bool // by piece
}

// NewGuest instantiates the module and initialises it: _initialize and then hs_init (Haskell) where they exist, else
// __wasm_call_ctors; never _start. The guest's random numbers follow from seed.
func (e *Engine) NewGuest(seed uint64) (g *Guest, failure *fail.Error) {
	g = &Guest{engine: e, memory: &memory.Limited{Limit: e.opts.Limits.Memory}, funcs: map[string]api.Function{}}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	g.wasi.random = rand.NewChaCha8(key)
	e.begin(g, nil)
	defer e.end()
	defer func() {
		// wazero panics when the allocator refuses the module's initial memory.
		if r := recover(); r != nil {
			failure = fail.New(fail.Load, "", "instantiation failed: %v", r)
			if g.memory.Refused {
				failure = fail.New(fail.Memory, "", "its worker has no memory left for another instance; close a document")
			}
		}
		if failure != nil {
			g.Close()
			g = nil
		}
	}()
	ctx := experimental.WithMemoryAllocator(context.Background(), g.memory)
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	module, err := e.runtime.InstantiateModule(ctx, e.compiled, config)
	if err != nil {
		return g, asLoad(e.explain(err, "the start section", g))
	}
	g.module = module
	if e.pieces != nil {
		g.loaded = map[int]bool{}
		if err := g.add(e.pieces.loader); err != nil {
			return g, asLoad(e.explain(err, "the start section", g))
		}
	}
	for _, name := range g.initFuncs() {
		f := module.ExportedFunction(name)
		if _, err := f.Call(ctx, make([]uint64, len(f.Definition().ParamTypes()))...); err != nil {
			return g, asLoad(e.explain(err, name, g))
		}
	}
	return g, nil
}

// initFuncs returns the names of the exports that initialise the module, in order.
func (g *Guest) initFuncs() []string {
	has := func(name string) bool { return g.module.ExportedFunction(name) != nil }
	switch {
	case has("hs_init") && has("_initialize"):
		return []string{"_initialize", "hs_init"}
	case has("hs_init"):
		return []string{"hs_init"}
	case has("_initialize"):
		return []string{"_initialize"}
	case has("__wasm_call_ctors"):
		return []string{"__wasm_call_ctors"}
	}
	return nil
}

// asLoad makes a failure during the start one of kind Load, unless memory ran out, and keeps its text.
func asLoad(e *fail.Error) *fail.Error {
	if e.Kind != fail.Memory {
		e.Kind = fail.Load
	}
	e.Message = fail.Clean(e.Kind, "could not start: "+e.Message)
	return e
}

// keepOutput is the largest output buffer, in bytes, that an engine keeps for the next call.
const keepOutput = 256 << 10

// codeAsks is the result of an export whose output asks the host for something.
const codeAsks = 2

// setOutput sets a copy of b as the output of the running call.
func (e *Engine) setOutput(b []byte) {
	e.cur.output = append(e.out[:0], b...)
	if cap(e.cur.output) <= keepOutput {
		e.out = e.cur.output
	}
}

// MemorySize returns the linear memory in use, in bytes.
func (g *Guest) MemorySize() uint64 { return g.memory.Size() }

// Call runs an export of type () -> i32 or () -> (). After a fatal error the guest is closed. The output is valid until the engine's
// next call.
func (g *Guest) Call(export string, input []byte) ([]byte, *fail.Error) {
	output, _, failure := g.run(export, input, false)
	return output, failure
}

// Exchange calls an export that may ask the host for something: then asks is true and output holds its requests.
func (g *Guest) Exchange(export string, input []byte) (output []byte, asks bool, failure *fail.Error) {
	return g.run(export, input, true)
}

func (g *Guest) run(export string, input []byte, mayAsk bool) (output []byte, asks bool, failure *fail.Error) {
	e := g.engine
	if g.module == nil {
		return nil, false, fail.New(fail.Lost, export, "the instance is closed")
	}
	f, known := g.funcs[export]
	if !known {
		f = g.module.ExportedFunction(export)
		if f == nil || len(f.Definition().ParamTypes()) > 0 || len(f.Definition().ResultTypes()) > 1 {
			return nil, false, fail.New(fail.Input, export, "it has no export %s of type () -> i32", export)
		}
		g.funcs[export] = f
	}
	cur := e.begin(g, input)
	defer e.end()
	var stack [1]uint64
	if err := f.CallWithStack(context.Background(), stack[:]); err != nil {
		failure := e.explain(err, export, g)
		g.Close()
		return nil, false, failure
	}
	rc := uint32(0)
	if len(f.Definition().ResultTypes()) == 1 {
		rc = uint32(stack[0])
	}
	if rc == 0 && !cur.failed {
		return cur.output, false, nil
	}
	if rc == codeAsks && mayAsk && len(cur.output) > 0 {
		return cur.output, true, nil
	}
	text := cur.errText
	if strings.TrimSpace(text) == "" {
		text = fmt.Sprintf("%s failed with code %d and gave no reason", export, int32(rc))
	}
	return nil, false, fail.New(fail.Refused, export, "%s", text)
}

// begin starts a call of g.
func (e *Engine) begin(g *Guest, input []byte) *guestCall {
	e.cur = &guestCall{guest: g, wasi: &g.wasi, input: input}
	g.memory.Refused = false
	return e.cur
}

// end ends the running call: it logs what is left of a line and frees the arena.
func (e *Engine) end() {
	e.log.Flush(slog.LevelInfo)
	e.log.Report()
	e.arena.reset()
	e.cur = nil
}

// Close frees the guest. Closing twice does nothing.
func (g *Guest) Close() {
	for _, m := range g.parts {
		_ = m.Close(context.Background())
	}
	g.parts = nil
	if g.module != nil {
		_ = g.module.Close(context.Background()) // reports an exit code at most
		g.module = nil
	}
	g.memory.Free()
	g.funcs = nil
}

// trap ends the running call with an error. It must be called inside a host function and does not return.
func (e *Engine) trap(kind fail.Kind, format string, args ...any) {
	panic(fail.New(kind, "", format, args...))
}

// explain turns an error of wazero into one line that names the export.
func (e *Engine) explain(err error, export string, g *Guest) *fail.Error {
	var own *fail.Error
	var exit *sys.ExitError
	text := firstLine(err)
	note := ""
	if said := guestlog.FirstLine(e.cur.stderr); said != "" {
		note = ": " + strings.TrimSuffix(said, " [recovered, repanicked]") // as guests in Go say of a panic that pdk.Catch passes on
	}
	switch {
	case errors.As(err, &own):
		return fail.New(own.Kind, export, "%s (in %s)", own.Message, export)
	case g.memory.Refused:
		return fail.New(fail.Memory, export, "out of memory in %s: an instance may have %d MiB; work in smaller steps", export, e.opts.Limits.Memory>>20)
	case errors.As(err, &exit):
		return fail.New(fail.Exit, export, "exited with code %d in %s%s", exit.ExitCode(), export, note)
	case strings.Contains(text, "stack overflow"):
		return fail.New(fail.StackOverflow, export, "stack overflow in %s: its calls nest too deeply", export)
	}
	_, reason, isTrap := strings.Cut(text, "wasm error: ") // the part before says at most that it was the start function
	if !isTrap {
		if strings.Contains(text, "(recovered by wazero)") {
			reason = "a host function failed"
		} else {
			reason = text
		}
	}
	if reason == "unreachable" {
		reason = "unreachable executed"
	}
	return fail.New(fail.Trap, export, "trap: %s in %s%s", reason, export, note)
}

// firstLine returns the first line of an error. The other lines of wazero's errors are a stack trace.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
