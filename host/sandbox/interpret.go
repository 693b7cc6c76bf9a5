package sandbox

import (
	"context"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// Interpret runs one export once, without input, in a process of its own that interprets the module. It answers much sooner than
// compiling the module would, although the guest runs about 30 times slower. limit bounds loading, starting and the call, each, as the
// plugin's own limits do. A module that fails may still work when it is compiled, so a failure does not count toward disabling the
// plugin.
func (p *Plugin) Interpret(ctx context.Context, export string, limit time.Duration) ([]byte, error) {
	output, failure := p.interpret(ctx, export, limit)
	return output, p.withName(failure)
}

func (p *Plugin) interpret(ctx context.Context, export string, limit time.Duration) ([]byte, *Error) {
	wasm, failure := p.scannedWasm()
	if failure != nil {
		return nil, failure
	}
	w, failure := p.startWorker(nil, 0)
	if failure != nil {
		return nil, failure
	}
	defer p.dropWorker(w)
	w.MuteExit() // an interpreted guest may just be too slow
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
