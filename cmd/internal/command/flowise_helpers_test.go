package command

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/schema"
	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// flowiseHost is a server with the flowise plugin, its typed tools, and a grant for a Flowise server.
type flowiseHost struct {
	*arena
	tools map[string]toolContract
}

// toolContract holds the schemas of a tool in its contract.
type toolContract struct{ gives *schema.Schema }

// startFlowise starts a host that is granted the Flowise server at url.
func startFlowise(t *testing.T, url, key string, args ...string) *flowiseHost {
	t.Helper()
	t.Setenv("FLOWISE_API_URL", url)
	t.Setenv("FLOWISE_API_KEY", key)
	a := &flowiseHost{startArena(t, append([]string{"--plugin", testwasm.Build(t, "plugins/flowise"), "--tools", "flowise", "--grant", "flowise=http:api"}, args...)...), map[string]toolContract{}}
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, "plugins", "flowise", "internal", "tools", "contract.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Name         string
		OutputSchema json.RawMessage
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list {
		s, err := schema.Compile(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		a.tools[tool.Name] = toolContract{s}
	}
	return a
}

// withFlowise returns the arguments that serve the plugin with a fake Flowise server that has one flow.
func withFlowise(t *testing.T) []string {
	t.Helper()
	s := &flowise.Server{}
	s.Add("Support", "AGENTFLOW", flowise.Echo)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	for name, value := range map[string]string{"url": server.URL, "key": flowise.Key} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(t, dir, "fcp-host.toml", "[variables]\nFLOWISE_API_URL = \"url\"\nFLOWISE_API_KEY = \"key\"\n")
	return []string{"--limit", "list-wait=1m", "--config", filepath.Join(dir, "fcp-host.toml"), "--plugin", testwasm.Build(t, "plugins/flowise"), "--tools", "flowise", "--grant", "flowise=http:api"}
}

// startFakeFlowise is startFlowise with the fake server s.
func startFakeFlowise(t *testing.T, s *flowise.Server, args ...string) *flowiseHost {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return startFlowise(t, server.URL, flowise.Key, args...)
}

// outcome is the result of a tool call: a value, or an error object.
type outcome struct {
	value json.RawMessage // checked against the tool's schema
	text  string
	raw   []byte
	err   struct {
		Type, Message string
		Details       map[string]string
	}
}

func (a *flowiseHost) use(tool string, args map[string]any) outcome {
	a.t.Helper()
	return a.outcomeOf(tool, a.wait(a.send(tool, args)))
}

// outcomeOf decodes an answer, and checks that its text and its structure are equal and satisfy the contract.
func (a *flowiseHost) outcomeOf(tool string, got answer) outcome {
	a.t.Helper()
	var m struct {
		Result struct{ StructuredContent json.RawMessage }
	}
	if err := json.Unmarshal(got.raw, &m); err != nil {
		a.t.Fatal(err)
	}
	o := outcome{value: m.Result.StructuredContent, text: got.text, raw: got.raw}
	if got.failed {
		// It would not fit the tool's output schema, and clients show their models nothing of such a result.
		if o.value != nil {
			a.t.Errorf("%s fails with structured content: %s", tool, got.raw)
		}
		o.value = json.RawMessage(got.text)
		var e struct{ Error json.RawMessage }
		if err := json.Unmarshal(o.value, &e); err != nil || json.Unmarshal(e.Error, &o.err) != nil || o.err.Type == "" {
			a.t.Fatalf("%s fails without the contract's error: %s", tool, got.raw)
		}
		return o
	}
	if tool == "list_chatflows" { // structured content must be an object
		var list struct{ Result json.RawMessage }
		if err := json.Unmarshal(o.value, &list); err != nil {
			a.t.Fatal(err)
		}
		o.value = list.Result
	}
	v, err := schema.Decode(o.value)
	if err == nil {
		err = a.tools[tool].gives.Check(v)
	}
	if err != nil || !sameJSON(got.text, o.value) {
		a.t.Fatalf("%s: %v\n%s", tool, err, got.raw)
	}
	return o
}

// sameJSON compares JSON values; structured content escapes < and >.
func sameJSON(text string, value json.RawMessage) bool {
	a, errA := schema.Decode([]byte(text))
	b, errB := schema.Decode(value)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// field returns a field of the value as text.
func (o outcome) field(name string) string {
	var m map[string]any
	json.Unmarshal(o.value, &m)
	return fmt.Sprint(m[name])
}

// say calls one of the domain's four tools, which must succeed with want in its reply.
func (a *flowiseHost) say(tool, text, want string) string {
	a.t.Helper()
	args := map[string]any{map[string]string{"flowise_session": "action", "flowise_query": "q"}[tool]: text}
	if tool == "flowise" {
		args = map[string]any{"ops": strings.Split(text, "\n")}
	}
	got := a.wait(a.send(tool, args))
	if got.failed || !strings.Contains(got.text, want) {
		a.t.Fatalf("%s %s: %s\nwant %q", tool, text, got.text, want)
	}
	return got.text
}

// refuses runs a session action that must fail with all of wants.
func (a *flowiseHost) refuses(action string, wants ...string) {
	a.t.Helper()
	got := a.wait(a.send("flowise_session", map[string]any{"action": action}))
	for _, want := range wants {
		if !got.failed || !strings.Contains(got.text, want) {
			a.t.Errorf("%s: %s\nwant a refusal with %q", action, got.text, want)
		}
	}
}
