package plugin

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// pack returns modules as a binary embeds them, and the bytes of the pack.
func pack(t *testing.T, wasm ...[]byte) ([]Builtin, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := Pack(ctx, &b, testwasm.Worker(t), wasm...); err != nil {
		t.Fatal(err)
	}
	all, err := Unpack(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return all, b.Bytes()
}

func TestAPackHoldsTheModulesAndTheirManifests(t *testing.T) {
	one, two := thing("one"), thing("two")
	all, packed := pack(t, two, one)
	if _, again := pack(t, one, two); !bytes.Equal(packed, again) {
		t.Error("the same modules in another order give other bytes")
	}
	if len(all) != 2 || all[0].Path() != "builtin:one" || all[1].Path() != "builtin:two" {
		t.Fatalf("unpacked %+v", all)
	}
	for i, want := range [][]byte{one, two} {
		if got, err := all[i].Module.Wasm(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
	// A file with the same module has the same manifest.
	f := newFolder(t)
	f.put("one.wasm", one)
	fromFile := f.load(f.options())
	o := f.options()
	o.Dirs, o.Library.Builtin = nil, all[:1]
	o.Command = []string{"/no/such/program"} // nothing has to run
	set := f.load(o)
	if names(set) != "one" || len(set.Problems()) != 0 || set.Plugins()[0].Sum != fromFile.Plugins()[0].Sum {
		t.Fatalf("served %s, problems %v", names(set), set.Problems())
	}
	a, b := fromFile.Catalog().Domains[0], set.Catalog().Domains[0]
	if got, want := a.Plugin().Info(), b.Plugin().Info(); got.Size != want.Size || !slices.Equal(got.Exports, want.Exports) {
		t.Errorf("packed as %+v, in the file %+v", got, want)
	}
	if a.Manifest.Title != b.Manifest.Title || len(a.Manifest.Verbs) != len(b.Manifest.Verbs) {
		t.Errorf("packed as %+v, in the file %+v", a.Manifest, b.Manifest)
	}
}

func TestOnlyPluginsArePacked(t *testing.T) {
	for says, wasm := range map[string][]byte{
		"no module":    []byte("hello, world"),
		"fcp_save":     without("x", abi.ExportSave),
		"unreachable":  with("x", map[string]testwasm.Act{abi.ExportManifest: testwasm.Traps()}),
		"domain name ": thing("Bad Name"),
	} {
		if says == "no module" {
			says = "not a WebAssembly module"
		}
		if err := Pack(ctx, &bytes.Buffer{}, testwasm.Worker(t), wasm); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	_, packed := pack(t, thing("one"))
	for _, bad := range [][]byte{nil, []byte("no archive"), packed[:len(packed)-10]} {
		if _, err := Unpack(bytes.NewReader(bad), int64(len(bad))); err == nil {
			t.Errorf("%d bytes were unpacked", len(bad))
		}
	}
}

func TestABuiltInModuleIsReadWhenADocumentIsMade(t *testing.T) {
	all, _ := pack(t, thing("one"))
	reads, read := 0, all[0].Module.Wasm
	all[0].Module.Wasm = func() ([]byte, error) { reads++; return read() }
	f := newFolder(t)
	o := f.options()
	o.Dirs, o.Library.Builtin = nil, all
	o.CacheDir, o.Brief = "", true // else it would be compiled in the background
	set := f.load(o)
	if names(set) != "one" || reads != 0 {
		t.Errorf("served %s after %d reads", names(set), reads)
	}
	in, err := set.Catalog().Domains[0].Start(ctx, 1)
	if err != nil || reads != 1 {
		t.Fatalf("%v after %d reads", err, reads)
	}
	in.Close()
}

func TestBuiltInDomainsAreServedWhenNothingIsNamed(t *testing.T) {
	all, _ := pack(t, thing("one"), thing("two"))
	f := newFolder(t)
	f.put("a.wasm", with("one", map[string]testwasm.Act{"extra": testwasm.Traps()}))
	f.put("b.wasm", thing("two")) // the same that is built in
	f.put("c.wasm", thing("three"))
	o := f.options()
	o.Dirs, o.Defaults = nil, []string{f.dir}
	o.Library = Library{Builtin: all, Dirs: []string{f.dir}}
	set := f.load(o)
	var paths []string
	for _, p := range set.Plugins() {
		paths = append(paths, p.Path)
	}
	if want := []string{"builtin:one", "builtin:two", filepath.Join(f.dir, "c.wasm")}; !slices.Equal(paths, want) {
		t.Errorf("served %q, want %q", paths, want)
	}
	if len(set.Problems()) != 1 || !strings.HasSuffix(set.Problems()[0].Error(), "a.wasm: not served: the domain one is served by builtin:one, which comes before it") {
		t.Errorf("problems %v", set.Problems())
	}
	set.Close()
	// What is named replaces them.
	o.Files = []string{"c"}
	if set := f.load(o); names(set) != "three" {
		t.Errorf("served %s", names(set))
	}
	o.Files = []string{"two.wasm"}
	if set := f.load(o); names(set) != "two" || set.Plugins()[0].Path != "builtin:two" {
		t.Errorf("served %s", names(set))
	}
	o.Grants = map[string]Grant{Real("builtin:two"): {Sum: strings.Repeat("0", 64)}}
	if set := f.load(o); len(set.Problems()) != 1 || !strings.Contains(set.Problems()[0].Error(), "the configuration wants 0000") {
		t.Errorf("a grant does not hold for a built-in module: %v", set.Problems())
	}
	o.Files = []string{"four", "one"}
	if set := f.load(o); names(set) != "one" || len(set.Problems()) != 1 ||
		set.Problems()[0].Error() != "plugin four: no such file or plugin; there are builtin:one, builtin:two, "+strings.Join(mustList(t, f.dir), ", ") {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
}

func mustList(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := modules(dir)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestABuiltInServerDomainIsServedOnlyOnRequest(t *testing.T) {
	m := testwasm.MinimalManifest()
	m.Domain = "remote"
	m.Wants = []abi.Want{{Kind: abi.WantHTTP, Name: "api", Base: "https://api.example", Reason: "its documents"}}
	all, _ := pack(t, thing("one"), with("remote", map[string]testwasm.Act{abi.ExportManifest: testwasm.Answers(m)}))
	f := newFolder(t)
	o := f.options()
	o.Dirs, o.Library.Builtin = nil, all
	if set := f.load(o); names(set) != "one" {
		t.Errorf("served %s", names(set))
	}
	// The same module in a default folder is not asked for, either.
	f.put("remote.wasm", must(all[1].Module.Wasm()))
	o.Defaults = []string{f.dir}
	if set := f.load(o); names(set) != "one" || len(set.Problems()) != 0 {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
	o.Defaults, o.Dirs = nil, []string{f.dir}
	if set := f.load(o); names(set) != "remote" {
		t.Errorf("served %s", names(set))
	}
	o.Dirs = nil
	o.Remote = []string{"one", "other", "remote"}
	if set := f.load(o); names(set) != "one remote" {
		t.Errorf("served %s", names(set))
	}
	o.Remote, o.Files = nil, []string{"remote"}
	if set := f.load(o); names(set) != "remote" {
		t.Errorf("served %s", names(set))
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}
