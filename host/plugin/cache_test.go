package plugin

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestACachedManifestNeedsNoWorker(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	f.put("b.wasm", thing("two"))
	cold := f.load(f.options())
	for _, p := range cold.Plugins() {
		if p.Domain.Plugin().Stats().PID != 0 {
			t.Errorf("%s: the worker that described it still runs", p.Path)
		}
	}
	cold.Close()
	o := f.options()
	o.Command = []string{"/no/such/program"} // nothing could be started
	warm := f.load(o)
	if names(warm) != "one two" || starts(warm) != 0 || len(warm.Problems()) != 0 {
		t.Errorf("served %s, problems %v", names(warm), warm.Problems())
	}
	// The cached manifest equals the plugin's.
	a, b := cold.Plugins()[0].Domain.Manifest, warm.Plugins()[0].Domain.Manifest
	if fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) {
		t.Errorf("cold %+v\nwarm %+v", a, b)
	}
	if _, err := os.Stat(filepath.Join(f.cache, "manifests", warm.Plugins()[0].Sum+".manifest")); err != nil {
		t.Error(err)
	}
}

func TestADamagedManifestInTheCacheIsAskedForAgain(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	set := f.load(f.options())
	set.Close()
	file := filepath.Join(f.cache, "manifests", set.Plugins()[0].Sum+".manifest")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[bytes.Index(flipped, []byte("Things"))] ^= 1
	for name, data := range map[string][]byte{"empty": {}, "truncated": whole[:len(whole)-1], "a bit flipped in a text": flipped, "noise": []byte("noise"), "another length": append(slices.Clone(whole), 0)} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		f.log.Reset()
		set := f.load(f.options())
		if names(set) != "one" || set.Plugins()[0].Domain.Manifest.Title != `one "Things"` {
			t.Errorf("%s: served %s %+v", name, names(set), set.Plugins())
		}
		set.Close()
		if !strings.Contains(f.log.String(), "damaged file in the cache") {
			t.Errorf("%s: the log says %s", name, f.log.String())
		}
		if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("%s: not cached again: %v", name, err)
		}
	}
}

func TestACacheThatOthersMayWriteToIsNotTrusted(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	f.load(f.options()).Close()
	manifests := filepath.Join(f.cache, "manifests")
	for _, mode := range []os.FileMode{0o777, 0o770, 0o702} {
		if err := os.Chmod(manifests, mode); err != nil {
			t.Fatal(err)
		}
		f.log.Reset()
		o := f.options()
		o.Command = []string{"/no/such/program"}
		set := f.load(o)
		if names(set) != "" || len(set.Problems()) != 1 {
			t.Errorf("mode %o: the cache was used", mode)
		}
		set = f.load(f.options())
		if names(set) != "one" || !strings.Contains(f.log.String(), "the manifests of plugins are not cached") {
			t.Errorf("mode %o: served %s, the log says %s", mode, names(set), f.log.String())
		}
	}
	if err := os.RemoveAll(manifests); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), manifests); err != nil {
		t.Fatal(err)
	}
	if set := f.load(f.options()); names(set) != "one" {
		t.Errorf("a link: served %s", names(set))
	}
}

func TestACacheThatCannotBeWrittenCostsOnlyTime(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	o := f.options()
	o.CacheDir = f.put("file", nil) // below a file nothing can be made
	if set := f.load(o); names(set) != "one" {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
	o.CacheDir = ""
	set := f.load(o)
	if names(set) != "one" {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
	in, err := set.Catalog().Domains[0].Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if n := set.Catalog().Domains[0].Plugin().Stats().Restarts; n != 0 {
		t.Errorf("without a cache it was compiled %d times more than once", n)
	}
}

func TestARealPluginLoadsFromTheCacheAndWorks(t *testing.T) {
	o := Options{Files: []string{testwasm.List(t)}, CacheDir: testwasm.CacheDir(t), Command: testwasm.Worker(t), Limits: sandbox.Limits{Compile: 5 * time.Minute}}
	for range 2 {
		set, err := Load(ctx, o)
		if err != nil || len(set.Plugins()) != 1 {
			t.Fatalf("%v, %v", set, err)
		}
		in, err := set.Catalog().Domains[0].Start(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := in.New(ctx, &abi.NewRequest{Title: "x"}); err != nil || out.State.Digest != "1 lines" {
			t.Errorf("%v, %v", out, err)
		}
		set.Close()
	}
}
