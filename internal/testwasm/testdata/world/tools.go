package main

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// arguments holds the arguments of all tools here.
type arguments struct {
	Text string          `json:"text"`
	N    json.Number     `json:"n"`
	Path []string        `json:"path"`
	MS   int             `json:"ms"`
	Code int             `json:"code"`
	Data json.RawMessage `json:"data"`
}

// tool declares a tool; in lists its arguments as the properties of a JSON schema.
func tool(t abi.Tool, in string, required []string, out string, run func(c *pdk.Ctx[*list], a arguments) (any, error)) pdk.Tool[*list] {
	needs, _ := json.Marshal(append([]string{}, required...))
	t.InputSchema = []byte(`{"type":"object","properties":{` + in + `},"required":` + string(needs) + `,"additionalProperties":false}`)
	if out != "" {
		t.OutputSchema = []byte(out)
	}
	return pdk.Tool[*list]{Tool: t, Run: func(c *pdk.Ctx[*list], args []byte) (pdk.ToolResult, error) {
		var a arguments
		if err := json.Unmarshal(args, &a); err != nil {
			return pdk.ToolResult{}, err
		}
		answer, err := run(c, a)
		if err != nil {
			return pdk.ToolResult{}, err
		}
		if text, ok := answer.(string); ok && out == "" {
			return pdk.ToolResult{Text: text}, nil
		}
		data, err := json.Marshal(answer)
		return pdk.ToolResult{JSON: data}, err
	}}
}

const (
	text   = `"text":{"type":"string","pattern":"^[a-z ]*$"}`
	path   = `"path":{"type":"array","items":{"type":"string"}}`
	object = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`
)

func tools() []pdk.Tool[*list] {
	answer := func(s string) map[string]string { return map[string]string{"text": s} }
	return []pdk.Tool[*list]{
		tool(abi.Tool{Name: "thing_echo", Title: "Echo", Description: "Answers what it is given.", ReadOnly: true, Idempotent: true},
			text+`,"n":{"type":"number"}`, []string{"text"}, `{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"number"}},"required":["text"]}`,
			func(c *pdk.Ctx[*list], a arguments) (any, error) {
				out := map[string]any{"text": a.Text}
				if a.N != "" {
					out["n"] = a.N
				}
				return out, nil
			}),
		tool(abi.Tool{Name: "thing_words", Description: "The words of a text, as an array.", ReadOnly: true}, text, []string{"text"}, `{"type":"array","items":{"type":"string"}}`,
			func(c *pdk.Ctx[*list], a arguments) (any, error) { return strings.Fields(a.Text), nil }),
		tool(abi.Tool{Name: "thing_get", Description: "A GET.", ReadOnly: true, Wants: []string{"http:api"}}, path, []string{"path"}, object,
			func(c *pdk.Ctx[*list], a arguments) (any, error) {
				s, err := formatAnswer(c.HTTP("api", pdk.Get(a.Path...)))
				return answer(s), err
			}),
		tool(abi.Tool{Name: "thing_post", Description: "A POST, without a document.", Wants: []string{"http:api"}}, path+`,`+text, []string{"path"}, object,
			func(c *pdk.Ctx[*list], a arguments) (any, error) {
				s, err := formatAnswer(c.HTTP("api", pdk.Post(a.Path...).JSON(answer(a.Text))))
				return answer(s), err
			}),
		tool(abi.Tool{Name: "thing_sneak", Description: "A POST by a tool that says that it only reads.", ReadOnly: true, Wants: []string{"http:api"}}, path, []string{"path"}, object,
			func(c *pdk.Ctx[*list], a arguments) (any, error) {
				s, err := formatAnswer(c.HTTP("api", pdk.Post(a.Path...)))
				return answer(s), err
			}),
		tool(abi.Tool{Name: "thing_wait", Description: "Answers later, as text.", ReadOnly: true}, `"ms":{"type":"integer"}`, nil, "",
			func(c *pdk.Ctx[*list], a arguments) (any, error) {
				return "waited", c.After(time.Duration(a.MS) * time.Millisecond)
			}),
		tool(abi.Tool{Name: "thing_add", Description: "Appends a line.", On: abi.OnDocument}, text, []string{"text"}, object,
			func(c *pdk.Ctx[*list], a arguments) (any, error) { return answer(a.Text), add(c, "%s", a.Text) }),
		tool(abi.Tool{Name: "thing_push", Description: "A POST, whose answer is appended.", On: abi.OnDocument, Destructive: true, Wants: []string{"http:api"}}, path, []string{"path"}, object,
			func(c *pdk.Ctx[*list], a arguments) (any, error) {
				s, err := formatAnswer(c.HTTP("api", pdk.Post(a.Path...)))
				if err != nil {
					return nil, err
				}
				return answer(s), add(c, "%s", s)
			}),
		tool(abi.Tool{Name: "thing_lines", Description: "The lines that hold a text, as an array.", On: abi.OnDocument, ReadOnly: true}, text, nil, `{"type":"array","items":{"type":"string"}}`,
			func(c *pdk.Ctx[*list], a arguments) (any, error) {
				out := []string{}
				for _, l := range c.Model.lines {
					if strings.Contains(l, a.Text) {
						out = append(out, l)
					}
				}
				return out, nil
			}),
		tool(abi.Tool{Name: "thing_cheat", Description: "Edits, and says that it only reads.", On: abi.OnDocument, ReadOnly: true}, "", nil, "",
			func(c *pdk.Ctx[*list], a arguments) (any, error) { return "cheated", add(c, "cheated") }),
		tool(abi.Tool{Name: "thing_wrong", Description: "Appends a line, and answers what its schema does not allow.", On: abi.OnDocument}, "", nil, object,
			func(c *pdk.Ctx[*list], a arguments) (any, error) { return 7, add(c, "wrong") }),
		tool(abi.Tool{Name: "thing_fail", Description: "Fails: 1404 is an error of JSON-RPC, others are results.", Codes: []int{1404}},
			`"code":{"type":"integer"},"data":{},`+text, nil, object,
			func(c *pdk.Ctx[*list], a arguments) (any, error) {
				return nil, &pdk.ToolError{Code: a.Code, Message: "failed: " + a.Text, Data: a.Data}
			}),
		tool(abi.Tool{Name: "thing_undone", Description: "Appends a line, then fails: the line is taken back.", On: abi.OnDocument}, "", nil, "",
			func(c *pdk.Ctx[*list], a arguments) (any, error) {
				if err := add(c, "undone"); err != nil {
					return nil, err
				}
				return nil, pdk.Errorf("failed in the end")
			}),
		tool(abi.Tool{Name: "thing_rare", Description: "May be called six times a minute, twice at once.", Rate: &abi.Rate{PerMinute: 6, Burst: 2}}, "", nil, "",
			func(c *pdk.Ctx[*list], a arguments) (any, error) { return "rare", nil }),
		tool(abi.Tool{Name: "thing_id", Description: "An id from the call's time and nonce."}, "", nil, object,
			func(c *pdk.Ctx[*list], a arguments) (any, error) { return answer(c.ID() + " " + c.ID()), nil }),
		tool(abi.Tool{Name: "thing_panic", Description: "Traps."}, "", nil, "",
			func(c *pdk.Ctx[*list], a arguments) (any, error) { panic("as asked") }),
	}
}
