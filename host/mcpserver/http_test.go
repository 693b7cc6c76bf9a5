package mcpserver

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/journal"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func TestEachHTTPSessionHasItsOwnDocuments(t *testing.T) {
	w := startHTTP(t, 0)
	a, b := w.join(), w.join()
	if a == b {
		t.Fatal("two sessions have one id")
	}
	w.call(a, action(1, `new "A"`))
	w.call(a, edit(2, "add one"))
	if got := w.call(b, ask(3, "map")); !got.IsError || !strings.Contains(got.text(), "no document open") {
		t.Errorf("another session sees %q", got.text())
	}
	w.call(b, action(4, `new "A"`))
	if got := w.call(a, ask(5, "map")).text(); got != "#list A\none" {
		t.Errorf("the first session's document is %q", got)
	}
	if got := w.call(b, action(6, "documents")).text(); strings.Count(got, `"A"`) != 1 {
		t.Errorf("documents of the other session are listed: %q", got)
	}
}

func TestAnHTTPSessionMustBeOpenedAndCanBeEnded(t *testing.T) {
	w := startHTTP(t, 0)
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	if res, _ := w.send("POST", list, nil); res.StatusCode != http.StatusBadRequest {
		t.Errorf("without a session: %s", res.Status)
	}
	for _, id := range []string{"mcp-session-6f1e1a86-1c5b-4d3b-9d5b-5d5d5d5d5d5d", "x"} {
		if res, _ := w.send("POST", list, map[string]string{"Mcp-Session-Id": id}); res.StatusCode != http.StatusNotFound {
			t.Errorf("with the made-up session %s: %s", id, res.Status)
		}
	}
	id := w.join()
	head := map[string]string{"Mcp-Session-Id": id}
	if res, m := w.send("POST", list, head); res.StatusCode != 200 || m.Result == nil {
		t.Errorf("with a session: %s", res.Status)
	}
	req, err := http.NewRequest("POST", w.url, strings.NewReader(list))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Mcp-Session-Id": {id, id}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != http.StatusBadRequest {
		t.Errorf("with two ids: %+v, %v", res, err)
	}
	if res, _ := w.send("DELETE", "", head); res.StatusCode != 200 {
		t.Errorf("ending it: %s", res.Status)
	}
	if res, _ := w.send("POST", list, head); res.StatusCode != http.StatusNotFound {
		t.Errorf("after its end: %s", res.Status)
	}
}

func TestASessionThatLosesNothingMakesRoomAndOneWithUnsavedChangesDoesNot(t *testing.T) {
	const most = 3
	w := startWith(t, t.TempDir(), nil, HTTPConfig{Sessions: most, grace: -1}, gate.Config{Open: true})
	unsaved, clean, empty := w.join(), w.join(), w.join()
	w.call(unsaved, action(1, `new "A"`))
	w.call(unsaved, edit(2, "add one"))
	w.call(clean, action(3, `new "A"`))
	w.call(empty, action(4, "documents"))
	ended := func(id string) bool {
		res, _ := w.send("POST", `{"jsonrpc":"2.0","id":5,"method":"ping"}`, map[string]string{"Mcp-Session-Id": id})
		return res.StatusCode == http.StatusNotFound
	}
	w.call(w.join(), action(6, `new "B"`)) // a document without changes
	if !ended(empty) || ended(clean) || ended(unsaved) {
		t.Error("the session without a document is not the one that made room")
	}
	w.call(unsaved, edit(7, "add two"))
	for range 2 * most { // like a client that forgets its sessions
		w.call(w.join(), action(8, `new "C"`))
	}
	if !ended(clean) || ended(unsaved) {
		t.Error("the session with a clean document is not the next that made room")
	}
}

func TestASessionThatWasJustOpenedMakesNoRoom(t *testing.T) {
	w := startWith(t, t.TempDir(), nil, HTTPConfig{Sessions: 2}, gate.Config{Open: true})
	ids := []string{w.join(), w.join()}
	res, m := w.send("POST", hello, nil)
	if res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" || m.Error == nil || !strings.Contains(m.Error.Message, "2 sessions") {
		t.Errorf("one more session: %s %v %+v", res.Status, res.Header, m.Error)
	}
	for _, id := range ids {
		w.call(id, action(1, "documents"))
	}
	w.send("DELETE", "", map[string]string{"Mcp-Session-Id": ids[0]})
	w.join()
}

func TestAnIdleHTTPSessionEnds(t *testing.T) {
	w := startHTTP(t, time.Millisecond)
	id := w.join()
	for t.Context().Err() == nil {
		res, _ := w.send("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"Mcp-Session-Id": id})
		if res.StatusCode == http.StatusNotFound {
			return
		}
	}
	t.Error("it never ended")
}

func TestWhatAnHTTPSessionLeftUnsavedIsOfferedToTheNext(t *testing.T) {
	for _, c := range []struct {
		name string
		idle time.Duration
		work func(w *web)
	}{
		{"ended by its client", 0, func(w *web) {
			id := w.join()
			w.call(id, action(1, `new "A"`))
			w.call(id, edit(2, "add one"))
			w.send("DELETE", "", map[string]string{"Mcp-Session-Id": id})
		}},
		{"ended for being idle", 3 * time.Second, func(w *web) {
			id := w.join()
			w.call(id, action(1, `new "A"`))
			w.call(id, edit(2, "add one"))
		}},
		{"a document without a session, idle", 3 * time.Second, func(w *web) {
			h := handle(t, w.modern("list_session", map[string]any{"action": `new "A"`}))
			w.modern("list", map[string]any{"ops": []string{"add one"}, "document": h})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, err := journal.Open(filepath.Join(t.TempDir(), "j"), journal.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			root := t.TempDir()
			c.work(startKept(t, root, dir, c.idle))
			for { // until no session owns it
				if left, err := dir.Left(); err != nil || t.Context().Err() != nil {
					t.Fatal(err, t.Context().Err())
				} else if len(left) > 0 {
					break
				}
			}
			w := startKept(t, root, dir, 0)
			id := w.join()
			const offer = `an earlier session left "A`
			if got := w.call(id, action(3, "status")).text(); !strings.Contains(got, offer) {
				t.Errorf("the next session is told %q", got)
			}
			if got := w.call(id, action(4, "recover")).text(); !strings.Contains(got, `recovered "A`) {
				t.Errorf("recover says %q", got)
			}
			if got := w.call(id, ask(5, "map")).text(); got != "#list A\none" {
				t.Errorf("what came back is %q", got)
			}
			if got := w.call(w.join(), action(6, "status")).text(); strings.Contains(got, "recover") {
				t.Errorf("a document that a session has open is offered to another: %q", got)
			}
		})
	}
}

func TestOnlyKnownHostsAndOriginsAreAnswered(t *testing.T) {
	w := startHTTP(t, 0, "music.example")
	for _, c := range []struct {
		header map[string]string
		want   int
	}{
		{map[string]string{}, 200},
		{map[string]string{"Host": "localhost:99"}, 200},
		{map[string]string{"Host": "[::1]:99"}, 200},
		{map[string]string{"Host": "music.example"}, 200},
		{map[string]string{"Host": "MUSIC.example:8080"}, 200},
		{map[string]string{"Host": "evil.example"}, 403},
		{map[string]string{"Host": "localhost.evil.example"}, 403},
		{map[string]string{"Host": "127.0.0.1.evil.example:80"}, 403},
		{map[string]string{"Origin": "http://localhost:5173"}, 200},
		{map[string]string{"Origin": "http://127.0.0.1"}, 200},
		{map[string]string{"Origin": "https://music.example"}, 200},
		{map[string]string{"Origin": "https://evil.example"}, 403},
		{map[string]string{"Origin": "http://localhost@evil.example"}, 403},
		{map[string]string{"Origin": "null"}, 403},
		{map[string]string{"Origin": "file://"}, 403},
		{map[string]string{"Origin": ""}, 200},
	} {
		if c.header["Origin"] == "" {
			delete(c.header, "Origin")
		}
		if res, _ := w.send("POST", hello, c.header); res.StatusCode != c.want {
			t.Errorf("%v: %s, want %d", c.header, res.Status, c.want)
		}
	}
}

func TestOddHTTPRequestsAreRefused(t *testing.T) {
	w := startHTTP(t, 0)
	id := map[string]string{"Mcp-Session-Id": w.join()}
	for _, c := range []struct {
		method, body string
		header       map[string]string
	}{
		{"POST", "not json", nil},
		{"POST", "", nil},
		{"POST", "[1,2]", id},
		{"POST", "{", id},
		{"POST", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, id},
		{"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, id},
		{"PUT", hello, nil},
		{"OPTIONS", "", nil},
		{"GET", "", nil},
		{"DELETE", "", nil},
		{"POST", hello, map[string]string{"Content-Type": "text/plain"}},
	} {
		if res, _ := w.send(c.method, c.body, c.header); res.StatusCode < 400 || res.StatusCode >= 500 {
			t.Errorf("%s %q: %s", c.method, c.body, res.Status)
		}
	}
	if res, _ := w.send("POST", "\ufeff"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`, id); res.StatusCode != 200 {
		t.Errorf("behind a byte order mark: %s", res.Status)
	}
	// One byte more than the maximum message.
	req, err := http.NewRequestWithContext(t.Context(), "POST", w.url, io.LimitReader(zeros{}, maxLine+1))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", id["Mcp-Session-Id"])
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the limit: %v %v", res, err)
	} else {
		res.Body.Close()
	}
	w.url = strings.TrimSuffix(w.url, HTTPPath) + "/other"
	if res, _ := w.send("POST", hello, nil); res.StatusCode != 404 {
		t.Errorf("another path: %s", res.Status)
	}
}

func TestARequestWithoutASessionNamesItsDocumentByHandle(t *testing.T) {
	w := startHTTP(t, 0)
	first := w.modern("list_session", map[string]any{"action": `new "A"`})
	second := w.modern("list_session", map[string]any{"action": `new "A"`})
	h, other := handle(t, first), handle(t, second)
	if h == other {
		t.Fatalf("two documents have the handle %q", h)
	}
	if got := w.modern("list", map[string]any{"ops": []string{"add one"}, "document": h}); got.IsError {
		t.Errorf("an op on the handle: %q", got.text())
	}
	if got := w.modern("list_query", map[string]any{"q": "map", "document": h}).text(); got != "#list A\none" {
		t.Errorf("map of the handle: %q", got)
	}
	if got := w.modern("list_query", map[string]any{"q": "map", "document": other}).text(); got != "#list A" {
		t.Errorf("map of the other handle: %q", got)
	}
	for tool, args := range map[string]map[string]any{
		"list":         {"ops": []string{"add two"}},
		"list_query":   {"q": "map"},
		"list_session": {"action": "undo"},
	} {
		if got := w.modern(tool, args); !got.IsError || !strings.Contains(got.text(), "document") || !strings.Contains(got.text(), "handle") {
			t.Errorf("%s without a document says %q", tool, got.text())
		}
		args["document"] = "A"
		if got := w.modern(tool, args); !got.IsError || strings.Contains(got.text(), h) {
			t.Errorf("%s with a guessed document says %q", tool, got.text())
		}
	}
	for _, a := range []string{"documents", "use " + h} {
		if got := w.modern("list_session", map[string]any{"action": a}); !got.IsError || strings.Contains(got.text(), h) {
			t.Errorf("%s says %q", a, got.text())
		}
	}
	if got := w.modern("list_help", map[string]any{}); got.IsError || !strings.Contains(got.text(), "add TEXT") {
		t.Errorf("help says %q", got.text())
	}
	if got := w.modern("list_session", map[string]any{"action": "close force", "document": h}); got.IsError {
		t.Errorf("close says %q", got.text())
	}
	if got := w.modern("list_query", map[string]any{"q": "map", "document": h}); !got.IsError {
		t.Errorf("after close, map says %q", got.text())
	}
}

func TestDocumentsWithoutASessionEndWhenIdle(t *testing.T) {
	w := startHTTP(t, time.Millisecond)
	h := handle(t, w.modern("list_session", map[string]any{"action": `new "A"`}))
	for t.Context().Err() == nil {
		if w.modern("list_query", map[string]any{"q": "map", "document": h}).IsError {
			return
		}
	}
	t.Error("it never ended")
}

func TestCallsToOneDocumentDoNotMix(t *testing.T) {
	w := startHTTP(t, 0)
	id := w.join()
	w.call(id, action(1, `new "A"`))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			w.call(id, edit(10+i, fmt.Sprintf("add a%d", i), fmt.Sprintf("add b%d", i)))
		})
	}
	wg.Wait()
	lines := strings.Split(w.call(id, ask(99, "map")).text(), "\n")[1:]
	if len(lines) != 40 {
		t.Fatalf("%d lines", len(lines))
	}
	for i := 0; i < len(lines); i += 2 {
		if lines[i][0] != 'a' || lines[i+1] != "b"+lines[i][1:] {
			t.Errorf("two calls are mixed: %v", lines[i:i+2])
		}
	}
}
