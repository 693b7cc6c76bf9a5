package flow

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestDiffListsWhatDiffersOnTheServer(t *testing.T) {
	s := &flowise.Server{}
	id := s.Add("Echo", "AGENTFLOW", flowise.Echo)
	doc := bot(t, world(s))
	doc.QueryFails("diff", "save as:flow:NAME")
	doc.Ref = "flow:" + id
	if got := doc.Query("diff"); got != "nothing differs: the server has this document" {
		t.Errorf("of the same: %s", got)
	}
	s.Change(id, strings.ReplaceAll(flowise.Echo, "\n", "\n "))
	if got := doc.Query("diff"); got != "nothing differs except white space or the order of unordered items" {
		t.Errorf("of the same with blanks: %s", got)
	}
	doc.Do("modify Reply label:Answer directReplyMessage:Mine at:7,8", "note Here", "disconnect Start -> Answer")
	for _, want := range []string{
		`"Answer" label: here "Answer", there "Reply"`, `directReplyMessage: here "Mine", there "You said: {{ question }}"`, "position: here ", "stickyNote_0() \"Sticky Note\" is only here",
		"the edge startAgentflow_0.startAgentflow -> directReplyAgentflow_0 is only on the server",
	} {
		if got := doc.Query("diff"); !strings.Contains(strings.ReplaceAll(got, "stickyNoteAgentflow", ""), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	s.Change(id, `{"nodes":[],"edges":[]}`)
	if got := doc.Query("diff"); !strings.Contains(got, `startAgentflow_0(startAgentflow) "Start" is only here`) {
		t.Errorf("of nothing: %s", got)
	}
	doc.Ref = "flow:" + flowise.Nobody
	if got := doc.Query("diff"); got != gone {
		t.Errorf("of what is gone: %s", got)
	}
}

func TestSelectorsSelect(t *testing.T) {
	doc := chat(t)
	doc.Do("add node inMemoryCache id:cache")
	for sel, want := range map[string]string{
		"@all": "model chain memory cache", "@node:m*": "model memory", `@node:"openai"`: "model", "@type:bufferMemory": "memory", `@category:"Chat Models"`: "model", "@category:chains": "chain", "@orphan": "cache",
		"@missing-input": "model", "@recent": "cache", "@not:orphan": "model chain memory", "@category:memory @not:node:x": "memory",
	} {
		var got []string
		for _, l := range strings.Split(doc.Query("list "+sel), "\n")[1:] {
			name, _, _ := strings.Cut(strings.TrimSpace(l), "(")
			got = append(got, name)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s selects %s, want %s", sel, s, want)
		}
	}
}

func TestQueriesAnswer(t *testing.T) {
	doc := chat(t)
	for q, want := range map[string]string{
		"map":                     "map: CHATFLOW 3n 2e 1 unset\n  model(chatOpenAI) \"OpenAI\" @(0,0 300x600) -> chain.model",
		"graph":                   "model.chatOpenAI -> chain.model\nmemory.bufferMemory -> chain.memory",
		"describe chain":          "in model (BaseChatModel) from model",
		"describe model":          "credential: none, and it needs one",
		"find gpt":                `model(chatOpenAI) "OpenAI": modelName`,
		"find zzz":                "nothing has",
		"stats":                   "Chains: 1 conversationChain",
		"types":                   "Agent Flows: 15",
		"types memory":            "bufferMemory: ",
		"types redis":             "RedisBackedChatMemory: ",
		"type bufferMemory":       "bufferMemory(Memory) version 2: ",
		"validate":                "no credential is chosen: model",
		"preview":                 "preview of CHATFLOW 3n 2e",
		"type conditionAgentflow": "    each: operation (options, where type is number) default equal: smaller",
		"type llmAgentflow":       "its credential llmModelConfig.FLOWISE_CREDENTIAL_ID:ID",
		"type httpAgentflow":      `such as headers:'[{"key":"…","value":"…"}]'`,
		"credentials":             "the server has none",
		"flows":                   "no such flow",
	} {
		if got := doc.Query(q); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", q, got, want)
		}
	}
	doc.QueryFails("preview format:gif", "format:png and format:svg", "preview format:png")
	if c := doc.QueryContent("preview width:300"); len(c) != 1 || string(c[0].Data[1:4]) != "PNG" {
		t.Errorf("preview gives %v", c)
	}
	doc.QueryFails("describe nobody", "no node nobody")
	doc.QueryFails("list", "needs a selector")
	doc.QueryFails("type chatOpenAy", "no type chatOpenAy", "try query: type chatOpenAI")
	doc.QueryFails("types chatOpenAy", "try query: types chatOpenAI")
	doc.QueryFails("runs", "save as:flow:NAME")
	if got := string(doc.Export("svg")); !strings.Contains(got, "OpenAI</text>") {
		t.Errorf("exported %s", got)
	}
	if got := doc.Export("png width:200"); string(got[1:4]) != "PNG" {
		t.Errorf("exported %.20q", got)
	}
}

// Validate finds planted faults: ten that the document shows, and four that only the
// server's catalogue shows.
func TestValidateFindsPlantedProblems(t *testing.T) {
	node := func(id, kind, rest string) string {
		return `{"id":"` + id + `","type":"` + kind + `","position":{"x":0,"y":0},"data":{"id":"` + id + `","label":"` + id + `",` + rest + `}}`
	}
	agent := func(id, name string) string {
		return node(id, "agentFlow", `"name":"`+name+`","version":1,"category":"Agent Flows","inputs":{},"inputParams":[],"inputAnchors":[],"outputAnchors":[{"id":"`+id+`-output-`+name+`","name":"`+name+`"}]`)
	}
	edge := func(from, out, to, in string) string {
		return `{"id":"` + from + to + `","source":"` + from + `","sourceHandle":"` + out + `","target":"` + to + `","targetHandle":"` + in + `"}`
	}
	flow := func(nodes []string, edges ...string) string {
		return `{"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
	}
	model := node("model_0", "customNode", `"name":"chatOpenAI","version":1,"category":"Chat Models","inputs":{"reasoningEffort":"extreme","modelName":""},"inputParams":[{"name":"credential","type":"credential"},{"name":"modelName","type":"string"}],"inputAnchors":[],"outputAnchors":[{"id":"model_0-output-x-A","name":"x","type":"A"}]`)
	chain := node("chain_0", "customNode", `"name":"conversationChain","version":99,"category":"Chains","inputs":{"model":"{{gone_0.data.instance}}"},"inputParams":[],"inputAnchors":[{"name":"model","type":"B","id":"chain_0-input-model-B"}],"outputAnchors":[]`)
	start, reply := agent("start_0", "startAgentflow"), agent("reply_0", "directReplyAgentflow")
	for _, c := range []struct{ what, text, want string }{
		{"a required input that is empty", flow([]string{model}), "required inputs are empty: model_0.modelName"},
		{"no credential", flow([]string{model}), "no credential is chosen: model_0"},
		{"a node without edges", flow([]string{model, chain}), "nodes without edges: model_0, chain_0"},
		{"no start", flow([]string{reply}), "there is no start"},
		{"two starts", flow([]string{start, agent("start_1", "startAgentflow")}), "there are several starts: start_0, start_1"},
		{"an edge from nowhere", flow([]string{start}, edge("gone", "x", "start_0", "start_0")), "a missing node: gone -> start_0"},
		{"an edge to no handle", flow([]string{start, reply}, edge("start_0", "start_0-output-other", "reply_0", "reply_0")), "a handle that its node does not have: start_0 -> reply_0"},
		{"an edge between other types", flow([]string{model, chain}, edge("model_0", "model_0-output-x-A", "chain_0", "chain_0-input-model-B")), "of different types: model_0 -> chain_0"},
		{"a node of the other generation", flow([]string{start, model}), "do not belong in a flow of the type AGENTFLOW: model_0"},
		{"two nodes with one id", flow([]string{start, start}), "several nodes have the same id: start_0"},
		{"a node without an id", flow([]string{start, node("", "agentFlow", `"name":"x"`)}), "nodes without an id: node 2"},
		{"an input that uses what is gone", flow([]string{chain}), "chain_0 uses gone_0"},
		{"a flow that is too large", flow([]string{start, node("x_0", "stickyNote", `"inputs":{"note":"`+strings.Repeat("x", 1<<20)+`"}`)}), "a server takes less than 1 MB"},
		{"a type that is not there", flow([]string{start, agent("x_0", "directReplyAgentflo")}), "a type that the server does not have; nearest: directReplyAgentflow"},
		{"a type like no other", flow([]string{agent("x_0", "qqqq"), start}), "x_0(qqqq) \"x_0\" is of a type that the server does not have\n"},
		{"an old version", flow([]string{model}), "is of version 1, and the server has"},
		{"an option that is none", flow([]string{model}), "model_0(chatOpenAI) \"model_0\" has reasoningEffort:extreme, which is not one of its options"},
	} {
		doc := pdktest.Open(t, Domain(), "bad.json", []byte(c.text), world(&flowise.Server{}))
		if got := doc.Query("validate"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.what, got, c.want)
		}
	}
	if got := bot(t, world(&flowise.Server{})).Query("validate"); !strings.Contains(got, "is of version 1, and the server has 1.1") || strings.Count(got, "\n") > 0 {
		t.Errorf("a flow that works: %s", got)
	}
	if got := bot(t).Query("validate"); got != "startAgentflow_0(startAgentflow) \"Start\" is of version 1, and Flowise 3.1.2 has 1.1\n(as Flowise 3.1.2 has it; a server is asked with the grant http:api)" {
		t.Errorf("without a server: %s", got)
	}
}

func TestValidateSeparatesWhatIsNewSinceTheFlowWasOpened(t *testing.T) {
	doc := bot(t)
	old := "startAgentflow_0(startAgentflow) \"Start\" is of version 1, and Flowise 3.1.2 has 1.1"
	own := "\n(as Flowise 3.1.2 has it; a server is asked with the grant http:api)"
	if got := doc.Query("validate"); got != old+own {
		t.Errorf("as opened: %s", got)
	}
	doc.Do("modify Start label:Begin")
	if want, got := "nothing new\nthere when it was opened:\n  "+strings.Replace(old, "Start\"", "Begin\"", 1)+own, doc.Query("validate"); got != want {
		t.Errorf("renamed: %s\nwant %s", got, want)
	}
	doc.Do("add node llmAgentflow id:lone")
	if got := doc.Query("validate"); !strings.HasPrefix(got, "required inputs are empty: lone.llmModel\nnodes without edges: lone\nthere when it was opened:\n  startAgentflow_0(") {
		t.Errorf("with a new node: %s", got)
	}
	doc.Undo(2)
	if got := doc.Query("validate"); got != old+own {
		t.Errorf("undone: %s", got)
	}
}
