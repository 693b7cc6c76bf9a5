package command

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fcp-host/fcp-host/host/schema"
	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// agency is fcp-host with the flowise plugin, its tools offered and granted a server.
type agency struct {
	*arena
	tools map[string]contracted
}

// contracted are the schemas of a tool, as its contract has them.
type contracted struct{ gives *schema.Schema }

func hire(t *testing.T, url, key string, args ...string) *agency {
	t.Helper()
	t.Setenv("FLOWISE_API_URL", url)
	t.Setenv("FLOWISE_API_KEY", key)
	a := &agency{enter(t, append([]string{"--plugin", testwasm.Build(t, "plugins/flowise"), "--tools", "flowise", "--grant", "flowise=http:api"}, args...)...), map[string]contracted{}}
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
		a.tools[tool.Name] = contracted{s}
	}
	return a
}

// withFlowise are the arguments that serve the plugin with a recorded server, which has one flow.
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

// recordedAgency is one whose server answers what was recorded.
func recordedAgency(t *testing.T, s *flowise.Server, args ...string) *agency {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return hire(t, server.URL, flowise.Key, args...)
}

// outcome is what came of a call of a tool: its value, or the object of its error.
type outcome struct {
	value json.RawMessage // held against the tool's schema
	text  string
	raw   []byte
	err   struct {
		Type, Message string
		Details       map[string]string
	}
}

func (a *agency) use(tool string, args map[string]any) outcome {
	a.t.Helper()
	return a.came(tool, a.wait(a.send(tool, args)))
}

// came reads an answer: both of its forms say the same, and fit the contract.
func (a *agency) came(tool string, got answer) outcome {
	a.t.Helper()
	var m struct {
		Result struct{ StructuredContent json.RawMessage }
	}
	if err := json.Unmarshal(got.raw, &m); err != nil {
		a.t.Fatal(err)
	}
	o := outcome{value: m.Result.StructuredContent, text: got.text, raw: got.raw}
	if got.failed {
		var e struct{ Error json.RawMessage }
		if err := json.Unmarshal(o.value, &e); err != nil || json.Unmarshal(e.Error, &o.err) != nil || o.err.Type == "" {
			a.t.Fatalf("%s fails without the contract's error: %s", tool, got.raw)
		}
		if !sameJSON(got.text, o.value) {
			a.t.Errorf("%s: the text is %s, and the structure %s", tool, got.text, o.value)
		}
		return o
	}
	if tool == "list_chatflows" { // structures are objects
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

// sameJSON compares values: in structures, < and > are escaped.
func sameJSON(text string, value json.RawMessage) bool {
	a, errA := schema.Decode([]byte(text))
	b, errB := schema.Decode(value)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// field is a text of an outcome.
func (o outcome) field(name string) string {
	var m map[string]any
	json.Unmarshal(o.value, &m)
	return fmt.Sprint(m[name])
}

// lifecycle has all eight tools do what they are for.
func lifecycle(t *testing.T, a *agency) {
	t.Helper()
	is := func(o outcome, name, want string) {
		t.Helper()
		if got := o.field(name); got != want {
			t.Errorf("%s is %s, want %s: %s%v", name, got, want, o.value, o.err)
		}
	}
	made := a.use("create_chatflow", map[string]any{"name": "Echo", "flow_data": flowise.Echo, "type": "AGENTFLOW"})
	is(made, "type", "AGENTFLOW")
	is(made, "deployed", "false")
	id := map[string]any{"chatflow_id": made.field("id")}
	with := func(more ...any) map[string]any {
		m := map[string]any{"chatflow_id": made.field("id")}
		for i := 0; i < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	if o := a.use("run_prediction", with("question", "Hello?")); o.err.Type != "ValidationError" || o.err.Details["constraint"] != "deployed" {
		t.Errorf("one that is not deployed: %s", o.raw)
	}
	is(a.use("deploy_chatflow", with("deployed", true)), "deployed", "true")
	is(a.use("run_prediction", with("question", "Hello?")), "text", "You said: Hello?")
	is(a.use("get_chatflow", id), "flowData", flowise.Echo)
	is(a.use("update_chatflow", with("name", "Echoes")), "name", "Echoes")
	is(a.use("get_chatflow", id), "deployed", "true")
	if list := a.use("list_chatflows", map[string]any{}); !strings.Contains(list.text, `"name":"Echoes","type":"AGENTFLOW","deployed":true,"createdDate":"20`) || strings.Contains(list.text, "flowData") {
		t.Errorf("listed: %s", list.text)
	}
	generated := a.use("generate_agentflow_v2", map[string]any{"description": "Create a polite agent that greets whoever writes"})
	is(generated, "name", "Polite Agent")
	again := a.use("create_chatflow", map[string]any{"name": generated.field("name"), "flow_data": generated.field("flowData"), "type": "AGENTFLOW", "deployed": true})
	is(again, "deployed", "true")
	is(a.use("create_chatflow", map[string]any{"name": "Plain", "flow_data": `{"nodes":[],"edges":[]}`}), "type", "CHATFLOW")
	is(a.use("delete_chatflow", id), "deleted_id", made.field("id"))
}

func TestTheEightToolsOfFlowiseAnswerByTheirContract(t *testing.T) {
	a := recordedAgency(t, &flowise.Server{Credential: "22222222-2222-4222-8222-222222222222"})
	lifecycle(t, a)
	a.unharmed()
}

// refusals provokes each error that a server gives, and those that are found before it is asked. limited is the id of a flow that
// may be asked once.
func refusals(t *testing.T, a *agency, limited string) {
	t.Helper()
	large := `{"nodes":[],"edges":[],"x":"` + strings.Repeat("x", 1<<20) + `"}`
	id := map[string]any{"chatflow_id": flowise.Nobody}
	for _, c := range []struct {
		tool  string
		args  map[string]any
		typ   string
		wants string // in the error
	}{
		{"get_chatflow", id, "NotFoundError", "not found"},
		{"get_chatflow", map[string]any{"chatflow_id": "nobody"}, "ValidationError", "Invalid Chatflow ID"},
		{"get_chatflow", map[string]any{"chatflow_id": ""}, "ValidationError", "chatflow_id must have at least 1 characters"},
		{"get_chatflow", map[string]any{}, "ValidationError", `"field":"chatflow_id","value":"","constraint":"required"`},
		{"get_chatflow", map[string]any{"chatflow_id": 7}, "ValidationError", "must be a string"},
		{"update_chatflow", map[string]any{"chatflow_id": flowise.Nobody, "name": "x"}, "NotFoundError", "not found"},
		{"update_chatflow", id, "ValidationError", `"constraint":"anyOf"`},
		{"update_chatflow", map[string]any{"chatflow_id": flowise.Nobody, "name": ""}, "ValidationError", `"constraint":"minLength"`},
		{"update_chatflow", map[string]any{"chatflow_id": flowise.Nobody, "flow_data": "{}"}, "ValidationError", "array of nodes"},
		{"deploy_chatflow", map[string]any{"chatflow_id": flowise.Nobody, "deployed": true}, "NotFoundError", "not found"},
		{"deploy_chatflow", id, "ValidationError", "deployed is required"},
		{"delete_chatflow", id, "NotFoundError", "not found"},
		{"delete_chatflow", map[string]any{"chatflow_id": "nobody"}, "ValidationError", "Invalid Chatflow ID"},
		{"run_prediction", map[string]any{"chatflow_id": flowise.Nobody, "question": "Hello?"}, "NotFoundError", "not found"},
		{"create_chatflow", map[string]any{"name": "x", "flow_data": "{not"}, "ValidationError", "flow_data is not JSON"},
		{"create_chatflow", map[string]any{"name": "x", "flow_data": `{"nodes":[]}`}, "ValidationError", "array of edges"},
		{"create_chatflow", map[string]any{"name": "x", "flow_data": large}, "ValidationError", "less than 1 MB"},
		{"create_chatflow", map[string]any{"name": "", "flow_data": "{}"}, "ValidationError", "Chatflow name must be between 1 and 255 characters"},
		{"create_chatflow", map[string]any{"name": strings.Repeat("x", 256), "flow_data": "{}"}, "ValidationError", `"constraint":"maxLength"`},
		{"create_chatflow", map[string]any{"name": "x", "flow_data": `{"nodes":[],"edges":[]}`, "type": "OTHER"}, "ValidationError", `"constraint":"enum"`},
		{"generate_agentflow_v2", map[string]any{"description": "short"}, "ValidationError", "at least 10 characters"},
	} {
		o := a.use(c.tool, c.args)
		if o.err.Type != c.typ || !strings.Contains(o.text, c.wants) {
			t.Errorf("%s %.80v: %.500s\nwant %s with %s", c.tool, c.args, o.text, c.typ, c.wants)
		}
	}
	ask := map[string]any{"chatflow_id": limited, "question": "Hello?"}
	if o := a.use("run_prediction", ask); o.err.Type != "" {
		t.Errorf("the first time: %s", o.raw)
	}
	if o := a.use("run_prediction", ask); o.err.Type != "RateLimitError" || !strings.Contains(o.err.Message, "Too many requests") {
		t.Errorf("the second time: %s", o.raw)
	}
}

// askedOnce makes a flow that may be asked once. The contract has no word for it, so it is asked of the server itself.
func askedOnce(t *testing.T, url, key string) string {
	t.Helper()
	send := func(method, path string, body map[string]any) (made struct{ ID string }) {
		t.Helper()
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequest(method, url+"/api/v1/"+path, strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(&made); err != nil || made.ID == "" {
			t.Fatalf("%s %s: %d %v", method, path, res.StatusCode, err)
		}
		return made
	}
	id := send("POST", "chatflows", map[string]any{"name": "Limited", "type": "AGENTFLOW", "deployed": true, "flowData": flowise.Echo}).ID
	send("PUT", "chatflows/"+id, map[string]any{"apiConfig": `{"rateLimit":{"status":true,"limitMax":1,"limitDuration":600,"limitMsg":"Too many requests"}}`})
	return id
}

func TestEachErrorOfTheContractIsProvoked(t *testing.T) {
	s := &flowise.Server{}
	server := httptest.NewServer(s)
	defer server.Close()
	id := askedOnce(t, server.URL, flowise.Key)
	a := hire(t, server.URL, flowise.Key)
	refusals(t, a, id)
	if o := a.use("generate_agentflow_v2", map[string]any{"description": "An agent that greets"}); o.err.Type != "ValidationError" || !strings.Contains(o.err.Message, "no credential for a chat model") {
		t.Errorf("generating without a model: %s", o.text)
	}
	a.unharmed()
}

func TestKeysThatFlowiseDoesNotTakeAreSaidSo(t *testing.T) {
	server := httptest.NewServer(&flowise.Server{})
	defer server.Close()
	wrong := hire(t, server.URL, "no-key-of-this-server")
	for _, tool := range []string{"list_chatflows", "generate_agentflow_v2"} {
		if o := wrong.use(tool, map[string]any{"description": "An agent that greets"}); tool != "list_chatflows" && o.err.Type != "AuthenticationError" || tool == "list_chatflows" && o.err.Type != "AuthenticationError" {
			t.Errorf("%s with a wrong key: %s", tool, o.raw)
		}
	}
	none := hire(t, server.URL, "") // no header is sent
	if o := none.use("list_chatflows", map[string]any{}); o.err.Type != "AuthenticationError" || !strings.Contains(o.err.Message, "Unauthorized Access") {
		t.Errorf("without a key: %s", o.raw)
	}
	weak := hire(t, server.URL, flowise.WeakKey)
	if o := weak.use("list_chatflows", map[string]any{}); o.err.Type != "" {
		t.Errorf("listing with a key that may: %s", o.raw)
	}
	if o := weak.use("create_chatflow", map[string]any{"name": "x", "flow_data": `{"nodes":[],"edges":[]}`}); o.err.Type != "AuthenticationError" || o.err.Details["permission"] != "chatflows:create" {
		t.Errorf("creating with a key that may not: %s", o.raw)
	}
}

// What no server says is made here: a port that nobody listens at, an answer that never comes, one that is a page, and one that
// holds an error though its status is 200.
func TestServersThatDoNotAnswerAreSaidSo(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + listener.Addr().String()
	listener.Close()
	a := hire(t, nobody, flowise.Key)
	if o := a.use("list_chatflows", map[string]any{}); o.err.Type != "ConnectionError" || !strings.HasPrefix(o.err.Message, "Flowise API unreachable: ") {
		t.Errorf("a port that nobody listens at: %s", o.raw)
	}

	gone := make(chan struct{})
	s := &flowise.Server{Before: func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.Contains(r.URL.Path, "/prediction/"):
			<-gone
			return true
		case strings.HasSuffix(r.URL.Path, "/credentials"):
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"error":"the model is asleep"}`)
			return true
		}
		return false
	}}
	id := s.Add("Echo", "AGENTFLOW", flowise.Echo)
	server := httptest.NewServer(s)
	defer server.Close()
	defer close(gone)
	a = hire(t, server.URL, flowise.Key, "--request-timeout", "2s")
	a.use("deploy_chatflow", map[string]any{"chatflow_id": id, "deployed": true})
	if o := a.use("run_prediction", map[string]any{"chatflow_id": id, "question": "Hello?"}); o.err.Type != "TimeoutError" {
		t.Errorf("an answer that never comes: %s", o.raw)
	}
	if o := a.use("generate_agentflow_v2", map[string]any{"description": "An agent that greets"}); o.err.Type != "UnexpectedError" || o.err.Message != "the model is asleep" {
		t.Errorf("200 with an error inside: %s", o.raw)
	}
	a = hire(t, server.URL+"/chat", flowise.Key)
	if o := a.use("list_chatflows", map[string]any{}); o.err.Type != "UnexpectedError" || !strings.Contains(o.err.Message, "a web page, not with the API: FLOWISE_API_URL is its address as in a browser") {
		t.Errorf("an address with too much: %s", o.raw)
	}
	for _, address := range []string{"/", "/api/v1", "/api/v1/"} {
		a = hire(t, server.URL+address, flowise.Key)
		if o := a.use("list_chatflows", map[string]any{}); o.err.Type != "" || !strings.Contains(o.text, id) {
			t.Errorf("an address with %s: %s", address, o.raw)
		}
	}
}

func TestTheListOfManyFlowsIsShort(t *testing.T) {
	s := &flowise.Server{}
	for name, text := range flowise.Flows() {
		typ, name, _ := strings.Cut(name, "/")
		s.Add(name, typ, text)
	}
	o := recordedAgency(t, s).use("list_chatflows", map[string]any{})
	var list []any
	if err := json.Unmarshal(o.value, &list); err != nil || len(list) != 37 {
		t.Errorf("%d flows: %v", len(list), err)
	}
	if len(o.text) > 8<<10 || len(o.value)+len(`{"result":}`) > 8<<10 {
		t.Errorf("the text has %d bytes, the structure %d", len(o.text), len(o.value))
	}
	t.Logf("37 flows: %d bytes", len(o.text))
}

// Ten calls are at the server at once: it answers none before all are there.
func TestTenCallsOfFlowiseWaitForNoOther(t *testing.T) {
	var all sync.WaitGroup
	all.Add(10)
	s := &flowise.Server{Before: func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/chatflows/") {
			all.Done()
			all.Wait()
		}
		return false
	}}
	var ids []string
	for i := range 10 {
		ids = append(ids, s.Add(fmt.Sprint("Flow ", i), "AGENTFLOW", flowise.Echo))
	}
	a := recordedAgency(t, s)
	var calls []int
	for _, id := range ids {
		calls = append(calls, a.send("get_chatflow", map[string]any{"chatflow_id": id}))
	}
	for i, call := range calls {
		if o := a.came("get_chatflow", a.wait(call)); o.field("name") != fmt.Sprint("Flow ", i) {
			t.Errorf("call %d: %s", i, o.raw)
		}
	}
}

// A server that gives the key back gives it to nobody: not in replies, the log, or the journal, plain or encoded.
func TestTheKeyOfFlowiseStandsNowhere(t *testing.T) {
	s := &flowise.Server{Before: func(w http.ResponseWriter, r *http.Request) bool {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case r.Method == "PUT":
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, `{"message":"what does %s want? %s"}`, key, base64.StdEncoding.EncodeToString([]byte(key)))
			return true
		case strings.HasSuffix(r.URL.Path, flowise.Nobody):
			w.Header().Set("Content-Type", "application/json")
			text, _ := json.Marshal(strings.Replace(flowise.Echo, "You said", key, 1))
			fmt.Fprintf(w, `{"id":%q,"name":%q,"type":"AGENTFLOW","deployed":true,"flowData":%s,"createdDate":"2026-11-22T15:00:00.000Z","updatedDate":"2026-11-22T15:00:00.000Z"}`, flowise.Nobody, "Flow of "+key, text)
			return true
		}
		return false
	}}
	a := recordedAgency(t, s)
	id := map[string]any{"chatflow_id": flowise.Nobody, "deployed": true}
	var said []string
	for _, tool := range []string{"get_chatflow", "deploy_chatflow"} {
		said = append(said, string(a.wait(a.send(tool, id)).raw))
	}
	said = append(said, a.session("flowise", "open flow:"+flowise.Nobody), a.must("flowise_query", map[string]any{"q": "describe Reply"}))
	said = append(said, a.must("flowise", map[string]any{"ops": []string{"modify Reply label:New"}}))
	said = append(said, a.wait(a.send("flowise_session", map[string]any{"action": "save"})).text, a.wait(a.send("flowise_session", map[string]any{"action": "deploy"})).text)
	said = append(said, a.leave())
	kept := 0
	err := filepath.WalkDir(a.dir+"-journal", func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		said, kept = append(said, string(data)), kept+len(data)
		return err
	})
	if err != nil || kept == 0 {
		t.Fatalf("the journal has %d bytes: %v", kept, err)
	}
	for i, text := range said {
		for _, secret := range []string{flowise.Key, base64.StdEncoding.EncodeToString([]byte(flowise.Key))} {
			if strings.Contains(text, secret) {
				t.Errorf("text %d has the key: %.600q", i, text)
			}
		}
	}
	if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "modify") || strings.Contains(s, "New") }) {
		t.Error("nothing was said")
	}
}

// say is a call of one of the domain's four tools, which has to succeed with this in its reply.
func (a *agency) say(tool, text, want string) string {
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

// refuses is a session action that has to fail so.
func (a *agency) refuses(action string, wants ...string) {
	a.t.Helper()
	got := a.wait(a.send("flowise_session", map[string]any{"action": action}))
	for _, want := range wants {
		if !got.failed || !strings.Contains(got.text, want) {
			a.t.Errorf("%s: %s\nwant a refusal with %q", action, got.text, want)
		}
	}
}

// fromNothing makes a flow by ops only, puts it on the server, and asks it.
func fromNothing(a *agency) {
	a.t.Helper()
	a.say("flowise_session", `new "Greeter" type:AGENTFLOW`, "+ new flowise document")
	a.say("flowise", "add node startAgentflow\nadd node directReplyAgentflow id:reply directReplyMessage:\"You said: {{ question }}\"\nconnect Start -> reply\nlayout", "~ startAgentflow_0 -> reply")
	a.say("flowise_query", "validate", "nothing found")
	a.refuses(`run "Hello?"`, "save as:flow:NAME")
	a.say("flowise_session", "save as:flow:Greeter", "a new AGENTFLOW called Greeter, which is not deployed")
	a.say("flowise_session", `run "Hello?"`, "@ You said: Hello?")
	a.say("flowise_session", `run "Again?" session:s-1`, "session s-1")
	a.say("flowise_query", "runs", "FINISHED session s-1")
	a.say("flowise_session", "deploy", "undo does not reverse that, undeploy does")
	a.say("flowise_query", "validate", "answers anybody who knows its id")
	a.say("flowise_session", "undeploy", "is no longer deployed")
}

func TestAFlowIsMadeSavedAndAskedByOpsAlone(t *testing.T) {
	a := recordedAgency(t, &flowise.Server{Credential: "22222222-2222-4222-8222-222222222222"})
	fromNothing(a)
	a.say("flowise", "modify reply directReplyMessage:\"Indeed: {{ question }}\"", "* reply")
	if got := a.say("flowise_session", `run "Hello?"`, "@ You said: Hello?"); !strings.Contains(got, "? the server ran its own copy") {
		t.Errorf("what is not saved yet was run: %s", got)
	}
	a.say("flowise_session", "save", "stored flow:")
	a.say("flowise_session", `run "Hello?"`, "@ Indeed: Hello?")
	a.say("flowise_session", "undo", "? undone here alone: flow:")
	a.say("flowise_session", `run "Hello?"`, "@ Indeed: Hello?") // what was saved stays
	a.say("flowise_session", `new "Generated" type:AGENTFLOW`, "")
	a.refuses(`generate "Greet whoever writes" model:chatAnthropic`, "no credential for a chat model chatAnthropic")
	a.say("flowise_session", `generate "Greet whoever writes" model:chatOpenAI`, "@ generated 2 nodes and 1 edge")
	a.say("flowise_query", "map", `directReplyAgentflow_0(directReplyAgentflow) "Greet"`)
	a.say("flowise_session", "undo", "[AGENTFLOW 0n 0e")
	a.say("flowise_session", `generate "Greet whoever writes" as:flow:Generated`, "\n* stored flow:")
	a.refuses(`generate "Greet whoever writes" as:flow:Generated`, "the document already has nodes")
	a.say("flowise_session", `new "Generated to a file" type:AGENTFLOW`, "")
	a.refuses(`generate "Greet whoever writes" as:../outside.json`, "@ generated 2 nodes and 1 edge", "then \"save as:\\\"../outside.json\\\"\": cannot save: ")
	a.say("flowise_session", "undo", "[AGENTFLOW 0n 0e")
	a.say("flowise_session", `generate "Greet whoever writes" as:./made.json`, "* saved made.json")
	if got := a.file(a.dir, "made.json"); !strings.Contains(got, "directReplyAgentflow_0") {
		t.Errorf("saved %s", got)
	}
	os.Remove(filepath.Join(a.dir, "made.json"))
	a.refuses("open flow:Greetr", "nearest: Greeter", "open flow:Greeter")
	if got := a.wait(a.send("flowise", map[string]any{"ops": []string{"add node directReplyAgentflo"}})); !got.failed || !strings.Contains(got.text, "the server has no type directReplyAgentflo\n  try: add node directReplyAgentflow") {
		t.Errorf("a type that is not there: %s", got.text)
	}
	a.unharmed()
}

// Which model generates flows is the user's setting, which the plugin is told; a secret is not told even where it is set as one.
func TestTheModelThatGeneratesIsASetting(t *testing.T) {
	var sent atomic.Value
	s := &flowise.Server{Credential: "22222222-2222-4222-8222-222222222222", Before: func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/generate") {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			sent.Store(string(body))
		}
		return false
	}}
	ask := map[string]any{"description": "An agent that greets whoever writes"}
	models := map[string]string{
		"":                     `"selectedChatModel":{"name":"chatOpenAI","inputs":{`,
		"chatopenai":           `"modelName":"gpt-4o-mini"`,
		"chatOpenAI/gpt-9":     `"modelName":"gpt-9"`,
		"chatOllama/llama":     `"selectedChatModel":{"name":"chatOllama","inputs":{`, // which needs no credential
		"chatAnthropic":        "no credential for a chat model chatAnthropic",
		"nobody":               "the server has no chat model nobody",
		flowise.Key + "-" + "": "the server has no chat model •••-",
	}
	for _, setting := range soak.Some(t, slices.Sorted(maps.Keys(models)), 4) {
		want := models[setting]
		t.Setenv("FLOWISE_CHAT_MODEL", setting)
		sent.Store("")
		a := recordedAgency(t, s)
		o := a.use("generate_agentflow_v2", ask)
		if got := sent.Load().(string) + o.text; !strings.Contains(got, want) || strings.Contains(got, flowise.Key) {
			t.Errorf("%q: %.2000s, want %s", setting, got, want)
		}
	}
	t.Setenv("FLOWISE_CHAT_MODEL", "nobody")
	a := recordedAgency(t, s)
	a.say("flowise_session", `new "Generated" type:AGENTFLOW`, "")
	a.refuses(`generate "Greet whoever writes"`, "the server has no chat model nobody")
	a.say("flowise_session", `generate "Greet whoever writes" model:chatOpenAI/gpt-9`, "@ generated 2 nodes and 1 edge")
}

// Two who edit one flow: the second to save is refused, and decides.
func TestASaveOverWhatOthersSavedIsRefused(t *testing.T) {
	s := &flowise.Server{}
	id := s.Add("Support", "AGENTFLOW", flowise.Echo)
	a := recordedAgency(t, s)
	a.say("flowise_session", "open flow:Support", "flow:"+id)
	a.say("flowise", "modify Reply label:Mine", "* directReplyAgentflow_0 label:Mine")
	s.Change(id, strings.Replace(flowise.Echo, "You said", "They said", 1))
	a.refuses("save", "was changed by somebody else", "try: flowise_query diff", "save force", "pull force")
	a.say("flowise_query", "diff", "directReplyAgentflow_0(directReplyAgentflow) \"Mine\" label: here \"Mine\", there \"Reply\"\ndirectReplyAgentflow_0(directReplyAgentflow) \"Mine\" directReplyMessage: here \"You said: {{ question }}\", there \"They said: {{ question }}\"")
	if !strings.Contains(s.FlowData(id), "They said") {
		t.Error("what others saved is gone")
	}
	a.say("flowise_query", "validate", "the server has another state of this flow than this document")
	a.say("flowise_session", "pull force", "pulled flow:")
	a.say("flowise_query", "describe Reply", "They said")
	a.say("flowise", "modify Reply label:Mine", "* directReplyAgentflow_0 label:Mine")
	a.say("flowise_session", "save", "stored flow:")
	a.say("flowise_query", "diff", "nothing differs: the server has this document")
	s.Change(id, flowise.Echo)
	a.say("flowise", "modify Mine label:Ours", "* directReplyAgentflow_0 label:Ours")
	a.say("flowise_session", "save force", "stored flow:")
	if got := s.FlowData(id); !strings.Contains(got, `"label": "Ours"`) || !strings.Contains(got, "They said") {
		t.Errorf("saved: %s", got)
	}
	a.say("flowise_session", "save as:./copy.json", "a copy")
	if got := a.file(a.dir, "copy.json"); got != s.FlowData(id) {
		t.Errorf("the copy is %s", got)
	}
}

func TestWithoutAGrantFlowsAreEditedAndSaidWhatIsMissing(t *testing.T) {
	a := &agency{arena: enter(t, "--plugin", testwasm.Build(t, "plugins/flowise"), "--tools", "flowise")}
	put(t, a.dir, "echo.json", flowise.Echo)
	a.say("flowise_session", "open ./echo.json", "AGENTFLOW 2n 1e")
	a.say("flowise", "modify Reply label:New\ncopy New as:other\nlayout", "@ layout LR")
	a.say("flowise_query", "validate", "(as Flowise 3.1.2 has it; a server is asked with the grant http:api)")
	a.say("flowise_query", "types memory", "bufferMemory: ")
	a.say("flowise_query", "type llmAgentflow", "(as Flowise 3.1.2 has it; a server is asked with the grant http:api)")
	a.say("flowise_session", `new "Local" type:AGENTFLOW`, "")
	a.say("flowise", "add node startAgentflow\nadd node directReplyAgentflow id:reply directReplyMessage:Hello\nconnect Start -> reply", "[AGENTFLOW 2n 1e]")
	a.refuses("open flow:Support", "--grant flowise=http:api")
	a.refuses("deploy", "--grant flowise=http:api")
	if got := a.wait(a.send("list_chatflows", map[string]any{})); !got.failed || !strings.Contains(got.text, "--grant flowise=http:api") {
		t.Errorf("a typed tool: %s", got.text)
	}
	a.say("flowise", "add node llmAgentflow", "+ llmAgentflow_0(llmAgentflow) \"LLM\", as Flowise 3.1.2 has it; to be given: llmModel\n")
	if got := a.wait(a.send("flowise", map[string]any{"ops": []string{"add node llmAgentflo"}})); !got.failed || !strings.Contains(got.text, "Flowise 3.1.2 has no type llmAgentflo; asking a server needs the grant http:api\n  try: add node llmAgentflow") {
		t.Errorf("a node: %s", got.text)
	}
}

// Flows that Flowise ships are pushed with a node more, and it takes them.
func TestJudgeFlowiseTakesWhatWasEdited(t *testing.T) {
	r := judge.Flowise(t)
	a := hire(t, r.URL, r.Keys["full"])
	flows := flowise.Flows()
	for name, text := range flows {
		typ, short, _ := strings.Cut(name, "/")
		made := a.use("create_chatflow", map[string]any{"name": short, "type": typ, "flow_data": text})
		if made.err.Type != "" {
			t.Errorf("%s: %s", name, made.text)
			continue
		}
		a.say("flowise_session", "open flow:"+made.field("id"), typ)
		ops, want := "add node directReplyAgentflow id:added directReplyMessage:Hello\nconnect Start -> added", "~ startAgentflow_0 -> added"
		if typ == "CHATFLOW" {
			ops, want = "add node chatOpenAI id:added\nadd node conversationChain id:chain\nconnect added -> chain", "~ added -> chain.model"
		}
		a.say("flowise", ops, want)
		a.say("flowise_session", "save", "stored flow:"+made.field("id"))
		now := a.use("get_chatflow", map[string]any{"chatflow_id": made.field("id")})
		if got := now.field("flowData"); !strings.Contains(got, `"added"`) || len(got) <= len(text) {
			t.Errorf("%s: the server has %d bytes, and had %d", name, len(got), len(text))
		}
		a.say("flowise_session", "close force", "")
	}
	fromNothing(a)
}

// What ops make of conditions and iterations runs as they say.
func TestJudgeFlowiseRunsConditionsAndIterations(t *testing.T) {
	r := judge.Flowise(t)
	a := hire(t, r.URL+"/api/v1/", r.Keys["full"])
	a.say("flowise_session", `new "Support" type:AGENTFLOW`, "")
	a.say("flowise", `add node startAgentflow
add node conditionAgentflow id:which conditions:'[{"type":"string","value1":"{{ question }}","operation":"contains","value2":"refund"},{"type":"string","value1":"{{ question }}","operation":"contains","value2":"list"}]'
add node directReplyAgentflow id:refund directReplyMessage:"Within 14 days."
add node iterationAgentflow id:each iterationInput:'["a","b"]'
add node customFunctionAgentflow id:twice in:each customFunctionJavascriptFunction:"return 'twice'"
add node directReplyAgentflow id:list directReplyMessage:"Listed: {{ each }}"
add node directReplyAgentflow id:other directReplyMessage:Pardon?
connect Start -> which
connect which.0 -> refund
connect which.1 -> each
connect which.else -> other
connect each -> list
note "Two questions are understood" near:which
layout`, "~ which.else -> other")
	a.say("flowise_query", "validate", "nothing found")
	a.say("flowise_session", "save as:flow:Support", "a new AGENTFLOW called Support")
	a.say("flowise_session", `run "A refund"`, "@ Within 14 days.\n")
	a.say("flowise_session", `run "The list"`, "ran startAgentflow_0 -> which -> twice -> twice -> each -> list")
	a.say("flowise_session", `run "Hello"`, "@ Pardon?\n")
	a.say("flowise", "modify refund directReplyMessage:Never.", "*unpushed]")
	a.say("flowise_query", "diff", `directReplyMessage: here "Never.", there "Within 14 days."`)
	a.say("flowise_query", "flows supp", "Support AGENTFLOW, changed 20")
	a.say("flowise_query", "credentials", " openAIApi ")
	a.say("flowise_session", `new "Made" type:AGENTFLOW`, "")
	a.say("flowise_session", `generate "Greet whoever writes" as:flow:Made`, "a new AGENTFLOW called Made")
}

func TestJudgeFlowiseAnswersByTheContract(t *testing.T) {
	r := judge.Flowise(t)
	a := hire(t, r.URL, r.Keys["full"])
	t.Run("lifecycle", func(t *testing.T) { lifecycle(t, a) })
	t.Run("errors", func(t *testing.T) { refusals(t, a, askedOnce(t, r.URL, r.Keys["full"])) })
	wrong := hire(t, r.URL, r.Keys["wrong"])
	if o := wrong.use("list_chatflows", map[string]any{}); o.err.Type != "AuthenticationError" {
		t.Errorf("with a wrong key: %s", o.raw)
	}
	weak := hire(t, r.URL, r.Keys["weak"])
	if o := weak.use("create_chatflow", map[string]any{"name": "x", "flow_data": `{"nodes":[],"edges":[]}`}); o.err.Type != "AuthenticationError" || o.err.Details["permission"] != "chatflows:create" {
		t.Errorf("with a key that may not: %s", o.raw)
	}
}

func TestTheCardOfFlowiseIsWholeAndShort(t *testing.T) {
	a := recordedAgency(t, &flowise.Server{})
	card := a.must("flowise_help", map[string]any{})
	for _, want := range []string{"add node TYPE [id: label: in: near: dir: at: INPUT:VALUE…]", "connect A[.OUT] -> B[.IN] [label:]", "@missing-input", "validate", "run \"QUESTION\"", "Undo is local"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card lacks %q", want)
		}
	}
	if n := len([]rune(card)); n > 8000 {
		t.Errorf("the card has %d characters", n)
	}
}
