package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fcp-host/fcp-host/host/added"
	"github.com/fcp-host/fcp-host/host/signature"
	"github.com/fcp-host/fcp-host/host/source"
	"github.com/fcp-host/fcp-host/printable"
)

// listedPlugin is an added plugin in the JSON of list and info.
type listedPlugin struct {
	Name     string         `json:"name"`
	Version  string         `json:"version"`
	Source   string         `json:"source"`
	SHA256   string         `json:"sha256"`
	Manifest string         `json:"manifest,omitempty"`
	Signer   string         `json:"signer,omitempty"`
	SignedBy string         `json:"signed_by,omitempty"` // the signer's name in trusted-keys
	Pinned   bool           `json:"pinned"`
	Added    string         `json:"added"`
	Grants   []string       `json:"grants"`
	File     string         `json:"file"`
	State    string         `json:"state"` // ok, changed or gone
	Previous *listedRelease `json:"previous,omitempty"`
}

type listedRelease struct {
	Version string `json:"version"`
	Source  string `json:"source"`
	SHA256  string `json:"sha256"`
}

func (c *pluginCommand) listEntry(p added.Plugin) listedPlugin {
	l := listedPlugin{Name: p.Name, Version: p.Version, Source: p.Source, SHA256: p.SHA256, Manifest: p.Manifest, Signer: p.Signer, Pinned: p.Pinned,
		Added: p.Added, Grants: []string{}, File: c.folder.Module(p.Name, p.SHA256), State: c.state(p)}
	if k, err := signature.ParseKey([]byte(p.Signer)); err == nil {
		l.SignedBy = c.s.withName(k).Name
	}
	for _, g := range p.Grants {
		l.Grants = append(l.Grants, g.Want)
	}
	if r := p.Previous; r != nil {
		l.Previous = &listedRelease{r.Version, r.Source, r.SHA256}
	}
	return l
}

func (c *pluginCommand) printJSON(v any) error {
	e := json.NewEncoder(c.io.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// list prints the added plugins.
func (c *pluginCommand) list([]string) error {
	list, err := c.folder.Plugins()
	if err != nil {
		return err
	}
	if c.json {
		out := []listedPlugin{}
		for _, p := range list {
			out = append(out, c.listEntry(p))
		}
		return c.printJSON(out)
	}
	if len(list) == 0 {
		fmt.Fprintln(c.io.out, "no plugin was added; fcp-host plugin add takes a file, https://… or oci://…")
	}
	w := tabwriter.NewWriter(c.io.out, 0, 0, 2, ' ', 0)
	for _, p := range list {
		fmt.Fprintf(w, "%s\t%s\t%.12s\t%s\t%s\n", p.Name, printable.Line(p.Version), p.SHA256, printable.Line(p.Source), strings.Join(c.remarks(p), ", "))
	}
	return w.Flush()
}

// remarks lists short remarks on a plugin, such as its signer.
func (c *pluginCommand) remarks(p added.Plugin) (list []string) {
	switch state := c.state(p); state {
	case stateChanged:
		list = append(list, "CHANGED since it was added")
	case stateGone:
		list = append(list, "its file is GONE")
	}
	list = append(list, c.signedBy(p))
	if p.Pinned {
		list = append(list, "pinned")
	}
	for _, g := range p.Grants {
		list = append(list, "may use "+printable.Line(g.Want))
	}
	return list
}

func (c *pluginCommand) signedBy(p added.Plugin) string {
	if p.Signer == "" {
		return "not signed"
	}
	k, err := signature.ParseKey([]byte(p.Signer))
	if err != nil {
		return "signed by something that is not a key"
	}
	return "signed by " + c.s.withName(k).Words()
}

// info prints everything about a plugin.
func (c *pluginCommand) info(names []string) error {
	list, err := c.all(names)
	if err != nil {
		return err
	}
	p := list[0]
	if c.json {
		return c.printJSON(c.listEntry(p))
	}
	out := c.io.out
	fmt.Fprintln(out, p.Title())
	fmt.Fprintf(out, "  source    %s\n", printable.Line(p.Source))
	if p.Manifest != "" {
		fmt.Fprintf(out, "            manifest %s\n", printable.Line(p.Manifest))
	}
	fmt.Fprintf(out, "  file      %s\n  sha256    %s\n", c.folder.Module(p.Name, p.SHA256), p.SHA256)
	fmt.Fprintf(out, "  added     %s, %s\n", printable.Line(p.Added), strings.Join(c.remarks(p), ", "))
	if r := p.Previous; r != nil {
		fmt.Fprintf(out, "  before    %s, sha256 %.12s…; fcp-host plugin update --rollback %s goes back to it\n", printable.Line(r.Version), r.SHA256, p.Name)
	}
	wasm, err := c.intact(p.Name, p.Release)
	if err != nil {
		return fmt.Errorf("%s differs from what was added (%w); fcp-host plugin update %s fetches it again", p.Name, err, p.Name)
	}
	o := &offered{Module: &source.Module{Wasm: wasm, Source: p.Source}, sum: p.SHA256}
	if err := c.describe(o); err != nil {
		return err
	}
	fmt.Fprintf(out, "  is        %s, %s\n", strings.TrimPrefix(o.Title+", "+o.Summary, o.Domain+", "), sizeWords(len(wasm)))
	c.showManifest(o.Manifest, out)
	c.wants(o, p.Grants)
	return nil
}

// remove removes plugins.
func (c *pluginCommand) remove(names []string) error {
	list, err := c.all(names)
	if err != nil {
		return err
	}
	err = c.folder.Change(c.ctx, func(change *added.Change) error {
		for _, p := range list {
			change.Remove(p.Name) // no-op if another fcp-host did so meanwhile
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range list {
		fmt.Fprintf(c.io.out, "removed %s\n", p.Title())
		if slices.ContainsFunc(c.s.plugins, func(q pluginConfig) bool { return q.File == "added:"+p.Name }) {
			c.io.complain("the configuration still has a [[plugin]] %s: remove it, too", p.Name)
		}
	}
	return nil
}

// pin pins plugins, so that update does not change them, or unpins them.
func (c *pluginCommand) pin(names []string) error {
	list, err := c.all(names)
	if err != nil {
		return err
	}
	err = c.folder.Change(c.ctx, func(change *added.Change) error {
		for _, p := range list {
			now := change.Find(p.Name)
			if now == nil {
				return notAdded(p.Name)
			}
			now.Pinned = !c.off
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range list {
		if c.off {
			fmt.Fprintf(c.io.out, "%s is not pinned: update may change it\n", p.Title())
		} else {
			fmt.Fprintf(c.io.out, "%s is pinned: update leaves it as it is\n", p.Title())
		}
	}
	return nil
}

// verify checks the files and signatures of plugins against the lock file.
func (c *pluginCommand) verify(names []string) error {
	list, err := c.all(names)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(c.io.out, "no plugin was added")
	}
	failed := 0
	for _, p := range list {
		wasm, err := c.intact(p.Name, p.Release)
		if err != nil {
			err = fmt.Errorf("%w; fcp-host plugin update %s fetches it again, fcp-host plugin remove %s removes it", err, p.Name, p.Name)
		}
		if err == nil && p.Signer != "" {
			_, err = c.s.checkSigned(c.folder, p, wasm)
		}
		if err == nil && c.s.OnlySigned {
			err = c.s.checkTrustedSigner(c.folder, p, wasm)
		}
		if err != nil {
			failed++
			fmt.Fprintf(c.io.out, "! %s: %v\n", p.Title(), err)
			continue
		}
		fmt.Fprintf(c.io.out, "  %s: as it was added, %s\n", p.Title(), c.signedBy(p))
	}
	if len(names) == 0 {
		for _, name := range c.folder.Stray(list) {
			fmt.Fprintf(c.io.out, "  %s belongs to no added plugin and is not loaded\n", printable.Line(name))
		}
	}
	if failed > 0 {
		return errors.New("the lines with ! show which plugins differ from what was added")
	}
	return nil
}
