package tree

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Edit is one reversible change: steps that run in order. Nothing else changes a Doc.
type Edit struct {
	Steps pdk.Steps[Step] `msgpack:"s"`
	Next  int             `msgpack:"n"` // the key counter before the edit

	made bool // made by a Draft, which has already run the steps: the first Do does nothing
}

// Action is what a step does.
type Action int

// The actions. Keys identify nodes.
const (
	Patch  Action = iota // replace Old by New at byte At of a Part of Key
	Insert               // insert New as a child of Key with the lead Old, after the sibling At (0: first); Keys are those of its nodes
	Remove               // the inverse of Insert
	Move                 // move Key from parent Keys[0] after Keys[1] to parent Keys[2] after Keys[3]
)

// Part is a piece of a node's text.
type Part int

// The parts. Key 0 stands for the document: its head is the Lead, its tail the Tail.
const (
	Lead Part = iota
	Tag
	Tail
	End
)

// pieceOf returns a part of a node's text, nil if there is none of that name.
func pieceOf(n *Node, p Part) *string {
	switch p {
	case Lead:
		return &n.Lead
	case Tag:
		return &n.Tag
	case Tail:
		return &n.Tail
	case End:
		return &n.End
	}
	return nil
}

// Step is one part of an edit. The action determines which fields are used.
type Step struct {
	//lint:ignore U1000 msgpack reads the tag: steps are written without their fields' names
	_msgpack struct{} `msgpack:",as_array"`

	Action   Action
	Key      int
	Part     Part
	At       int
	Old, New string
	Keys     []int
}

// Type names the event.
func (e *Edit) Type() string { return "edit" }

// AppendMsgpack appends the same bytes that the package msgpack would write.
func (e *Edit) AppendMsgpack(b []byte) []byte { return e.Steps.AppendMsgpack(b, e.Next) }

// Size estimates the size of the step in MessagePack, in bytes.
func (s Step) Size() int { return 32 + len(s.Old) + len(s.New) + 5*len(s.Keys) }

// AppendMsgpack appends the same bytes that the package msgpack would write.
func (s Step) AppendMsgpack(b []byte) []byte {
	b = abi.AppendArray(b, 7)
	for _, v := range []int{int(s.Action), s.Key, int(s.Part), s.At} {
		b = abi.AppendInt(b, v)
	}
	b = abi.AppendString(abi.AppendString(b, s.Old), s.New)
	if s.Keys == nil {
		return append(b, 0xc0)
	}
	b = abi.AppendArray(b, len(s.Keys))
	for _, k := range s.Keys {
		b = abi.AppendInt(b, k)
	}
	return b
}

// Do applies the whole change, or none of it if it returns an error.
func (e *Edit) Do(d *Doc) error {
	if e.made {
		e.made = false
		return nil
	}
	e.Next = d.next
	err := e.Steps.Do(d.do)
	if err != nil {
		d.next = e.Next
	}
	return err
}

// Undo restores the state before Do.
func (e *Edit) Undo(d *Doc) error {
	if err := e.Steps.Undo(d.do); err != nil {
		return err
	}
	d.next = e.Next
	return nil
}

// Inverse returns the step that reverses this one.
func (s Step) Inverse() Step {
	switch s.Action {
	case Insert:
		s.Action = Remove
	case Remove:
		s.Action = Insert
	case Move:
		if k := s.Keys; len(k) == 4 {
			s.Keys = []int{k[2], k[3], k[0], k[1]}
		}
	default:
		s.Old, s.New = s.New, s.Old
	}
	return s
}

func (d *Doc) do(s *Step) error {
	d.version++
	switch s.Action {
	case Patch:
		return d.patch(s)
	case Insert:
		e, err := xmltree.Parse(s.New)
		if err == nil {
			_, err = d.insert(s, e)
		}
		return err
	case Remove:
		return d.remove(s)
	case Move:
		return d.move(s)
	}
	return fmt.Errorf("unknown action %d", s.Action)
}

func (d *Doc) node(key int) (*Node, error) {
	if n := d.Node(key); n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("no element %d", key)
}

func (d *Doc) patch(s *Step) error {
	var n *Node
	var piece *string
	switch {
	case s.Key != 0:
		var err error
		if n, err = d.node(s.Key); err != nil {
			return err
		}
		piece = pieceOf(n, s.Part)
	case s.Part == Lead:
		piece = &d.head
	case s.Part == Tail:
		piece = &d.tail
	}
	if piece == nil {
		return fmt.Errorf("there is no part %d", s.Part)
	}
	text := *piece
	if err := (xmltree.Splice{At: s.At, Old: s.Old, New: s.New}).Patch(&text); err != nil {
		return err
	}
	if n != nil && slices.Contains(d.sheets, n) {
		d.restyled++
	}
	if n == nil || s.Part != Tag {
		*piece = text
		return nil
	}
	was, pointed := n.ID(), n.MayRefer()
	before := *n
	if err := n.SetTag(text); err != nil {
		return err
	}
	if id := n.ID(); id != was || n.MayRefer() != pointed {
		after := *n
		n.Tag, n.Spans = before.Tag, before.Spans
		d.updateTables(n, false)
		n.Tag, n.Spans = after.Tag, after.Spans
		d.updateTables(n, true)
		d.regroup(n)
	}
	return nil
}

// regroup updates the names of the nodes in n after the name of their group has
// changed.
func (d *Doc) regroup(n *Node) {
	if d.names == nil {
		return
	}
	for m := range n.All() {
		if id := m.ID(); id != "" {
			d.name(m, id)
		}
	}
}

// place returns the parent and the preceding sibling with these keys. a is nil for 0.
func (d *Doc) place(parent, after int) (p, a *Node, err error) {
	if p, err = d.node(parent); err != nil || after == 0 {
		return p, nil, err
	}
	if a, err = d.node(after); err == nil && a.Parent != p {
		err = fmt.Errorf("element %d does not lie in element %d", after, parent)
	}
	return p, a, err
}

// insert runs a step whose New was parsed as e.
func (d *Doc) insert(s *Step, e *xmltree.Element) (*Node, error) {
	parent, after, err := d.place(s.Key, s.At)
	if err != nil {
		return nil, err
	}
	if e.Start != 0 || e.End != len(s.New) {
		return nil, fmt.Errorf("the text is not one element")
	}
	count := svgdom.Size(e)
	if len(s.Keys) != count {
		return nil, fmt.Errorf("%d elements and %d keys", count, len(s.Keys))
	}
	for _, k := range s.Keys {
		if k < 1 || d.Node(k) != nil || k > d.next+count {
			return nil, fmt.Errorf("key %d cannot be used", k)
		}
	}
	n := svgdom.Build(s.New, e, parent, s.Keys)
	n.Lead = s.Old
	n.Link(parent, after)
	d.addToTables(n)
	return n, nil
}

func (d *Doc) remove(s *Step) error {
	parent, after, err := d.place(s.Key, s.At)
	if err != nil {
		return err
	}
	n := parent.First
	if after != nil {
		n = after.Next
	}
	if n == nil || len(s.Keys) == 0 || n.Key != s.Keys[0] {
		return fmt.Errorf("the element to remove does not exist")
	}
	d.removeFromTables(n)
	n.Unlink()
	return nil
}

func (d *Doc) move(s *Step) error {
	if len(s.Keys) != 4 {
		return fmt.Errorf("a move needs two positions")
	}
	n, err := d.node(s.Key)
	if err != nil {
		return err
	}
	parent, after, err := d.place(s.Keys[2], s.Keys[3])
	if err != nil {
		return err
	}
	if n == d.Root || parent.Within(n) || after == n {
		return fmt.Errorf("element %d cannot move there", s.Key)
	}
	n.Unlink()
	n.Link(parent, after)
	d.regroup(n)
	if len(d.sheets) > 0 {
		d.restyled++ // their order matters
	}
	return nil
}
