package flowise

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Echo is a flow that answers without a model: Start, then Direct Reply with "You said: {{ question }}".
//
//go:embed testdata/echo.json
var Echo string

// question is a recorded request. ${NAME} in a path or body is replaced by a value of an earlier answer or, for Echo,
// for that flow quoted as JSON.
type question struct {
	name   string // name of the answer
	key    string // full, weak (only chatflows:view), wrong, or none
	method string
	path   string
	body   string
	keep   string // the name for the answer's id in later requests
}

// Nobody is an id that no flow has.
const Nobody = "11111111-1111-4111-8111-111111111111"

const empty = `"{\"nodes\":[],\"edges\":[]}"`

// questions are the recorded requests, in order, to a server without flows.
var questions = []question{
	{"ping", "none", "GET", "ping", "", ""},
	{"html", "full", "GET", "api/v1/chatflows", "", ""},
	{"no key", "none", "GET", "chatflows", "", ""},
	{"wrong key", "wrong", "GET", "chatflows", "", ""},
	{"no permission", "weak", "POST", "chatflows", `{"name":"x","type":"CHATFLOW","flowData":` + empty + `}`, ""},
	{"list none", "full", "GET", "chatflows", "", ""},
	{"create", "full", "POST", "chatflows", `{"name":"Echo","type":"AGENTFLOW","deployed":false,"flowData":${echo}}`, "echo id"},
	{"create without deployed", "full", "POST", "chatflows", `{"name":"Empty","type":"CHATFLOW","flowData":` + empty + `}`, "empty id"},
	{"create an agentflow", "full", "POST", "chatflows", `{"name":"Bare","type":"AGENTFLOW","flowData":` + empty + `}`, "bare id"},
	{"create without type", "full", "POST", "chatflows", `{"name":"x","flowData":` + empty + `}`, ""},
	{"create no JSON", "full", "POST", "chatflows", `{"name":"x","type":"CHATFLOW","flowData":"{not"}`, ""},
	{"create no nodes", "full", "POST", "chatflows", `{"name":"x","type":"CHATFLOW","flowData":"{}"}`, ""},
	{"body no JSON", "full", "POST", "chatflows", `{not`, ""},
	{"get", "full", "GET", "chatflows/${echo id}", "", ""},
	{"get nobody", "full", "GET", "chatflows/" + Nobody, "", ""},
	{"get no id", "full", "GET", "chatflows/nobody", "", ""},
	{"rename", "full", "PUT", "chatflows/${echo id}", `{"name":"Echoes","deployed":true}`, ""},
	{"change", "full", "PUT", "chatflows/${empty id}", `{"flowData":${echo},"type":"CHATFLOW"}`, ""},
	{"change back", "full", "PUT", "chatflows/${empty id}", `{"flowData":` + empty + `}`, ""},
	{"change no JSON", "full", "PUT", "chatflows/${echo id}", `{"flowData":"{not"}`, ""},
	{"change no nodes", "full", "PUT", "chatflows/${echo id}", `{"flowData":"{}"}`, ""},
	{"change nobody", "full", "PUT", "chatflows/" + Nobody, `{"name":"x"}`, ""},
	{"change no id", "full", "PUT", "chatflows/nobody", `{"name":"x"}`, ""},
	{"change without permission", "weak", "PUT", "chatflows/${echo id}", `{"name":"x"}`, ""},
	{"predict", "full", "POST", "prediction/${echo id}", `{"question":"Hello?"}`, ""},
	{"predict in a session", "full", "POST", "prediction/${echo id}", `{"question":"Again?","overrideConfig":{"sessionId":"s-1"}}`, ""},
	{"predict nobody", "full", "POST", "prediction/" + Nobody, `{"question":"Hello?"}`, ""},
	{"predict no id", "full", "POST", "prediction/nobody", `{"question":"Hello?"}`, ""},
	{"predict empty", "full", "POST", "prediction/${empty id}", `{"question":"Hello?"}`, ""},
	{"predict bare", "full", "POST", "prediction/${bare id}", `{"question":"Hello?"}`, ""},
	{"limit", "full", "PUT", "chatflows/${bare id}", `{"flowData":${echo},"apiConfig":"{\"rateLimit\":{\"status\":true,\"limitMax\":1,\"limitDuration\":600,\"limitMsg\":\"Too many requests\"}}"}`, ""},
	{"predict once", "full", "POST", "prediction/${bare id}", `{"question":"Hello?"}`, ""},
	{"predict too often", "full", "POST", "prediction/${bare id}", `{"question":"Hello?"}`, ""},
	{"runs", "full", "GET", "executions?agentflowId=${bare id}&limit=10", "", ""},
	{"credentials without permission", "weak", "GET", "credentials", "", ""},
	{"credentials", "full", "GET", "credentials", "", ""},
	{"generate without model", "full", "POST", "agentflowv2-generator/generate", `{"question":"Greet whoever writes"}`, ""},
	{"generate with no such model", "full", "POST", "agentflowv2-generator/generate", `{"question":"Greet whoever writes","selectedChatModel":{"name":"chatNobody","inputs":{},"credential":""}}`, ""},
	{"generate", "full", "POST", "agentflowv2-generator/generate", `{"question":"Greet whoever writes","selectedChatModel":{"name":"chatOpenAI","inputs":{"modelName":"gpt-4o-mini","basepath":"${stub}","streaming":false,"credential":"${credential}"},"credential":"${credential}"}}`, ""},
	{"node", "weak", "GET", "nodes/directReplyAgentflow", "", ""},
	{"no such node", "full", "GET", "nodes/nobody", "", ""},
	{"delete without permission", "weak", "DELETE", "chatflows/${bare id}", "", ""},
	{"delete", "full", "DELETE", "chatflows/${bare id}", "", ""},
	{"delete again", "full", "DELETE", "chatflows/${bare id}", "", ""},
	{"delete no id", "full", "DELETE", "chatflows/nobody", "", ""},
	{"list", "full", "GET", "chatflows", "", ""},
	{"list a page", "full", "GET", "chatflows?page=1&limit=64", "", ""},
	{"list no page", "full", "GET", "chatflows?page=2&limit=64", "", ""},
	{"runs of nobody", "full", "GET", "executions?agentflowId=" + Nobody + "&limit=10", "", ""},
}

// An Answer is a server's response.
type Answer struct {
	Status int    `json:"status"`
	Type   string `json:"type"`
	Body   string `json:"body"`
}

var (
	uuid    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	instant = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	nameOf  = regexp.MustCompile(`"name":"[^"]*"`)
	page    = regexp.MustCompile(`(?s)^(<!DOCTYPE html>).*$`)
)

// ask sends all requests to a server and returns its answers by name, with differences between runs removed: the N-th
// id is uuid-N, all dates are equal, and of an HTML page only the doctype stays.
func ask(base string, keys, known map[string]string) (map[string]Answer, error) {
	quoted, err := json.Marshal(Echo)
	if err != nil {
		return nil, err
	}
	values := map[string]string{"echo": string(quoted)}
	for k, v := range known {
		values[k] = v
	}
	fill := func(s string) string {
		for k, v := range values {
			s = strings.ReplaceAll(s, "${"+k+"}", v)
		}
		return s
	}
	ids := map[string]string{Nobody: Nobody}
	answers := map[string]Answer{}
	for _, q := range questions {
		req, err := http.NewRequest(q.method, base+"/api/v1/"+fill(q.path), strings.NewReader(fill(q.body)))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		if key := keys[q.key]; key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		if body, err = sortFlows(body); err != nil {
			return nil, err
		}
		var made struct{ ID string }
		if json.Unmarshal(body, &made); q.keep != "" {
			values[q.keep] = made.ID
		}
		text := uuid.ReplaceAllStringFunc(string(bytes.TrimSpace(body)), func(id string) string {
			if ids[id] == "" {
				ids[id] = fmt.Sprintf("uuid-%d", len(ids))
			}
			return ids[id]
		})
		text = page.ReplaceAllString(instant.ReplaceAllString(text, "2026-11-22T15:00:00.000Z"), "$1")
		for _, k := range []string{"stub", "install"} {
			if values[k] != "" {
				text = strings.ReplaceAll(text, values[k], "${"+k+"}")
			}
		}
		answers[q.name] = Answer{res.StatusCode, res.Header.Get("Content-Type"), text}
	}
	return answers, nil
}

// sortFlows sorts a list of flows, or a page of one: flows that changed in the same second come in any order.
func sortFlows(body []byte) ([]byte, error) {
	var flows []json.RawMessage
	sort := func() ([]byte, error) {
		slices.SortFunc(flows, func(a, b json.RawMessage) int {
			return strings.Compare(nameOf.FindString(string(a)), nameOf.FindString(string(b)))
		})
		return json.Marshal(flows)
	}
	if json.Unmarshal(body, &flows) == nil && len(flows) > 1 {
		return sort()
	}
	var page struct {
		Data  json.RawMessage `json:"data"`
		Total int             `json:"total"`
	}
	if json.Unmarshal(body, &page) != nil || json.Unmarshal(page.Data, &flows) != nil || len(flows) < 2 {
		return body, nil
	}
	var err error
	if page.Data, err = sort(); err != nil {
		return nil, err
	}
	return json.Marshal(page)
}
