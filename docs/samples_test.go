package docs_test

import (
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/abi"
)

// splice has the fields of the toy domain's edit, which are the data of its events.
type splice struct {
	At       int
	Old, New []string
}

func encodeSplice(t *testing.T, s splice) []byte {
	t.Helper()
	data, err := msgpack.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// samples returns messages of the types that the worked exchange does not show.
func samples() map[string]any {
	return map[string]any{
		"Manifest": &abi.Manifest{
			ABI: abi.Version, Domain: "todo", Title: "Checklist", Version: "1.0.0", Summary: "checklists", Extensions: []string{".todo"},
			Verbs: []abi.Verb{{Name: "add", Syntax: "add TEXT", Summary: "add a task", Min: 1, Max: 1, Examples: []string{"add milk"}}},
		},
		"OpenRequest": &abi.OpenRequest{Name: "a.todo", Data: []byte("- [ ] milk\n")},
		"HelpResponse": &abi.HelpResponse{Sections: []abi.Section{
			{Title: "Own shapes", Lines: []string{"acme.router"}},
		}},
		"ExportRequest":  &abi.ExportRequest{Format: "svg", Params: []abi.KeyValue{{Key: "page", Value: "2"}}},
		"SessionRequest": &abi.SessionRequest{Command: abi.Op{Verb: "import", Positionals: []abi.Positional{{Text: "b.csv"}}, Raw: "import b.csv"}, Name: "b.csv", Data: []byte("a,b\n")},
		"Error":          &abi.Error{Message: "tempo 0 is out of range 20-300", Try: []abi.Suggestion{{Kind: abi.TryOp, Text: "tempo 120"}}},
	}
}

// call is one step of the worked exchange.
type call struct {
	export  string
	title   string
	in, out any // nil for none
}

// exchange returns the calls of the worked exchange: a document of the toy domain from new to save. A test compares its bytes
// with the answers of the toy domain.
func exchange(t *testing.T) []call {
	event := abi.Event{Type: "splice", Summary: "add Buy milk", IDs: []string{"Buy milk"},
		Data: encodeSplice(t, splice{At: 1, New: []string{"- [ ] Buy milk"}})}
	empty := abi.State{Digest: "0 tasks 0 done 2 lines"}
	full := abi.State{Digest: "1 tasks 0 done 3 lines"}
	return []call{
		{abi.ExportNew, "A client sends the action `new \"Saturday\"`.",
			&abi.NewRequest{Title: "Saturday"}, &abi.OpenResponse{State: empty}},
		{abi.ExportApply, "It sends the op `add \"Buy milk\"`.",
			&abi.ApplyRequest{Ops: []abi.Op{{Verb: "add", Positionals: []abi.Positional{{Text: "Buy milk", Quoted: true}}, Raw: `add "Buy milk"`}}},
			&abi.ApplyResponse{Results: []abi.Result{{Kind: abi.Created, Text: `"Buy milk"`, Events: []abi.Event{event}, IDs: []string{"Buy milk"}}}, State: full}},
		{abi.ExportQuery, "It sends the query `stats`.",
			&abi.QueryRequest{Query: abi.Op{Verb: "stats", Raw: "stats"}}, &abi.QueryResponse{Text: "1 tasks 0 done 3 lines"}},
		{abi.ExportApply, "It sends an op that fails.",
			&abi.ApplyRequest{Ops: []abi.Op{{Verb: "done", Positionals: []abi.Positional{{Text: "bread"}}, Raw: "done bread"}}},
			&abi.ApplyResponse{Results: []abi.Result{{Error: &abi.Error{Message: `task "bread" not found`}}}, State: full}},
		{abi.ExportReverse, "It sends the action `undo`. The host passes the event back unchanged.",
			&abi.EventsRequest{Events: []abi.Event{event}}, &abi.StateResponse{State: empty}},
		{abi.ExportReplay, "It sends the action `redo`.",
			&abi.EventsRequest{Events: []abi.Event{event}}, &abi.StateResponse{State: full}},
		{abi.ExportSave, "It sends the action `save as:./saturday.todo`.",
			&abi.SaveRequest{Name: "saturday.todo"}, &abi.SaveResponse{Data: []byte("# Saturday\n- [ ] Buy milk\n")}},
	}
}
