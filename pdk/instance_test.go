package pdk_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
)

// call runs one export through encoded bytes.
func call[Out any](t *testing.T, in *pdk.Instance[*shelf], export string, req any) (*Out, error) {
	t.Helper()
	var input []byte
	if req != nil {
		var err error
		if input, err = abi.Marshal(req); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := in.Call(export, input)
	if err != nil {
		return nil, err
	}
	out := new(Out)
	if err := abi.Unmarshal(answer, out); err != nil {
		t.Fatal(err)
	}
	return out, nil
}

func must[Out any](t *testing.T, in *pdk.Instance[*shelf], export string, req any) *Out {
	t.Helper()
	out, err := call[Out](t, in, export, req)
	if err != nil {
		t.Fatalf("%s: %v", export, err)
	}
	return out
}

func opened(t *testing.T, content string) *pdk.Instance[*shelf] {
	t.Helper()
	in := pdk.NewInstance(shelves())
	must[abi.OpenResponse](t, in, abi.ExportOpen, &abi.OpenRequest{Name: "a.shelf", Data: []byte(content)})
	return in
}

func ops(t *testing.T, texts ...string) []abi.Op {
	t.Helper()
	var out []abi.Op
	for _, it := range grammar.ParseAll(texts, grammar.Rules{}) {
		if it.Err != nil {
			t.Fatal(it.Err)
		}
		out = append(out, it.Op.Op)
	}
	return out
}

func saved(t *testing.T, in *pdk.Instance[*shelf]) string {
	t.Helper()
	return string(must[abi.SaveResponse](t, in, abi.ExportSave, &abi.SaveRequest{}).Data)
}

func TestABatchStopsAtTheFailedOpUnlessEachIsAsked(t *testing.T) {
	batch := ops(t, "put a", "put b poison c", "put d", "nonsense", "put e")
	t.Run("all or nothing", func(t *testing.T) {
		in := opened(t, "x")
		out := must[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: batch})
		if len(out.Results) != 2 || out.Results[1].Error == nil || out.Results[1].Error.Message != "poison is not for shelves" {
			t.Fatalf("%+v", out.Results)
		}
		if got := saved(t, in); got != "x a" {
			t.Errorf("the failed op left %q", got)
		}
		if w := out.Results[1].Warnings; len(w) != 1 {
			t.Errorf("warnings of the failed op: %q", w)
		}
		if out.State.Digest != "2 words" {
			t.Errorf("the state is that after the last op: %s", out.State.Digest)
		}
	})
	t.Run("each", func(t *testing.T) {
		in := opened(t, "x")
		out := must[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: batch, Each: true})
		failed := ""
		for i, r := range out.Results {
			if r.Error != nil {
				failed += fmt.Sprint(i)
			}
		}
		if len(out.Results) != 5 || failed != "13" || saved(t, in) != "x a d e" {
			t.Errorf("failed %s, saved %q", failed, saved(t, in))
		}
	})
}

func TestAResultHoldsItsEventsAndTheirIds(t *testing.T) {
	in := opened(t, "")
	out := must[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: ops(t, "put a b a")})
	r := out.Results[0]
	if r.Kind != abi.Created || r.Text != "put 3" || len(r.Events) != 3 || fmt.Sprint(r.IDs) != "[a b]" {
		t.Errorf("%+v", r)
	}
	if e := r.Events[1]; e.Type != "insert" || e.Summary != "put b" || fmt.Sprint(e.IDs) != "[b]" {
		t.Errorf("%+v", e)
	}
}

func TestEqualEditsGiveEqualEvents(t *testing.T) {
	var first []byte
	for range 50 {
		in := opened(t, "")
		out := must[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: ops(t, "put a")})
		data := out.Results[0].Events[0].Data
		if first == nil {
			first = data
		}
		if !bytes.Equal(first, data) {
			t.Fatalf("% x\n% x", first, data)
		}
	}
}

func TestAnEditThatCannotBeEncodedIsUndone(t *testing.T) {
	in := opened(t, "x")
	out := must[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: ops(t, "mute")})
	if e := out.Results[0].Error; e == nil || !strings.HasPrefix(e.Message, "encode mute: ") {
		t.Errorf("%+v", out.Results[0])
	}
	if got := saved(t, in); got != "x" {
		t.Errorf("saved %q", got)
	}
}

func TestAFailedOpThatCannotBeUndoneRefusesTheCall(t *testing.T) {
	in := opened(t, "x")
	_, err := call[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: ops(t, "put sticky poison")})
	if err == nil || !strings.Contains(err.Error(), "could not be undone") {
		t.Error(err)
	}
}

func TestEventsAreReversedAndReplayedInAnyInstance(t *testing.T) {
	in := opened(t, "x")
	out := must[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: ops(t, "put a b")})
	events := out.Results[0].Events
	other := opened(t, "x")
	if st := must[abi.StateResponse](t, other, abi.ExportReplay, &abi.EventsRequest{Events: events}); st.State.Digest != "3 words" || saved(t, other) != "x a b" {
		t.Errorf("replayed: %s, %q", st.State.Digest, saved(t, other))
	}
	backwards := []abi.Event{events[1], events[0]}
	must[abi.StateResponse](t, other, abi.ExportReverse, &abi.EventsRequest{Events: backwards})
	if got := saved(t, other); got != "x" {
		t.Errorf("reversed: %q", got)
	}
	for name, ev := range map[string]abi.Event{
		"of unknown type":         {Type: "lost"},
		"that cannot be read":     {Type: "insert", Data: []byte{0xc1}},
		"whose change is refused": {Type: "insert", Data: []byte("\x81\xa4Word\xa6poison")},
	} {
		if _, err := call[abi.StateResponse](t, in, abi.ExportReplay, &abi.EventsRequest{Events: []abi.Event{ev}}); err == nil || !strings.HasPrefix(err.Error(), "event 0 ") {
			t.Errorf("an event %s: %v", name, err)
		}
	}
}

func TestRecentSpansTheBatchAndTheCallsBefore(t *testing.T) {
	tests := []struct{ op, want string }{
		{"echo @recent", "c"},
		{"echo @recent:2", "b,c"},
		{"echo @recent:4", "x,a,b,c"},
		{"echo @recent:99", "x,y,a,b,c"}, // old2 is gone
		{"echo @not:recent:3", "x,y"},
		{"echo @recent:3 @not:recent", "a,b"},
		{"echo @all", "x,y,a,b,c"},
	}
	for _, tt := range tests {
		t.Run(tt.op, func(t *testing.T) {
			in := opened(t, "x y")
			out := must[abi.ApplyResponse](t, in, abi.ExportApply,
				&abi.ApplyRequest{Ops: ops(t, "put a", "put b c", tt.op), Recent: []string{"gone", "x", "y"}})
			if got := out.Results[2].Text; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestElementsAnOpTouchesAreRecentForTheNext(t *testing.T) {
	in := opened(t, "x y")
	out := must[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: ops(t, "put a", "echo @recent", "put b", "put poison", "echo @recent:2"), Each: true})
	if got := out.Results[4].Text; got != "a,b" {
		t.Errorf("a failed op touches nothing: %s", got)
	}
}

// Half of five thousand ops use @recent: rebuilding the list for each would be quadratic.
func TestAskingForRecentAllTheTimeStaysCheap(t *testing.T) {
	in := opened(t, "")
	texts := []string{"put first"}
	for i := range 2500 {
		texts = append(texts, fmt.Sprintf("put w%d", i), "echo @recent:1")
	}
	allocated := testing.AllocsPerRun(1, func() {
		must[abi.ApplyResponse](t, in, abi.ExportApply, &abi.ApplyRequest{Ops: ops(t, texts...)})
	})
	if allocated > 2_000_000 {
		t.Errorf("%v allocations", allocated)
	}
}

func TestEveryExportAnswersThroughEncodedBytes(t *testing.T) {
	in := pdk.NewInstance(shelves())
	m := must[abi.Manifest](t, in, abi.ExportManifest, nil)
	if m.ABI != abi.Version || m.Domain != "shelf" || len(m.Verbs) != 3 || !m.Snapshots || len(m.Exports) != 1 || len(m.Session) != 1 {
		t.Errorf("%+v", m)
	}
	if h := must[abi.HelpResponse](t, in, abi.ExportHelp, nil); h.Sections != nil {
		t.Errorf("help without a document: %+v", h)
	}
	if out := must[abi.OpenResponse](t, in, abi.ExportNew, &abi.NewRequest{Title: "T"}); out.State.Digest != "0 words" {
		t.Errorf("%+v", out)
	}
	res := must[abi.ApplyResponse](t, in, abi.ExportSession, &abi.SessionRequest{Command: ops(t, "import w.txt")[0], Name: "w.txt", Data: []byte("word")})
	if r := res.Results[0]; r.Text != "imported w.txt" || len(r.Events) != 1 {
		t.Errorf("%+v", r)
	}
	if q := must[abi.QueryResponse](t, in, abi.ExportQuery, &abi.QueryRequest{Query: ops(t, "map")[0], Recent: []string{"word"}}); q.Text != "word|word" {
		t.Errorf("%+v", q)
	}
	e := must[abi.SaveResponse](t, in, abi.ExportExport, &abi.ExportRequest{Format: "csv", Params: []abi.KeyValue{{Key: "sep", Value: ";"}}})
	if string(e.Data) != "word" || e.MIME != "text/csv" {
		t.Errorf("%+v", e)
	}
	if s := must[abi.SaveResponse](t, in, abi.ExportSave, &abi.SaveRequest{}); string(s.Data) != "word" || s.MIME != "text/x-shelf" {
		t.Errorf("%+v", s)
	}
	snap := must[abi.SaveResponse](t, in, abi.ExportSave, &abi.SaveRequest{Snapshot: true})
	if string(snap.Data) != "snapshot word" {
		t.Errorf("%+v", snap)
	}
	must[abi.OpenResponse](t, in, abi.ExportOpen, &abi.OpenRequest{Data: snap.Data, Snapshot: true})
	if st := must[abi.StateResponse](t, in, abi.ExportState, nil); st.State.Digest != "1 words" {
		t.Errorf("%+v", st)
	}
	if h := must[abi.HelpResponse](t, in, abi.ExportHelp, nil); len(h.Sections) != 1 {
		t.Errorf("%+v", h)
	}
}

func TestInvalidCallsAreRefused(t *testing.T) {
	fresh := func() *pdk.Instance[*shelf] { return pdk.NewInstance(shelves()) }
	for _, export := range []string{abi.ExportSave, abi.ExportApply, abi.ExportQuery, abi.ExportReverse, abi.ExportReplay, abi.ExportState, abi.ExportSession, abi.ExportExport} {
		if _, err := fresh().Call(export, []byte{0x80}); err == nil || !strings.Contains(err.Error(), "no document") {
			t.Errorf("%s without a document: %v", export, err)
		}
	}
	for _, export := range append(abi.Required(), abi.Optional()...) {
		switch export {
		case abi.ExportManifest, abi.ExportState, abi.ExportHelp:
			continue // they take no input
		}
		if _, err := opened(t, "x").Call(export, []byte{0xc1}); err == nil || !strings.Contains(err.Error(), "not a valid message") {
			t.Errorf("%s with nonsense: %v", export, err)
		}
	}
	for name, refused := range map[string]func() error{
		"an unknown export": func() error { _, err := fresh().Call("fcp_other", nil); return err },
		"an unknown query": func() error {
			_, err := call[abi.QueryResponse](t, opened(t, "x"), abi.ExportQuery, &abi.QueryRequest{Query: abi.Op{Verb: "where"}})
			return err
		},
		"an unknown session action": func() error {
			_, err := call[abi.ApplyResponse](t, opened(t, "x"), abi.ExportSession, &abi.SessionRequest{Command: abi.Op{Verb: "where"}})
			return err
		},
		"an unknown format": func() error {
			_, err := call[abi.SaveResponse](t, opened(t, "x"), abi.ExportExport, &abi.ExportRequest{Format: "pdf"})
			return err
		},
	} {
		if err := refused(); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	_, err := call[abi.OpenResponse](t, fresh(), abi.ExportNew, &abi.NewRequest{Title: "bad"})
	if got := pdk.Text(err); got != "no such shelf\ntry: new \"good\"" {
		t.Errorf("a refusal keeps its suggestion: %q", got)
	}
	in := opened(t, "x")
	if _, err := call[abi.OpenResponse](t, in, abi.ExportNew, &abi.NewRequest{Title: "bad"}); err == nil || saved(t, in) != "x" {
		t.Errorf("a refused new changed the document: %v", err)
	}
}

// toggle is an edit that changes nothing but a count.
type toggle struct{ N int }

func (*toggle) Type() string { return "toggle" }

func (*toggle) Do(n *int) error { *n++; return nil }

func (*toggle) Undo(n *int) error { *n--; return nil }

func TestAnOpOfManyEditsYieldsToTheCollector(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as in a guest
	in := pdk.NewInstance(&pdk.Domain[*int]{
		New:   func(*abi.NewRequest) (*int, error) { return new(int), nil },
		State: func(*int) abi.State { return abi.State{Digest: "0"} },
		Verbs: []pdk.Verb[*int]{{Verb: abi.Verb{Name: "toggle"}, Run: func(c *pdk.Ctx[*int], _ pdk.Args) error {
			var others int
			go func() { others++ }()
			for range 100 {
				if err := c.Do(&toggle{}, "toggle"); err != nil {
					return err
				}
			}
			if others == 0 {
				return pdk.Errorf("nothing else ran during 100 edits")
			}
			c.Changed("toggled")
			return nil
		}}},
	})
	if _, err := in.New(&abi.NewRequest{}); err != nil {
		t.Fatal(err)
	}
	if out, err := in.Apply(&abi.ApplyRequest{Ops: []abi.Op{{Verb: "toggle", Raw: "toggle"}}}); err != nil || out.Results[0].Error != nil {
		t.Error(err, out.Results[0].Error)
	}
}
