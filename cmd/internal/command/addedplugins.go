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
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/signature"
)

// addedFolder returns the folder of plugins that `fcp-host plugin` added.
func addedFolder() *added.Folder {
	data := plugin.DataDir()
	if data == "" {
		return added.In("") // does not exist; the working directory is never searched
	}
	return added.In(filepath.Join(data, "added"))
}

// pinnedPlugins returns the added plugins for the loader.
func (s *settings) pinnedPlugins() (pins []plugin.Pinned) {
	folder := addedFolder()
	list, err := folder.Plugins()
	if err != nil {
		return []plugin.Pinned{{Path: folder.Lock(), Err: fmt.Errorf("added plugins are not used: %w", errors.Unwrap(err))}}
	}
	for _, p := range list {
		pin := plugin.Pinned{Name: p.Name, Path: plugin.AddedPath(p.Name), File: folder.Module(p.Name, p.SHA256), Sum: p.SHA256,
			Mend: fmt.Sprintf("fcp-host plugin update %s fetches it again", p.Name)}
		if s.OnlySigned {
			pin.Check = func(module []byte) error { return s.checkTrustedSigner(folder, p, module) }
		}
		pins = append(pins, pin)
	}
	return pins
}

// checkTrustedSigner returns nil if one of the trusted keys signed an added plugin, else the
// reason.
func (s *settings) checkTrustedSigner(folder *added.Folder, p added.Plugin, module []byte) error {
	k, err := s.checkSigned(folder, p, module)
	if err != nil {
		return fmt.Errorf("require-signature is set, and %w", err)
	}
	if !slices.ContainsFunc(s.trusted, k.Same) {
		return fmt.Errorf("require-signature is set, but the %s that signed it is not in trusted-keys", k.Words())
	}
	return nil
}

// checkSigned checks the signature of an added plugin with its key in the lock file, and returns
// that key.
func (s *settings) checkSigned(folder *added.Folder, p added.Plugin, module []byte) (signature.Key, error) {
	if p.Signer == "" {
		return signature.Key{}, errors.New("it had no signature by a known key when it was added")
	}
	k, err := signature.ParseKey([]byte(p.Signer))
	if err != nil {
		return k, fmt.Errorf("its signer in the lock file is not a public key: %w", err)
	}
	k = s.withName(k)
	data, err := os.ReadFile(folder.Signature(p.Name, p.SHA256))
	var sig signature.Signature
	if err == nil {
		err = json.Unmarshal(data, &sig)
	}
	if err != nil {
		return k, fmt.Errorf("its signature cannot be read: %w", files.Reason(err))
	}
	if _, _, ok := signature.Verify(module, []signature.Signature{sig}, []signature.Key{k}); !ok {
		return k, fmt.Errorf("its signature is not by %s", k.Words())
	}
	return k, nil
}

// addedGrants returns the grants of an added plugin if its module is the one they were given to.
func addedGrants(folder *added.Folder) func() []broker.Entry {
	return func() (entries []broker.Entry) {
		list, _ := folder.Plugins() // an unreadable lock file grants nothing, and loads no plugin that could use a grant
		for _, p := range list {
			for _, g := range p.Grants {
				entries = append(entries, grantEntry(p, g))
			}
		}
		return entries
	}
}

// grantAdded stores grants of an added plugin in the lock file, so that an update can keep them.
func grantAdded(ctx context.Context) func(broker.Entry) error {
	return func(e broker.Entry) error {
		return addedFolder().Change(ctx, func(c *added.Change) error {
			p := c.Find(e.Domain)
			if p == nil || p.SHA256 != e.Module {
				return fmt.Errorf("%s was changed meanwhile by another fcp-host; run the command again", e.Domain)
			}
			p.Grants = slices.DeleteFunc(slices.Clone(p.Grants), func(g added.Grant) bool { return g.Want == e.Want })
			p.Grants = append(p.Grants, added.Grant{Want: e.Want, Origin: e.Origin, Variables: e.Variables})
			return nil
		})
	}
}

// revokeAdded removes grants of an added plugin from the lock file.
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

// publicKey parses a public key, or reads it from a file.
func publicKey(base, text string) (signature.Key, error) {
	if k, err := signature.ParseKey([]byte(text)); err == nil {
		return k, nil
	}
	path := expandOne(base, text)
	info, err := os.Stat(path)
	switch {
	case err != nil && !strings.ContainsAny(text, `/\.`):
		return signature.Key{}, fmt.Errorf("%q is neither a minisign or cosign public key nor a file", text)
	case err != nil:
		return signature.Key{}, err
	case !info.Mode().IsRegular() || info.Size() > signature.MaxKey:
		return signature.Key{}, fmt.Errorf("%s is not a file of at most %d KiB", path, signature.MaxKey>>10)
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

// withName sets the name that the configuration has for a key.
func (s *settings) withName(k signature.Key) signature.Key {
	if i := slices.IndexFunc(s.trusted, k.Same); i >= 0 {
		return s.trusted[i]
	}
	return k
}
