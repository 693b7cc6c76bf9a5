package roots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/files"
)

// System is an empty root to test.
type System struct {
	// Open returns the roots of another host. The System is its only root, where relative paths start.
	Open func(t testing.TB) *files.Roots

	// Other writes to the root without a host.
	Other Other

	// Cut cuts the connection between the root and all hosts until restore is called. It is nil if there is no
	// connection.
	Cut func(t testing.TB) (restore func())
}

// Other accesses the files of a root without a host, by names relative to the root, with slashes.
type Other interface {
	Put(t testing.TB, name string, data []byte)
	Get(t testing.TB, name string) (data []byte, there bool)
	Drop(t testing.TB, name string)
	Names(t testing.TB) []string // all, sorted
}

// Test checks the host's promises on the roots that fresh returns, a new empty one each time. Each promise is a
// subtest.
func Test(t *testing.T, fresh func(t testing.TB) System) {
	for _, law := range []struct {
		name  string
		holds func(t *testing.T, s System)
	}{
		{"written content is read back", readBack},
		{"content of others is kept", others},
		{"removed files are written again", gone},
		{"names", names},
		{"paths stay in the root", inside},
		{"backups", backups},
		{"existence and identity", looks},
		{"content from a reader", pieces},
		{"any history", anyHistory},
		{"concurrent hosts", atOnce},
		{"complete versions", whole},
		{"no connection", cutOff},
		{"cut during a write", cutWhileWriting},
	} {
		t.Run(law.name, func(t *testing.T) { law.holds(t, fresh(t)) })
	}
}

func resolve(t testing.TB, r *files.Roots, path string) string {
	t.Helper()
	real, err := r.Resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

func write(t testing.TB, r *files.Roots, path, text string, known ...files.Stamp) files.Stamp {
	t.Helper()
	is, err := r.Write(resolve(t, r, path), []byte(text), files.Over{Known: known})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return is
}

// holds fails the test unless both the host and Other read this text.
func holds(t testing.TB, s System, r *files.Roots, path, text string) files.Stamp {
	t.Helper()
	data, is, err := r.Read(resolve(t, r, path))
	if err != nil || string(data) != text || is != files.StampOf(data) {
		t.Errorf("%s: read %.80q, %v; want %.80q", path, data, err, text)
	}
	if data, there := s.Other.Get(t, path); !there || string(data) != text {
		t.Errorf("%s: Other reads %.80q (exists: %v); want %.80q", path, data, there, text)
	}
	return is
}

func readBack(t *testing.T, s System) {
	r, other := s.Open(t), s.Open(t)
	for _, text := range []string{"", "a", strings.Repeat("long ", 100_000)} {
		name := fmt.Sprintf("file%d", len(text))
		is := write(t, r, name, text)
		if is != files.StampOf([]byte(text)) {
			t.Error("the stamp does not match the bytes")
		}
		holds(t, s, other, name, text)
		write(t, r, name, text+"2", is)
		is = holds(t, s, other, name, text+"2")
		write(t, other, name, "3", is)
		holds(t, s, r, name, "3")
	}
	if _, _, err := r.Read(resolve(t, r, "none")); err == nil {
		t.Error("a missing file can be read")
	}
	if _, _, err := r.Read(resolve(t, r, ".")); err == nil {
		t.Error("the root itself can be read")
	}
}

// conflicts fails the test unless an error says that the content is different.
func conflicts(t testing.TB, err error, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("the error is %v; want %v", err, want)
	}
}

func others(t *testing.T, s System) {
	r := s.Open(t)
	is := write(t, r, "a", "ours")
	s.Other.Put(t, "a", []byte("theirs, longer"))
	real := resolve(t, r, "a")
	for _, text := range []string{"ours again", "theirs, LONGER"} {
		_, err := r.Write(real, []byte(text), files.Over{Known: []files.Stamp{is}})
		conflicts(t, err, files.ErrChanged)
	}
	conflicts(t, r.Check(real, files.Over{Known: []files.Stamp{is}}), files.ErrChanged)
	conflicts(t, r.Check(real, files.Over{}), files.ErrThere)
	_, err := r.Write(real, []byte("new"), files.Over{})
	conflicts(t, err, files.ErrThere)
	is = holds(t, s, r, "a", "theirs, longer")
	s.Other.Put(t, "a", []byte("theirs, LONGER")) // the same length as before
	_, err = r.Write(real, []byte("ours"), files.Over{Known: []files.Stamp{is}})
	conflicts(t, err, files.ErrChanged)
	// The file already has the content to be written, so nothing is lost.
	if _, err := r.Write(real, []byte("theirs, LONGER"), files.Over{}); err != nil {
		t.Error(err)
	}
	s.Other.Put(t, "a", []byte("theirs, longer")) // the content that was read, whoever wrote it
	write(t, r, "a", "ours", is)
	s.Other.Put(t, "a", []byte("theirs"))
	if _, err := r.Write(real, []byte("forced"), files.Over{Any: true}); err != nil {
		t.Error(err)
	}
	holds(t, s, r, "a", "forced")
}

func gone(t *testing.T, s System) {
	r := s.Open(t)
	is := write(t, r, "a", "ours")
	s.Other.Drop(t, "a")
	real := resolve(t, r, "a")
	if r.Exists(real) || !r.Gone(real) {
		t.Error("a removed file exists")
	}
	if err := r.Check(real, files.Over{Known: []files.Stamp{is}}); err != nil {
		t.Error(err)
	}
	write(t, r, "a", "again", is)
	s.Other.Drop(t, "a")
	if _, err := r.Write(real, []byte("forced"), files.Over{Any: true}); err != nil {
		t.Error(err)
	}
	holds(t, s, r, "a", "forced")
}

func names(t *testing.T, s System) {
	r := s.Open(t)
	list := []string{"a b", "100%.svg", "a+b=c&d.mid", "ä–ö.mid", "日本.mid", "a'b\"c", "x:y", "~", "a,b.mp4", "#1?", "e\u0301"}
	for i, name := range list {
		write(t, r, name, fmt.Sprint(i))
		holds(t, s, r, name, fmt.Sprint(i))
		if resolve(t, r, "./"+name) != resolve(t, r, name) {
			t.Errorf("./%s resolves to another file", name)
		}
	}
	s.Other.Put(t, "folder/in it", []byte("x"))
	write(t, r, "folder/beside", "y")
	real := resolve(t, r, "folder/beside")
	if resolve(t, r, "folder/../folder//beside") != real {
		t.Error("a path with .. resolves to another file")
	}
	if again := resolve(t, r, real); again != real || !r.Contains(real) {
		t.Errorf("%s resolves to %s", real, again)
	}
	if joined := resolve(t, r, filepath.Join(filepath.Dir(real), "in it")); joined != resolve(t, r, "folder/in it") {
		t.Errorf("the file beside it is %s", joined)
	}
	if show := r.Show(real); show != "folder/beside" || r.Show(filepath.Join(filepath.Dir(real), "in it")) != "folder/in it" {
		t.Errorf("it is displayed as %s", show)
	}
	s.Other.Put(t, ".hidden", nil)
	want := slices.Sorted(slices.Values(list))
	if got := r.List(resolve(t, r, ".")); !slices.Equal(got, want) {
		t.Errorf("listed %q; want %q", got, want)
	}
	if got := r.List(resolve(t, r, "folder")); !slices.Equal(got, []string{"beside", "in it"}) {
		t.Errorf("the folder lists %q", got)
	}
	if got := r.List(resolve(t, r, "a b")); len(got) > 0 {
		t.Errorf("a file lists %q", got)
	}
}

func inside(t *testing.T, s System) {
	r := s.Open(t)
	root := r.Folder()
	for _, path := range []string{"..", "../x", "a/../../x", root + "/../x", root + "x", "/etc/passwd", "/", "~/x", "a\x00b", "", root + "/../../../../../../etc/x"} {
		if real, err := r.Resolve(path); err == nil {
			t.Errorf("%q resolves to %s", path, real)
		}
		for _, real := range []string{path, root + "/../x"} {
			if _, err := r.Write(real, []byte("x"), files.Over{Any: true}); err == nil {
				t.Errorf("%q can be written without being resolved", real)
			}
			if _, _, err := r.Read(real); err == nil {
				t.Errorf("%q can be read without being resolved", real)
			}
		}
	}
	if names := s.Other.Names(t); len(names) > 0 {
		t.Errorf("the root contains %q", names)
	}
	if _, err := r.ReadOnly().Write(resolve(t, r, "a"), nil, files.Over{}); err == nil || len(s.Other.Names(t)) > 0 {
		t.Error("a read-only root can be written")
	}
}

func backups(t *testing.T, s System) {
	r := s.Open(t).Backup()
	s.Other.Put(t, "a.bak", []byte("somebody's"))
	s.Other.Put(t, "a", []byte("0"))
	is := holds(t, s, r, "a", "0")
	for i := 1; i <= 3; i++ {
		is = write(t, r, "a", fmt.Sprint(i), is)
		holds(t, s, r, "a", fmt.Sprint(i))
		holds(t, s, r, "a.bak.1", fmt.Sprint(i-1))
	}
	s.Other.Put(t, "a.bak.1", []byte("theirs now"))
	write(t, r, "a", "4", is)
	for name, text := range map[string]string{"a": "4", "a.bak": "somebody's", "a.bak.1": "theirs now", "a.bak.2": "3"} {
		holds(t, s, r, name, text)
	}
	s.Other.Put(t, "b", []byte("theirs"))
	if _, err := r.Write(resolve(t, r, "b"), []byte("ours"), files.Over{}); err == nil {
		t.Error("b was replaced")
	}
	if _, there := s.Other.Get(t, "b.bak"); there {
		t.Error("a new file has a backup")
	}
}

func looks(t *testing.T, s System) {
	r := s.Open(t)
	real := resolve(t, r, "a")
	if r.Exists(real) || r.Identity(real) != (files.Identity{}) || r.IsDir(real) {
		t.Error("a missing file exists")
	}
	if _, err := r.Look(real); err == nil {
		t.Error("Look finds a missing file")
	}
	is := write(t, r, "a", "one")
	one := r.Identity(real)
	if look, err := r.Look(real); err != nil || look != one || one.Size != 3 {
		t.Errorf("the identity is %v, but Look returns %v (%v)", one, look, err)
	}
	if !r.Exists(real) || r.Gone(real) {
		t.Error("the file does not exist")
	}
	write(t, r, "a", "two", is)
	if two := r.Identity(real); two == one || two.Size != 3 {
		t.Errorf("other content has the same identity %v", two)
	}
	f, err := r.Open(real)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if data, err := io.ReadAll(f); err != nil || string(data) != "two" {
		t.Errorf("opened, it contains %q, %v", data, err)
	}
}

// pieces: content from a reader is written completely, and nothing is written if the reader fails.
func pieces(t *testing.T, s System) {
	r := s.Open(t)
	real := resolve(t, r, "a")
	spool, err := r.Spool(real)
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	for range 3 {
		if _, err := spool.Write(bytes.Repeat([]byte("part "), 50_000)); err != nil {
			t.Fatal(err)
		}
	}
	want := "head" + strings.Repeat("part ", 150_000)
	is, err := r.WriteFrom(real, io.MultiReader(strings.NewReader("head"), spool.Reader()), files.Over{})
	if err != nil || is != files.StampOf([]byte(want)) {
		t.Fatal(err)
	}
	holds(t, s, r, "a", want)
	if _, err := r.WriteFrom(real, io.MultiReader(strings.NewReader("short"), failing{}), files.Over{Any: true}); err == nil {
		t.Error("a write whose reader fails succeeds")
	}
	holds(t, s, r, "a", want)
	if names := s.Other.Names(t); len(names) != 1 {
		t.Errorf("the root contains %q", names)
	}
}
