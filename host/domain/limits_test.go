package domain_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := abi.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answering starts an instance of a domain whose exports give these answers.
func answering(t *testing.T, answers map[string]any) *domain.Instance {
	t.Helper()
	raw := map[string][]byte{}
	for export, v := range answers {
		raw[export] = encoded(t, v)
	}
	m := &abi.Manifest{ABI: 1, Domain: "evil", Verbs: []abi.Verb{{Name: "do", Syntax: "do", Max: -1}}}
	p, err := sandbox.NewPlugin(sandbox.Config{Name: "evil.wasm", Wasm: testwasm.Echo(append(abi.Required(), abi.ExportHelp), raw)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	d, err := domain.New(m, p)
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.Start(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Every text of a result is cut to its limit and made printable. What would make no sense when cut is a malformed answer.
func TestUnracedAnswersBeyondTheABIsLimitsAreCutOrRefused(t *testing.T) {
	testwasm.Unraced(t) // a million elements
	const long = 1 << 16
	dirty := strings.Repeat("\x1b\u202e\x00\n", long/8)
	many := func(n int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = dirty
		}
		return list
	}
	bounded := func(t *testing.T, what, text string, max int) {
		t.Helper()
		if len(text) == 0 || len(text) > max {
			t.Errorf("%s has %d bytes, the limit is %d", what, len(text), max)
		}
		if strings.ContainsAny(text, "\x1b\u202e\x00") {
			t.Errorf("%s is not clean: %.60q", what, text)
		}
	}
	state := abi.State{Digest: dirty, Title: dirty, Warnings: many(50), Counts: make([]abi.Count, 1000)}
	checkState := func(t *testing.T, s *abi.State) {
		t.Helper()
		bounded(t, "the digest", s.Digest, abi.MaxDigest)
		bounded(t, "the title", s.Title, abi.MaxSummary)
		if len(s.Warnings) != abi.MaxWarnings || len(s.Counts) > 64 {
			t.Errorf("%d warnings and %d counts", len(s.Warnings), len(s.Counts))
		}
		for _, w := range s.Warnings {
			bounded(t, "a warning", w[strings.Index(w, "| ")+2:], abi.MaxWarning)
		}
	}
	apply := func(t *testing.T, results ...abi.Result) (*abi.ApplyResponse, error) {
		t.Helper()
		in := answering(t, map[string]any{abi.ExportApply: &abi.ApplyResponse{Results: results, State: state}})
		return in.Apply(t.Context(), &abi.ApplyRequest{Ops: []abi.Op{{Verb: "do", Raw: "do"}}})
	}

	t.Run("a result", func(t *testing.T) {
		out, err := apply(t, abi.Result{Kind: abi.Created, Text: dirty, Warnings: many(50),
			Events: []abi.Event{{Type: "did", Summary: dirty, IDs: []string{strings.Repeat("i", abi.MaxID)}}}})
		if err != nil {
			t.Fatal(err)
		}
		r := out.Results[0]
		bounded(t, "the text", r.Text, abi.MaxText)
		bounded(t, "the event's summary", r.Events[0].Summary, abi.MaxSummary)
		if len(r.Warnings) != abi.MaxWarnings {
			t.Errorf("%d warnings", len(r.Warnings))
		}
		for _, w := range r.Warnings {
			bounded(t, "a warning", w[strings.Index(w, "| ")+2:], abi.MaxWarning)
		}
		checkState(t, &out.State)
	})
	t.Run("an error", func(t *testing.T) {
		out, err := apply(t, abi.Result{Error: &abi.Error{Message: dirty, Try: tries(append(many(3), "do 1", "do 2", "do 3", "do 4", `do "`))}})
		if err != nil {
			t.Fatal(err)
		}
		e := out.Results[0].Error
		bounded(t, "the message", e.Message, abi.MaxError)
		if len(e.Try) > abi.MaxTry {
			t.Errorf("%d suggestions", len(e.Try))
		}
		for _, try := range e.Try {
			bounded(t, "a suggestion", try.Text, 4<<10)
		}
	})
	for _, tt := range []struct {
		name   string
		result abi.Result
		want   string
	}{
		{"an id", abi.Result{Kind: abi.Created, IDs: []string{strings.Repeat("i", abi.MaxID+1)}}, "an id of 257 bytes, the limit is 256"},
		{"an event's id", abi.Result{Kind: abi.Created, Events: []abi.Event{{Type: "t", IDs: []string{strings.Repeat("i", abi.MaxID+1)}}}}, "an id of 257 bytes"},
		{"an event's type", abi.Result{Kind: abi.Created, Events: []abi.Event{{Type: strings.Repeat("t", 129)}}}, "is not one line of at most 128 bytes"},
		{"the events", abi.Result{Kind: abi.Created, Events: make([]abi.Event, abi.MaxEvents+1)}, "is not a list of at most 1000000"},
		{"the elements", abi.Result{Kind: abi.Created, IDs: make([]string, abi.MaxElements)}, "more than 2000000 array elements"},
		{"the kind", abi.Result{Kind: "evil"}, `unknown kind "evil"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := apply(t, tt.result)
			var f *domain.Fault
			if !errors.As(err, &f) || !strings.Contains(f.Message, tt.want) || len(f.Message) > 700 {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
	t.Run("a query", func(t *testing.T) {
		in := answering(t, map[string]any{abi.ExportQuery: &abi.QueryResponse{Text: strings.Repeat("\x1b", abi.MaxQuery),
			Content: make([]abi.Content, 100)}})
		out, err := in.Query(t.Context(), &abi.QueryRequest{})
		if err != nil {
			t.Fatal(err)
		}
		bounded(t, "the text", out.Text, abi.MaxQuery)
		if len(out.Content) != abi.MaxContent {
			t.Errorf("%d blocks", len(out.Content))
		}
	})
	t.Run("help", func(t *testing.T) {
		var sections []abi.Section
		for range 30 {
			sections = append(sections, abi.Section{Title: dirty, Lines: []string{dirty}})
		}
		in := answering(t, map[string]any{abi.ExportHelp: &abi.HelpResponse{Sections: sections}})
		out, err := in.Help(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, s := range out {
			bounded(t, "a title", s.Title, 128)
			size += len(s.Title)
			for _, l := range s.Lines {
				size += len(l)
			}
		}
		if size > abi.MaxHelp || size == 0 {
			t.Errorf("%d bytes", size)
		}
	})
	t.Run("what opens and moves", func(t *testing.T) {
		in := answering(t, map[string]any{
			abi.ExportOpen:    &abi.OpenResponse{Text: dirty, Warnings: many(50), State: state},
			abi.ExportReverse: &abi.StateResponse{State: state},
			abi.ExportSave:    &abi.SaveResponse{Warnings: many(50)},
		})
		out, err := in.Open(t.Context(), &abi.OpenRequest{})
		if err != nil {
			t.Fatal(err)
		}
		bounded(t, "the text", out.Text, abi.MaxSummary)
		checkState(t, &out.State)
		moved, err := in.Reverse(t.Context(), []abi.Event{{Type: "did"}})
		if err != nil {
			t.Fatal(err)
		}
		checkState(t, moved)
		saved, err := in.Save(t.Context(), &abi.SaveRequest{})
		if err != nil || len(saved.Warnings) != abi.MaxWarnings {
			t.Errorf("%d warnings, %v", len(saved.Warnings), err)
		}
	})
	t.Run("the depth", func(t *testing.T) {
		in := answering(t, nil)
		deep := strings.Repeat("\x91", abi.MaxDepth+2) + "\xc0"
		_, err := in.Apply(t.Context(), &abi.ApplyRequest{Ops: []abi.Op{{Verb: "do", Raw: "do " + hex.EncodeToString([]byte(deep))}}})
		if err == nil || !strings.Contains(err.Error(), "message nests deeper than 32") {
			t.Errorf("%v", err)
		}
	})
}

func tries(texts []string) (out []abi.Suggestion) {
	for _, t := range texts {
		out = append(out, abi.Suggestion{Text: t})
	}
	return out
}
