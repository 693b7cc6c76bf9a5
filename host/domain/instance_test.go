package domain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func done(kind abi.Kind) abi.Result {
	return abi.Result{Kind: kind, Text: "done", Events: []abi.Event{{Type: "e"}}}
}

func no(message string, try ...string) abi.Result {
	e := &abi.Error{Message: message}
	for _, s := range try {
		e.Try = append(e.Try, abi.Suggestion{Text: s})
	}
	return abi.Result{Error: e}
}

func answer(results ...abi.Result) testwasm.Act {
	return testwasm.Answers(&abi.ApplyResponse{Results: results})
}

func TestAMalformedAnswerIsAFault(t *testing.T) {
	withEvent := func(e abi.Event) abi.Result {
		r := done(abi.Created)
		r.Events[0] = e
		return r
	}
	long := strings.Repeat("x", 300)
	tests := []struct {
		name string
		act  testwasm.Act
		says string
	}{
		{"no bytes", testwasm.Says(nil), "fcp_apply gave a malformed answer (message ends early)"},
		{"not msgpack", testwasm.Says([]byte{0xc1}), "fcp_apply gave a malformed answer (not a msgpack value)"},
		{"bytes after it", testwasm.Says([]byte{0x80, 0x80}), "fcp_apply gave a malformed answer (bytes after the message)"},
		{"another type", testwasm.Answers("text"), "fcp_apply gave a malformed answer ("},
		{"an array of four billion", testwasm.Says([]byte("\x81\xa7results\xdd\xff\xff\xff\xff")), "fcp_apply gave a malformed answer (message ends early)"},
		{"a field of another type", testwasm.Says([]byte("\x81\xa7results\xa1x")), "fcp_apply gave a malformed answer ("},
		{"no result", answer(), "fcp_apply gave a malformed answer (0 results for 2 ops)"},
		{"too few results", answer(done(abi.Created)), "fcp_apply gave a malformed answer (1 results for 2 ops)"},
		{"too many results", answer(done(abi.Created), done(abi.Created), done(abi.Created)), "fcp_apply gave a malformed answer (3 results for 2 ops)"},
		{"an op that ran after a failed one", answer(no("no"), done(abi.Created)), "fcp_apply gave a malformed answer (op 1 failed and op 2 ran)"},
		{"an unknown kind", answer(done("\x1bevil"), done(abi.Created)), `fcp_apply gave a malformed answer (op 1 has the unknown kind "\u001bevil")`},
		{"an id of 300 bytes", answer(abi.Result{Kind: abi.Created, IDs: []string{long}}, done(abi.Created)), "fcp_apply gave a malformed answer (an id of 300 bytes, the limit is 256)"},
		{"an event's id of 300 bytes", answer(withEvent(abi.Event{Type: "e", IDs: []string{long}}), done(abi.Created)), "fcp_apply gave a malformed answer (an id of 300 bytes, the limit is 256)"},
		{"an event type of 300 bytes", answer(withEvent(abi.Event{Type: long}), done(abi.Created)), "fcp_apply gave a malformed answer (the event type "},
		{"an event of the host's own", answer(withEvent(abi.Event{Type: abi.EventOutside}), done(abi.Created)), "fcp_apply gave a malformed answer (the event type fcp.outside is the host's own)"},
		{"an event type with a newline", answer(withEvent(abi.Event{Type: "a\nb"}), done(abi.Created)), "fcp_apply gave a malformed answer (the event type \"a\\u000ab\" is not one line of at most 128 bytes)"},
		{"a refusal of the whole call", testwasm.Refuses("not today"), "fcp_apply refused the call: not today"},
		{"a trap", testwasm.Traps(), "trap: unreachable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := startActing(t, abi.ExportApply, tt.act).Apply(ctx, twoOps())
			var f *Fault
			if !errors.As(err, &f) || !strings.HasPrefix(err.Error(), "the thing plugin failed: "+tt.says) || strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 700 {
				t.Errorf("got %v, %v", out, err)
			}
			if Lost(err) {
				t.Error("the malformed answer counts as a dead worker")
			}
		})
	}
}

func TestAFailedOpIsTheLastOneUnlessEachRuns(t *testing.T) {
	in := startActing(t, abi.ExportApply, answer(no("no", "add", `add "x`, "")))
	out, err := in.Apply(ctx, twoOps())
	if err != nil || len(out.Results) != 1 || !slices.Equal(out.Results[0].Error.Try, []abi.Suggestion{{Kind: abi.TryOp, Text: "add"}}) {
		t.Errorf("got %+v, %v", out, err)
	}
	req := twoOps()
	req.Each = true
	if _, err = in.Apply(ctx, req); err == nil || !strings.Contains(err.Error(), "1 results for 2 ops") {
		t.Errorf("each: %v", err)
	}
	in = startActing(t, abi.ExportApply, answer(no("no"), done("")))
	if out, err = in.Apply(ctx, req); err != nil || out.Results[1].Kind != abi.Changed {
		t.Errorf("each: %+v, %v", out, err)
	}
}

func TestAFailedOpHasOnlyItsError(t *testing.T) {
	res := done(abi.Created)
	res.Error = &abi.Error{}
	res.IDs, res.Warnings = []string{"a"}, []string{"careful"}
	out, err := startActing(t, abi.ExportApply, answer(res)).Apply(ctx, twoOps())
	if err != nil {
		t.Fatal(err)
	}
	got := out.Results[0]
	if got.Error.Message != "the plugin gave no reason" || got.Text != "" || got.Events != nil || got.IDs != nil || got.Kind != "" || got.Warnings[0] != "thing| careful" {
		t.Errorf("got %+v", got)
	}
}

func TestWhatAPluginSaysIsMadePrintableAndBounded(t *testing.T) {
	evil := "\x1b[31m\u202e\x00\ufffe" + strings.Repeat("é", 10_000)
	res := done(abi.Created)
	res.Text, res.Warnings, res.Events[0].Summary = "two\nlines\r"+evil, slices.Repeat([]string{evil}, 100), evil
	state := abi.State{Digest: "a\nb" + evil, Title: evil, Warnings: slices.Repeat([]string{evil}, 100), Counts: slices.Repeat([]abi.Count{{Name: evil, Value: 1}}, 100)}
	in := startActing(t, abi.ExportApply, testwasm.Answers(&abi.ApplyResponse{Results: []abi.Result{res, no(evil)}, State: state}))
	out, err := in.Apply(ctx, twoOps())
	if err != nil {
		t.Fatal(err)
	}
	r := out.Results[0]
	if !strings.HasPrefix(r.Text, "two\nlines\\u000d\\u001b[31m\\u202e\\u0000") || len(r.Text) > abi.MaxText {
		t.Errorf("text of %d bytes: %.80q", len(r.Text), r.Text)
	}
	check := func(what, s string, max int) {
		t.Helper()
		if strings.ContainsAny(s, "\n\x1b\x00\u202e") || len(s) > max || !strings.HasSuffix(s, "…") {
			t.Errorf("%s of %d bytes: %.80q", what, len(s), s)
		}
	}
	check("a warning", r.Warnings[0], len("thing| ")+abi.MaxWarning)
	check("a summary", r.Events[0].Summary, abi.MaxSummary)
	check("a digest", out.State.Digest, abi.MaxDigest)
	check("a title", out.State.Title, abi.MaxSummary)
	check("a state's warning", out.State.Warnings[0], len("thing| ")+abi.MaxWarning)
	check("a count's name", out.State.Counts[0].Name, 64)
	check("an error", out.Results[1].Error.Message, abi.MaxError)
	if len(r.Warnings) != abi.MaxWarnings || len(out.State.Warnings) != abi.MaxWarnings || len(out.State.Counts) > 64 {
		t.Errorf("%d and %d warnings, %d counts", len(r.Warnings), len(out.State.Warnings), len(out.State.Counts))
	}
}

func TestCleanKeepsWhatPeopleWrite(t *testing.T) {
	for _, s := range []string{"plain", "é 日本語 🎵", "👩‍💻", "❤️", "Größe", "العربية"} {
		if got := line(s, 64); got != s {
			t.Errorf("line(%q) = %q", s, got)
		}
	}
	for in, want := range map[string]string{"a\tb": "a b", "a\nb": `a\u000ab`, "a\xffb": "a\uFFFDb", "\u2028\u0085": `\u2028\u0085`} {
		if got := line(in, 64); got != want {
			t.Errorf("line(%q) = %q, want %q", in, got, want)
		}
	}
	if got := text("a\n\tb", 64); got != "a\n b" {
		t.Errorf("text: %q", got)
	}
	for n := 3; n < 20; n++ {
		if got := line("日本\x01語日本語日本語", n); len(got) > n || !strings.HasSuffix(got, "…") && len(got) > 0 {
			t.Errorf("cut to %d bytes: %q", n, got)
		}
	}
}

func TestRefusalsAreReadAsMessageAndSuggestions(t *testing.T) {
	in := startActing(t, abi.ExportOpen, testwasm.Refuses("not a thing:\n\x1bbroken at byte 7\ntry: open ./a.thing\n try: map\ntry: \"\nmore"))
	_, err := in.Open(ctx, &abi.OpenRequest{Name: "x", Data: []byte("y")})
	var r *Refusal
	if !errors.As(err, &r) || r.Message != `thing| not a thing: \u001bbroken at byte 7` || fmt.Sprintf("%q", r.Try) != `[{"action" "open ./a.thing"} {"query" "map"}]` {
		t.Fatalf("got %q, %v", r, err)
	}
	// The instance is still usable.
	if out, err := in.Query(ctx, &abi.QueryRequest{}); err != nil || out.Text != "nothing" {
		t.Errorf("then %v, %v", out, err)
	}
}

func TestEveryReadPassesOnWhatItGets(t *testing.T) {
	d, err := New(testwasm.MinimalManifest(), scripted(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	opened, err := in.New(ctx, &abi.NewRequest{Title: "x"})
	if err != nil || opened.State.Digest != "0 things" {
		t.Errorf("new: %v, %v", opened, err)
	}
	if state, err := in.Reverse(ctx, []abi.Event{{Type: "e"}}); err != nil || state.Digest != "0 things" {
		t.Errorf("reverse: %v, %v", state, err)
	}
	if state, err := in.Replay(ctx, nil); err != nil || state.Digest != "0 things" {
		t.Errorf("replay of nothing reads the state: %v, %v", state, err)
	}
	if saved, err := in.Save(ctx, &abi.SaveRequest{}); err != nil || string(saved.Data) != "saved" {
		t.Errorf("save: %v, %v", saved, err)
	}
	if in.NeedsRecycle() {
		t.Error("a new instance needs recycling")
	}
}

func TestExportsAPluginNeedNotHave(t *testing.T) {
	d, err := New(testwasm.MinimalManifest(), scripted(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if sections, err := in.Help(ctx); err != nil || sections != nil {
		t.Errorf("help: %v, %v", sections, err)
	}
	var r *Refusal
	if _, err := in.Export(ctx, &abi.ExportRequest{Format: "svg"}); !errors.As(err, &r) {
		t.Errorf("export: %v", err)
	}
	if _, err := in.Session(ctx, &abi.SessionRequest{}); !errors.As(err, &r) {
		t.Errorf("session: %v", err)
	}
	if _, err := in.State(ctx); err != nil {
		t.Errorf("the instance is gone: %v", err)
	}
}

func TestHelpIsBounded(t *testing.T) {
	big := abi.Section{Title: "T", Lines: slices.Repeat([]string{strings.Repeat("x", 4000)}, 10)}
	in := startActing(t, abi.ExportHelp, testwasm.Answers(&abi.HelpResponse{Sections: []abi.Section{big, big, big}}))
	if sections, err := in.Help(ctx); err != nil || len(sections) != 1 {
		t.Errorf("%d sections, %v", len(sections), err)
	}
}

func TestPicturesOfAQueryAreBounded(t *testing.T) {
	content := slices.Repeat([]abi.Content{{MIME: "image/png\r\nx", Data: []byte("p")}}, 10)
	in := startActing(t, abi.ExportQuery, testwasm.Answers(&abi.QueryResponse{Text: "a\x1bb", Content: content}))
	out, err := in.Query(ctx, &abi.QueryRequest{})
	if err != nil || len(out.Content) != abi.MaxContent || out.Content[0].MIME != `image/png\u000d\u000ax` || out.Text != `a\u001bb` {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestAKilledWorkerMakesAnInstanceLost(t *testing.T) {
	d, err := New(testwasm.MinimalManifest(), scripted(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(d.Plugin().Stats().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var f *Fault
	for range 2 {
		if _, err = in.State(ctx); !errors.As(err, &f) || !Lost(err) {
			t.Errorf("got %v", err)
		}
	}
	if in, err = d.Start(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if _, err = in.State(ctx); err != nil {
		t.Error(err)
	}
}

func TestADoneContextIsPassedOn(t *testing.T) {
	in := startActing(t, abi.ExportSave, testwasm.Loops())
	c, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := in.State(c); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAMessageOverTheLimitsIsRefusedAndNotSent(t *testing.T) {
	in := startActing(t, abi.ExportApply, testwasm.Traps())
	var r *Refusal
	_, err := in.Open(ctx, &abi.OpenRequest{Data: make([]byte, abi.MaxMessage)})
	if !errors.As(err, &r) || !strings.HasPrefix(err.Error(), "too much for one call (message is larger than 67108864 bytes): split it up") {
		t.Errorf("bytes: %v", err)
	}
	ops := twoOps()
	ops.Recent = make([]string, abi.MaxElements+1)
	if _, err = in.Apply(ctx, ops); !errors.As(err, &r) || !strings.Contains(err.Error(), "array elements") {
		t.Errorf("elements: %v", err)
	}
	if _, err := in.State(ctx); err != nil {
		t.Errorf("then %v", err)
	}
}

func TestEventsCrossInPiecesWithinTheLimits(t *testing.T) {
	id := strings.Repeat("i", abi.MaxID)
	tests := []struct {
		name  string
		event abi.Event
		count int
	}{
		{"small ones", abi.Event{Type: "e"}, 1_000_000},
		{"large ones", abi.Event{Type: "e", Data: make([]byte, 10<<20)}, 5},
		{"one that fills a crossing", abi.Event{Type: "e", Data: make([]byte, 60<<20)}, 2},
		{"many long ids", abi.Event{Type: "e", IDs: slices.Repeat([]string{id}, 1000)}, 1000},
		{"long summaries", abi.Event{Type: "e", Summary: strings.Repeat("s", abi.MaxSummary)}, 100_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events := slices.Repeat([]abi.Event{tt.event}, tt.count)
			pieces, sent := 0, 0
			for len(events) > 0 {
				n := chunk(events)
				if n < 1 {
					t.Fatal("no progress")
				}
				if pieces == 0 && tt.count <= 1000 {
					data, err := abi.Marshal(&abi.EventsRequest{Events: events[:n]})
					if err != nil {
						t.Fatal(err)
					}
					if err := abi.Check(data); err != nil {
						t.Errorf("a piece of %d events: %v", n, err)
					}
				}
				events = events[n:]
				pieces, sent = pieces+1, sent+n
			}
			if sent != tt.count || pieces > tt.count {
				t.Errorf("%d of %d events in %d pieces", sent, tt.count, pieces)
			}
		})
	}
}

// The host prints a digest in brackets, after a name and a colon and before "*unsaved", so that a domain can feign none of these.
func TestADigestHoldsNoSignsOfTheHost(t *testing.T) {
	for digest, want := range map[string]string{
		"3 boxes": "3 boxes", "3 boxes] [none": "3 boxes) (none", "Other: 3 boxes": "Other:3 boxes", "3 boxes *unsaved": "3 boxes unsaved",
	} {
		in := startActing(t, abi.ExportApply, testwasm.Answers(&abi.ApplyResponse{Results: []abi.Result{done(abi.Created), done(abi.Created)}, State: abi.State{Digest: digest}}))
		out, err := in.Apply(ctx, twoOps())
		if err != nil {
			t.Fatal(err)
		}
		if out.State.Digest != want {
			t.Errorf("%q is printed as %q, want %q", digest, out.State.Digest, want)
		}
	}
}
