package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// box is the check box of a task list item (GitHub Flavored Markdown, section 5.3).
type box struct {
	ast.BaseInline
	done bool
}

var boxKind = ast.NewNodeKind("box")

// Kind implements ast.Node.
func (b *box) Kind() ast.NodeKind { return boxKind }

// Dump implements ast.Node.
func (b *box) Dump(source []byte, level int) { ast.DumpHelper(b, source, level, nil, nil) }

// boxParser finds boxes at the beginnings of list items.
type boxParser struct{}

// Trigger implements parser.InlineParser.
func (boxParser) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (boxParser) Parse(block ast.Node, r text.Reader, _ parser.Context) ast.Node {
	item := block.Parent()
	if item == nil || item.Kind() != ast.KindListItem || item.FirstChild() != block || block.HasChildren() {
		return nil
	}
	line, _ := r.PeekLine()
	if len(line) < 3 || line[2] != ']' {
		return nil
	}
	switch line[1] {
	case ' ', '\t', '\n', 'x', 'X':
		r.Advance(3)
		r.SkipSpaces()
		return &box{done: line[1]|0x20 == 'x'}
	}
	return nil
}
