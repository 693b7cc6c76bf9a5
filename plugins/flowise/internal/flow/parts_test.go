package flow

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// routed is a flow with a condition of two scenarios, of which each has an agent.
func routed(t testing.TB) *pdktest.Doc {
	t.Helper()
	doc := bot(t, world(&flowise.Server{}))
	doc.Do("disconnect Start -> Reply", "add node conditionAgentAgentflow id:route", `modify route conditionAgentScenarios.0.scenario:"User buys." conditionAgentScenarios.1.scenario:"User asks"`,
		`add node agentAgentflow id:sales label:"Sales Agent" agentModel:chatOpenAI agentMessages:'[{"role":"system","content":"Sell."}]'`, "add node agentAgentflow id:help", "connect Start -> route", `connect "route.User buys" -> sales`, "connect route.1 -> help")
	return doc
}

func TestAnAgentLikeAnotherOneTakesOneCall(t *testing.T) {
	doc := routed(t)
	before := string(doc.Save())
	doc.Do(`copy "Sales Agent" as:"Complaint Agent" agentMessages.0.content:"You handle complaints."`, `modify route conditionAgentScenarios.new.scenario:"User complains. Loudly"`, `connect "route.User complains. Loudly" -> "Complaint Agent"`, "modify @type:agentAgentflow agentModelConfig.temperature:0.3")
	if got := doc.Query("map"); !strings.Contains(got, "-> sales (0), help (1), agentAgentflow_0 (2)") || !strings.Contains(got, `agentAgentflow_0(agentAgentflow) "Complaint Agent"`) {
		t.Errorf("the map says\n%s", got)
	}
	got := doc.Query("describe agentAgentflow_0")
	for _, want := range []string{"agentModel: chatOpenAI", `"content":"You handle complaints."`, `"temperature":0.3`} {
		if !strings.Contains(strings.ReplaceAll(got, `": `, `":`), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if got, want := doc.Query("describe sales agentMessages"), `[{"role": "system", "content": "Sell."}]`; got != want {
		t.Errorf("the messages are %s, want %s", got, want)
	}
	if got, want := doc.Query("describe sales agentMessages.0.content"), "Sell."; got != want {
		t.Errorf("the message is %s, want %s", got, want)
	}
	if got := string(doc.Save()); !strings.Contains(got, `"sourceHandle": "route-output-2"`) || !strings.Contains(got, `"edgeLabel": "2"`) {
		t.Errorf("the edge is not that of the third scenario:\n%s", got)
	}
	doc.Undo(4)
	if string(doc.Save()) != before {
		t.Error("undo does not lead back")
	}
}

func TestItemsOfListsAreAddedAndRemoved(t *testing.T) {
	doc := routed(t)
	before := string(doc.Save())
	doc.Do("modify sales agentMessages.new.role:user agentMessages.new.content:Hi")
	if got, want := doc.Query("describe sales agentMessages"), `[{"role": "system", "content": "Sell."}, {"role": "user", "content": "Hi"}]`; got != want {
		t.Errorf("the messages are %s, want %s", got, want)
	}
	doc.Do(`modify sales agentMessages.1:""`)
	doc.Undo(2)
	if got, want := doc.Do(`modify route conditionAgentScenarios.0:""`), "? the edge from output 0 of route to sales is gone with its item"; !strings.Contains(got, want) {
		t.Errorf("it says %s", got)
	}
	if got := doc.Query("graph"); !strings.Contains(got, "route.0 -> help") || strings.Contains(got, "sales") {
		t.Errorf("the edges are\n%s", got)
	}
	if got := doc.Query("validate"); strings.Contains(got, "a handle that its node does not have") {
		t.Errorf("it says %s", got)
	}
	doc.Undo(1)
	if string(doc.Save()) != before {
		t.Error("undo does not lead back")
	}
	for op, want := range map[string]string{
		"modify sales agentMessages.5.content:x":   "has items 0 to 0, and new is another one",
		"modify sales agentMessages.1:''":          "has no item 1 to remove",
		"modify sales agentMessages.0.role:king":   "not one of",
		"modify help agentMessages.3.content:x":    "is an empty list: agentMessages.new is a new item",
		"modify sales agentModel.x:1":              "which has no parts",
		"modify sales agentMessages.0.content.x:1": "which has no parts",
		"connect \"route.User sleeps\" -> help":    "has no output",
		"copy sales id:other":                      "an id cannot be changed",
	} {
		doc.Fail(op, want)
	}
}

func TestTheEdgeOfElseStaysWithElse(t *testing.T) {
	doc := bot(t, world(&flowise.Server{}))
	doc.Do("disconnect Start -> Reply", "add node conditionAgentflow id:which conditions:'[{}]'", "add node directReplyAgentflow id:other directReplyMessage:x", "connect Start -> which", "connect which.0 -> other", "connect which.else -> Reply")
	doc.Do("modify which conditions.new.value1:a")
	if got := doc.Query("map"); !strings.Contains(got, "other (0), directReplyAgentflow_0 (else)\n") || !strings.Contains(string(doc.Save()), `"sourceHandle": "which-output-2"`) {
		t.Errorf("the map says\n%s", got)
	}
}
