package mcpserver

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Tokens of two principals.
const (
	annToken = "ann-0123456789abcdef"
	bobToken = "bob-0123456789abcdef"
)

// twoTokens writes a token file with both.
func twoTokens(t *testing.T) (own *gate.Tokens, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte("ann "+annToken+"\nbob "+bobToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own, err := gate.NewTokens(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return own, path
}

// as returns the same server as seen by the holder of a token.
func (w *web) as(token string) *web {
	own := *w
	own.token = token
	return &own
}

func TestNothingOfAPrincipalIsReachedByAnother(t *testing.T) {
	own, _ := twoTokens(t)
	dir, err := journal.Open(filepath.Join(t.TempDir(), "j"), journal.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	w := startWith(t, t.TempDir(), dir, HTTPConfig{}, gate.Config{Tokens: own})
	ann, bob := w.as(annToken), w.as(bobToken)
	hers, his := ann.join(), bob.join()
	ann.call(hers, action(1, `new "Secret"`))
	ann.call(hers, edit(2, "add one"))

	list := `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`
	_, unknown := bob.send("POST", list, map[string]string{"Mcp-Session-Id": "UNKNOWN"})
	for _, method := range []string{"POST", "GET", "DELETE"} {
		res, m := bob.send(method, list, map[string]string{"Mcp-Session-Id": hers})
		if res.StatusCode != http.StatusNotFound || m.Error == nil || m.Error.Code != unknown.Error.Code || m.Error.Message != unknown.Error.Message {
			t.Errorf("%s with the session of another: %s %+v", method, res.Status, m.Error)
		}
	}
	if got := bob.call(his, action(4, "documents")).text(); !strings.HasSuffix(got, "no document open") {
		t.Errorf("his documents are %q", got)
	}
	for _, line := range []string{`{"jsonrpc":"2.0","id":5,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"fcp://list/Secret/model"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"fcp://{domain}/{document}/model"},"argument":{"name":"document","value":""}}}`} {
		_, m := bob.send("POST", line, map[string]string{"Mcp-Session-Id": his})
		if strings.Contains(string(m.Result), "Secret") || strings.Contains(string(m.Result), "one") {
			t.Errorf("%s gives him %s", line, m.Result)
		}
	}
	h := handle(t, ann.modern("list_session", map[string]any{"action": `new "Secret"`}))
	if got := bob.modern("list_query", map[string]any{"q": "map", "document": h}); !got.IsError || !strings.Contains(got.text(), "no open document has the handle") {
		t.Errorf("her handle gives him %q", got.text())
	}
	if got := ann.modern("list_query", map[string]any{"q": "map", "document": h}); got.IsError {
		t.Errorf("her handle gives her %q", got.text())
	}

	ann.send("DELETE", "", map[string]string{"Mcp-Session-Id": hers})
	if got := bob.call(his, action(8, "status")).text() + bob.call(his, action(9, "recover")).text(); strings.Contains(got, "Secret") || strings.Contains(got, "1 document") {
		t.Errorf("he is offered what she left: %q", got)
	}
	if got := ann.call(ann.join(), action(10, "recover")).text(); !strings.Contains(got, `recovered "Secret`) {
		t.Errorf("she is offered %q", got)
	}
}

func TestTheSessionsOfOnePrincipalLeaveRoomForAnother(t *testing.T) {
	own, _ := twoTokens(t)
	w := startWith(t, t.TempDir(), nil, HTTPConfig{Sessions: 2}, gate.Config{Tokens: own})
	kept := w.as(bobToken).join()
	for range 2 {
		w.as(annToken).join()
	}
	if res, _ := w.as(annToken).send("POST", hello, nil); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("her third session: %s", res.Status)
	}
	w.as(bobToken).call(kept, action(1, "documents"))
	w.as(bobToken).join()
}

func TestAPrincipalThatLostItsTokenLosesItsSessions(t *testing.T) {
	own, path := twoTokens(t)
	w := startWith(t, t.TempDir(), nil, HTTPConfig{Idle: 3 * time.Second}, gate.Config{Tokens: own})
	ann := w.as(annToken)
	id := ann.join()
	req, err := http.NewRequestWithContext(t.Context(), "GET", w.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Accept": "text/event-stream", "Mcp-Session-Id": id, "Authorization": "Bearer " + annToken} {
		req.Header.Set(k, v)
	}
	stream, err := http.DefaultClient.Do(req)
	if err != nil || stream.StatusCode != 200 {
		t.Fatal(stream, err)
	}
	defer stream.Body.Close()
	if err := os.WriteFile(path, []byte("bob "+bobToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if res, _ := ann.send("POST", hello, nil); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without her token: %s", res.Status)
	}
	if _, err := io.Copy(io.Discard, stream.Body); err != nil { // until the stream ends
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("ann "+annToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if res, _ := ann.send("POST", hello, map[string]string{"Mcp-Session-Id": id}); res.StatusCode != http.StatusNotFound {
		t.Errorf("with the token again, the session of before: %s", res.Status)
	}
}

func TestUnracedMessagesWithoutASessionAreSmall(t *testing.T) {
	testwasm.Unraced(t)
	w := startHTTP(t, 0)
	padded := func(line string, n int) string { return line + strings.Repeat(" ", n-len(line)) }
	id := map[string]string{"Mcp-Session-Id": w.join()}
	// With this header the client sends nothing that the server would refuse to read, which would end the connection.
	modern := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Expect": "100-continue"}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, c := range []struct {
		body   string
		header map[string]string
		large  bool
	}{
		{padded(hello, maxStranger), nil, false},
		{padded(hello, maxStranger+1), nil, true},
		{padded(ping, maxStranger+1), id, false},
		{padded(ping, maxStranger+1), modern, false},
		{padded(ping, maxSessionless+1), modern, true},
		{padded(ping, maxSessionless+1), id, false},
	} {
		if res, _ := w.send("POST", c.body, c.header); (res.StatusCode == http.StatusRequestEntityTooLarge) != c.large {
			t.Errorf("%d bytes with %v: %s", len(c.body), c.header, res.Status)
		}
	}
}

func TestEachCallOverHTTPIsAudited(t *testing.T) {
	own, _ := twoTokens(t)
	log := &logged{}
	w := startWith(t, t.TempDir(), nil, HTTPConfig{}, gate.Config{Tokens: own, Audit: slog.New(slog.NewJSONHandler(log, nil))}).as(annToken)
	id := map[string]string{"Mcp-Session-Id": w.join()}
	for _, line := range []string{action(1, `new "Song"`), edit(2, "add hush"), edit(3, "frobnicate"), call(4, "nosuch", map[string]any{"ops": []string{"add hush"}}),
		`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"fcp://list/Song/model"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"fcp://list/Other/model"}}`} {
		w.send("POST", line, id)
	}
	w.modern("list_help", map[string]any{})
	w.send("POST", edit(7, "add hush"), map[string]string{"Mcp-Session-Id": "hush"})
	w.send("POST", "[]", id)
	w.send("DELETE", "", id)
	want := []string{"ann s1 initialize   ok", "ann s1 tools/call list_session Song ok", "ann s1 tools/call list Song ok", "ann s1 tools/call list Song failed",
		"ann s1 tools/call   failed", "ann s1 resources/read resources/read Song ok", "ann s1 resources/read   failed",
		"ann none tools/call list_help  ok", "ann  POST   refused", "ann s1 POST   refused", "ann s1 DELETE   ok"}
	got := []string{}
	for line := range strings.Lines(log.buf.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(m["who"], " ", m["session"], " ", m["method"], " ", m["tool"], " ", m["document"], " ", m["outcome"]))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Contains(log.buf.String(), "hush") {
		t.Errorf("the log holds what calls say:\n%s", log.buf.String())
	}
}
