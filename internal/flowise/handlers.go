package flowise

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// part returns one page of items.
func part(items []string, q url.Values) string {
	total := len(items)
	page, limit := max(1, number(q.Get("page"))), number(q.Get("limit"))
	if limit > 0 {
		items = items[min(total, (page-1)*limit):min(total, page*limit)]
	}
	return fmt.Sprintf(`{"data":[%s],"total":%d}`, strings.Join(items, ","), total)
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // 0 if there is none
	return n
}

func (s *Server) list(q url.Values) Answer {
	a := s.answers["list none"]
	var items []string
	newest := slices.Clone(s.flows)
	slices.SortStableFunc(newest, func(a, b *flow) int { return strings.Compare(b.updated, a.updated) })
	for _, f := range newest {
		items = append(items, s.fill("get", f).Body)
	}
	if a.Body = "[" + strings.Join(items, ",") + "]"; q.Has("page") {
		a.Body = part(items, q)
	}
	return a
}

// runs returns the predictions of a flow, newest first.
func (s *Server) runs(q url.Values) Answer {
	a := s.answers["runs of nobody"]
	f := s.flow(q.Get("agentflowId"))
	if f == nil {
		return a
	}
	var run struct {
		Data []struct{ ID, AgentflowID, SessionID string }
	}
	recorded := s.answers["runs"]
	if err := json.Unmarshal([]byte(recorded.Body), &run); err != nil {
		panic(err) // our own data
	}
	recorded.Body = strings.TrimPrefix(recorded.Body[:strings.LastIndex(recorded.Body, `],"total"`)], `{"data":[`)
	var items []string
	for _, r := range slices.Backward(f.runs) {
		item := strings.NewReplacer(run.Data[0].ID, r.id, run.Data[0].AgentflowID, f.id, run.Data[0].SessionID, r.session, "Hello?", r.question).Replace(recorded.Body)
		for _, field := range []string{"name", "flowData", "type", "deployed", "apiConfig"} {
			value := f.fields[field]
			if value == nil {
				value = json.RawMessage("null")
			}
			item = member(item, field, string(value))
		}
		items = append(items, item)
	}
	a.Body = part(items, q)
	return a
}

// flowDataError returns the name of the answer to an invalid flowData; "" if it is valid.
func flowDataError(what string, sent map[string]json.RawMessage) string {
	data, ok := sent["flowData"]
	if !ok {
		return ""
	}
	var text string
	var content map[string]json.RawMessage
	if json.Unmarshal(data, &text) != nil || json.Unmarshal([]byte(text), &content) != nil {
		return what + " no JSON"
	}
	var nodes []json.RawMessage
	if json.Unmarshal(content["nodes"], &nodes) != nil || nodes == nil {
		return what + " no nodes"
	}
	return ""
}

func (s *Server) create(sent map[string]json.RawMessage) Answer {
	switch typ := (&flow{fields: sent}).text("type"); typ {
	case "CHATFLOW", "AGENTFLOW", "MULTIAGENT", "ASSISTANT":
	default:
		return s.answers["create without type"]
	}
	if no := flowDataError("create", sent); no != "" {
		return s.answers[no]
	}
	f := s.add(sent)
	if sent["deployed"] == nil {
		return s.fill("create without deployed", f)
	}
	return s.fill("create", f)
}

func (s *Server) change(f *flow, sent map[string]json.RawMessage) Answer {
	if no := flowDataError("change", sent); no != "" {
		return s.answers[no]
	}
	for field, value := range sent {
		f.fields[field] = value
	}
	f.updated = s.tick()
	return s.fill("rename", f)
}

// predict answers for flows that are Echo except for the message; for others it says that they have no ending node.
func (s *Server) predict(f *flow, sent map[string]json.RawMessage) Answer {
	var content struct {
		Nodes []struct {
			ID   string
			Data struct {
				Label, Name string
				Inputs      map[string]any
			}
		}
	}
	_ = json.Unmarshal([]byte(f.text("flowData")), &content) // validated when it was stored
	var message string
	names := []string{}
	for _, n := range content.Nodes {
		switch n.Data.Name {
		case "startAgentflow":
			names = append(names, `"startAgentflow_0"`, string(quoted(n.ID)), `"nodeLabel":"Start"`, `"nodeLabel":`+string(quoted(n.Data.Label)))
		case "directReplyAgentflow":
			message, _ = n.Data.Inputs["directReplyMessage"].(string)
			names = append(names, `"directReplyAgentflow_0"`, string(quoted(n.ID)), `"nodeLabel":"Reply"`, `"nodeLabel":`+string(quoted(n.Data.Label)))
		}
	}
	switch {
	case message == "" && f.text("type") == "AGENTFLOW":
		return s.answers["predict bare"]
	case message == "":
		return s.answers["predict empty"]
	}
	var limit struct{ RateLimit struct{ LimitMax int } }
	_ = json.Unmarshal([]byte(f.text("apiConfig")), &limit) // most have none
	if limit.RateLimit.LimitMax > 0 && len(f.runs) >= limit.RateLimit.LimitMax {
		return s.answers["predict too often"]
	}
	var override struct{ SessionID string }
	_ = json.Unmarshal(sent["overrideConfig"], &override) // most have none
	if override.SessionID == "" {
		override.SessionID = s.id()
	}
	question := (&flow{fields: sent}).text("question")
	text := regexp.MustCompile(`\{\{\s*question\s*\}\}`).ReplaceAllLiteralString(message, question)
	reply, made := s.id(), run{s.id(), override.SessionID, question}
	f.runs = append(f.runs, made)
	a := s.withValues("predict", map[string]string{"text": text, "content": text, "question": question, "chatId": made.session, "sessionId": made.session, "chatMessageId": reply, "executionId": made.id})
	a.Body = strings.NewReplacer(names...).Replace(a.Body)
	return a
}

func (s *Server) generate(sent map[string]json.RawMessage) Answer {
	var m struct{ Name, Credential string }
	switch {
	case json.Unmarshal(sent["selectedChatModel"], &m) != nil:
		return s.answers["generate without model"]
	case m.Name != "chatOpenAI" || m.Credential != s.Credential:
		return s.answers["generate with no such model"]
	}
	return s.answers["generate"]
}
