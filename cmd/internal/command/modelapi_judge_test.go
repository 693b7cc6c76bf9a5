package command

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// toolCall is a call that the stand-in's model makes.
type toolCall struct {
	tool string // as the server names it
	args map[string]any
}

// seenTool is a tool in a request to the model.
type seenTool struct {
	name, description string
	schema            map[string]any
}

// modelRequest is a request to the model, in the form that all APIs have in common.
type modelRequest struct {
	system  string
	prompts []string // what the person and the client say
	tools   []seenTool
	called  int      // turns in which the model called tools
	results []string // what those calls gave the model, in order
}

// tool returns the tool of this name; ok is false if the request does not have it.
func (r *modelRequest) tool(name string) (found seenTool, ok bool) {
	for _, t := range r.tools {
		if t.name == name {
			return t, true
		}
	}
	return seenTool{}, false
}

// modelAPI is a model's API on the loopback: a stand-in that plays turns of tool calls, then says "finished". It speaks
// the Messages API, generateContent, and chat completions.
type modelAPI struct {
	*httptest.Server
	t      *testing.T
	prefix string // of the names of our tools
	turns  [][]toolCall

	mu       sync.Mutex
	requests []modelRequest // those of the conversation, in order
	outside  []string       // where else the client tried to connect
}

// modelTask is the prompt by which the stand-in knows the conversation among the requests that clients make beside it.
const modelTask = "Write the song of the stand-in."

func startModelAPI(t *testing.T) *modelAPI {
	t.Helper()
	m := &modelAPI{t: t}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// environment returns the environment of a client with the home folder home, which can reach only this machine.
func (m *modelAPI) environment(home string, more ...string) []string {
	return append([]string{"HOME=" + home, "PATH=/usr/bin:/bin", "TERM=dumb", "HTTP_PROXY=" + m.URL, "HTTPS_PROXY=" + m.URL, "http_proxy=" + m.URL, "https_proxy=" + m.URL,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost"}, more...)
}

// seen returns the requests of the conversation.
func (m *modelAPI) seen() []modelRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.outside) > 0 {
		m.t.Logf("refused connections to %q", slices.Compact(slices.Sorted(slices.Values(m.outside))))
	}
	return slices.Clone(m.requests)
}

// ServeHTTP implements http.Handler.
func (m *modelAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.Host != "" {
		m.mu.Lock()
		m.outside = append(m.outside, r.Host)
		m.mu.Unlock()
		w.WriteHeader(http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var read func([]byte) (modelRequest, error)
	var write func(w io.Writer, calls []toolCall, named func(toolCall) (string, map[string]any))
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/messages"):
		read, write = readMessages, writeMessages
	case strings.HasSuffix(path, "GenerateContent"), strings.HasSuffix(path, ":generateContent"):
		read, write = readGenerate, writeGenerate
	case strings.HasSuffix(path, "/chat/completions"):
		read, write = readCompletions, writeCompletions
	case strings.HasSuffix(path, "/count_tokens"), strings.HasSuffix(path, ":countTokens"):
		fmt.Fprint(w, `{"input_tokens":1,"totalTokens":1}`)
		return
	default:
		http.NotFound(w, r)
		return
	}
	q, err := read(body)
	if err != nil {
		m.t.Errorf("%s: %v\n%.2000s", r.URL.Path, err, body)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var calls []toolCall
	if slices.ContainsFunc(q.prompts, func(s string) bool { return strings.Contains(s, modelTask) }) && len(q.tools) > 0 {
		m.mu.Lock()
		m.requests = append(m.requests, q)
		if dir := os.Getenv("FCP_REQUESTS"); dir != "" {
			_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.json", m.t.Name(), len(m.requests))), body, 0o600)
		}
		m.mu.Unlock()
		if q.called < len(m.turns) {
			calls = m.turns[q.called]
		}
	}
	streams := strings.Contains(r.URL.Path, "stream") || strings.Contains(strings.ReplaceAll(string(body), " ", ""), `"stream":true`)
	w.Header().Set("Content-Type", map[bool]string{true: "text/event-stream", false: "application/json"}[streams])
	out := io.Writer(w)
	if !streams {
		out = &wholeReply{w: w, path: r.URL.Path}
	}
	write(out, calls, func(c toolCall) (string, map[string]any) { return m.call(q, c) })
}

// wholeReply answers a request that wants no stream. Only those beside the conversation do: they get a text.
type wholeReply struct {
	w    io.Writer
	path string
	done bool
}

// Write implements io.Writer.
func (s *wholeReply) Write(b []byte) (int, error) {
	if s.done {
		return len(b), nil
	}
	s.done = true
	switch {
	case strings.HasSuffix(s.path, "/messages"):
		fmt.Fprint(s.w, `{"id":"m","type":"message","role":"assistant","model":"stand-in","content":[{"type":"text","text":"finished"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
	case strings.HasSuffix(s.path, "/completions"):
		fmt.Fprint(s.w, `{"id":"m","object":"chat.completion","model":"stand-in","choices":[{"index":0,"message":{"role":"assistant","content":"finished"},"finish_reason":"stop"}]}`)
	default:
		fmt.Fprint(s.w, `{"candidates":[{"content":{"role":"model","parts":[{"text":"finished"}]},"finishReason":"STOP"}]}`)
	}
	return len(b), nil
}

// call returns a call as the client names its tool, with what the client asks the model to add.
func (m *modelAPI) call(r modelRequest, c toolCall) (name string, args map[string]any) {
	name, args = m.prefix+c.tool, maps.Clone(c.args)
	if t, ok := r.tool(c.tool); ok { // the client's own
		return t.name, args
	}
	t, _ := r.tool(name)
	properties, _ := t.schema["properties"].(map[string]any)
	if _, ok := properties["wait_for_previous"]; ok {
		args["wait_for_previous"] = true
	}
	return name, args
}

func sse(w io.Writer, kind string, v any) {
	data, _ := json.Marshal(v)
	if kind != "" {
		fmt.Fprintf(w, "event: %s\n", kind)
	}
	fmt.Fprintf(w, "data: %s\n\n", data)
}

type object = map[string]any

// texts returns the strings in a message's content: a string, or blocks with texts at any depth.
func texts(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			all = append(all, texts(e)...)
		}
	case object:
		for _, key := range []string{"text", "tool_name", "content", "parts", "functionResponse", "response", "output", "error"} {
			all = append(all, texts(v[key])...)
		}
	}
	return all
}

func readMessages(body []byte) (r modelRequest, err error) {
	var q struct {
		System any
		Tools  []struct {
			Name, Description string
			Schema            object `json:"input_schema"`
		}
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return r, err
	}
	r.system = strings.Join(texts(q.System), "\n")
	for _, t := range q.Tools {
		r.tools = append(r.tools, seenTool{t.Name, t.Description, t.Schema})
	}
	for _, m := range q.Messages {
		blocks, _ := m.Content.([]any)
		calls := false
		for _, b := range blocks {
			b, _ := b.(object)
			switch b["type"] {
			case "tool_use":
				calls = true
			case "tool_result":
				r.results = append(r.results, strings.Join(texts(b["content"]), "\n"))
			}
		}
		if calls {
			r.called++
		}
		if m.Role == "user" {
			r.prompts = append(r.prompts, texts(m.Content)...)
		}
	}
	return r, nil
}

func writeMessages(w io.Writer, calls []toolCall, named func(toolCall) (string, map[string]any)) {
	sse(w, "message_start", object{"type": "message_start", "message": object{"id": "msg_" + rand.Text(), "type": "message", "role": "assistant", "model": "stand-in", "content": []any{}, "usage": object{"input_tokens": 1, "output_tokens": 1}}})
	block := func(i int, start, delta object) {
		sse(w, "content_block_start", object{"type": "content_block_start", "index": i, "content_block": start})
		sse(w, "content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta})
		sse(w, "content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	for i, c := range calls {
		name, args := named(c)
		data, _ := json.Marshal(args)
		block(i, object{"type": "tool_use", "id": "toolu_" + rand.Text(), "name": name, "input": object{}}, object{"type": "input_json_delta", "partial_json": string(data)})
	}
	why := "tool_use"
	if len(calls) == 0 {
		why = "end_turn"
		block(0, object{"type": "text", "text": ""}, object{"type": "text_delta", "text": "finished"})
	}
	sse(w, "message_delta", object{"type": "message_delta", "delta": object{"stop_reason": why, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
	sse(w, "message_stop", object{"type": "message_stop"})
}

func readGenerate(body []byte) (r modelRequest, err error) {
	var q struct {
		System any `json:"systemInstruction"`
		Tools  []struct {
			Declarations []struct {
				Name, Description string
				Schema            object `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		}
		Contents []struct {
			Role  string
			Parts []object
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return r, err
	}
	r.system = strings.Join(texts(q.System), "\n")
	for _, t := range q.Tools {
		for _, d := range t.Declarations {
			r.tools = append(r.tools, seenTool{d.Name, d.Description, d.Schema})
		}
	}
	for _, c := range q.Contents {
		calls := false
		for _, p := range c.Parts {
			if p["functionCall"] != nil {
				calls = true
			}
			if res := p["functionResponse"]; res != nil {
				r.results = append(r.results, strings.Join(texts(res), "\n"))
			} else if c.Role == "user" {
				r.prompts = append(r.prompts, texts(p)...)
			}
		}
		if calls {
			r.called++
		}
	}
	return r, nil
}

func writeGenerate(w io.Writer, calls []toolCall, named func(toolCall) (string, map[string]any)) {
	var parts []any
	for _, c := range calls {
		name, args := named(c)
		parts = append(parts, object{"functionCall": object{"name": name, "args": args}})
	}
	if len(parts) == 0 {
		parts = []any{object{"text": "finished"}}
	}
	sse(w, "", object{"candidates": []any{object{"index": 0, "content": object{"role": "model", "parts": parts}, "finishReason": "STOP"}}, "usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})
}

func readCompletions(body []byte) (r modelRequest, err error) {
	var q struct {
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        object
			}
		}
		Messages []struct {
			Role      string
			Content   any
			ToolCalls []any `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return r, err
	}
	for _, t := range q.Tools {
		r.tools = append(r.tools, seenTool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	for _, m := range q.Messages {
		text := strings.Join(texts(m.Content), "\n")
		switch m.Role {
		case "system":
			r.system += text
		case "user":
			r.prompts = append(r.prompts, text)
		case "tool":
			r.results = append(r.results, text)
		}
		if len(m.ToolCalls) > 0 {
			r.called++
		}
	}
	return r, nil
}

func writeCompletions(w io.Writer, calls []toolCall, named func(toolCall) (string, map[string]any)) {
	chunk := func(delta object, why any) {
		sse(w, "", object{"id": "m", "object": "chat.completion.chunk", "created": 1, "model": "stand-in", "choices": []any{object{"index": 0, "delta": delta, "finish_reason": why}}})
	}
	why := "tool_calls"
	for i, c := range calls {
		name, args := named(c)
		data, _ := json.Marshal(args)
		chunk(object{"role": "assistant", "tool_calls": []any{object{"index": i, "id": "call_" + rand.Text(), "type": "function", "function": object{"name": name, "arguments": string(data)}}}}, nil)
	}
	if len(calls) == 0 {
		why = "stop"
		chunk(object{"role": "assistant", "content": "finished"}, nil)
	}
	chunk(object{}, why)
	fmt.Fprint(w, "data: [DONE]\n\n")
}
