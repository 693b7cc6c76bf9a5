package flow

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture/draw"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/tools"
)

// Domain returns the flowise domain.
func Domain() *pdk.Domain[*Flow] {
	return &pdk.Domain[*Flow]{
		Name:       "flowise",
		Title:      "Flowise",
		Version:    "0.1.0",
		Summary:    "Edits agent flows of Flowise, in files and on a server: nodes, edges, inputs, layout; runs and deploys them.",
		Keywords:   []string{"agent", "chatbot", "LLM", "flow", "workflow", "RAG"},
		Extensions: []string{".json"},
		MIME:       []string{"application/json"},
		New:        create,
		Open: func(_ string, data []byte) (*Flow, []string, error) {
			f, err := parse(string(data))
			if err == nil {
				f.opened = f.text
			}
			return f, nil, err
		},
		Save:  func(f *Flow) ([]byte, error) { return []byte(f.text), nil },
		State: state,
		Edits: func(typ string) pdk.Edit[*Flow] {
			if e := new(edit); typ == e.Type() {
				return e
			}
			return nil
		},
		Verbs:     pdk.Declare(addVerb(), connectVerb(), modifyVerb(), disconnectVerb(), removeVerb(), copyVerb(), repeatVerb(), noteVerb(), layoutVerb()),
		Common:    []string{"add", "connect", "modify", "copy", "remove", "layout", "note"},
		Selectors: selection.Describe(),
		Queries:   queries(),
		Session:   sessions(),
		Formats:   draw.Formats("the flow", (*Flow).drawing),
		View:      &abi.View{Picture: "preview format:svg"},
		Jobs:      pdk.Jobs(jobs),
		NewParams: []abi.Param{{Key: "type", Value: strings.Join(api.Types(), "|")}},
		Wants: []abi.Want{{Kind: abi.WantHTTP, Name: "api", Reason: "It reads, saves, deploys and runs the flows of your Flowise server.",
			Base:    "${FLOWISE_API_URL}/api/v1",
			Headers: []abi.KeyValue{{Key: "Authorization", Value: "Bearer ${FLOWISE_API_KEY:-}"}}, Reads: true, Settings: []string{api.ModelSetting}}},
		Tools:   tools.All[*Flow](),
		Schemes: []string{strings.TrimSuffix(scheme, ":")},
		Fetch:   fetch,
		Store:   store,
		Conventions: []string{
			"A NODE is an id or a label (a unique beginning will do). Inputs are named as in Flowise: types and type NAME list them, describe NODE those of a node, credentials what credential:ID takes.",
			"open flow:NAME fetches a flow of the server, save stores it, save as:flow:NAME makes one there. Undo is local: it reverses edits of this document, not what was saved, deployed or run.",
			"An AGENTFLOW begins with one startAgentflow; {{ question }} is what the user asks, {{ nodeId }} a node's output.",
			"add node and types use the server's catalogue, without the grant http:api the plugin's own.",
			"Only what an op names changes in the file.",
		},
		Synonyms: synonyms(),
		Example: []string{
			"add node startAgentflow",
			`add node directReplyAgentflow id:reply directReplyMessage:"You said: {{ question }}"`,
			"connect startAgentflow_0 -> reply",
			"layout",
		},
	}
}

// create makes an empty flow. The flow states its type, because it has no nodes that
// imply one.
func create(r *abi.NewRequest) (*Flow, error) {
	typ := "CHATFLOW"
	for _, p := range r.Params {
		given, ok := pdk.OneOf(p.Value, api.Types())
		if !ok {
			return nil, pdk.Errorf("type:%s is not one of %s", p.Value, strings.Join(api.Types(), " "))
		}
		typ = given
	}
	return parse("{\n  \"nodes\": [],\n  \"edges\": [],\n  \"type\": \"" + typ + "\"\n}\n")
}

// synonyms maps other words for verbs, queries and keys to ours.
func synonyms() []abi.Synonym {
	var out []abi.Synonym
	for _, s := range [][2]string{
		{"add", "create insert new"}, {"add node", "node"}, {"connect", "link edge wire join ->"}, {"disconnect", "unlink unwire"}, {"modify", "set update change edit configure scenario outcome outlet prompt instruction temperature"}, {"remove", "delete del rm"},
		{"copy", "duplicate clone"}, {"note", "comment sticky"}, {"layout", "arrange tidy"}, {"map", "overview nodes"}, {"graph", "edges"}, {"describe", "inspect show get"}, {"validate", "lint check warnings"}, {"types", "catalogue catalog components"},
		{"run", "ask predict execute chat"}, {"save", "push store"}, {"preview", "picture render"}, {"runs", "executions"},
	} {
		for _, w := range strings.Fields(s[1]) {
			out = append(out, abi.Synonym{Word: w, Means: s[0]})
		}
	}
	for _, s := range [][2]string{{"name:", "label:"}, {"title:", "label:"}, {"position:", "at:"}, {"after:", "near:"}, {"beside:", "near:"}, {"side:", "dir:"}, {"times:", "count:"}, {"@id", "@node"}, {"@label", "@node"}, {"@unset", "@missing-input"}} {
		out = append(out, abi.Synonym{Word: s[0], Means: s[1]})
	}
	return out
}
