package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// runningWorker returns the worker of l, and starts and loads one when none runs. The caller has the turn of l.
func (p *Plugin) runningWorker(ctx context.Context, l *lane) (*worker.Process, *Error) {
	p.mu.Lock()
	w := l.worker
	p.mu.Unlock()
	if w != nil && !w.Dead() {
		return w, nil
	}
	p.dropWorker(w)
	if failure := p.awaitRestart(ctx); failure != nil {
		return nil, failure
	}
	if p.interprets(l) {
		return p.startInterpreting(l)
	}
	if err := p.lockBuild(ctx); err != nil {
		return nil, fail.New(KindLost, "", "%s", err)
	}
	defer p.unlockBuild()
	for range 2 {
		code, wasm, failure := p.compiledCode(ctx, 0)
		if failure != nil {
			return nil, failure
		}
		w, failure = p.startLoadedWorker(l, code, wasm)
		closeFile(code)
		if failure == nil || code == nil || failure.Kind != KindLoad {
			return w, failure
		}
		// The worker found the native code damaged. Compile again rather than fail.
		p.cache.Discard(fmt.Errorf("it did not load: %s", failure.Message))
	}
	wasm, failure := p.readWasm()
	if failure != nil {
		return nil, failure
	}
	return p.startLoadedWorker(l, nil, wasm)
}

// startWorker starts a process, which Close will end. It inherits code unless code is nil. nice lowers its priority.
func (p *Plugin) startWorker(code *os.File, nice int) (*worker.Process, *Error) {
	return p.startWorkerFor(nil, code, nice)
}

// startWorkerFor is startWorker for a lane, whose limits the process itself watches, too; nil for none.
func (p *Plugin) startWorkerFor(l *lane, code *os.File, nice int) (*worker.Process, *Error) {
	if failure := p.cfg.Workers.Full(); failure != nil {
		return nil, failure
	}
	cfg := p.workerConfig()
	cfg.Limits.Start, cfg.Limits.Call = p.scaled(l, cfg.Limits.Start), p.scaled(l, cfg.Limits.Call)
	if cfg.Nice = nice; nice > 0 && cfg.Limits.Wall == 0 {
		cfg.Limits.Wall = max(10*cfg.Limits.WallFor(cfg.Limits.Compile), time.Hour) // others go first, and nobody has to wait
	}
	w, failure := worker.Start(cfg, code)
	if failure != nil {
		return nil, failure
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.procs[w] = struct{}{}
	}
	p.mu.Unlock()
	if closed {
		w.Stop()
		return nil, errClosed()
	}
	return w, nil
}

// startLoadedWorker starts the worker of l and loads the module into it: its compiled code, or wasm when code is nil.
func (p *Plugin) startLoadedWorker(l *lane, code *os.File, wasm []byte) (*worker.Process, *Error) {
	if code != nil {
		wasm = nil // the file holds the skeleton
	}
	w, failure := p.startWorker(code, 0)
	if failure != nil {
		return nil, failure
	}
	p.mu.Lock()
	l.worker = w
	l.starts++
	p.mu.Unlock()
	if failure = w.Load(p.settings(), wasm, p.cfg.Limits.Compile); failure != nil {
		p.countDeath(w, failure)
		p.dropWorker(w)
		return nil, failure
	}
	return w, nil
}

// startInterpreting starts a worker that interprets the module. l is its lane, whose turn the caller has.
func (p *Plugin) startInterpreting(l *lane) (*worker.Process, *Error) {
	wasm, failure := p.scannedWasm()
	if failure != nil {
		return nil, failure
	}
	w, failure := p.startWorkerFor(l, nil, 0)
	if failure != nil {
		return nil, failure
	}
	w.MuteExit() // its end is no news
	p.mu.Lock()
	l.worker = w
	p.mu.Unlock()
	s := p.settings()
	s.Interpret = true
	if failure = w.Load(s, wasm, p.scaled(l, p.cfg.Limits.Start)); failure != nil {
		p.dropWorker(w)
		return nil, failure
	}
	return w, nil
}

// workerConfig returns what a worker of the plugin is started with.
func (p *Plugin) workerConfig() worker.Config {
	return worker.Config{Name: p.cfg.Name, Command: p.cfg.Command, Limits: p.cfg.Limits, All: p.cfg.Workers, Pool: p.pool, Log: p.cfg.Log}
}

// settings returns the settings of a worker that runs instances.
func (p *Plugin) settings() worker.Settings {
	return worker.Settings{LogLevel: p.logLevel(), Require: p.cfg.Require}
}

// logLevel returns the lowest level that the log accepts, so that workers do not send lines that are dropped.
func (p *Plugin) logLevel() slog.Level {
	for _, level := range []slog.Level{slog.LevelDebug - 4, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if p.cfg.Log.Enabled(context.Background(), level) {
			return level
		}
	}
	return slog.LevelError + 4
}

// dropWorker ends a worker and forgets it and its instances. It does nothing for nil.
func (p *Plugin) dropWorker(w *worker.Process) {
	if w == nil {
		return
	}
	w.Stop()
	p.mu.Lock()
	delete(p.procs, w)
	for _, l := range p.allLanes() {
		if l.worker == w {
			l.worker, l.closing, l.instances = nil, nil, 0
			maps.DeleteFunc(p.instances, func(_ uint32, i *Instance) bool { return i.worker == w })
		}
	}
	p.mu.Unlock()
}
