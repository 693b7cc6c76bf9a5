package document_test

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	b, err := abi.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// echoing is a domain that answers ops, queries, its session action, undo and redo with the bytes in the call.
func echoing(t testing.TB) *domain.Domain {
	t.Helper()
	m := &abi.Manifest{ABI: 1, Domain: "echo", Extensions: []string{".echo"},
		Verbs:   []abi.Verb{{Name: "do", Syntax: "do HEX", Max: -1}},
		Queries: []abi.Query{{Name: "ask", Syntax: "ask HEX"}},
		Session: []abi.Session{{Name: "act", Syntax: "act HEX"}}}
	opened := encoded(t, &abi.OpenResponse{State: abi.State{Digest: "start"}})
	wasm := testwasm.Echo(append(abi.Required(), abi.ExportSession), map[string][]byte{
		abi.ExportManifest: encoded(t, m),
		abi.ExportNew:      opened,
		abi.ExportOpen:     opened,
		abi.ExportState:    encoded(t, &abi.StateResponse{State: abi.State{Digest: "start"}}),
		abi.ExportSave:     encoded(t, &abi.SaveResponse{Data: []byte("saved")}),
	})
	p, err := sandbox.NewPlugin(sandbox.Config{Name: "echo.wasm", Wasm: wasm, Limits: sandbox.Limits{Call: 5 * time.Second, Memory: 16 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	d, err := domain.New(m, p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func echo(t testing.TB, d *domain.Domain) *document.Document {
	t.Helper()
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := document.New(context.Background(), d, roots, "doc", &abi.NewRequest{Title: "T"})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// clean checks that a reply is printable and bounded.
func clean(t testing.TB, r *reply.Reply) {
	t.Helper()
	text := r.String()
	if len(text) > 8<<20 {
		t.Errorf("a reply of %d bytes", len(text))
	}
	for _, c := range text {
		if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) && c != '\u200d' && c != '\ufe0f') {
			t.Errorf("the reply holds %q: %.300q", c, text)
			return
		}
	}
	if r.Failed && !strings.HasPrefix(text, "!") && !strings.Contains(text, "\n!") {
		t.Errorf("a failed reply without an error line: %.300q", text)
	}
}

// answers are the fuzzer's seeds: valid answers of a domain, and the invalid ones listed in cmd/internal/command.
func answers(t testing.TB) [][]byte {
	good := abi.Result{Kind: abi.Created, Text: "did", Events: []abi.Event{{Type: "did", Summary: "s", IDs: []string{"1"}, Data: []byte("x 80")}}}
	list := [][]byte{{}, {0x80}, {0xc1}, []byte("hello"), []byte("\x81\xa7results\xdd\xff\xff\xff\xff"), []byte(strings.Repeat("\x91", 40))}
	for _, v := range []any{
		&abi.ApplyResponse{Results: []abi.Result{good}, State: abi.State{Digest: "1", Title: "T", Counts: []abi.Count{{Name: "n", Value: -1}}, Warnings: []string{"w\x1b[2J"}}},
		&abi.ApplyResponse{Results: []abi.Result{{Error: &abi.Error{Message: "no\n", Try: []abi.Suggestion{{Text: "do it"}, {Text: "@"}}}}}, State: abi.State{Digest: "start"}},
		&abi.ApplyResponse{Results: []abi.Result{good, good}},
		&abi.ApplyResponse{Results: []abi.Result{{Kind: "?", Text: "\u202e"}}},
		&abi.QueryResponse{Text: "text\x00", Content: []abi.Content{{MIME: "image/png\n", Data: []byte{1}}}},
		&abi.StateResponse{State: abi.State{Digest: "other"}},
	} {
		list = append(list, encoded(t, v))
	}
	return list
}

// giveAnswer makes the domain give this answer to each kind of call, and checks
// after each that the document is consistent and that a failed call left no trace.
func giveAnswer(t testing.TB, doc *document.Document, answer []byte) {
	t.Helper()
	defer doc.Close()
	ctx := context.Background()
	digits := hex.EncodeToString(answer)
	before := doc.Summary()
	history := doc.History(ctx, 100).String()
	r := doc.Apply(ctx, []string{"do " + digits})
	clean(t, r)
	if r.Failed {
		if after := doc.Summary(); after != before {
			t.Errorf("a failed call left %+v, was %+v", after, before)
		}
		if after := doc.History(ctx, 100).String(); after != history {
			t.Errorf("a failed call left the history %q, was %q", after, history)
		}
	}
	for _, line := range []string{"ask " + digits, "act " + digits} {
		op, err := grammar.ParseQuery(line)
		if err != nil {
			t.Fatal(err)
		}
		if op.Verb == "act" {
			r, _ := doc.Session(ctx, &op, "", nil, document.Target{})
			clean(t, r)
			continue
		}
		digest := doc.Summary().Digest
		clean(t, doc.Query(ctx, &op, 1, 0))
		if after := doc.Summary().Digest; after != digest {
			t.Errorf("a query changed [%s] to [%s]", digest, after)
		}
	}
	// The data of the event is the answer to undo and redo.
	event := encoded(t, &abi.ApplyResponse{State: abi.State{Digest: "1"}, Results: []abi.Result{{Kind: abi.Created,
		Events: []abi.Event{{Type: "did", Data: []byte("x " + digits)}}}}})
	clean(t, doc.Apply(ctx, []string{"do " + hex.EncodeToString(event)}))
	clean(t, doc.Undo(ctx, 1, false))
	clean(t, doc.Redo(ctx, 1))
	clean(t, doc.UndoBatch(ctx, false))
	clean(t, doc.Status(ctx))
	if b, err := doc.Bytes(ctx); err == nil && string(b) != "saved" {
		t.Errorf("saved %q", b)
	}
}

func TestWhateverADomainAnswersTheDocumentStaysConsistent(t *testing.T) {
	d := echoing(t)
	good := answers(t)[6]
	doc := echo(t, d)
	defer doc.Close()
	if r := doc.Apply(t.Context(), []string{"do " + hex.EncodeToString(good)}); r.String() != "+ did\n? echo| w\\u001b[2J\n[1 *unsaved]" {
		t.Fatalf("the echo says %q", r.String())
	}
	step := 4
	if soak.Whole() {
		step = 1
	}
	for _, answer := range answers(t) {
		giveAnswer(t, echo(t, d), answer)
		// The same with each byte changed; under make test with every fourth one.
		for i := 0; i < min(len(answer), 64); i += step {
			for _, b := range []byte{0x00, 0x80, 0xff, 0xdd} {
				changed := append([]byte(nil), answer...)
				changed[i] = b
				giveAnswer(t, echo(t, d), changed)
			}
		}
	}
}

// FuzzAnswer gives a document any bytes as the answer of its domain.
func FuzzAnswer(f *testing.F) {
	for _, answer := range answers(f) {
		f.Add(answer)
	}
	d := echoing(f)
	f.Fuzz(func(t *testing.T, answer []byte) {
		if len(answer) > 8<<10 {
			t.Skip("an op is no longer than 64 KiB")
		}
		giveAnswer(t, echo(t, d), answer)
	})
}
