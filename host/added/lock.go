package added

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"github.com/fcp-host/fcp-host/printable"
)

// Plugin is an added plugin.
type Plugin struct {
	Name string `toml:"name"` // its domain
	Release
	Pinned   bool     `toml:"pinned,omitempty"` // `update` skips it
	Added    string   `toml:"added,omitempty"`  // date of the addition or the last update
	Grants   []Grant  `toml:"grant,omitempty"`
	Previous *Release `toml:"previous,omitempty"` // what the last update replaced
}

// Title returns the plugin's name and version for people.
func (p *Plugin) Title() string { return strings.TrimSpace(p.Name + " " + printable.Line(p.Version)) }

// Release is a module and its source.
type Release struct {
	Version  string `toml:"version"`
	Source   string `toml:"source"`
	SHA256   string `toml:"sha256"`             // of the module, in hex
	Manifest string `toml:"manifest,omitempty"` // digest of the OCI manifest that named the module
	Signer   string `toml:"signer,omitempty"`   // the public key that signed it; "" if no known key did
}

// Grant is a grant of the plugin's: see broker.Entry.
type Grant struct {
	Want      string   `toml:"want"`
	Origin    string   `toml:"origin,omitempty"`
	Variables []string `toml:"variables,omitempty"`
}

// lock is the content of the lock file.
type lock struct {
	Format  int      `toml:"format"`
	Plugins []Plugin `toml:"plugin"`
}

const (
	format   = 1
	lockName = "lock.toml"
	maxLock  = 1 << 20 // bytes
	heading  = "# The plugins that were added, and which module each of them is. fcp-host plugin writes this file.\n\n"
)

// Folder is the folder of the added plugins. It need not exist. The lock file is read again when it changes.
type Folder struct {
	dir string

	mu   sync.Mutex
	seen fs.FileInfo // of the lock file
	has  []Plugin
	err  error
}

// In returns the Folder at a path.
func In(dir string) *Folder { return &Folder{dir: dir} }

// Dir returns the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Lock returns the lock file's path.
func (f *Folder) Lock() string { return filepath.Join(f.dir, lockName) }

// Plugins lists the added plugins by name. After an error, which names the lock file and says what to do, no plugin
// counts as added.
func (f *Folder) Plugins() ([]Plugin, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := f.look()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.seen, f.has, f.err = nil, nil, nil
		return nil, nil
	case err == nil && f.seen != nil && os.SameFile(info, f.seen) && info.ModTime().Equal(f.seen.ModTime()) && info.Size() == f.seen.Size():
		return slices.Clone(f.has), f.err
	}
	var l lock
	if err == nil {
		var data []byte
		if data, err = os.ReadFile(f.Lock()); err == nil {
			l, err = decode(data)
		}
	}
	if err != nil {
		err = fmt.Errorf("the added plugins in %s are not used: %w; correct that, or remove the file and add them again", printable.Line(f.Lock()), err)
	}
	if f.seen, f.has, f.err = info, l.Plugins, err; err != nil {
		f.has = nil
	}
	return slices.Clone(f.has), f.err
}

// look stats the lock file and checks who may change it.
func (f *Folder) look() (fs.FileInfo, error) {
	dir, err := os.Stat(f.dir)
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(f.Lock())
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxLock:
		return nil, fmt.Errorf("it is larger than %d MiB", maxLock>>20)
	}
	for _, i := range []fs.FileInfo{dir, info} {
		if err := own(i); err != nil {
			return nil, err
		}
	}
	return info, nil
}

// names matches the names that a domain can have; they are part of file names.
var names = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

func decode(data []byte) (l lock, err error) {
	meta, err := toml.Decode(string(data), &l)
	if pe := new(toml.ParseError); errors.As(err, pe) {
		return l, fmt.Errorf("line %d: %s", pe.Position.Line, printable.Line(pe.Message))
	}
	if err != nil {
		return l, errors.New(printable.Line(err.Error()))
	}
	if !meta.IsDefined("format") {
		return l, fmt.Errorf("it does not say format = %d, so something cut or emptied it", format)
	}
	if l.Format != format {
		return l, fmt.Errorf("it has format %d, and this fcp-host knows format %d: use a newer one", l.Format, format)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return l, fmt.Errorf("there is no setting %s", printable.Line(unknown[0].String()))
	}
	slices.SortStableFunc(l.Plugins, byName)
	for i := range l.Plugins {
		p := &l.Plugins[i]
		if !names.MatchString(p.Name) {
			return l, fmt.Errorf("plugin %d has the name %q, which no domain has", i+1, printable.Cut(printable.Line(p.Name), 60))
		}
		if i > 0 && l.Plugins[i-1].Name == p.Name {
			return l, fmt.Errorf("the plugin %s is listed twice", p.Name)
		}
		for _, r := range []*Release{&p.Release, p.Previous} {
			if r == nil {
				continue
			}
			if b, err := hex.DecodeString(r.SHA256); err != nil || len(b) != 32 || strings.ToLower(r.SHA256) != r.SHA256 {
				return l, fmt.Errorf("plugin %s: sha256 must be 64 lower-case hexadecimal digits", p.Name)
			}
		}
	}
	return l, nil
}

func byName(a, b Plugin) int { return cmp.Compare(a.Name, b.Name) }

func encode(plugins []Plugin) ([]byte, error) {
	b := bytes.NewBufferString(heading)
	e := toml.NewEncoder(b)
	e.Indent = ""
	err := e.Encode(lock{format, plugins})
	return b.Bytes(), err
}

// Module returns the path of a plugin's module.
func (f *Folder) Module(name, sha256 string) string {
	return filepath.Join(f.dir, stem(name, sha256)+".wasm")
}

// Signature returns the path of the module's signatures; the file exists if the signer is known.
func (f *Folder) Signature(name, sha256 string) string {
	return filepath.Join(f.dir, stem(name, sha256)+".signature.json")
}

func stem(name, sha256 string) string { return name + "-" + sha256[:16] }
