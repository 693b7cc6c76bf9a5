package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Tree stores the files of a root that is not a local folder, such as the objects below a prefix of a bucket. It is
// safe for concurrent use. Each file has a version, which differs after each write of other bytes. A name is a path
// relative to the root, of one or more segments between slashes, none of them empty, "." or "..". Errors contain no
// secrets.
type Tree interface {
	// Stat describes what is at a name. It fails with [io/fs.ErrNotExist] if there is nothing.
	Stat(ctx context.Context, name string) (Object, error)

	// Read returns the bytes at a name and their version. They can be read until ctx is done. It fails with
	// [io/fs.ErrNotExist] if there is nothing.
	Read(ctx context.Context, name string) (io.ReadCloser, Object, error)

	// Write writes data, whose stamp is is, to a name, atomically, if the current version is over, or if there is
	// nothing and over is "". Otherwise it fails with ErrVersion. That may be its own doing: a retry after a lost
	// answer finds what the first attempt wrote.
	Write(ctx context.Context, name string, data io.ReadSeeker, is Stamp, over string) (Object, error)

	// Remove removes what is at a name, if anything.
	Remove(ctx context.Context, name string) error

	// List lists up to most names of files in a folder, "" for the root. It leaves out folders.
	List(ctx context.Context, folder string, most int) ([]string, error)
}

// Object is one version of a file in a Tree.
type Object struct {
	Size    int64 // -1 if unknown
	Version string
}

// RefusedError: the server refused, and the Tree changed nothing.
type RefusedError struct{ Err error }

func (r *RefusedError) Error() string { return r.Err.Error() }
func (r *RefusedError) Unwrap() error { return r.Err }

// ErrVersion: the Tree wrote nothing, since the current version is not the given one.
var ErrVersion = errors.New("another version is there")

// Trees opens roots that are URLs. The zero value supports none.
type Trees struct {
	Open map[string]func(url string) (Tree, error) // by URL scheme
	Wait time.Duration                             // for an answer; 0 means 30 s. A transfer gets another second for each MiB.
}

const defaultWait = 30 * time.Second

// NewRoots allows roots, each a folder or a URL, like [NewRoots].
func (t Trees) NewRoots(roots ...string) (*Roots, error) {
	var dirs []string
	var mounts []*mount
	roots = slices.Clone(roots)
	for i, root := range roots {
		root, _, err := FromURI(root)
		if err != nil {
			return nil, fmt.Errorf("root %w", err)
		}
		roots[i] = root
		if !isURL(root) {
			dirs = append(dirs, root)
			continue
		}
		m, err := t.mount(root)
		if err != nil {
			return nil, err
		}
		mounts = append(mounts, m)
	}
	a, inside := &area{}, false
	switch cwd := workingFolder(); {
	case len(dirs) > 0:
		a, inside = areaOf(dirs)
	case len(mounts) == 0 && isTop(cwd):
		a.cwd = cwd
	case len(mounts) == 0:
		a, inside = areaOf([]string{cwd})
	}
	if len(mounts) > 0 && (len(a.dirs) == 0 || isURL(roots[0]) && !inside) {
		a.cwd = mounts[0].url
	}
	return &Roots{shared: newShared(len(roots) > 0, a), trees: t, mounts: mounts}, nil
}

var scheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]+:[/\\]`) // longer than a drive letter

// IsURL reports whether a root is a URL rather than a folder.
func IsURL(root string) bool { return isURL(root) }

func isURL(root string) bool { return scheme.MatchString(root) && strings.Contains(root, "://") }

func (t Trees) mount(root string) (*mount, error) {
	kind, rest, _ := strings.Cut(root, "://")
	open := t.Open[kind]
	if open == nil {
		return nil, fmt.Errorf("root %s://…: this program has no such roots; fcp-hostd has s3://BUCKET/PREFIX", kind)
	}
	// The error must not quote it: it may contain a secret.
	if strings.ContainsAny(rest, "@?#%") {
		return nil, fmt.Errorf("root %s://…: write it as %s://BUCKET/PREFIX, without a name, a password or parameters", kind, kind)
	}
	rest = strings.TrimRight(rest, "/")
	if rest == "" || strings.HasPrefix(rest, "/") || path.Clean(rest) != rest || nameError(rest) != nil {
		return nil, fmt.Errorf("root %s: write it as %s://BUCKET/PREFIX", cut(root), kind)
	}
	url := kind + "://" + rest
	tree, err := open(url)
	if err != nil {
		return nil, fmt.Errorf("root %s: %w", url, err)
	}
	m := &mount{url: url, tree: tree, wait: t.Wait}
	if m.wait <= 0 {
		m.wait = defaultWait
	}
	return m, nil
}

// canonical returns a path as a URL: functions for local paths reduce two slashes to one. ok is false for a local path.
func (r *Roots) canonical(at string) (url string, ok bool) {
	if len(r.mounts) == 0 || !scheme.MatchString(at) {
		return "", false
	}
	kind, rest, _ := strings.Cut(filepath.ToSlash(at), ":/")
	if r.trees.Open[kind] == nil {
		return "", false
	}
	return kind + ":/" + path.Clean("/"+rest), true
}

// mountAt returns the tree that contains a path, and its name there, "" for the root. m is nil for a local path, and
// for one outside of the roots.
func (r *Roots) mountAt(real string) (m *mount, name string) {
	url, ok := r.canonical(real)
	if !ok {
		return nil, ""
	}
	for _, m := range r.mounts {
		if url == m.url {
			return m, ""
		}
		if name, ok := strings.CutPrefix(url, m.url+"/"); ok {
			return m, name
		}
	}
	return nil, ""
}

// resolve is Resolve for paths in a tree. ok is false for a local path.
func (r *Roots) resolve(at string) (real string, ok bool, err error) {
	if len(r.mounts) == 0 {
		return "", false, nil
	}
	full := at
	if _, is := r.canonical(at); !is {
		if filepath.IsAbs(at) || IsURI(at) || strings.HasPrefix(at, "~/") || !isURL(r.now().cwd) {
			return "", false, nil
		}
		full = r.now().cwd + "/" + at
	}
	// Before Clean, refuse backslashes and control characters, so that cleaning cannot interpret them. On Windows a
	// backslash is a slash.
	full = filepath.ToSlash(full)
	if err := nameError(full); err != nil {
		return "", true, fmt.Errorf("%q: %w", cut(at), err)
	}
	real, _ = r.canonical(full)
	if m, name := r.mountAt(real); m == nil {
		return "", true, r.outside(real)
	} else if len(name) > maxName {
		return "", true, fmt.Errorf("%s: the path is longer than %d bytes", cut(at), maxName)
	}
	return real, true, nil
}

// maxName is the longest name in a tree, in bytes. S3 allows 1024 including the prefix.
const maxName = 900

// nameError returns why no file in a tree may have this name. It also refuses what a server on the way could decode to
// a path outside of the root.
func nameError(name string) error {
	switch {
	case !utf8.ValidString(name):
		return errors.New("the path is not UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("the path holds a control character")
	case strings.Contains(name, `\`):
		return errors.New("the path holds a backslash; segments end with /")
	}
	for decoded, n := name, 0; n < 3 && strings.Contains(decoded, "%"); n++ {
		next, err := url.PathUnescape(decoded)
		if err != nil || next == decoded {
			break
		}
		if strings.Count(next, "/") != strings.Count(decoded, "/") || strings.Contains(next, `\`) || strings.ContainsFunc(next, unicode.IsControl) ||
			countDots(next) != countDots(decoded) {
			return errors.New("the path holds an encoded slash, backslash, dot or control character")
		}
		decoded = next
	}
	return nil
}

// countDots counts the segments "." and "..".
func countDots(name string) (n int) {
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || segment == "." || segment == ".." {
			n++
		}
	}
	return n
}

// In returns the same roots for one call: requests to servers and waiting for a client's answer end when ctx is done.
func (r *Roots) In(ctx context.Context) *Roots {
	other := *r
	other.ctx, other.looks = ctx, new(atomic.Int32)
	return &other
}

func (r *Roots) context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}

// Remote reports whether a path lies in a root that is not a local folder. Such a root has no folders, and other
// programs cannot open its files.
func (r *Roots) Remote(real string) bool {
	m, _ := r.mountAt(real)
	return m != nil
}

// NoFolder returns why folders and programs cannot be used at a path for which Remote is true; nil for other paths.
func (r *Roots) NoFolder(real string) error {
	if !r.Remote(real) {
		return nil
	}
	return fmt.Errorf("%s is in an object store: folders and programs need a folder of this machine (--root DIR)", r.Show(real))
}
