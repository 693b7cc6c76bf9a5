package mcpserver

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/gate"
)

// joinOld opens a session of the protocol revision that has batches.
func (w *web) joinOld() map[string]string {
	w.t.Helper()
	res, _ := w.send("POST", strings.Replace(hello, "2025-11-25", "2025-03-26", 1), nil)
	return map[string]string{"Mcp-Session-Id": res.Header.Get("Mcp-Session-Id")}
}

// stream posts body and returns the status and the messages of the event stream.
func (w *web) stream(body string, header map[string]string) (status int, all []message) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), "POST", w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range header {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if res.StatusCode == http.StatusOK && res.Header.Get("Content-Type") != "text/event-stream" {
		w.t.Errorf("a batch is answered as %s", res.Header.Get("Content-Type"))
	}
	for line := range strings.Lines(string(data)) {
		if m, ok := strings.CutPrefix(line, "data: "); ok {
			all = append(all, decode(w.t, []byte(m))...)
		}
	}
	return res.StatusCode, all
}

func TestABatchOverHTTPIsAnsweredOnOneStreamWhereTheRevisionHasThem(t *testing.T) {
	w := startHTTP(t, 0)
	id := w.joinOld()
	batch := "[" + strings.Join([]string{
		action(1, `new "A"`), edit(2, "add x"), `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		edit(9007199254740993, "add y"), `{"jsonrpc":"2.0","id":4,"method":"ping"}`, `7`, `[]`, ask(5, "map"),
	}, ",") + "]"
	status, all := w.stream(batch, id)
	var ids []string
	for _, m := range all {
		if m.Method == "" { // the list of tools may change meanwhile
			ids = append(ids, string(m.ID))
		}
	}
	if got, want := strings.Join(ids, " "), "1 2 9007199254740993 4 null null 5"; status != 200 || got != want {
		t.Fatalf("%d: the batch has answers to %s, want %s", status, got, want)
	}
	if text := answer(t, all, 5).text(); text != "#list A\nx\ny" {
		t.Errorf("after the batch the document is %q", text)
	}
	if status, all := w.stream(`[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`, id); status != http.StatusAccepted || len(all) > 0 {
		t.Errorf("a batch of notifications: %d %v", status, all)
	}
	newer := map[string]string{"Mcp-Session-Id": w.join()}
	many := "[" + strings.Repeat("1,", maxBatch) + "1]"
	for _, c := range []struct {
		name, body string
		header     map[string]string
		want       int
	}{
		{"another revision", batch, newer, 400},
		{"no session", batch, nil, 400},
		{"another revision's header", batch, map[string]string{"Mcp-Session-Id": id["Mcp-Session-Id"], "MCP-Protocol-Version": "2025-06-18"}, 400},
		{"an empty one", "[]", id, 400},
		{"half of one", `[{"jsonrpc":"2.0","id":1,"method":"ping"},`, id, 400},
		{"more behind it", `[{"jsonrpc":"2.0","id":1,"method":"ping"}] []`, id, 400},
		{"too many", many, id, 413},
	} {
		if status, all := w.stream(c.body, c.header); status != c.want || len(all) > 0 {
			t.Errorf("%s: %d %v", c.name, status, all)
		}
	}
}

func TestEachCallOfABatchIsAudited(t *testing.T) {
	log := &logged{}
	w := startWith(t, t.TempDir(), nil, HTTPConfig{}, gate.Config{Open: true, Audit: slog.New(slog.NewTextHandler(log, nil))})
	id := w.joinOld()
	w.stream("["+action(1, `new "A"`)+","+edit(2, "frobnicate")+","+edit(3, "add x")+"]", id)
	for _, want := range []string{"tool=list_session document=A outcome=ok status=200", "tool=list document=A outcome=failed status=200", "tool=list document=A outcome=ok status=200"} {
		if n := strings.Count(log.buf.String(), "session=s1 method=tools/call "+want); n != 1 {
			t.Errorf("%d lines say %s:\n%s", n, want, log.buf.String())
		}
	}
	if n := strings.Count(log.buf.String(), "\n"); n != 4 {
		t.Errorf("%d lines:\n%s", n, log.buf.String())
	}
}
