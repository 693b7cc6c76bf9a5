package pdktest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
)

// domain is what the host has of a domain: its decoded manifest, and a function
// that makes a fresh instance.
type domain struct {
	manifest abi.Manifest
	rules    grammar.Rules
	verbs    map[string]*abi.Verb
	fresh    func() guest
	world    *World // nil for none
}

// describe asks a fresh instance for its manifest, as the host does once.
func describe[M any](d *pdk.Domain[M], in ...*World) (*domain, error) {
	dom := &domain{verbs: map[string]*abi.Verb{}}
	for _, w := range in {
		dom.world = w
	}
	dom.fresh = func() guest { return guest{pdk.NewInstance(d).Call, dom} }
	if err := dom.fresh().call(request{abi.ExportManifest, nil}, &dom.manifest); err != nil {
		return nil, err
	}
	blocks := map[string]string{}
	for i := range dom.manifest.Verbs {
		v := &dom.manifest.Verbs[i]
		dom.verbs[v.Name] = v
		if v.Block != "" {
			blocks[v.Name] = v.Block
		}
	}
	rules, err := grammar.CompileRules(dom.manifest.Positionals, blocks)
	dom.rules = rules
	return dom, err
}

// check checks an op against the manifest, as the host does before it passes the
// op to a domain.
func (d *domain) check(it *grammar.Item) *abi.Error {
	if it.Err != nil {
		e := &abi.Error{Message: it.Err.Message}
		for _, t := range it.Err.Try {
			e.Try = append(e.Try, abi.Suggestion{Kind: abi.TryOp, Text: t})
		}
		return e
	}
	op := &it.Op
	fail := func(format string, args ...any) *abi.Error {
		return &abi.Error{Message: fmt.Sprintf(format, args...)}
	}
	v := d.verbs[op.Verb]
	if v == nil {
		return fail("unknown verb %q", op.Verb)
	}
	for _, p := range op.Params {
		if !v.AnyParam && !slices.ContainsFunc(v.Params, func(k abi.Param) bool { return k.Key == p.Key }) {
			return fail("%s has no parameter %s:", v.Name, p.Key)
		}
	}
	n := len(op.Positionals)
	switch {
	case n < v.Min && len(op.Selectors) == 0:
		return fail("%s needs %d words after it, got %d", v.Name, v.Min, n)
	case v.Max >= 0 && n > v.Max:
		return fail("%s takes at most %d words after it, so not %q", v.Name, v.Max, op.Positionals[v.Max].Text)
	case len(op.Selectors) > 0 && !v.Select:
		return fail("%s takes no selector, so not %s", v.Name, op.Selectors[0].Raw)
	}
	return d.checkSelectors(op.Selectors)
}

func (d *domain) checkSelectors(list []abi.Select) *abi.Error {
	for _, s := range list {
		known := s.Type == "all" || s.Type == "recent" ||
			slices.ContainsFunc(d.manifest.Selectors, func(k abi.Selector) bool { return k.Type == s.Type })
		if !known {
			return &abi.Error{Message: "unknown selector " + s.Raw}
		}
	}
	return nil
}

// checkTry checks that a suggestion parses and, if it is an op, that the manifest
// accepts it.
func (d *domain) checkTry(s abi.Suggestion) error {
	if s.Kind == abi.TryQuery || s.Kind == abi.TryAction {
		_, err := grammar.ParseQuery(s.Text)
		return err
	}
	items := grammar.ParseAll([]string{s.Text}, d.rules)
	if len(items) != 1 {
		return fmt.Errorf("it is %d ops", len(items))
	}
	if items[0].Err != nil {
		return items[0].Err
	}
	if d.verbs[items[0].Op.Verb] == nil {
		return nil
	}
	if err := d.check(&items[0]); err != nil {
		return errors.New(err.Message)
	}
	return nil
}

// checkResult checks the result of an op that succeeded.
func (d *domain) checkResult(res *abi.Result) error {
	switch res.Kind {
	case abi.Unchanged:
		if len(res.Events) > 0 {
			return errors.New("changed something but says that it is unchanged")
		}
	case abi.Created, abi.Connection, abi.Changed, abi.Deleted, abi.Bulk:
	default:
		return fmt.Errorf("succeeded with the kind %q: end the verb with c.Created, c.Changed, c.Deleted, c.Connected or c.Bulk", res.Kind)
	}
	if strings.TrimSpace(res.Text) == "" {
		return errors.New("succeeded without saying what it did")
	}
	if len(res.Events) == 0 && res.Kind != abi.Unchanged {
		return errors.New("succeeded without changing anything: return pdk.Unchanged, or give the change to c.Do")
	}
	if err := within("text", res.Text, abi.MaxText); err != nil {
		return err
	}
	ids := slices.Clone(res.IDs)
	for _, e := range res.Events {
		if e.Type == "" {
			return errors.New("an event has no type")
		}
		if err := within("summary", e.Summary, abi.MaxSummary); err != nil {
			return err
		}
		ids = append(ids, e.IDs...)
	}
	for _, id := range ids {
		if err := within("id", id, abi.MaxID); err != nil {
			return err
		}
	}
	return checkWarnings(res.Warnings)
}

func checkWarnings(list []string) error {
	if len(list) > abi.MaxWarnings {
		return fmt.Errorf("%d warnings, the limit is %d", len(list), abi.MaxWarnings)
	}
	for _, w := range list {
		if err := within("warning", w, abi.MaxWarning); err != nil {
			return err
		}
	}
	return nil
}

// checkState checks the state that the last call returned.
func (d *Doc) checkState() {
	d.t.Helper()
	if d.state.Digest == "" {
		d.t.Fatal("the digest is empty")
	}
	if strings.ContainsAny(d.state.Digest, "[]\n") {
		d.t.Fatalf("the digest %q holds a bracket or a line break: the host adds the brackets", d.state.Digest)
	}
	err := within("digest", d.state.Digest, abi.MaxDigest)
	if err == nil {
		err = checkWarnings(d.state.Warnings)
	}
	if err != nil {
		d.t.Fatalf("state: %v", err)
	}
}

func within(what, s string, limit int) error {
	if len(s) > limit {
		return fmt.Errorf("%s of %d bytes, the limit is %d: %.60q…", what, len(s), limit, s)
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("%s is not UTF-8: %.60q", what, s)
	}
	return nil
}

var (
	namePattern      = regexp.MustCompile(`^[a-z][a-z0-9]*([_-][a-z0-9]+)*$`)
	verbPattern      = regexp.MustCompile("^[^ \t\r\n\"'@:]+$")
	extensionPattern = regexp.MustCompile(`^\.[^/\\ ]{1,23}$`)
)

// checkManifest lists the mistakes for which a host would refuse the manifest, and examples that do not work.
func (d *domain) checkManifest() []string {
	m := &d.manifest
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if !namePattern.MatchString(m.Domain) || len(m.Domain) > 32 || m.Domain == "fcp" {
		fault("the domain's name %q is not one to 32 of a-z, 0-9, - and _, or is taken by the host", m.Domain)
	}
	for what, s := range map[string]string{"title": m.Title, "version": m.Version, "summary": m.Summary} {
		if s == "" {
			fault("the domain has no %s", what)
		}
	}
	if len(m.Extensions) == 0 && m.Folder == nil {
		fault("the domain has no file extension")
	}
	for _, e := range m.Extensions {
		if !extensionPattern.MatchString(e) {
			fault("extension %q is not written like .mid", e)
		}
	}
	names := map[string]bool{}
	for i := range m.Verbs {
		v := &m.Verbs[i]
		if names[v.Name] {
			fault("verb %s is registered twice", v.Name)
		}
		names[v.Name] = true
		if !verbPattern.MatchString(v.Name) || v.Name != strings.ToLower(v.Name) {
			fault("verb %q is not one lower-case word", v.Name)
		}
		if v.Max >= 0 && v.Max < v.Min {
			fault("verb %s takes at least %d and at most %d words", v.Name, v.Min, v.Max)
		}
		if v.Syntax == "" || v.Summary == "" {
			fault("verb %s has no syntax line or no summary", v.Name)
		}
		if len(v.Examples) == 0 && !v.Hidden {
			fault("verb %s has no example", v.Name)
		}
		for _, e := range v.Examples {
			if err := d.checkExample(e, v.Name); err != nil {
				fault("example %q of %s: %v", e, v.Name, err)
			}
		}
	}
	if len(m.Verbs) == 0 {
		fault("the domain has no verb")
	}
	for _, e := range m.Example {
		if err := d.checkExample(e, ""); err != nil {
			fault("example script, %q: %v", e, err)
		}
	}
	if size, err := abi.Marshal(m); err != nil || len(size) > abi.MaxManifest {
		fault("the manifest has %d bytes, the limit is %d", len(size), abi.MaxManifest)
	}
	slices.Sort(faults)
	return faults
}

func (d *domain) checkExample(text, verb string) error {
	items := grammar.ParseAll([]string{text}, d.rules)
	if len(items) != 1 && verb != "" {
		return fmt.Errorf("it is %d ops", len(items))
	}
	for i := range items {
		if err := d.check(&items[i]); err != nil {
			return errors.New(err.Message)
		}
		if verb != "" && items[i].Op.Verb != verb {
			return fmt.Errorf("it names the verb %s", items[i].Op.Verb)
		}
	}
	return nil
}
