package mcpserver

import (
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/journal"
)

// hosts is a cluster of hosts whose store is a folder.
type hosts struct {
	mu      sync.Mutex
	holders map[string]string // holders of journals by ID
	at      map[string]string // addresses
	silent  error             // of Holder; nil if the store answers
	asked   int               // how often Holder failed so
}

// member is the store as one host sees it.
type member struct {
	*journal.Dir
	name string
	all  *hosts
}

func (m *member) Host() string { return m.name }

func (m *member) Address(host string) (string, error) {
	m.all.mu.Lock()
	defer m.all.mu.Unlock()
	return m.all.at[host], nil
}

func (m *member) Holder(id string) (string, error) {
	held, err := m.Held("anyone")
	if err != nil || !slices.Contains(held, id) {
		return "", err
	}
	m.all.mu.Lock()
	defer m.all.mu.Unlock()
	if m.all.silent != nil {
		m.all.asked++
		return "", m.all.silent
	}
	return m.all.holders[id], nil
}

func (m *member) Create(owner, key string, records iter.Seq[journal.Record]) (journal.Journal, error) {
	j, err := m.Dir.Create(owner, key, records)
	m.holds(journal.ID(owner, key), err)
	return j, err
}

func (m *member) Take(id string) (journal.Journal, journal.Contents, error) {
	j, c, err := m.Dir.Take(id)
	m.holds(id, err)
	return j, c, err
}

func (m *member) holds(id string, err error) {
	if err == nil {
		m.all.mu.Lock()
		defer m.all.mu.Unlock()
		m.all.holders[id] = m.name
	}
}

// start starts another host on the journals in dir.
func (all *hosts) start(t *testing.T, name, dir string) *web {
	t.Helper()
	d, err := journal.Open(dir, journal.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m := &member{d, name, all}
	w := startWith(t, t.TempDir(), m, HTTPConfig{Peers: &Peers{Host: name, Address: m.Address, Transport: http.DefaultTransport, Wait: 200 * time.Millisecond}},
		gate.Config{Open: true, Hosts: []string{"edit.example"}})
	all.moves(name, w.server.URL)
	return w
}

func (all *hosts) moves(name, address string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.at[name] = address
}

// holdAll makes a host the holder of all journals.
func (all *hosts) holdAll(name string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for id := range all.holders {
		all.holders[id] = name
	}
}

// failure returns the text of a failed call.
func failure(m message) string {
	var c called
	if json.Unmarshal(m.Result, &c) != nil || !c.IsError || !strings.HasPrefix(c.text(), "! ") {
		return ""
	}
	return c.text()
}

// A store was asked for as long as a call waits for it: asking again would make that twice as long.
func TestACallFailsOnceTheStoreDoesNotAnswer(t *testing.T) {
	all, dir := &hosts{holders: map[string]string{}, at: map[string]string{}}, filepath.Join(t.TempDir(), "journal")
	a, b := all.start(t, "a", dir), all.start(t, "b", dir)
	doc := handle(t, a.modern("list_session", map[string]any{"action": `new "T"`}))
	all.mu.Lock()
	all.silent = errors.New("the store does not answer")
	all.mu.Unlock()
	got := b.modern("list", map[string]any{"ops": []string{"add x"}, "document": doc})
	all.mu.Lock()
	asked := all.asked
	all.silent = nil
	all.mu.Unlock()
	if !got.IsError || got.text() != "! the store does not answer, so nothing was changed: repeat the call\n" || asked != 1 {
		t.Errorf("asked %d times, it answers %q", asked, got.text())
	}
	if got := b.modern("list", map[string]any{"ops": []string{"add x"}, "document": doc}); got.IsError {
		t.Errorf("later: %s", got.text())
	}
}

func TestAnyHostAnswersForAnyDocument(t *testing.T) {
	all, dir := &hosts{holders: map[string]string{}, at: map[string]string{}}, filepath.Join(t.TempDir(), "journal")
	a, b := all.start(t, "a", dir), all.start(t, "b", dir)
	doc := handle(t, a.modern("list_session", map[string]any{"action": `new "T"`}))
	for i, w := range []*web{a, b, b, a} {
		if got := w.modern("list", map[string]any{"ops": []string{"add x"}, "document": doc}); got.IsError || !strings.Contains(got.text(), "+ x") {
			t.Fatalf("call %d: %s", i, got.text())
		}
	}
	if got := b.modern("list_query", map[string]any{"q": "map", "document": doc}).text(); got != "#list T\nx\nx\nx\nx" {
		t.Errorf("the other host reads %q", got)
	}
	read := `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"fcp://list/` + doc + `/model",` + modern + `}}`
	uri := "fcp://list/" + doc + "/model"
	if res, m := b.send("POST", read, map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": uri}); res.StatusCode != 200 || !strings.Contains(string(m.Result), `#list T`) {
		t.Errorf("the other host reads the resource: %s %s %+v", res.Status, m.Result, m.Error)
	}
	if got := b.modern("list_query", map[string]any{"q": "map", "document": "Other" + doc[strings.LastIndex(doc, "-"):]}); got.IsError {
		t.Errorf("the handle with another title answers %s", got.text())
	}
	for _, none := range []string{"T-AAAAAAAAAAAAAAAA", "T", ""} {
		if got := b.modern("list_query", map[string]any{"q": "map", "document": none}); !got.IsError {
			t.Errorf("the handle %q answers %s", none, got.text())
		}
	}

	// A session belongs to its host.
	id := a.join()
	b.call(id, action(1, `new "S"`))
	b.call(id, edit(2, "add one"))
	if got := a.call(id, ask(3, "map")).text(); got != "#list S\none" {
		t.Errorf("the session's document is %q", got)
	}
	if res, _ := b.send("DELETE", "", map[string]string{"Mcp-Session-Id": id}); res.StatusCode != 200 {
		t.Errorf("ended by the other host: %s", res.Status)
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, gone := range []string{id, "AAAA-a", "AAAA-nobody", "AAAA-b", "AAAA-"} {
		if res, _ := b.send("POST", list, map[string]string{"Mcp-Session-Id": gone}); res.StatusCode != http.StatusNotFound {
			t.Errorf("the session %s: %s", gone, res.Status)
		}
	}

	// The document's host is unreachable, then releases it.
	add := func(w *web, header map[string]string) (*http.Response, message) {
		head := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "list"}
		for k, v := range header {
			head[k] = v
		}
		return w.send("POST", `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"list","arguments":{"ops":["add y"],"document":"`+doc+`"},`+modern+`}}`, head)
	}
	if res, _ := add(b, map[string]string{forwarded: "c"}); res.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("sent on twice: %s", res.Status)
	}
	at := a.server.URL
	for what, bad := range map[string]http.HandlerFunc{
		"ends within the call":   func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
		"does not have it":       func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusMisdirectedRequest) },
		"ends within its answer": func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush(); panic(http.ErrAbortHandler) },
		"stops within its answer": func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			all.holdAll("c") // another host has taken them by then
			<-r.Context().Done()
		},
	} {
		s := httptest.NewServer(bad)
		all.moves("a", s.URL)
		switch what {
		case "ends within the call":
			if res, m := add(b, nil); res.StatusCode != 200 || !strings.Contains(failure(m), "done or not") || string(m.ID) != "9" {
				t.Errorf("%s: %s %+v", what, res.Status, m)
			}
		case "does not have it":
			if res, m := add(b, nil); res.StatusCode != 200 || !strings.Contains(failure(m), "cannot reach the host that owns this document, so nothing was changed") {
				t.Errorf("%s: %s %+v", what, res.Status, m)
			}
		default:
			req, _ := http.NewRequest("POST", b.url, strings.NewReader(read))
			req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2026-07-28"},
				"Mcp-Method": {"resources/read"}, "Mcp-Name": {uri}}
			if res, err := http.DefaultClient.Do(req); err == nil {
				if _, err := res.Body.Read(make([]byte, 1)); err == nil {
					t.Errorf("%s: a part of an answer was taken for all", what)
				}
				res.Body.Close()
			}
		}
		s.Close()
		all.holdAll("a")
	}
	all.moves("a", "")
	if res, m := add(b, nil); res.StatusCode != 200 || !strings.Contains(failure(m), "cannot reach the host that owns this document, so nothing was changed") {
		t.Errorf("nowhere: %s %+v", res.Status, m)
	}
	all.moves("a", at)
	for _, c := range a.h.list(a.h.shared) {
		c.session.Leave()
	}
	a.server.Close()
	if got := b.modern("list", map[string]any{"ops": []string{"add z"}, "document": doc}); got.IsError {
		t.Errorf("left by its host: %s", got.text())
	}
	if got := b.modern("list_query", map[string]any{"q": "map", "document": doc}).text(); got != "#list T\nx\nx\nx\nx\nz" {
		t.Errorf("taken over, it is %q", got)
	}
	if got := b.modern("list_session", map[string]any{"action": "undo 2", "document": doc}); got.IsError {
		t.Errorf("its history is not there: %s", got.text())
	}
	active := func() (n int) {
		b.h.mu.Lock()
		defer b.h.mu.Unlock()
		for _, c := range b.h.shared {
			n += c.active
		}
		return n
	}
	for active() > 0 { // waits until the handler of the last answer has returned, too
		runtime.Gosched()
	}
}
