// Package tools implements eight typed tools for a Flowise server. contract.json holds
// their schemas, which are published unchanged.
package tools

import (
	_ "embed"
	"errors"
	"strings"

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
	run                               func(h *pdk.Host, a args) (object, error)
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
				a, err := read(data)
				if err == nil {
					err = a.check(name)
				}
				if err != nil {
					return pdk.ToolResult{}, refusal(err)
				}
				answer, err := t.run(c.Host, a)
				return pdk.ToolResult{JSON: []byte(answer)}, refusal(err)
			},
			Misfit: func(data []byte, why string) error {
				a, err := read(data)
				if err == nil {
					err = a.check(name)
				}
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
	o := object("{}").text("type", e.Type).text("message", e.Message)
	if len(e.Details) > 0 {
		d := object("{}")
		for _, kv := range e.Details {
			d = d.text(kv.Key, kv.Value)
		}
		o = o.raw("details", string(d))
	}
	return &pdk.ToolError{Message: e.Message, Data: []byte(object("{}").raw("error", string(o)))}
}

// object builds a JSON object.
type object string

func (o object) raw(key, value string) object {
	comma := ","
	if o == "{}" {
		comma = ""
	}
	return o[:len(o)-1] + object(comma+jsontree.Quote(key)+":"+value+"}")
}

func (o object) text(key, value string) object { return o.raw(key, jsontree.Quote(value)) }

// some adds a string unless it is empty.
func (o object) some(key, value string) object {
	if value == "" {
		return o
	}
	return o.text(key, value)
}

func (o object) bool(key string, value bool) object {
	if value {
		return o.raw(key, "true")
	}
	return o.raw(key, "false")
}

// head builds the members that all answers about a flow have.
func head(f *api.Flow) object {
	return object("{}").text("id", f.ID).text("name", f.Name).text("type", f.Type).bool("deployed", f.Deployed)
}

func list(h *pdk.Host, _ args) (object, error) {
	flows, err := api.List(h)
	if err != nil {
		return "", err
	}
	items := make([]string, len(flows))
	for i, f := range flows {
		items[i] = string(head(f).some("createdDate", f.Created))
	}
	return object("[" + strings.Join(items, ",") + "]"), nil
}

func get(h *pdk.Host, a args) (object, error) {
	f, err := api.Get(h, a.text("chatflow_id"))
	if err != nil {
		return "", err
	}
	return head(f).text("flowData", f.FlowData).some("createdDate", f.Created).some("updatedDate", f.Updated), nil
}

func create(h *pdk.Host, a args) (object, error) {
	typ := a.text("type")
	if typ == "" {
		typ = "CHATFLOW"
	}
	f, err := api.Create(h, api.Fields{}.Text("name", a.text("name")).Text("flowData", a.text("flow_data")).Text("type", typ).Bool("deployed", a.v.Get("deployed").True()))
	if err != nil {
		return "", err
	}
	return head(f).some("createdDate", f.Created), nil
}

func update(h *pdk.Host, a args) (object, error) {
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
		return "", err
	}
	return head(f).some("updatedDate", f.Updated), nil
}

func remove(h *pdk.Host, a args) (object, error) {
	id := a.text("chatflow_id")
	if err := api.Delete(h, id); err != nil {
		return "", err
	}
	return object("{}").text("message", "Chatflow deleted successfully").text("deleted_id", id), nil
}

// predict first checks whether the flow is deployed, because the server does not.
func predict(h *pdk.Host, a args) (object, error) {
	id := a.text("chatflow_id")
	f, err := api.Get(h, id)
	if err != nil {
		return "", err
	}
	if !f.Deployed {
		return "", api.Invalid("chatflow_id", id, "deployed", "Chatflow not deployed: deploy_chatflow deploys it")
	}
	v, err := api.Predict(h, id, a.text("question"), "", nil)
	if err != nil {
		return "", err
	}
	o := object("{}").text("text", v.Get("text").Plain())
	for _, key := range []string{"questionMessageId", "chatMessageId", "sessionId"} {
		o = o.some(key, v.Get(key).Text())
	}
	return o, nil
}

func deploy(h *pdk.Host, a args) (object, error) {
	f, err := api.Update(h, a.text("chatflow_id"), api.Fields{}.Bool("deployed", a.v.Get("deployed").True()))
	if err != nil {
		return "", err
	}
	return object("{}").text("id", f.ID).text("name", f.Name).bool("deployed", f.Deployed).some("updatedDate", f.Updated), nil
}

func generate(h *pdk.Host, a args) (object, error) {
	description := a.text("description")
	v, err := api.Generate(h, description, "")
	if err != nil {
		return "", err
	}
	nodes, edges := v.Get("nodes"), v.Get("edges")
	if !nodes.Is(jsontree.Array) || !edges.Is(jsontree.Array) {
		return "", &api.Error{Type: api.Unexpected, Message: "the server generated no nodes and edges"}
	}
	flow := object("{}").raw("nodes", nodes.Raw()).raw("edges", edges.Raw())
	said := v.Get("description").Plain()
	if said == "" {
		said = description
	}
	return object("{}").text("flowData", string(flow)).text("name", Name(description)).text("description", said), nil
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
