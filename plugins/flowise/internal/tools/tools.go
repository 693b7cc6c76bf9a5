// Package tools implements eight typed tools for a Flowise server. contract.json holds
// their schemas, which are published unchanged.
package tools

import (
	_ "embed"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
)

//go:embed contract.json
var contract string

// tool is one of the tools: its function, and what clients see of it. If run returns no
// value, the error is an *api.Error.
type tool struct {
	run                               func(h *pdk.Host, a args) (answer []byte, err error)
	readOnly, destructive, idempotent bool
}

var all = map[string]tool{
	"list_chatflows":        {run: list, readOnly: true},
	"get_chatflow":          {run: get, readOnly: true},
	"create_chatflow":       {run: create},
	"update_chatflow":       {run: update, destructive: true, idempotent: true},
	"delete_chatflow":       {run: remove, destructive: true, idempotent: true},
	"run_prediction":        {run: predict},
	"deploy_chatflow":       {run: deploy, idempotent: true},
	"generate_agentflow_v2": {run: generate},
}

// All returns the tools in the contract's order.
func All[M any]() []pdk.Tool[M] {
	list, err := jsontree.Parse(contract)
	if err != nil {
		panic(err) // the file is embedded
	}
	var out []pdk.Tool[M]
	for _, v := range list.Each() {
		name := v.Get("name").Text()
		t := all[name]
		out = append(out, pdk.Tool[M]{
			Tool: abi.Tool{Name: name, Description: v.Get("description").Text(), InputSchema: []byte(v.Get("inputSchema").Raw()), OutputSchema: []byte(v.Get("outputSchema").Raw()),
				ReadOnly: t.readOnly, Destructive: t.destructive, Idempotent: t.idempotent, Wants: []string{api.Want}},
			Run: func(c *pdk.Ctx[M], data []byte) (pdk.ToolResult, error) {
				a, err := read(name, data)
				if err != nil {
					return pdk.ToolResult{}, refusal(err)
				}
				answer, err := t.run(c.Host, a)
				return pdk.ToolResult{JSON: answer}, refusal(err)
			},
			Misfit: func(data []byte, why string) error {
				_, err := read(name, data)
				if err == nil {
					err = &api.Error{Type: api.Validation, Message: why}
				}
				return refusal(err)
			},
		})
	}
	return out
}

// refusal returns an error in the form of the contract: {"error": {"type", "message",
// "details"}}.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	var e *api.Error
	if !errors.As(err, &e) {
		e = &api.Error{Type: api.Unexpected, Message: err.Error()}
	}
	o := api.Fields{}.Text("type", e.Type).Text("message", e.Message)
	if len(e.Details) > 0 {
		d := api.Fields{}
		for _, kv := range e.Details {
			d = d.Text(kv.Key, kv.Value)
		}
		o = o.Raw("details", string(d.JSON()))
	}
	return &pdk.ToolError{Message: e.Message, Data: api.Fields{}.Raw("error", string(o.JSON())).JSON()}
}

// head builds the members that all answers about a flow have.
func head(f *api.Flow) api.Fields {
	return api.Fields{}.Text("id", f.ID).Text("name", f.Name).Text("type", f.Type).Bool("deployed", f.Deployed)
}

// date returns a time as the contract has it, "" for other texts.
func date(text string) string {
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return ""
	}
	return text
}

func list(h *pdk.Host, _ args) ([]byte, error) {
	flows, err := api.List(h)
	if err != nil {
		return nil, err
	}
	items := make([]string, 0, len(flows))
	for _, f := range flows {
		if !slices.Contains(api.Types(), f.Type) {
			continue // the contract has no word for it, and the others are worth listing
		}
		items = append(items, string(head(f).Some("createdDate", date(f.Created)).JSON()))
	}
	return []byte("[" + strings.Join(items, ",") + "]"), nil
}

func get(h *pdk.Host, a args) ([]byte, error) {
	f, err := api.Get(h, a.text("chatflow_id"))
	if err != nil {
		return nil, err
	}
	return head(f).Text("flowData", f.FlowData).Some("createdDate", date(f.Created)).Some("updatedDate", date(f.Updated)).JSON(), nil
}

func create(h *pdk.Host, a args) ([]byte, error) {
	typ := a.text("type")
	if typ == "" {
		typ = "CHATFLOW"
	}
	f, err := api.Create(h, api.Fields{}.Text("name", a.text("name")).Text("flowData", a.text("flow_data")).Text("type", typ).Bool("deployed", a.v.Get("deployed").True()))
	if err != nil {
		return nil, err
	}
	return head(f).Some("createdDate", date(f.Created)).JSON(), nil
}

func update(h *pdk.Host, a args) ([]byte, error) {
	var fields api.Fields
	for _, f := range [][2]string{{"name", "name"}, {"flow_data", "flowData"}} {
		if a.v.Get(f[0]) != nil {
			fields = fields.Text(f[1], a.text(f[0]))
		}
	}
	if d := a.v.Get("deployed"); d != nil {
		fields = fields.Bool("deployed", d.True())
	}
	f, err := api.Update(h, a.text("chatflow_id"), fields)
	if err != nil {
		return nil, err
	}
	return head(f).Some("updatedDate", date(f.Updated)).JSON(), nil
}

func remove(h *pdk.Host, a args) ([]byte, error) {
	id := a.text("chatflow_id")
	if err := api.Delete(h, id); err != nil {
		return nil, err
	}
	return api.Fields{}.Text("message", "Chatflow deleted successfully").Text("deleted_id", id).JSON(), nil
}

// predict first checks whether the flow is deployed, because the server does not.
func predict(h *pdk.Host, a args) ([]byte, error) {
	id := a.text("chatflow_id")
	f, err := api.Get(h, id)
	if err != nil {
		return nil, err
	}
	if !f.Deployed {
		return nil, api.Invalid("chatflow_id", id, "deployed", "Chatflow not deployed: deploy_chatflow deploys it")
	}
	v, err := api.Predict(h, id, a.text("question"), "", nil)
	if err != nil {
		return nil, err
	}
	o := api.Fields{}.Text("text", api.Answer(v))
	for _, key := range []string{"questionMessageId", "chatMessageId", "sessionId"} {
		o = o.Some(key, v.Get(key).Text())
	}
	return o.JSON(), nil
}

func deploy(h *pdk.Host, a args) ([]byte, error) {
	f, err := api.Update(h, a.text("chatflow_id"), api.Fields{}.Bool("deployed", a.v.Get("deployed").True()))
	if err != nil {
		return nil, err
	}
	return api.Fields{}.Text("id", f.ID).Text("name", f.Name).Bool("deployed", f.Deployed).Some("updatedDate", date(f.Updated)).JSON(), nil
}

func generate(h *pdk.Host, a args) ([]byte, error) {
	description := a.text("description")
	v, err := api.Generate(h, description, "")
	if err != nil {
		return nil, err
	}
	nodes, edges := v.Get("nodes"), v.Get("edges")
	if !nodes.Is(jsontree.Array) || !edges.Is(jsontree.Array) {
		return nil, &api.Error{Type: api.Unexpected, Message: "the server generated no nodes and edges"}
	}
	flow := api.Fields{}.Raw("nodes", nodes.Raw()).Raw("edges", edges.Raw())
	said := v.Get("description").Plain()
	if said == "" {
		said = description
	}
	return api.Fields{}.Text("flowData", string(flow.JSON())).Text("name", Name(description)).Text("description", said).JSON(), nil
}

// Name derives a name from a description: "Create a research agent that searches the
// web" is a "Research Agent".
func Name(description string) string {
	words := strings.Fields(strings.Trim(description, ".!? \n"))
	for len(words) > 1 && among(words[0], "create build make generate design write please me a an the i want need would like to") {
		words = words[1:]
	}
	var out []string
	for _, w := range words {
		if len(out) == 6 || len(out) > 0 && among(w, "that which who to for with using and, then") {
			break
		}
		end := strings.HasSuffix(w, ",") || strings.HasSuffix(w, ".") || strings.HasSuffix(w, ":")
		w = strings.Trim(w, `,.:;"'()`)
		if r := []rune(w); len(r) > 0 {
			out = append(out, strings.ToUpper(string(r[:1]))+string(r[1:]))
		}
		if end {
			break
		}
	}
	name := []rune(strings.Join(out, " "))
	if len(name) == 0 {
		return "Agentflow"
	}
	return string(name[:min(len(name), 255)])
}

func among(word, list string) bool {
	for _, w := range strings.Fields(list) {
		if strings.EqualFold(word, w) {
			return true
		}
	}
	return false
}
