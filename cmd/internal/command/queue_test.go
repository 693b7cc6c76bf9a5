package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Calls that wait for the world delay only later calls on the same document, which are answered in order.
func TestCallsThatWaitAtOnceHoldUpNoOtherDocument(t *testing.T) {
	t.Parallel()
	const waiting, atWork = 64, 8 // a quarter of the instances
	h := holding(t)
	done := abi.ApplyResponse{Results: []abi.Result{{Kind: abi.Created, Text: "went", Events: []abi.Event{{Type: "e"}}}}, State: abi.State{Digest: "1 thing"}}
	a := startGranted(t, h.url, asking(t, map[string]testwasm.Act{abi.ExportSession: post("things"), abi.ExportResume: testwasm.Answers(&done)}),
		"--limit", "documents=100")
	var ids, after []int
	for i := range waiting {
		name := fmt.Sprintf("Doc%d", i)
		a.session("thing", "new "+name+" ")
		a.must("thing", map[string]any{"ops": []string{"add"}}) // otherwise the next one takes its instance
		ids = append(ids, a.send("thing_session", map[string]any{"action": "go", "document": name}))
		after = append(after, a.send("thing_session", map[string]any{"action": "checkpoint behind", "document": name}))
	}
	for range atWork {
		<-h.came
	}
	// All of them wait, each with another call behind it; everything else continues.
	a.session("thing", "new Free")
	for range 3 {
		a.must("thing", map[string]any{"ops": []string{"add"}, "document": "Free"})
	}
	if got := a.must("thing_query", map[string]any{"q": "status", "document": "Doc7"}); !strings.Contains(got, "document: Doc7") || !strings.Contains(got, "a call on this document waits") {
		t.Errorf("status of one that waits: %s", got)
	}
	if got := a.must("thing_query", map[string]any{"q": "documents"}); strings.Count(got, "\n") < waiting {
		t.Errorf("documents: %s", got)
	}
	if got := a.session("thing", "save as:./free.thing"); !strings.Contains(got, "saved") {
		t.Errorf("save: %s", got)
	}
	a.editHonest()
	// Closing a document ends its wait.
	if got := a.wait(a.send("thing_session", map[string]any{"action": "close force", "document": "Doc3"})); got.failed {
		t.Errorf("close: %s", got.text)
	}
	if got := a.wait(ids[3]); !got.failed || !strings.Contains(got.text, "cancelled") {
		t.Errorf("the call on the closed document: %s", got.text)
	}
	for i := range waiting {
		if _, early := a.got[ids[i]]; early {
			t.Errorf("call %d was answered before the server did", i)
		}
		if _, early := a.got[after[i]]; early && i != 3 {
			t.Errorf("what follows call %d was answered before it", i)
		}
	}
	close(h.let)
	for i := range waiting {
		if i == 3 {
			continue
		}
		if got := a.wait(ids[i]); got.failed || !strings.Contains(got.text, "went") {
			t.Errorf("call %d: %s", i, got.text)
		}
		if got := a.wait(after[i]); got.failed || !strings.Contains(got.text, "checkpoint \"behind\"") {
			t.Errorf("what follows call %d: %s", i, got.text)
		}
	}
	if n := h.saw.all(); n != waiting-1 && n != waiting { // one was closed before or while it asked
		t.Errorf("the server saw %d requests", n)
	}
}
