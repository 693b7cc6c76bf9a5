package document

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/picture"
	"github.com/fcp-host/fcp-host/host/reply"
)

// mend is err with what became of the document, which the failed call was not to change.
func (h *history) mend(ctx context.Context, err error) error {
	if isFault(err) {
		return fmt.Errorf("%w%s", err, h.restore(ctx))
	}
	return err
}

// Bytes is the document's content as its file would hold it.
func (d *Document) Bytes(ctx context.Context) ([]byte, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.leave()
	out, err := d.save(ctx, &abi.SaveRequest{})
	if err != nil {
		return nil, err
	}
	return out.Data, nil
}

// Query asks the domain for lines of an answer, starting with line number first. With 0 lines the answer is whole, as
// the domain wrote it. The domain may return the whole answer anyway.
func (d *Document) Query(ctx context.Context, op *grammar.Op, first, lines int) *reply.Reply {
	return d.read(ctx, func() (*reply.Reply, error) {
		ctx, release, err := d.admit(ctx, op.Verb, d.Domain().QueryWants(op.Verb))
		if err != nil {
			return nil, err
		}
		defer release()
		w := op.Op
		d.noteWords(d.Domain(), &w, true)
		defer d.endSupply()
		req := &abi.QueryRequest{Query: w, Recent: d.recent([]abi.Op{w}, nil), Ref: d.place.where().Ref, First: first, Lines: lines}
		var out *abi.QueryResponse
		err = d.withInstance(ctx, func(in *domain.Instance) (err error) { out, err = in.Query(ctx, req); return })
		if refused := new(domain.Refusal); errors.As(err, &refused) && len(refused.Try) == 0 {
			return nil, reply.Refuse([]reply.Suggestion{reply.Help(op.Verb)}, "%s", d.mend(ctx, err))
		}
		if err != nil {
			return nil, d.mend(ctx, err)
		}
		r := &reply.Reply{Text: out.Text, Total: out.Total, Guest: true}
		if lines > 0 {
			r.Text = reply.Mark(d.Domain().Name(), out.Text)
		}
		for _, c := range out.Content {
			mime, err := picture.Type(c.Data)
			if err != nil {
				r.Warnings = append(r.Warnings, fmt.Sprintf("held back: what the plugin sent as %s, of %s: %v", grammar.Quote(c.MIME), reply.Count(len(c.Data), "byte"), err))
				continue
			}
			r.Content = append(r.Content, reply.Content{MIME: mime, Data: c.Data})
		}
		return r, nil
	})
}

// Help returns the sections that this document adds to the reference card, none after an error.
func (d *Document) Help(ctx context.Context) []abi.Section {
	if err := d.enter(ctx); err != nil {
		return nil
	}
	defer d.leave()
	var sections []abi.Section
	_ = d.withInstance(ctx, func(in *domain.Instance) (err error) { sections, err = in.Help(ctx); return })
	return sections
}

// Status answers the query `status`, with further lines before the digest.
func (d *Document) Status(ctx context.Context, further ...string) *reply.Reply {
	return d.text(ctx, func() string {
		var b strings.Builder
		fmt.Fprintf(&b, "document: %s (%s)\n", d.Name, d.Domain().Name())
		if title := d.displayTitle(); title != d.Name {
			fmt.Fprintf(&b, "title: %s\n", short(title))
		}
		w := d.place.where()
		fmt.Fprintln(&b, w.line(d.roots.Show(w.Path)))
		if d.dirty() {
			b.WriteString("unsaved changes: yes\n")
		} else {
			b.WriteString("unsaved changes: no\n")
		}
		mode := "atomic"
		if d.each {
			mode = "each"
		}
		if d.lines {
			mode += ", lines"
		}
		fmt.Fprintf(&b, "batch: %s\n", mode)
		fmt.Fprintf(&b, "history: %s to undo, %d to redo\n", reply.Count(d.log.Cursor(), "op"), d.log.Len()-d.log.Cursor())
		var names []string
		for _, c := range d.log.Checkpoints() {
			names = append(names, c.Name)
		}
		if len(names) == 0 {
			b.WriteString("checkpoints: 0\n")
		} else {
			fmt.Fprintf(&b, "checkpoints: %d (%s)\n", len(names), strings.Join(names, ", "))
		}
		fmt.Fprintf(&b, "revision: %d\n", d.revision)
		if s := d.stays.Load(); s != nil {
			fmt.Fprintf(&b, "plugin: %s, and not %s, which is loaded: %s\n", d.Domain().BuildName(), s.to.BuildName(), s.why)
		}
		for _, l := range further {
			fmt.Fprintln(&b, l)
		}
		fmt.Fprintf(&b, "[%s]\n", d.state.Digest)
		return b.String()
	})
}
