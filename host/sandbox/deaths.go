package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// When a plugin's own calls end its worker, the next start waits, longer each time, and after too many deaths the plugin is disabled until
// Enable. A worker that was ended from outside (by a signal, or because the system ran out of memory) does not count.
const (
	// deathsToDisable deaths within deathsWindow disable a plugin.
	deathsToDisable = 10
	deathsWindow    = 10 * time.Minute
	// The first restart is immediate, the second waits for firstPause, and each further one twice as long, up to longestPause.
	firstPause   = 20 * time.Millisecond
	longestPause = 2 * time.Second
)

// deaths counts the workers that a plugin's own calls ended.
type deaths struct {
	times    []time.Time // within the window, oldest first
	last     string      // why the last one ended
	disabled bool
}

// add records a death and reports whether the plugin is disabled.
func (d *deaths) add(now time.Time, why string) bool {
	d.dropOld(now)
	d.times = append(d.times, now)
	d.last = why
	d.disabled = d.disabled || len(d.times) >= deathsToDisable
	return d.disabled
}

// dropOld drops the deaths before the window. A disabled plugin stays disabled.
func (d *deaths) dropOld(now time.Time) {
	for len(d.times) > 0 && now.Sub(d.times[0]) > deathsWindow {
		d.times = d.times[1:]
	}
}

// pause returns how long the next start must wait; it may be negative.
func (d *deaths) pause(now time.Time) time.Duration {
	d.dropOld(now)
	n := len(d.times)
	if n < 2 {
		return 0
	}
	return min(firstPause<<min(n-2, 16), longestPause) - now.Sub(d.times[n-1])
}

// countDeath counts the death of a worker if it is dead and the plugin's own call was the reason: it ran too long, took too much memory, or
// made the process give up.
func (p *Plugin) countDeath(w *worker.Process, failure *Error) {
	if !w.Dead() || !w.EndedByGuest() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deaths.add(p.now(), failure.Message) {
		p.cfg.Log.Error("a plugin is disabled: its worker died too often", "plugin", p.cfg.Name, "deaths", len(p.deaths.times), "last", failure.Message)
	}
}

// awaitRestart waits until the plugin may start a worker, at most until ctx ends.
func (p *Plugin) awaitRestart(ctx context.Context) *Error {
	p.mu.Lock()
	pause := p.deaths.pause(p.now())
	disabled, last := p.deaths.disabled, p.deaths.last
	p.mu.Unlock()
	if disabled {
		return fail.New(KindDisabled, "", "it is disabled, since its worker died %d times within %v (the last time: %s); its documents are kept; the session action enable lets it run again",
			deathsToDisable, deathsWindow, last)
	}
	if pause <= 0 {
		return nil
	}
	if failure := p.chargePause(ctx, pause); failure != nil {
		return failure
	}
	if err := p.sleep(ctx, pause); err != nil {
		return fail.New(KindLost, "", "waiting to start again: %s", err)
	}
	return nil
}

// sleep waits for d. It fails when ctx ends or the plugin is closed first.
func (p *Plugin) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-p.done:
		return fmt.Errorf("the plugin is closed")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Disabled reports whether the plugin's worker died too often, so that none is started until Enable.
func (p *Plugin) Disabled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deaths.disabled
}

// Enable lets a disabled plugin start workers again and forgets their deaths. It reports whether the plugin was disabled.
func (p *Plugin) Enable() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.deaths.disabled
	p.deaths = deaths{}
	return was
}
