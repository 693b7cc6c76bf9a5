package flow

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// Flowise 2 answers with all flows at once, and their type may be null. A row that is odd does not
// hide the others.
func TestFlowsOfFlowise2AreListed(t *testing.T) {
	const rows = `[{"id":"1","name":"Old","type":null,"flowData":"{}","deployed":null,"createdDate":"2024-01-01T00:00:00.000Z","updatedDate":"2024-01-02T00:00:00.000Z"},` +
		`{"id":"2","name":"Agents","type":"MULTIAGENT","deployed":true,"createdDate":"yesterday"},{"id":7,"name":{}},{"id":"3","name":"Next","type":"AGENTFLOW4"},null]`
	for name, body := range map[string]string{"an array": rows, "a page": `{"data":` + rows + `,"total":5}`} {
		s := &flowise.Server{Before: func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/chatflows") {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
			return true
		}}
		got, err := pdktest.Tool(t, Domain(), "list_chatflows", `{}`, world(s))
		if want := `[{"id":"1","name":"Old","type":"CHATFLOW","deployed":false,"createdDate":"2024-01-01T00:00:00.000Z"},{"id":"2","name":"Agents","type":"MULTIAGENT","deployed":true}]`; err != nil || got != want {
			t.Errorf("%s: listed %s, %v, want %s", name, got, err, want)
		}
		if got := bot(t, world(s)).Query("flows"); strings.Count(got, "\n") != 2 || !strings.Contains(got, "Old CHATFLOW") || !strings.Contains(got, "Next AGENTFLOW4") {
			t.Errorf("%s: the query says\n%s", name, got)
		}
	}
	s := &flowise.Server{Before: func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `[{"status":"ok"}]`)
		return true
	}}
	if _, err := pdktest.Tool(t, Domain(), "list_chatflows", `{}`, world(s)); err == nil || !strings.Contains(err.Error(), "something other than a list of flows") {
		t.Errorf("a list of other things: %v", err)
	}
}

// A prediction without a text says what it has instead.
func TestAPredictionOfJSONIsItsText(t *testing.T) {
	for answer, want := range map[string]string{
		`{"json":{"a": [1]},"chatId":"c"}`:   `{"text":"{\"a\": [1]}"}`,
		`{"text":null,"json":{"a":1}}`:       `{"text":"{\"a\":1}"}`,
		`{"text":"said","json":{"a":1}}`:     `{"text":"said"}`,
		`{"text":"","chatId":"c"}`:           `{"text":""}`,
		`{"json":null,"chatId":"c"}`:         `{"text":""}`,
		`{"text":{"b":2},"sessionId":"s"}`:   `{"text":"{\"b\":2}","sessionId":"s"}`,
		`{"text":"x","chatMessageId":"m"}`:   `{"text":"x","chatMessageId":"m"}`,
		`{"json":"plain","chatMessageId":7}`: `{"text":"plain"}`,
	} {
		s := &flowise.Server{Before: func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			if r.Method == http.MethodGet {
				_, _ = io.WriteString(w, `{"id":"1","name":"F","type":null,"deployed":true}`)
			} else {
				_, _ = io.WriteString(w, answer)
			}
			return true
		}}
		if got, err := pdktest.Tool(t, Domain(), "run_prediction", `{"chatflow_id":"1","question":"?"}`, world(s)); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", answer, got, err, want)
		}
	}
}

// Every verb and every query refuses a parameter that it does not have.
func TestUnknownParametersAreRefused(t *testing.T) {
	doc := bot(t, world(&flowise.Server{}))
	for _, v := range Domain().Verbs {
		for _, example := range v.Examples {
			doc.Fail(example + " zzzq:1")
		}
	}
	for _, q := range Domain().Queries {
		if q.Takes == nil { // with it the host refuses all other parameters
			t.Errorf("the query %s does not say what it takes", q.Name)
		}
	}
}

// What remove takes along has its names in the reply.
func TestRemoveNamesItsEdges(t *testing.T) {
	doc := bot(t)
	if got, want := doc.Do("remove Reply"), `directReplyAgentflow_0 with 1 edge: startAgentflow_0 -> directReplyAgentflow_0`; !strings.Contains(got, want) {
		t.Errorf("replied %q, want %q", got, want)
	}
}
