package queries

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

func treeQuery() query {
	return query{Run: runTree, Query: abi.Query{Syntax: "tree [DEPTH] [REF…|SEL]", Summary: "elements, nested as in the file; what is never drawn, such as metadata and gradients, only if it is named"}}
}

func runTree(v *view, a pdk.Args) (abi.QueryResponse, error) {
	f := v.Model
	depth := 1000
	var words []string
	for _, w := range a.Texts(0) {
		if d, err := strconv.Atoi(w); err == nil && d > 0 {
			depth = d
		} else {
			words = append(words, w)
		}
	}
	list, err := f.Resolve(words)
	if err == nil && len(a.Selectors) > 0 {
		var found []*node
		found, err = f.Selected(v.Recent, a.Selectors, false)
		list = model.Union(list, found)
	}
	if err != nil {
		return abi.QueryResponse{}, err
	}
	whole := len(list) == 0
	if whole {
		list = []*node{f.Root}
	}
	p := v.Page()
	var left []*node
	lost := 0
	var walk func(n *node, level int)
	walk = func(n *node, level int) {
		if whole && neverDrawn(f, n) {
			left, lost = append(left, n), lost+n.Count()
			return
		}
		p.Line(func(b []byte) []byte {
			b = append(b, strings.Repeat("  ", level)+f.Type(n)...)
			if id := n.ID(); id != "" {
				b = append(b, "#"+id...)
			} else if n != f.Root {
				b = append(b, " "+f.Ref(n)...)
			}
			if c := n.Get("class"); c != "" {
				b = append(b, "."+strings.Join(strings.Fields(c), ".")...)
			}
			if t := n.Text(); strings.TrimSpace(t) != "" && f.Mixed(n) {
				b = append(b, " "+model.QuoteText(t, 50)...)
			}
			if level == depth && n.First != nil {
				b = fmt.Appendf(b, ": %s inside", pdk.Count(n.Count()-1, "element"))
			}
			return b
		})
		if level < depth {
			for c := range n.Kids() {
				walk(c, level+1)
			}
		}
	}
	for _, n := range model.Tops(list) {
		walk(n, 0)
	}
	if lost > 0 {
		p.Line(func(b []byte) []byte {
			return fmt.Appendf(b, "not shown: %s never drawn, in %s", pdk.Count(lost, "element"), f.Refs(left))
		})
	}
	return p.Answer(0), nil
}

// neverDrawn reports whether nothing of an element is drawn as such: metadata, what programs note for themselves, and
// gradients.
func neverDrawn(f *drawing, n *node) bool {
	typ := f.Type(n)
	for p := n.Parent; p != nil; p = p.Parent {
		if f.Type(p) == "foreignObject" {
			return false
		}
	}
	return typ == "metadata" || typ == "linearGradient" || typ == "radialGradient" || strings.Contains(typ, ":")
}
