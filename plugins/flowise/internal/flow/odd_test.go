package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// Unusual flows must keep their bytes, and edits of them must be exactly undoable.
func TestOddFlowsKeepTheLaws(t *testing.T) {
	agent := func(id, rest string) string {
		return `{"id":"` + id + `","type":"agentFlow","position":{"x":0,"y":0},"data":{"id":"` + id + `","label":"` + id + `","name":"llmAgentflow","category":"Agent Flows","inputs":{},"outputAnchors":[{"id":"` + id + `-output-llmAgentflow"}]}` + rest + `}`
	}
	edge := func(from, to string) string {
		return `{"source":"` + from + `","sourceHandle":"` + from + `-output-llmAgentflow","target":"` + to + `","targetHandle":"` + to + `"}`
	}
	for name, text := range map[string]string{
		"empty":                     `{"nodes":[],"edges":[]}`,
		"a circle":                  `{"nodes":[` + agent("a", "") + `,` + agent("b", "") + `,` + agent("c", "") + `],"edges":[` + edge("a", "b") + `,` + edge("b", "c") + `,` + edge("c", "a") + `,` + edge("a", "a") + `]}`,
		"nodes within each other":   `{"nodes":[` + agent("a", `,"parentNode":"b"`) + `,` + agent("b", `,"parentNode":"c"`) + `,` + agent("c", `,"parentNode":"b"`) + `,` + agent("d", `,"parentNode":"d"`) + `,` + agent("e", `,"parentNode":"nobody"`) + `],"edges":[` + edge("a", "d") + `]}`,
		"one id for two":            `{"nodes":[` + agent("a", "") + `,` + agent("a", "") + `,` + agent("b", `,"parentNode":"a"`) + `],"edges":[` + edge("a", "b") + `]}`,
		"nodes that are none":       `{"nodes":[null,1,"x",[],{},{"id":7},{"id":""},{"id":"a"},{"id":"b","data":null},{"id":"c","data":[]},{"id":"d","data":{"inputs":[]}}],"edges":[null,1,{"source":"a","target":"b"},{"source":null}]}`,
		"notes alone":               `{"nodes":[{"id":"n","type":"stickyNote","position":{"x":0,"y":0},"data":{"inputs":{"note":"x"}}},{"id":"m","type":"stickyNote","data":{}}],"edges":[]}`,
		"no places and sizes":       `{"nodes":[{"id":"i","type":"iteration","data":{"name":"iterationAgentflow","inputs":{}}},` + strings.Replace(agent("a", `,"parentNode":"i","extent":"parent"`), `"position":{"x":0,"y":0},`, "", 1) + `],"edges":[]}`,
		"letters of all kinds":      `{"nodes":[` + agent("größe_☺", "") + `,` + agent("a b", "") + `,` + agent("\u202eevil", "") + `,` + agent(`\"q\\`, "") + `,` + agent("-output-", "") + `],"edges":[` + edge("größe_☺", "a b") + `]}`,
		"numbers beyond any":        `{"nodes":[{"id":"a","type":"customNode","position":{"x":1e400,"y":-1e400},"width":12345678901234567890,"height":1e-400,"data":{"name":"chatOpenAI","version":1e400,"inputs":{"temperature":12345678901234567890,"x":1E400}}},{"id":"b","position":{"x":"7","y":{}},"data":{"inputs":{}}}],"edges":[],"viewport":{"zoom":1e400}}`,
		"members twice":             `{"nodes":[],"nodes":[` + agent("a", "") + `],"edges":[],"edges":[],"x":1,"x":2}`,
		"lists where objects stand": `{"nodes":[{"id":"a","type":"agentFlow","position":[1,2],"data":{"name":"conditionAgentflow","inputs":{"conditions":{"a":1}},"inputParams":{"x":1},"inputAnchors":[[]],"outputAnchors":{"a":[]}}}],"edges":[]}`,
		"a flow in a flow":          `{"nodes":[` + agent("a", "") + `],"edges":[],"flowData":7,"chatflow":"{\"nodes\":[],\"edges\":[]}"}`,
	} {
		t.Run(name, func(t *testing.T) {
			doc := pdktest.Open(t, Domain(), "odd.json", []byte(text), world(&flowise.Server{}))
			if string(doc.Save()) != text {
				t.Fatal("it is saved differently")
			}
			for _, q := range []string{"map", "graph", "stats", "validate", "list @all", "list @orphan", "list @missing-input", "find a", "preview", "types condition"} {
				doc.Query(q)
			}
			doc.Laws("note A", "layout", "layout dir:TB", "modify @all label:x", "modify a conditions:'[{},{},{}]'", "copy a as:b_1", "repeat a count:2", "connect a -> b", "connect b_1 -> a", "disconnect a -> b", "remove @orphan", "remove a", "add node startAgentflow", "add node chatOpenAI", "layout")
		})
	}
}

// A large flow can be edited quickly, and nothing of it is lost.
func TestALargeFlowIsEdited(t *testing.T) {
	var nodes, edges []string
	for i := range 1500 {
		nodes = append(nodes, fmt.Sprintf(`{"id":"n_%d","type":"agentFlow","position":{"x":%d,"y":0},"width":120,"height":66,"data":{"id":"n_%d","label":"N %d","name":"llmAgentflow","category":"Agent Flows","inputs":{"text":"%s"},"inputParams":[],"inputAnchors":[],"outputAnchors":[{"id":"n_%d-output-llmAgentflow"}]}}`, i, i*200, i, i, strings.Repeat("x", 300), i))
		if i > 0 {
			edges = append(edges, fmt.Sprintf(`{"source":"n_%d","sourceHandle":"n_%d-output-llmAgentflow","target":"n_%d","targetHandle":"n_%d"}`, (i-1)/2, (i-1)/2, i, i))
		}
	}
	text := `{"nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
	doc := pdktest.Open(t, Domain(), "large.json", []byte(text), world(&flowise.Server{}))
	doc.Do("modify n_7 label:Seven", "connect n_1499 -> n_1000", "copy n_3 as:extra", "layout", "remove extra")
	doc.Undo(5)
	if string(doc.Save()) != text {
		t.Error("undo does not lead back")
	}
}
