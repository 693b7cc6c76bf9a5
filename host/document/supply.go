package document

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/resource"
)

// maxNames bounds the files that a document knows by name.
const maxNames = 10_000

// external is what a document uses outside of the sandbox. The zero value is nothing.
type external struct {
	roots   *files.Roots
	fetcher *resource.Fetcher         // nil: words of calls name no resources
	named   map[string]string         // resolved paths by the names that calls or the document itself use
	seen    map[string]files.Identity // by path: the file when the user was told of it last; the zero value for one that is gone

	// Of the running call:
	resolved []resource.Resolved // the resources that its words name
	words    []string            // words that may name files for the domain to read
}

// SetFetcher sets where the resources come from that words of calls name. It is called before the first call.
func (d *Document) SetFetcher(f *resource.Fetcher) {
	<-d.turn
	defer d.leave()
	d.fetcher = f
}

// Bind binds the names of the files that the document was made from. It is called before the first call.
func (d *Document) Bind(resolved []resource.Resolved) {
	<-d.turn
	defer d.leave()
	d.bind(names(resolved, nil))
}

// names lists the names and paths of resolved files, without those of failed ops.
func names(resolved []resource.Resolved, failed func(op int) bool) (out []abi.KeyValue) {
	for i := range resolved {
		if t := &resolved[i]; t.Names() && (failed == nil || !failed(t.Op)) {
			out = append(out, abi.KeyValue{Key: t.Text, Value: t.Path})
		}
	}
	return out
}

// bind binds names to paths.
func (e *external) bind(names []abi.KeyValue) {
	for _, n := range names {
		if _, known := e.named[n.Key]; !known && len(e.named) >= maxNames {
			return
		}
		if e.named == nil {
			e.named = map[string]string{}
		}
		e.named[n.Key] = n.Value
		e.noteIdentity(n.Value)
	}
}

// knownNames lists the bound names, sorted.
func (e *external) knownNames() (out []abi.KeyValue) {
	for name, path := range e.named {
		out = append(out, abi.KeyValue{Key: name, Value: path})
	}
	slices.SortFunc(out, func(a, b abi.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// bindReferences binds the names of files that the document's content mentions. Since the content may come from anybody, only
// media within the roots count. They are looked for beside the document's file, then in the working folder; a warning
// names the missing ones.
func (e *external) bindReferences(ctx context.Context, d *domain.Domain, references []string, file string) (warnings []string) {
	var lost []string
	roots := e.roots.In(ctx)
	for _, name := range references[:min(len(references), maxNames)] {
		if len(name) > 4096 || !d.AcceptsMedia(name) {
			continue
		}
		paths := []string{name}
		if file != "" && !filepath.IsAbs(name) && !strings.HasPrefix(name, "~") {
			paths = []string{filepath.Join(filepath.Dir(file), name), name}
		}
		found := false
		for _, path := range paths {
			if real, err := e.roots.Resolve(path); err == nil && d.AcceptsMedia(real) && roots.Exists(real) {
				e.bind([]abi.KeyValue{{Key: name, Value: real}})
				found = true
				break
			}
		}
		if !found {
			lost = append(lost, name)
		}
	}
	if len(lost) > 0 {
		text := "not there, or outside the allowed folders: " + reply.Line(lost[0])
		if n := len(lost) - 1; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		warnings = append(warnings, text+", which the document mentions")
	}
	return warnings
}

// saveRequest asks for the content of the file at real.
func (e *external) saveRequest(real string) *abi.SaveRequest {
	return &abi.SaveRequest{Name: filepath.Base(real), Files: e.relativeNames(real)}
}

// relativeNames lists the known names that do not work as paths from the folder of the file at real, each with a
// relative path that does.
func (e *external) relativeNames(real string) (out []abi.KeyValue) {
	dir := filepath.Dir(real)
	for _, n := range e.knownNames() {
		if filepath.IsAbs(n.Key) || filepath.Join(dir, n.Key) == n.Value {
			continue
		}
		if there, err := e.roots.Resolve(filepath.Join(dir, n.Key)); err == nil && there == n.Value {
			continue
		}
		path, err := filepath.Rel(dir, n.Value)
		switch {
		case err != nil: // on another volume
			path = n.Value
		case !strings.HasPrefix(path, ".."):
			path = "." + string(filepath.Separator) + path
		}
		out = append(out, abi.KeyValue{Key: n.Key, Value: filepath.ToSlash(path)})
	}
	return out
}

// openInput opens the file that name is bound to, for a program.
func (e *external) openInput(d *domain.Domain, name string) (*os.File, error) {
	real, ok := e.named[name]
	for i := range e.resolved {
		if t := &e.resolved[i]; t.Names() && t.Text == name {
			real, ok = t.Path, true
		}
	}
	switch {
	case ok:
		if err := e.roots.NoFolder(real); err != nil {
			return nil, err
		}
		return e.roots.Open(real)
	case d.AcceptsFile(name) && slices.Contains(e.words, name):
		return e.openNamed(d, name)
	}
	return nil, fmt.Errorf("no file is known as %s in this document", grammar.Quote(name))
}

// openNamed opens a file that a word of this call names, or one that an earlier call named for the domain to read.
func (e *external) openNamed(d *domain.Domain, name string) (*os.File, error) {
	if real, ok := e.named[name]; ok && d.ReadsFiles(real) {
		return e.roots.Open(real)
	}
	if !slices.Contains(e.words, name) {
		return nil, fmt.Errorf("no word of the call is the file %s", grammar.Quote(name))
	}
	real, err := e.roots.Resolve(name)
	if err != nil {
		return nil, err
	}
	return e.roots.Open(real)
}

// noteWords notes the words of a call that may name files for the domain to read: all words of an action or export, but
// of a query, which may hold any text, only words with an extension that the manifest says the domain takes.
func (e *external) noteWords(d *domain.Domain, op *abi.Op, query bool) {
	if d.World == nil {
		return
	}
	add := func(word string) {
		if !query || d.AcceptsFile(word) {
			e.words = append(e.words, word)
		}
	}
	for _, p := range op.Positionals {
		add(p.Text)
	}
	for _, p := range op.Params {
		add(p.Value)
	}
}

// connectWorld gives the instance access to the world, if the domain has any.
func (d *Document) connectWorld(in *domain.Instance) {
	if dom := d.Domain(); dom.World != nil {
		in.Outside = d.waitForAsk
		in.Files = func(name string) (*os.File, error) { return d.openNamed(dom, name) }
		in.Inputs = func(name string) (*os.File, error) { return d.openInput(dom, name) }
	}
}

// otherDocuments gets the content of documents that ops name. It is called before the call takes its turn, so that no
// two documents wait for each other.
func (e *external) otherDocuments(ctx context.Context, d *domain.Domain, ops []string) resource.Saved {
	if e.fetcher == nil || !d.NamesDocuments() {
		return nil
	}
	var words []resource.Word
	for _, it := range grammar.ParseAll(ops, d.Rules) {
		if it.Err == nil && d.Check(&it.Op) == nil {
			op := it.Op.Op
			words = append(words, resource.Words(d.Resources(op.Verb), &op, 0)...)
		}
	}
	return e.fetcher.Saved(ctx, words)
}

// supply fetches the resources that words of a batch name, and refuses the ops whose resources are not available. The
// call keeps what was fetched: running its ops again uses the same bytes.
func (d *Document) supply(ctx context.Context, b *batch, docs resource.Saved) {
	if d.fetcher == nil || !d.Domain().TakesResources() {
		return
	}
	var words []resource.Word
	for i := range b.ops {
		list := d.Domain().Resources(b.ops[i].Verb)
		if b.action {
			list = d.Domain().ActionResources(b.ops[i].Verb)
		}
		words = append(words, resource.Words(list, &b.ops[i], i)...)
	}
	if len(words) == 0 {
		return
	}
	ctx, over := d.waitOutside(ctx)
	defer over()
	b.applyRefusals(d.fetcher.Get(ctx, words, docs, d.knows()), b.each, d.Domain().Rules)
	d.resolved = b.resolved
}

// knows returns a function that reports whether an id occurs in the document's history.
func (h *history) knows() func(id string) bool {
	var ids map[string]bool
	return func(id string) bool {
		if ids == nil {
			ids = map[string]bool{}
			for e := range h.log.Applied() {
				for _, id := range e.IDs {
					ids[id] = true
				}
			}
		}
		return ids[id]
	}
}

// applyRefusals drops the ops that have a refused resource from the batch; unless each op runs by itself, it drops the
// ops after the first of them, too.
func (b *batch) applyRefusals(resolved []resource.Resolved, each bool, rules grammar.Rules) {
	refused := map[int]bool{}
	for i := range resolved {
		t := &resolved[i]
		if t.No == nil || refused[t.Op] {
			continue
		}
		refused[t.Op] = true
		at := b.sent[t.Op]
		b.bad[at] = t.No
		for _, word := range t.Near {
			op := withWord(&b.items[at].Op, &t.Word, word)
			s := abi.Suggestion{Kind: abi.TryOp, Text: grammar.Format(op, rules)}
			if b.action {
				s = abi.Suggestion{Kind: abi.TryAction, Text: op.String()}
			}
			if len(t.No.Try) < abi.MaxTry {
				t.No.Try = append(t.No.Try, s)
			}
		}
		b.refusedItems = append(b.refusedItems, at)
	}
	if len(refused) == 0 {
		b.resolved = resolved
		return
	}
	now := map[int]int{} // new indexes of the remaining ops
	var sent []int
	var ops []abi.Op
	for i := range b.ops {
		if refused[i] && !each {
			break
		}
		if !refused[i] {
			now[i] = len(ops)
			sent, ops = append(sent, b.sent[i]), append(ops, b.ops[i])
		}
	}
	b.sent, b.ops = sent, ops
	for _, t := range resolved {
		if at, ok := now[t.Op]; ok {
			t.Op = at
			if t.Supply != nil {
				t.Supply.Op = at
			}
			b.resolved = append(b.resolved, t)
		}
	}
}

// withWord is a copy of op with word in place of the one that names a resource.
func withWord(op *grammar.Op, w *resource.Word, word string) grammar.Op {
	out := *op
	out.Positionals, out.Params = slices.Clone(op.Positionals), slices.Clone(op.Params)
	for i := range out.Params {
		if p := &out.Params[i]; p.Key == w.As.Key && p.Value == w.Text {
			p.Value = word
		}
	}
	for i := range out.Positionals {
		if p := &out.Positionals[i]; (w.As.Position == i+1 || w.As.Position < 0) && p.Text == w.Text {
			p.Text = word
		}
	}
	return out
}

// supplies lists the resources of n ops starting with the one at from, for a request with these ops.
func (b *batch) supplies(from, n int) (out []abi.Supply) {
	for i := range b.resolved {
		if t := &b.resolved[i]; t.Supply != nil && t.Op >= from && t.Op < from+n {
			s := *t.Supply
			s.Op = t.Op - from
			out = append(out, s)
		}
	}
	return out
}

// names lists the names and paths of files that ops without an error bind.
func (b *batch) names(results []abi.Result) []abi.KeyValue {
	if len(b.resolved) == 0 {
		return nil
	}
	return names(b.resolved, func(op int) bool { return op >= len(results) || results[op].Error != nil })
}

// refusedOutside reports whether the op with this number in replies was refused because of a resource.
func (b *batch) refusedOutside(op int) bool { return slices.Contains(b.refusedItems, max(0, op-1)) }

// suppliesAgain gives an op that is tried out the resources that this call has fetched; nothing new is fetched. ok is
// false if its words name something else.
func (e *external) suppliesAgain(d *domain.Domain, op *abi.Op, knows func(id string) bool) (out []abi.Supply, ok bool) {
	if e.fetcher == nil || !d.TakesResources() {
		return nil, true
	}
	words := resource.Words(d.Resources(op.Verb), op, 0)
	if len(words) == 0 {
		return nil, true
	}
	return e.fetcher.Again(words, e.resolved, knows)
}

// endSupply drops the resources of a call at its end.
func (e *external) endSupply() { e.resolved, e.words = nil, nil }
