package flow

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/pdk/value"
)

// gen draws ops that often fit the flow: most names and values in them exist.
type gen struct {
	soak.Draw
	nodes []string // those of the opened flow, and those that may have been added
	n     int
}

// node names a node, or sometimes one that does not exist.
func (g *gen) node() string {
	if g.Num("bogus", 0, 20) == 0 || len(g.nodes) == 0 {
		return "nobody"
	}
	return pdk.Quote(rapid.SampledFrom(g.nodes).Draw(g.T, "node"))
}

func (g *gen) fresh() string {
	g.n++
	id := fmt.Sprintf("n_%d", g.n)
	g.nodes = append(g.nodes, id)
	return id
}

func (g *gen) targets() string {
	if g.Num("targets", 0, 2) == 0 {
		return g.Pick("selector", "@all", "@orphan", "@missing-input", "@recent:2", "@node:n*", `@category:"Agent Flows"`, "@not:orphan")
	}
	return g.node()
}

func (g *gen) place() string {
	return g.Maybe(g.Pick("beside", "near", "near", "below", "left")+":"+g.node()) + g.Maybe("dir:"+g.Pick("dir", value.Directions()...)) + g.Maybe(fmt.Sprintf("at:%d,%d.5", g.Num("x", -500, 500), g.Num("y", -500, 500)))
}

func (g *gen) text() string {
	return g.Pick("text", "plain", `"two words"`, `"a \"b\"\n{{ question }}"`, `"é ☺ \\"`, `""`, "7", "true", `'["a"]'`)
}

func (g *gen) op() string {
	switch g.Num("verb", 0, 10) {
	case 0, 1:
		return "add node " + g.Pick("type", "directReplyAgentflow", "llmAgentflow", "conditionAgentflow", "iterationAgentflow", "chatOpenAI", "bufferMemory", "conversationChain", "toolAgent", "startAgentflow") + g.Maybe("id:"+g.fresh()) + g.Maybe("label:"+g.text()) + g.Maybe("in:"+g.node()) + g.place()
	case 2:
		return "note " + g.text() + g.Maybe("id:"+g.fresh()) + g.place()
	case 3, 4:
		return "connect " + g.node() + g.Pick("arrow", " -> ", " <- ") + g.node() + g.Maybe("label:"+g.text())
	case 5:
		return "disconnect " + g.node() + " -> " + g.node()
	case 6, 7:
		return "modify " + g.targets() + " " + g.Pick("what", "label:", "directReplyMessage:", "modelName:", "temperature:", "agentModel:", "credential:", "input.label:", "agentModelConfig.x:") + g.text() + g.Maybe(fmt.Sprintf("at:%d,3", g.Num("x", -50, 50)))
	case 8:
		return g.Pick("what", "copy ", "repeat ") + g.node() + g.Maybe("count:2") + g.Maybe("as:"+g.fresh()) + g.Maybe("dir:below")
	case 9:
		return "remove " + g.Pick("what", g.targets(), g.node()+" "+g.node())
	}
	return "layout" + g.Maybe("dir:"+g.Pick("dir", "LR", "TB", "RL", "BT")) + g.Maybe("spacing:200")
}

// On shipped flows and on new ones, undo, redo, replay and save must restore every byte
// after random ops. After any op, the file must be JSON, and every node that no op
// named must keep its bytes.
func TestRandomOpsKeepTheLaws(t *testing.T) {
	var names []string
	flows := flowise.Flows()
	for name, text := range flows {
		if len(text) < 40_000 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	server := &flowise.Server{}
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{Draw: soak.Draw{T: rt}}
		var doc *pdktest.Doc
		if g.Num("new", 0, 3) == 0 {
			doc = pdktest.New(t, Domain(), `"T" type:`+g.Pick("type", "AGENTFLOW", "CHATFLOW"), world(server))
			doc.Do("note A")
		} else {
			doc = pdktest.Open(t, Domain(), "flow.json", []byte(flows[g.Pick("flow", names...)]), world(server))
		}
		f, err := parse(string(doc.Save()))
		if err != nil {
			rt.Fatal(err)
		}
		for _, n := range f.nodes {
			g.nodes = append(g.nodes, n.ID)
		}
		ops := []string{"note Kept"}
		for range g.Num("ops", 1, 8) {
			ops = append(ops, g.op())
		}
		doc.Laws(ops...)
		if text := doc.Save(); !json.Valid(text) {
			rt.Fatalf("%q made no JSON: %s", ops, text)
		}
	})
}

// The law of edits: on real flows, each node and each edge keeps its bytes unless the op's words or
// the reply name it. An edge is named by both its ends.
func TestNoOpChangesWhatNobodyNamed(t *testing.T) {
	flows := maps.Clone(flowise.Flows())
	dir := os.Getenv("FCP_SHARED")
	if dir == "" {
		dir = "../../../../../shared"
	}
	if data, err := os.ReadFile(filepath.Join(dir, "data", "flowise", "echo-agentflow.json")); err == nil {
		var export struct{ FlowData string }
		if err := json.Unmarshal(data, &export); err != nil {
			t.Fatal(err)
		}
		flows["an export of a server"] = export.FlowData
	} else {
		t.Log("without ../shared/data/flowise: only the flows that Flowise ships")
	}
	var names []string
	for name, text := range flows {
		if len(text) < 60_000 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	rules, err := grammar.CompileRules(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{Draw: soak.Draw{T: rt}}
		in := pdk.NewInstance(Domain())
		name := g.Pick("flow", names...)
		if _, err := in.Open(&abi.OpenRequest{Name: "flow.json", Data: []byte(flows[name])}); err != nil {
			rt.Fatal(err)
		}
		for _, n := range in.Model().nodes {
			g.nodes = append(g.nodes, n.ID)
		}
		for range g.Num("ops", 1, 6) {
			text := g.op()
			op, err := grammar.Parse(text, rules)
			if err != nil {
				continue
			}
			f := in.Model()
			selected := map[string]bool{}
			if len(op.Selectors) > 0 {
				nodes, _ := selection.Select(f, nil, op.Op.Selectors)
				for _, n := range nodes {
					selected[n.ID] = true
				}
			}
			nodes, edges := parts(f)
			res, err := in.Apply(&abi.ApplyRequest{Ops: []abi.Op{op.Op}})
			if err != nil {
				rt.Fatal(err)
			}
			said := text + "\n" + res.Results[0].Text
			names := func(id string) bool { return selected[id] || id != "" && strings.Contains(said, id) }
			nodesNow, edgesNow := parts(in.Model())
			for key, was := range nodes {
				if nodesNow[key] != was && !names(key) && op.Verb != "layout" {
					rt.Errorf("%s: %s\n%s\nchanged the node %s:\n%s\n%s", name, text, res.Results[0].Text, key, was, nodesNow[key])
				}
			}
			for key, was := range edges {
				from, to, _ := strings.Cut(key, "\n")
				to, _, _ = strings.Cut(to, "\n")
				if edgesNow[key] != was && !(names(from) && names(to)) {
					rt.Errorf("%s: %s\n%s\nchanged the edge %q:\n%s\n%s", name, text, res.Results[0].Text, key, was, edgesNow[key])
				}
			}
		}
	})
}

// parts returns the JSON of a flow's nodes by id, and that of its edges by their ends and handles.
func parts(f *Flow) (nodes, edges map[string]string) {
	nodes, edges = map[string]string{}, map[string]string{}
	for _, n := range f.nodes {
		nodes[n.ID] += n.v.Raw()
	}
	for _, e := range f.edges {
		edges[e.Source+"\n"+e.Target+"\n"+e.SourceHandle+"\n"+e.TargetHandle] += e.v.Raw()
	}
	return nodes, edges
}

func FuzzOpen(f *testing.F) {
	f.Add(flowise.Echo)
	f.Add(`{"nodes":[{"id":"a","parentNode":"a","data":{"inputs":[]}},{"id":7,"data":null},null,"x"],"edges":[{"source":"a","target":"a"},1]}`)
	f.Add(`{"nodes":[{"id":"a","data":{"inputParams":{"a":[]},"inputAnchors":[1],"outputAnchors":"x","outputs":[]}}],"edges":[]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := parse(text); err != nil {
			return
		}
		doc := pdktest.Open(t, Domain(), "x.json", []byte(text))
		if string(doc.Save()) != text {
			t.Fatal("it is saved differently")
		}
		for _, q := range []string{"map", "graph", "stats", "validate", "list @all", "find a"} {
			doc.Query(q)
		}
		doc.Laws("note A", "layout", "modify @all label:x", "copy a as:b_1", "remove @orphan", "connect a -> b_1", "disconnect a -> b_1", "remove a")
	})
}
