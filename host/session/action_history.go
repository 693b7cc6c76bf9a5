package session

import (
	"strconv"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

func (c *call) checkpoint(d *document.Document) (*reply.Reply, error) {
	return d.Checkpoint(c.ctx, c.text(0)), nil
}

// count reads the optional N of undo and redo.
func (c *call) count() (int, error) {
	if len(c.op.Positionals) == 0 {
		return 1, nil
	}
	n, err := strconv.Atoi(c.text(0))
	if err != nil || n < 1 {
		return 0, reply.Refuse([]reply.Suggestion{reply.Query("history 10")}, "%s %s: N is a whole number from 1", c.op.Verb, quoteShort(c.text(0)))
	}
	return n, nil
}

// cutForce removes force from the end of an action on a folder document, and reports whether it was
// there.
func (c *call) cutForce(d *domain.Domain) (*call, bool) {
	n := len(c.op.Positionals) - 1
	if d.Manifest.Folder == nil || n < 0 || c.keyword(n) != "force" {
		return c, false
	}
	less, op := *c, *c.op
	op.Positionals = op.Positionals[:n]
	less.op = &op
	return &less, true
}

func (c *call) undo(d *document.Document) (*reply.Reply, error) {
	c, force := c.cutForce(d.Domain())
	if err := c.checkWords(1, "to"); err != nil {
		return nil, err
	}
	if name, ok := c.op.Param("to"); ok {
		if len(c.op.Positionals) > 0 {
			return nil, reply.Refuse(actions("undo to:"+grammar.Quote(name)), "undo takes a number or to:, not both")
		}
		return d.UndoTo(c.ctx, name, force), nil
	}
	switch c.keyword(0) {
	case "batch":
		return d.UndoBatch(c.ctx, force), nil
	case "to:":
		return d.UndoTo(c.ctx, "", force), nil
	}
	n, err := c.count()
	if err != nil {
		return nil, err
	}
	return d.Undo(c.ctx, n, force), nil
}

func (c *call) redo(d *document.Document) (*reply.Reply, error) {
	n, err := c.count()
	if err != nil {
		return nil, err
	}
	return d.Redo(c.ctx, n), nil
}

func (c *call) batch(d *document.Document) (*reply.Reply, error) {
	switch c.keyword(0) {
	case "atomic":
		return d.Each(c.ctx, false), nil
	case "each":
		return d.Each(c.ctx, true), nil
	case "lines":
		return d.Lines(c.ctx, true), nil
	case "joined":
		return d.Lines(c.ctx, false), nil
	}
	return nil, reply.Refuse([]reply.Suggestion{reply.Query("status")}, "batch is atomic or each, and lines or joined")
}
