package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// An answer about many elements is folded to foldRoom characters, and the map of a document that was opened to mapRoom. The domain is asked
// for foldLines lines of it.
const (
	foldRoom  = 4000
	mapRoom   = 1500
	mapQuery  = "map"
	foldLines = 4000
)

// folded answers a query, folded to about that many characters. The last line then has the query for the whole answer.
func (s *Session) folded(ctx context.Context, d *document.Document, op *grammar.Op, room int) *reply.Reply {
	r := s.query(ctx, d, op, 1, foldLines)
	if r.Failed {
		return r
	}
	r = shortenData(r, op)
	whole := strings.TrimRight(r.Text, "\n")
	lines := strings.Count(whole, "\n") + 1
	text, hidden := reply.Fold(whole, room)
	hidden += max(0, r.Total-lines)
	if hidden > 0 {
		r.Text = fmt.Sprintf("%s\n… %d of %s folded; all of them: %s %s:1\n", strings.TrimRight(text, "\n"), hidden, reply.Count(max(lines, r.Total), "line"), op.String(), pageKey)
	}
	return r
}

// shortenData names long data: URIs in an answer by their size, and says so.
func shortenData(r *reply.Reply, op *grammar.Op) *reply.Reply {
	if text := reply.ShortenData(r.Text); text != r.Text {
		r.Text = text
		r.Warnings = append(r.Warnings, fmt.Sprintf("data: URIs are named by their size; as they are: %s %s:1", op.String(), pageKey))
	}
	return r
}

// addMap adds the folded map of the document that an action opened to its first line, unless the call asks for it.
func (c *call) addMap(r *reply.Reply) {
	if r.Failed || r.Opened == "" || c.mapped {
		return
	}
	d, err := c.s.find(c.ctx, r.Opened, r.Document)
	if err != nil {
		return
	}
	ctx := domain.WithConfirmer(c.ctx, nil) // the user did not ask for it
	m := c.s.folded(ctx, d, &grammar.Op{Op: abi.Op{Verb: mapQuery}}, mapRoom)
	if text := strings.TrimRight(m.Text, "\n"); !m.Failed && text != "" {
		r.Results[0].Text += "\n" + text
	}
}
