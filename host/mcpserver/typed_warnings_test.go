package mcpserver

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestUnracedWarningsOfATypedToolAreInItsStructuredResult(t *testing.T) {
	testwasm.Unraced(t)
	const declared = `"warnings":{"items":{"type":"string"},"type":"array"}`
	for name, c := range map[string]struct {
		output, answer string
		literal        bool
		want           string
		declares       bool
	}{
		"an open object":     {`{"type":"object","properties":{"a":{}}}`, `{"a":1}`, false, `{"a":1,"warnings":["thing| careful"]} error:false | {"a":1} | ? thing| careful`, false},
		"a closed object":    {`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"a":1}`, false, `{"a":1,"warnings":["thing| careful"]} error:false | {"a":1} | ? thing| careful`, true},
		"an array":           {`{"type":"array"}`, `[1]`, false, `{"result":[1],"warnings":["thing| careful"]} error:false | [1] | ? thing| careful`, false},
		"its own warnings":   {`{"type":"object","properties":{"warnings":{"type":"array"}}}`, `{"warnings":["own"]}`, false, `{"warnings":["own","thing| careful"]} error:false | {"warnings":["own"]} | ? thing| careful`, false},
		"warnings of others": {`{"type":"object","properties":{"warnings":{"type":"integer"}}}`, `{"warnings":1}`, false, `{"warnings":1} error:false | {"warnings":1} | ? thing| careful`, false},
		"no schema":          {``, `{"a":1}`, false, `{"a":1,"warnings":["thing| careful"]} error:false | {"a":1} | ? thing| careful`, false},
		"a literal contract": {`{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"a":1}`, true, `{"a":1} error:false | {"a":1} | ? thing| careful`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := scriptedTool(t, "thing", func(m *abi.Manifest) { m.Tools[0].OutputSchema = []byte(c.output) },
				testwasm.Answers(&abi.ToolResponse{Structured: []byte(c.answer), Warnings: []string{"careful"}}))
			all := talk(t, typedServer(t, typedSet(t, newWorld(), file), Config{}, c.literal, "thing"), initialize, listTools, rawCall(2, "do_it", `{}`))
			if got := toolAnswer(t, all, 2); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
			if got := sorted(t, published(t, all, 1)["do_it"]); strings.Contains(got, declared) != c.declares {
				t.Errorf("published %s", got)
			}
		})
	}
}

// A client validates the structured content of an error, too, and shows its model nothing of one that does not fit.
func TestUnracedTheStructuredContentOfAnErrorFitsOrIsLeftOut(t *testing.T) {
	testwasm.Unraced(t)
	for name, c := range map[string]struct {
		output, message, data string
		want                  string
	}{
		"another shape":        {`{"type":"object","required":["a"]}`, "no", `{"error":"no"}`, ` error:true | {"error":"no"} | ? thing| careful`},
		"the same shape":       {`{"type":"object"}`, "no", `{"error":"no"}`, `{"error":"no","warnings":["thing| careful"]} error:true | {"error":"no"} | ? thing| careful`},
		"a message besides":    {`{"type":"object"}`, "no", `{"why":"x"}`, " error:true | no\n{\"why\":\"x\"} | ? thing| careful"},
		"no schema":            {``, "no", `{"error":"no"}`, `{"error":"no","warnings":["thing| careful"]} error:true | {"error":"no"} | ? thing| careful`},
		"an error of JSON-RPC": {``, "stop", `{"why":"x"}`, `error 1001 stop {"why":"x","warnings":["thing| careful"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := 7
			if c.message == "stop" {
				code = 1001
			}
			file := scriptedTool(t, "thing", func(m *abi.Manifest) { m.Tools[0].OutputSchema, m.Tools[0].Codes = []byte(c.output), []int{1001} },
				testwasm.Answers(&abi.ToolResponse{Error: &abi.ToolError{Code: code, Message: c.message, Data: []byte(c.data)}, Warnings: []string{"careful"}}))
			all := talk(t, typedServer(t, typedSet(t, newWorld(), file), Config{}, false, "thing"), initialize, rawCall(2, "do_it", `{}`))
			if got := toolAnswer(t, all, 2); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}
