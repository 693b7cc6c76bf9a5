package session

import (
	"context"
	"sync"

	"github.com/fcp-host/fcp-host/host/capability/program"
)

// Progress reports how far a call is. It may be used from several goroutines.
type Progress struct {
	mu  sync.Mutex
	job *program.Job
}

type progressKey struct{}

// WithProgress makes the call of a context report its progress to p.
func WithProgress(ctx context.Context, p *Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// Now returns a line about the call, "" for nothing, and the part that is done, from 0 to 1, or -1 if unknown.
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
	return jobLine(status), part
}

// reportProgress makes a job's progress that of the call, until the returned function is called.
func reportProgress(ctx context.Context, job *program.Job) func() {
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
