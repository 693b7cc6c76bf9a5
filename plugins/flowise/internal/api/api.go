// Package api is a client for the part of Flowise's REST API that the plugin uses. It
// sends requests, reads answers and classifies errors, as of Flowise 3.1.2.
package api

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// Want is the grant that every request here needs.
const Want = "http:api"

const endpoint = "api"

// Flow is a flow as the server stores it.
type Flow struct {
	ID, Name, Type   string
	Deployed         bool // null in the server's JSON is false
	FlowData         string
	Created, Updated string // as in JSON; the milliseconds are always 0
	Key              string // id of the API key that predictions need, or ""
}

// Types lists the types of flows.
func Types() []string { return []string{"CHATFLOW", "AGENTFLOW", "MULTIAGENT", "ASSISTANT"} }

// flowOf reads a flow and refuses anything else. A flow whose type is null is a CHATFLOW, as in Flowise.
func flowOf(v *jsontree.Value) (*Flow, error) {
	if v.Get("id").Text() == "" || !v.Get("name").Is(jsontree.String) {
		return nil, unexpectedAnswer("something other than a flow")
	}
	f := &Flow{ID: v.Get("id").Text(), Name: v.Get("name").Text(), Type: v.Get("type").Text(), Deployed: v.Get("deployed").True(), FlowData: v.Get("flowData").Text(),
		Created: v.Get("createdDate").Text(), Updated: v.Get("updatedDate").Text(), Key: v.Get("apikeyid").Plain()}
	if f.Type == "" {
		f.Type = "CHATFLOW"
	}
	return f, nil
}

// unexpectedAnswer returns the error for an answer of an unexpected kind.
func unexpectedAnswer(what string) error {
	return &Error{Type: Unexpected, Message: "the server answered with " + what + ": FLOWISE_API_URL must be the address of Flowise"}
}

// list refuses an answer that is not a list.
func list(v *jsontree.Value, err error) (*jsontree.Value, error) {
	if err == nil && !v.Is(jsontree.Array) {
		err = unexpectedAnswer("something other than a list")
	}
	return v, err
}

// do sends a request. permission is what the API key needs for it.
func do(h *pdk.Host, r *pdk.HTTPRequest, permission string) (*jsontree.Value, error) {
	res, err := h.HTTP(endpoint, r)
	if err != nil {
		return nil, connectionError(err)
	}
	if err := answerError(res, permission); err != nil {
		return nil, err
	}
	v, err := jsontree.Parse(string(res.Body))
	if err != nil {
		return nil, &Error{Type: Unexpected, Message: "the server's answer is not JSON: " + err.Error()}
	}
	return v, nil
}

// List returns all flows without their content, the last changed first.
//
// The server sends the content too, so List asks for pages, and for smaller ones if a
// page exceeds the limit of a response. Flowise 2 knows no pages and answers with all
// flows. Rows that are not flows are left out, unless all of them are something else.
func List(h *pdk.Host) ([]*Flow, error) {
	var out []*Flow
	rows := 0
	for limit, total := 64, 1; rows < total; {
		v, err := do(h, pdk.Get("chatflows").Query("page", strconv.Itoa(rows/limit+1)).Query("limit", strconv.Itoa(limit)), "chatflows:view")
		if e := new(Error); limit > 1 && errors.As(err, &e) && len(e.Details) > 0 && e.Details[0].Value == abi.FailedTooLarge {
			limit /= 4
			continue
		}
		if err != nil {
			return nil, err
		}
		items := v.Get("data")
		switch {
		case v.Is(jsontree.Array):
			items, total = v, len(v.Items)
		case items.Is(jsontree.Array) && v.Get("total").Is(jsontree.Number):
			total = int(v.Get("total").Float())
		default:
			return nil, unexpectedAnswer("something other than a list of flows")
		}
		if len(items.Items) == 0 {
			break
		}
		for _, item := range items.Items {
			if f, err := flowOf(item); err == nil {
				f.FlowData = ""
				out = append(out, f)
			}
		}
		rows += len(items.Items)
	}
	if rows > 0 && len(out) == 0 {
		return nil, unexpectedAnswer("something other than a list of flows")
	}
	return out, nil
}

// Get returns one flow.
func Get(h *pdk.Host, id string) (*Flow, error) {
	v, err := do(h, pdk.Get("chatflows", id), "chatflows:view")
	if err != nil {
		return nil, err
	}
	return flowOf(v)
}

const mime = "application/json"

// Create makes a flow.
func Create(h *pdk.Host, fields Fields) (*Flow, error) {
	v, err := do(h, pdk.Post("chatflows").Body(mime, fields.JSON()), "chatflows:create")
	if err != nil {
		return nil, err
	}
	return flowOf(v)
}

// Update changes the given fields of a flow.
func Update(h *pdk.Host, id string, fields Fields) (*Flow, error) {
	v, err := do(h, pdk.Put("chatflows", id).Body(mime, fields.JSON()), "chatflows:update")
	if err != nil {
		return nil, err
	}
	return flowOf(v)
}

// Delete removes a flow.
func Delete(h *pdk.Host, id string) error {
	_, err := do(h, pdk.Delete("chatflows", id), "chatflows:delete")
	return err
}

// Predict runs a flow and returns the answer unchanged.
func Predict(h *pdk.Host, id, question, session string, override []abi.KeyValue) (*jsontree.Value, error) {
	f := Fields{}.Text("question", question).Bool("streaming", false)
	var o Fields
	if session != "" {
		o = o.Text("sessionId", session)
	}
	for _, kv := range override {
		o = append(o, abi.KeyValue{Key: kv.Key, Value: Value(kv.Value)})
	}
	if len(o) > 0 {
		f = append(f, abi.KeyValue{Key: "overrideConfig", Value: string(o.JSON())})
	}
	v, err := do(h, pdk.Post("prediction", id).Body(mime, f.JSON()), "")
	if err == nil && v.Get("text") == nil && v.Get("json") == nil && v.Get("chatId") == nil {
		err = unexpectedAnswer("no prediction")
	}
	return v, err
}

// Answer returns what a prediction says: its text, or the JSON that it has instead.
func Answer(prediction *jsontree.Value) string {
	if text := prediction.Get("text").Plain(); text != "" {
		return text
	}
	return prediction.Get("json").Plain()
}

// Value returns a word as JSON: unchanged if it is a number, true, false, null, an
// array or an object, else as a string.
func Value(word string) string {
	if v, err := jsontree.Parse(word); err == nil && v.Kind != jsontree.String && v.Raw() == word {
		return word
	}
	return jsontree.Quote(word)
}

// Credentials returns the credentials that the server stores, without their secrets.
func Credentials(h *pdk.Host) (*jsontree.Value, error) {
	return list(do(h, pdk.Get("credentials"), "credentials:view"))
}

// Nodes returns the catalogue of node types.
func Nodes(h *pdk.Host) (*jsontree.Value, error) { return list(do(h, pdk.Get("nodes"), "")) }

// NodePath is the path of one type of the catalogue; "{}" is a placeholder for its
// name.
func NodePath() []string { return []string{"nodes", "{}"} }

// ModelSetting is the user's setting that names the chat model for generating flows.
const ModelSetting = "FLOWISE_CHAT_MODEL"

// Generate has a language model propose nodes and edges of a flow. model is the name of
// a chat model of the catalogue, optionally with the provider's own name of the model
// after a slash: "chatOpenAI/gpt-4o". If it is "", the user's setting applies, and
// without one the first model that the server has a credential for.
func Generate(h *pdk.Host, description, model string) (*jsontree.Value, error) {
	if model == "" {
		model = h.Setting(ModelSetting)
	}
	chosen, err := chatModel(h, model)
	if err != nil {
		return nil, err
	}
	return do(h, pdk.Post("agentflowv2-generator", "generate").Body(mime, Fields{}.Text("question", description).Raw("selectedChatModel", chosen).JSON()), "agentflows:create")
}

// chatModel returns a chat model as the server expects it, with its defaults and a
// credential. model is as for Generate, with the user's setting applied.
func chatModel(h *pdk.Host, model string) (string, error) {
	credentials, err := Credentials(h)
	if err != nil {
		return "", err
	}
	nodes, err := Nodes(h)
	if err != nil {
		return "", err
	}
	name, version, _ := strings.Cut(model, "/")
	var names []string
	for _, n := range nodes.Each() {
		if n.Get("category").Text() == "Chat Models" && (name == "" || strings.EqualFold(n.Get("name").Text(), name)) {
			names = append(names, n.Get("name").Text())
		}
	}
	if len(names) == 0 {
		return "", &Error{Type: Validation, Message: "the server has no chat model " + name + ": model: and " + ModelSetting + " name one of the query types \"Chat Models\", such as chatOpenAI or chatOpenAI/gpt-4o"}
	}
	for _, c := range credentials.Each() {
		for _, n := range nodes.Each() {
			if slices.Contains(names, n.Get("name").Text()) && acceptsCredential(n, c.Get("credentialName").Text()) {
				return modelJSON(n, version, c.Get("id").Text()), nil
			}
		}
	}
	what := "a chat model"
	if name != "" {
		for _, n := range nodes.Each() {
			if c := n.Get("credential"); n.Get("name").Text() == names[0] && (c == nil || c.Get("optional").True()) {
				return modelJSON(n, version, ""), nil
			}
		}
		what += " " + names[0]
	}
	return "", &Error{Type: Validation, Message: "the server has no credential for " + what + ", which generating needs: add one in Flowise under Credentials"}
}

// modelJSON returns a chat model as JSON in the form that the server expects, with its
// defaults. version replaces the default model name unless it is "".
func modelJSON(n *jsontree.Value, version, credential string) string {
	inputs := Fields{}
	for _, in := range n.Get("inputs").Each() {
		name := in.Get("name").Text()
		switch d := in.Get("default"); {
		case name == "streaming":
			inputs = inputs.Bool(name, false)
		case version != "" && (name == "modelName" || name == "model"):
			inputs = inputs.Text(name, version)
		case d != nil:
			inputs = inputs.Raw(name, d.Raw())
		}
	}
	if credential != "" {
		inputs = inputs.Text("credential", credential)
	}
	return string(Fields{}.Text("name", n.Get("name").Text()).Raw("inputs", string(inputs.JSON())).Text("credential", credential).JSON())
}

// acceptsCredential reports whether a node type accepts credentials of a type.
func acceptsCredential(node *jsontree.Value, credential string) bool {
	for _, name := range node.Get("credential", "credentialNames").Each() {
		if name.Text() == credential {
			return true
		}
	}
	return false
}

// Executions returns the latest runs of a flow.
func Executions(h *pdk.Host, id string) (*jsontree.Value, error) {
	v, err := do(h, pdk.Get("executions").Query("agentflowId", id).Query("limit", "10"), "executions:view")
	if err == nil && !v.Get("data").Is(jsontree.Array) {
		err = unexpectedAnswer("something other than a list of runs")
	}
	return v, err
}
