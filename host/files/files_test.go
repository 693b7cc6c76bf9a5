package files

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAPathIsReadInsideTheRootsAndNowhereElse(t *testing.T) {
	p := newPlace(t)
	p.put("a.txt", "a")
	p.put("sub/b.txt", "b")
	p.put(filepath.Join(p.out, "secret"), "s")
	p.link("a.txt", "good")
	p.link(filepath.Join(p.in, "sub"), "folder")
	p.link(filepath.Join(p.out, "secret"), "leak")
	p.link("../out/secret", "leak-relative")
	p.link(p.out, "outfolder")
	p.link("nowhere", "dangling")
	p.link(filepath.Join(p.out, "nowhere"), "dangling-out")
	p.link("loop", "loop")
	if err := os.Symlink("nowhere", filepath.Join(p.out, "dangling")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		want       string // below the root
		outside    bool
		says       string
	}{
		{name: "a relative path", path: "a.txt", want: "a.txt"},
		{name: "with a dot", path: "./sub/b.txt", want: "sub/b.txt"},
		{name: "with a detour", path: "sub/../a.txt", want: "a.txt"},
		{name: "with slashes to spare", path: "sub//b.txt/", want: "sub/b.txt"},
		{name: "absolute", path: filepath.Join(p.in, "a.txt"), want: "a.txt"},
		{name: "a file yet to be made", path: "sub/new.txt", want: "sub/new.txt"},
		{name: "blanks and letters of the world", path: "sub/Ünï cödé 日本 🎵.txt", want: "sub/Ünï cödé 日本 🎵.txt"},
		{name: "a link inside", path: "good", want: "a.txt"},
		{name: "a folder's link inside", path: "folder/b.txt", want: "sub/b.txt"},
		{name: "a new file behind a folder's link", path: "folder/new.txt", want: "sub/new.txt"},
		{name: "a name that starts with dots", path: "..a", want: "..a"},
		{name: "above", path: "../out/secret", outside: true},
		{name: "above and not there", path: "../out/nothing", outside: true},
		{name: "far above", path: "../../../../../../etc/passwd", outside: true},
		{name: "absolute outside", path: "/etc/passwd", outside: true},
		{name: "absolute outside and not there", path: "/no/such/folder/x", outside: true},
		{name: "the root's neighbour with its name as prefix", path: p.in + "-2", outside: true},
		{name: "a link to a file outside", path: "leak", outside: true},
		{name: "a relative link to a file outside", path: "leak-relative", outside: true},
		{name: "through a folder's link outside", path: "outfolder/secret", outside: true},
		{name: "a new file behind a folder's link outside", path: "outfolder/new", outside: true},
		{name: "a dangling link outside", path: filepath.Join(p.out, "dangling"), outside: true},
		{name: "the parent", path: "..", outside: true},
		{name: "a dangling link", path: "dangling", says: "dangling is a symbolic link to nothing"},
		{name: "a dangling link that points outside", path: "dangling-out", says: "dangling-out is a symbolic link to nothing"},
		{name: "a link to itself", path: "loop", says: "loop: a symbolic link that leads back to itself"},
		{name: "a folder that is not there", path: "nope/x", says: "nope/x: there is no folder " + filepath.Join(p.in, "nope")},
		{name: "below a file", path: "a.txt/x", says: "a.txt/x: not a directory"},
		{name: "nothing", path: "", says: "the path is empty"},
		{name: "a zero byte", path: "a\x00.txt", says: "the path holds a zero byte"},
		{name: "longer than any file system takes", path: strings.Repeat("x", 5000), says: "file name too long"},
	}
	t.Chdir(p.in)
	var err error
	if p.Roots, err = NewRoots(); err != nil { // the working directory
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			real, err := p.Resolve(tt.path)
			switch {
			case tt.want != "":
				if err != nil || real != filepath.Join(p.in, tt.want) {
					t.Errorf("got %q, %v", real, err)
				}
			case tt.outside:
				if !errors.Is(err, ErrOutside) || !strings.HasSuffix(err.Error(), "is outside the allowed folders ("+p.in+"); start fcp-host with --root to allow another") {
					t.Errorf("got %q, %v", real, err)
				}
			default:
				if err == nil || !strings.Contains(err.Error(), tt.says) || errors.Is(err, ErrOutside) || len(err.Error()) > 300 {
					t.Errorf("got %q, %v", real, err)
				}
			}
		})
	}
}

func TestRelativePathsStartAtTheWorkingDirectoryIfItIsInARootElseAtTheFirstRoot(t *testing.T) {
	p := newPlace(t)
	p.put("sub/b.txt", "b")
	t.Chdir(filepath.Join(p.in, "sub"))
	r, err := NewRoots(p.in)
	if err != nil {
		t.Fatal(err)
	}
	if real, err := r.Resolve("b.txt"); err != nil || r.Show(real) != "b.txt" {
		t.Errorf("from below the root: %s, %v", real, err)
	}
	if real, err := r.Resolve("../x"); err != nil || real != filepath.Join(p.in, "x") {
		t.Errorf("up, and still inside: %s, %v", real, err)
	}
	t.Chdir(p.out)
	if r, err = NewRoots(filepath.Join(p.in, "sub"), p.in); err != nil {
		t.Fatal(err)
	}
	if real, err := r.Resolve("b.txt"); err != nil || real != filepath.Join(p.in, "sub", "b.txt") {
		t.Errorf("from elsewhere: %s, %v", real, err)
	}
	if real, err := r.Resolve("../x"); err != nil || real != filepath.Join(p.in, "x") {
		t.Errorf("in the second root: %s, %v", real, err)
	}
}

func TestARootThatIsNoFolderGrantsNothingAndIsNamed(t *testing.T) {
	p := newPlace(t)
	file := p.put("f", "")
	nope := filepath.Join(p.in, "nope")
	for dir, why := range map[string]string{
		file:                               "root " + file + " grants nothing: it is not a folder",
		nope:                               "root " + nope + " grants nothing: no such file or directory",
		"${workspaceFolder}":               "root ${workspaceFolder} grants nothing: the program that started fcp-host did not replace ${workspaceFolder}",
		filepath.Join(p.in, "${env:HOME}"): "root " + p.in + "/${env:HOME} grants nothing: the program that started fcp-host did not replace ${env:HOME}",
		"":                                 "a root is empty and grants nothing: name a folder",
	} {
		t.Chdir(p.in)
		r, err := NewRoots(dir)
		if err != nil || len(r.All()) != 0 || len(r.Missing()) != 1 || r.Missing()[0] != why {
			t.Fatalf("%q: %v, %v", dir, r, err)
		}
		for _, path := range []string{"f", file, "."} {
			if _, err := r.Resolve(path); !errors.Is(err, ErrOutside) || !strings.Contains(err.Error(), "no folder is allowed, "+why+"; start fcp-host with --root DIR to allow one") {
				t.Errorf("%q, %s: %v", dir, path, err)
			}
		}
		if r, err = NewRoots(dir, p.in); err != nil || r.Missing()[0] != why || r.Folder() != p.in {
			t.Errorf("%q beside a folder: %v, %v", dir, r, err)
		}
		if _, err := r.Resolve("f"); err != nil {
			t.Errorf("%q beside a folder: %v", dir, err)
		}
		if _, err := r.Resolve("/etc/passwd"); !errors.Is(err, ErrOutside) || !strings.Contains(err.Error(), "("+p.in+"; "+why+")") {
			t.Errorf("%q beside a folder: %v", dir, err)
		}
	}
	p.link(filepath.Join(p.in, "sub"), "link")
	if r, err := NewRoots(filepath.Join(p.in, "link")); err != nil || r.Dirs()[0] != filepath.Join(p.in, "sub") {
		t.Errorf("a root behind a link: %v, %v", r, err)
	}
}

func TestAFolderIsListedInsideTheRootsAlone(t *testing.T) {
	p := newPlace(t)
	p.put("b.txt", "b")
	p.put("a.txt", "a")
	p.put(".hidden", "h")
	p.put("sub/c.txt", "c")
	p.put(filepath.Join(p.out, "secret"), "s")
	p.link(p.out, "outfolder")
	p.link("a.txt", "link")
	for _, tt := range []struct{ path, want string }{
		{p.in, "a.txt b.txt"},
		{filepath.Join(p.in, "sub"), "c.txt"},
		{filepath.Join(p.in, "a.txt"), ""},
		{filepath.Join(p.in, "nope"), ""},
		{filepath.Join(p.in, "outfolder"), ""},
		{p.out, ""},
		{"", ""},
	} {
		if got := strings.Join(p.List(tt.path), " "); got != tt.want {
			t.Errorf("%s lists %q, want %q", tt.path, got, tt.want)
		}
	}
}

func TestAFolderIsOpenedInsideTheRootsAlone(t *testing.T) {
	p := newPlace(t)
	p.put("sub/f", "inside")
	p.put("file", "x")
	p.link(p.out, "sub/leak")
	root, err := p.OpenDir(filepath.Join(p.in, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if data, err := root.ReadFile("f"); err != nil || string(data) != "inside" {
		t.Errorf("read %q, %v", data, err)
	}
	for _, path := range []string{"../file", "leak"} {
		if _, err := root.Open(path); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
	for _, path := range []string{p.out, filepath.Join(p.in, "sub", "leak"), filepath.Join(p.in, "file"), filepath.Join(p.in, "none")} {
		if _, err := p.OpenDir(path); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
}

func TestOnlyRegularFilesOfBoundedSizeAreRead(t *testing.T) {
	p := newPlace(t)
	if err := syscall.Mkfifo(filepath.Join(p.in, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(p.in, "large")
	if err := os.WriteFile(large, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, MaxSize+1); err != nil { // sparse
		t.Fatal(err)
	}
	device, err := NewRoots("/dev")
	if err != nil {
		t.Skip(err)
	}
	tests := []struct {
		name  string
		roots *Roots
		path  string
		says  string
	}{
		{"a folder", p.Roots, filepath.Join(p.in, "sub"), "sub is a folder"},
		{"a FIFO nobody writes to", p.Roots, filepath.Join(p.in, "fifo"), "fifo is not a regular file"},
		{"a device without end", device, "/dev/zero", "zero is not a regular file"},
		{"a file that is too large", p.Roots, large, "large is larger than 60 MiB, the most that can be opened"},
		{"a file that is not there", p.Roots, filepath.Join(p.in, "nope"), "nope: no such file or directory"},
		{"a path outside", p.Roots, filepath.Join(p.out, "x"), "outside the allowed folders"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if data, _, err := tt.roots.Read(tt.path); err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("read %d bytes, %v", len(data), err)
			}
			if tt.name == "a file that is not there" || tt.name == "a file that is too large" {
				return
			}
			before := ""
			if strings.HasPrefix(tt.path, p.in) {
				before = p.names(p.in)
			}
			if _, err := tt.roots.Write(tt.path, []byte("x"), Over{Any: true}); err == nil {
				t.Error("written")
			}
			if before != "" && p.names(p.in) != before {
				t.Errorf("left behind: %s", p.names(p.in))
			}
		})
	}
	if err := os.Truncate(large, MaxSize); err != nil {
		t.Fatal(err)
	}
	if data, _, err := p.Read(large); err != nil || len(data) != MaxSize {
		t.Errorf("the largest file: %d bytes, %v", len(data), err)
	}
}

func TestAChangeIsDetectedByContent(t *testing.T) {
	p := newPlace(t)
	path := p.put("f", "same")
	_, stamp, err := p.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, want bool) {
		t.Helper()
		err := p.Check(path, Over{Known: []Stamp{{Size: 1 << 40}, stamp}})
		got := errors.Is(err, ErrChanged)
		if got {
			err = nil
		}
		if err != nil || got != want {
			t.Errorf("%s: changed is %v, %v", name, got, err)
		}
	}
	check("untouched", false)
	if err := os.Chtimes(path, time.Now(), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	check("touched", false)
	p.put("f", "same")
	check("written again with the same content", false)
	p.put("f", "diff")
	check("other content of the same size", true)
	if err := os.Chtimes(path, time.Now(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	check("other content of the same size and time", true)
	p.put("f", "longer")
	check("longer", true)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check("gone", false)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := p.Check(path, Over{Known: []Stamp{stamp}}); err == nil || !strings.HasSuffix(err.Error(), "is a folder") {
		t.Errorf("a folder now: %v", err)
	}
}

func TestWhatWasWrittenHasNotChanged(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(p.in, "f")
	stamp, err := p.Write(path, []byte("x"), Over{Any: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check(path, Over{Known: []Stamp{stamp}}); err != nil {
		t.Error(err)
	}
	data, again, err := p.Read(path)
	if err != nil || !bytes.Equal(data, []byte("x")) || again != stamp {
		t.Errorf("read %q %v, %v", data, again, err)
	}
}

func TestTheRootOfTheFileSystemIsNotAllowedByDefault(t *testing.T) {
	folder := t.TempDir()
	t.Chdir("/")
	r, err := NewRoots()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(filepath.Join(folder, "f")); !errors.Is(err, ErrOutside) || !strings.Contains(err.Error(), "--root DIR") {
		t.Error(err)
	}
	if _, err := r.Resolve("./f"); !errors.Is(err, ErrOutside) {
		t.Error(err)
	}
	if r, err = NewRoots("/"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(filepath.Join(folder, "f")); err != nil {
		t.Errorf("asked for: %v", err)
	}
}

func TestShowIsShortBelowTheWorkingDirectory(t *testing.T) {
	p := newPlace(t)
	for path, want := range map[string]string{
		filepath.Join(p.in, "a"):      "a",
		filepath.Join(p.in, "sub/b"):  "sub/b",
		filepath.Join(p.in, "..b"):    "..b",
		filepath.Join(p.out, "a"):     filepath.Join(p.out, "a"),
		filepath.Join(p.in+"-2", "a"): filepath.Join(p.in+"-2", "a"),
	} {
		if got := p.Show(path); got != want {
			t.Errorf("Show(%s) = %s, want %s", path, got, want)
		}
	}
}
