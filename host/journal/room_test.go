package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kilo returns a record whose frame has 1,000 bytes.
func kilo(kind byte) Record { return record(kind, strings.Repeat("x", 1000-frameSize)) }

func bounded(t *testing.T, l Limits) *Dir {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "j"), l)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// snapshot returns the content of the folder's files.
func snapshot(t *testing.T, d *Dir) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(d.Path(), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}

func same(t *testing.T, d *Dir, before map[string]string) {
	t.Helper()
	now := snapshot(t, d)
	if len(now) != len(before) {
		t.Errorf("the folder held %d files and holds %d", len(before), len(now))
	}
	for name, data := range before {
		if now[name] != data {
			t.Errorf("%s was changed", name)
		}
	}
}

// The file that exceeds the maximum number is refused with that number, and no other file is touched. Once a file is
// removed, there is room for another.
func TestThereAreNoMoreFilesThanAllowed(t *testing.T) {
	const most = 40
	d := bounded(t, Limits{Files: most})
	other := another(d)
	var files []*File
	for i := range most {
		files = append(files, create(t, []*Dir{d, other}[i%2], record(1, "base")))
	}
	before := snapshot(t, d)
	for _, host := range []*Dir{d, other} {
		_, err := host.Create("", NewKey(), slices.Values([]Record{record(1, "more")}))
		if !errors.Is(err, ErrNoRoom) || !strings.Contains(err.Error(), "it holds 40 journals, which is the limit") {
			t.Errorf("one more: %v", err)
		}
	}
	same(t, d, before)
	// Existing files can still be appended to.
	appendAll(t, files[0], record(2, "one"))
	if err := files[1].Rewrite(slices.Values([]Record{record(1, "new")})); err != nil {
		t.Error(err)
	}
	if err := files[2].Remove(); err != nil {
		t.Fatal(err)
	}
	create(t, d, record(1, "more"))
	files[3].Close()
	if err := d.Discard(files[3].ID()); err != nil {
		t.Fatal(err)
	}
	create(t, other, record(1, "more"))
	if _, err := d.Create("", NewKey(), slices.Values([]Record{record(1, "more")})); !errors.Is(err, ErrNoRoom) {
		t.Errorf("one more again: %v", err)
	}
}

// Writes that would exceed the total size are refused: an append, a new file, and a rewrite that is larger. Writes that free
// bytes are accepted.
func TestTheTotalSizeOfTheFilesIsLimited(t *testing.T) {
	const sum = 100_000
	d := bounded(t, Limits{Sum: sum})
	other := another(d)
	files := []*File{create(t, d, record(1, "a")), create(t, other, record(1, "b"))}
	var err error
	for i := 0; err == nil && i < 200; i++ {
		err = files[i%2].Append(kilo(2))
	}
	if !errors.Is(err, ErrNoRoom) || errors.Is(err, ErrFull) {
		t.Fatalf("beyond the sum: %v", err)
	}
	size := files[0].Size() + files[1].Size()
	// Each host reserves a part of the free space at a time, so two hosts come close to the total.
	if size > sum || size < sum*9/10 {
		t.Errorf("they take %d bytes of %d", size, sum)
	}
	before := snapshot(t, d)
	large := []Record{record(1, strings.Repeat("x", sum))}
	if err := files[0].Append(large[0]); !errors.Is(err, ErrNoRoom) {
		t.Errorf("a large record: %v", err)
	}
	if err := files[0].Rewrite(slices.Values(large)); !errors.Is(err, ErrNoRoom) || files[0].Broken() {
		t.Errorf("a large rewrite: %v, broken %v", err, files[0].Broken())
	}
	if _, err := d.Create("", NewKey(), slices.Values(large)); !errors.Is(err, ErrNoRoom) {
		t.Errorf("a large file: %v", err)
	}
	same(t, d, before)
	if err := files[1].Rewrite(slices.Values([]Record{record(1, "small")})); err != nil {
		t.Fatal(err)
	}
	appendAll(t, files[0], kilo(2), kilo(2), kilo(2))
	if err := files[0].Remove(); err != nil {
		t.Fatal(err)
	}
	appendAll(t, files[1], kilo(2), kilo(2))
}

// A damaged file is kept beside its replacement, and counts.
func TestADamagedFileCountsAgainstTheLimits(t *testing.T) {
	data := newFile(record(1, "base"), kilo(2))
	data[len(data)-1] ^= 1
	for _, l := range []Limits{{Files: 1}, {Sum: int64(len(data))}} {
		d := bounded(t, l)
		os.WriteFile(d.file("doc"), data, 0o600)
		f, c, err := take(d, "doc")
		if err != nil {
			t.Fatal(err)
		}
		before := snapshot(t, d)
		if err := f.Rewrite(slices.Values(c.Records)); !errors.Is(err, ErrNoRoom) {
			t.Errorf("%+v: %v", l, err)
		}
		f.Close()
		same(t, d, before)
	}
}

// The journals of one owner use only that owner's share of the folder; the user of the machine is limited only by the
// folder.
func TestEachOwnerHasItsOwnLimits(t *testing.T) {
	d := bounded(t, Limits{OwnerFiles: 2, OwnerSum: 50_000})
	made := func(owner string) (Journal, error) {
		f, err := d.Create(owner, NewKey(), slices.Values([]Record{record(1, "base")}))
		if err == nil {
			t.Cleanup(func() { f.Close() })
		}
		return f, err
	}
	first, err := made("ann")
	if err != nil {
		t.Fatal(err)
	}
	second, err := made("ann")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made("ann"); !errors.Is(err, ErrNoRoom) || !strings.Contains(err.Error(), "you have 2 journals") {
		t.Errorf("one more of ann's: %v", err)
	}
	for i := 0; err == nil && i < 100; i++ {
		err = []Journal{first, second}[i%2].Append(kilo(2))
	}
	if size := first.Size() + second.Size(); !errors.Is(err, ErrNoRoom) || size > 50_000 || size < 48_000 {
		t.Errorf("ann's bytes: %v, after %d", err, size)
	}
	for _, owner := range []string{"bob", ""} {
		f, err := made(owner)
		if err != nil {
			t.Fatal(err)
		}
		appendAll(t, f, kilo(2))
	}
	for range 3 {
		if _, err := made(""); err != nil {
			t.Errorf("of the user of the machine: %v", err)
		}
	}
	// They still count when a later host has taken them.
	first.Close()
	f, _, err := take(d, first.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Append(kilo(2)); !errors.Is(err, ErrNoRoom) {
		t.Errorf("after it was taken: %v", err)
	}
}

// another opens the folder as a second host.
func another(d *Dir) *Dir {
	other := &Dir{Bounds: d.Bounds, path: d.path}
	other.room = NewRoom(d.limits, other.measure)
	return other
}
