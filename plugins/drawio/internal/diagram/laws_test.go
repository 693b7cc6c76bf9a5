package diagram

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/queries"
	"pgregory.net/rapid"
)

// checkLaws runs random ops on a document and checks every law of undo.
func checkLaws(t *rapid.T, open func() *doc) {
	d := open()
	g := &gen{t: t, d: d}
	first := d.bytes()
	for range rapid.IntRange(1, 25).Draw(t, "ops") {
		text := g.op()
		before := d.bytes()
		n := len(d.log)
		r := d.try(text)
		after := d.bytes()
		if r.Error != nil {
			if after != before {
				t.Fatalf("%s was refused (%s) and changed the document", text, r.Error.Message)
			}
			for _, s := range r.Error.Try {
				if err := d.takes(s); err != nil {
					t.Fatalf("%s: try %q: %v", text, s.Text, err)
				}
			}
			continue
		}
		if r.Text == "" || r.Kind == "" {
			t.Fatalf("%s succeeded without a word", text)
		}
		if len(d.log) == n {
			if after != before {
				t.Fatalf("%s changed the document without an event", text)
			}
			continue
		}
		checkModel(t, text, d.in.Model())
		checkState(t, text, d.in.Model())
		// Undo, redo.
		back := d.undo()
		if got := d.bytes(); got != before {
			t.Fatalf("undo of %q left\n%s\nwant\n%s", text, got, before)
		}
		checkModel(t, "undo of "+text, d.in.Model())
		checkState(t, "undo of "+text, d.in.Model())
		d.redo(back)
		if got := d.bytes(); got != after {
			t.Fatalf("redo of %q gave\n%s\nwant\n%s", text, got, after)
		}
	}
	checkPages(t, d)
	last := d.bytes()
	if _, err := mxfile.Open([]byte(last)); err != nil {
		t.Fatalf("the result does not open: %v", err)
	}
	// The log on a fresh instance, and on one restored half way.
	fresh := open()
	half := len(d.log) / 2
	for i, r := range d.log {
		if i == half {
			snap, err := fresh.in.Save(&abi.SaveRequest{Snapshot: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := fresh.in.Open(&abi.OpenRequest{Snapshot: true, Data: snap.Data}); err != nil {
				t.Fatalf("snapshot: %v", err)
			}
		}
		fresh.redo(r)
	}
	if got := fresh.bytes(); got != last {
		t.Fatalf("the replayed log gave\n%s\nwant\n%s", got, last)
	}
	if a, b := fresh.in.Model().NewID(0), d.in.Model().NewID(0); a != b {
		t.Fatalf("after replay the next id is %s, was %s", a, b)
	}
	// All the way back.
	for len(d.log) > 0 {
		d.undo()
	}
	if got := d.bytes(); got != first {
		t.Fatalf("undoing everything left\n%s\nwant\n%s", got, first)
	}
}

// checkPages compares the map, read a few lines at a time, with the whole map.
func checkPages(t *rapid.T, d *doc) {
	ask := func(first, lines int) *abi.QueryResponse {
		out, err := d.in.Query(&abi.QueryRequest{Query: abi.Op{Verb: "map"}, First: first, Lines: lines})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	whole := ask(0, 0)
	all := strings.Split(whole.Text, "\n")
	if whole.Total != 0 {
		t.Fatalf("the whole map says that it has %d lines", whole.Total)
	}
	const n = 7
	for first := 1; first <= len(all)+n; first += n {
		got, want := ask(first, n), strings.Join(all[min(first-1, len(all)):min(first-1+n, len(all))], "\n")
		if total := got.Total; got.Text != want || total != len(all) && (total != 0 || len(all) > n) {
			t.Fatalf("from line %d of %d on the map is\n%s\nof %d lines, and should be\n%s", first, len(all), got.Text, total, want)
		}
	}
}

// checkModel compares what the model keeps up to date with what a fresh
// reading of its bytes says.
func checkModel(t *rapid.T, op string, f *file) {
	ids := map[string]bool{}
	for _, p := range f.Pages {
		for c := p.First(); c != nil; c = c.Next() {
			if p.Cell(c.Key) != c {
				t.Fatalf("%s: cell %s is not found by its key", op, c.Key)
			}
			if strings.Contains(c.Raw(), `="NaN"`) || strings.Contains(c.Raw(), `Inf"`) {
				t.Fatalf("%s: a number that is none: %s", op, c.Raw())
			}
			if strings.HasPrefix(c.ID, "n") && ids[c.ID] {
				t.Fatalf("%s: id %s is used twice", op, c.ID)
			}
			ids[c.ID] = true
			if c.Parent != "" && !slices.Contains(p.Children(c.Parent), c) {
				t.Fatalf("%s: %s is missing among its parent's children", op, c.Key)
			}
			if c.Edge && c.Source != "" && !slices.Contains(p.Out(c.Source), c) {
				t.Fatalf("%s: edge %s is missing at its source", op, c.Key)
			}
			if c.Edge && c.Target != "" && !slices.Contains(p.In(c.Target), c) {
				t.Fatalf("%s: edge %s is missing at its target", op, c.Key)
			}
			if c.Shape() && c.Name() != "" {
				if hits, m := p.Names().Find(c.Name(), true); m != pdk.MatchExact || !slices.Contains(hits, c) {
					t.Fatalf("%s: %q is not found by its name", op, c.Name())
				}
			}
			if c.Shape() && !c.Relative {
				id := ""
				if o := c.Owner(); o != nil {
					id = o.ID
				}
				if r, ok := p.Space(id).Rect(c); !ok || r != c.Geo {
					t.Fatalf("%s: %s takes %v in its space, should be %v", op, c.Key, r, c.Geo)
				}
			}
		}
	}
}

// checkState compares the state, which is counted by what changed, with that of
// the same file read anew.
func checkState(t *rapid.T, op string, f *file) {
	snapshot, err := f.Snapshot()
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	fresh, err := mxfile.Restore(snapshot)
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	if got, want := fmt.Sprintf("%+v", queries.State(f)), fmt.Sprintf("%+v", queries.State(fresh)); got != want {
		t.Fatalf("%s: the state is\n%s\nand that of the same file read anew\n%s", op, got, want)
	}
	for _, query := range Domain().Queries {
		if query.Name != "stats" && query.Name != "map" {
			continue
		}
		got, err := query.Run(&view{Model: f}, pdk.Args{Op: &abi.Op{}})
		want, err2 := query.Run(&view{Model: fresh}, pdk.Args{Op: &abi.Op{}})
		if err != nil || err2 != nil || got.Text != want.Text {
			t.Fatalf("%s: a query gives\n%s\n%v\nand of the same file read anew\n%s\n%v", op, got.Text, err, want.Text, err2)
		}
	}
}
