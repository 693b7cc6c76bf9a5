// Package domain is the host's typed client of one domain: it checks a
// plugin's manifest and every op against it, and turns calls into messages of
// the ABI and back. What a plugin says is bounded and made printable here, so
// that nothing above has to distrust it.
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

	// The loader sets these before the domain is served.
	Path  string       // of the module's file, or of a built-in module
	Build string       // sha256 of the module, hex
	Roots *files.Roots // where its documents may lie; nil for the general roots

	World    World         // what it may ask for; nil for nothing
	Requests time.Duration // how long the requests of one call may take together; 0 for DefaultRequests

	// Stamp gives the milliseconds since 1970 and 16 bytes of a request's own, for domains that ask for them; nil for the clock and
	// a random source.
	Stamp func() (now int, nonce []byte)

	plugin    *sandbox.Plugin
	places    chan struct{} // of calls that wait for the world
	active    chan struct{} // of documents on which a call works
	verbs     map[string]*abi.Verb
	verbNames []string
	selectors map[string]bool
	reaches   reaches

	free  *free
	typed *typed
}

// New checks m and binds it to the plugin that answers for it. The error is
// one line and names what the plugin's author has to change.
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
		return nil, fmt.Errorf("the manifest lists session verbs, and the module does not export %s as () -> i32", abi.ExportSession)
	}
	if len(m.Exports) > 0 && !d.exports(abi.ExportExport) {
		return nil, fmt.Errorf("the manifest lists export formats, and the module does not export %s as () -> i32", abi.ExportExport)
	}
	if err := d.checkWorld(); err != nil {
		return nil, err
	}
	d.reach()
	return d, nil
}

// exports reports whether the module has a function that can be called so.
func (d *Domain) exports(name string) bool {
	sig, ok := d.plugin.Info().Func(name)
	return ok && Callable(sig)
}

// Callable reports whether a function of this signature can be an export of
// the ABI.
func Callable(signature string) bool { return signature == "() -> i32" || signature == "() -> ()" }

// Name is the domain's name, the prefix of its tools.
func (d *Domain) Name() string { return d.Manifest.Domain }

// BuildName says which build of the domain this is, as its author and its bytes name it.
func (d *Domain) BuildName() string {
	if len(d.Build) < 12 {
		return d.Manifest.Version
	}
	return strings.TrimSpace(fmt.Sprintf("%s (sha256 %s…)", d.Manifest.Version, d.Build[:12]))
}

// Extension is the longest of the domain's file extensions that path ends in,
// in lower case, "" for none.
func (d *Domain) Extension(path string) (longest string) {
	path = strings.ToLower(path)
	for _, e := range d.Manifest.Extensions {
		if len(e) > len(longest) && strings.HasSuffix(path, e) {
			longest = e
		}
	}
	return longest
}

// Opens says in a few words what `open` takes for a domain: file extensions, folders, schemes.
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

// Plugin is the sandboxed module behind the domain.
func (d *Domain) Plugin() *sandbox.Plugin { return d.plugin }

// fold spells keys that v takes, and selectors, as the manifest does. The @ of a
// selector is often repeated behind @not:.
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

// Seats holds a token for each document on which a call works. They are half as many as there may be instances: were they more, an
// instance might have to make room for another before it was used.
func (d *Domain) Seats() chan struct{} { return d.active }

// Knows reports whether the domain has the verb.
func (d *Domain) Knows(verb string) bool { return d.verbs[verb] != nil }

// Syntax is how the verb is written, "" where the domain has none of that name.
func (d *Domain) Syntax(verb string) string {
	if v := d.verbs[verb]; v != nil {
		return v.Syntax
	}
	return ""
}

// Answers reports whether query is one of the domain's or of the host's own.
func (d *Domain) Answers(query string) bool {
	return d.Reads(query) || slices.ContainsFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == query })
}

// Check holds an op against the manifest: verb, keys, number of positionals,
// selectors. Values are the domain's own affair. nil means it may be sent.
//
// Keys and selectors are names, and so matched without regard to case: op gets
// them in the manifest's spelling.
func (d *Domain) Check(op *grammar.Op) *abi.Error {
	v := d.verbs[op.Verb]
	if v == nil {
		return d.unknownVerb(op)
	}
	if i := d.unknownParam(v, op); i >= 0 || len(op.Selectors) > 0 {
		d.fold(v, op)
	}
	e, mends := d.fault(op)
	if e != nil {
		e.Try = d.mended(mends)
	}
	return e
}

// CheckQuery holds a query of the domain's own against the manifest: its selectors
// and, where the manifest says what it takes, its keys and number of positionals. op
// gets keys and selectors in the manifest's spelling.
func (d *Domain) CheckQuery(op *grammar.Op) *abi.Error {
	if v := d.asVerb(op.Verb); v != nil {
		d.fold(v, op)
		e, mends := d.faultOf(v, op)
		if e == nil {
			return nil
		}
		if i := d.unknownParam(v, op); i >= 0 && v.Max < 0 { // text:like:this
			p := op.Params[i]
			text := withParam(op, i, "")
			text.Positionals = append(slices.Clone(op.Positionals), grammar.Positional{Text: p.Key + ":" + p.Value, Quoted: true})
			mends = append([]grammar.Op{text}, mends...)
		}
		if len(mends) == 0 { // what is left of it without what it does not take; a query changes nothing
			mends = []grammar.Op{d.bare(v, op)}
		}
		for _, m := range d.mend(mends, func(op *grammar.Op) (*abi.Error, []grammar.Op) { return d.faultOf(v, op) }) {
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
		for _, mend := range withSelector(op, i, near) {
			if d.checkSelectors(mend.Selectors) == nil {
				e.Try = append(e.Try, abi.Suggestion{Kind: abi.TryQuery, Text: mend.String()})
			}
		}
		return e
	}
	return nil
}

// bare is op with no more than v takes.
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

// asVerb is a query as the verb that takes the same, nil for one of which the manifest says nothing.
func (d *Domain) asVerb(query string) *abi.Verb {
	i := slices.IndexFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == query })
	if i < 0 || d.Manifest.Queries[i].Takes == nil {
		return nil
	}
	q := &d.Manifest.Queries[i]
	return &abi.Verb{Name: q.Name, Syntax: q.Syntax, Brief: q.Brief, Summary: q.Summary,
		Params: q.Takes.Params, Select: q.Takes.Select, Min: q.Takes.Min, Max: q.Takes.Max}
}

func (d *Domain) checkSelectors(list []grammar.Selector) *abi.Error {
	for i := range list {
		if e, _ := d.checkSelector(&list[i]); e != nil {
			return e
		}
	}
	return nil
}

// checkSelector refuses an unknown selector and gives the types near its own.
func (d *Domain) checkSelector(s *grammar.Selector) (*abi.Error, []string) {
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

// Start makes a fresh instance. seed fixes its random source, so that the same
// calls give the same bytes again.
func (d *Domain) Start(ctx context.Context, seed uint64) (*Instance, error) {
	in, err := d.plugin.NewInstance(ctx, seed)
	if err != nil {
		return nil, d.failed("", err)
	}
	return &Instance{d: d, in: in}, nil
}

// Op turns a parsed op into its wire form.
func Op(o *grammar.Op) abi.Op {
	w := abi.Op{Verb: o.Verb, Raw: o.Raw, Arrows: o.Arrows, Block: o.Block}
	if n := len(o.Positionals); n > 0 {
		w.Positionals = make([]abi.Positional, n)
		for i, p := range o.Positionals {
			w.Positionals[i] = abi.Positional(p)
		}
	}
	if n := len(o.Params); n > 0 {
		w.Params = make([]abi.KeyValue, n)
		for i, p := range o.Params {
			w.Params[i] = abi.KeyValue(p)
		}
	}
	if n := len(o.Selectors); n > 0 {
		w.Selectors = make([]abi.Select, n)
		for i, s := range o.Selectors {
			w.Selectors[i] = abi.Select(s)
		}
	}
	return w
}
