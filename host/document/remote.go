package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// remote is the place of a remote document.
type remote struct {
	plain
	ref      string
	revision string        // of the content that was fetched or stored last
	stamp    files.Stamp   // of that content
	sent     []files.Stamp // of content that was sent since without an answer, and may have been stored
}

// maxSent limits how many saves without an answer are remembered, so that they are not taken for changes by others.
const maxSent = 8

func (r *remote) noteSent(s files.Stamp) {
	if r.sent = append(r.sent, s); len(r.sent) > maxSent {
		r.sent = r.sent[1:]
	}
}

// ours reports whether this document fetched or sent these bytes.
func (r *remote) ours(s files.Stamp) bool { return s == r.stamp || slices.Contains(r.sent, s) }

func (r *remote) where() Where { return Where{Ref: r.ref, revision: r.revision, stamp: r.stamp} }

func (r *remote) fits(ctx context.Context, _, to *domain.Domain) error {
	if !Scheme(to, r.ref) {
		return errors.New("it has no documents of this kind")
	}
	return checkServerGrant(ctx, to)
}

func (r *remote) reopen(ctx context.Context, d *Document) error {
	return checkServerGrant(ctx, d.Domain())
}

func (r *remote) known(*Document) ([]diskRecord, []files.Stamp) { return nil, r.sent }

// write is not called: a document without a path is not saved with each call.
func (r *remote) write(context.Context, *Document) (*stored, error) {
	return nil, errors.ErrUnsupported
}

func (r *remote) save(ctx context.Context, d *Document, path string, force bool) (*reply.Reply, error) {
	switch {
	case path != "" && !Scheme(d.Domain(), path):
		return d.saveCopy(ctx, path, force)
	case path != "" && path != r.ref:
		r = &remote{ref: path}
	}
	return r.store(ctx, d, force)
}

// Scheme reports whether ref names a remote document of the domain.
func Scheme(d *domain.Domain, ref string) bool {
	scheme, _, ok := strings.Cut(ref, ":")
	return ok && slices.Contains(d.Manifest.Schemes, strings.ToLower(scheme))
}

// checkServerGrant returns an error if the domain may not use any of its servers.
func checkServerGrant(ctx context.Context, d *domain.Domain) error {
	can, first := d.Can(), ""
	for i := range d.Manifest.Wants {
		if w := &d.Manifest.Wants[i]; w.Kind == abi.WantHTTP {
			if slices.Contains(can, w.Key()) {
				return nil
			}
			if first == "" {
				first = w.Key()
			}
		}
	}
	if first == "" { // it has no servers
		return nil
	}
	if r := d.Missing(ctx, []string{first}); r != nil {
		return r
	}
	return nil
}

// Fetch gets a remote document for owner, on an instance without a document.
func Fetch(ctx context.Context, d *domain.Domain, owner any, ref string) (out *abi.FetchResponse, err error) {
	if err := checkServerGrant(ctx, d); err != nil {
		return nil, err
	}
	err = d.Free(ctx, owner, func(in *domain.Instance) error {
		out, err = in.Fetch(ctx, ref)
		return err
	})
	if err != nil {
		return nil, err
	}
	if out.Ref == "" {
		out.Ref = ref
	}
	return out, nil
}

// fetch is Fetch for a document, which can be read and closed meanwhile.
func (r *remote) fetch(ctx context.Context, d *Document) (*abi.FetchResponse, error) {
	ctx, over := d.waitOutside(ctx)
	defer over()
	return Fetch(ctx, d.Domain(), d, r.ref)
}

// send stores bytes on the server, and reports whether any request may have been sent.
func (r *remote) send(ctx context.Context, d *Document, data []byte, revision string) (out *abi.StoreResponse, sent bool, err error) {
	ctx, over := d.waitOutside(ctx)
	defer over()
	err = d.Domain().Free(ctx, d, func(in *domain.Instance) error {
		waits := in.Outside
		in.Outside = func(ctx context.Context) (context.Context, func()) {
			sent = true
			return waits(ctx)
		}
		out, err = in.Store(ctx, &abi.StoreRequest{Ref: r.ref, Data: data, Revision: revision})
		return err
	})
	return out, sent, err
}

// OpenRemote makes a document of fetched content.
func OpenRemote(ctx context.Context, d *domain.Domain, roots *files.Roots, name string, f *abi.FetchResponse) (*Document, []string, error) {
	return create(ctx, d, roots, name, placeOfFetched(f), baselineOfFetched(f))
}

func placeOfFetched(f *abi.FetchResponse) *remote {
	return &remote{ref: f.Ref, revision: f.Revision, stamp: files.StampOf(f.Data)}
}

func baselineOfFetched(f *abi.FetchResponse) baseline {
	stamp := files.StampOf(f.Data)
	return baseline{seed: seed(stamp.Sum[:]), open: &abi.OpenRequest{Name: f.Name, Data: f.Data}}
}

// store stores the document at r, which is its place from then on.
func (r *remote) store(ctx context.Context, d *Document, force bool) (*reply.Reply, error) {
	cannot := func(err error) (*reply.Reply, error) { return nil, fmt.Errorf("cannot save: %w", err) }
	if err := checkServerGrant(ctx, d.Domain()); err != nil {
		return cannot(err)
	}
	out, err := d.save(ctx, &abi.SaveRequest{})
	if err != nil {
		return cannot(d.mend(ctx, err))
	}
	stamp, own := files.StampOf(out.Data), d.place == place(r)
	if !own && !force {
		there, err := r.fetch(ctx, d)
		switch no := new(domain.Refusal); {
		case err == nil && files.StampOf(there.Data) != stamp:
			return nil, reply.Refuse(nil, "%s already exists, and this document is not made from it; nothing was stored; save as:%s force replaces it", reply.Place(r.ref), grammar.Quote(r.ref))
		case err == nil:
			return r.finish(ctx, d, there.Ref, there.Revision, out, stamp, "it was already there"), nil
		case !errors.As(err, &no): // a refusal means that there is none, or that storing will be refused, too
			return cannot(err)
		}
	}
	revision := r.revision
	if force {
		revision = ""
	}
	// What is sent may be stored although no answer arrives or this host dies.
	r.noteSent(stamp)
	if own {
		if err := d.record(ctx, recordSent, &sentRecord{Size: stamp.Size, Sum: stamp.Sum[:]}); err != nil {
			d.behind = true
		}
	}
	const tries = 2
	for try := 1; ; try++ {
		if err := d.ensureHeld(); err != nil {
			return cannot(err)
		}
		resp, sent, err := r.send(ctx, d, out.Data, revision)
		if err != nil {
			if sent { // the refusal need not say what the request did
				err = fmt.Errorf("%w; the next save first finds out whether it was stored anyway", err)
			}
			return cannot(err)
		}
		if !resp.Moved {
			return r.finish(ctx, d, resp.Ref, resp.Revision, out, stamp, resp.Text), nil
		}
		there, err := r.fetch(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("%s has another revision, and cannot be compared; nothing was stored: %w", reply.Place(r.ref), err)
		}
		is := files.StampOf(there.Data)
		switch {
		case is == stamp:
			return r.finish(ctx, d, there.Ref, there.Revision, out, stamp, "it was already there"), nil
		case try < tries && r.ours(is):
			revision = there.Revision // only the revision is new
		default:
			return nil, r.changed(d, there.Revision)
		}
	}
}

// changed refuses a save over content that somebody else stored.
func (r *remote) changed(d *Document, revision string) error {
	try := []reply.Suggestion{reply.Action("save force"), reply.Action("pull force"), reply.Action("save as:%s", grammar.Quote(freeName(d.roots, d.fileName())))}
	if d.Domain().AnswersDiff() {
		try = slices.Insert(try, 0, reply.Query(domain.DiffQuery))
	}
	return reply.Refuse(try,
		"%s was changed by somebody else (revision %s, this document is made from %s); nothing was stored", reply.Place(r.ref), grammar.Quote(revision), grammar.Quote(r.revision))
}

// finish answers a save that succeeded: the content at the reference is the document's.
func (r *remote) finish(ctx context.Context, d *Document, ref, revision string, out *abi.SaveResponse, stamp files.Stamp, text string) *reply.Reply {
	if ref != "" {
		r.ref = ref
	}
	r.revision, r.stamp, r.sent, d.place = revision, stamp, nil, r
	answer := &reply.Reply{}
	d.noteSaved(ctx, &stored{warnings: out.Warnings}, answer, d.record)
	line := fmt.Sprintf("stored %s (%s, revision %s; others can still change it)", reply.Place(r.ref), reply.Size(int64(len(out.Data))), grammar.Quote(revision))
	if text != "" {
		line += "\n" + text
	}
	answer.Add(reply.Changed, "%s", line)
	return answer
}

// Pull fetches a remote document again. With force it drops unsaved changes.
func (d *Document) Pull(ctx context.Context, force bool) *reply.Reply {
	return d.act(ctx, func() (*reply.Reply, error) {
		r, ok := d.place.(*remote)
		if !ok {
			return nil, reply.Refuse(nil, "%s is not a remote document, so there is nothing to pull", grammar.Quote(d.Name))
		}
		return r.pull(ctx, d, force)
	})
}

func (r *remote) pull(ctx context.Context, d *Document, force bool) (*reply.Reply, error) {
	if d.dirty() && !force {
		return nil, reply.Refuse([]reply.Suggestion{reply.Action("save"), reply.Action("pull force")}, "%s has unsaved changes, which pull force drops", grammar.Quote(d.Name))
	}
	got, err := r.fetch(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("cannot pull: %w", err)
	}
	answer := &reply.Reply{}
	if !d.dirty() && files.StampOf(got.Data) == r.stamp {
		r.revision = got.Revision
		answer.Add(reply.Changed, "%s is as it was (revision %s)", reply.Place(r.ref), grammar.Quote(got.Revision))
		return answer, nil
	}
	base := baselineOfFetched(got)
	in, out, err := base.start(ctx, d.Domain())
	if err != nil {
		return nil, fmt.Errorf("cannot open what was pulled; the document is as it was: %w", err)
	}
	gone := d.log.Len()
	d.restart(base, in, &out.State)
	d.place = placeOfFetched(got)
	d.notes = append(d.notes, d.bindReferences(ctx, d.Domain(), out.References, "")...)
	d.settle(d.memory())
	if err := d.rewrite(); err != nil {
		d.behind = true
		answer.Warnings = append(answer.Warnings, JournalWarning(err))
	}
	answer.Warnings = append(answer.Warnings, out.Warnings...)
	answer.Add(reply.Changed, "pulled %s (%s, revision %s)", reply.Place(got.Ref), reply.Size(int64(len(got.Data))), grammar.Quote(got.Revision))
	if gone > 0 {
		answer.Warnings = append(answer.Warnings, fmt.Sprintf("the history starts anew: %s can no longer be undone, and the checkpoints are gone", reply.Count(gone, "op")))
	}
	return answer, nil
}
