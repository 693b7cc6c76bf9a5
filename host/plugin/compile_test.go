package plugin

import (
	"testing"
)

// A call on a module that is not compiled yet stops nothing that is compiled in the background.
func TestBackgroundCompilingGoesOnDuringACall(t *testing.T) {
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
