package command

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

const (
	toolsChanged     = "notifications/tools/list_changed"
	resourcesChanged = "notifications/resources/list_changed"
)

// tools returns the names of the server's tools.
func (c *client) tools() string {
	c.t.Helper()
	var list struct{ Tools []struct{ Name string } }
	c.request("tools/list", nil, &list)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// install writes a file atomically, as installers do.
func install(t testing.TB, path string, data []byte) {
	t.Helper()
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, path); err != nil {
		t.Fatal(err)
	}
}

// thing returns a plugin of a domain and version whose documents have this digest.
func thing(domain, version, digest string) []byte {
	acts := testwasm.Minimal()
	m := testwasm.MinimalManifest()
	m.Domain, m.Version, m.Extensions = domain, version, []string{"." + domain}
	acts[abi.ExportManifest] = testwasm.Answers(m)
	acts[abi.ExportReplay] = testwasm.Answers(&abi.StateResponse{State: abi.State{Digest: digest}})
	return testwasm.Scripted(acts)
}

// tells fails the test unless text contains all parts.
func tells(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

func TestPluginsAreServedAsTheyAreAddedReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	c := serveProcess(t, t.TempDir(), "--plugins", dir)
	if got := c.tools(); got != "fcp_edit fcp_help fcp_query fcp_session" {
		t.Errorf("without a folder: %s", got)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "a.wasm")
	install(t, file, thing("one", "1.0.0", "1 thing"))
	c.hear(toolsChanged)
	c.hear(resourcesChanged)
	c.session("one", `new "T"`)
	if got := c.tools(); got != "one one_help one_query one_session" {
		t.Errorf("after it came: %s", got)
	}
	c.edit("one", "add x")

	install(t, file, thing("one", "2.0.0", "1 thing"))
	tells(t, c.session("one", "reload"), "* one 2.0.0 (sha256 ", ", which was 1.0.0 (sha256 ")
	tells(t, c.session("one", "plugins"), "* 1 plugin served\n  one 2.0.0, sha256 ", ", "+file+", 1 document\n  watched: "+dir+"\n[1 thing]")
	c.session("one", `new "U"`)
	c.edit("one", "add y")
	c.session("one", "use T")
	tells(t, c.edit("one", "add z"), "? the one plugin was updated from 1.0.0 (sha256 ", " this document runs on the new one, and is the same\n")

	install(t, file, thing("one", "3.0.0", "another thing"))
	tells(t, c.session("one", "reload"), "* one 3.0.0 (sha256 ")
	stays := "this document stays on 2.0.0 (sha256 "
	tells(t, c.edit("one", "add a"), stays, "it is [another thing], and it is [1 thing]; save it, close it and open it again to use the new one")
	if got := c.edit("one", "add b"); strings.Contains(got, stays) {
		t.Errorf("it is said again: %s", got)
	}
	tells(t, c.must("one_query", map[string]any{"q": "status"}), "\nplugin: 2.0.0 (sha256 ", ", and not 3.0.0 (sha256 ", "which is loaded: ")
	tells(t, c.session("one", "plugins"), "one 3.0.0, sha256 ", ", 0 documents\n", "not served any more: one 2.0.0, sha256 ", ", 2 documents\n", `"T" stays on it: `, `"U" stays on it: `)

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	tells(t, c.session("one", "reload"), "- one 3.0.0 (sha256 ")
	if got := c.tools(); got != "one one_help one_query one_session" {
		t.Errorf("with open documents: %s", got)
	}
	c.edit("one", "add c")
	c.session("one", "save as:./t.one")
	for _, action := range []string{`new "V"`, "open ./t.one"} {
		text, failed := c.call("one_session", map[string]any{"action": action})
		if !failed {
			t.Errorf("%s: %s", action, text)
		}
		tells(t, text, "! the one plugin was removed: open documents can still be edited, saved and closed; no new ones can be opened")
	}
	tells(t, c.session("one", "status"), "which was removed: this document can be edited, saved and closed")
	c.session("one", "close")
	c.session("one", "close force")
	if got := c.tools(); got != "fcp_edit fcp_help fcp_query fcp_session" {
		t.Errorf("after the last document was closed: %s", got)
	}
	install(t, file, thing("one", "3.0.0", "another thing"))
	tells(t, c.session("fcp", "reload"), "+ one 3.0.0 (sha256 ")
	c.session("one", "open ./t.one")
}

func TestUnderUnifiedToolsANewDomainWorksAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, filepath.Join(dir, "a.wasm"), thing("one", "1.0.0", "1 thing"))
	c := serveProcess(t, t.TempDir(), "--unified", "--plugins", dir)
	before := c.tools()
	c.session("fcp", `new one "T"`)
	install(t, filepath.Join(dir, "b.wasm"), thing("two", "1.0.0", "1 thing"))
	c.hear(toolsChanged)
	c.session("fcp", "reload") // the notification may have been about one plugin only
	tells(t, c.session("fcp", `new two "U"`), `+ new two document "U"`)
	if after := c.tools(); after != before {
		t.Errorf("the tools were %s and are %s", before, after)
	}
	// A removed plugin leaves its document.
	if err := os.Remove(filepath.Join(dir, "a.wasm")); err != nil {
		t.Fatal(err)
	}
	tells(t, c.session("fcp", "reload"), "- one 1.0.0")
	c.session("fcp", "use T")
	c.edit("fcp_edit", "add x")
	if text, failed := c.call("fcp_session", map[string]any{"action": `new one "V"`}); !failed {
		t.Errorf("a new document of what was removed: %s", text)
	}
}

func TestBrokenPluginsAreNamedAndTheOthersServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, filepath.Join(dir, "a-0.1.wasm"), thing("one", "0.1", "1 thing"))
	install(t, filepath.Join(dir, "a-0.2.wasm"), thing("one", "0.2", "1 thing"))
	install(t, filepath.Join(dir, "b.wasm"), []byte("this is no module"))
	c := serveProcess(t, t.TempDir(), "--plugins", dir)
	c.tools() // waits until all plugins are known
	var hello struct{ Instructions string }
	c.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}}, &hello)
	tells(t, hello.Instructions, "- one: ", `- not served: "a-0.2.wasm" (status says why)`, `- not served: "b.wasm" (status says why)`)
	c.session("one", `new "T"`)
	why := []string{`? not served: "a-0.2.wasm": the domain one is served by `, "a-0.1.wasm, which comes before it", `? not served: "b.wasm": `}
	tells(t, c.session("one", "status"), why...)
	tells(t, c.session("one", "plugins"), "not served: "+filepath.Join(dir, "a-0.2.wasm")+", sha256 ", "not served: "+filepath.Join(dir, "b.wasm")+": ")
	if err := os.Remove(filepath.Join(dir, "a-0.1.wasm")); err != nil {
		t.Fatal(err)
	}
	tells(t, c.session("one", "reload"), "* one 0.2 (sha256 ", ", which was 0.1 (sha256 ", `? not served: "b.wasm": `)
}

func TestAGrantOfAFlagIsForTheModuleOfTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wasm, err := os.ReadFile(wanting(t, "It keeps things."))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "a.wasm")
	install(t, file, wasm)
	c := serveProcess(t, t.TempDir(), "--plugins", dir, "--grant", "thing=http:api")
	c.session("thing", `new "T"`)
	tells(t, c.session("thing", "status"), "wants: http:api, which is granted")
	install(t, file, testwasm.Variant(wasm, "another"))
	tells(t, c.session("thing", "reload"), "* thing 1.0.0 (sha256 ")
	tells(t, c.session("thing", "status"), "wants: http:api, which is not granted")
	install(t, file, wasm)
	c.session("thing", "reload")
	tells(t, c.session("thing", "status"), "wants: http:api, which is granted")
}

func TestHTTPClientsAreNotifiedOfNewPlugins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := serveHTTP(t, "--http", "127.0.0.1:0", "--http-open", "--plugins", dir)
	session := ""
	send := func(method, body string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
			req.Header.Set("MCP-Protocol-Version", "2025-06-18")
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	ask := func(body string) string {
		t.Helper()
		res := send("POST", body)
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	res := send("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	res.Body.Close()
	session = res.Header.Get("Mcp-Session-Id")
	ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	stream := send("GET", "")
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	hear := func(what string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), what) {
				return
			}
		}
		t.Fatalf("the stream ended before %s: %v", what, lines.Err())
	}
	install(t, filepath.Join(dir, "a.wasm"), thing("one", "1.0.0", "1 thing"))
	hear(toolsChanged)
	tells(t, ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), `"one_session"`)
	ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"one_session","arguments":{"action":"new \"T\""}}}`)
	got := ask(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"one_session","arguments":{"action":"plugins"}}}`)
	tells(t, got, "one 1.0.0, sha256 ", ", a.wasm, 1 document")
	if strings.Contains(got, dir) {
		t.Errorf("a client of another machine is told where the plugins lie: %s", got)
	}
	if err := os.Remove(filepath.Join(dir, "a.wasm")); err != nil {
		t.Fatal(err)
	}
	ask(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"one_session","arguments":{"action":"close force"}}}`)
	tells(t, ask(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"one_session","arguments":{"action":"reload"}}}`), "one")
	hear(toolsChanged)
}
