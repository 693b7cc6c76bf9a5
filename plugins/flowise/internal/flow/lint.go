package flow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/catalogue"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/tools"
)

// problem is something that validate finds: of a node, an input or an edge, or of the flow.
type problem struct {
	kind  string // "nodes without edges"; one line lists those of a kind
	about string // its id in that line, or "" if kind says all
	line  string // the line of a problem that has one of its own; kind and about tell it from others
}

// problems lists the problems of the document itself.
func (f *Flow) problems() (out []problem) {
	say := func(what string, list ...string) {
		for _, about := range list {
			out = append(out, problem{kind: what, about: about})
		}
	}
	typ := f.Type()
	var inputs, credentials, orphans, twins, nameless, strangers []string
	for _, n := range f.nodes {
		if n.ID == "" {
			nameless = append(nameless, fmt.Sprintf("node %d", n.index+1))
			continue
		}
		if f.byID[n.ID] != n {
			twins = append(twins, pdk.Quote(n.ID))
		}
		for _, name := range f.unset(n) {
			inputs = append(inputs, pdk.Quote(n.ID)+"."+name)
		}
		if c, needs := n.credential(); needs && c == "" {
			credentials = append(credentials, pdk.Quote(n.ID))
		}
		if f.orphan(n) && len(f.nodes) > 1 {
			orphans = append(orphans, pdk.Quote(n.ID))
		}
		if !n.note() && n.agent() != (typ == "AGENTFLOW") {
			strangers = append(strangers, pdk.Quote(n.ID))
		}
	}
	say("required inputs are empty", inputs...)
	say("no credential is chosen", credentials...)
	say("nodes without edges", orphans...)
	say("several nodes have the same id", twins...)
	say("nodes without an id", nameless...)
	say("nodes that do not belong in a flow of the type "+typ, strangers...)
	if starts := f.starts(); typ == "AGENTFLOW" && len(f.nodes) > 0 && len(starts) == 0 {
		say("there is no start: add node startAgentflow", "")
	} else if len(starts) > 1 {
		say("there are several starts", ids(starts)...)
	}
	var lost, handles, kinds []string
	for _, e := range f.edges {
		name := pdk.Quote(e.Source) + " -> " + pdk.Quote(e.Target)
		from, to := f.byID[e.Source], f.byID[e.Target]
		switch {
		case from == nil || to == nil:
			lost = append(lost, name)
		case !from.hasOutput(e.SourceHandle) || !to.hasInput(e.TargetHandle):
			handles = append(handles, name)
		case !from.agent() && !from.typesMatch(e, to):
			kinds = append(kinds, name)
		}
	}
	say("edges from or to a missing node", lost...)
	say("edges from or to a handle that its node does not have", handles...)
	say("edges between an output and an input of different types", kinds...)
	for _, n := range f.nodes {
		for _, id := range n.facts().mentions {
			if f.byID[id] == nil {
				say("inputs that use a missing node", pdk.Quote(n.ID)+" uses "+pdk.Quote(id))
			}
		}
	}
	if len(f.text) >= tools.MaxFlow {
		out = append(out, problem{kind: "size", line: fmt.Sprintf("the flow has %d bytes: a server takes less than 1 MB", len(f.text))})
	}
	return out
}

// lines prints problems, those of a kind on one line.
func lines(problems []problem) (out []string) {
	for i := 0; i < len(problems); {
		var list []string
		p := problems[i]
		for ; i < len(problems) && problems[i].kind == p.kind && problems[i].line == ""; i++ {
			list = append(list, problems[i].about)
		}
		switch {
		case len(list) == 0:
			out = append(out, p.line)
			i++
		case p.about == "":
			out = append(out, p.kind)
		default:
			out = append(out, p.kind+": "+pdk.List(list, 5))
		}
	}
	return out
}

// texts writes all keys and strings of a value.
func texts(v *jsontree.Value, b *strings.Builder) {
	b.WriteString(v.Text() + " ")
	for _, m := range v.Members {
		b.WriteString(m.Key + " ")
		texts(m.Value, b)
	}
	for _, item := range v.Items {
		texts(item, b)
	}
}

func ids(nodes []*Node) (out []string) {
	for _, n := range nodes {
		out = append(out, pdk.Quote(n.ID))
	}
	return out
}

// hasOutput reports whether a node has an output with a handle. A node that does not
// describe its outputs may have any.
func (n *Node) hasOutput(handle string) bool {
	all := n.outputs()
	return n.data.Get("outputAnchors") == nil || slices.ContainsFunc(all, func(o output) bool { return o.id == handle })
}

// hasInput reports whether a node has an input with a handle.
func (n *Node) hasInput(handle string) bool {
	if n.agent() {
		return handle == n.ID && !n.data.Get("hideInput").True() && n.Name != "startAgentflow"
	}
	is := func(v *jsontree.Value) bool { return v.Get("id").Text() == handle }
	for _, list := range []*jsontree.Value{n.anchors(), n.params()} { // an edge may end at a text that takes variables
		if list != nil && slices.ContainsFunc(list.Items, is) {
			return true
		}
	}
	return n.anchors() == nil
}

// typesMatch reports whether the two ends of an edge have a type in common.
func (n *Node) typesMatch(e *Edge, to *Node) bool {
	var gives []string
	for _, o := range n.outputs() {
		if o.id == e.SourceHandle {
			gives = o.types
		}
	}
	for _, a := range to.anchors().Each() {
		if a.Get("id").Text() == e.TargetHandle {
			takes := classes(a.Get("type").Text())
			return len(gives) == 0 || len(takes) == 0 || slices.ContainsFunc(takes, func(t string) bool { return slices.Contains(gives, t) })
		}
	}
	return true
}

func validate(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	k, err := catalogueOf(v.Host)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	has := "the server"
	if k.own != nil {
		has = "Flowise " + catalogue.Version
	}
	found, err := f.allProblems(k, has)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	var before []problem
	if was, err := parse(f.opened); err == nil && f.opened != f.text {
		if before, err = was.allProblems(k, has); err != nil {
			return abi.QueryResponse{}, err
		}
	}
	var fresh, old []problem
	for _, p := range found {
		if slices.ContainsFunc(before, func(b problem) bool { return b.kind == p.kind && b.about == p.about }) {
			old = append(old, p)
		} else {
			fresh = append(fresh, p)
		}
	}
	said := lines(fresh)
	if k.own == nil {
		more, err := f.serverProblems(v.Host)
		if err != nil {
			return abi.QueryResponse{}, err
		}
		said = append(said, more...)
	}
	switch {
	case len(said)+len(old) == 0:
		said = []string{"nothing found"}
	case len(said) == 0:
		said = []string{"nothing new"}
	}
	if len(old) > 0 {
		said = append(said, "there when it was opened:")
		for _, l := range lines(old) {
			said = append(said, "  "+l)
		}
	}
	return abi.QueryResponse{Text: strings.Join(append(said, k.own...), "\n")}, nil
}

// allProblems lists the problems of the document, those that do not match the catalogue k, and hidden characters.
func (f *Flow) allProblems(k typeCatalogue, has string) ([]problem, error) {
	strange, err := f.catalogueProblems(k, has)
	if err != nil {
		return nil, err
	}
	out := append(f.problems(), strange...)
	for _, n := range f.nodes {
		var b strings.Builder
		texts(n.v, &b)
		if said := pdk.Hidden(b.String()); said != "" {
			out = append(out, n.problem("has "+said))
		}
	}
	return out, nil
}

// problem returns a problem of a node that has a line of its own.
func (n *Node) problem(what string) problem {
	return problem{kind: what, about: n.ID, line: n.String() + " " + what}
}

// catalogueProblems lists what does not match the catalogue k, which has calls by name.
func (f *Flow) catalogueProblems(k typeCatalogue, has string) (out []problem, err error) {
	names := k.names()
	for _, n := range f.nodes {
		if n.note() {
			continue
		}
		t, err := k.node(n.Name)
		if err != nil {
			return nil, err
		}
		if t == nil {
			s := fmt.Sprintf("is of a type that %s does not have", has)
			if near := pdk.Nearest(n.Name, names); len(near) > 0 {
				s += "; nearest: " + strings.Join(near, ", ")
			}
			out = append(out, n.problem(s))
			continue
		}
		if is, newest := n.data.Get("version"), t.Get("version"); is.Is(jsontree.Number) && newest.Is(jsontree.Number) && is.Float() < newest.Float() {
			out = append(out, n.problem(fmt.Sprintf("is of version %s, and %s has %s", is.Raw(), has, newest.Raw())))
		}
		keyless, err := n.modelsWithoutCredential(k)
		if err != nil {
			return nil, err
		}
		out = append(out, keyless...)
		if d := t.Get("deprecateMessage").Text(); d != "" {
			out = append(out, n.problem("is deprecated: "+pdk.Line(d, 200)))
		}
		for _, in := range t.Get("inputs").Each() {
			name := in.Get("name").Text()
			is := n.data.Get("inputs", name)
			options := in.Get("options")
			if in.Get("type").Text() != "options" || options == nil || len(options.Items) == 0 || empty(is) || strings.HasPrefix(is.Plain(), "{{") {
				continue
			}
			if !slices.ContainsFunc(options.Items, func(o *jsontree.Value) bool { return o.Get("name").Plain() == is.Plain() }) {
				out = append(out, n.problem(fmt.Sprintf("has %s:%s, which is not one of its options", name, pdk.Quote(pdk.Line(is.Plain(), 40)))))
			}
		}
	}
	return out, nil
}

// modelsWithoutCredential lists the models that a node of an agent flow uses without
// the credential that they need.
func (n *Node) modelsWithoutCredential(k typeCatalogue) (out []problem, err error) {
	for _, p := range n.params().Each() {
		name := p.Get("name").Text()
		t, err := k.node(n.data.Get("inputs", name).Text())
		if err != nil {
			return nil, err
		}
		c := t.Get("credential")
		if !p.Get("loadConfig").True() || c == nil || c.Get("optional").True() || !shown(p, n.data.Get("inputs")) {
			continue
		}
		if config := n.data.Get("inputs", name+"Config"); empty(config.Get("FLOWISE_CREDENTIAL_ID")) && empty(config.Get("credential")) {
			out = append(out, n.problem(fmt.Sprintf("uses %s without a credential: modify %s %sConfig.FLOWISE_CREDENTIAL_ID:ID, as the query credentials lists it", t.Get("name").Text(), pdk.Quote(n.ID), name)))
		}
	}
	return out, nil
}

// serverProblems lists the problems that the server's copy of the flow shows.
func (f *Flow) serverProblems(h *pdk.Host) (out []string, err error) {
	id := idOf(h)
	if id == "" {
		return nil, nil
	}
	is, err := api.Get(h, id)
	if api.Is(err, api.NotFound) {
		return []string{gone}, nil
	}
	if err != nil {
		return nil, serverError(err)
	}
	if is.FlowData != f.text {
		out = append(out, "the server has another state of this flow than this document: the query diff lists the differences; save, or pull")
	}
	if is.Deployed && is.Key == "" {
		out = append(out, "it is deployed, and answers anybody who knows its id: choose a key for it in Flowise")
	}
	return out, nil
}
