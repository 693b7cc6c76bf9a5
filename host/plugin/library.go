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

// Builtin is a module that is part of the binary. What it says of itself is known before it ever ran.
type Builtin struct {
	Name     string // of its domain
	Module   *sandbox.Module
	Manifest []byte // as the module gives it
	Remote   bool   // it works with a server, and is served where somebody asks for it
}

// Path names the module among paths of files: "builtin:midi".
func (b *Builtin) Path() string { return scheme + b.Name }

const scheme = "builtin:"

// IsBuiltin reports whether path is that of a built-in module.
func IsBuiltin(path string) bool { return strings.HasPrefix(path, scheme) }

// BuiltinName is the domain of the built-in module of a path, "" for a file.
func BuiltinName(path string) string {
	name, ok := strings.CutPrefix(path, scheme)
	if !ok {
		return ""
	}
	return name
}

// Library is where modules are looked for that are named without a folder: "midi" or "midi.wasm".
type Library struct {
	Builtin []Builtin       // before all others
	Added   func() []Pinned // what a person added, before the folders; nil for nothing
	Dirs    []string        // in this order; the working directory comes after them
}

// Pinned is a plugin that was added: a file that is loaded only while it is the module that was added.
type Pinned struct {
	Name string // by which Library.Find finds it, "" where only Err is known
	Path string // AddedPath of the name; where only Err is known, the file that is to blame
	File string // that holds it now
	Sum  string // sha256 of the module that was added, hex
	Mend string // what to do about a file that is gone or another module
	Err  error  // why it is not loaded whatever the file is; nil if it may be

	Check func(module []byte) error // says why the module that was added is not loaded all the same; nil for nothing more
}

// AddedPath names an added plugin among paths of files: "added:todo". It stays the same when the plugin is updated.
func AddedPath(name string) string { return addedScheme + name }

const addedScheme = "added:"

// IsAdded reports whether path is that of an added plugin.
func IsAdded(path string) bool { return strings.HasPrefix(path, addedScheme) }

// added lists what was added.
func (l Library) added() []Pinned {
	if l.Added == nil {
		return nil
	}
	return l.Added()
}

// Find gives the path of a module: the name of one in the library, or any path, which stays as it is. The working directory is
// the last place, so that no file in a project takes the place of what is installed.
func (l Library) Find(name string) (path string, err error) {
	if IsAdded(name) {
		if l.pinned(name) == nil {
			return "", l.none()
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
		if path := AddedPath(stem); l.pinned(path) != nil {
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
	return "", l.none()
}

// here is the file of the working directory that a bare name could mean, "" for none.
func here(name string) string {
	for _, file := range []string{name, name + ".wasm"} {
		if bare(name) && isFile(file) {
			return file
		}
	}
	return ""
}

// bare reports whether a name holds no folder.
func bare(name string) bool {
	return filepath.Base(name) == name && name != "." && name != ".." && !IsBuiltin(name) && !IsAdded(name)
}

// none says what could have been named instead.
func (l Library) none() error {
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

// Read gives the bytes of the module at a path that Find gave.
func (l Library) Read(path string) ([]byte, error) {
	if b := l.builtin(path); b != nil {
		return b.Module.Wasm()
	}
	if !IsAdded(path) {
		return Read(path)
	}
	p := l.pinned(path)
	switch {
	case p == nil:
		return nil, errors.New("no such plugin was added, or it was removed")
	case p.Err != nil:
		return nil, p.Err
	}
	return p.read()
}

// read gives the bytes of the plugin, where they are those that were added.
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

// pinned is the added plugin of a path, nil where there is none.
func (l Library) pinned(path string) *Pinned {
	list := l.added()
	for i := range list {
		if list[i].Path == path {
			return &list[i]
		}
	}
	return nil
}

// place is the file at a path, or that of an added plugin.
func (l Library) place(path string) string {
	if p := l.pinned(path); p != nil && p.File != "" {
		return p.File
	}
	return path
}

// open gives a module and, of a built-in one, its manifest. pin is that of an added plugin, nil for another.
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

// builtin is the built-in module of a path, nil for a file.
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
