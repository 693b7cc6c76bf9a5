package flow

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// chat makes a chatflow with a chain, its model and its memory.
func chat(t testing.TB) *pdktest.Doc {
	t.Helper()
	doc := pdktest.New(t, Domain(), `"Chat"`, world(&flowise.Server{}))
	doc.Do("add node chatOpenAI id:model", "add node conversationChain id:chain", "add node bufferMemory id:memory", "connect model -> chain", "connect memory -> chain")
	return doc
}

// iterationFlow makes a flow with an iteration that contains a node.
func iterationFlow(t testing.TB) *pdktest.Doc {
	t.Helper()
	doc := bot(t, world(&flowise.Server{}))
	doc.Do("add node iterationAgentflow id:each", "add node llmAgentflow id:first in:each")
	return doc
}

// A node that branches has a named output for each condition.
func TestEachConditionHasAnOutput(t *testing.T) {
	doc := bot(t, world(&flowise.Server{}))
	doc.Do("disconnect Start -> Reply", "add node conditionAgentflow id:which conditions:'[{},{}]'", "connect Start -> which", "connect which.else -> Reply", "add node directReplyAgentflow id:other directReplyMessage:x", "connect which.1 -> other")
	if got := doc.Query("map"); !strings.Contains(got, "-> directReplyAgentflow_0 (else), other (1)\n") {
		t.Errorf("the map says %s", got)
	}
	for _, want := range []string{`"edgeLabel": "2"`, `"sourceHandle": "which-output-2"`, `"description": "Else"`} {
		if !strings.Contains(string(doc.Save()), want) {
			t.Errorf("no %s in %s", want, doc.Save())
		}
	}
	doc.Fail("connect which.2x -> Reply", "has no output 2x: 0 1 else")
	if got, want := doc.Do("modify which conditions:'[{}]'"), "? the edge from output 1 of which to other is gone with its item"; !strings.Contains(got, want) {
		t.Errorf("an output that is gone: %s", got)
	}
	if got := doc.Query("map"); !strings.Contains(got, "-> directReplyAgentflow_0 (else)\n") || strings.Contains(doc.Query("validate"), "a handle that its node does not have") {
		t.Errorf("the map says %s", got)
	}
	doc.Do("add node humanInputAgentflow id:ask", "connect ask.reject -> other")
	if got := string(doc.Save()); !strings.Contains(got, `"edgeLabel": "reject"`) || !strings.Contains(got, `"isHumanInput": true`) {
		t.Errorf("a human's answer: %s", got)
	}
	doc.Do("add node conditionAgentAgentflow id:agent conditionAgentScenarios:'[{\"scenario\":\"a\"},{\"scenario\":\"b\"},{\"scenario\":\"c\"}]'", "connect agent.2 -> other")
	if got := doc.Query("describe agent"); !strings.Contains(got, "out 2") || strings.Contains(got, "out 3") || strings.Contains(got, "else") {
		t.Errorf("an agent that chooses: %s", got)
	}
}

// A model in a node comes with its defaults; another model has others.
func TestEachModelHasItsOwnDefaults(t *testing.T) {
	doc := bot(t, world(&flowise.Server{}))
	doc.Do("add node agentAgentflow id:helper agentModelConfig.temperature:0.1 agentModel:chatOpenAI")
	if got := doc.Query("describe helper agentModelConfig"); !strings.Contains(got, `"modelName": "gpt-4o-mini"`) || !strings.Contains(got, `"temperature": 0.1`) || strings.Count(got, "temperature") != 1 || !strings.Contains(got, `"agentModel": "chatOpenAI"`) {
		t.Errorf("its settings are %s", got)
	}
	if got := doc.Query("validate"); !strings.Contains(got, "uses chatOpenAI without a credential: modify helper agentModelConfig.FLOWISE_CREDENTIAL_ID:ID") {
		t.Errorf("without a credential: %s", got)
	}
	got := doc.Do("modify helper agentModelConfig.modelName:claude-9 agentModel:chatAnthropic agentModelConfig.FLOWISE_CREDENTIAL_ID:0f3c")
	if !strings.Contains(got, "? agentModelConfig of helper now has the defaults of chatAnthropic") {
		t.Errorf("said %s", got)
	}
	if got := doc.Query("describe helper agentModelConfig"); strings.Contains(got, "0.1") || !strings.Contains(got, `"modelName": "claude-9"`) || !strings.Contains(got, `"agentModel": "chatAnthropic"`) {
		t.Errorf("its settings are %s", got)
	}
	if got := doc.Query("validate"); strings.Contains(got, "without a credential") {
		t.Errorf("with a credential: %s", got)
	}
	if got := doc.Query("describe helper agentModelConfig.modelName"); got != "claude-9" {
		t.Errorf("one of them: %s", got)
	}
	if got := doc.Query("describe Reply directReplyMessage"); got != "You said: {{ question }}" {
		t.Errorf("an input in full: %s", got)
	}
	doc.QueryFails("describe Reply directReplyMesage", "has no input directReplyMesage", "try query: describe directReplyAgentflow_0 directReplyMessage")
}

func TestIterationsKeepWhatLiesInThem(t *testing.T) {
	doc := iterationFlow(t)
	doc.Do("add node llmAgentflow id:second in:each", "connect first -> second", "connect Start -> each", "layout")
	if got := doc.Query("validate"); strings.Contains(got, "without edges") && strings.Contains(got, "first") {
		t.Errorf("the nodes in it: %s", got)
	}
	f, err := parse(string(doc.Save()))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"first", "second"} {
		if !f.absolute(f.byID["each"]).Contains(f.absolute(f.byID[id])) {
			t.Errorf("%s lies at %+v, and the iteration at %+v", id, f.absolute(f.byID[id]), f.absolute(f.byID["each"]))
		}
	}
	if f.byID["first"].box().Right() > f.byID["second"].box().X {
		t.Error("their edge leads back")
	}
	doc.Fail("add node llmAgentflow in:Start", "in: names an iteration")
	doc.Fail("add node iterationAgentflow in:each", "cannot be in an iteration")
	doc.Fail("add node llmAgentflow in:each near:Start", "is not in each")
}

// Sticky notes stay beside their nodes, and cover none.
func TestNotesStayBesideTheirNodes(t *testing.T) {
	doc := bot(t, world(&flowise.Server{}))
	doc.Do("modify Reply at:3000,3000", `note "About the reply" near:Reply dir:above`, "layout")
	f, err := parse(string(doc.Save()))
	if err != nil {
		t.Fatal(err)
	}
	note, reply := f.byID["stickyNote_0"].box(), f.byID["directReplyAgentflow_0"].box()
	if note.Overlaps(reply) || distance(note, reply) > 200 {
		t.Errorf("the note lies at %+v, the reply at %+v", note, reply)
	}
}

func TestEachVerbChangesWhatItNamesAndIsUndone(t *testing.T) {
	for _, c := range []struct{ in, op, reply, wrote string }{
		{"bot", "add node agentAgentflow id:helper label:Helper near:Start dir:below", `+ helper(agentAgentflow) "Helper"; to be given: agentModel`, `"id": "helper"`},
		{"bot", `note "Mind the gap" at:5,-200`, `+ note stickyNote_0: "Mind the gap"`, `"note": "Mind the gap"`},
		{"bot", "copy Reply as:goodbye", `+ goodbye(directReplyAgentflow) "Reply 1"`, `"id": "goodbye-input-directReplyMessage-string"`},
		{"bot", "repeat Reply count:2 dir:below", "+ 2 nodes: directReplyAgentflow_1, directReplyAgentflow_2", `"label": "Reply 2"`},
		{"iteration", "add node directReplyAgentflow id:inner in:each directReplyMessage:Hi", `+ inner(directReplyAgentflow) "Direct Reply"`, `"parentNode": "each"`},
		{"iteration", "add node llmAgentflow id:second in:each near:first dir:below", `+ second(llmAgentflow) "LLM 1"; to be given: llmModel`, `"extent": "parent"`},
		{"bot", "add node conditionAgentflow id:which conditions:'[{},{}]'", `+ which(conditionAgentflow) "Condition"`, `"id": "which-output-2"`},
		{"bot", "modify Reply label:Answer directReplyMessage:Hi", "* directReplyAgentflow_0 label:Answer directReplyMessage:Hi", `"directReplyMessage": "Hi"`},
		{"bot", "modify @type:directReplyAgentflow at:400,20.5", "* directReplyAgentflow_0 at:400,20.5", `"y": 20.5`},
		{"bot", "connect Start -> Reply label:first", "~ startAgentflow_0 -> directReplyAgentflow_0 first", `"edgeLabel": "first"`},
		{"bot", "disconnect Start -> Reply", "- Start -> Reply", `"edges": []`},
		{"bot", "remove Reply", "- directReplyAgentflow_0 with 1 edge: startAgentflow_0 -> directReplyAgentflow_0", `"edges": []`},
		{"bot", "layout dir:TB spacing:50", "@ layout TB: 2 nodes and 1 edge", `"y": 116`},
		{"chat", "disconnect memory -> chain.memory", "- memory -> chain.memory", `"memory": ""`},
		{"chat", "remove model memory", "- model, memory with 2 edges: model -> chain, memory -> chain", `"model": ""`},
		{"chat", "modify model modelName:gpt-4.1 temperature:0.5 credential:abc", "* model modelName:gpt-4.1 temperature:0.5 credential:abc", `"credential": "abc"`},
		{"chat", "add node inMemoryCache id:cache", `+ cache(inMemoryCache) "InMemory Cache"`, `"id": "cache-output-inMemoryCache-InMemoryCache|BaseCache"`},
		{"chat", "copy chain as:other dir:below", `+ other(conversationChain) "Conversation Chain 1"`, `"id": "other-input-model-BaseChatModel"`},
		{"chat", "layout", "@ layout LR: 3 nodes and 2 edges", ""},
	} {
		doc := chat(t)
		if c.in == "bot" {
			doc = bot(t, world(&flowise.Server{}))
		} else if c.in == "iteration" {
			doc = iterationFlow(t)
		}
		before := string(doc.Save())
		if reply := doc.Do(c.op); reply != c.reply {
			t.Errorf("%s said\n%s\nwant\n%s", c.op, reply, c.reply)
		}
		after := string(doc.Save())
		if !strings.Contains(after, c.wrote) {
			t.Errorf("%s wrote no %s:\n%s", c.op, c.wrote, after)
		}
		doc.Undo(1)
		if string(doc.Save()) != before {
			t.Errorf("undo of %s does not lead back", c.op)
		}
		doc.Redo(1)
		if string(doc.Save()) != after {
			t.Errorf("redo of %s does not lead there again", c.op)
		}
	}
}

func TestRefusalsSuggestWorkingOps(t *testing.T) {
	for op, wants := range map[string][]string{
		"add node directReplyAgentfloww":              {"the server has no type directReplyAgentfloww", "try: add node directReplyAgentflow"},
		"add node nothingLikeThat":                    {"the server has no type nothingLikeThat", "try query: types"},
		"add node startAgentflow":                     {"the flow already has a start"},
		"add node chatOpenAI":                         {"for chatflows"},
		"add note Hello":                              {"add makes a node", "try: note Hello"},
		"add reply directReplyAgentflow":              {"try: add node directReplyAgentflow"},
		"add node llmAgentflow id:Reply-1":            {"is not an id"},
		"add node llmAgentflow id:startAgentflow_0":   {"is that of startAgentflow_0", "try: add node llmAgentflow id:startAgentflow_1"},
		"add node llmAgentflow llmModell:x":           {"there is no input llmModell", "try: add node llmAgentflow llmModel:x"},
		"add node llmAgentflow llmEnableMemory:maybe": {"neither true nor false"},
		"add node llmAgentflow near:nobody":           {"no node nobody"},
		"add node llmAgentflow dir:up near:Start":     {"above below left right"},
		"add node llmAgentflow at:here":               {"not a point X,Y"},
		"connect Start Reply Now":                     {"an arrow"},
		"connect Reply -> Start":                      {"has no output"},
		"connect Start -> Start":                      {"cannot be connected to itself"},
		"connect Start -> Reply.message":              {"one input without a name", "try: connect Start -> directReplyAgentflow_0"},
		"connect Start -> Replay":                     {"no node Replay; nearest: Reply", "try: connect Start -> Reply"},
		"connect Start.second -> Reply":               {"no output second"},
		"disconnect Reply -> Start":                   {"there is no edge"},
		"modify Reply":                                {"needs something to change"},
		"modify Reply directReplyMesage:x":            {"there is no input", "try: modify Reply directReplyMessage:x"},
		"modify Reply id:x":                           {"an id cannot be changed"},
		"modify Reply credential:x":                   {"uses no credential"},
		"modify Reply a.b:x":                          {"has no input a"},
		"remove nobody":                               {"no node nobody"},
		"remove @orphan":                              {"nothing matches"},
		"remove @orphan:x":                            {"takes no value"},
		"remove @type:nothing":                        {"no node is of the type nothing"},
		"copy Start":                                  {"one start"},
		"copy Reply as:startAgentflow_0":              {"is that of"},
		"repeat Reply":                                {"needs count:N", "try: repeat Reply count:2"},
		"repeat Reply count:50":                       {"1 to 20", "try: repeat Reply count:20"},
		"layout dir:sideways":                         {"LR TB RL BT"},
		`note ""`:                                     {"needs a text"},
	} {
		bot(t, world(&flowise.Server{})).Fail(op, wants...)
	}
	for op, wants := range map[string][]string{
		"connect memory -> model":        {"no input of model"},
		"connect memory -> chain.model":  {"takes BaseChatModel"},
		"connect memory -> chain.memori": {"no input memori", "try: connect memory -> chain.memory"},
		"modify chain model:x":           {"takes a node", "try: connect NODE -> chain.model"},
		"modify model temperature:hot":   {"is not a number"},
		"add node startAgentflow":        {"for flows of the type AGENTFLOW"},
	} {
		chat(t).Fail(op, wants...)
	}
	doc := chat(t)
	doc.Do("add node chatOpenAI id:second")
	doc.Fail("connect second -> chain.model", "takes one node, which is model", "try: disconnect model -> chain.model")
}

func TestOpsThatChangeNothingSucceed(t *testing.T) {
	for _, op := range []string{"connect Start -> Reply", "modify Reply label:Reply", "modify Reply at:200,0"} {
		doc := bot(t)
		if got := doc.Do(op); !strings.HasPrefix(got, "?") {
			t.Errorf("%s: %s", op, got)
		}
	}
	doc := bot(t)
	doc.Do("layout")
	if got := doc.Do("layout"); !strings.HasPrefix(got, "? already laid out that way") {
		t.Error(got)
	}
}

func TestValidateFindsWhatNobodySees(t *testing.T) {
	doc := bot(t)
	doc.Do("note \"Read\u2063 me\"")
	if got := doc.Query("validate"); !strings.Contains(got, `1 hidden character (\u2063)`) {
		t.Error(got)
	}
}

func TestNodesAreLaidOutWithoutAnyOverlap(t *testing.T) {
	eachShippedFlow(t, func(t *testing.T, _, text string) {
		doc := pdktest.Open(t, Domain(), "flow.json", []byte(text))
		doc.Do("layout")
		f, err := parse(string(doc.Save()))
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range f.nodes {
			for _, b := range f.nodes[:i] {
				if a.Parent == b.Parent && a.box().Overlaps(b.box()) {
					t.Errorf("%s lies on %s", a, b)
				}
			}
			if p := f.byID[a.Parent]; p != nil && !f.absolute(p).Contains(f.absolute(a)) {
				t.Errorf("%s does not lie in %s", a, p)
			}
		}
		for _, e := range f.edges {
			if from, to := f.byID[e.Source], f.byID[e.Target]; from != nil && to != nil && from.Parent == "" && to.Parent == "" && from.box().X >= to.box().X && !f.reaches(e.Target, e.Source) {
				t.Errorf("%s -> %s leads back", e.Source, e.Target)
			}
		}
	})
}

func TestInvalidFlowsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{": "not a flow: line 1", "[]": "no arrays of nodes and edges", `{"nodes":[]}`: "no arrays", `{"name":"x","flowData":"{}"}`: "the text in its flowData",
	} {
		pdktest.OpenFails(t, Domain(), "x.json", []byte(text), want)
	}
	pdktest.NewFails(t, Domain(), `"T" type:OTHER`, "CHATFLOW AGENTFLOW")
}

// Every example in the manifest must work as printed.
func TestTheManifestsExamplesWork(t *testing.T) {
	for _, v := range Domain().Verbs {
		for _, example := range v.Examples {
			doc := pdktest.New(t, Domain(), `"T" type:AGENTFLOW`, world(&flowise.Server{}))
			switch {
			case strings.Contains(example, "chatOpenAI") || strings.Contains(example, "model temperature") || strings.Contains(example, "Chat Models"):
				doc = pdktest.New(t, Domain(), `"T"`, world(&flowise.Server{}))
				if !strings.HasPrefix(example, "add") {
					doc.Do("add node chatOpenAI", "add node conversationalAgent id:agent", "add node chatOpenAI id:model")
				}
			case example != "add node startAgentflow":
				doc.Do("add node startAgentflow", "add node conditionAgentflow label:condition", "add node directReplyAgentflow id:reply", "add node agentAgentflow",
					`add node agentAgentflow label:"Sales Agent" agentMessages:'[{"role":"system","content":"Sell."}]'`, "add node agentAgentflow id:german",
					`add node conditionAgentAgentflow id:route conditionAgentScenarios:'[{"scenario":"User buys"},{"scenario":"User writes German"}]'`)
			}
			if v.Name == "disconnect" {
				doc.Do("connect Start -> reply")
			}
			if got := doc.Do(example); strings.HasPrefix(got, "?") {
				t.Errorf("%s: %s", example, got)
			}
		}
	}
	pdktest.New(t, Domain(), `"T" type:AGENTFLOW`, world(&flowise.Server{})).Do(Domain().Example...)
}
