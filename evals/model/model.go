// Package model is the language models that evals run with: what a conversation consists of, and the formats in which it is sent to
// the vendors' APIs or shown on stdout.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Model is a language model.
type Model interface {
	// Answer returns the next message of a conversation. It does not keep or change the request.
	Answer(ctx context.Context, r Request) (Answer, error)
}

// Request is a conversation up to a message of the person or results of tools.
type Request struct {
	System   string    `json:"system"`
	Tools    []Tool    `json:"tools"`
	Messages []Message `json:"messages"`
}

// Tool is a tool as a model sees it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // a JSON schema of its arguments
}

// Message is one message: the person's text, the model's text and calls, or the results of these calls, in their order.
type Message struct {
	Role    string   `json:"role"` // user, assistant or tool
	Text    string   `json:"text,omitempty"`
	Calls   []Call   `json:"calls,omitempty"`
	Results []Result `json:"results,omitempty"`
}

// Call is a call of a tool.
type Call struct {
	ID   string `json:"id,omitempty"` // unique in the conversation
	Name string `json:"name"`
	// Arguments is a JSON object, unless the model made a mistake: then it may be anything, such as a JSON string of what it sent.
	Arguments json.RawMessage `json:"arguments"`
}

// IsValid reports whether the arguments are a JSON object.
func (c Call) IsValid() bool { return isObject(c.Arguments) }

// Result is the result of a call.
type Result struct {
	ID     string  `json:"id"` // of the call
	Text   string  `json:"text"`
	Error  bool    `json:"error,omitempty"`
	Images []Image `json:"images,omitempty"`
}

// Image is a picture in a result.
type Image struct {
	Type string `json:"type"` // its media type, such as image/png
	Data string `json:"data"` // base64
}

// Answer is the next message of the model. Without calls, it ends the conversation.
type Answer struct {
	Text      string
	Calls     []Call
	TokensIn  int // as the API counts them; 0 if it does not
	TokensOut int
}

// New returns the model that a name describes: anthropic:MODEL, openai:MODEL or stdio. Addresses and keys of APIs come from
// the environment; stdio reads in and writes out.
func New(name string, getenv func(string) string, in io.Reader, out io.Writer) (Model, error) {
	api, id, _ := strings.Cut(name, ":")
	switch {
	case name == "stdio":
		return newStdio(in, out), nil
	case api == "anthropic" && id != "":
		return anthropic{id, newEndpoint(getenv, "ANTHROPIC", "https://api.anthropic.com")}, nil
	case api == "openai" && id != "":
		return openai{id, newEndpoint(getenv, "OPENAI", "https://api.openai.com/v1")}, nil
	}
	return nil, fmt.Errorf("unknown model %q: it is anthropic:MODEL, openai:MODEL or stdio", name)
}

// isObject reports whether arguments are a JSON object.
func isObject(arguments json.RawMessage) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(arguments, &o) == nil && o != nil
}
