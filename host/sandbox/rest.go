package sandbox

import "context"

// Rest ends the worker when no instance lives in it, and gives its memory
// back. The next NewInstance starts another.
func (p *Plugin) Rest() {
	if p.lock(context.Background()) != nil {
		return
	}
	defer p.unlock()
	p.mu.Lock()
	w, busy := p.worker, len(p.alive)-len(p.ending)
	p.mu.Unlock()
	if w != nil && busy <= 0 {
		p.drop(w)
	}
}
