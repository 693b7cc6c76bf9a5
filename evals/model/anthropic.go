package model

import (
	"context"
	"encoding/json"
)

// anthropic speaks the Messages API.
type anthropic struct {
	id string
	endpoint
}

const anthropicMaxTokens = 16_384 // of one answer

// Answer implements Model.
func (a anthropic) Answer(ctx context.Context, r Request) (Answer, error) {
	tools, messages := []any{}, []any{}
	for _, t := range r.Tools {
		tools = append(tools, map[string]any{"name": t.Name, "description": t.Description, "input_schema": t.Schema})
	}
	for _, m := range r.Messages {
		messages = append(messages, anthropicMessage(m))
	}
	in := map[string]any{"model": a.id, "max_tokens": anthropicMaxTokens, "system": r.System, "tools": tools, "messages": messages}
	var out struct {
		Content []struct {
			Type, Text, ID, Name string
			Input                json.RawMessage
		}
		Usage struct {
			In  int `json:"input_tokens"`
			Out int `json:"output_tokens"`
		}
	}
	header := map[string]string{"X-Api-Key": a.key, "Anthropic-Version": "2023-06-01"}
	if err := a.post(ctx, "/v1/messages", header, in, &out); err != nil {
		return Answer{}, err
	}
	answer := Answer{TokensIn: out.Usage.In, TokensOut: out.Usage.Out}
	for _, b := range out.Content {
		switch b.Type {
		case "text":
			answer.Text += b.Text
		case "tool_use":
			answer.Calls = append(answer.Calls, Call{b.ID, b.Name, b.Input})
		}
	}
	return answer, nil
}

// anthropicMessage returns a message as this API has it: a list of blocks. It refuses empty texts.
func anthropicMessage(m Message) map[string]any {
	content := texts(m.Text)
	for _, c := range m.Calls {
		input := c.Arguments
		if !isObject(input) {
			input = json.RawMessage("{}")
		}
		content = append(content, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": input})
	}
	for _, r := range m.Results {
		result := texts(r.Text)
		for _, i := range r.Images {
			source := map[string]any{"type": "base64", "media_type": i.Type, "data": i.Data}
			result = append(result, map[string]any{"type": "image", "source": source})
		}
		content = append(content, map[string]any{"type": "tool_result", "tool_use_id": r.ID, "is_error": r.Error, "content": result})
	}
	role := m.Role
	if role == "tool" {
		role = "user"
	}
	return map[string]any{"role": role, "content": content}
}

// texts returns the block of a text, or none.
func texts(text string) []any {
	if text == "" {
		return []any{}
	}
	return []any{map[string]any{"type": "text", "text": text}}
}
