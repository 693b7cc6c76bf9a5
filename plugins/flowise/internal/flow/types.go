package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/catalogue"
)

// serverError converts an *api.Error to a refusal that begins with the error's type. It
// returns other errors unchanged.
func serverError(err error) error {
	if e, ok := err.(*api.Error); ok {
		s := e.Type + ": " + e.Message
		for _, kv := range e.Details {
			if kv.Key == "permission" && kv.Value != "" {
				s += "; the key needs the permission " + kv.Value
			}
		}
		return pdk.Errorf("%s", s)
	}
	return err
}

// typeCatalogue is a catalogue: the server's, or the plugin's own if no server may be
// asked.
type typeCatalogue struct {
	list *jsontree.Value // all types, at least with name, label, category and description
	own  []string        // for the plugin's own, the last line of answers, which says so
}

func catalogueOf(h *pdk.Host) (k typeCatalogue, err error) {
	if h.Can(api.Want) {
		k.list, err = api.Nodes(h)
		return k, serverError(err)
	}
	k.list, err = catalogue.Heads()
	k.own = []string{fmt.Sprintf("(as Flowise %s has it; a server is asked with the grant %s)", catalogue.Version, api.Want)}
	return k, err
}

// names returns the names of all types.
func (k typeCatalogue) names() []string {
	var names []string
	for _, n := range k.list.Each() {
		names = append(names, n.Get("name").Text())
	}
	return names
}

// node returns the whole type with a name, or nil.
func (k typeCatalogue) node(name string) (*jsontree.Value, error) {
	if k.own != nil {
		n, _, err := catalogue.Node(name)
		return n, err
	}
	for _, n := range k.list.Each() {
		if n.Get("name").Text() == name {
			return n, nil
		}
	}
	return nil, nil
}

func typeList(v *view, a pdk.Args) (abi.QueryResponse, error) {
	k, err := catalogueOf(v.Host)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	text, err := listTypes(k, strings.Join(a.Texts(0), " "))
	if err != nil {
		return abi.QueryResponse{}, err
	}
	return abi.QueryResponse{Text: strings.Join(append(text, k.own...), "\n")}, nil
}

// listTypes lists the categories for "", the types of a category, or the types whose
// name, label or description contains word.
func listTypes(k typeCatalogue, word string) (lines []string, err error) {
	by := map[string][]*jsontree.Value{}
	var categories []string
	for _, n := range k.list.Each() {
		c := n.Get("category").Text()
		if by[c] == nil {
			categories = append(categories, c)
		}
		by[c] = append(by[c], n)
	}
	slices.Sort(categories)
	row := func(n *jsontree.Value) string {
		return fmt.Sprintf("%s: %s", n.Get("name").Text(), pdk.Line(n.Get("description").Text(), 110))
	}
	if word == "" {
		if len(categories) == 0 {
			return []string{"the server has no node types"}, nil
		}
		for _, c := range categories {
			lines = append(lines, fmt.Sprintf("%s: %d", c, len(by[c])))
		}
		return lines, nil
	}
	if c, ok := pdk.OneOf(word, categories); ok {
		for _, n := range by[c] {
			lines = append(lines, row(n))
		}
		return lines, nil
	}
	lower := strings.ToLower(word)
	for _, c := range categories {
		for _, n := range by[c] {
			for _, key := range []string{"name", "label", "description"} {
				if strings.Contains(strings.ToLower(n.Get(key).Text()), lower) {
					lines = append(lines, row(n)+" ("+c+")")
					break
				}
			}
		}
	}
	if len(lines) == 0 {
		err := pdk.Errorf("no category or type has %s", pdk.Quote(word))
		near := pdk.Nearest(word, append(k.names(), categories...))
		for _, n := range near {
			err.TryQuery("types " + pdk.Quote(n))
		}
		if len(near) == 0 {
			err.TryQuery("types")
		}
		return nil, err
	}
	return lines, nil
}

func typeOne(v *view, a pdk.Args) (abi.QueryResponse, error) {
	if a.Text(0) == "" {
		return abi.QueryResponse{}, pdk.Errorf("type needs a name, such as startAgentflow")
	}
	k, err := catalogueOf(v.Host)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	names := k.names()
	for _, name := range names {
		if strings.EqualFold(name, a.Text(0)) {
			n, err := k.node(name)
			if err != nil {
				return abi.QueryResponse{}, err
			}
			return abi.QueryResponse{Text: strings.Join(append([]string{describeType(n)}, k.own...), "\n")}, nil
		}
	}
	near := pdk.Nearest(a.Text(0), names)
	e := pdk.Errorf("no type %s", pdk.Quote(a.Text(0)))
	for _, n := range near {
		e.TryQuery("type " + n)
	}
	return abi.QueryResponse{}, e
}

// describeType describes a type of the catalogue.
func describeType(n *jsontree.Value) string {
	lines := []string{fmt.Sprintf("%s(%s) version %s: %s", n.Get("name").Text(), n.Get("category").Text(), n.Get("version").Plain(), pdk.Line(n.Get("description").Text(), 300))}
	if c := n.Get("credential"); c != nil {
		s := "  credential"
		if c.Get("optional").True() {
			s += ", optional"
		}
		var kinds []string
		for _, k := range c.Get("credentialNames").Each() {
			kinds = append(kinds, k.Text())
		}
		lines = append(lines, s+": "+strings.Join(kinds, " "))
	}
	for _, in := range n.Get("inputs").Each() {
		lines = append(lines, describeInput(in, "  "))
		if in.Get("array") == nil {
			continue
		}
		for _, part := range in.Get("array").Each() {
			lines = append(lines, describeInput(part, "    each: "))
		}
		lines = append(lines, fmt.Sprintf("    such as %s:'%s'", in.Get("name").Text(), pdk.Line(sample(in), 400)))
	}
	switch n.Get("name").Text() {
	case "conditionAgentflow":
		return strings.Join(append(lines, "  out 0, 1, …: one for each item of conditions, and else"), "\n")
	case "conditionAgentAgentflow":
		return strings.Join(append(lines, "  out 0, 1, …: one for each item of conditionAgentScenarios"), "\n")
	case "humanInputAgentflow":
		return strings.Join(append(lines, "  out proceed, reject"), "\n")
	}
	for _, o := range n.Get("outputs").Each() {
		lines = append(lines, "  out "+o.Get("name").Text()+": "+pdk.Line(o.Get("label").Text(), 80))
	}
	return strings.Join(lines, "\n")
}

// optionHints describes the values of inputs whose options Flowise computes at run
// time.
var optionHints = map[string]string{
	"listModels":           `one of the query types "Chat Models"`,
	"listTools":            "one of the query types Tools",
	"listFlows":            "the id of a flow",
	"listPreviousNodes":    "NODE-LABEL of a node before it, such as llmAgentflow_0-Planner",
	"listRuntimeStateKeys": "a key of the start's startState",
}

// describeInput describes an input.
func describeInput(in *jsontree.Value, indent string) string {
	name, what := in.Get("name").Text(), in.Get("type").Plain()
	if !slices.Contains(valueTypes, what) {
		what = "from a node of " + what
	}
	s := indent + name + " (" + what
	if in.Get("list").True() {
		s += ", several"
	}
	if in.Get("optional").True() {
		s += ", optional"
	}
	if show := in.Get("show"); show != nil {
		for _, m := range show.Members {
			_, key, _ := strings.Cut("."+m.Key, "[$index]")
			var values []string
			for _, v := range m.Value.Each() {
				values = append(values, v.Plain())
			}
			if len(values) == 0 {
				values = []string{m.Value.Plain()}
			}
			s += ", where " + strings.TrimPrefix(cmp.Or(key, m.Key), ".") + " is " + strings.Join(values, "|")
		}
	}
	s += ")"
	if d := in.Get("default"); !empty(d) && d.Kind != jsontree.Array {
		s += " default " + pdk.Line(d.Plain(), 40)
	}
	var options []string
	for _, o := range in.Get("options").Each() {
		options = append(options, o.Get("name").Plain())
	}
	d := in.Get("description").Text()
	switch hint := optionHints[in.Get("loadMethod").Text()]; {
	case len(options) > 0:
		s += ": " + pdk.Line(strings.Join(options, " "), 200)
	case hint != "":
		s += ": " + hint
	case d != "":
		s += ": " + pdk.Line(d, 120)
	}
	switch {
	case !in.Get("loadConfig").True():
	case len(indent) > 2:
		s += fmt.Sprintf("; its own inputs are in %sConfig", name)
	default:
		s += fmt.Sprintf("; its own inputs are %sConfig.KEY:VALUE", name)
		if in.Get("loadMethod").Text() == "listModels" {
			s += fmt.Sprintf(", as modelName, and its credential %sConfig.FLOWISE_CREDENTIAL_ID:ID", name)
		}
	}
	return s
}

// sample returns an example value for a list input: its default, or one item with the
// parts that always apply.
func sample(in *jsontree.Value) string {
	if d := in.Get("default"); d.Is(jsontree.Array) && len(d.Items) > 0 {
		return d.Raw()
	}
	d := &draft{}
	for _, part := range in.Get("array").Each() {
		if part.Get("show") != nil {
			continue
		}
		value := jsontree.Quote("…")
		switch options := part.Get("options"); {
		case options != nil && len(options.Items) > 0:
			value = options.Items[0].Get("name").Raw()
		case part.Get("type").Text() == "boolean":
			value = "false"
		case part.Get("type").Text() == "number":
			value = "0"
		}
		d.raw(part.Get("name").Text(), value)
	}
	return "[" + d.String() + "]"
}

func flows(v *view, a pdk.Args) (abi.QueryResponse, error) {
	all, err := api.List(v.Host)
	if err != nil {
		return abi.QueryResponse{}, serverError(err)
	}
	text := strings.ToLower(strings.Join(a.Texts(0), " "))
	var lines []string
	for _, f := range all {
		if !strings.Contains(strings.ToLower(f.Name), text) {
			continue
		}
		s := fmt.Sprintf("%s %s, changed %s", pdk.Quote(f.Name), f.Type, f.Updated)
		if f.Deployed {
			s += ", deployed"
		}
		lines = append(lines, s)
	}
	if len(lines) == 0 {
		lines = []string{"no such flow"}
	}
	return abi.QueryResponse{Text: strings.Join(lines, "\n")}, nil
}

func credentials(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	all, err := api.Credentials(v.Host)
	if err != nil {
		return abi.QueryResponse{}, serverError(err)
	}
	var lines []string
	for _, c := range all.Each() {
		lines = append(lines, fmt.Sprintf("%s %s %s", c.Get("id").Text(), c.Get("credentialName").Text(), pdk.Quote(c.Get("name").Text())))
	}
	if len(lines) == 0 {
		lines = []string{"the server has none: add them in Flowise, under Credentials"}
	}
	return abi.QueryResponse{Text: strings.Join(lines, "\n")}, nil
}
