package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/added"
	"github.com/fcp-host/fcp-host/host/broker"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/signature"
)

// addedFolder is where `fcp-host plugin` keeps what it adds.
func addedFolder() *added.Folder {
	data := plugin.DataDir()
	if data == "" {
		return added.In("") // which is not there; the working directory is not looked into
	}
	return added.In(filepath.Join(data, "added"))
}

// pinned gives the loader what was added.
func (s *settings) pinned() (pins []plugin.Pinned) {
	folder := addedFolder()
	list, err := folder.Plugins()
	if err != nil {
		return []plugin.Pinned{{Path: folder.Lock(), Err: fmt.Errorf("what was added is not used: %w", errors.Unwrap(err))}}
	}
	for _, p := range list {
		pin := plugin.Pinned{Name: p.Name, Path: plugin.AddedPath(p.Name), File: folder.Module(p.Name, p.SHA256), Sum: p.SHA256,
			Mend: fmt.Sprintf("fcp-host plugin update %s gets it again", p.Name)}
		if s.onlySigned {
			pin.Check = func(module []byte) error { return s.signedByTrusted(folder, p, module) }
		}
		pins = append(pins, pin)
	}
	return pins
}

// signedByTrusted says why an added plugin is not signed by one of the trusted keys; nil if it is.
func (s *settings) signedByTrusted(folder *added.Folder, p added.Plugin, module []byte) error {
	k, err := s.checkSigned(folder, p, module)
	if err != nil {
		return fmt.Errorf("require-signature is set, and %w", err)
	}
	if !slices.ContainsFunc(s.trusted, k.Same) {
		return fmt.Errorf("require-signature is set, and the %s that signed it is none of trusted-keys", k.Words())
	}
	return nil
}

// checkSigned checks the signature of an added plugin against the key of the lock file, which it returns.
func (s *settings) checkSigned(folder *added.Folder, p added.Plugin, module []byte) (signature.Key, error) {
	if p.Signer == "" {
		return signature.Key{}, errors.New("nobody signed it whose key was known when it was added")
	}
	k, err := signature.ParseKey([]byte(p.Signer))
	if err != nil {
		return k, fmt.Errorf("its signer in the lock file is no public key: %w", err)
	}
	k = s.known(k)
	data, err := os.ReadFile(folder.Signature(p.Name, p.SHA256))
	var sig signature.Signature
	if err == nil {
		err = json.Unmarshal(data, &sig)
	}
	if err != nil {
		return k, fmt.Errorf("its signature cannot be read: %w", cause(err))
	}
	if _, _, ok := signature.Verify(module, []signature.Signature{sig}, []signature.Key{k}); !ok {
		return k, fmt.Errorf("its signature is not one by %s", k.Words())
	}
	return k, nil
}

// addedGrants are the grants of what was added, while its modules are those that these were given to.
func addedGrants(folder *added.Folder) func() []broker.Entry {
	return func() (entries []broker.Entry) {
		list, _ := folder.Plugins() // a file that cannot be read grants nothing, and serves nothing that could use it
		for _, p := range list {
			for _, g := range p.Grants {
				entries = append(entries, grantEntry(p, g))
			}
		}
		return entries
	}
}

// grantAdded keeps grants of what was added with it, so that an update can take them over.
func grantAdded(ctx context.Context) func(broker.Entry) error {
	return func(e broker.Entry) error {
		return addedFolder().Change(ctx, func(c *added.Change) error {
			p := c.Find(e.Domain)
			if p == nil || p.SHA256 != e.Module {
				return fmt.Errorf("%s was changed meanwhile by another fcp-host; look at it again", e.Domain)
			}
			p.Grants = slices.DeleteFunc(slices.Clone(p.Grants), func(g added.Grant) bool { return g.Want == e.Want })
			p.Grants = append(p.Grants, added.Grant{Want: e.Want, Origin: e.Origin, Variables: e.Variables})
			return nil
		})
	}
}

// revokeAdded takes back grants of what was added.
func revokeAdded(ctx context.Context, matches func(broker.Entry) bool) (gone []broker.Entry, err error) {
	folder := addedFolder()
	if list, err := folder.Plugins(); err != nil || len(list) == 0 {
		return nil, err
	}
	err = folder.Change(ctx, func(c *added.Change) error {
		gone = nil
		for i := range c.Plugins {
			p := &c.Plugins[i]
			p.Grants = slices.DeleteFunc(slices.Clone(p.Grants), func(g added.Grant) bool {
				e := grantEntry(*p, g)
				if !matches(e) {
					return false
				}
				gone = append(gone, e)
				return true
			})
		}
		return nil
	})
	return gone, err
}

func grantEntry(p added.Plugin, g added.Grant) broker.Entry {
	return broker.Entry{Module: p.SHA256, Domain: p.Name, Want: g.Want, Origin: g.Origin, Variables: g.Variables, Added: p.Added}
}

// publicKey reads a public key that is written out, or lies in a file.
func publicKey(base, text string) (signature.Key, error) {
	if k, err := signature.ParseKey([]byte(text)); err == nil {
		return k, nil
	}
	path := expandOne(base, text)
	info, err := os.Stat(path)
	switch {
	case err != nil && !strings.ContainsAny(text, `/\.`):
		return signature.Key{}, fmt.Errorf("%q is neither a public key of minisign or cosign nor a file", text)
	case err != nil:
		return signature.Key{}, err
	case !info.Mode().IsRegular() || info.Size() > signature.MaxKey:
		return signature.Key{}, fmt.Errorf("%s is no file of at most %d KiB", path, signature.MaxKey>>10)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return signature.Key{}, err
	}
	k, err := signature.ParseKey(data)
	if err != nil {
		return k, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// known gives a key the name that the configuration has for it.
func (s *settings) known(k signature.Key) signature.Key {
	if i := slices.IndexFunc(s.trusted, k.Same); i >= 0 {
		return s.trusted[i]
	}
	return k
}
