package card

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// value is what a key has.
type value struct {
	text string   // of a scalar, as written but for quotes and folding: 012345 stays so
	list []string // of a sequence, "" for what is no scalar
	kind kind
}

type kind int

const (
	scalar kind = iota
	null
	sequence
	mapping
)

type pair struct {
	key   string
	value value
}

// words are a list, also where it is written as one text: "a, b".
func (v value) words() []string {
	if v.kind != scalar {
		return slices.DeleteFunc(slices.Clone(v.list), func(w string) bool { return w == "" })
	}
	var out []string
	for w := range strings.SplitSeq(v.text, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// read parses YAML of one mapping. The error is a *Broken; its line counts the line --- as the first.
func read(yaml string) (pairs []pair, err error) {
	defer func() {
		if r := recover(); r != nil { // of the parser, on what no test of it had
			pairs, err = nil, &Broken{Why: fmt.Sprintf("its YAML cannot be read: %v", r)}
		}
	}()
	file, failed := parser.ParseBytes([]byte(strings.ReplaceAll(yaml, "\r\n", "\n")), 0)
	if failed != nil {
		return nil, broken(failed)
	}
	if len(file.Docs) == 0 || len(file.Docs) == 1 && file.Docs[0].Body == nil {
		return nil, nil
	}
	if len(file.Docs) > 1 {
		return nil, &Broken{Why: "its front matter is more than one YAML document"}
	}
	var values []*ast.MappingValueNode
	switch body := file.Docs[0].Body.(type) {
	case *ast.MappingNode:
		values = body.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{body}
	default:
		return nil, &Broken{Line: 2, Why: "its front matter is no list of KEY: VALUE"}
	}
	r := reader{anchors: map[string]ast.Node{}}
	ast.Walk(&r, file.Docs[0].Body)
	for _, v := range values {
		pairs = append(pairs, pair{key: r.key(v.Key), value: r.value(v.Value, 0)})
	}
	return pairs, nil
}

// reader gives nodes as values.
type reader struct{ anchors map[string]ast.Node }

// Visit implements ast.Visitor.
func (r *reader) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok {
		r.anchors[a.Name.GetToken().Value] = a.Value
	}
	return r
}

func (r *reader) key(k ast.MapKeyNode) string {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode: // ? key
		return r.value(k.Value, 0).text
	}
	return strings.TrimSpace(k.String())
}

func (r *reader) value(n ast.Node, depth int) value {
	const deep = 20 // more is an alias of itself
	if depth > deep {
		return value{kind: null}
	}
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return value{kind: null}
	case *ast.StringNode:
		return value{text: n.Value}
	case *ast.LiteralNode:
		return value{text: strings.TrimSuffix(n.Value.Value, "\n")}
	case *ast.AnchorNode:
		return r.value(n.Value, depth+1)
	case *ast.TagNode:
		return r.value(n.Value, depth+1)
	case *ast.AliasNode:
		return r.value(r.anchors[n.Value.GetToken().Value], depth+1)
	case *ast.SequenceNode:
		out := value{kind: sequence}
		for _, v := range n.Values {
			out.list = append(out.list, oneLine(r.value(v, depth+1).text))
		}
		return out
	case *ast.MappingNode, *ast.MappingValueNode:
		return value{kind: mapping}
	}
	return value{text: n.GetToken().Value}
}

var where = regexp.MustCompile(`^\[(\d+):\d+\] ([^\n]*)`)

// broken makes the parser's error one of ours.
func broken(err error) *Broken {
	m := where.FindStringSubmatch(err.Error())
	if m == nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return &Broken{Why: "its YAML cannot be read: " + first}
	}
	n, _ := strconv.Atoi(m[1]) // digits
	return &Broken{Line: n + 1, Why: m[2]}
}
