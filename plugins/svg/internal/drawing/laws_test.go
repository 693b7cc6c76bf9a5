package drawing

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/queries"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

// sketch is a document that ops run on, with its log.
type sketch struct {
	t      testing.TB
	in     *pdk.Instance[*model.Drawing]
	rules  grammar.Rules
	log    []abi.Result
	recent []string
}

func openSketch(t testing.TB, name string, data []byte) *sketch {
	t.Helper()
	in := pdk.NewInstance(Domain())
	if _, err := in.Open(&abi.OpenRequest{Name: name, Data: data}); err != nil {
		t.Fatal(err)
	}
	return &sketch{t: t, in: in}
}

func (s *sketch) bytes() string {
	s.t.Helper()
	out, err := s.in.Save(&abi.SaveRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(out.Data)
}

// try runs an op. It fails the test if the op cannot be parsed.
func (s *sketch) try(text string) abi.Result {
	s.t.Helper()
	item := grammar.ParseAll([]string{text}, s.rules)[0]
	if item.Err != nil {
		s.t.Fatalf("%s: %v", text, item.Err)
	}
	res, err := s.in.Apply(&abi.ApplyRequest{Ops: []abi.Op{item.Op.Op}, Recent: s.recent})
	if err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	r := res.Results[0]
	if r.Error == nil && len(r.Events) > 0 {
		s.log = append(s.log, r)
		s.recent = append(slices.Clone(r.IDs), s.recent...)
	}
	return r
}

func (s *sketch) move(r abi.Result, do func(*abi.EventsRequest) (*abi.StateResponse, error)) {
	s.t.Helper()
	if _, err := do(&abi.EventsRequest{Events: r.Events}); err != nil {
		s.t.Fatalf("%q: %v", r.Text, err)
	}
}

// steps returns the steps of a result's event.
func steps(t testing.TB, r abi.Result) []tree.Step {
	t.Helper()
	var out []tree.Step
	for _, ev := range r.Events {
		var e model.Edit
		if err := msgpack.Unmarshal(ev.Data, &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Steps...)
	}
	return out
}

// pieces returns the texts of a document's nodes by their keys.
func pieces(f *model.Drawing) map[int][4]string {
	out := map[int][4]string{}
	for n := range f.Root.All() {
		out[n.Key] = [4]string{n.Lead, n.Tag, n.Tail, n.End}
	}
	return out
}

// wellFormed checks the text with another XML reader.
func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = true
	d.Entity = map[string]string{"who": "declared"}
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func checkLaws(rt *rapid.T, t testing.TB, name string, data []byte, foreign bool) {
	s := openSketch(t, name, data)
	g := &gen{t: rt, f: s.in.Model}
	first := s.bytes()
	for range g.num("ops", 1, 18) {
		text := g.op()
		before, was := s.bytes(), pieces(s.in.Model())
		law := recordNames(s, text)
		logged := len(s.log)
		r := s.try(text)
		after := s.bytes()
		if r.Error != nil || len(s.log) == logged {
			if after != before {
				rt.Fatalf("%s did nothing (%v) and changed the document", text, r.Error)
			}
			if r.Error != nil {
				for _, try := range r.Error.Try {
					if try.Kind == "" && grammar.ParseAll([]string{try.Text}, s.rules)[0].Err != nil {
						rt.Fatalf("%s: try %q cannot be read", text, try.Text)
					}
				}
			}
			continue
		}
		if r.Text == "" || r.Kind == "" {
			rt.Fatalf("%s succeeded without a word", text)
		}
		if lapse := law.lapse(s.in.Model(), r); lapse != "" {
			rt.Fatalf("%s said\n%s\n%s\nand %s", text, r.Text, strings.Join(r.Warnings, "\n"), lapse)
		}
		named := map[int]bool{}
		for _, st := range steps(t, r) {
			if st.Action == tree.Insert || st.Action == tree.Remove {
				for _, k := range st.Keys {
					named[k] = true
				}
			}
			if st.Action == tree.Patch {
				named[st.Key] = true
			}
		}
		now := pieces(s.in.Model())
		for key, p := range was {
			if !named[key] && now[key] != p {
				rt.Fatalf("%s changed element %d, which it did not name, from %q to %q", text, key, p, now[key])
			}
		}
		if err := wellFormed(s.in.Model().Text()); err != nil && !foreign {
			rt.Fatalf("%s: %v in\n%s", text, err, after)
		}
		if _, err := tree.Open(name, []byte(after)); err != nil {
			rt.Fatalf("%s: what is saved does not open: %v\n%s", text, err, after)
		}
		checkModel(rt, text, s.in.Model())
		last := s.log[len(s.log)-1]
		s.move(last, s.in.Reverse)
		if got := s.bytes(); got != before {
			rt.Fatalf("undo of %s left\n%s\nwant\n%s", text, got, before)
		}
		checkModel(rt, "undo of "+text, s.in.Model())
		s.move(last, s.in.Replay)
		if got := s.bytes(); got != after {
			rt.Fatalf("redo of %s gave\n%s\nwant\n%s", text, got, after)
		}
	}
	last := s.bytes()
	again := openSketch(t, name, data)
	for _, r := range s.log {
		again.move(r, again.in.Replay)
	}
	if got := again.bytes(); got != last {
		rt.Fatalf("the replayed log gave\n%s\nwant\n%s", got, last)
	}
	for _, r := range slices.Backward(s.log) {
		s.move(r, s.in.Reverse)
	}
	if got := s.bytes(); got != first {
		rt.Fatalf("undoing everything left\n%s\nwant\n%s", got, first)
	}
}

// checkModel compares the tables that the model keeps up to date with those of the
// restored document.
func checkModel(rt *rapid.T, op string, f *model.Drawing) {
	data, err := f.Snapshot()
	if err != nil {
		rt.Fatalf("%s: %v", op, err)
	}
	doc, err := tree.Restore(data)
	if err != nil {
		rt.Fatalf("%s: %v", op, err)
	}
	fresh := &model.Drawing{Doc: doc}
	if got, want := fmt.Sprintf("%+v", model.State(f)), fmt.Sprintf("%+v", model.State(fresh)); got != want {
		rt.Fatalf("%s: the state is\n%s\nand that of the same document restored\n%s", op, got, want)
	}
	for n := range f.Root.All() {
		if m := doc.Node(n.Key); m == nil || m.Tag != n.Tag || m.Lead != n.Lead {
			rt.Fatalf("%s: element %d is another one in the restored document", op, n.Key)
		}
		if id := n.ID(); id != "" {
			if f.ByID(id) == nil || f.ByID(id).Key != doc.ByID(id).Key {
				rt.Fatalf("%s: the id %s is that of another element", op, id)
			}
		}
		if strings.Contains(n.Tag, "NaN") || strings.Contains(n.Tag, "Inf") {
			rt.Fatalf("%s: a number that is none: %s", op, n.Tag)
		}
	}
	for _, q := range queries.All() {
		if q.Name != "map" && q.Name != "lint" {
			continue
		}
		got, err := q.Run(&pdk.View[*model.Drawing]{Model: f}, pdk.Args{Op: &abi.Op{}})
		want, err2 := q.Run(&pdk.View[*model.Drawing]{Model: fresh}, pdk.Args{Op: &abi.Op{}})
		if err != nil || err2 != nil || got.Text != want.Text {
			rt.Fatalf("%s: a query gives\n%s\nand of the restored document\n%s", op, got.Text, want.Text)
		}
	}
}

func TestEveryOpIsUndoneRedoneAndReplayedExactly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { checkLaws(rt, t, "a.svg", []byte(odd), false) })
}

func TestEveryOpIsExactOnRealFiles(t *testing.T) {
	files := corpus(t)
	var names []string
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "file")
		checkLaws(rt, t, name, files[name], strings.Contains(string(files[name]), "<!ENTITY") || strings.Contains(name, "not-UTF-8"))
	})
}
