package document

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// slow is a world that signals each call of Do on asked, and answers once it receives
// from let.
type slow struct{ asked, let chan struct{} }

func (s *slow) Can() []string            { return nil }
func (s *slow) Settings() []abi.KeyValue { return nil }

func (s *slow) Missing(context.Context, string) *domain.Refusal { return nil }
func (s *slow) Do(ctx context.Context, _ domain.Asker, r []abi.Request) []abi.Outcome {
	s.asked <- struct{}{}
	select {
	case <-s.let:
	case <-ctx.Done():
	}
	return make([]abi.Outcome, len(r))
}

// waiting returns a document with a call that waits for the world, and that call's reply.
func waiting(t *testing.T) (*desk, *slow, chan *reply.Reply) {
	t.Helper()
	m := testwasm.MinimalManifest()
	m.Session = []abi.Session{{Name: "go", Syntax: "go"}}
	acts := testwasm.Minimal()
	done := abi.ApplyResponse{Results: []abi.Result{{Kind: abi.Created, Text: "went", Events: []abi.Event{{Type: "e"}}}}, State: abi.State{Digest: "1 thing"}}
	acts[abi.ExportManifest] = testwasm.Answers(m)
	acts[abi.ExportSession] = testwasm.Asks(abi.Request{AfterMS: 1})
	acts[abi.ExportResume] = testwasm.Answers(&done)
	p, err := sandbox.NewPlugin(sandbox.Config{Name: "thing", Wasm: testwasm.Scripted(acts), Command: testwasm.Worker(t), Limits: sandbox.Limits{Call: 20 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	d, err := domain.New(m, p)
	if err != nil {
		t.Fatal(err)
	}
	w := &slow{asked: make(chan struct{}), let: make(chan struct{})}
	d.World = w
	doc := blank(t, d)
	answer := make(chan *reply.Reply, 1)
	go func() {
		op, _ := grammar.ParseAction("go")
		answer <- first(doc.Session(ctx, &op, "", nil, Target{}))
	}()
	<-w.asked
	return doc, w, answer
}

func TestADocumentThatWaitsForTheWorldCanBeLookedAt(t *testing.T) {
	doc, w, answer := waiting(t)
	if s := doc.Summary(); !s.Waits || s.Digest != "0 things" {
		t.Errorf("got %+v", s)
	}
	if r := doc.ok(doc.Status(ctx)); !strings.Contains(r.Text, "document: T") || len(r.Warnings) != 1 {
		t.Errorf("status says %s", r)
	}
	if doc.CloseClean() {
		t.Error("it was closed to make room")
	}
	if doc.TrySave().Text == "" || doc.Undoes(1) {
		t.Error("it cannot be looked at")
	}
	late, cancel := context.WithCancel(ctx)
	cancel()
	doc.bad(doc.Apply(late, []string{"add"})) // it never gets the turn
	close(w.let)
	if r := doc.ok(<-answer); r.Digest != "1 thing" {
		t.Errorf("got %s", r)
	}
	if s := doc.Summary(); s.Waits || !s.Dirty || s.Revision != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestClosingADocumentEndsWhatItWaitsFor(t *testing.T) {
	for name, end := range map[string]func(*Document){"close": (*Document).Close, "suspend": (*Document).Suspend} {
		t.Run(name, func(t *testing.T) {
			doc, _, answer := waiting(t)
			end(doc.Document)
			if r := doc.bad(<-answer); !strings.Contains(r.String(), "was cancelled while it waited; it is not repeated") {
				t.Errorf("got %s", r)
			}
			if r := doc.bad(doc.Status(ctx)); !strings.Contains(r.String(), ErrClosed.Error()) {
				t.Errorf("got %s", r)
			}
		})
	}
}

// A waiting call keeps the document's turn: later calls run after it.
func TestCallsOnAWaitingDocumentRunAfterTheWait(t *testing.T) {
	doc, w, answer := waiting(t)
	after := make(chan *reply.Reply, 1)
	go func() { after <- doc.Apply(ctx, []string{"add"}) }()
	select {
	case r := <-after:
		t.Fatalf("it was done meanwhile: %s", r)
	default:
	}
	close(w.let)
	doc.ok(<-answer)
	if r := doc.ok(<-after); r.Revision != 2 {
		t.Errorf("got %s", r)
	}
}
