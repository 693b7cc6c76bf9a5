package journal

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func open(t testing.TB) *Dir {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "state", "journal"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func record(kind byte, text string) Record { return Record{Kind: kind, Data: []byte(text)} }

func create(t testing.TB, d *Dir, records ...Record) *File {
	t.Helper()
	f, err := d.Create("", NewKey(), slices.Values(records))
	if err != nil {
		t.Fatal(err)
	}
	return f.(*File)
}

func appendAll(t testing.TB, f Journal, records ...Record) {
	t.Helper()
	for _, r := range records {
		if err := f.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

// text formats records for comparison.
func text(records []Record) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%d:%s ", r.Kind, r.Data)
	}
	return strings.TrimSpace(b.String())
}

// only returns the only leftover.
func only(t testing.TB, d *Dir) string {
	t.Helper()
	left, err := d.Left()
	if err != nil || len(left) != 1 {
		t.Fatalf("left are %v (%v), want one", left, err)
	}
	return left[0].ID
}

// take is Dir.Take that returns a *File.
func take(d *Dir, id string) (*File, Contents, error) {
	j, c, err := d.Take(id)
	f, _ := j.(*File)
	return f, c, err
}
