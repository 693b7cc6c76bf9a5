package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// openai speaks chat completions.
type openai struct {
	id string
	endpoint
}

// openaiCall is a call in an answer, and in later requests.
type openaiCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"` // JSON, if the model made no mistake
	} `json:"function"`
}

// Answer implements Model.
func (o openai) Answer(ctx context.Context, r Request) (Answer, error) {
	tools, messages := []any{}, []any{map[string]any{"role": "system", "content": r.System}}
	for _, t := range r.Tools {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Schema}})
	}
	for _, m := range r.Messages {
		messages = append(messages, openaiMessages(m)...)
	}
	var out struct {
		Choices []struct {
			Message struct {
				Content string
				Calls   []openaiCall `json:"tool_calls"`
			}
		}
		Usage struct {
			In  int `json:"prompt_tokens"`
			Out int `json:"completion_tokens"`
		}
	}
	header := map[string]string{"Authorization": "Bearer " + o.key}
	if err := o.post(ctx, "/chat/completions", header, map[string]any{"model": o.id, "tools": tools, "messages": messages}, &out); err != nil {
		return Answer{}, err
	}
	if len(out.Choices) == 0 {
		return Answer{}, errors.New("the answer has no choices")
	}
	m := out.Choices[0].Message
	answer := Answer{Text: m.Content, TokensIn: out.Usage.In, TokensOut: out.Usage.Out}
	for _, c := range m.Calls {
		arguments := json.RawMessage(c.Function.Arguments)
		if !isObject(arguments) {
			var err error
			if arguments, err = json.Marshal(c.Function.Arguments); err != nil {
				return Answer{}, err
			}
		}
		answer.Calls = append(answer.Calls, Call{c.ID, c.Function.Name, arguments})
	}
	return answer, nil
}

// openaiMessages returns a message as this API has it: each result is a message of its own. Its tools return only text.
func openaiMessages(m Message) (out []any) {
	for _, r := range m.Results {
		text := r.Text
		if n := len(r.Images); n > 0 {
			text += fmt.Sprintf("\n(%d pictures are not shown)", n)
		}
		out = append(out, map[string]any{"role": "tool", "tool_call_id": r.ID, "content": text})
	}
	if m.Role == "tool" {
		return out
	}
	one := map[string]any{"role": m.Role, "content": m.Text}
	var calls []openaiCall
	for _, c := range m.Calls {
		call := openaiCall{ID: c.ID, Type: "function"}
		call.Function.Name, call.Function.Arguments = c.Name, string(c.Arguments)
		if !isObject(c.Arguments) {
			json.Unmarshal(c.Arguments, &call.Function.Arguments) // the text that the model sent
		}
		calls = append(calls, call)
	}
	if calls != nil {
		one["tool_calls"] = calls
	}
	return []any{one}
}
