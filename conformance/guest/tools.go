package guest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/schema"
)

// checkTools calls each typed tool with arguments that its schema allows, and compares the answer with its declaration.
func (j *judge) checkTools(w *walked) {
	for i := range j.m.Tools {
		if j.over() {
			return
		}
		j.checkTool(w, &j.m.Tools[i])
	}
}

func (j *judge) checkTool(w *walked, t *abi.Tool) {
	arguments := example(t.InputSchema)
	in, err := schema.Compile(t.InputSchema)
	if !j.expect("tools", err == nil, "the input schema of %s: %s", t.Name, problem(err)) {
		return
	}
	if v, err := schema.Decode(arguments); err != nil || in.Check(v) != nil {
		return // no example can be made from this schema
	}
	var events []abi.Event
	if w != nil {
		events = w.events(0)
	}
	doc, err := j.documentFrom(events)
	if err != nil {
		return // the check "recovery" reports it
	}
	defer doc.close()
	was, err := doc.moment()
	if err != nil {
		return
	}
	var out abi.ToolResponse
	err = doc.call(abi.ExportTool, &abi.ToolRequest{Name: t.Name, Arguments: arguments, Now: now, Nonce: nonce(t.Name)}, &out)
	what := fmt.Sprintf("%s %s", t.Name, arguments)
	if !j.countFault("the tool "+what, err) {
		return
	}
	if !j.expect("tools", err == nil, "%s: a tool fails by an error in its answer, not by refusing the call: %s", what, problem(err)) {
		return
	}
	j.expect("tools", len(out.Events) == 0 || out.Error == nil && t.On != "" && !t.ReadOnly, "%s has events, and it failed, only reads, or works on no document", what)
	j.expect("tools", len(out.Events) == 0 || out.Summary != "", "%s changed the document, and has no summary for history", what)
	if e := out.Error; e != nil {
		j.expect("tools", e.Message != "" && (e.Data == nil || json.Valid(e.Data)), "%s fails without a message, or with data that is not JSON", what)
	} else {
		j.checkToolAnswer(t, what, &out)
	}
	if err := doc.reverse(out.Events); err != nil {
		j.expect("tools", false, "the events of %s cannot be reversed: %v", what, err)
		return
	}
	now, err := doc.moment()
	if !j.countFault("save and state after "+what, err) {
		return
	}
	d := difference(was, now)
	j.expect("tools", d == "", "after %s, and its %d events reversed: %s", what, len(out.Events), d)
}

// checkToolAnswer checks a tool's answer against its output schema.
func (j *judge) checkToolAnswer(t *abi.Tool, what string, out *abi.ToolResponse) {
	if len(t.OutputSchema) == 0 {
		j.expect("tools", out.Structured == nil || json.Valid(out.Structured), "%s gives an answer that is not JSON: %.100q", what, out.Structured)
		j.expect("tools", out.Structured != nil || out.Text != "", "%s answers nothing", what)
		return
	}
	s, err := schema.Compile(t.OutputSchema)
	if !j.expect("tools", err == nil, "the output schema of %s: %s", t.Name, problem(err)) {
		return
	}
	v, err := schema.Decode(out.Structured)
	if err == nil {
		err = s.Check(v)
	}
	j.expect("tools", err == nil, "%s gives an answer that its schema does not allow: %s", what, problem(err))
}

// example makes a value that the schema probably allows: the required members, with the declared types.
func example(s []byte) []byte {
	var root any
	if json.Unmarshal(s, &root) != nil {
		return []byte("{}")
	}
	data, err := json.Marshal(sample(root, 0))
	if err != nil {
		return []byte("{}")
	}
	return data
}

func sample(of any, depth int) any {
	s, _ := of.(map[string]any)
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	for _, key := range []string{"const", "default"} {
		if v, ok := s[key]; ok {
			return v
		}
	}
	kind, _ := s["type"].(string)
	if list, ok := s["type"].([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	switch kind {
	case "string":
		if least, _ := s["minLength"].(float64); least > 11 && least < 1000 {
			return string(slices.Repeat([]byte("x"), int(least)))
		}
		return "conformance"
	case "integer", "number":
		if least, ok := s["minimum"].(float64); ok {
			return least
		}
		return 1
	case "boolean":
		return true
	case "null":
		return nil
	case "array":
		out := []any{}
		if least, _ := s["minItems"].(float64); least > 0 && depth < 8 {
			out = append(out, sample(s["items"], depth+1))
		}
		return out
	}
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range required {
		if key, ok := name.(string); ok && depth < 8 {
			out[key] = sample(properties[key], depth+1)
		}
	}
	return out
}
