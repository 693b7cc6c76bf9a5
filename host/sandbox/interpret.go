package sandbox

import (
	"context"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// Interpret runs one export once, without input, in a process of its own that interprets the module instead of compiling it.
// Of a module that has yet to be compiled it has an answer in a fraction of the time that would take, though the guest runs
// some thirty times as slowly. limit bounds each of the steps, as the plugin's own limits do. A failure says little of the
// module, which may do better when it is compiled, and is no death of its worker.
func (p *Plugin) Interpret(ctx context.Context, export string, limit time.Duration) ([]byte, error) {
	if err := p.lockBuild(ctx); err != nil {
		return nil, err
	}
	defer p.unlockBuild()
	output, failure := p.interpret(ctx, export, limit)
	return output, p.withName(failure)
}

func (p *Plugin) interpret(ctx context.Context, export string, limit time.Duration) ([]byte, *Error) {
	wasm, failure := p.scannedWasm()
	if failure != nil {
		return nil, failure
	}
	w, failure := p.startWorker(nil)
	if failure != nil {
		return nil, failure
	}
	defer p.dropWorker(w)
	w.MuteExit() // what it dies of may be its slowness alone
	defer context.AfterFunc(ctx, w.Stop)()
	s := p.settings()
	s.Interpret = true
	limits := p.cfg.Limits
	if failure := w.Load(s, wasm, min(limit, limits.Compile)); failure != nil {
		return nil, failure
	}
	if _, failure := w.NewInstance(min(limit, limits.Start), 0, 0); failure != nil {
		return nil, failure
	}
	a, failure := w.Call(min(limit, limits.Call), worker.Call{Export: export})
	return a.Output, failure
}
