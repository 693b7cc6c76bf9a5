package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

// conversation is one with everything in it: text, a good call and one with arguments that are no object, results with an error and a picture.
var conversation = Request{
	System: "Be brief.",
	Tools:  []Tool{{"draw", "Draws.", json.RawMessage(`{"type":"object"}`)}},
	Messages: []Message{
		{Role: "user", Text: "Draw."},
		{Role: "assistant", Text: "Now.", Calls: []Call{{"1", "draw", json.RawMessage(`{"a":1}`)}, {"2", "draw", json.RawMessage(`"{a:"`)}}},
		{Role: "tool", Results: []Result{{ID: "1", Images: []Image{{"image/png", "AAAA"}}}, {ID: "2", Text: "no object", Error: true}}},
	},
}

// api is an API that answers each request with the next of these, and keeps what it was sent.
type api struct {
	answers []func(w http.ResponseWriter)
	paths   []string
	header  http.Header
	body    any
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.paths, a.header, a.body = append(a.paths, r.URL.Path), r.Header, nil
	data, _ := io.ReadAll(r.Body)
	json.Unmarshal(data, &a.body)
	next := a.answers[0]
	if len(a.answers) > 1 {
		a.answers = a.answers[1:]
	}
	next(w)
}

func says(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { fmt.Fprint(w, text) }
}

// refuses answers with a status, and asks to try again at once.
func refuses(status int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "0")
		http.Error(w, "busy", status)
	}
}

// start starts an API, and returns a model of it.
func start(t *testing.T, name string, answers ...func(http.ResponseWriter)) (*api, Model) {
	t.Helper()
	a := &api{answers: answers}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	vendor, _, _ := strings.Cut(name, ":")
	env := map[string]string{strings.ToUpper(vendor) + "_BASE_URL": s.URL + "/base/", strings.ToUpper(vendor) + "_API_KEY": "secret"}
	m, err := New(name, func(key string) string { return env[key] }, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a, m
}

func parsed(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTheMessagesAPIGetsWholeConversations(t *testing.T) {
	a, m := start(t, "anthropic:some-model", says(`{"content":[{"type":"thinking"},{"type":"text","text":"So."},{"type":"tool_use","id":"3","name":"draw","input":{"b":2}}],"usage":{"input_tokens":7,"output_tokens":5}}`))
	got, err := m.Answer(t.Context(), conversation)
	if want := (Answer{"So.", []Call{{"3", "draw", json.RawMessage(`{"b":2}`)}}, 7, 5}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	want := parsed(t, `{"model":"some-model","max_tokens":16384,"system":"Be brief.","tools":[{"name":"draw","description":"Draws.","input_schema":{"type":"object"}}],"messages":[
		{"role":"user","content":[{"type":"text","text":"Draw."}]},
		{"role":"assistant","content":[{"type":"text","text":"Now."},{"type":"tool_use","id":"1","name":"draw","input":{"a":1}},{"type":"tool_use","id":"2","name":"draw","input":{}}]},
		{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"1","is_error":false,"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},
			{"type":"tool_result","tool_use_id":"2","is_error":true,"content":[{"type":"text","text":"no object"}]}]}]}`)
	if !reflect.DeepEqual(a.body, want) || a.paths[0] != "/base/v1/messages" || a.header.Get("X-Api-Key") != "secret" || a.header.Get("Anthropic-Version") != "2023-06-01" {
		t.Errorf("it was sent %v with %v:\n%v\nwant\n%v", a.paths, a.header, a.body, want)
	}
}

func TestChatCompletionsGetWholeConversations(t *testing.T) {
	a, m := start(t, "openai:some-model", says(`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"3","type":"function","function":{"name":"draw","arguments":"{\"b\":2}"}},
		{"id":"4","type":"function","function":{"name":"draw","arguments":"{b:"}}]}}],"usage":{"prompt_tokens":7,"completion_tokens":5}}`))
	got, err := m.Answer(t.Context(), conversation)
	if want := (Answer{"", []Call{{"3", "draw", json.RawMessage(`{"b":2}`)}, {"4", "draw", json.RawMessage(`"{b:"`)}}, 7, 5}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if got.Calls[1].IsValid() || !got.Calls[0].IsValid() {
		t.Error("a call without an object as its arguments is valid")
	}
	want := parsed(t, `{"model":"some-model","tools":[{"type":"function","function":{"name":"draw","description":"Draws.","parameters":{"type":"object"}}}],"messages":[
		{"role":"system","content":"Be brief."},{"role":"user","content":"Draw."},
		{"role":"assistant","content":"Now.","tool_calls":[{"id":"1","type":"function","function":{"name":"draw","arguments":"{\"a\":1}"}},{"id":"2","type":"function","function":{"name":"draw","arguments":"{a:"}}]},
		{"role":"tool","tool_call_id":"1","content":"\n(1 pictures are not shown)"},{"role":"tool","tool_call_id":"2","content":"no object"}]}`)
	if !reflect.DeepEqual(a.body, want) || a.paths[0] != "/base/chat/completions" || a.header.Get("Authorization") != "Bearer secret" {
		t.Errorf("it was sent %v with %v:\n%v\nwant\n%v", a.paths, a.header, a.body, want)
	}
}

func TestABusyAPIIsAskedAgain(t *testing.T) {
	good := says(`{"content":[{"type":"text","text":"ok"}]}`)
	for _, c := range []struct {
		name    string
		answers []func(http.ResponseWriter)
		tries   int
		want    string // of the error
	}{
		{"at once", []func(http.ResponseWriter){good}, 1, ""},
		{"after 429 and 529", []func(http.ResponseWriter){refuses(429), refuses(529), good}, 3, ""},
		{"always busy", []func(http.ResponseWriter){refuses(503)}, maxTries, "503 Service Unavailable: busy"},
		{"refused", []func(http.ResponseWriter){refuses(400)}, 1, "400 Bad Request: busy"},
		{"no JSON", []func(http.ResponseWriter){says("<html>")}, 1, "something else than JSON"},
	} {
		a, m := start(t, "anthropic:m", c.answers...)
		got, err := m.Answer(t.Context(), conversation)
		if len(a.paths) != c.tries || c.want == "" && (err != nil || got.Text != "ok") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %+v, %v after %d tries", c.name, got, err, len(a.paths))
		}
	}
	a, m := start(t, "openai:m", says(`{"choices":[]}`))
	if _, err := m.Answer(t.Context(), conversation); err == nil || len(a.paths) != 1 {
		t.Errorf("an answer without choices: %v", err)
	}
}

func TestALineOfJSONIsAnAnswer(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader(`{"calls":[{"name":"draw","arguments":{"a":1}}]}

{"calls":[{"arguments":{}}]}
{"call":[]}
{"text":"a"} {"text":"b"}
{"text":"done"}
`)
	m, err := New("stdio", nil, in, &out)
	if err != nil {
		t.Fatal(err)
	}
	first := conversation
	first.Messages = first.Messages[:1]
	got, err := m.Answer(t.Context(), first)
	if want := (Answer{Calls: []Call{{"", "draw", json.RawMessage(`{"a":1}`)}}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = m.Answer(t.Context(), conversation); err != nil || got.Text != "done" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := m.Answer(t.Context(), first); err == nil || err.Error() != "stdin ended before the answer" {
		t.Errorf("after the end: %v", err)
	}
	if _, err := m.Answer(t.Context(), first); err == nil {
		t.Error("it answers after the end")
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{
		`{"system":"Be brief.","tools":[{"name":"draw","description":"Draws.","schema":{"type":"object"}}],"messages":[{"role":"user","text":"Draw."}]}`,
		`{"messages":[{"role":"tool","results":[{"id":"1","text":"","images":[{"type":"image/png","data":"AAAA"}]},{"id":"2","text":"no object","error":true}]}]}`,
		`{"error":"this is no answer: a call has no name; `, `{"error":"this is no answer: json: unknown field \"call\"; `, `{"error":"this is no answer: something follows it; `,
		`{"system":"Be brief.",`,
	} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Fatalf("line %d of\n%s\nis not %s", i+1, out.String(), want)
		}
	}
}

func TestUnknownModelsAreRefused(t *testing.T) {
	for _, name := range []string{"", "gpt", "openai:", "anthropic", "other:model", "stdio:x"} {
		if m, err := New(name, func(string) string { return "" }, nil, nil); err == nil {
			t.Errorf("%q is %v", name, m)
		}
	}
}
