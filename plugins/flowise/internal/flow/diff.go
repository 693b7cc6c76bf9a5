package flow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
)

func diff(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	id, err := onServer(v.Host)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	is, err := api.Get(v.Host, id)
	if api.Is(err, api.NotFound) {
		return abi.QueryResponse{Text: gone}, nil
	}
	if err != nil {
		return abi.QueryResponse{}, serverError(err)
	}
	there, err := parse(is.FlowData)
	if err != nil {
		return abi.QueryResponse{}, pdk.Errorf("the server's copy: %v", err)
	}
	lines := v.Model.differences(there)
	if len(lines) == 0 {
		lines = []string{"nothing differs: the server has this document"}
		if v.Model.text != is.FlowData {
			lines = []string{"nothing differs except white space or the order of unordered items"}
		}
	} else {
		lines = append([]string{fmt.Sprintf("%s was changed on the server at %s", pdk.Quote(is.Name), is.Updated)}, lines...)
	}
	return abi.QueryResponse{Text: strings.Join(lines, "\n")}, nil
}

// gone is the message for a flow that was deleted on the server.
const gone = "the server no longer has this flow; save as:" + scheme + "NAME creates it again"

// differences lists the differences between two flows, one per line.
func (f *Flow) differences(there *Flow) (lines []string) {
	for _, n := range f.nodes {
		if f.byID[n.ID] != n {
			continue
		}
		k := there.byID[n.ID]
		if k == nil {
			lines = append(lines, n.String()+" is only here")
			continue
		}
		var parts []string
		eachDifference(n.v, k.v, nil, func(path []string, a, b *jsontree.Value) {
			if what := part(path); what != "" && !slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, what+":") }) {
				parts = append(parts, fmt.Sprintf("%s: here %s, there %s", what, short(a), short(b)))
			}
		})
		if more := len(parts) - 8; more > 0 {
			parts = append(parts[:8], fmt.Sprintf("%d more", more))
		}
		for _, p := range parts {
			lines = append(lines, n.String()+" "+p)
		}
	}
	for _, n := range there.nodes {
		if f.byID[n.ID] == nil && there.byID[n.ID] == n {
			lines = append(lines, n.String()+" is only on the server")
		}
	}
	for _, side := range []struct {
		from, other *Flow
		where       string
	}{{f, there, "here"}, {there, f, "on the server"}} {
		for _, e := range side.from.edges {
			if !slices.ContainsFunc(side.other.edges, e.sameEnds) {
				lines = append(lines, fmt.Sprintf("the edge %s is only %s", side.from.edgeLine(e), side.where))
			}
		}
	}
	eachDifference(f.root, there.root, nil, func(path []string, a, b *jsontree.Value) {
		if path[0] != "nodes" && path[0] != "edges" && path[0] != "viewport" {
			lines = append(lines, fmt.Sprintf("%s: here %s, there %s", strings.Join(path, "."), short(a), short(b)))
		}
	})
	return lines
}

// sameEnds reports whether two edges have the same ends.
func (e *Edge) sameEnds(o *Edge) bool {
	return e.Source == o.Source && e.SourceHandle == o.SourceHandle && e.Target == o.Target && e.TargetHandle == o.TargetHandle && e.Label == o.Label
}

// part returns the name of the part of a node at a path, or "" if only the canvas uses
// it.
func part(path []string) string {
	switch path[0] {
	case "position":
		return "position"
	case "positionAbsolute", "selected", "dragging", "resizing", "width", "height", "style":
		return ""
	case "data":
		switch {
		case len(path) > 2 && path[1] == "inputs":
			return strings.Join(path[2:], ".")
		case len(path) > 1 && path[1] == "selected":
			return ""
		case len(path) > 1:
			return path[1] // do not name the parts of lists of inputs and outputs
		}
	}
	return path[0]
}

func short(v *jsontree.Value) string {
	if v == nil {
		return "nothing"
	}
	if v.Kind == jsontree.String {
		return jsontree.Quote(pdk.Line(v.Text(), 60))
	}
	return pdk.Line(v.Raw(), 60)
}

// eachDifference calls found for each difference between two values. It compares
// objects by member and other values as a whole. A nil value is missing.
func eachDifference(a, b *jsontree.Value, path []string, found func(path []string, a, b *jsontree.Value)) {
	if !a.Is(jsontree.Object) || !b.Is(jsontree.Object) {
		if !same(a, b) {
			found(append(path, "")[:max(1, len(path))], a, b)
		}
		return
	}
	seen := map[string]bool{}
	for _, members := range [][]jsontree.Member{a.Members, b.Members} {
		for _, m := range members {
			if !seen[m.Key] {
				seen[m.Key] = true
				eachDifference(a.Get(m.Key), b.Get(m.Key), append(path[:len(path):len(path)], m.Key), found)
			}
		}
	}
}

// same reports whether two values are equal apart from formatting.
func same(a, b *jsontree.Value) bool {
	switch {
	case a == nil || b == nil:
		return a == b
	case a.Kind != b.Kind:
		return false
	case a.Raw() == b.Raw():
		return true
	case a.Kind == jsontree.String:
		return a.Text() == b.Text()
	case a.Kind == jsontree.Array:
		return slices.EqualFunc(a.Items, b.Items, same)
	case a.Kind == jsontree.Object:
		equal := true
		eachDifference(a, b, nil, func([]string, *jsontree.Value, *jsontree.Value) { equal = false })
		return equal
	}
	return false
}
