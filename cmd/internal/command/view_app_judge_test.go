package command

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// bridged is a client's page that embeds the view by the official bridge.
const bridged = `<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<script type="importmap">{"imports": {
 "@modelcontextprotocol/ext-apps/app-bridge": "/npm/@modelcontextprotocol/ext-apps/dist/src/app-bridge.js",
 "@modelcontextprotocol/client": "/npm/@modelcontextprotocol/client/dist/index.mjs",
 "@modelcontextprotocol/client/_shims": "/npm/@modelcontextprotocol/client/dist/shimsBrowser.mjs",
 "@modelcontextprotocol/core": "/npm/@modelcontextprotocol/core/dist/index.mjs",
 "@modelcontextprotocol/core/internal": "/npm/@modelcontextprotocol/core/dist/internal.mjs",
 "eventsource": "/npm/eventsource/dist/index.js", "eventsource-parser": "/npm/eventsource-parser/dist/index.js", "eventsource-parser/stream": "/npm/eventsource-parser/dist/stream.js",
 "pkce-challenge": "/npm/pkce-challenge/dist/index.browser.js", "zod/v4": "/npm/zod/v4/index.js"}}</script>
<script type="module">
import {AppBridge, PostMessageTransport} from "@modelcontextprotocol/ext-apps/app-bridge";
const rpc = async (method, params) => (await fetch("/rpc", {method: "POST", body: JSON.stringify({method, params})})).json();
const page = (await rpc("resources/read", {uri: "ui://fcp/view"})).contents[0];
const frame = document.createElement("iframe");
frame.sandbox = "allow-scripts";
frame.style = "border:0;width:900px;height:560px";
document.body.append(frame);
const bridge = new AppBridge(null, {name: "judge", version: "1"}, {serverTools: {}, updateModelContext: {text: {}}}, {hostContext: {theme: "dark"}});
window.context = [];
window.calls = [];
bridge.oncalltool = async (params) => { calls.push(params.name + " " + params.arguments.do); return rpc("tools/call", params); };
bridge.onupdatemodelcontext = async (params) => { context.push(params); return {}; };
bridge.onsizechange = (size) => { window.size = size; };
bridge.oninitialized = async () => {
  window.ready = true;
  bridge.sendToolInput({arguments: {ops: []}});
};
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
window.work = async (name, args) => { const result = await rpc("tools/call", {name, arguments: args}); bridge.sendToolResult(result); return result.content[0].text; };
// A client sets its own content security policy on the page.
frame.srcdoc = page.text.replace("<head>", "<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'\">" +
  "<script>addEventListener('message', (e) => { if (e.data && e.data.judge) { let value; try { value = eval(e.data.judge); } catch (x) { value = String(x); } parent.postMessage({judged: value}, '*'); } });</" + "script>").replace("'unsafe-inline'", "'unsafe-inline' 'unsafe-eval'");
// inside runs an expression in the frame, whose document this page cannot access.
window.inside = (js) => new Promise((done) => {
  const hear = (e) => { if (e.data && "judged" in e.data) { removeEventListener("message", hear); done(e.data.judged); } };
  addEventListener("message", hear);
  frame.contentWindow.postMessage({judge: js}, "*");
});
window.until = async (js) => { while (!await inside(js)); return true; };
</script>`

func TestJudgeTheOfficialBridgeShowsTheView(t *testing.T) {
	judge.Browser(t)
	c := serveProcess(t, t.TempDir(), "--plugin", testwasm.Build(t, "plugins/drawio"))
	c.request("initialize", map[string]any{"protocolVersion": "2025-11-25", "clientInfo": map[string]any{"name": "judge", "version": "1"},
		"capabilities": map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/ui": map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}}}}}, nil)
	c.request("tools/list", nil, nil)
	var one sync.Mutex // the client sends one request at a time
	showsInBridge(t, "app", func(method string, params json.RawMessage) (result json.RawMessage) {
		one.Lock()
		defer one.Unlock()
		c.request(method, params, &result)
		return result
	})
}

// Without a session each request states the client's capabilities, and documents have handles.
func TestJudgeTheOfficialBridgeShowsTheViewOverHTTP(t *testing.T) {
	judge.Browser(t)
	url := serveHTTP(t, "--http", "127.0.0.1:0", "--http-open", "--plugin", testwasm.Build(t, "plugins/drawio"))
	const version = "2026-07-28"
	meta := map[string]any{"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/ui": map[string]any{}}}}
	showsInBridge(t, "app-http", func(method string, params json.RawMessage) json.RawMessage {
		all := map[string]any{}
		if err := json.Unmarshal(params, &all); err != nil {
			t.Error(err)
		}
		all["_meta"] = meta
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": all})
		if err != nil {
			t.Error(err)
		}
		r, err := http.NewRequest("POST", url, bytes.NewReader(body))
		if err != nil {
			t.Error(err)
		}
		name, _ := all["name"].(string)
		if uri, ok := all["uri"].(string); ok {
			name = uri
		}
		for key, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": name} {
			r.Header.Set(key, value)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return nil
		}
		defer res.Body.Close()
		var m message
		if err := json.NewDecoder(res.Body).Decode(&m); err != nil || m.Error != nil {
			t.Errorf("%s: %v %s", method, err, m.Error)
		}
		return m.Result
	})
}

// showsInBridge checks that the view works in the official bridge, whose client sends requests by ask.
func showsInBridge(t *testing.T, picture string, ask func(method string, params json.RawMessage) (result json.RawMessage)) {
	t.Helper()
	_, modules := judge.Npm(t, "@modelcontextprotocol/ext-apps", "@modelcontextprotocol/client", "@modelcontextprotocol/core", "zod")
	mux := http.NewServeMux()
	mux.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(modules))))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, bridged)
	})
	mux.HandleFunc("/rpc", func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			Method string
			Params json.RawMessage
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
			return
		}
		w.Write(ask(m.Method, m.Params))
	})
	host := httptest.NewServer(mux)
	defer host.Close()

	p := judge.Open(t, host.URL+"/", 920, 580, false)
	p.Wait(`window.ready`)
	inside := func(js string) {
		t.Helper()
		text, err := json.Marshal(js)
		if err != nil {
			t.Fatal(err)
		}
		p.Eval(`until(`+string(text)+`)`, nil)
	}
	var made string
	p.Eval(`work("drawio_session", {action: 'new "Shop"'})`, &made)
	document := "Shop"
	if _, rest, ok := strings.Cut(made, `document:"`); ok {
		document, _, _ = strings.Cut(rest, `"`)
	}
	edit := func(op string) { p.Eval(`work("drawio", {ops: ["`+op+`"], document: "`+document+`"})`, nil) }
	edit("add svc Auth")
	edit("add db Users near:Auth dir:below")
	inside(`document.querySelector("#digest").textContent.startsWith("[2s 0e") && document.documentElement.dataset.theme == "dark" && document.querySelector("#picture").naturalWidth > 0`)
	inside(`document.querySelector("#tabs [aria-current] span").textContent == "Shop"`)
	edit("connect Auth -> Users")
	inside(`document.querySelector("#digest").textContent.startsWith("[2s 1e") && document.querySelectorAll(".change").length == 1`)
	keepPicture(t, p, picture)
	inside(`document.querySelector("#undo").click(), true`)
	inside(`document.querySelector("#digest").textContent.startsWith("[2s 0e")`)
	var at struct{ X, Y float64 }
	p.Eval(`inside('(() => { const r = document.querySelector("#picture").getBoundingClientRect(); return {x: r.left + r.width / 2, y: r.top + r.height / 6}; })()')`, &at)
	p.Click(at.X, at.Y)
	p.Wait(`context.length == 1 && context[0].content[0].text == "In the view of the drawio document ` + document + ` the person selected: Auth"`)
	// A call on another document of the client switches this page to it.
	p.Eval(`work("drawio_session", {action: 'new "Other"'})`, &made)
	inside(`document.querySelector("#digest").textContent.startsWith("[0s 0e")`)
	edit("add svc Third")
	inside(`document.querySelector("#digest").textContent.startsWith("[3s 0e")`)
	var calls string
	p.Eval(`calls.join(", ")`, &calls)
	if !strings.Contains(calls, "fcp_view show") || !strings.Contains(calls, "fcp_view act") {
		t.Errorf("the page called %s", calls)
	}
	for _, url := range p.Requests() {
		if !strings.HasPrefix(url, host.URL) && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "about:") {
			t.Errorf("the page asked for %s", url)
		}
	}
}
