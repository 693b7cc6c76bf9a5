package added

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var ctx = context.Background()

func sumOf(digit string) string { return strings.Repeat(digit, 64) }

func put(t *testing.T, f *Folder, p Plugin, module, signature string) {
	t.Helper()
	err := f.Change(ctx, func(c *Change) error {
		var sig []byte
		if signature != "" {
			sig = []byte(signature)
		}
		return c.Put(p, []byte(module), sig)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func listing(t *testing.T, f *Folder) string {
	t.Helper()
	entries, err := os.ReadDir(f.Dir())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestTheLockFileIsForPeopleAndStable(t *testing.T) {
	f := In(filepath.Join(t.TempDir(), "a", "added"))
	if list, err := f.Plugins(); err != nil || len(list) > 0 {
		t.Fatalf("a folder that is not there has %v (%v)", list, err)
	}
	put(t, f, Plugin{Name: "todo", Release: Release{Version: "1.0", Source: `C:\a "b"`, SHA256: sumOf("2"), Signer: "minisign:RW"}, Pinned: true, Added: "2026-01-02",
		Grants: []Grant{{Want: "http:api", Origin: "https://a.example", Variables: []string{"A", "B"}}, {Want: "folder"}}, Previous: &Release{Version: "0.9", Source: "x", SHA256: sumOf("1")}}, "two", "sig")
	put(t, f, Plugin{Name: "ics", Release: Release{Source: "oci://r.example/ics:1", SHA256: sumOf("3"), Manifest: "sha256:00"}}, "three", "")
	want := heading + `format = 1

[[plugin]]
name = "ics"
version = ""
source = "oci://r.example/ics:1"
sha256 = "` + sumOf("3") + `"
manifest = "sha256:00"

[[plugin]]
name = "todo"
version = "1.0"
source = "C:\\a \"b\""
sha256 = "` + sumOf("2") + `"
signer = "minisign:RW"
pinned = true
added = "2026-01-02"

[[plugin.grant]]
want = "http:api"
origin = "https://a.example"
variables = ["A", "B"]

[[plugin.grant]]
want = "folder"
[plugin.previous]
version = "0.9"
source = "x"
sha256 = "` + sumOf("1") + `"
`
	got, err := os.ReadFile(f.Lock())
	if err != nil || string(got) != want {
		t.Errorf("it is\n%s%v", got, err)
	}
	if err := f.Change(ctx, func(*Change) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(f.Lock()); string(again) != want {
		t.Errorf("written again it is\n%s", again)
	}
	if got := listing(t, f); got != ".lock ics-3333333333333333.wasm lock.toml todo-2222222222222222.signature.json todo-2222222222222222.wasm" {
		t.Errorf("the folder has %s", got)
	}
}

func TestUnusedFilesAreRemoved(t *testing.T) {
	f := In(t.TempDir())
	put(t, f, Plugin{Name: "todo", Release: Release{SHA256: sumOf("1")}}, "one", "sig")
	for _, name := range []string{"mine.txt", "other-0123456789abcdef.wasm", temporary} {
		if err := os.WriteFile(filepath.Join(f.Dir(), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(t, f, Plugin{Name: "todo", Release: Release{SHA256: sumOf("2")}, Previous: &Release{SHA256: sumOf("1")}}, "two", "")
	if got := listing(t, f); got != ".lock lock.toml mine.txt todo-1111111111111111.signature.json todo-1111111111111111.wasm todo-2222222222222222.wasm" {
		t.Errorf("after an update: %s", got)
	}
	put(t, f, Plugin{Name: "todo", Release: Release{SHA256: sumOf("3")}, Previous: &Release{SHA256: sumOf("2")}}, "three", "")
	err := f.Change(ctx, func(c *Change) error {
		if err := c.Put(Plugin{Name: "new", Release: Release{SHA256: sumOf("4")}}, []byte("four"), nil); err != nil {
			t.Fatal(err)
		}
		return fmt.Errorf("no, thanks")
	})
	if err == nil || err.Error() != "no, thanks" {
		t.Error(err)
	}
	if got := listing(t, f); got != ".lock lock.toml mine.txt todo-2222222222222222.wasm todo-3333333333333333.wasm" {
		t.Errorf("after a change that failed: %s", got)
	}
	if list, err := f.Plugins(); err != nil || !slices.Equal(f.Stray(list), []string{"mine.txt"}) {
		t.Errorf("stray: %v %v", f.Stray(list), err)
	}
	err = f.Change(ctx, func(c *Change) error {
		if !c.Remove("todo") || c.Remove("todo") {
			t.Error("todo is not removed once")
		}
		return nil
	})
	if got := listing(t, f); err != nil || got != ".lock lock.toml mine.txt" {
		t.Errorf("after it was removed: %s (%v)", got, err)
	}
}

// No change is lost, however many are made concurrently.
func TestConcurrentChangesAreAllKept(t *testing.T) {
	dir := t.TempDir()
	var work sync.WaitGroup
	for i := range 12 {
		work.Go(func() {
			err := In(dir).Change(ctx, func(c *Change) error {
				return c.Put(Plugin{Name: fmt.Sprintf("p%d", i), Release: Release{SHA256: sumOf(fmt.Sprint(i % 10))}}, []byte{byte(i)}, nil)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if list, err := In(dir).Plugins(); err != nil || len(list) != 12 {
		t.Errorf("%d plugins (%v)", len(list), err)
	}
}

func TestAnInvalidLockFileIsNotUsed(t *testing.T) {
	good := func(name, sum string) string {
		return fmt.Sprintf("[[plugin]]\nname = %q\nversion = \"1\"\nsource = \"s\"\nsha256 = %q\n", name, sum)
	}
	for name, tt := range map[string]struct{ file, want string }{
		"by hand, and right":    {"format=1\n" + good("todo", sumOf("a")), ""},
		"cut off":               {"format = 1\n[[plugin]]\nname = \"to", "line 3: "},
		"an unknown setting":    {"format = 1\ncolour = 1\n", "there is no setting colour"},
		"an unknown key":        {"format = 1\n" + good("todo", sumOf("a")) + "x\u001b = 1\n", "line 7: "},
		"of a newer program":    {"format = 2\n", "it has format 2"},
		"without a format":      {good("todo", sumOf("a")), "it does not say format = 1"},
		"emptied":               {"", "it does not say format = 1"},
		"of another type":       {"format = 1\nplugin = 3\n", "incompatible types"},
		"a path as a name":      {"format = 1\n" + good("../../x", sumOf("a")), `plugin 1 has the name "../../x"`},
		"an escape as a name":   {"format = 1\n" + good("a\x1b[2J", sumOf("a")), "has the name"},
		"no name":               {"format = 1\n" + good("", sumOf("a")), "has the name"},
		"the same name twice":   {"format = 1\n" + good("todo", sumOf("a")) + good("todo", sumOf("b")), "the plugin todo is listed twice"},
		"a short sha256":        {"format = 1\n" + good("todo", "00"), "64 lower-case hexadecimal digits"},
		"a sha256 that is none": {"format = 1\n" + good("todo", strings.Repeat("../", 21)+"x"), "64 lower-case hexadecimal digits"},
		"capitals":              {"format = 1\n" + good("todo", sumOf("A")), "lower-case"},
		"of before":             {"format = 1\n" + good("todo", sumOf("a")) + "[plugin.previous]\nversion=\"\"\nsource=\"\"\nsha256=\"x\"\n", "64 lower-case hexadecimal digits"},
		"too large":             {"format = 1\n" + strings.Repeat("#", maxLock), "larger than 1 MiB"},
	} {
		f := In(t.TempDir())
		if err := os.WriteFile(f.Lock(), []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := f.Plugins()
		if tt.want == "" {
			if err != nil || len(list) != 1 {
				t.Errorf("%s: %v %v", name, list, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), f.Lock()) || strings.Contains(err.Error(), "\x1b") || len(list) > 0 {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
		before, _ := os.ReadFile(f.Lock())
		if err := f.Change(ctx, func(*Change) error { return nil }); err == nil {
			t.Errorf("%s: it is written over", name)
		}
		if after, _ := os.ReadFile(f.Lock()); string(after) != string(before) {
			t.Errorf("%s: it was changed", name)
		}
	}
}

// A lock file that could not be read back is not written, and files that others can change are not used.
func TestTheFolderIsTheUsersOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the access list decides there")
	}
	f := In(filepath.Join(t.TempDir(), "added"))
	put(t, f, Plugin{Name: "todo", Release: Release{SHA256: sumOf("1")}}, "one", "")
	if err := f.Change(ctx, func(c *Change) error { c.Plugins[0].SHA256 = "x"; return nil }); err == nil {
		t.Error("a sha256 that is none is written")
	}
	if err := f.Change(ctx, func(c *Change) error {
		return c.Put(Plugin{Name: "../x", Release: Release{SHA256: sumOf("1")}}, nil, nil)
	}); err == nil {
		t.Error("a path is a name")
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(name string) {
		path := filepath.Join(f.Dir(), name)
		os.Remove(path) // if it is there
		if err := os.Symlink(outside, path); err != nil {
			t.Fatal(err)
		}
	}
	link(temporary)
	link("todo-2222222222222222.wasm")
	put(t, f, Plugin{Name: "todo", Release: Release{SHA256: sumOf("2")}}, "two", "")
	if info, err := os.Lstat(f.Module("todo", sumOf("2"))); err != nil || !info.Mode().IsRegular() {
		t.Errorf("a link is followed: %v %v", info, err)
	}
	link(".lock")
	if err := f.Change(ctx, func(*Change) error { return nil }); err == nil || !strings.Contains(err.Error(), ".lock is not a file") {
		t.Errorf("a link as the lock: %v", err)
	}
	os.Remove(filepath.Join(f.Dir(), ".lock"))
	for what, mode := range map[string]os.FileMode{f.Lock(): 0o620, f.Dir(): 0o702} {
		was, err := os.Stat(what)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(what, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := In(f.Dir()).Plugins(); err == nil || !strings.Contains(err.Error(), "others may write to "+filepath.Base(what)) {
			t.Errorf("%s: %v", what, err)
		}
		if err := os.Chmod(what, was.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	link(lockName)
	if _, err := f.Plugins(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a link as the lock file: %v", err)
	}
	if got, _ := os.ReadFile(outside); string(got) != "mine" {
		t.Errorf("what a link leads to is %q", got)
	}
}
