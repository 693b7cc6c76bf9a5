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
	if m.Domain == "fcp" {
		return nil, fmt.Errorf("the domain name \"fcp\" is taken by the host's unified tools: choose another")
	}
	if err := cleanManifest(m); err != nil {
		return nil, err
	}
	d := &Domain{Manifest: m, plugin: p, verbs: make(map[string]*abi.Verb, len(m.Verbs)),
		selectors: map[string]bool{"all": true, "recent": true}}
	blocks := map[string]string{}
	for i := range m.Verbs {
		v := &m.Verbs[i]
		if v.Name == "" || v.Name != strings.ToLower(v.Name) || strings.ContainsAny(v.Name, " \t\n\"'@:") {
			return nil, fmt.Errorf("verb %s: a verb is one lower-case word", quote(v.Name))
		}
		if d.verbs[v.Name] != nil {
			return nil, fmt.Errorf("verb %q is registered twice", v.Name)
		}
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
	return d, nil
}

// Name is the domain's name, the prefix of its tools.
func (d *Domain) Name() string { return d.Manifest.Domain }

// Plugin is the sandboxed module behind the domain.
func (d *Domain) Plugin() *sandbox.Plugin { return d.plugin }

// Check holds an op against the manifest: verb, keys, number of positionals,
// selectors. Values are the domain's own affair. nil means it may be sent.
func (d *Domain) Check(op *grammar.Op) *abi.Error {
	v := d.verbs[op.Verb]
	if v == nil {
		e := &abi.Error{Message: fmt.Sprintf("unknown verb %q", op.Verb)}
		for _, n := range grammar.Nearest(op.Verb, d.verbNames) {
			e.Try = append(e.Try, d.verbs[n].Syntax)
		}
		if len(e.Try) == 0 {
			e.Message += "; the verbs are " + strings.Join(d.visibleVerbs(), " ")
		}
		return e
	}
	fail := func(format string, args ...any) *abi.Error {
		return &abi.Error{Message: fmt.Sprintf(format, args...), Try: tries(v)}
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
		return fail("%s takes at most %s, so not %q", v.Name, words(v.Max), op.Positionals[v.Max].Text)
	}
	if len(op.Selectors) > 0 && !v.Select {
		return fail("%s takes no selector, so not %s", v.Name, op.Selectors[0].Raw)
	}
	for i := range op.Selectors {
		if err := d.checkSelector(&op.Selectors[i]); err != nil {
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
	e := &abi.Error{Message: fmt.Sprintf("unknown selector %s", s.Raw)}
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

// tries prefers an example, which works as printed, to the syntax line.
func tries(v *abi.Verb) []string {
	if len(v.Examples) > 0 {
		return []string{v.Examples[0]}
	}
	if v.Syntax != "" {
		return []string{v.Syntax}
	}
	return nil
}

func words(n int) string {
	switch n {
	case 0:
		return "no word after it"
	case 1:
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
