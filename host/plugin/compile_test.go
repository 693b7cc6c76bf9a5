package plugin

import (
	"context"
	"testing"
)

func TestACallTakesPrecedenceOverBackgroundCompiling(t *testing.T) {
	c := newCompiler()
	started, ended := make(chan struct{}), make(chan int)
	for range jobs {
		go func() {
			n := 0
			c.background(ctx, func(ctx context.Context) {
				if n++; n == 1 {
					started <- struct{}{}
					<-ctx.Done()
				}
			})
			ended <- n
		}()
	}
	for range jobs {
		<-started
	}
	one := c.forCall() // stops all of them
	two := c.forCall()
	one()
	select {
	case <-ended:
		t.Error("something is compiled in the background while a call waits")
	default:
	}
	two()
	for range jobs {
		if n := <-ended; n != 2 {
			t.Errorf("what a call stopped ran %d times", n)
		}
	}
}

func TestBackgroundCompilingEndsWithItsContext(t *testing.T) {
	c := newCompiler()
	ctx, stop := context.WithCancel(ctx)
	n := 0
	c.background(ctx, func(context.Context) { n++; stop() })
	if n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

// After a call that cancelled background compiling, the set compiles the rest.
func TestBackgroundCompilingGoesOnAfterACall(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	f.put("b.wasm", thing("two"))
	set := f.load(f.options())
	in, err := set.Catalog().Domains[1].Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	set.work.Wait()
	for _, p := range set.Plugins() {
		if !p.Domain.Plugin().Cached() {
			t.Errorf("%s was not compiled", p.Path)
		}
	}
}

// A command that ends soon would never finish what it compiles ahead.
func TestABriefSetCompilesWhatACallNeedsAndNothingElse(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	f.put("b.wasm", thing("two"))
	o := f.options()
	o.Brief = true
	set := f.load(o)
	set.work.Wait()
	in, err := set.Catalog().Domains[1].Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	set.work.Wait()
	for i, p := range set.Plugins() {
		if got, want := p.Domain.Plugin().Cached(), i == 1; got != want {
			t.Errorf("%s: compiled %v, want %v", p.Path, got, want)
		}
	}
}
