package card

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/fcp-host/fcp-host/pdk"
)

// value is the value of a key.
type value struct {
	text string   // of a scalar, as written except for quotes and folding: 012345 stays
	list []string // of a sequence; "" for items that are no scalars
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

// words returns the value as a list, even if it is one text: "a, b".
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

// parseYAML parses a YAML mapping. An error is a *Broken, whose line counts the line --- as the first.
func parseYAML(yaml string) (pairs []pair, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser may panic on unusual input
			pairs, err = nil, &Broken{Why: fmt.Sprintf("its YAML cannot be read: %v", r)}
		}
	}()
	tokens := lexer.Tokenize(strings.ReplaceAll(yaml, "\r\n", "\n"))
	if line := tooDeepLine(tokens); line > 0 {
		return nil, &Broken{Line: line + 1, Why: fmt.Sprintf("its front matter is nested more than %d levels deep", maxDepth)}
	}
	file, failed := parser.Parse(tokens, 0)
	if failed != nil {
		return nil, brokenFrom(failed)
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
		return nil, &Broken{Line: 2, Why: "its front matter is not a list of KEY: VALUE"}
	}
	r := reader{anchors: map[string]ast.Node{}}
	ast.Walk(&r, file.Docs[0].Body)
	for _, v := range values {
		pairs = append(pairs, pair{key: r.key(v.Key), value: r.value(v.Value, 0)})
		if r.spent > maxExpanded {
			return nil, &Broken{Line: v.Key.GetToken().Position.Line + 1, Why: "its aliases expand to too much"}
		}
	}
	return pairs, nil
}

// Limits for front matter. The parser's time and memory grow with the square of the depth.
const (
	maxFrontBytes = 32 << 10 // bytes
	maxDepth      = 100      // levels
	maxExpanded   = 1 << 20  // values and their bytes with aliases expanded; only aliases can exceed it
)

// tooDeepLine returns the line of the first token that is nested too deep, 0 if there is none. Depth counts brackets, columns in
// which blocks start, and consecutive tags, anchors and keys.
func tooDeepLine(tokens token.Tokens) int {
	var columns []int
	brackets, marks, line := 0, 0, 0
	for _, t := range tokens {
		mark := false
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			brackets++
		case token.SequenceEndType, token.MappingEndType:
			brackets--
		case token.CollectEntryType: // a comma
			marks = 0
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType, token.TagType, token.AnchorType:
			mark = true
		}
		switch at := t.Position; {
		case brackets > 0:
			if mark {
				marks++
			}
		case at.Line != line || mark:
			if marks = 0; at.Line != line {
				for len(columns) > 0 && columns[len(columns)-1] >= at.Column {
					columns = columns[:len(columns)-1]
				}
			}
			columns = append(columns, at.Column)
		}
		line = t.Position.Line
		if len(columns)+brackets+marks > maxDepth {
			return line
		}
	}
	return 0
}

// reader converts nodes to values.
type reader struct {
	anchors map[string]ast.Node
	spent   int // of maxExpanded
}

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
	const far = 20 // deeper means an alias of itself
	if r.spent++; depth > far || r.spent > maxExpanded {
		return value{kind: null}
	}
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return value{kind: null}
	case *ast.StringNode:
		r.spent += len(n.Value)
		return value{text: n.Value}
	case *ast.LiteralNode:
		r.spent += len(n.Value.Value)
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

var where = pdk.Regexp(`^\[(\d+):\d+\] ([^\n]*)`)

// brokenFrom converts the parser's error to a *Broken.
func brokenFrom(err error) *Broken {
	m := where().FindStringSubmatch(err.Error())
	if m == nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return &Broken{Why: "its YAML cannot be read: " + first}
	}
	n, _ := strconv.Atoi(m[1]) // only digits
	return &Broken{Line: n + 1, Why: m[2]}
}
