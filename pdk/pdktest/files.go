package pdktest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest/damage"
)

// Files opens each file that matches the patterns of [filepath.Glob]. It checks that saving gives the bytes that were read,
// and runs each example of the domain's verbs: undo must restore the exact bytes, and an example that fails must change
// nothing. Damaged copies of the file, as `fcp-host conform` makes them (other line ends, cut short, not UTF-8, …), must be
// refused, saved unchanged, or opened with a warning.
func Files[M any](t testing.TB, d *pdk.Domain[M], patterns ...string) {
	t.Helper()
	files := 0
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files++
			file(t, d, name, data)
		}
	}
	if files == 0 {
		t.Fatalf("no files: %q", patterns)
	}
}

// file checks one file and its damaged copies.
func file[M any](t testing.TB, d *pdk.Domain[M], name string, data []byte) {
	t.Helper()
	open := func(data []byte) (*Doc, error) {
		return start(t, d, request{abi.ExportOpen, &abi.OpenRequest{Name: filepath.Base(name), Data: data}})
	}
	doc, err := open(data)
	if err != nil {
		t.Errorf("open %s: %s", name, pdk.Text(err))
		return
	}
	if saved := doc.Save(); !bytes.Equal(saved, data) {
		t.Errorf("opening and saving %s changes its bytes: got %q, want %q", name, clip(saved, data), clip(data, saved))
		return
	}
	doc.examples(name)
	for _, w := range damage.Ways() {
		copied := w.Of(data)
		if copied == nil {
			continue
		}
		doc, err := open(copied)
		if err != nil {
			continue // the domain refused it
		}
		saved, told := doc.Save(), len(doc.Warnings)+len(doc.State().Warnings) > 0
		switch same := bytes.Equal(saved, copied); {
		case !same && !told:
			t.Errorf("%s %s opens without a warning, and saving changes its bytes: got %q, want %q", name, w.Name, clip(saved, copied), clip(copied, saved))
		case same && w.Edit:
			doc.examples(name + " " + w.Name)
		}
	}
}

// clip returns the part of a around its first difference from b.
func clip(a, b []byte) []byte {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return a[max(0, at-20):min(len(a), at+60)]
}

// examples runs each example by itself.
func (d *Doc) examples(name string) {
	d.t.Helper()
	first := d.moment()
	for _, v := range d.d.manifest.Verbs {
		for _, op := range v.Examples {
			log := d.done
			if _, failed := d.apply([]string{op}); failed != nil || d.done == log {
				d.same(first, "%s: %q does nothing and changed the document", name, op)
				continue
			}
			after := d.moment()
			d.Undo(1)
			d.same(first, "%s: undo of %q", name, op)
			d.Redo(1)
			d.same(after, "%s: redo of %q", name, op)
			d.Undo(1)
		}
	}
}

// Scale runs n ops in one call on a new document, op(i) for each, then the ops of all, such as ops on @all. It checks that
// undo restores the exact bytes. It measures no time; `fcp-host conform` does.
func Scale[M any](t testing.TB, d *pdk.Domain[M], n int, op func(n int) string, all ...string) {
	t.Helper()
	doc := New(t, d, `"Scale"`)
	first := doc.moment()
	ops := make([]string, n)
	for i := range ops {
		ops[i] = op(i)
	}
	doc.Do(ops...)
	grown, steps := doc.moment(), doc.done
	for _, op := range all {
		doc.Do(op)
		doc.Undo(1)
		doc.same(grown, "in a document of %d elements, undo of %q", n, op)
	}
	doc.Undo(doc.done)
	doc.same(first, "undo of %d times %q", n, ops[0])
	doc.Redo(steps)
	doc.same(grown, "redo of %d times %q", n, ops[0])
}
