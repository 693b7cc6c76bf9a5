package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/files"
)

// finding is a module to load, or a name for which there is no module.
type finding struct {
	path string
	err  error
	own  bool    // in a default folder, which the user did not name
	pin  *Pinned // for an added plugin; nil for others
}

// file returns the path of a finding's file.
func (f *finding) file() string {
	if f.pin != nil && f.pin.File != "" {
		return f.pin.File
	}
	return f.path
}

// isUnrequested reports whether a built-in module is for a server and the options do not name it.
func (o *Options) isUnrequested(b *Builtin) bool {
	return b.Remote && !slices.Contains(o.Remote, b.Name)
}

// find lists the modules that Options name, in order.
func find(o Options) []finding {
	added := o.Library.added()
	pins := map[string]*Pinned{}
	for i := range added {
		pins[Real(added[i].Path)] = &added[i]
	}
	found := namedModules(o, added)
	for i := range found {
		f := &found[i]
		if f.pin = pins[Real(f.path)]; f.pin != nil && f.err == nil {
			f.err = f.pin.Err
		}
	}
	return found
}

// namedModules lists the modules that Options name; added are the plugins that were added.
func namedModules(o Options, added []Pinned) (found []finding) {
	for _, name := range o.Files {
		path, err := o.Library.Find(name)
		if err != nil {
			path = name
		}
		found = append(found, finding{path: path, err: err})
	}
	dirs, must := o.folders()
	if !must {
		for i := range o.Library.Builtin {
			if b := &o.Library.Builtin[i]; !o.isUnrequested(b) {
				found = append(found, finding{path: b.Path()})
			}
		}
		for _, p := range added {
			found = append(found, finding{path: p.Path})
		}
	}
	for _, dir := range dirs {
		paths, err := modules(dir)
		if errors.Is(err, fs.ErrNotExist) && !must {
			continue
		}
		if err != nil {
			found = append(found, finding{path: dir, err: fmt.Errorf("the plugin folder cannot be read: %w", files.Reason(err))})
		}
		for _, path := range paths {
			found = append(found, finding{path: path, own: !must})
		}
	}
	return found
}

// warnPassedOver reports the files in the working directory that share the bare name of an installed module, which is
// loaded instead.
func (o *Options) warnPassedOver() {
	for _, name := range o.Files {
		path, err := o.Library.Find(name)
		if file := inWorkingDir(name); err == nil && file != "" && Real(file) != Real(path) {
			o.Log.Warn("a bare plugin name is not the file in the working directory; to use that file, write ./ before its name",
				"name", name, "plugin", path)
		}
	}
}

// folders returns the folders whose modules are served, and whether each must exist.
func (o *Options) folders() (dirs []string, must bool) {
	if len(o.Files) == 0 && len(o.Dirs) == 0 {
		return o.Defaults, false
	}
	return o.Dirs, true
}

// modules lists the .wasm files of a folder.
func modules(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".wasm") && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

// DefaultDirs returns the folders that are searched if none is named: plugins/ beside the binary, then the user's data
// folder.
func DefaultDirs() []string {
	var dirs []string
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		dirs = append(dirs, filepath.Join(filepath.Dir(exe), "plugins"))
	}
	if data := DataDir(); data != "" {
		dirs = append(dirs, filepath.Join(data, "plugins"))
	}
	return dirs
}

// DataDir returns the host's folder in the user's data folder, or "" if there is none.
func DataDir() string {
	if data := os.Getenv("XDG_DATA_HOME"); data != "" {
		return filepath.Join(data, "fcp-host")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "share", "fcp-host")
	}
	return ""
}
