package sandbox

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

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"
)

// engineOptions is what an engine needs beside the module.
type engineOptions struct {
	Limits    Limits
	Code      *codeCache // of the compiled module; nil for none
	Interpret bool       // do not compile
	LogLevel  slog.Level // the least level that is logged
	Log       func(level slog.Level, text string)
}

// engine compiles one module and runs instances of it in this process. It knows no deadlines: whoever needs one runs the
// engine in a process that can be killed. It is for one goroutine at a time, since host functions find the running call in cur.
type engine struct {
	opts     engineOptions
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	arena    arena
	log      *logLimiter
	cur      *guestCall
	out      []byte // kept for the next output
}

// guestCall is the state of the one call that runs.
type guestCall struct {
	wasi    *wasi
	input   []byte
	output  []byte
	failed  bool // error_set was called with a handle
	errText string
	stderr  []byte // what the guest wrote there, for the message about its end
	giveUp  bool   // whether stderr begins with a runtime's last words
}

// noteStderr keeps the beginning of what a guest writes to stderr, or of its last words once there are some: that is where
// runtimes say why they end.
func (c *guestCall) noteStderr(b []byte) {
	if !c.giveUp {
		for _, word := range []string{"panic", "fatal error"} {
			if i := bytes.Index(b, []byte(word)); i >= 0 {
				c.giveUp, c.stderr, b = true, nil, b[i:]
				break
			}
		}
	}
	if room := 256 - len(c.stderr); room > 0 {
		c.stderr = append(c.stderr, b[:min(len(b), room)]...)
	}
}

// newEngine compiles a module, or loads it from the cache, and then wasm is its skeleton. The module must have passed Scan.
func newEngine(ctx context.Context, wasm []byte, opts engineOptions) (*engine, *Error) {
	opts.Limits = opts.Limits.withDefaults()
	if opts.Log == nil {
		opts.Log = func(slog.Level, string) {}
	}
	e := &engine{opts: opts, log: newLogLimiter(opts.Limits, opts.LogLevel, opts.Log)}
	e.arena.limit = uint64(opts.Limits.Arena)
	config := wazero.NewRuntimeConfigCompiler()
	if opts.Interpret {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	config = config.WithDebugInfoEnabled(false)
	if opts.Code != nil {
		cache, err := compilationCache(opts.Code)
		if err != nil {
			return nil, newError(KindLoad, "", "%v", err)
		}
		e.cache = cache
		config = config.WithCompilationCache(cache)
	}
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := e.serve(ctx); err != nil {
		e.close()
		return nil, newError(KindLoad, "", "%v", err)
	}
	var err error
	if opts.Code == nil || opts.Code.fill {
		wasm = joinData(capTables(wasm))
	}
	if e.compiled, err = e.runtime.CompileModule(ctx, wasm); err != nil {
		e.close()
		return nil, newError(KindLoad, "", "the module does not compile: %s; build it again", firstLine(err))
	}
	return e, nil
}

func (e *engine) close() {
	ctx := context.Background()
	// Close reports the exit code of closed guests and nothing that could be acted on.
	_ = e.runtime.Close(ctx)
	if e.cache != nil {
		_ = e.cache.Close(ctx)
	}
}

// guest is one instance of the engine's module.
type guest struct {
	engine *engine
	module api.Module
	memory *memoryLimit
	wasi   wasi
	funcs  map[string]api.Function
	mayAsk bool // in the next call
	asks   bool // whether the last call did
}

// newGuest instantiates the module and runs its initialisation: hs_init after _initialize where both exist (Haskell), else
// _initialize, else __wasm_call_ctors; never _start. The seed is the source of the guest's random numbers.
func (e *engine) newGuest(seed uint64) (g *guest, failure *Error) {
	g = &guest{engine: e, memory: &memoryLimit{limit: e.opts.Limits.Memory}, funcs: map[string]api.Function{}}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	g.wasi.random = rand.NewChaCha8(key)
	e.begin(g, nil)
	defer e.end()
	defer func() {
		// wazero panics when it is given no memory for a module's minimum.
		if r := recover(); r != nil {
			failure = newError(KindLoad, "", "instantiation failed: %v", r)
			if g.memory.refused {
				failure = newError(KindMemory, "", "its worker has no memory left for another instance; close a document")
			}
		}
		if failure != nil {
			g.close()
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
	for _, name := range g.initialisers() {
		f := module.ExportedFunction(name)
		if _, err := f.Call(ctx, make([]uint64, len(f.Definition().ParamTypes()))...); err != nil {
			return g, asLoad(e.explain(err, name, g))
		}
	}
	return g, nil
}

func (g *guest) initialisers() []string {
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

// asLoad turns a failure during the start into a load failure that keeps its text.
func asLoad(e *Error) *Error {
	if e.Kind != KindMemory {
		e.Kind = KindLoad
	}
	e.Message = cleanMessage(e.Kind, "could not start: "+e.Message)
	return e
}

// setOutput copies b as the running call's output.
func (e *engine) setOutput(b []byte) {
	e.cur.output = append(e.out[:0], b...)
	if cap(e.cur.output) <= keepBuffer {
		e.out = e.cur.output
	}
}

// call runs an export. After a fatal error the guest is closed. The returned bytes are valid until the engine's next call.
func (g *guest) call(export string, input []byte) ([]byte, *Error) {
	e := g.engine
	if g.module == nil {
		return nil, newError(KindLost, export, "the instance is closed")
	}
	f, known := g.funcs[export]
	if !known {
		f = g.module.ExportedFunction(export)
		if f == nil || len(f.Definition().ParamTypes()) > 0 || len(f.Definition().ResultTypes()) > 1 {
			return nil, newError(KindInput, export, "it has no export %s of type () -> i32", export)
		}
		g.funcs[export] = f
	}
	g.asks = false
	cur := e.begin(g, input)
	defer e.end()
	var stack [1]uint64
	if err := f.CallWithStack(context.Background(), stack[:]); err != nil {
		failure := e.explain(err, export, g)
		g.close()
		return nil, failure
	}
	rc := uint32(0)
	if len(f.Definition().ResultTypes()) == 1 {
		rc = uint32(stack[0])
	}
	if rc == 0 && !cur.failed {
		return cur.output, nil
	}
	if rc == codeAsks && g.mayAsk && len(cur.output) > 0 {
		g.asks = true
		return cur.output, nil
	}
	text := cur.errText
	if strings.TrimSpace(text) == "" {
		text = fmt.Sprintf("%s failed with code %d and gave no reason", export, int32(rc))
	}
	return nil, newError(KindRefused, export, "%s", text)
}

// begin makes g's call the running one.
func (e *engine) begin(g *guest, input []byte) *guestCall {
	e.cur = &guestCall{wasi: &g.wasi, input: input}
	g.memory.refused = false
	return e.cur
}

func (e *engine) end() {
	e.log.flush(slog.LevelInfo)
	e.log.report()
	e.arena.reset()
	e.cur = nil
}

func (g *guest) close() {
	if g.module != nil {
		_ = g.module.Close(context.Background()) // reports an exit code at most
		g.module = nil
	}
	g.memory.Free()
	g.funcs = nil
}

// trap ends the running call from inside a host function.
func (e *engine) trap(kind Kind, format string, args ...any) {
	panic(newError(kind, "", format, args...))
}

// explain turns what wazero returned into one line that names the export.
func (e *engine) explain(err error, export string, g *guest) *Error {
	var own *Error
	var exit *sys.ExitError
	text := firstLine(err)
	note := ""
	if said := firstOf(e.cur.stderr); said != "" {
		note = ": " + said
	}
	switch {
	case errors.As(err, &own):
		return newError(own.Kind, export, "%s (in %s)", own.Message, export)
	case g.memory.refused:
		return newError(KindMemory, export, "out of memory in %s: an instance may have %d MiB; work in smaller steps", export, e.opts.Limits.Memory>>20)
	case errors.As(err, &exit):
		return newError(KindExit, export, "exited with code %d in %s%s", exit.ExitCode(), export, note)
	case strings.Contains(text, "stack overflow"):
		return newError(KindStackOverflow, export, "stack overflow in %s: its calls nest too deeply", export)
	}
	_, reason, isTrap := strings.Cut(text, "wasm error: ") // in front stands, at most, that it was the start function
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
	return newError(KindTrap, export, "trap: %s in %s%s", reason, export, note)
}

// firstLine returns the first line of an error; the rest of wazero's is a stack trace.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// firstOf returns the first line that is not blank.
func firstOf(b []byte) string {
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return string(line)
		}
	}
	return ""
}

// capTables rewrites the table section so that no table can grow past maxTableItems: wazero's memory limit does not cover
// tables, and table.grow took 15.6 GB in ten seconds under a limit of one megabyte. The module must have passed Scan.
func capTables(wasm []byte) []byte {
	r := &reader{b: wasm, pos: 8}
	for r.left() > 0 && r.err == nil {
		from := r.pos
		id := r.u8()
		body := r.sub(r.u32())
		if id != 4 {
			continue
		}
		n := body.u32()
		section := binary.AppendUvarint(nil, uint64(n))
		for range n {
			kind := body.u8()
			lo, hi, hasMax := bounds(body)
			if !hasMax || hi > maxTableItems {
				hi = maxTableItems
			}
			section = append(section, kind, 1)
			section = binary.AppendUvarint(section, uint64(lo))
			section = binary.AppendUvarint(section, uint64(hi))
		}
		if body.err != nil {
			return wasm // Scan would have refused it, and the engine will
		}
		out := make([]byte, 0, len(wasm)+len(section)+8)
		out = append(out, wasm[:from]...)
		out = append(out, 4)
		out = binary.AppendUvarint(out, uint64(len(section)))
		out = append(out, section...)
		return append(out, wasm[r.pos:]...)
	}
	return wasm
}
