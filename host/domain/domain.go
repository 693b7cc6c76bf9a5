// Package domain is the host's typed client of one domain. It checks a plugin's manifest, and every op against the
// manifest, and encodes and decodes the messages of the ABI. It bounds everything a plugin says and makes it printable,
// so that callers can trust it.
package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Domain is one loaded domain.
type Domain struct {
	Manifest *abi.Manifest
	Rules    grammar.Rules

	// The loader sets these fields before the domain is served.
	Path  string       // path of the module's file, or name of a built-in module
	Build string       // sha256 of the module, hex
	Roots *files.Roots // where its documents may be opened and saved; nil for the general roots

	World    World         // does what its guests ask for; nil if they may ask for nothing
	Requests time.Duration // how long all requests of one call may take; 0 for DefaultRequests

	// Stamp returns the time in milliseconds since 1970 and 16 random bytes, for domains that want them in their
	// requests. nil uses the system's clock and random source.
	Stamp func() (now int, nonce []byte)

	plugin    *sandbox.Plugin
	places    chan struct{} // one token for each call that waits for the world
	active    chan struct{} // one token for each document that a call works on
	verbs     map[string]*abi.Verb
	verbNames []string
	selectors map[string]bool
	reaches   resourceUse

	free  *free
	typed *typed
}

// New checks m and binds it to its plugin p. The error is one line that tells the plugin's author what to change.
func New(m *abi.Manifest, p *sandbox.Plugin) (*Domain, error) {
	if m.ABI != abi.Version {
		newer := "rebuild the plugin with a current SDK"
		if m.ABI > abi.Version {
			newer = "upgrade fcp-host"
		}
		return nil, fmt.Errorf("the plugin speaks ABI %d, this host speaks %d: %s", m.ABI, abi.Version, newer)
	}
	if err := CheckName(m.Domain); err != nil {
		return nil, err
	}
	if err := cleanManifest(m); err != nil {
		return nil, err
	}
	d := &Domain{Manifest: m, plugin: p, places: make(chan struct{}, max(1, p.MaxInstances()/4)), active: make(chan struct{}, max(1, p.MaxInstances()/2)), verbs: make(map[string]*abi.Verb, len(m.Verbs)),
		selectors: map[string]bool{"all": true, "recent": true}, free: &free{}, typed: &typed{}}
	blocks := map[string]string{}
	for i := range m.Verbs {
		v := &m.Verbs[i]
		d.verbs[v.Name] = v
		d.verbNames = append(d.verbNames, v.Name)
		if v.Block != "" {
			blocks[v.Name] = v.Block
		}
	}
	for _, s := range m.Selectors {
		d.selectors[s.Type] = true
	}
	rules, err := grammar.CompileRules(m.Positionals, blocks)
	if err != nil {
		return nil, fmt.Errorf("positional patterns: %w", err)
	}
	d.Rules = rules
	if len(m.Session) > 0 && !d.exports(abi.ExportSession) {
		return nil, fmt.Errorf("the manifest lists session actions, and the module does not export %s as () -> i32", abi.ExportSession)
	}
	if len(m.Exports) > 0 && !d.exports(abi.ExportExport) {
		return nil, fmt.Errorf("the manifest lists export formats, and the module does not export %s as () -> i32", abi.ExportExport)
	}
	if err := d.checkWorld(); err != nil {
		return nil, err
	}
	m.Synonyms = slices.DeleteFunc(m.Synonyms, func(s abi.Synonym) bool { return d.losesData(abi.Suggestion{Kind: abi.TryAction, Text: s.Means}) })
	d.sumResources()
	return d, nil
}

// exports reports whether the module exports the function with a signature that can be called.
func (d *Domain) exports(name string) bool {
	sig, ok := d.plugin.Info().Func(name)
	return ok && Callable(sig)
}

// Callable reports whether an export of the ABI may have this signature.
func Callable(signature string) bool { return signature == "() -> i32" || signature == "() -> ()" }

// Name returns the domain's name, which is also the prefix of its tools.
func (d *Domain) Name() string { return d.Manifest.Domain }

// BuildName returns the version in the manifest and the start of the module's sha256.
func (d *Domain) BuildName() string {
	if len(d.Build) < 12 {
		return d.Manifest.Version
	}
	return strings.TrimSpace(fmt.Sprintf("%s (sha256 %s…)", d.Manifest.Version, d.Build[:12]))
}

// Extension returns the longest of the domain's file extensions that path ends in, in lower case, or "".
func (d *Domain) Extension(path string) (longest string) {
	path = strings.ToLower(path)
	for _, e := range d.Manifest.Extensions {
		if len(e) > len(longest) && strings.HasSuffix(path, e) {
			longest = e
		}
	}
	return longest
}

// Opens lists what the domain's `open` accepts: file extensions, folders, schemes.
func Opens(m *abi.Manifest) string {
	out := slices.Clone(m.Extensions)
	switch {
	case m.Folder == nil:
	case m.Folder.Marker == "":
		out = append(out, "folders")
	default:
		out = append(out, "folders with "+m.Folder.Marker)
	}
	for _, s := range m.Schemes {
		out = append(out, s+":NAME")
	}
	return strings.Join(out, " ")
}

// Plugin returns the sandboxed module of the domain.
func (d *Domain) Plugin() *sandbox.Plugin { return d.plugin }

// fold changes the keys and selectors of op to the manifest's spelling. It also drops a second @, as in @not:@type:x.
func (d *Domain) fold(v *abi.Verb, op *grammar.Op) {
	for i := range op.Selectors {
		if t := strings.ToLower(strings.TrimPrefix(op.Selectors[i].Type, "@")); d.selectors[t] {
			op.Selectors[i].Type = t
		}
	}
	for i := range op.Params {
		if v == nil || slices.ContainsFunc(v.Params, func(k abi.Param) bool { return k.Key == op.Params[i].Key }) {
			continue
		}
		for _, k := range v.Params {
			if _, given := op.Param(k.Key); !given && strings.EqualFold(k.Key, op.Params[i].Key) {
				op.Params[i].Key = k.Key
			}
		}
	}
}

// Seats returns the channel that holds a token for each document that a call works on. Its capacity is half the number
// of instances: with more, an instance might have to make room for another before it was used.
func (d *Domain) Seats() chan struct{} { return d.active }

// Knows reports whether the domain has the verb.
func (d *Domain) Knows(verb string) bool { return d.verbs[verb] != nil }

// Syntax returns the syntax line of the verb, or "" if the domain does not have it.
func (d *Domain) Syntax(verb string) string {
	if v := d.verbs[verb]; v != nil {
		return v.Syntax
	}
	return ""
}

// Answers reports whether the domain, or the host for it, answers the query.
func (d *Domain) Answers(query string) bool {
	return d.HostAnswers(query) || slices.ContainsFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == query })
}

// Whole reports whether an op is valid by the manifest, with as many words as its verb needs even if selectors may stand for them.
func (d *Domain) Whole(op *grammar.Op) bool {
	return d.Check(op) == nil && len(op.Positionals) >= d.verbs[op.Verb].Min
}

// Check validates an op against the manifest: verb, keys, number of positionals, selectors. The domain itself checks
// the values. nil means that the op may be sent.
//
// Keys and selectors match without regard to case; Check changes them in op to the manifest's spelling.
func (d *Domain) Check(op *grammar.Op) *abi.Error {
	v := d.verbs[op.Verb]
	if v == nil {
		return d.unknownVerb(op)
	}
	if i := d.unknownParam(v, op); i >= 0 || len(op.Selectors) > 0 {
		d.fold(v, op)
	}
	e, mends := d.validate(op)
	if e != nil {
		e.Try = d.suggestCorrections(mends)
	}
	return e
}

// CheckQuery validates a query of the domain against the manifest: its selectors and, if the manifest lists what it
// takes, its keys and number of positionals. It changes keys and selectors in op to the manifest's spelling, and parameters that the
// domain's rules claim to positionals.
func (d *Domain) CheckQuery(op *grammar.Op) *abi.Error {
	if v := d.asVerb(op.Verb); v != nil {
		d.Rules.Claim(op)
		d.fold(v, op)
		e, mends := d.validateAs(v, op)
		if e == nil {
			return nil
		}
		if i := d.unknownParam(v, op); i >= 0 && v.Max < 0 { // a text with a colon that is not a parameter: text:like:this
			p := op.Params[i]
			text := withParam(op, i, "")
			text.Positionals = append(slices.Clone(op.Positionals), abi.Positional{Text: p.Key + ":" + p.Value, Quoted: true})
			mends = append([]grammar.Op{text}, mends...)
		}
		if len(mends) == 0 { // suggest the query without what it does not take: a query changes nothing
			mends = []grammar.Op{d.bare(v, op)}
		}
		for _, m := range d.correct(mends, func(op *grammar.Op) (*abi.Error, []grammar.Op) { return d.validateAs(v, op) }) {
			e.Try = append(e.Try, abi.Suggestion{Kind: abi.TryQuery, Text: m.String()})
		}
		return e
	}
	d.fold(nil, op)
	for i := range op.Selectors {
		e, near := d.checkSelector(&op.Selectors[i])
		if e == nil {
			continue
		}
		for _, mend := range d.withSelector(op, i, near) {
			if d.checkSelectors(mend.Selectors) == nil {
				e.Try = append(e.Try, abi.Suggestion{Kind: abi.TryQuery, Text: mend.String()})
			}
		}
		return e
	}
	return nil
}

// Exact reports whether the answer to a query is used as it is: the domain says so, or it has a format of its own.
func (d *Domain) Exact(op *grammar.Op) bool {
	_, otherForm := op.Param("format")
	return otherForm || slices.ContainsFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == op.Verb && q.Exact })
}

// Folds reports whether a long answer to a query is folded: it is not exact, and the query names neither an element nor a range.
func (d *Domain) Folds(op *grammar.Op) bool {
	if d.Exact(op) || slices.ContainsFunc(op.Selectors, func(s abi.Select) bool { return s.Type == "range" }) {
		return false
	}
	return slices.ContainsFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == op.Verb && q.Bulk }) ||
		!slices.ContainsFunc(op.Positionals, func(p abi.Positional) bool { return p.Text != "*" })
}

// bare returns op without the parameters, positionals and selectors that v does not take.
func (d *Domain) bare(v *abi.Verb, op *grammar.Op) grammar.Op {
	out := *op
	for d.unknownParam(v, &out) >= 0 {
		out = withParam(&out, d.unknownParam(v, &out), "")
	}
	if v.Max >= 0 && len(out.Positionals) > v.Max {
		out.Positionals = out.Positionals[:v.Max]
	}
	if !v.Select || d.checkSelectors(out.Selectors) != nil {
		out.Selectors = nil
	}
	return out
}

// asVerb returns a verb that takes what the query takes, or nil if the manifest does not say.
func (d *Domain) asVerb(query string) *abi.Verb {
	i := slices.IndexFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == query })
	if i < 0 || d.Manifest.Queries[i].Takes == nil {
		return nil
	}
	q := &d.Manifest.Queries[i]
	return &abi.Verb{Name: q.Name, Syntax: q.Syntax, Brief: q.Brief, Summary: q.Summary,
		Params: q.Takes.Params, Select: q.Takes.Select, Min: q.Takes.Min, Max: q.Takes.Max}
}

func (d *Domain) checkSelectors(list []abi.Select) *abi.Error {
	for i := range list {
		if e, _ := d.checkSelector(&list[i]); e != nil {
			return e
		}
	}
	return nil
}

// checkSelector refuses an unknown selector and returns known types with similar names.
func (d *Domain) checkSelector(s *abi.Select) (*abi.Error, []string) {
	if d.selectors[s.Type] {
		return nil, nil
	}
	names := []string{"all", "recent"}
	for _, sel := range d.Manifest.Selectors {
		names = append(names, sel.Type)
	}
	e := &abi.Error{Message: "unknown selector " + line(s.Raw, 64)}
	near := grammar.Nearest(s.Type, names)
	if len(near) > 0 {
		e.Message += "; nearest: @" + strings.Join(near, ", @")
	} else {
		e.Message += "; the selectors are @" + strings.Join(names, " @")
	}
	return e, near
}

func (d *Domain) visibleVerbs() []string {
	var out []string
	for i := range d.Manifest.Verbs {
		if !d.Manifest.Verbs[i].Hidden {
			out = append(out, d.Manifest.Verbs[i].Name)
		}
	}
	return out
}

func words(n int) string {
	if n == 1 {
		return "1 word after it"
	}
	return fmt.Sprintf("%d words after it", n)
}

// Start makes a new instance. seed fixes its random source, so that equal calls return equal bytes.
func (d *Domain) Start(ctx context.Context, seed uint64) (*Instance, error) {
	in, err := d.plugin.NewInstance(ctx, seed)
	if err != nil {
		return nil, d.convertError("", err)
	}
	return &Instance{d: d, in: in}, nil
}
