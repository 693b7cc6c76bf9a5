package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/printable"
)

// Errors for callers to test for.
var (
	ErrOutside = errors.New("outside the allowed folders")
	ErrChanged = errors.New("changed on disk since it was opened")
	ErrThere   = errors.New("already exists")
)

func (r *Roots) within(real string) (root string, ok bool) { return r.now().within(real) }

func (a *area) within(real string) (root string, ok bool) {
	for _, d := range a.dirs {
		rel, err := filepath.Rel(d, real)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return d, true
		}
	}
	return "", false
}

// Resolve returns the absolute path with symbolic links followed. The file need not exist, but its folder must. It
// fails with ErrOutside if the result is outside of the roots.
//
// The path may be a file URI or percent-encoded. In a URI the decoding is tried first, in a path the name as it is
// written; the first that exists is meant. If neither does, both are decoded: names of new files have no %20.
func (r *Roots) Resolve(path string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	if strings.ContainsRune(path, 0) {
		return "", errors.New("the path holds a zero byte")
	}
	if real, ok, err := r.resolve(path); ok {
		return real, err
	}
	paths, uri, err := readings(path)
	if err != nil {
		return "", err
	}
	if len(paths) == 1 {
		return r.resolveLocal(paths[0])
	}
	existing := slices.Clone(paths)
	if !uri {
		slices.Reverse(existing)
	}
	for _, p := range existing {
		if real, err := r.resolveLocal(p); err == nil && r.Exists(real) {
			return real, nil
		}
	}
	real, err := r.resolveLocal(paths[0])
	if err != nil {
		if other, again := r.resolveLocal(paths[1]); again == nil {
			return other, nil
		}
	}
	return real, err
}

// resolveLocal is Resolve for a path of this system.
func (r *Roots) resolveLocal(path string) (string, error) {
	if isWindowsPath(path) {
		if _, err := os.Lstat(filepath.Join(r.now().cwd, path)); err != nil {
			return "", r.windowsPath(path)
		}
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.now().cwd, path)
	}
	path = filepath.Clean(path)
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		dir, derr := filepath.EvalSymlinks(filepath.Dir(path))
		if derr != nil {
			if _, ok := r.within(path); !ok {
				return "", r.outside(path)
			}
			if errors.Is(derr, fs.ErrNotExist) {
				// Show the whole path, since a relative one may start elsewhere than the user thinks.
				return "", fmt.Errorf("%s: there is no folder %s", r.Show(path), cut(filepath.Dir(path)))
			}
			return "", fmt.Errorf("%s: its folder: %w", r.Show(path), Reason(derr))
		}
		real = filepath.Join(dir, filepath.Base(path))
		if err := r.checkReached(path, real); err != nil {
			return "", err
		}
		if info, lerr := os.Lstat(real); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", fmt.Errorf("%s is a symbolic link to nothing", r.Show(path))
		}
		return real, nil
	}
	if err != nil {
		if _, ok := r.within(path); !ok {
			return "", r.outside(path)
		}
		return "", fmt.Errorf("%s: %w", r.Show(path), Reason(err))
	}
	if err := r.checkReached(path, real); err != nil {
		return "", err
	}
	return real, nil
}

// checkReached returns why a path may not lead to real.
func (r *Roots) checkReached(path, real string) error {
	root, ok := r.within(real)
	if !ok {
		return r.outside(path)
	}
	if why := disguised(root, path, real); why != "" {
		return fmt.Errorf("%s is a link to %s, %s: name that itself, if it is meant", r.Show(path), r.Show(real), why)
	}
	return nil
}

// disguised says how links in a path hide what they lead to, or returns "". Whoever wrote the path, or a check of its extension, judged a
// name: so the file that is reached has the extension of the path, if that has one, and is hidden only where the path says so.
func disguised(root, path, real string) string {
	if path == real {
		return ""
	}
	rel, _ := filepath.Rel(root, real) // it lies below
	named := strings.Split(path, string(filepath.Separator))
	for _, e := range strings.Split(rel, string(filepath.Separator)) {
		if strings.HasPrefix(e, ".") && e != "." && !slices.Contains(named, e) {
			return "which is hidden"
		}
	}
	end := filepath.Ext(path)
	if info, err := os.Stat(real); end != "" && err == nil && !info.IsDir() && !strings.EqualFold(end, filepath.Ext(real)) {
		return "which has another extension"
	}
	return ""
}

func (r *Roots) outside(path string) error {
	a := r.now()
	advice := "start fcp-host with --root to allow another"
	switch none := len(a.dirs)+len(r.mounts) == 0; {
	case a.client:
		advice = "open its folder in the client, or start fcp-host with --root DIR"
	case none:
		advice = "start fcp-host with --root DIR to allow one"
	}
	why := strings.Join(a.missing, "; ")
	switch {
	case len(a.dirs)+len(r.mounts) > 0 && why == "":
		return fmt.Errorf("%s is %w (%s); %s", cut(path), ErrOutside, strings.Join(r.All(), ", "), advice)
	case len(a.dirs)+len(r.mounts) > 0:
		return fmt.Errorf("%s is %w (%s; %s); %s", cut(path), ErrOutside, strings.Join(r.All(), ", "), why, advice)
	case why == "":
		why = "because the working directory is " + a.cwd
	}
	return fmt.Errorf("%s is %w: no folder is allowed, %s; %s", cut(path), ErrOutside, why, advice)
}

// Show returns a path for messages, on one line: relative if it lies below the working directory.
func (r *Roots) Show(path string) string { return cut(r.relative(path)) }

// relative returns a path as a user would write it: relative if it lies below the working directory.
func (r *Roots) relative(path string) string {
	cwd := r.area.Load().cwd // without waiting for a client's roots, since nothing is opened
	if url, ok := r.canonical(path); ok {
		if rel, below := strings.CutPrefix(url, cwd+"/"); below {
			return rel
		}
		if url == cwd {
			return "."
		}
		return url
	}
	if rel, err := filepath.Rel(cwd, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return rel
	}
	return path
}

// Word returns a path in a form that can be nothing but a path.
func (r *Roots) Word(path string) string {
	show := r.relative(path)
	if filepath.IsAbs(show) || isURL(show) {
		return show
	}
	return "./" + show
}

// cut prints a path on one line, and shortens what is too long for any file system's paths.
func cut(path string) string {
	const most = 4096
	if len(path) <= most {
		return printable.Line(path)
	}
	return printable.Cut(printable.Line(path[:128]), 128)
}
