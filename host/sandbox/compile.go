package sandbox

import (
	"context"
	"os"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
)

// readWasm returns the module's bytes.
func (p *Plugin) readWasm() ([]byte, *Error) {
	wasm, err := p.module.Wasm()
	if err != nil {
		return nil, fail.New(KindWorker, "", "its code cannot be read: %v", err)
	}
	return wasm, nil
}

// Warm compiles the module into the cache unless it is there, in a process of its own. Without a cache it only scans the code. The
// compilation ends with ctx. With Config.Interim it is the one in the background, which goes on after ctx has ended.
func (p *Plugin) Warm(ctx context.Context) error {
	if p.interim != nil {
		if p.isCompiled() {
			return nil
		}
		return p.awaitBuild(ctx)
	}
	if err := p.lockBuild(ctx); err != nil {
		return err
	}
	defer p.unlockBuild()
	return p.retryLost(ctx, func() *Error {
		code, _, failure := p.compiledCode(ctx, 0)
		closeFile(code)
		return failure
	})
}

// Cached reports whether the module is in the cache, damaged or not.
func (p *Plugin) Cached() bool { return p.cache != nil && p.cache.Exists() }

// closeFile closes a file of compiled code unless it is nil. The file is no longer needed, so errors do not matter.
func closeFile(f *os.File) {
	if f != nil {
		_ = f.Close()
	}
}

// scannedWasm returns the module's bytes. The first time, it scans the function bodies, unless that was done before.
func (p *Plugin) scannedWasm() ([]byte, *Error) {
	wasm, failure := p.readWasm()
	if failure != nil || p.module.Scanned {
		return wasm, failure
	}
	p.scanBodies.Do(func() {
		if _, err := Scan(wasm); err != nil {
			p.scanFailure = fail.New(KindLoad, "", "%s", err)
		}
	})
	if p.scanFailure != nil {
		failure := *p.scanFailure
		return nil, &failure
	}
	return wasm, nil
}

// compiledCode returns the module's compiled code for a worker to load, and compiles it first when it is not in the cache. Where no cache
// can be used, code is nil and wasm holds the module's bytes. The caller closes code. nice lowers the priority of the process that compiles.
// The caller has buildTurn.
func (p *Plugin) compiledCode(ctx context.Context, nice int) (code *os.File, wasm []byte, failure *Error) {
	if p.cache != nil {
		if code := p.cache.Open(); code != nil {
			return code, nil, nil
		}
	}
	wasm, failure = p.scannedWasm()
	if failure != nil || p.cache == nil {
		return nil, wasm, failure
	}
	without := func(err error) (*os.File, []byte, *Error) {
		p.cfg.Log.Warn("the compilation cache cannot be written; compiling without it", "plugin", p.cfg.Name, "error", err)
		return nil, wasm, nil
	}
	code, err := p.cache.Begin(module.Skeleton(wasm))
	if err != nil {
		return without(err)
	}
	defer p.cache.Abandon(code)
	w, failure := p.startWorker(code, nice)
	if failure != nil {
		return nil, nil, failure
	}
	stop := context.AfterFunc(ctx, w.Stop)
	s := p.settings()
	s.Compile = true
	failure = w.Load(s, wasm, p.cfg.Limits.Compile)
	stop()
	if failure != nil {
		p.countDeath(w, failure)
	}
	p.dropWorker(w)
	if failure != nil {
		switch failure.Kind {
		case KindLoad:
			// The module or the cache failed, for instance because the disk is full. A worker without a cache will show which.
			return nil, wasm, nil
		case KindDeadline, KindStalled:
			failure = fail.New(failure.Kind, "", "the module does not compile in time: %s", failure.Message)
		case KindMemory:
			failure = fail.New(KindLoad, "", "the module does not compile: %s", failure.Message)
		}
		return nil, nil, failure
	}
	final, err := p.cache.Commit(code)
	if err != nil {
		return without(err)
	}
	return final, nil, nil
}

// lockBuild waits for the turn to compile or scan the module.
func (p *Plugin) lockBuild(ctx context.Context) error {
	return p.acquire(ctx, p.buildTurn)
}

func (p *Plugin) unlockBuild() { <-p.buildTurn }
