package flow

import (
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/tools"
)

const scheme = "flow:"

// revision returns a text that changes with every change of a flow. It depends on the
// content, because the server's times have a resolution of seconds.
func revision(f *api.Flow) string {
	return fmt.Sprintf("%s-%08x", f.Updated, crc32.ChecksumIEEE([]byte(f.FlowData)))
}

// isID reports whether a word is one of the server's ids: a UUID.
func isID(word string) bool {
	if len(word) != 36 {
		return false
	}
	for i, c := range []byte(word) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// lookup finds a flow by its id or name.
func lookup(h *pdk.Host, ref string) (*api.Flow, error) {
	word := strings.TrimPrefix(ref, scheme)
	if isID(word) {
		f, err := api.Get(h, word)
		return f, serverError(err)
	}
	flows, err := api.List(h)
	if err != nil {
		return nil, serverError(err)
	}
	var found []*api.Flow
	var names []string
	for _, f := range flows {
		if f.Name == word {
			found = append(found, f)
		}
		names = append(names, f.Name)
	}
	if len(found) == 0 {
		for _, f := range flows {
			if strings.EqualFold(f.Name, word) {
				found = append(found, f)
			}
		}
	}
	switch {
	case len(found) == 1:
		f, err := api.Get(h, found[0].ID)
		return f, serverError(err)
	case len(found) > 1:
		e := pdk.Errorf("%d flows are called %s: name one by its id", len(found), pdk.Quote(word))
		for _, f := range found {
			e.TryAction("open " + scheme + f.ID)
		}
		return nil, e
	}
	near := pdk.Nearest(word, names)
	e := pdk.Errorf("the server has no flow %s", pdk.Quote(word))
	if len(near) == 0 && len(names) > 0 {
		quoted := make([]string, 0, len(names))
		for _, n := range names {
			quoted = append(quoted, pdk.Quote(n))
		}
		e = pdk.Errorf("the server has no flow %s; it has %s", pdk.Quote(word), pdk.Line(strings.Join(quoted, ", "), 1500))
	}
	if len(near) > 0 {
		e = pdk.Errorf("the server has no flow %s; nearest: %s", pdk.Quote(word), strings.Join(near, ", "))
	}
	for _, n := range near {
		e.TryAction("open " + scheme + pdk.Quote(n))
	}
	return nil, e
}

func fetch(h *pdk.Host, ref string) (abi.FetchResponse, error) {
	f, err := lookup(h, ref)
	if err != nil {
		return abi.FetchResponse{}, err
	}
	return abi.FetchResponse{Ref: scheme + f.ID, Name: strings.ReplaceAll(f.Name, "/", "_") + ".json", Data: []byte(f.FlowData), Revision: revision(f)}, nil
}

// store implements `save`: PUT of the flow's content, or POST of a new flow. The server
// has no conditional requests, so store checks its copy first; a save by somebody else
// in between is overwritten.
func store(h *pdk.Host, r *abi.StoreRequest) (abi.StoreResponse, error) {
	text := string(r.Data)
	if err := tools.Flow(text); err != nil {
		return abi.StoreResponse{}, serverError(err)
	}
	f, err := parse(text)
	if err != nil {
		return abi.StoreResponse{}, err
	}
	word := strings.TrimPrefix(r.Ref, scheme)
	id := word
	if !isID(word) {
		if id, err = idByName(h, word); err != nil {
			return abi.StoreResponse{}, err
		}
	} else if there, err := api.Get(h, word); api.Is(err, api.NotFound) {
		return abi.StoreResponse{}, pdk.Errorf("the server no longer has this flow: save as:%sNAME creates it again", scheme)
	} else if err != nil {
		return abi.StoreResponse{}, serverError(err)
	} else if r.Revision != "" && revision(there) != r.Revision && there.FlowData != text {
		return abi.StoreResponse{Revision: revision(there), Moved: true}, nil
	}
	if id == "" {
		made, err := api.Create(h, api.Fields{}.Text("name", word).Text("flowData", text).Text("type", f.Type()).Bool("deployed", false))
		if err != nil {
			return abi.StoreResponse{}, serverError(err)
		}
		return abi.StoreResponse{Ref: scheme + made.ID, Revision: revision(made), Text: fmt.Sprintf("a new %s called %s, which is not deployed", made.Type, pdk.Quote(made.Name))}, nil
	}
	stored, err := api.Update(h, id, api.Fields{}.Text("flowData", text))
	if err != nil {
		return abi.StoreResponse{}, serverError(err)
	}
	return abi.StoreResponse{Ref: scheme + stored.ID, Revision: revision(stored), Text: fmt.Sprintf("%s %s", stored.Type, pdk.Quote(stored.Name))}, nil
}

// idByName returns the id of the only flow with a name, or "".
func idByName(h *pdk.Host, name string) (string, error) {
	if n := len([]rune(name)); n < 1 || n > 255 {
		return "", pdk.Errorf("a flow's name has 1 to 255 letters")
	}
	flows, err := api.List(h)
	if err != nil {
		return "", serverError(err)
	}
	id, n := "", 0
	for _, f := range flows {
		if f.Name == name {
			id, n = f.ID, n+1
		}
	}
	if n > 1 {
		return "", pdk.Errorf("%d flows are called %s: name one by its id", n, pdk.Quote(name))
	}
	return id, nil
}

// idOf returns the id of the flow that a call is about, or "" if it is not on a server.
func idOf(h *pdk.Host) string { return strings.TrimPrefix(h.Ref(), scheme) }

func onServer(h *pdk.Host) (string, error) {
	if id := idOf(h); id != "" {
		return id, nil
	}
	return "", pdk.Errorf("this document is not on a server yet: save as:%sNAME puts it there", scheme)
}

func sessions() []pdk.SessionAction[*Flow] {
	wants := []string{api.Want}
	return []pdk.SessionAction[*Flow]{
		{Session: abi.Session{Name: "run", Syntax: `run "QUESTION" [session:ID] [override.KEY:VALUE…]`, Summary: "ask the flow, as it is on the server", Brief: `run "QUESTION" [session: override.KEY:] · ask the flow as it is on the server`, Wants: wants}, Run: run},
		{Session: abi.Session{Name: "deploy", Syntax: "deploy", Summary: "mark the flow on the server as deployed; undo does not reverse that", Wants: wants}, Run: func(c *ctx, a pdk.Args, _ []byte) error { return deploy(c, a, true) }},
		{Session: abi.Session{Name: "undeploy", Syntax: "undeploy", Summary: "mark it as not deployed", Wants: wants}, Run: func(c *ctx, a pdk.Args, _ []byte) error { return deploy(c, a, false) }},
		{Session: abi.Session{Name: "generate", Syntax: `generate "DESCRIPTION" [model:NAME] [as:PATH]`, Summary: "have one of the server's chat models propose nodes and edges for an empty AGENTFLOW; as: saves it, like save as:", SaveAs: true, Wants: wants}, Run: generate},
	}
}

func run(c *ctx, a pdk.Args, _ []byte) error {
	id, err := onServer(c.Host)
	if err != nil {
		return err
	}
	question := a.Text(0)
	if question == "" || len(a.Positionals) > 1 {
		if question = strings.Join(a.Texts(0), " "); question == "" {
			question = "Hello"
		}
		return pdk.Errorf("run needs the question, as one text in quotes").TryAction("run " + strconv.Quote(question))
	}
	var override []abi.KeyValue
	session := ""
	for _, kv := range a.Params {
		key, ok := strings.CutPrefix(kv.Key, "override.")
		switch {
		case kv.Key == "session":
			session = kv.Value
		case ok && key != "":
			override = append(override, abi.KeyValue{Key: key, Value: kv.Value})
		default:
			return pdk.Errorf("run takes session: and override.KEY:, not %s:", kv.Key)
		}
	}
	there, err := api.Get(c.Host, id)
	if err != nil {
		return serverError(err)
	}
	v, err := api.Predict(c.Host, id, question, session, override)
	if err != nil {
		e := new(pdk.Error)
		switch refusal := serverError(err); {
		case !errors.As(refusal, &e):
			return refusal
		case api.Is(err, api.Unexpected):
			return e.TryQuery("validate")
		case api.Is(err, api.Timeout): // the run continues on the server
			return e.TryQuery("runs")
		default:
			return refusal
		}
	}
	text := api.Answer(v)
	if text == "" {
		text = "(the answer has no text)"
	}
	var way []string
	for _, step := range v.Get("agentFlowExecutedData").Each() {
		s := pdk.Quote(step.Get("nodeId").Text())
		if status := step.Get("status").Text(); status != "FINISHED" {
			s += " " + status
		}
		way = append(way, s)
	}
	if s := v.Get("sessionId").Text(); s != "" {
		text += "\nsession " + pdk.Quote(s)
	}
	if len(way) > 0 {
		text += "\nran " + strings.Join(way, " -> ")
	}
	if there.FlowData != c.Model.text {
		c.Warn("the server ran its own copy, which differs from this document: save it first")
	}
	c.Bulk("%s", text)
	return nil
}

func deploy(c *ctx, _ pdk.Args, on bool) error {
	id, err := onServer(c.Host)
	if err != nil {
		return err
	}
	f, err := api.Update(c.Host, id, api.Fields{}.Bool("deployed", on))
	if err != nil {
		return serverError(err)
	}
	if !on {
		c.Bulk("%s is no longer deployed", pdk.Quote(f.Name))
		return nil
	}
	if f.Key == "" {
		c.Warn("it answers anybody who knows its id: choose a key for it in Flowise")
	}
	c.Bulk("%s is deployed; undo does not reverse that, undeploy does", pdk.Quote(f.Name))
	return nil
}

func generate(c *ctx, a pdk.Args, _ []byte) error {
	f := c.Model
	switch description := a.Text(0); {
	case len(a.Positionals) != 1 || len([]rune(description)) < 10:
		return pdk.Errorf("generate needs a description of at least 10 letters, as one text in quotes")
	case len(f.nodes) > 0:
		return pdk.Errorf("the document already has nodes: generate fills an empty flow").TryAction(`new "Generated" type:AGENTFLOW`)
	}
	for _, kv := range a.Params {
		if kv.Key != "model" {
			return pdk.Errorf("generate takes as: and model:, the name of a chat model of the catalogue, not %s:", kv.Key)
		}
	}
	v, err := api.Generate(c.Host, a.Text(0), a.String("model", ""))
	if err != nil {
		return serverError(err)
	}
	var nodes, edges []string
	for _, n := range v.Get("nodes").Each() {
		nodes = append(nodes, addDataID(n))
	}
	for _, e := range v.Get("edges").Each() {
		edges = append(edges, e.Raw())
	}
	if len(nodes) == 0 {
		return pdk.Errorf("the server generated nothing")
	}
	s := append(f.root.Get("nodes").Append(nodes...), f.root.Get("edges").Append(edges...)...)
	if f.Type() != "AGENTFLOW" {
		s = append(s, f.root.Put("type", jsontree.Quote("AGENTFLOW"))...)
	}
	if err := change(c, s, "generate "+a.Text(0), ids(nodesOf(nodes))...); err != nil {
		return err
	}
	c.Bulk("generated %s and %s; read them with map", pdk.Count(len(nodes), "node"), pdk.Count(len(edges), "edge"))
	return nil
}

// nodesOf parses the JSON of nodes, or returns nil if it is invalid.
func nodesOf(raws []string) []*Node {
	f, err := parse(`{"nodes":` + array(raws) + `,"edges":[]}`)
	if err != nil {
		return nil
	}
	return f.nodes
}

// addDataID returns the JSON of a generated node, with its id added to its data if the
// data has none.
func addDataID(n *jsontree.Value) string {
	data := n.Get("data")
	if data.Get("id") != nil || !data.Is(jsontree.Object) {
		return n.Raw()
	}
	d := (&draft{}).text("id", n.Get("id").Text())
	for _, m := range data.Members {
		if m.Key != "filePath" {
			d.raw(m.Key, m.Value.Raw())
		}
	}
	out := &draft{}
	for _, m := range n.Members {
		raw := m.Value.Raw()
		if m.Key == "data" {
			raw = d.String()
		}
		out.raw(m.Key, raw)
	}
	return out.String()
}

func runs(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	id, err := onServer(v.Host)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	list, err := api.Executions(v.Host, id)
	if err != nil {
		return abi.QueryResponse{}, serverError(err)
	}
	var lines []string
	for _, e := range list.Get("data").Each() {
		lines = append(lines, fmt.Sprintf("%s %s session %s", e.Get("createdDate").Text(), e.Get("state").Text(), pdk.Quote(e.Get("sessionId").Plain())))
	}
	if len(lines) == 0 {
		lines = []string{"no runs; Flowise keeps only those of AGENTFLOWs"}
	}
	return abi.QueryResponse{Text: strings.Join(lines, "\n")}, nil
}
