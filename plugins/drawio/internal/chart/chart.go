// Package chart reads diagrams written as text: Mermaid's kinds, PlantUML's sequence and class diagrams, and tables of
// nodes and edges. It also writes Mermaid. It is pure; errors name the line.
package chart

import (
	"fmt"
	"strings"
)

// Kind is the kind of a diagram.
type Kind string

// The kinds.
const (
	Flowchart Kind = "flowchart"
	Classes   Kind = "classes"
	Entities  Kind = "entities"
	States    Kind = "states"
	Mindmap   Kind = "mindmap"
	Messages  Kind = "sequence"
	Gantt     Kind = "gantt"
)

// Chart is the diagram that a text describes, in the order of the text.
type Chart struct {
	Kind   Kind
	Title  string
	Dir    string // TB, LR, BT or RL; "" if the text does not say
	Nodes  []Node
	Edges  []Edge
	Groups []Group

	Sequence *Sequence // for the kind Messages, which has no nodes
	Plan     *Plan     // for the kind Gantt, which has no nodes

	node  map[string]int
	group map[string]int
}

// Node is a shape.
type Node struct {
	ID, Label string
	Shape     string   // a shape type of the drawio domain, "" if the text does not say
	Group     int      // index into Groups, -1 for none
	Fields    []string // of a class or an entity
	Methods   []string // of a class
	Level     int      // of a mind map: distance from the root
	Line      int      // of a table: the line that describes the node, 0 if only edges name it
}

// Group is a container.
type Group struct {
	ID, Label string
	Parent    int // index of the enclosing group, -1 for none
}

// Edge connects two nodes or groups, by their ids.
type Edge struct {
	From, To, Label string
	Line            string // dashed, thick, hidden or ""
	Tail, Head      string // names of heads, "none" for none
	Relation        string // relation from From to To, "" if Line and the heads define the edge
	TailText        string // text at From, such as a multiplicity
	HeadText        string
	line            int
}

// maxElements limits the number of nodes, edges and groups.
const maxElements = 5000

// Error describes what is wrong with a text, and in which line, counted from 1.
type Error struct {
	Line   int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

func newChart() *Chart { return &Chart{node: map[string]int{}, group: map[string]int{}} }

// touch returns the node with an id, and adds it if it is new.
func (c *Chart) touch(id string, group int) *Node {
	i, ok := c.node[id]
	if !ok {
		i = len(c.Nodes)
		c.node[id] = i
		c.Nodes = append(c.Nodes, Node{ID: id, Label: id, Group: group})
	}
	return &c.Nodes[i]
}

// check refuses charts that are too large.
func (c *Chart) check(line int) error {
	if len(c.Nodes) > maxElements || len(c.Edges) > maxElements || len(c.Groups) > maxElements {
		return &Error{line, fmt.Sprintf("more than %d nodes, edges or groups", maxElements)}
	}
	return nil
}

// Group finds a group by its id, -1 for none.
func (c *Chart) Group(id string) int {
	if i, ok := c.group[id]; ok {
		return i
	}
	return -1
}

// empty reports whether a text describes nothing.
func (c *Chart) empty() bool {
	return len(c.Nodes)+len(c.Groups) == 0 && (c.Sequence == nil || len(c.Sequence.Participants) == 0) && (c.Plan == nil || len(c.Plan.Tasks) == 0)
}

// reader reads the lines of one kind of diagram.
type reader interface {
	// line reads one line without its surrounding white space; indent is the width of the white space before it. It
	// receives the lines after the one that names the kind.
	line(text string, indent int) error
	// end is called after the last line.
	end() error
}

// at holds the number of the line that a reader is reading.
type at struct{ line int }

func (a *at) fail(format string, args ...any) error {
	return &Error{max(a.line, 1), fmt.Sprintf(format, args...)}
}

// run passes lines to a reader, starting at index from.
func run(r reader, a *at, lines []string, from int) error {
	for i := from; i < len(lines); i++ {
		a.line = i + 1
		text := strings.TrimSpace(lines[i])
		if text == "" || strings.HasPrefix(text, "%%") {
			continue
		}
		if err := r.line(text, indentOf(lines[i])); err != nil {
			return err
		}
	}
	return r.end()
}

func indentOf(s string) (n int) {
	for _, r := range s {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// checkClosed returns an error if something is still open at the end of a text. opened holds the lines that opened it.
func checkClosed(what string, opened []int) error {
	if len(opened) > 0 {
		return &Error{opened[len(opened)-1], what + " has no end"}
	}
	return nil
}
