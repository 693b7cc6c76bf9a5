package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/added"
	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/signature"
	"github.com/fcp-host/fcp-host/host/source"
	"github.com/fcp-host/fcp-host/printable"
)

// offered is a module that may be added, with its origin, signature and manifest.
type offered struct {
	*source.Module
	*abi.Manifest
	sum    string
	signer signature.Key       // zero where nobody is known to have signed it
	proof  signature.Signature // of signer
}

func (o *offered) signed() bool { return o.signer.String() != "" }

// fetchAndCheck fetches a module, checks its signature (by one of keys, if there are any, else by a trusted
// key), and runs it in the sandbox for its manifest.
func (c *pluginCommand) fetchAndCheck(from string, keys []signature.Key) (*offered, error) {
	m, err := source.Fetch(c.ctx, from, c.get)
	if err != nil {
		return nil, err
	}
	o := &offered{Module: m, sum: fmt.Sprintf("%x", sha256.Sum256(m.Wasm))}
	if err := c.checkSignature(o, keys); err != nil {
		return nil, err
	}
	return o, c.describe(o)
}

// describe runs a module for its manifest, as inspect does.
func (c *pluginCommand) describe(o *offered) error {
	info, err := sandbox.Scan(o.Wasm)
	if err != nil {
		return fmt.Errorf("not a plugin: %w", err)
	}
	if _, ok := info.Func(abi.ExportManifest); !ok {
		return fmt.Errorf("not a plugin: it does not export %s", abi.ExportManifest)
	}
	o.Manifest, err = c.s.describe(c.ctx, filepath.Base(o.Source), o.Wasm)
	return err
}

// checkSignature finds the key that signed a module.
func (c *pluginCommand) checkSignature(o *offered, keys []signature.Key) error {
	must := len(keys) > 0
	if !must {
		keys = c.s.trusted
	}
	k, proof, ok := signature.Verify(o.Wasm, o.Signatures, keys)
	var has, names []string
	for i := range o.Signatures {
		s := &o.Signatures[i]
		for _, k := range keys {
			if !ok && s.Claims(k) {
				return fmt.Errorf("its signature by %s does not match this module: one of them was changed", c.s.withName(k).Words())
			}
		}
		if w := s.Words(); !slices.Contains(has, w) {
			has = append(has, w)
		}
	}
	for _, k := range keys {
		names = append(names, c.s.withName(k).Words())
	}
	switch {
	case ok:
		o.signer, o.proof = c.s.withName(k), proof
	case must && len(has) > 0:
		return fmt.Errorf("it is not signed by %s but by %s", strings.Join(names, " or "), strings.Join(has, ", "))
	case must:
		return fmt.Errorf("it is not signed, but must be signed by %s", strings.Join(names, " or "))
	}
	if c.s.OnlySigned && !slices.ContainsFunc(c.s.trusted, func(t signature.Key) bool { return ok && t.Same(k) }) {
		return errors.New("require-signature is set, but no key in trusted-keys signed it")
	}
	return nil
}

// signedWords describes who signed a module.
func (o *offered) signedWords() string {
	if o.signed() {
		return "by " + o.signer.Words()
	}
	var has []string
	for i := range o.Signatures {
		if w := o.Signatures[i].Words(); !slices.Contains(has, w) {
			has = append(has, w)
		}
	}
	if len(has) == 0 {
		return "no"
	}
	return "not checked: there is a signature of " + strings.Join(has, ", ") + ", and no such key in trusted-keys or --key"
}

// add adds a plugin.
func (c *pluginCommand) add(words []string) error {
	o, err := c.fetchAndCheck(words[0], c.keys)
	if err != nil {
		return fmt.Errorf("%s: %w", printable.Line(words[0]), err)
	}
	list, err := c.folder.Plugins()
	if err != nil {
		return err
	}
	var old *added.Plugin
	if i := slices.IndexFunc(list, func(p added.Plugin) bool { return p.Name == o.Domain }); i >= 0 {
		old = &list[i]
	}
	switch err := c.checkNameIsFree(o.Domain, list); {
	case err != nil:
		return err
	case old != nil && old.SHA256 == o.sum && old.Source == o.Source && len(c.grants) == 0 && c.state(*old) == stateOK:
		fmt.Fprintf(c.io.out, "%s is added already\n", old.Title())
		return nil
	case old != nil && !c.replace:
		return fmt.Errorf("%s is already added, from %s; use fcp-host plugin update %s to get a newer version from there, or --replace to use this one instead", old.Title(), printable.Line(old.Source), old.Name)
	}
	c.show(o, c.io.out)
	if old != nil {
		fmt.Fprintf(c.io.out, "  replaces  %s from %s, %s\n", old.Title(), printable.Line(old.Source), c.signedBy(*old))
	}
	grants, err := c.collectGrants(o, nil)
	if err != nil {
		return err
	}
	c.wants(o, grants)
	if err := c.confirm(o, "Add it?"); err != nil {
		return err
	}
	if err := c.install(o, old, added.Plugin{Grants: grants}); err != nil {
		return err
	}
	fmt.Fprintf(c.io.out, "added %s; %s\n", o.title(), c.servedWords(o.Domain))
	return nil
}

// confirm asks the user. --yes does not replace the answer if nothing vouches for the module.
func (c *pluginCommand) confirm(o *offered, question string) error {
	if !o.Checked && !o.signed() && !strings.HasPrefix(o.Source, "oci://") {
		fmt.Fprintf(c.io.out, "! The address has no hash: compare the sha256 with the one that the author publishes.\n")
		if c.yes {
			return errors.New("--yes refuses an unsigned file without a hash: append #sha256=… to the address, with the value that its author publishes")
		}
	}
	ok, err := c.ask(question)
	if err == nil && !ok {
		err = errors.New("nothing was changed")
	}
	return err
}

// checkNameIsFree refuses a domain name that could not be served beside the built-in and added ones.
func (c *pluginCommand) checkNameIsFree(name string, list []added.Plugin) error {
	all, err := builtin()
	if err != nil {
		return err
	}
	for i := range all {
		if domain.Alike(all[i].Name, name) && !c.s.NoBuiltin {
			return fmt.Errorf("its domain %s is %s, and built-in domains come before added ones, so it would not be served; use serve --plugin FILE.wasm instead", name, likeWords(name, all[i].Name, "built into fcp-host"))
		}
	}
	for _, p := range list {
		if p.Name != name && domain.Alike(p.Name, name) {
			return fmt.Errorf("its domain %s is %s; remove that one first: fcp-host plugin remove %s", name, likeWords(name, p.Name, "added already"), p.Name)
		}
	}
	return nil
}

func likeWords(name, other, what string) string {
	if name == other {
		return what
	}
	return fmt.Sprintf("easily taken for %s, which is %s", other, what)
}

// title returns the domain and version.
func (o *offered) title() string { return strings.TrimSpace(o.Domain + " " + o.Version) }

// show prints a description of a module.
func (c *pluginCommand) show(o *offered, w io.Writer) {
	m := o.Manifest
	fmt.Fprintf(w, "%s: %s\n", o.title(), strings.TrimPrefix(m.Title+", "+m.Summary, m.Domain+", "))
	fmt.Fprintf(w, "  source    %s\n", printable.Line(o.Source))
	for _, n := range o.Notes {
		fmt.Fprintf(w, "            %s\n", n)
	}
	fmt.Fprintf(w, "  sha256    %s, %s\n", o.sum, sizeWords(len(o.Wasm)))
	fmt.Fprintf(w, "  signed    %s\n", o.signedWords())
	c.showManifest(m, w)
}

func (c *pluginCommand) showManifest(m *abi.Manifest, w io.Writer) {
	fmt.Fprintf(w, "  opens     %s\n", domain.Opens(m))
	fmt.Fprintf(w, "  verbs     %s\n", words(m.Verbs, func(v abi.Verb) string { return v.Name }))
	fmt.Fprintf(w, "  queries   %s\n", words(m.Queries, func(q abi.Query) string { return q.Name }))
	fmt.Fprintf(w, "  tools     %[1]s %[1]s_query %[1]s_session %[1]s_help\n", m.Domain)
	if len(m.Tools) > 0 {
		fmt.Fprintf(w, "            with --tools %s: %s\n", m.Domain, printable.Line(words(m.Tools, func(t abi.Tool) string { return t.Name })))
	}
	if len(m.Commands) > 0 {
		fmt.Fprintf(w, "  commands  %s\n", printable.Line(words(m.Commands, func(x abi.Command) string { return "'" + x.Name + "'" })))
	}
}

// wants prints the wants of a plugin and which of them are granted.
func (c *pluginCommand) wants(o *offered, grants []added.Grant) {
	if len(o.Wants) == 0 {
		fmt.Fprintln(c.io.out, "  wants     nothing outside of its sandbox")
	}
	sends := false
	for i := range o.Wants {
		w := &o.Wants[i]
		fmt.Fprintf(c.io.out, "  wants     %s\n            it says: %q\n", c.s.broker.Words(o.Manifest, w, nil), w.Reason)
		sends = sends || w.Kind == abi.WantHTTP
		if slices.ContainsFunc(grants, func(g added.Grant) bool { return g.Want == w.Key() }) {
			fmt.Fprintln(c.io.out, "            GRANTED")
		} else if _, _, err := broker.ParseGrant(o.Domain + "=" + w.Key()); err == nil {
			fmt.Fprintf(c.io.out, "            not granted; to grant it: --grant %s, or later fcp-host grants add %s %s\n", broker.Naming(o.Domain, w), o.Domain, broker.Naming(o.Domain, w))
		}
	}
	if sends {
		fmt.Fprintf(c.io.out, "  %s\n", broker.CarriesAway)
	}
}

// collectGrants returns the grants of the flags, and the earlier grants whose wants mean the same in this
// module.
func (c *pluginCommand) collectGrants(o *offered, keep []added.Grant) ([]added.Grant, error) {
	grants := slices.Clone(keep)
	for _, text := range c.grants {
		name, want, ok := strings.Cut(text, "=")
		if !ok {
			want = name
		} else if name != o.Domain {
			return nil, fmt.Errorf("--grant %s: the plugin's domain is %s", text, o.Domain)
		}
		e, err := c.s.broker.Entry(o.Manifest, o.sum, want)
		if err != nil {
			return nil, fmt.Errorf("--grant %s: %w", text, err)
		}
		grants = slices.DeleteFunc(grants, func(g added.Grant) bool { return g.Want == e.Want })
		grants = append(grants, added.Grant{Want: e.Want, Origin: e.Origin, Variables: e.Variables})
	}
	return grants, nil
}

// sameWant reports whether a want is the same in two manifests.
func (c *pluginCommand) sameWant(a, b *abi.Manifest, key string) bool {
	find := func(m *abi.Manifest) *abi.Want {
		if i := slices.IndexFunc(m.Wants, func(w abi.Want) bool { return w.Key() == key }); i >= 0 {
			w := m.Wants[i]
			w.Reason = ""
			return &w
		}
		return nil
	}
	x, y := find(a), find(b)
	return x != nil && y != nil && reflect.DeepEqual(x, y) && c.s.broker.Words(a, x, nil) == c.s.broker.Words(b, y, nil)
}

// install compiles a module and adds it to the lock file with the other fields of p. It replaces
// old, which must still be there; nil for none.
func (c *pluginCommand) install(o *offered, old *added.Plugin, p added.Plugin) error {
	cache, err := c.s.cacheDir()
	if err == nil && cache != "" {
		fmt.Fprintln(c.io.out, "compiling it …")
		err = c.compile(o, filepath.Join(cache, "modules"))
	}
	if err != nil {
		return err
	}
	p.Name, p.Added = o.Domain, time.Now().Format(time.DateOnly)
	p.Release = added.Release{Version: o.Version, Source: o.Source, SHA256: o.sum, Manifest: o.Module.Manifest, Signer: o.signer.String()}
	var proof []byte
	if o.signed() {
		if proof, err = json.Marshal(o.proof); err != nil {
			return err
		}
	}
	err = c.folder.Change(c.ctx, func(change *added.Change) error {
		now := change.Find(p.Name)
		switch {
		case now != nil && now.SHA256 == p.SHA256: // the same module: added by somebody else, from another source, or to repair its file
			p.Previous = now.Previous
		case (now == nil) != (old == nil) || now != nil && now.SHA256 != old.SHA256:
			return fmt.Errorf("%s was changed meanwhile by another fcp-host; run the command again", p.Name)
		case now != nil:
			before := now.Release
			p.Previous = &before
		}
		return change.Put(p, o.Wasm, proof)
	})
	if err != nil {
		return err
	}
	c.cacheManifest(p.Name, cache)
	return nil
}

// compile compiles a module into the cache. One that does not compile is not added.
func (c *pluginCommand) compile(o *offered, cache string) error {
	box, err := sandbox.NewPlugin(sandbox.Config{Name: o.Domain, Wasm: o.Wasm, CacheDir: cache, Limits: c.s.limits.sandbox, Log: c.s.log(c.io)})
	if err != nil {
		return err
	}
	defer box.Close()
	if err := box.Warm(c.ctx); err != nil {
		return fmt.Errorf("it does not compile: %w", err)
	}
	return nil
}

// cacheManifest caches the manifest of an added plugin for the next start.
func (c *pluginCommand) cacheManifest(name, cache string) {
	l, err := c.s.library()
	if err != nil {
		return // serve reports the error
	}
	set, err := plugin.Load(c.ctx, plugin.Options{Files: []string{plugin.AddedPath(name)}, Library: l, CacheDir: cache, Limits: c.s.limits.sandbox,
		Unconfined: c.s.Unconfined, RequireLayers: c.s.RequireLayers, Retry: true})
	if err != nil {
		return
	}
	defer set.Close()
	for _, p := range set.Problems() {
		c.io.complain("it would not be served: %v", p)
	}
}

// servedWords describes when a plugin is served.
func (c *pluginCommand) servedWords(name string) string {
	if len(c.s.files)+len(c.s.dirs) == 0 {
		return "fcp-host serves it now, where it runs, and from its next start on"
	}
	path := plugin.AddedPath(name)
	if slices.ContainsFunc(c.s.files, func(f string) bool { return f == path }) {
		return "the configuration names it"
	}
	return fmt.Sprintf("the configuration lists the plugins to serve, and this one is not among them: add a [[plugin]] with file = %q", name)
}

// intact returns the module of an added release if its file is unchanged.
func (c *pluginCommand) intact(name string, r added.Release) ([]byte, error) {
	wasm, err := plugin.Read(c.folder.Module(name, r.SHA256))
	if err != nil {
		return nil, err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(wasm)); sum != r.SHA256 {
		return nil, fmt.Errorf("its sha256 is %s", sum)
	}
	return wasm, nil
}

// States of an added plugin's file.
const (
	stateOK      = "ok"
	stateGone    = "gone"
	stateChanged = "changed"
)

func (c *pluginCommand) state(p added.Plugin) string {
	switch wasm, err := plugin.Read(c.folder.Module(p.Name, p.SHA256)); {
	case err != nil:
		return stateGone
	case !bytes.Equal(sum(wasm), []byte(p.SHA256)):
		return stateChanged
	}
	return stateOK
}

func sum(b []byte) []byte { return fmt.Appendf(nil, "%x", sha256.Sum256(b)) }
