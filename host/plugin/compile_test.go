package plugin

import (
	"context"
	"testing"
)

func TestACallGoesBeforeWhatIsCompiledAhead(t *testing.T) {
	c := newCompiler()
	started, ended := make(chan struct{}), make(chan bool)
	ahead := func() {
		ended <- c.ahead(func(ctx context.Context) {
			started <- struct{}{}
			<-ctx.Done()
		})
	}
	go ahead()
	<-started
	one := c.forCall()
	if <-ended {
		t.Error("what was stopped is said to be finished")
	}
	two := c.forCall()
	one()
	ran := make(chan bool)
	go func() { ran <- c.ahead(func(ctx context.Context) {}) }()
	select {
	case <-ran:
		t.Error("something is compiled ahead while a call waits")
	default:
	}
	two()
	if !<-ran {
		t.Error("what nobody stopped is said not to be finished")
	}
}

// The set compiles what a call stopped once the call is over.
func TestWhatACallStoppedIsCompiledAfterIt(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	f.put("b.wasm", thing("two"))
	set := f.load(f.options())
	in, err := set.Domains()[1].Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	set.compiling.Wait()
	for _, p := range set.Plugins {
		if !p.Domain.Plugin().Cached() {
			t.Errorf("%s was not compiled", p.Path)
		}
	}
}
