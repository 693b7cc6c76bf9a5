package plugin

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Builtin is a module inside the host's binary. Its manifest is known without running it.
type Builtin struct {
	Name     string // its domain's name
	Module   *sandbox.Module
	Manifest []byte // as the module encodes it
	Remote   bool   // it works with a server, and is served only if Options name it
}

// Path returns the module's path, "builtin:midi".
func (b *Builtin) Path() string { return scheme + b.Name }

const scheme = "builtin:"

// IsBuiltin reports whether path is a built-in module's.
func IsBuiltin(path string) bool { return strings.HasPrefix(path, scheme) }

// BuiltinName returns the domain of a built-in module's path; "" for other paths.
func BuiltinName(path string) string {
	name, ok := strings.CutPrefix(path, scheme)
	if !ok {
		return ""
	}
	return name
}

// Library is where bare module names are looked up, such as "midi" or "midi.wasm".
type Library struct {
	Builtin []Builtin       // searched first
	Added   func() []Pinned // lists the plugins that a person added, which come before the folders; may be nil
	Dirs    []string        // in this order; the working directory comes last
}

// Pinned is an added plugin: its file is loaded only while it has the sha256 of the module that was added.
type Pinned struct {
	Name string // the name for Library.Find; "" if only Err is known
	Path string // AddedPath(Name); if only Err is known, the file at fault
	File string // the file with the module
	Sum  string // sha256 of the module that was added, in hex
	Mend string // how to repair it if the file is missing or changed
	Err  error  // why it is never loaded; nil if it may be

	Check func(module []byte) error // returns why the module may not be loaded although its bytes are those that were added; may be nil
}

// AddedPath returns the path of an added plugin, "added:todo". It stays the same when the plugin is updated.
func AddedPath(name string) string { return addedScheme + name }

const addedScheme = "added:"

// IsAdded reports whether path is an added plugin's.
func IsAdded(path string) bool { return strings.HasPrefix(path, addedScheme) }

// added lists the added plugins.
func (l Library) added() []Pinned {
	if l.Added == nil {
		return nil
	}
	return l.Added()
}

// Find resolves a bare name to the path of a module in the library; other paths stay as they are. The working directory
// is searched last, so that a file in a project never replaces an installed module.
func (l Library) Find(name string) (path string, err error) {
	if IsAdded(name) {
		if l.pinAt(name) == nil {
			return "", l.notFound()
		}
		return name, nil
	}
	stem := strings.TrimSuffix(strings.TrimPrefix(name, scheme), ".wasm")
	for i := range l.Builtin {
		if b := &l.Builtin[i]; b.Name == stem && (bare(name) || IsBuiltin(name)) {
			return b.Path(), nil
		}
	}
	if !IsBuiltin(name) {
		if !bare(name) {
			return name, nil
		}
		if path := AddedPath(stem); l.pinAt(path) != nil {
			return path, nil
		}
		for _, dir := range append(slices.Clone(l.Dirs), "") {
			if file := filepath.Join(dir, stem+".wasm"); isFile(file) {
				return file, nil
			}
		}
		if _, err := os.Lstat(name); err == nil {
			return name, nil
		}
	}
	return "", l.notFound()
}

// inWorkingDir returns the file in the working directory that a bare name may mean, or "".
func inWorkingDir(name string) string {
	for _, file := range []string{name, name + ".wasm"} {
		if bare(name) && isFile(file) {
			return file
		}
	}
	return ""
}

// bare reports whether a name has no folder.
func bare(name string) bool {
	return filepath.Base(name) == name && name != "." && name != ".." && !IsBuiltin(name) && !IsAdded(name)
}

// notFound returns an error that lists the names in the library.
func (l Library) notFound() error {
	var have []string
	for i := range l.Builtin {
		have = append(have, l.Builtin[i].Path())
	}
	for _, p := range l.added() {
		if p.Name != "" {
			have = append(have, p.Path)
		}
	}
	for _, dir := range l.Dirs {
		if files, err := modules(dir); err == nil {
			have = append(have, files...)
		}
	}
	if len(have) == 0 {
		return errors.New("no such file or plugin")
	}
	return errors.New("no such file or plugin; there are " + strings.Join(have, ", "))
}

// Read returns the bytes of the module at a path that Find returned.
func (l Library) Read(path string) ([]byte, error) {
	if b := l.builtin(path); b != nil {
		return b.Module.Wasm()
	}
	if !IsAdded(path) {
		return Read(path)
	}
	p := l.pinAt(path)
	switch {
	case p == nil:
		return nil, errors.New("no such plugin was added, or it was removed")
	case p.Err != nil:
		return nil, p.Err
	}
	return p.read()
}

// read returns the bytes of the plugin if they have the sha256 that was added.
func (p *Pinned) read() ([]byte, error) {
	wasm, err := Read(p.File)
	if err != nil {
		return nil, fmt.Errorf("its file cannot be read (%w); %s", err, p.Mend)
	}
	if fmt.Sprintf("%x", sha256.Sum256(wasm)) != p.Sum {
		return nil, fmt.Errorf("its file was changed after it was added; %s", p.Mend)
	}
	if p.Check != nil {
		if err := p.Check(wasm); err != nil {
			return nil, err
		}
	}
	return wasm, nil
}

// pinAt returns the added plugin at a path, or nil.
func (l Library) pinAt(path string) *Pinned {
	list := l.added()
	for i := range list {
		if list[i].Path == path {
			return &list[i]
		}
	}
	return nil
}

// place returns the file at a path; for an added plugin, its file.
func (l Library) place(path string) string {
	if p := l.pinAt(path); p != nil && p.File != "" {
		return p.File
	}
	return path
}

// open returns a module and, for a built-in one, its manifest. pin is nil unless the plugin was added.
func (l Library) open(path string, pin *Pinned) (*sandbox.Module, []byte, error) {
	if b := l.builtin(path); b != nil {
		return b.Module, b.Manifest, nil
	}
	read := func() ([]byte, error) { return Read(path) }
	if pin != nil {
		read = pin.read
	}
	wasm, err := read()
	if err != nil {
		return nil, nil, err
	}
	m, err := sandbox.NewModule(wasm)
	return m, nil, err
}

// builtin returns the built-in module at a path, or nil.
func (l Library) builtin(path string) *Builtin {
	for i := range l.Builtin {
		if l.Builtin[i].Path() == path {
			return &l.Builtin[i]
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
