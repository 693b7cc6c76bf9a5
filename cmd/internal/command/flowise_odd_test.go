package command

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/internal/soak"
)

// Whatever the server answers, each typed tool reports it as one of the contract's errors and each action in one line, and
// the document is unchanged.
func TestOddAnswersOfFlowiseAreReported(t *testing.T) {
	var odd func(w http.ResponseWriter, r *http.Request)
	s := &flowise.Server{Before: func(w http.ResponseWriter, r *http.Request) bool {
		if odd == nil {
			return false
		}
		odd(w, r)
		return true
	}}
	id := s.Add("Support", "AGENTFLOW", flowise.Echo)
	a := startFakeFlowise(t, s, "--request-timeout", "3s")
	a.say("flowise_session", "open flow:Support", "AGENTFLOW 2n 1e")
	a.say("flowise", "modify Reply label:Mine", "* directReplyAgentflow_0 label:Mine")
	says := func(kind, text string) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			io.WriteString(w, text)
		}
	}
	cases := []struct {
		name  string
		odd   func(w http.ResponseWriter, r *http.Request)
		typ   string // error type of get_chatflow
		wants string // in the error message
	}{
		{"nothing", says("application/json", ""), "UnexpectedError", "not JSON"},
		{"half a JSON", says("application/json", `{"id":"x","flowD`), "UnexpectedError", "not JSON"},
		{"a page", says("text/html", "<!DOCTYPE html><title>Flowise</title>"), "UnexpectedError", "a web page, not with the API"},
		{"JSON called text", says("text/plain", `{"error":"asleep"}`), "UnexpectedError", "asleep"},
		{"null", says("application/json", "null"), "UnexpectedError", "something other than a flow"},
		{"a list for a flow", says("application/json", "[]"), "UnexpectedError", "something other than a flow"},
		{"a flow without anything", says("application/json", "{}"), "UnexpectedError", "something other than a flow"},
		{"a flow of other types", says("application/json", `{"id":7,"name":{},"type":[],"flowData":{"nodes":[]},"deployed":"yes"}`), "UnexpectedError", "something other than a flow"},
		{"bytes that are no text", says("application/octet-stream", "\xff\xfe\x00\x01"), "UnexpectedError", "not JSON"},
		{"gzip that is none", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "plain")
		}, "ConnectionError", "broke off"},
		{"gzip with an error in it", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(http.StatusInternalServerError)
			z := gzip.NewWriter(w)
			io.WriteString(z, `{"message":"Error: x - broken"}`)
			z.Close()
		}, "UnexpectedError", "broken"},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusFound)
		}, "UnexpectedError", "redirects"},
		{"round and round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "UnexpectedError", "redirects"},
		{"a status of no kind", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(799) }, "UnexpectedError", "799"},
		{"too busy", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, "RateLimitError", "429"},
		{"gone", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, "ConnectionError", "unreachable"},
		{"a line without end", says("application/json", `{"message":"`+strings.Repeat("x", 9<<20)+`"}`), "UnexpectedError", "8 MiB"},
		{"a message of many lines", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, `{"message":"one\ntwo\u001b[2J\n! three %s"}`, strings.Repeat("y", 5000))
		}, "UnexpectedError", "one two"},
		{"a stream", says("text/event-stream", "message:\ndata:{\"event\":\"error\",\"data\":\"x\"}\n\n"), "UnexpectedError", "not JSON"},
	}
	for _, c := range soak.Some(t, cases, 4) {
		odd = c.odd
		o := a.use("get_chatflow", map[string]any{"chatflow_id": id})
		if o.err.Type != c.typ || !strings.Contains(o.err.Message, c.wants) || len(o.err.Message) > 1000 || strings.ContainsAny(o.err.Message, "\n\x1b") {
			t.Errorf("%s: %.600s\nwant %s with %s", c.name, o.text, c.typ, c.wants)
		}
		if strings.HasPrefix(c.name, "a line") {
			continue // one case of nine megabytes is enough
		}
		for tool, args := range map[string]map[string]any{
			"list_chatflows": {}, "create_chatflow": {"name": "x", "flow_data": `{"nodes":[],"edges":[]}`}, "update_chatflow": {"chatflow_id": id, "name": "x"},
			"run_prediction": {"chatflow_id": id, "question": "x"}, "deploy_chatflow": {"chatflow_id": id, "deployed": true}, "generate_agentflow_v2": {"description": "an agent that greets"},
		} {
			isList := c.name == "a list for a flow" && tool == "list_chatflows" // as Flowise 2 answers it
			if o := a.use(tool, args); o.err.Type == "" && !isList {
				t.Errorf("%s: %s takes it: %.300s", c.name, tool, o.text)
			}
		}
		for tool, texts := range map[string][]string{"flowise_session": {"save", "pull force", "open flow:Support", `run "x"`, "deploy"}, "flowise_query": {"diff", "types", "type startAgentflow", "runs", "flows", "credentials"}} {
			for _, text := range texts {
				if c.name == "a list for a flow" && strings.Contains("flows types credentials", text) {
					continue // the answers to these requests are lists
				}
				got := a.wait(a.send(tool, map[string]any{map[string]string{"flowise_session": "action", "flowise_query": "q"}[tool]: text}))
				if !got.failed || !strings.HasPrefix(got.text, "! ") || len(got.text) > 2000 {
					t.Errorf("%s: %s %s answers %.600s", c.name, tool, text, got.text)
				}
			}
		}
		a.say("flowise_query", "map", `directReplyAgentflow_0(directReplyAgentflow) "Mine"`)
	}
	odd = nil
	a.say("flowise_session", "save", "stored flow:"+id)
	a.say("flowise_session", "undo", "[AGENTFLOW 2n 1e")
	a.checkUnharmed()
}
