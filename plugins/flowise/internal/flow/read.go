package flow

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
)

// parse parses a flow. Its error is shown to the client that opens the file.
func parse(text string) (*Flow, error) {
	root, err := jsontree.Parse(text)
	if err := checkFlow(root, err); err != nil {
		return nil, err
	}
	f := &Flow{byID: map[string]*Node{}}
	f.read(text, root)
	return f, nil
}

// checkFlow returns an error if the parsed value is not a flow. err is the parser's.
func checkFlow(root *jsontree.Value, err error) error {
	switch {
	case err != nil:
		return pdk.Errorf("not a flow: %v", err)
	case root.Get("flowData").Is(jsontree.String):
		return pdk.Errorf("this is the server's record of a flow: the flow itself is the text in its flowData; open that")
	case !root.Get("nodes").Is(jsontree.Array) || !root.Get("edges").Is(jsontree.Array):
		return pdk.Errorf("not a flow of Flowise: it has no arrays of nodes and edges")
	}
	return nil
}

// applySplices changes the text and reads again only the nodes and edges that the
// change touches. Values of these that callers hold are no longer valid.
func (f *Flow) applySplices(s splice.All) error {
	text, ok := s.Apply(f.text)
	if !ok {
		return pdk.Errorf("the text to replace is not there")
	}
	root, err := f.root.Reparse(text, s)
	if wrong := checkFlow(root, err); wrong != nil {
		if err == nil { // the tree of the old text no longer exists
			was, err := parse(f.text)
			if err != nil {
				return err
			}
			was.opened = f.opened
			*f = *was
		}
		return wrong
	}
	f.read(text, root)
	return nil
}

// read sets the text and its root. It keeps the nodes and edges whose values are in
// root.
func (f *Flow) read(text string, root *jsontree.Value) {
	was := f.root
	f.text, f.root, f.links = text, root, nil
	if list := root.Get("nodes"); list != was.Get("nodes") {
		nodes, gone, fresh := reuseElements(f.nodes, func(n *Node) *jsontree.Value { return n.v }, list.Items, newNode)
		for i, n := range nodes {
			n.index = i
		}
		f.nodes = nodes
		f.updateIDs(gone, fresh)
	}
	if list := root.Get("edges"); list != was.Get("edges") {
		f.edges, _, _ = reuseElements(f.edges, func(e *Edge) *jsontree.Value { return e.v }, list.Items, newEdge)
	}
}

// reuseElements returns one element for each value: the element of before that has the
// value, or a new one. fresh are the new elements, and gone those of before whose
// values are not among the values.
func reuseElements[E any](before []E, of func(E) *jsontree.Value, values []*jsontree.Value, element func(*jsontree.Value) E) (after, gone, fresh []E) {
	first, last := 0, 0 // number of elements at the start and at the end that are the same
	for most := min(len(before), len(values)); first < most && of(before[first]) == values[first]; {
		first++
	}
	for most := min(len(before), len(values)) - first; last < most && of(before[len(before)-1-last]) == values[len(values)-1-last]; {
		last++
	}
	has := map[*jsontree.Value]E{}
	for _, e := range before[first : len(before)-last] {
		has[of(e)] = e
	}
	after = append(after, before[:first]...)
	for _, v := range values[first : len(values)-last] {
		e, ok := has[v]
		if !ok {
			e = element(v)
			fresh = append(fresh, e)
		}
		delete(has, v)
		after = append(after, e)
	}
	for _, e := range has {
		gone = append(gone, e)
	}
	return append(after, before[len(before)-last:]...), gone, fresh
}

// updateIDs updates byID and duplicateIDs.
func (f *Flow) updateIDs(gone, fresh []*Node) {
	for _, n := range gone {
		delete(f.byID, n.ID)
	}
	for _, n := range fresh {
		f.duplicateIDs = f.duplicateIDs || n.ID != "" && f.byID[n.ID] != nil
		if !f.duplicateIDs && n.ID != "" {
			f.byID[n.ID] = n
		}
	}
	if !f.duplicateIDs {
		return
	}
	f.byID, f.duplicateIDs = map[string]*Node{}, false
	for _, n := range f.nodes {
		switch {
		case n.ID == "":
		case f.byID[n.ID] == nil:
			f.byID[n.ID] = n
		default:
			f.duplicateIDs = true
		}
	}
}

// copyText returns a decoded string that does not keep the text of the flow in memory.
func copyText(v *jsontree.Value) string { return strings.Clone(v.Text()) }

func newNode(v *jsontree.Value) *Node {
	data := v.Get("data")
	return &Node{ID: copyText(v.Get("id")), Label: copyText(data.Get("label")), Name: copyText(data.Get("name")), Kind: copyText(v.Get("type")), Category: copyText(data.Get("category")), Parent: copyText(v.Get("parentNode")), v: v, data: data}
}

func newEdge(v *jsontree.Value) *Edge {
	label := v.Get("data", "edgeLabel").Plain()
	if label == "" {
		label = v.Get("data", "label").Plain()
	}
	return &Edge{ID: copyText(v.Get("id")), Source: copyText(v.Get("source")), Target: copyText(v.Get("target")), SourceHandle: copyText(v.Get("sourceHandle")), TargetHandle: copyText(v.Get("targetHandle")), Label: strings.Clone(label), v: v}
}
