// Package chart reads flow charts written as text: mermaid's flowcharts, and
// tables of nodes and edges. It is pure; errors name the line.
package chart

import "fmt"

// Chart is what a text describes, in its order.
type Chart struct {
	Dir    string // TB, LR, BT or RL; "" when the text does not say
	Nodes  []Node
	Edges  []Edge
	Groups []Group

	node  map[string]int
	group map[string]int
}

// Node is a shape.
type Node struct {
	ID, Label string
	Shape     string // a type of the drawio domain, "" when the text does not say
	Group     int    // index into Groups, -1 for none
	Line      int    // of a table, where the node is described; 0 where only edges name it
}

// Group is a container.
type Group struct {
	ID, Label string
	Parent    int // index of the group around it, -1 for none
}

// Edge joins two nodes or groups, by their ids.
type Edge struct {
	From, To, Label string
	Line            string // dashed, thick, hidden or ""
	Tail, Head      string // names of heads, "none" for none
	line            int
}

// most bounds nodes, and edges, and groups.
const most = 5000

// Error is what is wrong with a text, and in which line, from 1.
type Error struct {
	Line   int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

func newChart() *Chart { return &Chart{node: map[string]int{}, group: map[string]int{}} }

// touch is the node with that id, made when it is new.
func (c *Chart) touch(id string, group int) *Node {
	i, ok := c.node[id]
	if !ok {
		i = len(c.Nodes)
		c.node[id] = i
		c.Nodes = append(c.Nodes, Node{ID: id, Label: id, Group: group})
	}
	return &c.Nodes[i]
}

// check holds the whole against its bounds.
func (c *Chart) check(line int) error {
	if len(c.Nodes) > most || len(c.Edges) > most || len(c.Groups) > most {
		return &Error{line, fmt.Sprintf("more than %d nodes, edges or groups", most)}
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
