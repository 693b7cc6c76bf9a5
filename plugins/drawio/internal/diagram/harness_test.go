package diagram

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/vmihailenco/msgpack/v5"
)

type (
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
	view = pdk.View[*mxfile.File]
)

// doc is an open document with a log, driven by op texts as the host would.
type doc struct {
	t      testing.TB
	in     *pdk.Instance[*file]
	rules  grammar.Rules
	verbs  map[string]abi.Verb
	log    []abi.Result // results with events
	recent []string     // newest first
}

func newDoc(t testing.TB) *doc {
	t.Helper()
	d := blankDoc(t)
	if _, err := d.in.New(&abi.NewRequest{Title: "Test"}); err != nil {
		t.Fatal(err)
	}
	return d
}

func openDoc(t testing.TB, data []byte) *doc {
	t.Helper()
	d := blankDoc(t)
	if _, err := d.in.Open(&abi.OpenRequest{Name: "test.drawio", Data: data}); err != nil {
		t.Fatal(err)
	}
	return d
}

func blankDoc(t testing.TB) *doc {
	t.Helper()
	dom := Domain()
	blocks := map[string]string{}
	for _, v := range dom.Verbs {
		if v.Block != "" {
			blocks[v.Name] = v.Block
		}
	}
	rules, err := grammar.CompileRules(dom.Positionals, blocks)
	if err != nil {
		t.Fatal(err)
	}
	d := &doc{t: t, in: pdk.NewInstance(dom), rules: rules, verbs: map[string]abi.Verb{}}
	for _, v := range dom.Verbs {
		d.verbs[v.Name] = v.Verb
	}
	return d
}

// op parses an op and checks it against the manifest, as the host does.
func (d *doc) op(text string) (abi.Op, error) {
	o, err := grammar.Parse(text, d.rules)
	if err != nil {
		return abi.Op{}, err
	}
	v, ok := d.verbs[o.Verb]
	if !ok {
		return abi.Op{}, fmt.Errorf("unknown verb %q", o.Verb)
	}
	for _, p := range o.Params {
		if !v.AnyParam && !slices.ContainsFunc(v.Params, func(x abi.Param) bool { return x.Key == p.Key }) {
			return abi.Op{}, fmt.Errorf("%s has no parameter %s", o.Verb, p.Key)
		}
	}
	n := len(o.Positionals)
	if n < v.Min && len(o.Selectors) == 0 || v.Max >= 0 && n > v.Max || len(o.Selectors) > 0 && !v.Select {
		return abi.Op{}, fmt.Errorf("%s does not take these words", o.Verb)
	}
	return o.Op, nil
}

// try runs one op and returns its result. Errors that the host would report are errors in
// the result.
func (d *doc) try(text string) abi.Result {
	d.t.Helper()
	op, err := d.op(text)
	if err != nil {
		return abi.Result{Error: &abi.Error{Message: err.Error()}}
	}
	res, err := d.in.Apply(&abi.ApplyRequest{Ops: []abi.Op{op}, Recent: d.recent})
	if err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	r := res.Results[0]
	if r.Error == nil {
		d.keep(r)
	}
	return r
}

func (d *doc) keep(r abi.Result) {
	if len(r.Events) > 0 {
		d.log = append(d.log, r)
	}
	for i := len(r.IDs) - 1; i >= 0; i-- {
		d.recent = append([]string{r.IDs[i]}, d.recent...)
	}
}

// run runs ops that must succeed and returns the text of the last one.
func (d *doc) run(ops ...string) string {
	d.t.Helper()
	text := ""
	for _, o := range ops {
		r := d.try(o)
		if r.Error != nil {
			d.t.Fatalf("%s: %s %v", o, r.Error.Message, r.Error.Try)
		}
		text = r.Text
	}
	return text
}

// refused runs an op that must fail with want in its message. It checks that nothing
// changed and that every suggestion parses.
func (d *doc) refused(op, want string) *abi.Error {
	d.t.Helper()
	before := d.bytes()
	r := d.try(op)
	if r.Error == nil {
		d.t.Fatalf("%s: not refused: %s", op, r.Text)
	}
	if !strings.Contains(r.Error.Message, want) {
		d.t.Errorf("%s: refused with %q, want %q in it", op, r.Error.Message, want)
	}
	for _, s := range r.Error.Try {
		if err := d.takes(s); err != nil {
			d.t.Errorf("%s: try %q does not parse: %v", op, s.Text, err)
		}
	}
	if after := d.bytes(); after != before {
		d.t.Errorf("%s: refused, but it changed the document", op)
	}
	return r.Error
}

// takes returns an error if a suggestion is neither an op nor a query of the domain.
func (d *doc) takes(s abi.Suggestion) error {
	if s.Kind == abi.TryQuery {
		q, err := grammar.ParseQuery(s.Text)
		if err == nil && !d.knowsQuery(q.Verb) {
			err = fmt.Errorf("no query %s", q.Verb)
		}
		return err
	}
	_, err := d.op(s.Text)
	return err
}

// unchanged runs an op that must change nothing and reply with want in its text.
func (d *doc) unchanged(op, want string) {
	d.t.Helper()
	before, n := d.bytes(), len(d.log)
	r := d.try(op)
	switch {
	case r.Error != nil:
		d.t.Errorf("%s: refused: %s", op, r.Error.Message)
	case r.Kind != abi.Unchanged || !strings.Contains(r.Text, want) || len(r.Events) > 0 || len(d.log) != n:
		d.t.Errorf("%s: %s %q with %d events, want it unchanged with %q", op, r.Kind, r.Text, len(r.Events), want)
	case d.bytes() != before:
		d.t.Errorf("%s: said to be unchanged, but it changed the document", op)
	}
}

func (d *doc) knowsQuery(name string) bool {
	for _, q := range Domain().Queries {
		if q.Name == name {
			return true
		}
	}
	return false
}

func (d *doc) bytes() string {
	d.t.Helper()
	res, err := d.in.Save(&abi.SaveRequest{})
	if err != nil {
		d.t.Fatal(err)
	}
	return string(res.Data)
}

func (d *doc) digest() string {
	d.t.Helper()
	s, err := d.in.State()
	if err != nil {
		d.t.Fatal(err)
	}
	return s.State.Digest
}

func (d *doc) warnings() string {
	d.t.Helper()
	s, err := d.in.State()
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.Join(s.State.Warnings, "\n")
}

func (d *doc) query(q string) string {
	d.t.Helper()
	text, err := d.ask(q)
	if err != nil {
		d.t.Fatalf("%s: %v", q, err)
	}
	return text
}

func (d *doc) ask(q string) (string, error) {
	o, err := grammar.ParseQuery(q)
	if err != nil {
		return "", err
	}
	res, err := d.in.Query(&abi.QueryRequest{Query: o.Op, Recent: d.recent})
	if err != nil {
		return "", err
	}
	return res.Text, nil
}

// undo undoes the last op.
func (d *doc) undo() abi.Result {
	d.t.Helper()
	last := d.log[len(d.log)-1]
	d.log = d.log[:len(d.log)-1]
	d.reverse(last)
	return last
}

func (d *doc) reverse(r abi.Result) {
	d.t.Helper()
	events := slices.Clone(r.Events)
	slices.Reverse(events)
	if _, err := d.in.Reverse(&abi.EventsRequest{Events: events}); err != nil {
		d.t.Fatalf("undo of %q: %v", r.Text, err)
	}
}

func (d *doc) redo(r abi.Result) {
	d.t.Helper()
	if _, err := d.in.Replay(&abi.EventsRequest{Events: r.Events}); err != nil {
		d.t.Fatalf("redo of %q: %v", r.Text, err)
	}
	d.log = append(d.log, r)
}

// samples returns the real files beside the repository by name, or skips the test.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	dir := os.Getenv("FCP_SHARED")
	if dir == "" {
		at, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				dir = filepath.Join(at, "..", "shared")
				break
			}
			if at == filepath.Dir(at) {
				t.Fatal("no go.mod above the test")
			}
			at = filepath.Dir(at)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "data", "drawio*", "*"))
	out := map[string][]byte{}
	for _, f := range files {
		if filepath.Base(f) == "index.xml" {
			continue // a list of libraries, not a diagram
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = data
	}
	if len(out) == 0 {
		t.Skipf("no sample files in %s; set FCP_SHARED", dir)
	}
	return out
}

func decode(data []byte, v any) error { return msgpack.Unmarshal(data, v) }
