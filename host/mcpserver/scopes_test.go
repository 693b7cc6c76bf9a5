package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// scoped accepts tokens that consist of a principal's name and its scopes, such as ann/fcp:midi/fcp:read, unless they are in
// ended.
type scoped struct{ ended map[string]bool }

func (s *scoped) Check(_ context.Context, token string) (gate.Claims, error) {
	who, scopes, _ := strings.Cut(token, "/")
	if s.ended[token] {
		return gate.Claims{}, &gate.Denied{Why: "the token has expired"}
	}
	return gate.Claims{Principal: "issuer#" + who, Scopes: strings.Split(scopes, "/"), Until: time.Now().Add(time.Hour)}, nil
}

func (s *scoped) Err() error { return nil }

// startScoped serves the plugins list and world, with typed tools, to clients whose tokens have scopes.
func startScoped(t *testing.T, unified bool, log *slog.Logger) (*web, *scoped) {
	t.Helper()
	set := typedSet(t, newWorld(), testwasm.List(t))
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	offering := func(s *session.Session, who string) *session.Session {
		s.Owner = who
		s.SetTools([]string{"world"}, false, true)
		return s
	}
	check := &scoped{ended: map[string]bool{}}
	w := startConfigured(t, HTTPConfig{Typed: true, Unified: unified,
		NewShared:  func(who string) *session.Session { return offering(session.NewShared(set, roots), who) },
		NewSession: func(who string) *session.Session { return offering(session.New(set, roots), who) }},
		gate.Config{OAuth: &gate.OAuth{Resource: "https://edit.example/mcp", Checker: check}, Audit: log})
	return w, check
}

// joinShowing opens a session of a client that shows MCP Apps.
func (w *web) joinShowing() (id string) {
	w.t.Helper()
	res, _ := w.send("POST", strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}`, 1), nil)
	return res.Header.Get("Mcp-Session-Id")
}

// tools returns the names of the listed tools.
func (w *web) tools(id string) (names []string) {
	w.t.Helper()
	_, m := w.send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, map[string]string{"Mcp-Session-Id": id})
	for name := range published(w.t, []message{m}, 1) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestOnlyToolsThatATokenMayUseAreListed(t *testing.T) {
	w, _ := startScoped(t, false, nil)
	has := func(list []string, name string) bool { return slices.Contains(list, name) }
	for token, want := range map[string]string{
		"a/fcp":                      "list list_help list_query list_session world world_session thing_add thing_echo",
		"b/fcp:read":                 "list_help list_query list_session world_query world_session thing_echo",
		"c/fcp:list":                 "list list_help list_query list_session",
		"d/fcp:list:read":            "list_help list_query list_session",
		"e/fcp:list:read/fcp:world":  "list_query world thing_add",
		"f/fcp:nothing":              "",
		"g/openid/fcp:list/fcp:read": "list list_help world_query",
	} {
		who := w.as(token)
		list := who.tools(who.join())
		for _, name := range strings.Fields("list list_help list_query list_session world world_help world_query world_session thing_add thing_echo") {
			read := strings.HasSuffix(name, "_help") || strings.HasSuffix(name, "_query") || strings.HasSuffix(name, "_session") || name == "thing_echo"
			dom := "world"
			if strings.HasPrefix(name, "list") {
				dom = "list"
			}
			may := strings.Contains(token+"/", "/fcp/") || strings.Contains(token+"/", "/fcp:"+dom+"/") ||
				read && (strings.Contains(token+"/", "/fcp:read/") || strings.Contains(token+"/", "/fcp:"+dom+":read/"))
			if has(list, name) != may {
				t.Errorf("%s: %s is listed: %v", token, name, !may)
			}
		}
		for _, name := range strings.Fields(want) {
			if !has(list, name) {
				t.Errorf("%s: %s is not listed", token, name)
			}
		}
	}
	_, m := w.as("h/fcp:list:read").send("POST", hello, nil)
	if text := string(m.Result); !strings.Contains(text, "- list:") || strings.Contains(text, "- world:") {
		t.Errorf("the instructions are %s", text)
	}
}

func TestATokenForReadingChangesNothing(t *testing.T) {
	log := &logged{}
	w, _ := startScoped(t, false, slog.New(slog.NewTextHandler(log, nil)))
	full, read := w.as("ann/fcp"), w.as("ann/fcp:read") // two tokens of one principal
	id := full.joinShowing()
	head := map[string]string{"Mcp-Session-Id": id}
	full.call(id, action(1, `new "L"`))
	full.call(id, edit(2, "add one"))
	full.call(id, action(3, "save as:./l.list"))
	full.call(id, edit(4, "add two"))
	full.call(id, action(5, "checkpoint c"))
	full.send("POST", call(6, "world_session", map[string]any{"action": `new "W"`}), head)
	state := func() string {
		return full.call(id, call(7, "list_query", map[string]any{"q": "map"})).text() + full.call(id, call(7, "list_query", map[string]any{"q": "status"})).text() + full.call(id, call(7, "list_query", map[string]any{"q": "history"})).text() +
			full.call(id, call(7, "world_query", map[string]any{"q": "map"})).text() + full.call(id, call(7, "list_query", map[string]any{"q": "documents"})).text()
	}
	before := state()

	acts := []string{"save", "save force", "save as:./other.list", "SAVE", "undo", "undo 2", "undo to:c", "undo batch", "redo", "checkpoint d", "batch each", "close force", "Close Force",
		"new", `new "M"`, "export upper as:./x", "recover", "recover 1", "discard all", "enable", "reload", "pull", "pull force", "  save", "no-such-action"}
	for _, a := range acts {
		mustLackScope(t, read, head, call(10, "list_session", map[string]any{"action": a}), "fcp:read fcp:list")
	}
	for _, a := range []string{"push x", "take l.list", "do-get x", "export upper as:./x", "pull"} {
		mustLackScope(t, read, head, call(11, "world_session", map[string]any{"action": a}), "fcp:read fcp:world")
	}
	// Arguments as in the draft, and other forms of tool calls.
	mustLackScope(t, read, head, call(12, "list_session", map[string]any{"op": "save", "path": "./x.list"}), "fcp:read fcp:list")
	mustLackScope(t, read, head, call(13, "list", map[string]any{"ops": []string{"add three"}}), "fcp:read fcp:list")
	mustLackScope(t, read, head, call(14, "list", map[string]any{"op": "add three"}), "fcp:read fcp:list")
	mustLackScope(t, read, head, call(15, "list", map[string]any{"ops": []string{}, "then": []string{"undo"}}), "fcp:read fcp:list")
	for _, then := range []string{"add three", " ADD three", "add"} {
		mustLackScope(t, read, head, call(15, "list_session", map[string]any{"action": "status", "then": []string{"map", then}}), "fcp:read fcp:list")
		mustLackScope(t, read, head, call(15, "list_session", map[string]any{"action": []string{"status", then}}), "fcp:read fcp:list")
	}
	mustLackScope(t, read, head, rawCall(16, "thing_add", `{"text":"x"}`), "fcp:read fcp:world")
	mustLackScope(t, read, head, rawCall(17, "thing_push", `{"path":["x"]}`), "fcp:read fcp:world")
	mustLackScope(t, read, head, rawCall(18, "thing_post", `{"path":["x"],"text":"x"}`), "fcp:read fcp:world")
	for _, do := range []string{`{"do":"act","domain":"list","name":"L","action":"undo"}`, `{"do":"ACT"}`} {
		mustLackScope(t, read, head, rawCall(19, appTool, do), "fcp:read fcp")
	}
	if after := state(); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
	// A typed tool that falsely declares itself read-only is not believed: the host undoes its changes.
	if _, m := read.send("POST", rawCall(20, "thing_cheat", `{}`), head); !strings.Contains(string(m.Result), `"isError":true`) {
		t.Errorf("thing_cheat: %s", m.Result)
	}
	if after := state(); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}

	for i, line := range []string{call(30, "list_query", map[string]any{"q": "map"}), call(31, "list_help", map[string]any{}), action(32, "status"), action(33, "documents"), action(34, "use L"), action(35, "open ./l.list as:again"),
		action(36, "close"), action(37, "plugins"), call(38, "world_query", map[string]any{"q": "map"}), rawCall(39, "thing_echo", `{}`), rawCall(40, appTool, `{"do":"state"}`),
		`{"jsonrpc":"2.0","id":41,"method":"resources/read","params":{"uri":"fcp://list/L/model"}}`} {
		res, m := read.send("POST", line, head)
		if res.StatusCode != 200 || m.Error != nil {
			t.Errorf("%d: %s %+v", i, res.Status, m)
		}
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	if text := log.buf.String(); !strings.Contains(text, `who=issuer#ann`) || !strings.Contains(text, "outcome=refused status=403") || strings.Contains(text, "ann/fcp") {
		t.Errorf("the audit log is %s", text)
	}
}

// mustLackScope makes a call that the token does not allow, and checks that the answer names the missing scope.
func mustLackScope(t *testing.T, w *web, head map[string]string, line, scopes string) {
	t.Helper()
	res, m := w.send("POST", line, head)
	if got := res.Header.Get("WWW-Authenticate"); res.StatusCode != 403 || !strings.Contains(got, `error="insufficient_scope", scope="`+scopes+`", resource_metadata="https://edit.example/.well-known/oauth-protected-resource/mcp"`) {
		t.Errorf("%s\n is answered %s, %s %s %+v", line, res.Status, got, m.Result, m.Error)
	}
	if m.Error == nil && !strings.Contains(string(m.Result), `"isError":true`) {
		t.Errorf("%s\n is answered %s", line, m.Result)
	}
}

func TestATokenForOneDomainReachesNoOther(t *testing.T) {
	w, _ := startScoped(t, false, nil)
	full, one := w.as("ann/fcp"), w.as("ann/fcp:list")
	id := full.joinShowing()
	head := map[string]string{"Mcp-Session-Id": id}
	full.call(id, call(1, "world_session", map[string]any{"action": `new "Secret"`}))
	full.call(id, action(2, `new "L"`))
	for _, line := range []string{call(3, "world_query", map[string]any{"q": "map"}), call(4, "world_help", map[string]any{}), call(5, "world_session", map[string]any{"action": "documents"}),
		call(6, "world", map[string]any{"ops": []string{"add x"}}), rawCall(7, "thing_lines", `{"text":"x"}`), rawCall(8, "thing_echo", `{}`)} {
		res, m := one.send("POST", line, head)
		if res.StatusCode != 403 || strings.Contains(string(m.Result), "Secret") || !strings.Contains(res.Header.Get("WWW-Authenticate"), `scope="fcp:list fcp:world`) {
			t.Errorf("%s\n is answered %s, %v %s", line, res.Status, res.Header, m.Result)
		}
	}
	mustLackScope(t, one, head, rawCall(9, appTool, `{"do":"state"}`), "fcp:list fcp:read")
	for _, uri := range []string{"fcp://world/Secret/model", "fcp://world/none/model"} {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":%q}}`, uri)
		mustLackScope(t, one, head, line, "fcp:list fcp:world:read")
	}
	refusedSubscription := `{"jsonrpc":"2.0","id":11,"method":"resources/subscribe","params":{"uri":"fcp://world/Secret/model"}}`
	if res, _ := one.send("POST", refusedSubscription, head); res.StatusCode != 403 {
		t.Errorf("subscribe: %s", res.Status)
	}
	for _, line := range []string{`{"jsonrpc":"2.0","id":12,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":13,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"fcp://{domain}/{document}/model"},"argument":{"name":"document","value":""}}}`,
		`{"jsonrpc":"2.0","id":14,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"fcp://{domain}/{document}/model"},"argument":{"name":"domain","value":""}}}`,
		action(15, "documents"), call(16, "list_query", map[string]any{"q": "documents"})} {
		_, m := one.send("POST", line, head)
		if text := string(m.Result); strings.Contains(text, "Secret") || strings.Contains(text, `"world"`) || m.Error != nil {
			t.Errorf("%s gives %s %+v", line, text, m.Error)
		}
	}
	one.call(id, edit(17, "add one"))

	// The same without a session.
	args, _ := json.Marshal(map[string]any{"action": `new "X"`})
	line := `{"jsonrpc":"2.0","id":19,"method":"tools/call","params":{"name":"world_session","arguments":` + string(args) + `,` + modern + `}}`
	mustLackScope(t, one, map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "world_session"}, line, "fcp:list fcp:world")
	one.modern("list_session", map[string]any{"action": `new "X"`})
}

func TestABatchIsAnsweredMessageByMessage(t *testing.T) {
	w, _ := startScoped(t, false, nil)
	read := w.as("ann/fcp:read")
	res, _ := read.send("POST", strings.Replace(hello, "2025-11-25", "2025-03-26", 1), nil)
	head := map[string]string{"Mcp-Session-Id": res.Header.Get("Mcp-Session-Id")}
	refused, allowed := action(1, "recover"), action(2, "documents")
	for _, batch := range []string{refused + "," + allowed, allowed + "," + refused} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", w.url, strings.NewReader("["+batch+"]"))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range map[string]string{"Authorization": "Bearer ann/fcp:read", "Mcp-Session-Id": head["Mcp-Session-Id"], "Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(res.Body)
		res.Body.Close()
		if text := string(data); err != nil || res.StatusCode != 200 || strings.Count(text, `"isError":true`) != 1 || !strings.Contains(text, "your token does not let you change documents of list") || !strings.Contains(text, "no document open") {
			t.Errorf("%s: %v %s", res.Status, err, text)
		}
	}
}

func TestAListOfToolsIsNotCachedForATokenWithFewScopes(t *testing.T) {
	w, _ := startScoped(t, false, nil)
	head := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
	for token, want := range map[string]string{"ann/fcp": `"ttlMs":60000`, "ann/fcp:list": `"ttlMs":0`} {
		_, m := w.as(token).send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modern+`}}`, head)
		if !strings.Contains(string(m.Result), want) {
			t.Errorf("%s: %s", token, m.Result)
		}
	}
	one := w.as("ann/fcp:list")
	_, m := one.send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, map[string]string{"Mcp-Session-Id": one.join()})
	if strings.Contains(string(m.Result), "ttlMs") {
		t.Errorf("in a session: %s", m.Result)
	}
}

func TestIdlePrincipalsWithoutDocumentsAreForgotten(t *testing.T) {
	check := &scoped{}
	c := HTTPConfig{Idle: time.Millisecond} // swept every 10 ms
	w := startWith(t, t.TempDir(), nil, c, gate.Config{OAuth: &gate.OAuth{Resource: "https://edit.example/mcp", Checker: check}})
	made := func(who string) { w.as(who+"/fcp").modern("list_help", map[string]any{}) }
	for i := range 5 {
		made(fmt.Sprint("user", i))
	}
	h := w.h
	for len(h.list(h.shared)) > 0 { // until the sweeper has run
		runtime.Gosched()
	}
	made("user1")
}

func TestUnifiedToolsNeedAScopeForAllDomains(t *testing.T) {
	w, _ := startScoped(t, true, nil)
	one, read, full := w.as("a/fcp:list"), w.as("b/fcp:read"), w.as("c/fcp")
	id := one.join()
	if list := one.tools(id); len(list) > 0 {
		t.Errorf("listed are %v", list)
	}
	head := map[string]string{"Mcp-Session-Id": id}
	mustLackScope(t, one, head, call(1, "fcp_session", map[string]any{"action": `new list "L"`}), "fcp:list fcp")
	mustLackScope(t, one, head, call(2, "fcp_query", map[string]any{"q": "map"}), "fcp:list fcp:read")
	head["Mcp-Session-Id"] = read.join()
	mustLackScope(t, read, head, call(3, "fcp_edit", map[string]any{"ops": []string{"add x"}}), "fcp:read fcp")
	read.call(head["Mcp-Session-Id"], call(4, "fcp_session", map[string]any{"action": "documents"}))
	full.call(full.join(), call(5, "fcp_session", map[string]any{"action": `new list "L"`}))
}

func TestASessionNeedsAValidTokenOfItsPrincipalForEachRequest(t *testing.T) {
	w, check := startScoped(t, false, nil)
	ann, bob := w.as("ann/fcp"), w.as("bob/fcp")
	id := ann.join()
	ann.call(id, action(1, `new "L"`))
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if res, _ := bob.send("POST", list, map[string]string{"Mcp-Session-Id": id}); res.StatusCode != 404 {
		t.Errorf("with another's session: %s", res.Status)
	}
	check.ended["ann/fcp"] = true
	for _, method := range []string{"POST", "GET", "DELETE"} {
		res, _ := ann.send(method, list, map[string]string{"Mcp-Session-Id": id})
		if got := res.Header.Get("WWW-Authenticate"); res.StatusCode != 401 || !strings.Contains(got, `error="invalid_token", error_description="the token has expired"`) {
			t.Errorf("%s with a token that ended: %s, %s", method, res.Status, got)
		}
	}
	if got := w.as("ann/fcp:list:read").call(id, call(3, "list_query", map[string]any{"q": "documents"})).text(); !strings.Contains(got, `"L"`) {
		t.Errorf("with a new token there is %s", got)
	}
}
