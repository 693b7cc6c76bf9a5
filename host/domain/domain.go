// Package domain is the host's typed client of one domain: it checks a
// plugin's manifest and every op against it, and turns calls into messages of
// the ABI and back. What a plugin says is bounded and made printable here, so
// that nothing above has to distrust it.
package domain

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/grammar"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Domain is one loaded domain.
type Domain struct {
	Manifest *abi.Manifest
	Rules    grammar.Rules
	Build    string // sha256 of the module, hex; whoever loads it says so

	plugin    *sandbox.Plugin
	verbs     map[string]*abi.Verb
	verbNames []string
	selectors map[string]bool
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9]*([_-][a-z0-9]+)*$`)

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
	if !namePattern.MatchString(m.Domain) || len(m.Domain) > 32 {
		return nil, fmt.Errorf("domain name %s: use a to z, digits, - and _ (at most 32), starting with a letter", quote(m.Domain))
	}
	// Domain "midi" has the tools midi, midi_query, midi_session and midi_help.
	if m.Domain == "fcp" || strings.HasPrefix(m.Domain, "fcp_") {
		return nil, fmt.Errorf("the domain name %s is taken by the host's unified tools: choose another", quote(m.Domain))
	}
	for _, suffix := range []string{"_query", "_session", "_help"} {
		if strings.HasSuffix(m.Domain, suffix) {
			return nil, fmt.Errorf("the domain name %s ends like a tool of another domain: choose one without %s", quote(m.Domain), suffix)
		}
	}
	if err := cleanManifest(m); err != nil {
		return nil, err
	}
	d := &Domain{Manifest: m, plugin: p, verbs: make(map[string]*abi.Verb, len(m.Verbs)),
		selectors: map[string]bool{"all": true, "recent": true}}
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

// Plugin is the sandboxed module behind the domain.
func (d *Domain) Plugin() *sandbox.Plugin { return d.plugin }

// Check holds an op against the manifest: verb, keys, number of positionals,
// selectors. Values are the domain's own affair. nil means it may be sent.
func (d *Domain) Check(op *grammar.Op) *abi.Error {
	v := d.verbs[op.Verb]
	if v == nil {
		e := &abi.Error{Message: "unknown verb " + quote(op.Verb)}
		for _, n := range grammar.Nearest(op.Verb, d.verbNames) {
			e.Try = append(e.Try, d.syntax(d.verbs[n]))
		}
		if len(e.Try) == 0 {
			e.Message += "; the verbs are " + strings.Join(d.visibleVerbs(), " ")
		}
		return e
	}
	fail := func(format string, args ...any) *abi.Error {
		return &abi.Error{Message: fmt.Sprintf(format, args...), Try: []string{d.example(v)}}
	}
	if !v.AnyParam {
		for i := range op.Params {
			key := op.Params[i].Key
			if slices.ContainsFunc(v.Params, func(p abi.Param) bool { return p.Key == key }) {
				continue
			}
			keys := make([]string, len(v.Params))
			for i, p := range v.Params {
				keys[i] = p.Key
			}
			key = line(key, 64)
			if len(keys) == 0 {
				return fail("%s takes no parameter, so not %s:", v.Name, key)
			}
			if near := grammar.Nearest(key, keys); len(near) > 0 {
				return fail("%s has no parameter %s:; nearest: %s:", v.Name, key, strings.Join(near, ":, "))
			}
			return fail("%s has no parameter %s:; it takes %s:", v.Name, key, strings.Join(keys, ": "))
		}
	}
	if n := len(op.Positionals); n < v.Min && len(op.Selectors) == 0 {
		return fail("%s needs %s, got %d", v.Name, words(v.Min), n)
	} else if v.Max >= 0 && n > v.Max {
		most := "no word"
		if v.Max > 0 {
			most = "at most " + words(v.Max)
		}
		return fail("%s takes %s, so not %s", v.Name, most, quote(op.Positionals[v.Max].Text))
	}
	if len(op.Selectors) > 0 && !v.Select {
		return fail("%s takes no selector, so not %s", v.Name, line(op.Selectors[0].Raw, 64))
	}
	for i := range op.Selectors {
		if err := d.checkSelector(&op.Selectors[i]); err != nil {
			err.Try = []string{d.example(v)}
			return err
		}
	}
	return nil
}

// CheckSelectors holds the selectors of a query against the manifest.
func (d *Domain) CheckSelectors(op *grammar.Op) *abi.Error {
	for i := range op.Selectors {
		if err := d.checkSelector(&op.Selectors[i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Domain) checkSelector(s *grammar.Selector) *abi.Error {
	if d.selectors[s.Type] {
		return nil
	}
	names := []string{"all", "recent"}
	for _, sel := range d.Manifest.Selectors {
		names = append(names, sel.Type)
	}
	e := &abi.Error{Message: "unknown selector " + line(s.Raw, 64)}
	if near := grammar.Nearest(s.Type, names); len(near) > 0 {
		e.Message += "; nearest: @" + strings.Join(near, ", @")
	} else {
		e.Message += "; the selectors are @" + strings.Join(names, " @")
	}
	return e
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

// syntax is the verb's syntax line where the parser reads it (that of a block
// verb has no block), else an example.
func (d *Domain) syntax(v *abi.Verb) string {
	if d.parses(v.Syntax) {
		return v.Syntax
	}
	return d.example(v)
}

// example is an op that works as printed, where the manifest has one.
func (d *Domain) example(v *abi.Verb) string {
	for _, e := range v.Examples {
		if d.parses(e) {
			return e
		}
	}
	switch {
	case d.parses(v.Syntax):
		return v.Syntax
	case v.Block != "":
		return v.Name + "\n" + v.Block
	}
	return v.Name
}

func (d *Domain) parses(op string) bool {
	_, err := grammar.Parse(op, d.Rules)
	return err == nil
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
		return nil, fault(d.Name(), err)
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
