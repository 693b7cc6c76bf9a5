// Package tools implements the contract of seven typed tools for a workspace, contract.json, whose schemas are published verbatim,
// and the commands of the command line.
package tools

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/deck"
)

//go:embed contract.json
var contract []byte

// ctx is the context of a tool's call.
type ctx = pdk.Ctx[*deck.Workspace]

// tool is a tool's implementation and description.
type tool struct {
	run               func(c *ctx, args []byte) (any, error)
	readOnly          bool
	perMinute, bursts int // rate limits; 0 for none
}

func table() map[string]tool {
	return map[string]tool{
		"read_context":          {withArgs(readContext), true, 10, 15},
		"read_doc":              {withArgs(readDoc), true, 30, 50},
		"list_tasks":            {withArgs(listTasks), true, 20, 30},
		"create_task":           {withArgs(createTask), false, 0, 0},
		"get_task_dependencies": {withArgs(dependencies), true, 0, 0},
		"validate_task_graph":   {withArgs(validate), true, 0, 0},
		"update_task":           {withArgs(updateTask), false, 10, 15},
	}
}

// All returns the tools in the contract's order.
func All() []pdk.Tool[*deck.Workspace] {
	var list []struct {
		Name, Description         string
		InputSchema, OutputSchema json.RawMessage
	}
	if err := json.Unmarshal(contract, &list); err != nil {
		panic(err) // the contract is embedded
	}
	all := table()
	var out []pdk.Tool[*deck.Workspace]
	for _, t := range list {
		is := all[t.Name]
		made := abi.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, On: abi.OnFolder,
			ReadOnly: is.readOnly, Wants: []string{abi.WantFolder}, Codes: codes, Stale: stale, Locked: locked}
		if is.perMinute > 0 {
			made.Rate = &abi.Rate{PerMinute: is.perMinute, Burst: is.bursts}
		}
		out = append(out, pdk.Tool[*deck.Workspace]{Tool: made, Run: func(c *ctx, args []byte) (pdk.ToolResult, error) {
			answer, err := is.run(c, args)
			if err != nil {
				return pdk.ToolResult{}, err
			}
			data, err := encode(answer)
			return pdk.ToolResult{JSON: data}, err
		}})
	}
	return out
}

// withArgs decodes a tool's arguments, which have been validated against its schema.
func withArgs[A any](run func(c *ctx, a A) (any, error)) func(c *ctx, args []byte) (any, error) {
	return func(c *ctx, args []byte) (any, error) {
		var a A
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, invalid("arguments", "%v", err)
		}
		return run(c, a)
	}
}

// encode writes indented JSON.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// Error codes of the contract.
const (
	fileNotFound  = 1001
	cycleDetected = 1002
	tokenLimit    = 1003
	stale         = 1006
	locked        = 1007
	rateLimit     = 429
	invalidParams = -32602
)

var codes = []int{fileNotFound, cycleDetected, tokenLimit, stale, locked, rateLimit, invalidParams}

// refuse returns an error of the contract.
func refuse(code int, message string, data any) error {
	encoded, err := encode(data)
	if err != nil {
		panic(err) // only our own values
	}
	return &pdk.ToolError{Code: code, Message: message, Data: encoded}
}

// notFound returns the error for a missing element. what is the contract's name for its kind, "" for a file.
func notFound(path, what, suggestion string) error {
	return refuse(fileNotFound, "File Not Found", struct {
		Path       string `json:"path"`
		Error      string `json:"error,omitempty"`
		Suggestion string `json:"suggestion"`
	}{path, what, suggestion})
}

// invalid returns the error for arguments that pass the schema but make no sense.
func invalid(field, format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	return refuse(invalidParams, "Invalid params: "+field+": "+reason, struct {
		Field  string `json:"field"`
		Reason string `json:"reason"`
	}{field, reason})
}

// oneLine refuses a text that does not fit on one line of a card.
func oneLine(field, text string) error {
	for _, r := range text {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return invalid(field, "it holds the control character %U; it has to be one line", r)
		}
	}
	return nil
}

// didYouMean asks whether one of some names was meant.
func didYouMean(names ...string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "'" + n + "'"
	}
	return "Did you mean " + strings.Join(quoted, " or ") + "?"
}

// cardPath returns the path of a card for read_doc.
func cardPath(id string) string { return "cards/" + id + ".md" }

// task returns the card with an id.
func task(c *ctx, id, what string) (*deck.Card, error) {
	if k := c.Model.Card(id); k != nil {
		return k, nil
	}
	var ids []string
	for _, k := range c.Model.Cards() {
		if isID(k.ID) {
			ids = append(ids, k.ID)
		}
	}
	suggestion := "list_tasks lists the ids"
	if near := pdk.Nearest(id, ids); len(near) > 0 {
		suggestion = didYouMean(near...)
	}
	return nil, notFound(deck.Cards+id+".md", what, suggestion)
}

// isID reports whether a text is an id of the contract.
func isID(id string) bool {
	return len(id) == 6 && !strings.ContainsFunc(id, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
}

// orNull returns a text for JSON, null if it is empty.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// among returns a word if it is in a list, otherwise "".
func among(word string, list []string) string {
	if slices.Contains(list, word) {
		return word
	}
	return ""
}

// Domain returns cuedeck with its typed tools and commands.
func Domain() *pdk.Domain[*deck.Workspace] {
	d := deck.Domain()
	d.Tools, d.Commands = All(), Commands()
	return d
}
