package command

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// If the server repeats the key, it appears nowhere: not in replies, the log or the journal, plain or encoded.
func TestTheFlowiseKeyAppearsNowhere(t *testing.T) {
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
	a := startFakeFlowise(t, s)
	id := map[string]any{"chatflow_id": flowise.Nobody, "deployed": true}
	var said []string
	for _, tool := range []string{"get_chatflow", "deploy_chatflow"} {
		said = append(said, string(a.wait(a.send(tool, id)).raw))
	}
	said = append(said, a.session("flowise", "open flow:"+flowise.Nobody), a.must("flowise_query", map[string]any{"q": "describe Reply"}))
	said = append(said, a.must("flowise", map[string]any{"ops": []string{"modify Reply label:New"}}))
	said = append(said, a.wait(a.send("flowise_session", map[string]any{"action": "save"})).text, a.wait(a.send("flowise_session", map[string]any{"action": "deploy"})).text)
	said = append(said, a.stop())
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

// fromNothing creates a flow with ops only, saves it on the server, and runs it.
func fromNothing(a *flowiseHost) {
	a.t.Helper()
	a.say("flowise_session", `new "Greeter" type:AGENTFLOW`, "+ new flowise document")
	a.say("flowise", "add node startAgentflow\nadd node directReplyAgentflow id:reply directReplyMessage:\"You said: {{ question }}\"\nconnect Start -> reply\nlayout", "~ startAgentflow_0 -> reply")
	a.say("flowise_query", "validate", "nothing found")
	a.refuses(`run "Hello?"`, "save as:flow:NAME")
	a.say("flowise_session", "save as:flow:Greeter", "a new AGENTFLOW called Greeter, which is not deployed")
	a.say("flowise_session", `run "Hello?"`, "@ flowise| You said: Hello?")
	a.say("flowise_session", `run "Again?" session:s-1`, "session s-1")
	a.say("flowise_query", "runs", "FINISHED session s-1")
	a.say("flowise_session", "deploy", "undo does not reverse that, undeploy does")
	a.say("flowise_query", "validate", "answers anybody who knows its id")
	a.say("flowise_session", "undeploy", "is no longer deployed")
}

func TestAFlowIsMadeSavedAndRunByOpsAlone(t *testing.T) {
	a := startFakeFlowise(t, &flowise.Server{Credential: "22222222-2222-4222-8222-222222222222"})
	fromNothing(a)
	a.say("flowise", "modify reply directReplyMessage:\"Indeed: {{ question }}\"", "* reply")
	if got := a.say("flowise_session", `run "Hello?"`, "@ flowise| You said: Hello?"); !strings.Contains(got, "? flowise| the server ran its own copy") {
		t.Errorf("what is not saved yet was run: %s", got)
	}
	a.say("flowise_session", "save", "stored flow:")
	a.say("flowise_session", `run "Hello?"`, "@ flowise| Indeed: Hello?")
	a.say("flowise_session", "undo", "? undone only here: flow:")
	a.say("flowise_session", `run "Hello?"`, "@ flowise| Indeed: Hello?") // undo does not change the saved flow
	a.say("flowise_session", `new "Generated" type:AGENTFLOW`, "")
	a.refuses(`generate "Greet whoever writes" model:chatAnthropic`, "no credential for a chat model chatAnthropic")
	a.say("flowise_session", `generate "Greet whoever writes" model:chatOpenAI`, "@ flowise| generated 2 nodes and 1 edge")
	a.say("flowise_query", "map", `directReplyAgentflow_0(directReplyAgentflow) "Greet"`)
	a.say("flowise_session", "undo", "[AGENTFLOW 0n 0e")
	a.say("flowise_session", `generate "Greet whoever writes" as:flow:Generated`, "\n* stored flow:")
	a.refuses(`generate "Greet whoever writes" as:flow:Generated`, "the document already has nodes")
	a.say("flowise_session", `new "Generated to a file" type:AGENTFLOW`, "")
	a.refuses(`generate "Greet whoever writes" as:../outside.json`, "@ flowise| generated 2 nodes and 1 edge", "then \"save as:\\\"../outside.json\\\"\": cannot save: ")
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
	a.checkUnharmed()
}

// The user's setting chooses the model that generates flows. A secret given as that setting is not passed on.
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
		"chatOllama/llama":     `"selectedChatModel":{"name":"chatOllama","inputs":{`, // needs no credential
		"chatAnthropic":        "no credential for a chat model chatAnthropic",
		"nobody":               "the server has no chat model nobody",
		flowise.Key + "-" + "": "the server has no chat model •••-",
	}
	for _, setting := range soak.Some(t, slices.Sorted(maps.Keys(models)), 4) {
		want := models[setting]
		t.Setenv("FLOWISE_CHAT_MODEL", setting)
		sent.Store("")
		a := startFakeFlowise(t, s)
		o := a.use("generate_agentflow_v2", ask)
		if got := sent.Load().(string) + o.text; !strings.Contains(got, want) || strings.Contains(got, flowise.Key) {
			t.Errorf("%q: %.2000s, want %s", setting, got, want)
		}
	}
	t.Setenv("FLOWISE_CHAT_MODEL", "nobody")
	a := startFakeFlowise(t, s)
	a.say("flowise_session", `new "Generated" type:AGENTFLOW`, "")
	a.refuses(`generate "Greet whoever writes"`, "the server has no chat model nobody")
	a.say("flowise_session", `generate "Greet whoever writes" model:chatOpenAI/gpt-9`, "@ flowise| generated 2 nodes and 1 edge")
}

// Two clients edit one flow: the second save is refused, and its user decides.
func TestASaveOverWhatOthersSavedIsRefused(t *testing.T) {
	s := &flowise.Server{}
	id := s.Add("Support", "AGENTFLOW", flowise.Echo)
	a := startFakeFlowise(t, s)
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

func TestWithoutAGrantFlowsCanBeEditedAndTheMissingGrantIsNamed(t *testing.T) {
	a := &flowiseHost{arena: startArena(t, "--plugin", testwasm.Build(t, "plugins/flowise"), "--tools", "flowise")}
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

func TestTheCardOfFlowiseIsWholeAndShort(t *testing.T) {
	a := startFakeFlowise(t, &flowise.Server{})
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
