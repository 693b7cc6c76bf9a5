package tree

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Draft makes an edit step by step. Each step runs immediately, so that later ones see
// its effect.
type Draft struct {
	Doc   *Doc
	steps pdk.Steps[Step]
	next  int

	retagged []Retagged
	were     map[int]bool // the keys of nodes in retagged
}

// Retagged is a node whose start tag a draft has changed, and the tag before that.
type Retagged struct {
	*Node
	Was string
}

// Retagged returns the nodes of the document whose start tags differ from those before the draft, in the order in
// which they were first changed.
func (t *Draft) Retagged() (out []Retagged) {
	for _, r := range t.retagged {
		if r.Tag != r.Was && t.Doc.Node(r.Key) == r.Node {
			out = append(out, r)
		}
	}
	return out
}

// Changed returns the names of the attributes that differ from those before the draft.
func (r Retagged) Changed() (out []string) {
	old := r.Before()
	for name, v := range r.Attrs() {
		if w, had := old.Attr(name); !had || w != v {
			out = append(out, name)
		}
	}
	for name := range old.Attrs() {
		if _, has := r.Attr(name); !has {
			out = append(out, name)
		}
	}
	return out
}

// Before returns a node outside of the document with the start tag of before the draft.
func (r Retagged) Before() *Node {
	old := &Node{Name: r.Name}
	if err := old.SetTag(r.Was); err != nil {
		panic(err) // it was in the document
	}
	return old
}

// Draft starts an edit.
func (d *Doc) Draft() *Draft { return &Draft{Doc: d, next: d.next} }

// Edit returns what was drafted, or nil. It is already applied to the document.
func (t *Draft) Edit() *Edit {
	if len(t.steps) == 0 {
		return nil
	}
	return &Edit{Steps: t.steps, Next: t.next, made: true}
}

// Drop undoes all steps.
func (t *Draft) Drop() {
	if err := t.steps.Undo(t.Doc.do); err != nil {
		panic(err) // failing to undo a step is a bug of this package
	}
	t.Doc.next = t.next
	t.steps = nil
}

// run runs a step. Only a bug of this package or of the domain can make it fail.
func (t *Draft) run(s Step) {
	if s.Action == Patch && s.Part == Tag && !t.were[s.Key] {
		if t.were == nil {
			t.were = map[int]bool{}
		}
		n := t.Doc.Node(s.Key)
		t.were[s.Key], t.retagged = true, append(t.retagged, Retagged{n, n.Tag})
	}
	if err := t.Doc.do(&s); err != nil {
		panic(err)
	}
	t.steps = append(t.steps, s)
}

// Set replaces the text of a part of a node.
func (t *Draft) Set(n *Node, part Part, text string) {
	old := *pieceOf(n, part)
	if old == text {
		return
	}
	s := xmltree.Diff(old, text)
	t.run(Step{Action: Patch, Key: n.Key, Part: part, At: s.At, Old: s.Old, New: s.New})
}

// SetAttr sets an attribute of a node: in place with its quotes, or after the last one.
// It does not change an attribute whose decoded value is already right.
func (t *Draft) SetAttr(n *Node, name, value string) {
	for i := range n.Spans {
		a := &n.Spans[i]
		if a.Name != name {
			continue
		}
		if old := n.Tag[a.Start:a.End]; xmltree.Unescape(old) != value {
			t.run(Step{Action: Patch, Key: n.Key, Part: Tag, At: a.Start, Old: old, New: xmltree.Escape(value, a.Quote)})
		}
		return
	}
	at := 1 + len(n.Name)
	if k := len(n.Spans); k > 0 {
		at = n.Spans[k-1].End + 1
	}
	t.run(Step{Action: Patch, Key: n.Key, Part: Tag, At: at, New: " " + name + `="` + xmltree.Escape(value, '"') + `"`})
}

// DropAttr removes an attribute and the space before it.
func (t *Draft) DropAttr(n *Node, name string) {
	for i := range n.Spans {
		if a := &n.Spans[i]; a.Name == name {
			from := len(strings.TrimRight(n.Tag[:a.NameStart], " \t\r\n"))
			t.run(Step{Action: Patch, Key: n.Key, Part: Tag, At: from, Old: n.Tag[from : a.End+1]})
			return
		}
	}
}

// open gives a self-closing node an end tag.
func (t *Draft) open(n *Node) {
	if n.End != "" {
		return
	}
	t.Set(n, Tag, strings.TrimRight(strings.TrimSuffix(n.Tag, "/>"), " \t\r\n")+">")
	t.Set(n, End, "</"+n.Name+">")
}

// Insert inserts an element into parent, after the sibling after, or as the first child
// if after is nil. write returns its text, given the indentation of its lines after the
// first. The element gets a line of its own if its siblings have lines of their own.
func (t *Draft) Insert(parent, after *Node, write func(indent string) string) *Node {
	lead := t.prepareChild(parent, after)
	return t.put(parent, after, lead, write(lead))
}

// put inserts raw with the given lead.
func (t *Draft) put(parent, after *Node, lead, raw string) *Node {
	e, err := xmltree.Parse(raw)
	if err != nil {
		panic(err)
	}
	keys := make([]int, svgdom.Size(e))
	for i := range keys {
		keys[i] = t.Doc.next + i
	}
	s := Step{Action: Insert, Key: parent.Key, At: key(after), Old: lead, New: raw, Keys: keys}
	t.Doc.version++
	n, err := t.Doc.insert(&s, e)
	if err != nil {
		panic(err)
	}
	t.steps = append(t.steps, s)
	return n
}

func key(n *Node) int {
	if n == nil {
		return 0
	}
	return n.Key
}

// Remove removes a node. Comments and text before it stay, and so does significant
// white space.
func (t *Draft) Remove(n *Node) {
	t.release(n)
	var keys []int
	for m := range n.All() {
		keys = append(keys, m.Key)
	}
	t.run(Step{Action: Remove, Key: n.Parent.Key, At: key(n.Prev), Old: n.Lead, New: n.Raw(), Keys: keys})
}

// release moves the text before a node, except for its indentation, to the next piece.
func (t *Draft) release(n *Node) {
	keep := n.Lead
	if !t.Doc.Mixed(n.Parent) {
		keep = strings.TrimRight(keep, " \t\r\n")
	}
	if keep == "" {
		return
	}
	t.Set(n, Lead, n.Lead[len(keep):])
	if n.Next != nil {
		t.Set(n.Next, Lead, keep+n.Next.Lead)
	} else {
		t.Set(n.Parent, Tail, keep+n.Parent.Tail)
	}
}

// Move moves a node into parent, after the sibling after, or as the first child if
// after is nil, and indents it like its new siblings.
func (t *Draft) Move(n, parent, after *Node) {
	if n.Parent == parent && n.Prev == after || after == n {
		return
	}
	t.release(n)
	from := [2]int{n.Parent.Key, key(n.Prev)}
	lead := t.prepareChild(parent, after)
	t.run(Step{Action: Move, Key: n.Key, Keys: []int{from[0], from[1], parent.Key, key(after)}})
	was := indentOf(n.Lead)
	t.Set(n, Lead, lead)
	if now := indentOf(lead); was != now && !t.Doc.Mixed(parent) {
		t.reindent(n, was, now)
	}
}

// reindent replaces the indentation of the lines in n.
func (t *Draft) reindent(n *Node, was, now string) {
	if was == "" || now == "" || t.Doc.Mixed(n) {
		return
	}
	for c := range n.Kids() {
		if blank(c.Lead) && strings.Contains(c.Lead, was) {
			t.Set(c, Lead, strings.ReplaceAll(c.Lead, was, now))
		}
		t.reindent(c, was, now)
	}
	if n.First != nil && blank(n.Tail) && strings.Contains(n.Tail, was) {
		t.Set(n, Tail, strings.ReplaceAll(n.Tail, was, now))
	}
}

// SetText makes text the only content of a node. It gives a self-closing node an end
// tag.
func (t *Draft) SetText(n *Node, text string) {
	if n.First == nil && n.Text() == text {
		return
	}
	t.open(n)
	for n.Last != nil {
		t.Set(n.Last, Lead, "")
		t.Remove(n.Last)
	}
	t.Set(n, Tail, xmltree.EscapeText(text))
}

// Append inserts an element as a node's last child.
func (t *Draft) Append(parent *Node, write func(indent string) string) *Node {
	return t.Insert(parent, parent.Last, write)
}

// AppendRaw inserts an element as a node's last child without any white space.
func (t *Draft) AppendRaw(parent *Node, raw string) *Node {
	t.open(parent)
	return t.put(parent, parent.Last, "", raw)
}

// Copy inserts a copy of n, with its text changed by change, into parent after the
// sibling after, or as the first child if after is nil.
func (t *Draft) Copy(n, parent, after *Node, change func(raw string) string) *Node {
	return t.Insert(parent, after, func(indent string) string {
		raw := change(n.Raw())
		was, now := indentOf(n.Lead), indentOf(indent)
		if was != "" && now != "" && was != now && n.First != nil && !t.Doc.Mixed(n) {
			raw = strings.ReplaceAll(raw, was, now)
		}
		return raw
	})
}

// prepareChild prepares a parent for a child after the sibling after, and returns the
// child's lead.
func (t *Draft) prepareChild(parent, after *Node) string {
	if t.Doc.Mixed(parent) {
		t.open(parent)
		return ""
	}
	if parent.First != nil {
		beside := parent.First
		if after != nil {
			beside = after
		}
		return indentOf(beside.Lead)
	}
	indent := ""
	if line, ok := t.Doc.lineOf(parent); ok {
		indent = line + t.Doc.unit()
		if parent.End == "" || indentOf(parent.Tail) == "" {
			t.open(parent)
			t.Set(parent, Tail, strings.TrimRight(parent.Tail, " \t")+line)
		}
	}
	t.open(parent)
	return indent
}

// indentOf returns the end of a lead that starts at its last line break, "" if it has
// no line break.
func indentOf(lead string) string {
	i := strings.LastIndexByte(lead, '\n')
	if i < 0 || !blank(lead[i:]) {
		return ""
	}
	if i > 0 && lead[i-1] == '\r' {
		i--
	}
	return lead[i:]
}

func blank(s string) bool { return strings.TrimLeft(s, " \t\r\n") == "" }

// lineOf returns the line break and white space before a node's end tag if the tag is
// on a line of its own. ok is false in a file that is one line.
func (d *Doc) lineOf(n *Node) (string, bool) {
	if n == d.Root {
		if n.First == nil || indentOf(n.First.Lead) != "" {
			return d.newline(), true
		}
		return "", false
	}
	if line := indentOf(n.Lead); line != "" {
		return line, true
	}
	return "", false
}

// newline returns the line break of the file.
func (d *Doc) newline() string {
	for _, s := range []string{d.head, d.Root.Tail} {
		if strings.Contains(s, "\r\n") {
			return "\r\n"
		}
	}
	if d.Root.First != nil && strings.Contains(d.Root.First.Lead, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// unit returns the white space of one level of indentation.
func (d *Doc) unit() string {
	for c := range d.Root.Kids() {
		if indent := strings.TrimLeft(indentOf(c.Lead), "\r\n"); indent != "" {
			return indent
		}
	}
	return "  "
}

// Mixed reports whether a node contains text, in which white space is significant.
func (d *Doc) Mixed(n *Node) bool {
	switch n.Type {
	case "text", "tspan", "textPath", "tref", "title", "desc", "style", "script":
		return true
	case "a":
		return n.Parent != nil && d.Mixed(n.Parent)
	}
	return false
}

// Indent returns the white space of one level of indentation, "" in a file that is one
// line.
func (d *Doc) Indent() string {
	if _, ok := d.lineOf(d.Root); !ok {
		return ""
	}
	return d.unit()
}
