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
	"github.com/fcp-host/fcp-host/host/resource"
)

// maxNames bounds the files that a document knows by name.
const maxNames = 10_000

// outer is what a document has of the world. The zero value is nothing.
type outer struct {
	desk  *resource.Fetcher         // nil: no word of a call names anything
	named map[string]string         // resolved paths of files by the names that calls, or the document itself, gave them
	seen  map[string]files.Identity // of the files at these paths when a user was told of them last, the zero value for one that is gone

	// Of the call that runs now.
	things []resource.Resolved // what its words named
	words  []string            // those that may name files whose bytes its domain asks for
}

// Serve tells the document where to get what the words of its calls name, before its first call.
func (d *Document) Serve(desk *resource.Fetcher) {
	<-d.turn
	defer d.leave()
	d.desk = desk
}

// Bind has the document know the files by which it was made, before its first call.
func (d *Document) Bind(things []resource.Resolved) {
	<-d.turn
	defer d.leave()
	d.bind(names(things, nil))
}

// names are the files that things bind to names, of ops that did not fail.
func names(things []resource.Resolved, failed func(op int) bool) (out []abi.KeyValue) {
	for i := range things {
		if t := &things[i]; t.Names() && (failed == nil || !failed(t.Op)) {
			out = append(out, abi.KeyValue{Key: t.Text, Value: t.Path})
		}
	}
	return out
}

// bind makes names stand for paths.
func (d *Document) bind(names []abi.KeyValue) {
	for _, n := range names {
		if _, known := d.named[n.Key]; !known && len(d.named) >= maxNames {
			return
		}
		if d.named == nil {
			d.named = map[string]string{}
		}
		d.named[n.Key] = n.Value
		d.see(n.Value)
	}
}

// known are the names, sorted.
func (d *Document) known() (out []abi.KeyValue) {
	for name, path := range d.named {
		out = append(out, abi.KeyValue{Key: name, Value: path})
	}
	slices.SortFunc(out, func(a, b abi.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// refer binds the names of files that the document itself mentions, those of media in the roots alone: it may come from anybody.
// They are looked for beside the document's own file and then in the working folder; a warning names those that are not there.
func (d *Document) refer(ctx context.Context, references []string, file string) (warnings []string) {
	var lost []string
	roots := d.roots.In(ctx)
	for _, name := range references[:min(len(references), maxNames)] {
		if len(name) > 4096 || !d.Domain().Refers(name) {
			continue
		}
		paths := []string{name}
		if file != "" && !filepath.IsAbs(name) && !strings.HasPrefix(name, "~") {
			paths = []string{filepath.Join(filepath.Dir(file), name), name}
		}
		found := false
		for _, path := range paths {
			if real, err := d.roots.Resolve(path); err == nil && d.Domain().Refers(real) && roots.Exists(real) {
				d.bind([]abi.KeyValue{{Key: name, Value: real}})
				found = true
				break
			}
		}
		if !found {
			lost = append(lost, name)
		}
	}
	if len(lost) > 0 {
		warnings = append(warnings, fmt.Sprintf("not there, or outside the allowed folders: %s, which the document mentions", listed(lost)))
	}
	return warnings
}

// saving asks for the bytes of the file at real.
func (d *Document) saving(real string) *abi.SaveRequest {
	return &abi.SaveRequest{Name: filepath.Base(real), Files: d.beside(real)}
}

// beside are the known names under which a program that opens the file at real would not find their files: with what leads there from its
// folder.
func (d *Document) beside(real string) (out []abi.KeyValue) {
	dir := filepath.Dir(real)
	for _, n := range d.known() {
		if filepath.IsAbs(n.Key) || filepath.Join(dir, n.Key) == n.Value {
			continue
		}
		if there, err := d.roots.Resolve(filepath.Join(dir, n.Key)); err == nil && there == n.Value {
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

// input opens a file for a program.
func (d *Document) input(name string) (*os.File, error) {
	real, ok := d.named[name]
	for i := range d.things {
		if t := &d.things[i]; t.Names() && t.Text == name {
			real, ok = t.Path, true
		}
	}
	switch {
	case ok:
		if err := d.roots.NoFolder(real); err != nil {
			return nil, err
		}
		return d.roots.Open(real)
	case d.Domain().Takes(name) && slices.Contains(d.words, name):
		return d.file(name)
	}
	return nil, fmt.Errorf("no file is known as %s in this document", grammar.Quote(name))
}

// file opens a file that a word of the call names, or one that an earlier call named for the domain to read.
func (d *Document) file(name string) (*os.File, error) {
	if real, ok := d.named[name]; ok && d.Domain().ReadsFiles(real) {
		return d.roots.Open(real)
	}
	if !slices.Contains(d.words, name) {
		return nil, fmt.Errorf("the call names no file %s", grammar.Quote(name))
	}
	real, err := d.roots.Resolve(name)
	if err != nil {
		return nil, err
	}
	return d.roots.Open(real)
}

// mention notes the words of a call that may name files for the domain to read: any of an action or an export; of a query, whose words
// are looked for as well, those alone that end like files which the manifest says the domain takes.
func (d *Document) mention(op *abi.Op, query bool) {
	if d.Domain().World == nil {
		return
	}
	add := func(word string) {
		if !query || d.Domain().Takes(word) {
			d.words = append(d.words, word)
		}
	}
	for _, p := range op.Positionals {
		add(p.Text)
	}
	for _, p := range op.Params {
		add(p.Value)
	}
}

// reach gives the instance what it may have of the world, where the domain may have anything.
func (d *Document) reach(in *domain.Instance) {
	if d.Domain().World != nil {
		in.Outside, in.Files, in.Inputs = d.asks, d.file, d.input
	}
}

// others gets the documents that ops name. It is done before the call takes its turn, so that no two documents wait for each other.
func (d *Document) others(ctx context.Context, ops []string) resource.Saved {
	if d.desk == nil || !d.Domain().NamesDocuments() {
		return nil
	}
	var words []resource.Word
	for _, it := range grammar.ParseAll(ops, d.Domain().Rules) {
		if it.Err == nil && d.Domain().Check(&it.Op) == nil {
			op := domain.Op(&it.Op)
			words = append(words, resource.Words(d.Domain().Resources(op.Verb), &op, 0)...)
		}
	}
	return d.desk.Saved(ctx, words)
}

// supply gets what the words of a batch name, and refuses the ops whose words name what is not to be had. What it gets is a fact of
// this call: whoever runs ops of it again uses the same.
func (d *Document) supply(ctx context.Context, b *batch, docs resource.Saved) {
	if d.desk == nil || !d.Domain().Supplied() {
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
	ctx, over := d.outside(ctx)
	defer over()
	b.take(d.desk.Get(ctx, words, docs, d.knows()), d.each && !b.action, d.Domain().Rules)
	d.things = b.things
}

// knows reports whether something of the document has an id, as far as its history tells.
func (d *Document) knows() func(id string) bool {
	var ids map[string]bool
	return func(id string) bool {
		if ids == nil {
			ids = map[string]bool{}
			for e := range d.log.Applied() {
				for _, id := range e.IDs {
					ids[id] = true
				}
			}
		}
		return ids[id]
	}
}

// take drops from the batch the ops that things refuse: all that follow, too, unless each runs for itself.
func (b *batch) take(things []resource.Resolved, each bool, rules grammar.Rules) {
	refused := map[int]bool{}
	for i := range things {
		t := &things[i]
		if t.No == nil || refused[t.Op] {
			continue
		}
		refused[t.Op] = true
		at := b.sent[t.Op]
		b.bad[at] = t.No
		for _, word := range t.Near {
			op := instead(&b.items[at].Op, &t.Word, word)
			s := abi.Suggestion{Kind: abi.TryOp, Text: grammar.Format(op, rules)}
			if b.action {
				s = abi.Suggestion{Kind: abi.TryAction, Text: op.String()}
			}
			if len(t.No.Try) < abi.MaxTry {
				t.No.Try = append(t.No.Try, s)
			}
		}
		b.outside = append(b.outside, at)
	}
	if len(refused) == 0 {
		b.things = things
		return
	}
	now := map[int]int{} // places of the ops that are left
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
	for _, t := range things {
		if at, ok := now[t.Op]; ok {
			t.Op = at
			if t.Supply != nil {
				t.Supply.Op = at
			}
			b.things = append(b.things, t)
		}
	}
}

// instead is op with another word in the place of one that names a resource.
func instead(op *grammar.Op, w *resource.Word, word string) grammar.Op {
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

// supplies are those of n ops from the one at from on, as a request of these has them.
func (b *batch) supplies(from, n int) (out []abi.Supply) {
	for i := range b.things {
		if t := &b.things[i]; t.Supply != nil && t.Op >= from && t.Op < from+n {
			s := *t.Supply
			s.Op = t.Op - from
			out = append(out, s)
		}
	}
	return out
}

// names are the files that ops bind to names which did not fail.
func (b *batch) names(results []abi.Result) []abi.KeyValue {
	if len(b.things) == 0 {
		return nil
	}
	return names(b.things, func(op int) bool { return op >= len(results) || results[op].Error != nil })
}

// refusedOutside reports whether an op, by its number in replies, was refused for what its words name.
func (b *batch) refusedOutside(op int) bool { return slices.Contains(b.outside, max(0, op-1)) }

// again gives an op that is tried out what this call got: nothing is got for that. ok is false where its words name something else.
func (d *Document) again(op *abi.Op) (out []abi.Supply, ok bool) {
	if d.desk == nil || !d.Domain().Supplied() {
		return nil, true
	}
	words := resource.Words(d.Domain().Resources(op.Verb), op, 0)
	if len(words) == 0 {
		return nil, true
	}
	return d.desk.Again(words, d.things, d.knows())
}

// served ends a call for which things were got.
func (d *Document) served() { d.things, d.words = nil, nil }
