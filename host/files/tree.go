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
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Tree is where the files of a root are kept that is no folder of this machine, such as the objects below a prefix of a bucket. It is
// safe for concurrent use. Each file has a version, which is another after each write of other bytes. A name is a path relative to the
// root, of one or more segments between slashes, none of them empty, "." or "..". Errors say no secret.
type Tree interface {
	// Stat is what there is at a name. It fails with [io/fs.ErrNotExist] where there is nothing.
	Stat(ctx context.Context, name string) (Object, error)

	// Read gives the bytes at a name from the first on, and the version that they are of. They can be read until ctx is done. It fails
	// with [io/fs.ErrNotExist] where there is nothing.
	Read(ctx context.Context, name string) (io.ReadCloser, Object, error)

	// Write puts the bytes of a stamp to a name, whole or not at all, where the version there is over, or where there is nothing and
	// over is "". It fails with ErrVersion where there is something else. That can be its own doing: a write that had no answer and was
	// sent again finds what it wrote itself.
	Write(ctx context.Context, name string, data io.ReadSeeker, is Stamp, over string) (Object, error)

	// Remove takes away what is at a name, if anything is.
	Remove(ctx context.Context, name string) error

	// List gives the names of files that lie in a folder, "" for the root itself, up to most. Folders in it are left out.
	List(ctx context.Context, folder string, most int) ([]string, error)
}

// Object is one version of a file in a Tree.
type Object struct {
	Size    int64 // -1: not known
	Version string
}

// RefusedError is told by a Tree that did nothing, since the server said no.
type RefusedError struct{ Err error }

func (r *RefusedError) Error() string { return r.Err.Error() }
func (r *RefusedError) Unwrap() error { return r.Err }

// ErrVersion is told by a Tree that did not write, since another version is there than was said.
var ErrVersion = errors.New("another version is there")

// Trees are roots that are URLs, besides folders of this machine. The zero value has none.
type Trees struct {
	Open map[string]func(url string) (Tree, error) // by the URL's scheme
	Wait time.Duration                             // for an answer; 0: 10 s. What has bytes takes a second more for each MiB.
}

const defaultWait = 10 * time.Second

// NewRoots allows roots, each of them a folder or a URL, as [NewRoots] does.
func (t Trees) NewRoots(roots ...string) (*Roots, error) {
	var dirs []string
	var mounts []*mount
	for _, root := range roots {
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
	r, inside := &Roots{}, false
	if len(mounts) == 0 || len(dirs) > 0 {
		var err error
		if r, inside, err = folders(dirs); err != nil {
			return nil, err
		}
	}
	r.trees, r.mounts = t, mounts
	if len(mounts) > 0 && isURL(roots[0]) && !inside {
		r.cwd = mounts[0].url
	}
	return r, nil
}

var scheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]+:[/\\]`) // longer than the letter of a drive

// IsURL reports whether a root is a URL and no folder.
func IsURL(root string) bool { return isURL(root) }

func isURL(root string) bool { return scheme.MatchString(root) && strings.Contains(root, "://") }

func (t Trees) mount(root string) (*mount, error) {
	kind, rest, _ := strings.Cut(root, "://")
	open := t.Open[kind]
	if open == nil {
		return nil, fmt.Errorf("root %s://…: this program has no such roots; fcp-hostd has s3://BUCKET/PREFIX", kind)
	}
	// What is refused may hold a secret.
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

// canonical is a path as a URL: functions for paths of this system make one slash of two. ok is false for a path of this machine.
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

// mounted gives the tree that a path lies in, and its name there, "" for the root itself. m is nil for a path of this machine, and for
// one that lies in no root.
func (r *Roots) mounted(real string) (m *mount, name string) {
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

// resolve is Resolve for what lies in a tree. ok is false for a path of this machine.
func (r *Roots) resolve(at string) (real string, ok bool, err error) {
	if len(r.mounts) == 0 {
		return "", false, nil
	}
	full := at
	if _, is := r.canonical(at); !is {
		if filepath.IsAbs(at) || strings.HasPrefix(at, "~/") || !isURL(r.cwd) {
			return "", false, nil
		}
		full = r.cwd + "/" + at
	}
	// Before it is cleaned, which is nothing that a backslash or a control character may have a part in. On Windows a backslash is a slash.
	full = filepath.ToSlash(full)
	if err := nameError(full); err != nil {
		return "", true, fmt.Errorf("%q: %w", cut(at), err)
	}
	real, _ = r.canonical(full)
	if m, name := r.mounted(real); m == nil {
		return "", true, r.outside(real)
	} else if len(name) > maxName {
		return "", true, fmt.Errorf("%s: the path is longer than %d bytes", cut(at), maxName)
	}
	return real, true, nil
}

// maxName is the longest name in a tree, in bytes. S3 has 1024 with the prefix.
const maxName = 900

// nameError says why no file in a tree is named so. What a server between here and there could decode to a way out of the root is no
// name either.
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
			dotted(next) != dotted(decoded) {
			return errors.New("the path holds an encoded slash, backslash, dot or control character")
		}
		decoded = next
	}
	return nil
}

// dotted counts the segments that are no names.
func dotted(name string) (n int) {
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || segment == "." || segment == ".." {
			n++
		}
	}
	return n
}

// In gives the same roots for a call: what is asked of a server ends with ctx.
func (r *Roots) In(ctx context.Context) *Roots {
	if len(r.mounts) == 0 {
		return r
	}
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

// Remote reports whether a path lies in a root that is no folder of this machine, and so has no folders, and no files that another
// program could open.
func (r *Roots) Remote(real string) bool {
	m, _ := r.mounted(real)
	return m != nil
}

// NoFolder is why nothing is done with folders, or by programs, at a path of which Remote is true; else it is nil.
func (r *Roots) NoFolder(real string) error {
	if !r.Remote(real) {
		return nil
	}
	return fmt.Errorf("%s is in an object store: folders and programs need a folder of this machine (--root DIR)", r.Show(real))
}
