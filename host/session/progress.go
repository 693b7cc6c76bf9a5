package session

import (
	"context"
	"sync"

	"github.com/fcp-host/fcp-host/host/capability/program"
)

// Progress is how far a call is, for whoever waits for it. It may be used from several goroutines.
type Progress struct {
	mu  sync.Mutex
	job *program.Job
}

type progressKey struct{}

// WithProgress has the call of a context tell p how far it is.
func WithProgress(ctx context.Context, p *Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// Now is what is known of the call: a line, "" for nothing, and how much is done, from 0 to 1, or -1.
func (p *Progress) Now() (text string, part float64) {
	p.mu.Lock()
	job := p.job
	p.mu.Unlock()
	if job == nil {
		return "", -1
	}
	status := job.Status()
	part, ok := status.Part()
	if !ok {
		part = -1
	}
	return told(status), part
}

// follow has the progress of the call be the job's, until what it returns is called.
func follow(ctx context.Context, job *program.Job) func() {
	p, ok := ctx.Value(progressKey{}).(*Progress)
	if !ok {
		return func() {}
	}
	set := func(job *program.Job) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.job = job
	}
	set(job)
	return func() { set(nil) }
}
