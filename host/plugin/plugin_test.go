package plugin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestABrokenPluginIsReportedAndTheOthersServe(t *testing.T) {
	good := thing("good")
	newer := testwasm.MinimalManifest()
	newer.ABI = 2
	if err := syscall.Mkfifo(filepath.Join(t.TempDir(), "probe"), 0o644); err != nil {
		t.Skip(err)
	}
	broken := []struct {
		name string
		wasm []byte // nil for one made otherwise
		says string
	}{
		{"empty.wasm", []byte{}, "the file is empty"},
		{"text.wasm", []byte("hello, world, this is no module"), "not a WebAssembly module"},
		{"truncated.wasm", good[:len(good)/2], ""},
		{"header.wasm", good[:8], "exports none of the functions of an fcp plugin (fcp_manifest, …)"},
		{"flipped.wasm", append(slices.Clone(good[:9]), append([]byte{0xff}, good[10:]...)...), ""},
		{"no-save.wasm", without("thing", abi.ExportSave), "it does not export fcp_save"},
		{"odd-save.wasm", with("thing", map[string]testwasm.Act{abi.ExportSave: testwasm.TakesAnArgument()}), "its export fcp_save has the signature (i32) -> i32 and must have () -> i32"},
		{"newer.wasm", with("x", map[string]testwasm.Act{abi.ExportManifest: testwasm.Answers(newer)}), "the plugin speaks ABI 2, this host speaks 1: upgrade fcp-host"},
		{"no-msgpack.wasm", with("x", map[string]testwasm.Act{abi.ExportManifest: testwasm.Says([]byte("hello"))}), "the manifest is not a valid message"},
		{"no-manifest.wasm", with("x", map[string]testwasm.Act{abi.ExportManifest: testwasm.Says(nil)}), "the manifest is not a valid message (message ends early)"},
		{"refuses.wasm", with("x", map[string]testwasm.Act{abi.ExportManifest: testwasm.Refuses("not\nfor \x1byou")}), `not for \u001byou`},
		{"traps.wasm", with("x", map[string]testwasm.Act{abi.ExportManifest: testwasm.Traps()}), "unreachable"},
		{"traps-at-start.wasm", with("x", map[string]testwasm.Act{"_initialize": testwasm.Traps()}), "unreachable"},
		{"loops-at-start.wasm", with("x", map[string]testwasm.Act{"_initialize": testwasm.Loops()}), "its start took more than 3s of processor time and was stopped; raise the limits compile and start"},
		{"bad-name.wasm", thing("Bad Name"), `domain name "Bad Name": use a to z`},
		{"folder.wasm", nil, "is a folder"},
		{"fifo.wasm", nil, "not a regular file"},
		{"dangling.wasm", nil, "no such file or directory"},
		{"large.wasm", nil, "larger than 32 MiB"},
	}
	f := newFolder(t)
	o := f.options()
	for _, b := range broken {
		path := filepath.Join(f.dir, b.name)
		var err error
		switch b.name {
		case "folder.wasm":
			err = os.Mkdir(path, 0o755)
		case "fifo.wasm":
			err = syscall.Mkfifo(path, 0o644)
		case "dangling.wasm":
			err = os.Symlink("nowhere", path)
		case "large.wasm":
			f.put(b.name, nil)
			err = os.Truncate(path, MaxFile+1) // sparse
		default:
			f.put(b.name, b.wasm)
		}
		if err != nil {
			t.Fatal(err)
		}
		o.Files = append(o.Files, path)
	}
	o.Files = append(o.Files, f.put("good.wasm", good), f.put("other.wasm", thing("other")), filepath.Join(f.dir, "missing.wasm"))
	o.Dirs = nil
	set := f.load(o)
	if names(set) != "good other" {
		t.Errorf("served: %s", names(set))
	}
	if len(set.Problems()) != len(broken)+1 {
		t.Fatalf("%d problems", len(set.Problems()))
	}
	for i, b := range broken {
		text := set.Problems()[i].Error()
		if !strings.HasPrefix(text, "plugin "+filepath.Join(f.dir, b.name)+": ") || !strings.Contains(text, b.says) || strings.ContainsAny(text, "\n\x1b") || len(text) > 800 {
			t.Errorf("%s: %q", b.name, text)
		}
	}
	if text := set.Problems()[len(broken)].Error(); !strings.HasSuffix(text, "missing.wasm: no such file or directory") {
		t.Error(text)
	}
}

func TestAFolderServesItsModulesByNameAndNothingElse(t *testing.T) {
	f := newFolder(t)
	f.put("b.wasm", thing("one"))
	f.put("a.wasm", thing("two"))
	f.put(".hidden.wasm", thing("three"))
	f.put("notes.txt", []byte("x"))
	f.put("c.wasm.bak", thing("four"))
	if err := os.Mkdir(filepath.Join(f.dir, "sub.wasm"), 0o755); err != nil {
		t.Fatal(err)
	}
	set := f.load(f.options())
	if names(set) != "two one" || len(set.Problems()) != 0 {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
	if p := set.Plugins()[0]; p.Path != filepath.Join(f.dir, "a.wasm") || len(p.Sum) != 64 {
		t.Errorf("%+v", p)
	}
}

func TestDefaultsCountOnlyWhenNothingIsNamed(t *testing.T) {
	f := newFolder(t)
	named := f.put("a.wasm", thing("one"))
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "b.wasm"), thing("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	o := f.options()
	o.Dirs, o.Defaults = nil, []string{filepath.Join(f.dir, "missing"), other}
	if got := names(f.load(o)); got != "two" {
		t.Errorf("by default: %s", got)
	}
	o.Files = []string{named}
	if got := names(f.load(o)); got != "one" {
		t.Errorf("named: %s", got)
	}
	o.Dirs = []string{filepath.Join(f.dir, "missing")}
	set := f.load(o)
	if names(set) != "one" || len(set.Problems()) != 1 || set.Problems()[0].Error() != "plugin "+o.Dirs[0]+": the plugin folder cannot be read: no such file or directory" {
		t.Errorf("a folder that is not there: served %s, problems %v", names(set), set.Problems())
	}
}

func TestOfTwoPluginsOfOneDomainTheFirstServesAndTheOtherIsNamed(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("same"))
	f.put("b.wasm", thing("other"))
	f.put("c.wasm", with("same", map[string]testwasm.Act{"extra": testwasm.Traps()}))
	first := func(o Options, path string) {
		t.Helper()
		set := f.load(o)
		defer set.Close()
		k := slices.IndexFunc(set.Plugins(), func(p *Plugin) bool { return p.Domain.Name() == "same" })
		if len(set.Plugins()) != 2 || k < 0 || set.Plugins()[k].Path != filepath.Join(f.dir, path) {
			t.Fatalf("served %s", names(set))
		}
		if len(set.Problems()) != 1 || set.Problems()[0].Error() == "" || !strings.Contains(set.Problems()[0].Error(), "not served: the domain same is served by "+set.Plugins()[k].Path) {
			t.Errorf("problems %v", set.Problems())
		}
	}
	o := f.options()
	first(o, "a.wasm") // by file name
	o.Files = []string{filepath.Join(f.dir, "c.wasm")}
	first(o, "c.wasm") // what is named goes before folders
}

func TestTheSameModuleTwiceIsServedOnce(t *testing.T) {
	f := newFolder(t)
	path := f.put("a.wasm", thing("same"))
	f.put("copy.wasm", thing("same"))
	if err := os.Symlink("a.wasm", filepath.Join(f.dir, "link.wasm")); err != nil {
		t.Fatal(err)
	}
	o := f.options()
	o.Files = []string{path, path}
	set := f.load(o)
	if names(set) != "same" || set.Plugins()[0].Path != path || len(set.Problems()) != 0 {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
}

func TestAModuleIsCompiledAfterItWasAskedForItsManifest(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	f.put("b.wasm", thing("two"))
	check := func(set *Set) {
		t.Helper()
		if names(set) != "one two" || starts(set) != 0 {
			t.Errorf("served %s, problems %v", names(set), set.Problems())
		}
		set.work.Wait()
		for _, p := range set.Plugins() {
			if !p.Domain.Plugin().Cached() || starts(set) != 0 {
				t.Errorf("%s was not compiled, or its worker runs", p.Path)
			}
		}
		set.Close()
	}
	check(f.load(f.options()))
	// The compiled code is gone, but the manifest is still cached.
	if err := os.RemoveAll(filepath.Join(f.cache, "modules")); err != nil {
		t.Fatal(err)
	}
	check(f.load(f.options()))
	// The same if the module was compiled for its manifest, because it could not be interpreted in time.
	defer func(d time.Duration) { interpretFor = d }(interpretFor)
	interpretFor = time.Nanosecond
	if err := os.RemoveAll(f.cache); err != nil {
		t.Fatal(err)
	}
	f.log.Reset()
	o := f.options()
	o.Log = slog.New(slog.NewTextHandler(&f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	check(f.load(o))
	if !strings.Contains(f.log.String(), "compiling a module for its manifest") {
		t.Error(f.log.String())
	}
}

// Clients get their first answers before anything is compiled that is not needed.
func TestNothingIsCompiledAheadDuringTheHeadStart(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	o := f.options()
	o.HeadStart = time.Hour
	set := f.load(o)
	set.work.Wait()
	box := set.Plugins()[0].Domain.Plugin()
	if names(set) != "one" || box.Cached() {
		t.Errorf("served %s; compiled: %v", names(set), box.Cached())
	}
	set.endHeadStart()
	set.work.Wait()
	if !box.Cached() {
		t.Error("it was not compiled afterwards")
	}
}

func TestNoMoreThanTwoModulesAreInterpretedOrCompiledAtOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it counts processes with a shell, as Linux has it")
	}
	f := newFolder(t)
	var want []string
	for _, name := range strings.Split("abcdefghjkmn", "") { // no lookalikes
		f.put(name+".wasm", thing(name))
		want = append(want, name)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	// Each worker records itself and counts the living ones, then becomes a normal worker.
	pids, counts := filepath.Join(f.t.TempDir(), "pids"), filepath.Join(f.t.TempDir(), "counts")
	o := f.options()
	if o.Command == nil {
		o.Command = []string{os.Args[0], sandbox.WorkerArg}
	}
	o.Command = append([]string{"/bin/sh", "-c", `pids=$1 counts=$2; shift 2; read -r me rest </proc/self/stat; echo $me >>"$pids"; n=0
while read -r p; do [ -d "/proc/$p" ] && n=$((n+1)); done <"$pids"; echo $n >>"$counts"; exec "$@"`, "sh", pids, counts}, o.Command...)
	set := f.load(o)
	if names(set) != strings.Join(want, " ") {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
	set.work.Wait()
	lines, err := os.ReadFile(counts)
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Fields(string(lines))
	if len(found) < 2*len(want) {
		t.Errorf("%d workers to interpret and compile %d modules", len(found), len(want))
	}
	for _, n := range found {
		if n != "1" && n != "2" {
			t.Errorf("%s workers at once", n)
		}
	}
}

func TestOnlyPinnedModulesAreLoadedIfConfigured(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	pinned := f.put("b.wasm", thing("two"))
	sum := sha256.Sum256(thing("two"))
	o := f.options()
	o.OnlyPinned = true
	o.Grants = map[string]Grant{Real(pinned): {Sum: hex.EncodeToString(sum[:]), Limits: o.Limits}}
	set := f.load(o)
	if names(set) != "two" || len(set.Problems()) != 1 || !strings.Contains(set.Problems()[0].Error(), "a.wasm: it is not pinned") {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
}

func TestASetThatIsClosedStopsCompiling(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	set := f.load(f.options())
	set.Close() // waits for what compiles
	if strings.Contains(f.log.String(), "WARN") {
		t.Error(f.log.String())
	}
}

func TestManyPluginsAreLoadedColdAtTheSameTime(t *testing.T) {
	f := newFolder(t)
	var want []string
	for i := range 8 {
		name := fmt.Sprintf("d%d", i)
		f.put(name+".wasm", thing(name))
		want = append(want, name)
	}
	if set := f.load(f.options()); names(set) != strings.Join(want, " ") || len(set.Problems()) != 0 {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
}

func TestADoneContextEndsTheLoading(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", with("one", map[string]testwasm.Act{abi.ExportManifest: testwasm.Loops()}))
	o := f.options()
	o.Limits.Call = time.Hour
	c, cancel := context.WithCancel(ctx)
	cancel()
	if set, err := Load(c, o); err != context.Canceled || set != nil {
		t.Errorf("%v, %v", set, err)
	}
}

func TestReadGivesTheWholeFile(t *testing.T) {
	f := newFolder(t)
	want := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	path := f.put("x", want)
	if got, err := Read(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err := Read(f.put("empty", nil)); err != nil || len(got) != 0 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := Read("/dev/zero"); err == nil {
		t.Error("a device was read")
	}
}

func TestTheDefaultFoldersAreBesideTheBinaryAndInTheUsersData(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", "/data")
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		t.Skip(err)
	}
	want := []string{filepath.Join(filepath.Dir(exe), "plugins"), "/data/fcp-host/plugins"}
	if got := DefaultDirs(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "/home/me")
	if got := DefaultDirs(); got[1] != "/home/me/.local/share/fcp-host/plugins" {
		t.Errorf("got %q", got)
	}
}
