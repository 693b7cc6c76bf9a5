package command

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
)

// lifecycle uses each of the eight tools once for its purpose.
func lifecycle(t *testing.T, a *flowiseHost) {
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
	a := startFakeFlowise(t, &flowise.Server{Credential: "22222222-2222-4222-8222-222222222222"})
	lifecycle(t, a)
	a.checkUnharmed()
}

// refusals provokes each error that a server reports and each that the plugin finds before it asks the server. limited is
// the id of a flow with a rate limit of one request.
func refusals(t *testing.T, a *flowiseHost, limited string) {
	t.Helper()
	large := `{"nodes":[],"edges":[],"x":"` + strings.Repeat("x", 1<<20) + `"}`
	id := map[string]any{"chatflow_id": flowise.Nobody}
	for _, c := range []struct {
		tool  string
		args  map[string]any
		typ   string
		wants string // in the error text
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

// newRateLimitedFlow creates a flow with a rate limit of one request. No tool of the contract can do that, so it calls the
// server's API.
func newRateLimitedFlow(t *testing.T, url, key string) string {
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
	id := newRateLimitedFlow(t, server.URL, flowise.Key)
	a := startFlowise(t, server.URL, flowise.Key)
	refusals(t, a, id)
	if o := a.use("generate_agentflow_v2", map[string]any{"description": "An agent that greets"}); o.err.Type != "ValidationError" || !strings.Contains(o.err.Message, "no credential for a chat model") {
		t.Errorf("generating without a model: %s", o.text)
	}
	a.checkUnharmed()
}

func TestRejectedFlowiseKeysAreReported(t *testing.T) {
	server := httptest.NewServer(&flowise.Server{})
	defer server.Close()
	wrong := startFlowise(t, server.URL, "no-key-of-this-server")
	for _, tool := range []string{"list_chatflows", "generate_agentflow_v2"} {
		if o := wrong.use(tool, map[string]any{"description": "An agent that greets"}); tool != "list_chatflows" && o.err.Type != "AuthenticationError" || tool == "list_chatflows" && o.err.Type != "AuthenticationError" {
			t.Errorf("%s with a wrong key: %s", tool, o.raw)
		}
	}
	none := startFlowise(t, server.URL, "") // sends no Authorization header
	if o := none.use("list_chatflows", map[string]any{}); o.err.Type != "AuthenticationError" || !strings.Contains(o.err.Message, "Unauthorized Access") {
		t.Errorf("without a key: %s", o.raw)
	}
	weak := startFlowise(t, server.URL, flowise.WeakKey)
	if o := weak.use("list_chatflows", map[string]any{}); o.err.Type != "" {
		t.Errorf("listing with a key that may: %s", o.raw)
	}
	if o := weak.use("create_chatflow", map[string]any{"name": "x", "flow_data": `{"nodes":[],"edges":[]}`}); o.err.Type != "AuthenticationError" || o.err.Details["permission"] != "chatflows:create" {
		t.Errorf("creating with a key that may not: %s", o.raw)
	}
}

// Four failures: a port where nobody listens, an answer that never comes, an HTML page, and status 200 with an error in the
// body.
func TestUnreachableFlowiseServersAreReported(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + listener.Addr().String()
	listener.Close()
	a := startFlowise(t, nobody, flowise.Key)
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
	a = startFlowise(t, server.URL, flowise.Key, "--request-timeout", "2s")
	a.use("deploy_chatflow", map[string]any{"chatflow_id": id, "deployed": true})
	if o := a.use("run_prediction", map[string]any{"chatflow_id": id, "question": "Hello?"}); o.err.Type != "TimeoutError" {
		t.Errorf("an answer that never comes: %s", o.raw)
	}
	if o := a.use("generate_agentflow_v2", map[string]any{"description": "An agent that greets"}); o.err.Type != "UnexpectedError" || o.err.Message != "the model is asleep" {
		t.Errorf("200 with an error inside: %s", o.raw)
	}
	a = startFlowise(t, server.URL+"/chat", flowise.Key)
	if o := a.use("list_chatflows", map[string]any{}); o.err.Type != "UnexpectedError" || !strings.Contains(o.err.Message, "a web page, not with the API: FLOWISE_API_URL is its address as in a browser") {
		t.Errorf("an address with too much: %s", o.raw)
	}
	for _, address := range []string{"/", "/api/v1", "/api/v1/"} {
		a = startFlowise(t, server.URL+address, flowise.Key)
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
	o := startFakeFlowise(t, s).use("list_chatflows", map[string]any{})
	var list []any
	if err := json.Unmarshal(o.value, &list); err != nil || len(list) != 37 {
		t.Errorf("%d flows: %v", len(list), err)
	}
	if len(o.text) > 8<<10 || len(o.value)+len(`{"result":}`) > 8<<10 {
		t.Errorf("the text has %d bytes, the structure %d", len(o.text), len(o.value))
	}
	t.Logf("37 flows: %d bytes", len(o.text))
}

// The server answers no call before it has received all ten.
func TestTenFlowiseCallsRunAtOnce(t *testing.T) {
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
	a := startFakeFlowise(t, s)
	var calls []int
	for _, id := range ids {
		calls = append(calls, a.send("get_chatflow", map[string]any{"chatflow_id": id}))
	}
	for i, call := range calls {
		if o := a.outcomeOf("get_chatflow", a.wait(call)); o.field("name") != fmt.Sprint("Flow ", i) {
			t.Errorf("call %d: %s", i, o.raw)
		}
	}
}
