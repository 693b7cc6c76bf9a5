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
)

// said is an error of the server's as a refusal: its type first.
func said(err error) error {
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

func typesQuery() query {
	return query{Query: abi.Query{Name: "types", Syntax: "types [CATEGORY|TEXT]", Summary: "the catalogue of nodes: its categories, what is in one, or what has a text in its name"}, Run: typeList}
}

// known is the catalogue: the server's, or the plugin's own where none may be asked. own says so then, as the last line of an answer.
func known(h *pdk.Host) (nodes *jsontree.Value, own []string, err error) {
	if h.Can(api.Want) {
		nodes, err = api.Nodes(h)
		return nodes, nil, said(err)
	}
	nodes, err = catalogue.Nodes()
	return nodes, []string{fmt.Sprintf("(as Flowise %s has it; a server is asked with the grant %s)", catalogue.Version, api.Want)}, err
}

func typeList(v *view, a pdk.Args) (abi.QueryResponse, error) {
	nodes, own, err := known(v.Host)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	text, err := listTypes(nodes, strings.Join(a.Texts(0), " "))
	if err != nil {
		return abi.QueryResponse{}, err
	}
	return abi.QueryResponse{Text: strings.Join(append(text, own...), "\n")}, nil
}

// listTypes are the lines of types for a word.
func listTypes(nodes *jsontree.Value, word string) (lines []string, err error) {
	by := map[string][]*jsontree.Value{}
	var categories []string
	for _, n := range nodes.Each() {
		c := n.Get("category").Text()
		if by[c] == nil {
			categories = append(categories, c)
		}
		by[c] = append(by[c], n)
	}
	slices.Sort(categories)
	row := func(n *jsontree.Value) string {
		return fmt.Sprintf("%s: %s", n.Get("name").Text(), line(n.Get("description").Text(), 110))
	}
	if word == "" {
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
		var names []string
		for _, n := range nodes.Each() {
			names = append(names, n.Get("name").Text())
		}
		err := pdk.Errorf("no category or type has %s", pdk.Quote(word))
		for _, near := range pdk.Nearest(word, append(names, categories...)) {
			err.TryQuery("types " + pdk.Quote(near))
		}
		return nil, err
	}
	return lines, nil
}

func typeQuery() query {
	return query{Query: abi.Query{Name: "type", Syntax: "type NAME", Summary: "a type of the catalogue: inputs with defaults and options, outputs"}, Run: typeOne}
}

func typeOne(v *view, a pdk.Args) (abi.QueryResponse, error) {
	if a.Text(0) == "" {
		return abi.QueryResponse{}, pdk.Errorf("type needs a name, such as startAgentflow")
	}
	nodes, own, err := known(v.Host)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	var names []string
	for _, n := range nodes.Each() {
		name := n.Get("name").Text()
		if strings.EqualFold(name, a.Text(0)) {
			return abi.QueryResponse{Text: strings.Join(append([]string{told(n)}, own...), "\n")}, nil
		}
		names = append(names, name)
	}
	near := pdk.Nearest(a.Text(0), names)
	e := pdk.Errorf("no type %s", pdk.Quote(a.Text(0)))
	for _, n := range near {
		e.TryQuery("type " + n)
	}
	return abi.QueryResponse{}, e
}

// told is a type of the catalogue for somebody who is going to use it.
func told(n *jsontree.Value) string {
	lines := []string{fmt.Sprintf("%s(%s) version %s: %s", n.Get("name").Text(), n.Get("category").Text(), n.Get("version").Plain(), line(n.Get("description").Text(), 300))}
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
		what := in.Get("type").Plain()
		if !isOne(holds, what) {
			what = "from a node of " + what
		}
		s := fmt.Sprintf("  %s (%s", in.Get("name").Text(), what)
		if in.Get("list").True() {
			s += ", several"
		}
		if in.Get("optional").True() {
			s += ", optional"
		}
		s += ")"
		if d := in.Get("default"); !empty(d) {
			s += " default " + line(d.Plain(), 40)
		}
		var options []string
		for _, o := range in.Get("options").Each() {
			options = append(options, o.Get("name").Plain())
		}
		if len(options) > 0 {
			s += ": " + line(strings.Join(options, " "), 200)
		} else if d := in.Get("description").Text(); d != "" {
			s += ": " + line(d, 120)
		}
		lines = append(lines, s)
	}
	for _, o := range n.Get("outputs").Each() {
		lines = append(lines, "  out "+o.Get("name").Text()+": "+line(o.Get("label").Text(), 80))
	}
	return strings.Join(lines, "\n")
}
