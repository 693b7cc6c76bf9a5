package command

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/internal/judge"
)

// Adds a node to each flow that ships with Flowise and pushes it; the server must accept it.
func TestJudgeFlowiseTakesWhatWasEdited(t *testing.T) {
	r := judge.Flowise(t)
	a := startFlowise(t, r.URL, r.Keys["full"])
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

// A flow with conditions and iterations, made by ops, runs on a real server as written.
func TestJudgeFlowiseRunsConditionsAndIterations(t *testing.T) {
	r := judge.Flowise(t)
	a := startFlowise(t, r.URL+"/api/v1/", r.Keys["full"])
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
	a.say("flowise_session", `run "A refund"`, "@ flowise| Within 14 days.\n")
	a.say("flowise_session", `run "The list"`, "ran startAgentflow_0 -> which -> twice -> twice -> each -> list")
	a.say("flowise_session", `run "Hello"`, "@ flowise| Pardon?\n")
	a.say("flowise", "modify refund directReplyMessage:Never.", "*unpushed]")
	a.say("flowise_query", "diff", `directReplyMessage: here "Never.", there "Within 14 days."`)
	a.say("flowise_query", "flows supp", "Support AGENTFLOW, changed 20")
	a.say("flowise_query", "credentials", " openAIApi ")
	a.say("flowise_session", `new "Made" type:AGENTFLOW`, "")
	a.say("flowise_session", `generate "Greet whoever writes" as:flow:Made`, "a new AGENTFLOW called Made")
}

func TestJudgeFlowiseAnswersByTheContract(t *testing.T) {
	r := judge.Flowise(t)
	a := startFlowise(t, r.URL, r.Keys["full"])
	t.Run("lifecycle", func(t *testing.T) { lifecycle(t, a) })
	t.Run("errors", func(t *testing.T) { refusals(t, a, newRateLimitedFlow(t, r.URL, r.Keys["full"])) })
	wrong := startFlowise(t, r.URL, r.Keys["wrong"])
	if o := wrong.use("list_chatflows", map[string]any{}); o.err.Type != "AuthenticationError" {
		t.Errorf("with a wrong key: %s", o.raw)
	}
	weak := startFlowise(t, r.URL, r.Keys["weak"])
	if o := weak.use("create_chatflow", map[string]any{"name": "x", "flow_data": `{"nodes":[],"edges":[]}`}); o.err.Type != "AuthenticationError" || o.err.Details["permission"] != "chatflows:create" {
		t.Errorf("with a key that may not: %s", o.raw)
	}
}
