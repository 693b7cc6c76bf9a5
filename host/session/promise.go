package session

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// dropInfeasible drops suggested actions and host queries from r, a refusal about d, that cannot work now. (Ops and the
// domain's queries were already tried on the document by document.TryOut.) If none is left, it suggests the help on
// topic.
func (s *Session) dropInfeasible(ctx context.Context, dom string, d *document.Document, r *reply.Reply, topic string) *reply.Reply {
	if !r.Failed {
		return r
	}
	for i := range r.Results {
		res := &r.Results[i]
		had := len(res.Try)
		for j, t := range res.Try {
			if t.Kind == abi.TryAction && t.Text == "save" && t.Domain == "" {
				res.Try[j] = d.TrySave() // which may add a name
			}
		}
		var kept []reply.Suggestion
		for _, t := range res.Try {
			for _, t := range s.feasibleForms(ctx, dom, d, t) {
				if len(kept) < abi.MaxTry && !slices.Contains(kept, t) {
					kept = append(kept, t)
				}
			}
		}
		res.Try = kept
		if had > 0 && len(res.Try) == 0 {
			res.Try = []reply.Suggestion{reply.Help(topic)}
		}
	}
	return r
}

// feasibleForms returns suggestion t if it may work, or else another reading of it that may, or nothing.
func (s *Session) feasibleForms(ctx context.Context, dom string, d *document.Document, t reply.Suggestion) []reply.Suggestion {
	switch {
	case t.Domain != "" && t.Domain != d.Domain().Name(): // of another domain's document: not checked
	case t.Kind == abi.TryAction:
		texts := []string{t.Text}
		if op, err := grammar.ParseAction(t.Text); err == nil {
			c := &call{s: s, ctx: ctx, dom: dom, command: command{&op}}
			if op.Verb == "new" && dom == "" && len(op.Positionals) < 2 && s.domain(c.keyword(0)) == nil {
				texts = append(texts, c.withDomain(d.Domain()))
			}
			texts = append(texts, c.variants(d.Domain())...)
		}
		i := slices.IndexFunc(texts, func(text string) bool { return s.feasible(ctx, dom, d, text) })
		if i < 0 {
			return nil
		}
		return actions(texts[i])
	case t.Kind == abi.TryQuery && !s.wouldAnswer(ctx, d, t.Text):
		return nil
	}
	return []reply.Suggestion{t}
}

// variants lists other readings of an action with misplaced words: key=value or key value for a parameter, the value of
// an unknown key for a known key or a word, a checkpoint without to:, a file for its format.
func (c *call) variants(d *domain.Domain) (texts []string) {
	add := func(change func(op *grammar.Op)) {
		op := *c.op
		op.Positionals, op.Params = slices.Clone(op.Positionals), slices.Clone(op.Params)
		change(&op)
		if text := op.String(); text != c.op.String() && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	known := domain.HostAction(c.op.Verb).Form
	var keys []string
	if known != nil {
		keys = known.Keys
	}
	switch c.op.Verb {
	case "new":
		keys = c.newKeys(d)
	case "export":
		keys = []string{"as"}
		ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(c.text(0))), ".")
		for _, f := range d.Manifest.Exports {
			if len(c.op.Positionals) == 1 && ext != "" && (f.Name == ext || strings.TrimPrefix(f.Extension, ".") == ext) {
				add(func(op *grammar.Op) {
					op.Positionals[0] = abi.Positional{Text: f.Name}
					op.Params = append(op.Params, abi.KeyValue{Key: "as", Value: c.text(0)})
				})
			}
		}
		if path, _ := c.op.Param("as"); path != "" && slices.Contains([]string{d.Name(), strings.TrimPrefix(d.Extension(path), ".")}, c.keyword(0)) {
			add(func(op *grammar.Op) { op.Verb, op.Positionals = "save", nil })
		}
	case "undo":
		switch word := c.keyword(0); word {
		case "last", "op", "1.":
			add(func(op *grammar.Op) { op.Positionals = nil })
		case "to":
		default:
			if len(c.op.Positionals) == 1 {
				add(func(op *grammar.Op) {
					op.Params, op.Positionals = append(op.Params, abi.KeyValue{Key: "to", Value: op.Positionals[0].Text}), nil
				})
			}
		}
	}
	if known == nil && keys == nil {
		return texts
	}
	add(func(op *grammar.Op) { c.wordsToKeys(op, keys) })
	if c.op.Verb == "new" {
		return texts
	}
	for i, p := range c.op.Params {
		if slices.Contains(keys, p.Key) {
			continue
		}
		for _, k := range keys {
			if _, given := c.op.Param(k); !given && k != "copy" && c.op.Verb != "open" { // copy: does something else than as:
				add(func(op *grammar.Op) { op.Params[i].Key = k })
			}
		}
		if len(c.op.Positionals) == 0 {
			add(func(op *grammar.Op) {
				op.Params = slices.Delete(op.Params, i, i+1)
				op.Positionals = append(op.Positionals, abi.Positional{Text: p.Value})
			})
		}
	}
	return texts
}

// wordsToKeys turns words key=value, and key value, into parameters if the key is one of keys.
func (w *command) wordsToKeys(op *grammar.Op, keys []string) {
	op.Positionals = nil
	for i := 0; i < len(w.op.Positionals); i++ {
		p := w.op.Positionals[i]
		key, value, ok := strings.Cut(p.Text, "=")
		if !ok && w.op.Verb != "new" && i+1 < len(w.op.Positionals) {
			key, value, ok = strings.TrimSuffix(p.Text, ":"), w.op.Positionals[i+1].Text, true
		}
		if key = strings.ToLower(key); p.Quoted || !ok || value == "" || !slices.Contains(keys, key) {
			op.Positionals = append(op.Positionals, p)
			continue
		}
		if value != p.Text[min(len(p.Text), len(key)+1):] {
			i++ // the value was the next word
		}
		op.Params = append(op.Params, abi.KeyValue{Key: key, Value: value})
	}
}

// wouldAnswer reports whether a host query succeeds; other queries count as successful.
func (s *Session) wouldAnswer(ctx context.Context, d *document.Document, text string) bool {
	op, err := grammar.ParseQuery(text)
	if err != nil {
		return false
	}
	if op.Verb == "documents" {
		return takes(&op) == nil
	}
	return !d.Domain().HostAnswers(op.Verb) || !s.query(ctx, d, &op, 1, pageLines).Failed
}

// feasible reports whether an action about d has the words that it needs, and whether what they name exists.
func (s *Session) feasible(ctx context.Context, dom string, d *document.Document, text string) bool {
	op, err := grammar.ParseAction(text)
	if err != nil || len(op.Selectors) > 0 {
		return false
	}
	c := &call{s: s, ctx: ctx, dom: dom, command: command{&op}}
	words := len(op.Positionals)
	n := domain.HostAction(op.Verb).Form
	if op.Verb == "open" {
		c.references(n.Keys)
		op, words = *c.op, len(c.op.Positionals)
	}
	if n != nil && (words < n.Least || words > n.Most || slices.ContainsFunc(op.Params, func(p abi.KeyValue) bool {
		return !slices.Contains(n.Keys, p.Key) && !(op.Verb == "save" && p.Key == "format" && len(d.Domain().Manifest.Media) > 0)
	})) {
		return false
	}
	switch op.Verb {
	case "close":
		return c.keyword(0) == "force" || !d.Summary().Dirty
	case "new":
		keyed := !slices.ContainsFunc(op.Params, func(p abi.KeyValue) bool { return !slices.Contains(c.newKeys(d.Domain()), p.Key) })
		if dom == "" && len(s.Domains()) > 1 {
			return keyed && words > 0 && words <= 2 && s.domain(c.keyword(0)) != nil
		}
		return keyed && (words <= 1 || dom == "" && words == 2 && s.domain(c.keyword(0)) != nil)
	case "save":
		_, as := op.Param("as")
		forced := words > 0 && c.keyword(words-1) == "force"
		return words < 2 && !(as && words == 1 && !forced) || words == 2 && forced && !as
	case "open":
		if c.remoteOf(c.text(0)) != nil {
			return true
		}
		path, _ := op.Param("path")
		_, with := op.Param("with")
		return !(with && dom != "") && c.opens(path+c.text(0))
	case "use":
		_, err := s.find(ctx, dom, c.text(0))
		return err == nil
	case "batch":
		return c.text(0) == "atomic" || c.text(0) == "each"
	case domain.PullAction:
		return d.Summary().Ref != "" && (words == 0 || c.keyword(0) == "force")
	case "undo", "redo":
		return c.canRewind(d)
	case "recover", "discard":
		list, _, err := s.listOffered(ctx, dom)
		return err != nil || len(list) > 0
	case "enable":
		return d.Domain().Plugin().Disabled()
	case "export":
		_, as := op.Param("as")
		return as == (words == 1) && words <= 2 && slices.ContainsFunc(d.Domain().Manifest.Exports, func(f abi.Format) bool { return f.Name == c.text(0) })
	}
	if i := slices.IndexFunc(d.Domain().Manifest.Session, func(v abi.Session) bool { return v.Name == op.Verb }); i >= 0 {
		v := d.Domain().Manifest.Session[i]
		return words < len(strings.Fields(v.Syntax)) && (v.File == 0 || c.fileExists(d.Domain(), c.text(v.File-1)) && d.Domain().Extension(c.text(v.File-1)) == "")
	}
	return true
}

// fileExists reports whether a path of the action is an existing file.
func (c *call) fileExists(d *domain.Domain, path string) bool {
	roots := c.s.rootsOf(d)
	real, err := roots.Resolve(path)
	return path != "" && err == nil && roots.Exists(real)
}

// opens reports whether a path is a file that the tools open.
func (c *call) opens(path string) bool {
	if d, parts, _ := c.mediaDomain(path); d != nil {
		return !slices.ContainsFunc(parts, func(p string) bool { return !c.fileExists(d, p) })
	}
	d := c.s.domain(c.dom)
	if !c.fileExists(d, path) {
		return false
	}
	if c.opensFolder(path) {
		return true
	}
	if d != nil && d.Extension(path) != "" {
		return true
	}
	f, err := readFile(c.ctx, c.s.rootsOf(d), path)
	if err != nil {
		return false
	}
	claims := claiming(c.s.Domains(), f.real, f.data)
	if d != nil {
		return slices.Contains(claims, d)
	}
	with, ok := c.op.Param("with")
	return ok && c.s.domain(with) != nil || len(claims) == 1 || c.s.preferredOf(claims, f.real) != nil
}

// canRewind reports whether the document has enough to undo or redo for the action.
func (c *call) canRewind(d *document.Document) bool {
	if c.op.Verb == "undo" {
		c, _ = c.cutForce(d.Domain())
	}
	if to, ok := c.op.Param("to"); ok {
		return len(c.op.Positionals) == 0 && d.UndoesTo(to)
	}
	if len(c.op.Positionals) > 1 {
		return false
	}
	n := 1
	if word := c.keyword(0); word != "" && word != "batch" {
		var err error
		if n, err = strconv.Atoi(strings.TrimSpace(word)); err != nil || n < 1 {
			return false
		}
	}
	if c.op.Verb == "redo" {
		return c.keyword(0) != "batch" && d.Redoes(n)
	}
	return d.Undoes(n)
}
