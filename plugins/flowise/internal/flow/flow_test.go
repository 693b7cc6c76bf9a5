package flow

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// world returns a world with a recorded server, and adds the API key to requests as a
// host does.
func world(s *flowise.Server) *pdktest.World {
	return &pdktest.World{HTTP: map[string]http.Handler{"api": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+flowise.Key)
		s.ServeHTTP(w, r)
	})}}
}

// bot makes a document that answers "You said: …".
func bot(t testing.TB, in ...*pdktest.World) *pdktest.Doc {
	t.Helper()
	return pdktest.Open(t, Domain(), "echo.json", []byte(flowise.Echo), in...)
}

// eachShippedFlow runs a subtest for each flow that Flowise ships, sorted by name.
func eachShippedFlow(t *testing.T, each func(t *testing.T, name, text string)) {
	t.Helper()
	flows := flowise.Flows()
	names := make([]string, 0, len(flows))
	for name := range flows {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) { each(t, name, flows[name]) })
	}
}

// A shipped flow opens and saves unchanged. Adding and connecting a node changes
// nothing else, and undo reverses it.
func TestShippedFlowsOpenSaveAndUndoUnchanged(t *testing.T) {
	w := world(&flowise.Server{})
	eachShippedFlow(t, func(t *testing.T, name, text string) {
		doc := pdktest.Open(t, Domain(), "flow.json", []byte(text), w)
		if got := string(doc.Save()); got != text {
			t.Fatal("a flow that nothing was done to is saved differently")
		}
		typ, _, _ := strings.Cut(name, "/")
		if !strings.HasPrefix(doc.Digest(), typ+" ") && !strings.HasPrefix(doc.Digest(), "MULTIAGENT ") {
			t.Errorf("it is a %s", doc.Digest())
		}
		ops := []string{"add node bufferMemory id:added_0 memoryKey:talk", `note "A note" id:added_1`}
		if typ == "AGENTFLOW" {
			ops = []string{"add node directReplyAgentflow id:added_0 directReplyMessage:Hello", "connect startAgentflow_0 -> added_0"}
		}
		doc.Do(ops...)
		changed := string(doc.Save())
		// All of the old text must be there: the new text is the old one with
		// insertions.
		rest := changed
		for line := range strings.Lines(text) {
			at := strings.Index(rest, strings.TrimRight(line, "\r\n"))
			if at < 0 {
				t.Fatalf("the line is gone or moved: %s", line)
			}
			rest = rest[at+len(strings.TrimRight(line, "\r\n")):]
		}
		if !strings.Contains(changed, "\r\n") || strings.Count(changed, "\n") != strings.Count(changed, "\r\n") {
			t.Error("lines end in several ways")
		}
		doc.Do("layout", "modify added_0 label:Renamed", "remove added_0")
		doc.Undo(len(ops) + 3)
		if got := string(doc.Save()); got != text {
			t.Error("undo does not lead back to the bytes")
		}
		for _, q := range []string{"map", "graph", "stats", "validate", "list @orphan", "list @missing-input", "find a", "preview"} {
			if got := doc.Query(q); got == "" {
				t.Errorf("%s says nothing", q)
			}
		}
	})
}

// A new node must equal the node that Flowise's canvas makes of the same type, as far
// as shipped flows show.
func TestNodesAreBuiltAsFlowiseBuildsThem(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"T" type:AGENTFLOW`, world(&flowise.Server{}))
	doc.Do("add node startAgentflow", "add node conditionAgentflow", "add node directReplyAgentflow", "add node iterationAgentflow")
	var f struct {
		Nodes []struct {
			ID, Type string
			Data     struct {
				ID, Label, Name, Type      string
				InputParams, OutputAnchors []map[string]any
				InputAnchors               []any
				Inputs                     map[string]any
			}
		}
	}
	if err := json.Unmarshal(doc.Save(), &f); err != nil {
		t.Fatal(err)
	}
	start, condition, reply, iteration := f.Nodes[0], f.Nodes[1], f.Nodes[2], f.Nodes[3]
	if start.ID != "startAgentflow_0" || start.Type != "agentFlow" || start.Data.ID != start.ID || start.Data.Inputs["startInputType"] != "chatInput" || start.Data.OutputAnchors[0]["id"] != "startAgentflow_0-output-startAgentflow" {
		t.Errorf("start is %+v", start)
	}
	if p := start.Data.InputParams; p[0]["id"] != "startAgentflow_0-input-startInputType-options" || p[0]["display"] != true || p[1]["name"] != "formTitle" || p[1]["display"] != false {
		t.Errorf("its parameters are %v", p)
	}
	if o := condition.Data.OutputAnchors; len(o) != 2 || o[1]["id"] != "conditionAgentflow_0-output-1" {
		t.Errorf("a condition has the outputs %v", o)
	}
	if len(reply.Data.OutputAnchors) != 0 || len(reply.Data.InputAnchors) != 0 || iteration.Type != "iteration" {
		t.Errorf("a reply has the outputs %v, and an iteration is %s", reply.Data.OutputAnchors, iteration.Type)
	}
	chat := pdktest.New(t, Domain(), `"T"`, world(&flowise.Server{}))
	chat.Do("add node chatOpenAI id:model modelName:gpt-4o temperature:0.2", "add node conversationChain", "add node bufferMemory", "connect model -> conversationChain_0", "connect bufferMemory_0 -> conversationChain_0.memory")
	text := string(chat.Save())
	for _, want := range []string{`"id": "model-output-chatOpenAI-ChatOpenAI|BaseChatOpenAI|BaseChatModel|BaseLanguageModel|Runnable"`, `"temperature": 0.2`, `"model": "{{model.data.instance}}"`, `"memory": "{{bufferMemory_0.data.instance}}"`, `"type": "buttonedge"`,
		`"targetHandle": "conversationChain_0-input-model-BaseChatModel"`, `"id": "model-input-credential-credential"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if got, want := chat.Query("list @missing-input"), "1 node\n  model(chatOpenAI) \"OpenAI\""; !strings.HasPrefix(got, want) {
		t.Errorf("what is missing: %s", got)
	}
	chat.Do("modify model credential:0f3c")
	if got := chat.Query("list @missing-input"); got != "0 nodes" {
		t.Errorf("what is missing: %s", got)
	}
}

// A list too large for one response is fetched in smaller pages.
func TestManyLargeFlowsAreListedByPages(t *testing.T) {
	s := &flowise.Server{}
	for i := range 40 {
		s.Add(fmt.Sprint("Flow ", i), "AGENTFLOW", flowise.Echo)
	}
	w := world(s)
	w.Fail = func(r *abi.Request) *abi.Failure {
		if slices.Contains(r.HTTP.Query, abi.KeyValue{Key: "limit", Value: "64"}) {
			return &abi.Failure{Kind: abi.FailedTooLarge, Message: "too large"}
		}
		return nil
	}
	got, err := pdktest.Tool(t, Domain(), "list_chatflows", "{}", w)
	var list []struct{ Name string }
	if err != nil || json.Unmarshal([]byte(got), &list) != nil || len(list) != 40 || list[0].Name != "Flow 39" || list[39].Name != "Flow 0" {
		t.Errorf("%d flows: %v %.300s", len(list), err, got)
	}
	if len(w.Asked) != 4 {
		t.Errorf("asked %d times", len(w.Asked))
	}
}

// The user's setting names the generating model if the op does not.
func TestTheUsersSettingNamesTheModel(t *testing.T) {
	w := world(&flowise.Server{Credential: "22222222-2222-4222-8222-222222222222"})
	w.Settings = map[string]string{"FLOWISE_CHAT_MODEL": "chatOpenAI/gpt-9"}
	asked := func() string { return string(w.Asked[len(w.Asked)-1].HTTP.Body) }
	if _, err := pdktest.Tool(t, Domain(), "generate_agentflow_v2", `{"description":"An agent that greets"}`, w); err != nil || !strings.Contains(asked(), `"modelName":"gpt-9"`) {
		t.Errorf("a tool asks %s %v", asked(), err)
	}
	pdktest.New(t, Domain(), `"T" type:AGENTFLOW`, w).Session(`generate "An agent that greets" model:chatOpenAI/gpt-8`, nil)
	if !strings.Contains(asked(), `"modelName":"gpt-8"`) {
		t.Errorf("an action asks %s", asked())
	}
}
