package document

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/reply"
)

// History is the query `history N`: the last n ops, newest last.
func (d *Document) History(ctx context.Context, n int) *reply.Reply {
	return d.text(ctx, func() string {
		entries := d.log.History(n)
		if len(entries) == 0 {
			return "no op yet"
		}
		var b strings.Builder
		total := d.log.Cursor()
		for i := range entries {
			writeEntry(&b, total-len(entries)+i+1, &entries[i], "")
		}
		if u := d.log.Len() - d.log.Cursor(); u > 0 {
			fmt.Fprintf(&b, "(%s can be redone)\n", reply.Count(u, "undone op"))
		}
		return b.String()
	})
}

// Checkpoints is the query `checkpoints`.
func (d *Document) Checkpoints(ctx context.Context) *reply.Reply {
	return d.text(ctx, func() string {
		list := d.log.Checkpoints()
		if len(list) == 0 {
			return "no checkpoint yet"
		}
		var b strings.Builder
		for _, c := range list {
			fmt.Fprintf(&b, "%s: %s\n", c.Name, ago(c.Ago))
		}
		return b.String()
	})
}

func ago(n int) string {
	switch {
	case n == 0:
		return "here"
	case n < 0:
		return reply.Count(-n, "undone op") + " ahead"
	}
	return reply.Count(n, "op") + " ago"
}

// Diff is the query `diff [checkpoint:NAME]`: what was done since or, without a name, since the document was saved or opened.
func (d *Document) Diff(ctx context.Context, checkpoint string) *reply.Reply {
	return d.read(ctx, func() (*reply.Reply, error) {
		diff, kept := d.log.SincePosition(d.saved)
		since := "the last save or open"
		if checkpoint != "" {
			var err error
			checkpoint = d.checkpointNamed(checkpoint)
			if diff, err = d.log.Since(checkpoint); err != nil {
				return nil, planFailure(err, reply.Query("diff checkpoint:"))
			}
			since = strconv.Quote(checkpoint)
		} else if !kept {
			return nil, reply.Refuse([]reply.Suggestion{reply.Query("history")}, "the history no longer goes back to the last save or open")
		}
		entries := diff.Entries
		var b strings.Builder
		switch {
		case len(entries) == 0:
			fmt.Fprintf(&b, "nothing changed since %s\n", since)
		case diff.Undone:
			fmt.Fprintf(&b, "%s between here and %s:\n", reply.Count(len(entries), "undone op"), since)
		default:
			fmt.Fprintf(&b, "%s since %s:\n", reply.Count(len(entries), "op"), since)
		}
		for i := range entries {
			writeEntry(&b, i+1, &entries[i], "  ")
		}
		return &reply.Reply{Text: b.String()}, nil
	})
}

// writeEntry prints an op and, where they say more, its events.
func writeEntry(b *strings.Builder, n int, e *eventlog.Entry, indent string) {
	fmt.Fprintf(b, "%s%d. %s", indent, n, short(e.Op))
	switch len(e.Events) {
	case 0:
	case 1:
		if s := e.Events[0].Summary; s != "" && s != e.Op {
			fmt.Fprintf(b, "  → %s", s)
		}
	default:
		fmt.Fprintf(b, "  → %d changes", len(e.Events))
		if s := e.Events[0].Summary; s != "" {
			fmt.Fprintf(b, ", first: %s", s)
		}
	}
	b.WriteByte('\n')
}
