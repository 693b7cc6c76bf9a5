package added

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/host/filelock"
)

// Change is a change of the added plugins, under the folder's lock.
type Change struct {
	Plugins []Plugin // written when the change ends

	root *os.Root
}

// Change runs how and writes the result. It waits for concurrent changes. If how fails, nothing changes.
func (f *Folder) Change(ctx context.Context, how func(*Change) error) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	release, err := hold(ctx, root)
	if err != nil {
		return err
	}
	defer release()
	c := &Change{root: root}
	if c.Plugins, err = f.Plugins(); err != nil {
		return err
	}
	before := append([]Plugin(nil), c.Plugins...)
	if err := how(c); err != nil {
		c.sweep(before)
		return err
	}
	slices.SortStableFunc(c.Plugins, byName)
	data, err := encode(c.Plugins)
	if err == nil {
		_, err = decode(data) // never write what could not be read back
	}
	if err == nil {
		err = c.write(lockName, data)
	}
	if err != nil {
		c.sweep(before)
		return fmt.Errorf("nothing is changed: %w", err)
	}
	if syncDir(f.dir) == nil { // only then: otherwise a crash may bring the old lock file back, which needs its files
		c.sweep(c.Plugins)
	}
	return nil
}

// patience is how long a change waits for another one.
const patience = 30 * time.Second

// hold locks the folder.
func hold(ctx context.Context, root *os.Root) (release func(), err error) {
	if info, err := root.Lstat(".lock"); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("its .lock is not a file; remove it")
	}
	f, err := root.OpenFile(".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		ok, err := filelock.Lock(f, true)
		if ok {
			return func() { f.Close() }, nil
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			f.Close()
			return nil, errors.New("another fcp-host is changing the added plugins; try again")
		}
	}
}

// Find returns the plugin of that name, or nil.
func (c *Change) Find(name string) *Plugin {
	if i := slices.IndexFunc(c.Plugins, func(p Plugin) bool { return p.Name == name }); i >= 0 {
		return &c.Plugins[i]
	}
	return nil
}

// Put adds a plugin with its module, or replaces the one of that name. signature may be nil.
func (c *Change) Put(p Plugin, module, signature []byte) error {
	if !names.MatchString(p.Name) || len(p.SHA256) != 64 {
		return fmt.Errorf("%q is not a valid name of a plugin", p.Name)
	}
	files := map[string][]byte{stem(p.Name, p.SHA256) + ".wasm": module}
	if signature != nil {
		files[stem(p.Name, p.SHA256)+".signature.json"] = signature
	}
	for name, data := range files {
		if err := c.write(name, data); err != nil {
			return fmt.Errorf("nothing is changed: %w", err)
		}
	}
	if old := c.Find(p.Name); old != nil {
		*old = p
	} else {
		c.Plugins = append(c.Plugins, p)
	}
	return nil
}

// Remove removes a plugin, and reports whether it existed.
func (c *Change) Remove(name string) bool {
	n := len(c.Plugins)
	c.Plugins = slices.DeleteFunc(c.Plugins, func(p Plugin) bool { return p.Name == name })
	return len(c.Plugins) < n
}

const temporary = ".new"

// write writes a file atomically. Only one change runs at a time, so the temporary file has a fixed name.
func (c *Change) write(name string, data []byte) error {
	if err := c.root.RemoveAll(temporary); err != nil {
		return err
	}
	f, err := c.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = c.root.Rename(temporary, name)
	}
	if err != nil {
		c.root.Remove(temporary)
	}
	return err
}

// ours matches the names of the files that this package writes.
var ours = regexp.MustCompile(`^[a-z][a-z0-9_-]*-[0-9a-f]{16}\.(wasm|signature\.json)$`)

// sweep removes files that no plugin uses. What cannot be removed is left for the next change.
func (c *Change) sweep(plugins []Plugin) {
	keep := map[string]bool{}
	for _, p := range plugins {
		for _, r := range []*Release{&p.Release, p.Previous} {
			if r != nil {
				keep[stem(p.Name, r.SHA256)+".wasm"], keep[stem(p.Name, r.SHA256)+".signature.json"] = true, true
			}
		}
	}
	list, err := fs.ReadDir(c.root.FS(), ".")
	if err != nil {
		return
	}
	for _, e := range list {
		if ours.MatchString(e.Name()) && !keep[e.Name()] || e.Name() == temporary {
			c.root.Remove(e.Name())
		}
	}
}

// Stray lists the folder's files that do not belong to an added plugin.
func (f *Folder) Stray(plugins []Plugin) (stray []string) {
	list, err := os.ReadDir(f.dir)
	if err != nil {
		return nil
	}
	for _, e := range list {
		known := e.Name() == lockName || e.Name() == ".lock"
		for _, p := range plugins {
			for _, r := range []*Release{&p.Release, p.Previous} {
				known = known || r != nil && (e.Name() == filepath.Base(f.Module(p.Name, r.SHA256)) || e.Name() == filepath.Base(f.Signature(p.Name, r.SHA256)))
			}
		}
		if !known {
			stray = append(stray, e.Name())
		}
	}
	return stray
}
