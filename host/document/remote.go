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

// ref is the reference of a remote document, "" of others.
func (d *Document) ref() string {
	if d.remote == nil {
		return ""
	}
	return d.remote.ref
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

// fetch is Fetch for the document, which can be read and closed meanwhile.
func (d *Document) fetch(ctx context.Context, ref string) (*abi.FetchResponse, error) {
	ctx, over := d.waitOutside(ctx)
	defer over()
	return Fetch(ctx, d.Domain(), d, ref)
}

// sendStore stores bytes on the server, and reports whether any request may have been sent.
func (d *Document) sendStore(ctx context.Context, r *abi.StoreRequest) (out *abi.StoreResponse, sent bool, err error) {
	ctx, over := d.waitOutside(ctx)
	defer over()
	err = d.Domain().Free(ctx, d, func(in *domain.Instance) error {
		waits := in.Outside
		in.Outside = func(ctx context.Context) (context.Context, func()) {
			sent = true
			return waits(ctx)
		}
		out, err = in.Store(ctx, r)
		return err
	})
	return out, sent, err
}

// OpenRemote makes a document of fetched content.
func OpenRemote(ctx context.Context, d *domain.Domain, roots *files.Roots, name string, f *abi.FetchResponse) (*Document, []string, error) {
	stamp := files.StampOf(f.Data)
	doc, warnings, err := create(ctx, d, roots, name, f.Name, "", baselineOfFetched(f))
	if err != nil {
		return nil, nil, err
	}
	doc.remote = &remote{ref: f.Ref, revision: f.Revision, stamp: stamp}
	return doc, warnings, nil
}

func baselineOfFetched(f *abi.FetchResponse) baseline {
	stamp := files.StampOf(f.Data)
	return baseline{seed: seed(stamp.Sum[:]), open: &abi.OpenRequest{Name: f.Name, Data: f.Data}}
}

// store answers `save` of a remote document, and `save as:` of any document with a reference.
func (d *Document) store(ctx context.Context, ref string, force bool) *reply.Reply {
	if err := checkServerGrant(ctx, d.Domain()); err != nil {
		return Failure(err, "cannot save")
	}
	var out *abi.SaveResponse
	err := d.withInstance(ctx, func(in *domain.Instance) (err error) {
		out, err = in.Save(ctx, &abi.SaveRequest{})
		return err
	})
	if err != nil {
		return d.readFailure(ctx, err, "cannot save")
	}
	stamp := files.StampOf(out.Data)
	at := &remote{ref: ref}
	if d.remote != nil && (ref == "" || ref == d.remote.ref) {
		at = d.remote
	} else if !force {
		there, err := d.fetch(ctx, ref)
		switch no := new(domain.Refusal); {
		case err == nil && files.StampOf(there.Data) != stamp:
			return reply.Errorf(nil, "%s already exists, and this document is not made from it; nothing was stored; save as:%s force replaces it", reply.Place(ref), grammar.Quote(ref))
		case err == nil:
			return d.finishStore(ctx, at, there.Ref, there.Revision, out, stamp, "it was already there")
		case !errors.As(err, &no): // a refusal means that there is none, or that storing will be refused, too
			return Failure(err, "cannot save")
		}
	}
	revision := at.revision
	if force {
		revision = ""
	}
	// What is sent may be stored although no answer arrives or this host dies.
	at.noteSent(stamp)
	if at == d.remote {
		if err := d.record(ctx, recordSent, &sentRecord{Size: stamp.Size, Sum: stamp.Sum[:]}); err != nil {
			d.behind = true
		}
	}
	const tries = 2
	for try := 1; ; try++ {
		if err := d.ensureHeld(); err != nil {
			return Failure(err, "cannot save")
		}
		resp, sent, err := d.sendStore(ctx, &abi.StoreRequest{Ref: at.ref, Data: out.Data, Revision: revision})
		if err != nil {
			r := Failure(err, "cannot save")
			if sent { // the refusal need not say what the request did
				r.Results[0].Text += "; the next save first finds out whether it was stored anyway"
			}
			return r
		}
		if !resp.Moved {
			return d.finishStore(ctx, at, resp.Ref, resp.Revision, out, stamp, resp.Text)
		}
		there, err := d.fetch(ctx, at.ref)
		if err != nil {
			return Failure(err, fmt.Sprintf("%s has another revision, and cannot be compared; nothing was stored", reply.Place(at.ref)))
		}
		is := files.StampOf(there.Data)
		switch {
		case is == stamp:
			return d.finishStore(ctx, at, there.Ref, there.Revision, out, stamp, "it was already there")
		case try < tries && at.ours(is):
			revision = there.Revision // only the revision is new
		default:
			try := []reply.Suggestion{reply.Action("save force"), reply.Action("pull force"), reply.Action("save as:%s", grammar.Quote(d.freeName(d.fileName())))}
			if d.Domain().AnswersDiff() {
				try = slices.Insert(try, 0, reply.Query(domain.DiffQuery))
			}
			return reply.Errorf(try,
				"%s was changed by somebody else (revision %s, this document is made from %s); nothing was stored", reply.Place(at.ref), grammar.Quote(there.Revision), grammar.Quote(at.revision))
		}
	}
}

// finishStore answers a save that succeeded: the content at the reference is the document's.
func (d *Document) finishStore(ctx context.Context, at *remote, ref, revision string, out *abi.SaveResponse, stamp files.Stamp, text string) *reply.Reply {
	if ref != "" {
		at.ref = ref
	}
	at.revision, at.stamp, at.sent = revision, stamp, nil
	d.remote, d.path, d.saved = at, "", d.log.Position()
	r := &reply.Reply{Digest: d.state.Digest, Warnings: out.Warnings}
	if err := d.record(ctx, recordSaved, d.savedRecord(savedHere, nil)); err != nil {
		d.behind = true
		r.Warnings = append(r.Warnings, JournalWarning(err))
	}
	line := fmt.Sprintf("stored %s (%s, revision %s; others can still change it)", reply.Place(at.ref), reply.Size(int64(len(out.Data))), grammar.Quote(revision))
	if text != "" {
		line += "\n" + text
	}
	r.Add(reply.Changed, "%s", line)
	return r
}

// Pull fetches a remote document again. With force it drops unsaved changes.
func (d *Document) Pull(ctx context.Context, force bool) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return Failure(err, "")
	}
	defer d.leave()
	return d.withState(d.pull(ctx, force))
}

func (d *Document) pull(ctx context.Context, force bool) *reply.Reply {
	if d.remote == nil {
		return reply.Errorf(nil, "%s is not a remote document, so there is nothing to pull", grammar.Quote(d.Name))
	}
	if d.dirty() && !force {
		return reply.Errorf([]reply.Suggestion{reply.Action("save"), reply.Action("pull force")}, "%s has unsaved changes, which pull force drops", grammar.Quote(d.Name))
	}
	got, err := d.fetch(ctx, d.remote.ref)
	if err != nil {
		return Failure(err, "cannot pull")
	}
	stamp := files.StampOf(got.Data)
	r := &reply.Reply{Digest: d.state.Digest}
	if !d.dirty() && stamp == d.remote.stamp {
		d.remote.revision = got.Revision
		r.Add(reply.Changed, "%s is as it was (revision %s)", reply.Place(d.remote.ref), grammar.Quote(got.Revision))
		return r
	}
	base := baselineOfFetched(got)
	in, out, err := base.start(ctx, d.Domain())
	if err != nil {
		return Failure(err, "cannot open what was pulled; the document is as it was")
	}
	gone := d.log.Len()
	d.drop()
	d.inst, d.base = in, base
	d.log.Clear()
	clear(d.digests)
	d.remote = &remote{ref: got.Ref, revision: got.Revision, stamp: stamp}
	d.setState(&out.State)
	d.notes = append(d.notes, d.bindReferences(ctx, d.Domain(), out.References, "")...)
	d.saved = d.log.Position()
	d.revision++
	d.cannotFold = false
	d.settleMemory()
	if err := d.rewrite(); err != nil {
		d.behind = true
		r.Warnings = append(r.Warnings, JournalWarning(err))
	}
	r.Digest, r.Warnings = d.state.Digest, append(r.Warnings, out.Warnings...)
	r.Add(reply.Changed, "pulled %s (%s, revision %s)", reply.Place(d.remote.ref), reply.Size(int64(len(got.Data))), grammar.Quote(got.Revision))
	if gone > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the history starts anew: %s can no longer be undone, and the checkpoints are gone", reply.Count(gone, "op")))
	}
	return r
}
