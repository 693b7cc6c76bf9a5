package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/added"
	"github.com/fcp-host/fcp-host/host/signature"
	"github.com/fcp-host/fcp-host/host/source"
	"github.com/fcp-host/fcp-host/printable"
)

// update updates plugins from their sources.
func (c *pluginCommand) update(names []string) error {
	if c.back && len(names) != 1 {
		return errors.New("--rollback takes the name of one plugin")
	}
	list, err := c.all(names)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(c.io.out, "no plugin was added")
	}
	failed := 0
	for _, p := range list {
		do := c.updateOne
		if c.back {
			do = c.rollback
		}
		if err := do(p); err != nil {
			if c.ctx.Err() != nil || len(list) == 1 {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			c.io.complain("%s: %v", p.Name, err)
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d plugins could not be updated", failed, len(list))
	}
	return nil
}

func (c *pluginCommand) updateOne(p added.Plugin) error {
	whole := c.state(p) == stateOK
	switch {
	case p.Pinned && whole:
		fmt.Fprintf(c.io.out, "%s is pinned; fcp-host plugin pin --off %s lets update change it\n", p.Title(), p.Name)
		return nil
	case whole && source.Fixed(p.Source):
		fmt.Fprintf(c.io.out, "%s: its source has a fixed hash, so there is nothing newer; to use another source, run fcp-host plugin add --replace\n", p.Title())
		return nil
	}
	keys, err := c.signers(p)
	if err != nil {
		return err
	}
	o, err := c.fetchAndCheck(p.Source, keys)
	if err != nil {
		return fmt.Errorf("%s: %w", printable.Line(p.Source), err)
	}
	switch {
	case o.Domain != p.Name:
		return fmt.Errorf("%s now has the domain %s; use fcp-host plugin add to add it as another plugin", printable.Line(p.Source), o.Domain)
	case o.sum == p.SHA256 && whole:
		fmt.Fprintf(c.io.out, "%s: nothing newer\n", p.Title())
		return nil
	case o.sum == p.SHA256:
		if err := c.install(o, &p, added.Plugin{Pinned: p.Pinned, Grants: p.Grants}); err != nil {
			return err
		}
		fmt.Fprintf(c.io.out, "%s is restored to what was added\n", p.Title())
		return nil
	case p.Pinned:
		return fmt.Errorf("its file has changed since it was added, and its source now has another module; to accept that module: fcp-host plugin pin --off %s, then update", p.Name)
	case c.yes && older(o.Version, p.Version):
		return fmt.Errorf("its source now has %s, which is older than %s; --yes refuses that, so answer the question instead", o.title(), p.Title())
	}
	return c.replaceAfterAsking(o, p, "Update it?", added.Plugin{})
}

// signers returns the keys of which one must have signed a plugin's replacement: those of --key,
// else its signer and the trusted keys. It returns none for a plugin without a known signer.
func (c *pluginCommand) signers(p added.Plugin) ([]signature.Key, error) {
	if len(c.keys) > 0 || p.Signer == "" {
		return c.keys, nil
	}
	k, err := signature.ParseKey([]byte(p.Signer))
	if err != nil {
		return nil, fmt.Errorf("its signer in the lock file is not a public key: %w", err)
	}
	return append([]signature.Key{k}, c.s.trusted...), nil
}

// replaceAfterAsking shows how a module differs from p, asks, and replaces p with it.
func (c *pluginCommand) replaceAfterAsking(o *offered, p added.Plugin, question string, with added.Plugin) error {
	out := c.io.out
	back := ""
	if older(o.Version, p.Version) {
		back = ", which is OLDER"
	}
	fmt.Fprintf(out, "%s → %s%s\n", p.Title(), strings.TrimSpace(o.Version+" "+o.sum[:12]), back)
	fmt.Fprintf(out, "  source    %s\n", printable.Line(o.Source))
	for _, n := range o.Notes {
		fmt.Fprintf(out, "            %s\n", n)
	}
	fmt.Fprintf(out, "  sha256    %s, %s\n", o.sum, sizeWords(len(o.Wasm)))
	fmt.Fprintf(out, "  signed    %s%s\n", o.signedWords(), c.previousSigner(p, o))
	was := &abi.Manifest{}
	if wasm, err := c.intact(p.Name, p.Release); err == nil {
		if m, err := c.s.describe(c.ctx, p.Name, wasm); err == nil {
			was = m
		}
	}
	difference := func(what string, before, after []string) {
		var lines []string
		for _, d := range []struct {
			title string
			of    []string
			not   []string
		}{{"new: ", after, before}, {"gone: ", before, after}} {
			var names []string
			for _, name := range d.of {
				if !slices.Contains(d.not, name) {
					names = append(names, name)
				}
			}
			if len(names) > 0 {
				lines = append(lines, d.title+strings.Join(names, " "))
			}
		}
		if len(lines) > 0 && was.Domain != "" {
			fmt.Fprintf(out, "  %-9s %s\n", what, printable.Line(strings.Join(lines, "; ")))
		}
	}
	difference("verbs", verbNames(was), verbNames(o.Manifest))
	difference("wants", wantKeys(was), wantKeys(o.Manifest))
	var keep []added.Grant
	for _, g := range p.Grants {
		if was.Domain != "" && c.sameWant(was, o.Manifest, g.Want) {
			keep = append(keep, g)
		} else {
			fmt.Fprintf(out, "  grants    %s was granted, but the want has changed: grant it again\n", g.Want)
		}
	}
	grants, err := c.collectGrants(o, keep)
	if err != nil {
		return err
	}
	c.wants(o, grants)
	if err := c.confirm(o, question); err != nil {
		return err
	}
	with.Grants = grants
	if err := c.install(o, &p, with); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is %s now; %s\n", p.Title(), strings.TrimSpace(o.Version+" "+o.sum[:12]), c.servedWords(p.Name))
	return nil
}

// previousSigner describes who signed the replaced module, if it was another key.
func (c *pluginCommand) previousSigner(p added.Plugin, o *offered) string {
	if p.Signer == o.signer.String() {
		return ""
	}
	k, err := signature.ParseKey([]byte(p.Signer))
	if err != nil {
		return "; not signed before"
	}
	return "; BEFORE by " + c.s.withName(k).Words()
}

func verbNames(m *abi.Manifest) (names []string) {
	for i := range m.Verbs {
		names = append(names, m.Verbs[i].Name)
	}
	return names
}

func wantKeys(m *abi.Manifest) (keys []string) {
	for i := range m.Wants {
		keys = append(keys, m.Wants[i].Key())
	}
	return keys
}

// rollback restores the version that the last update replaced.
func (c *pluginCommand) rollback(p added.Plugin) error {
	r := p.Previous
	if r == nil {
		return errors.New("no update has replaced an earlier version of it")
	}
	wasm, err := c.intact(p.Name, *r)
	if err != nil {
		return fmt.Errorf("the file of %s was changed: %w", r.Version, err)
	}
	o := &offered{Module: &source.Module{Wasm: wasm, Source: r.Source, Checked: true, Manifest: r.Manifest}, sum: r.SHA256}
	if err := c.describe(o); err != nil {
		return err
	}
	if r.Signer != "" {
		k, err := c.s.checkSigned(c.folder, added.Plugin{Name: p.Name, Release: *r}, wasm)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(c.folder.Signature(p.Name, r.SHA256))
		if err == nil {
			err = json.Unmarshal(data, &o.proof)
		}
		if err != nil {
			return err
		}
		o.signer = k
	}
	return c.replaceAfterAsking(o, p, "Go back to it, and pin it?", added.Plugin{Pinned: true})
}

// older reports whether a version comes before another, or cannot be compared with it although that is one of numbers separated by dots:
// then nothing says that it is newer. 1.0-rc.1 comes before 1.0.
func older(a, b string) bool {
	a, x := numbers(a)
	b, y := numbers(b)
	if x == nil || y == nil {
		return y != nil
	}
	if n := slices.Compare(x, y); n != 0 {
		return n < 0
	}
	return a != b && (b == "" || a != "" && a < b)
}

// numbers returns the numbers of a version, nil if it has other parts, and what follows a hyphen.
func numbers(version string) (rest string, list []int) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "+")
	version, rest, _ = strings.Cut(version, "-")
	for word := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return "", nil
		}
		list = append(list, n)
	}
	return rest, list
}
