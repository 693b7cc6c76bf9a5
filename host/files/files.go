// Package files is the only code of the host that opens a user's files. It resolves paths within the allowed roots,
// reads regular files up to a size, and writes so that a failure leaves the old file as it was.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// MaxSize is the largest file that is read, in bytes: encoded, it still fits one message to a plugin.
const MaxSize = 60 << 20

// Roots are the folders and URLs below which files may be read and written. Unless the user gave them, the client's own
// can replace them: see AskClient.
type Roots struct {
	*shared

	trees  Trees
	mounts []*mount        // the roots that are URLs
	ctx    context.Context // the call's; nil for none
	looks  *atomic.Int32   // how often this call asked a server what exists

	readOnly bool
	key      func() []byte // nil for none
	backups  *backups      // nil if Write does not back up what it replaces
}

// NewRoots allows the given folders, or the working directory if none is given; but not the root of the file system,
// which is the working directory only of a client that chose none. A folder that cannot be used grants nothing: see
// Missing. Relative paths start at the working directory if it lies in a root, otherwise at the first root.
func NewRoots(dirs ...string) (*Roots, error) { return Trees{}.NewRoots(dirs...) }

// ReadOnly returns the same roots, with Write refused.
func (r *Roots) ReadOnly() *Roots {
	other := *r
	other.readOnly = true
	return &other
}

// Backup returns the same roots, but Write keeps what it replaces as NAME.bak, or as NAME.bak.1 and so on if these
// roots did not make NAME.bak.
func (r *Roots) Backup() *Roots {
	other := *r
	other.backups = &backups{last: map[string]backup{}}
	return &other
}

// WithFolderKey returns the same roots, with the user's key for records in folders. get is called when it is needed.
func (r *Roots) WithFolderKey(get func() []byte) *Roots {
	other := *r
	other.key = get
	return &other
}

// FolderKey returns the user's key for records in folders, nil if there is none.
func (r *Roots) FolderKey() []byte {
	if r.key == nil {
		return nil
	}
	return r.key()
}

// Instead returns roots for other folders, as NewRoots does, with the same settings.
func (r *Roots) Instead(dirs ...string) (*Roots, error) {
	other, err := r.trees.NewRoots(dirs...)
	if err == nil {
		other.readOnly, other.backups, other.key = r.readOnly, r.backups, r.key
	}
	return other, err
}

// Dirs lists the allowed local folders.
func (r *Roots) Dirs() []string { return slices.Clone(r.now().dirs) }

// Missing says in one line each which roots grant nothing, and why.
func (r *Roots) Missing() []string { return r.area.Load().missing }

// All lists the allowed folders and URLs.
func (r *Roots) All() []string {
	all := r.Dirs()
	for _, m := range r.mounts {
		all = append(all, m.url)
	}
	return all
}

// Folder returns the folder where relative paths start.
func (r *Roots) Folder() string { return r.now().cwd }

// Contains reports whether a path with symbolic links resolved, from Resolve or Folder, lies in the roots.
func (r *Roots) Contains(real string) bool {
	_, ok := r.within(real)
	return ok || r.Remote(real)
}

// open opens the folder that holds real, through the root's descriptor, and returns the name in it. It follows no links, since Resolve has:
// one that is swapped in meanwhile leads nowhere, also within the root.
func (r *Roots) open(real string) (*os.Root, string, error) {
	if err := r.NoFolder(real); err != nil {
		return nil, "", err
	}
	dir, ok := r.within(real)
	if !ok {
		return nil, "", r.outside(real)
	}
	rel, err := filepath.Rel(dir, real)
	if err != nil {
		return nil, "", err
	}
	at, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", Reason(err)
	}
	elements := strings.Split(rel, string(filepath.Separator))
	for _, e := range elements[:len(elements)-1] {
		next, err := Enter(at, e)
		at.Close()
		if err != nil {
			return nil, "", fmt.Errorf("%s: its folder %s: %w", r.Show(real), e, Reason(err))
		}
		at = next
	}
	return at, elements[len(elements)-1], nil
}

// OpenDir opens the folder at real, from Resolve, as a root: no access through it leaves the folder.
func (r *Roots) OpenDir(real string) (*os.Root, error) {
	root, rel, err := r.open(real)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	dir, err := Enter(root, rel)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Show(real), Reason(err))
	}
	return dir, nil
}

// MakeDir creates the folder at real, from Resolve, unless it exists, and reports whether it did.
func (r *Roots) MakeDir(real string) (made bool, err error) {
	if err := r.Writable(real); err != nil {
		return false, err
	}
	root, rel, err := r.open(real)
	if err != nil {
		return false, err
	}
	defer root.Close()
	switch err := root.Mkdir(rel, 0o777); {
	case errors.Is(err, fs.ErrExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%s cannot be made: %w", r.Show(real), Reason(err))
	}
	return true, nil
}

// RemoveDir removes an empty folder that MakeDir created.
func (r *Roots) RemoveDir(real string) {
	if root, rel, err := r.open(real); err == nil {
		root.Remove(rel)
		root.Close()
	}
}

// IsDir reports whether real, from Resolve, is a folder.
func (r *Roots) IsDir(real string) bool {
	root, rel, err := r.open(real)
	if err != nil {
		return false
	}
	defer root.Close()
	info, err := root.Lstat(rel)
	return err == nil && info.IsDir()
}

// Writable returns why nothing may be written at real, or nil.
func (r *Roots) Writable(real string) error {
	if r.readOnly {
		return fmt.Errorf("%s cannot be written: the configuration does not let its plugin write", r.Show(real))
	}
	return nil
}

// Read reads a regular file of at most MaxSize. real comes from Resolve.
func (r *Roots) Read(real string) ([]byte, Stamp, error) {
	if m, name := r.mountAt(real); m != nil {
		return m.read(r.context(), name, r.Show(real))
	}
	root, rel, err := r.open(real)
	if err != nil {
		return nil, Stamp{}, err
	}
	defer root.Close()
	return read(root, rel, r.Show(real))
}

// Open opens a regular file of any size for reading. real comes from Resolve. For a file on a server, of at most
// MaxSize, it opens a copy.
func (r *Roots) Open(real string) (*os.File, error) {
	if m, name := r.mountAt(real); m != nil {
		return m.open(r.context(), name, r.Show(real))
	}
	root, rel, err := r.open(real)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, _, err := open(root, rel, r.Show(real))
	return f, err
}

// maxReplaced is how often open looks again when others replace the file between the look and the opening. A writer in
// a loop rarely wins twice in a row.
const maxReplaced = 100

func open(root *os.Root, rel, show string) (f *os.File, info fs.FileInfo, err error) {
	for range maxReplaced {
		if f, info, err = openOnce(root, rel); !errors.Is(err, ErrSwapped) {
			break
		}
	}
	switch {
	case err == nil:
		return f, info, nil
	case errors.Is(err, ErrFolder):
		return nil, nil, fmt.Errorf("%s is a folder", show)
	case errors.Is(err, ErrLink), errors.Is(err, ErrOther):
		return nil, nil, fmt.Errorf("%s is not a regular file", show)
	}
	return nil, nil, fmt.Errorf("%s: %w", show, Reason(err))
}

// openOnce opens the regular file at rel, but not through a link. It fails with ErrSwapped if another one took its place
// meanwhile.
func openOnce(root *os.Root, rel string) (*os.File, fs.FileInfo, error) {
	// Look before open: opening a FIFO would wait for a writer.
	there, err := root.Lstat(rel)
	if err != nil {
		return nil, nil, err
	}
	if !there.Mode().IsRegular() {
		return nil, nil, Irregular(there)
	}
	f, err := root.OpenFile(rel, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(there, info) {
		err = ErrSwapped
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func read(root *os.Root, rel, show string) ([]byte, Stamp, error) {
	f, info, err := open(root, rel, show)
	if err != nil {
		return nil, Stamp{}, err
	}
	defer f.Close()
	large := tooLarge(show)
	if info.Size() > MaxSize {
		return nil, Stamp{}, large
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, Stamp{}, fmt.Errorf("%s: %w", show, Reason(err))
	}
	if len(data) > MaxSize { // it grew meanwhile
		return nil, Stamp{}, large
	}
	return data, stampOf(data), nil
}

// maxListed is how many entries of a folder List reads.
const maxListed = 10_000

// List returns the sorted names of the regular files in a folder, except those that start with a dot. It returns none
// if real is not a folder in the roots.
func (r *Roots) List(real string) []string {
	if m, name := r.mountAt(real); m != nil {
		return m.list(r.context(), name)
	}
	root, rel, err := r.open(real)
	if err != nil {
		return nil
	}
	defer root.Close()
	folder, err := Enter(root, rel)
	if err != nil {
		return nil
	}
	defer folder.Close()
	dir, err := folder.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(maxListed) // entries read before an error are good enough
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// Exists reports whether something exists at real. It is false if a server does not answer.
func (r *Roots) Exists(real string) bool {
	if m, name := r.mountAt(real); m != nil {
		there, _ := m.exists(r.context(), name, r.looks)
		return there
	}
	_, err := os.Lstat(real)
	return err == nil
}

// Gone reports whether it is certain that nothing exists at real.
func (r *Roots) Gone(real string) bool {
	if m, name := r.mountAt(real); m != nil {
		there, known := m.exists(r.context(), name, r.looks)
		return known && !there
	}
	return !r.Exists(real)
}

// Identity returns the identity of what is at real, from Resolve; zero if there is nothing. A server is asked only now
// and then: in between, and if it does not answer, the result is the last one known.
func (r *Roots) Identity(real string) Identity {
	if m, name := r.mountAt(real); m != nil {
		return m.identity(r.context(), name)
	}
	info, err := os.Lstat(real)
	if err != nil {
		return Identity{}
	}
	return IdentityOf(info)
}

// Look returns the identity of the regular file at real, from Resolve, or an error if it cannot be opened.
func (r *Roots) Look(real string) (Identity, error) {
	if m, name := r.mountAt(real); m != nil {
		return m.look(r.context(), name, r.Show(real))
	}
	f, err := r.Open(real)
	if err != nil {
		return Identity{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Identity{}, Reason(err)
	}
	return IdentityOf(info), nil
}

// Reason returns the cause alone: system errors repeat the path and the operation.
func Reason(err error) error {
	if err == nil {
		return nil
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	if se, ok := errors.AsType[*os.SyscallError](err); ok {
		return se.Err
	}
	if err.Error() == "EvalSymlinks: too many links" { // the error has no type
		return errors.New("a symbolic link that leads back to itself")
	}
	return err
}
