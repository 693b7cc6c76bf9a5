package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"syscall"
	"time"

	"github.com/fcp-host/fcp-host/host/filelock"
	"github.com/fcp-host/fcp-host/host/files"
)

// Limits bound what is read and kept in memory. A zero field is the default.
type Limits struct {
	Files   int   // files of the document, 20,000
	Entries int   // files and folders that are looked at to find them, 200,000
	File    int64 // bytes of one, 8 MiB: a larger one is left out
	Sum     int64 // bytes of all, 48 MiB: so much fits one message to a plugin
}

func (l Limits) orDefault() Limits {
	if l.Files == 0 {
		l.Files = 20_000
	}
	if l.Entries == 0 {
		l.Entries = 200_000
	}
	if l.File == 0 {
		l.File = 8 << 20
	}
	if l.Sum == 0 {
		l.Sum = 48 << 20
	}
	return l
}

// Errors that callers tell apart. A save from an outdated view fails with
// files.ErrChanged.
var (
	ErrNoMarker = errors.New("not a folder of this kind")
	ErrLimit    = errors.New("too large to be one document")
	ErrGone     = errors.New("the folder was moved, removed or replaced")
	// ErrUnfinished: the save is written down, and finished with the next call
	// that succeeds, of this host or another.
	ErrUnfinished = errors.New("the save is not finished")
)

// Folder is a folder that is open as a document. It is not safe for concurrent
// use.
type Folder struct {
	root    *os.Root
	info    fs.FileInfo // of the root
	pattern pattern
	limits  Limits
	known   map[string]known // the files as the document has them, by name
	dirs    []string         // all that were seen with them

	// What tests put others for.
	now                        func() time.Time
	exchange, publish, replace rename
	between                    func() // called between any two steps of a save, where a host may die
}

// known is a file as it was last read or written.
type known struct {
	data  []byte
	stamp stamp
}

// File is one file of a document.
type File struct {
	Name string // relative, with slashes
	Data []byte // the folder's, too: not to be changed
}

// Change is a file as it was and as it is to be, or came to be. Where there is no
// file the bytes are nil; those of an empty file are not. The Folder keeps both.
type Change struct {
	Path          string
	Before, After []byte
}

// Unread is a file that belongs to the document and could not be read.
type Unread struct {
	Name string
	Why  string
}

// Conflict is a file that a save was to write and somebody changed meanwhile.
type Conflict struct {
	Path string
	Why  string
	Kept string // where the save's version is kept, "" where it removed the file
}

// Report is what else is to be told.
type Report struct {
	Looked    bool // at all files, so that Unread holds all that cannot be read now
	Unread    []Unread
	Recovered []string // files of a save that a host left unfinished, and that is finished now
	Conflicts []Conflict
}

// Snapshot is the document as it was opened.
type Snapshot struct {
	Files []File // sorted by name
	Report
}

// Open reads the folder that root is, as a document; root is the Folder's from
// then on, also after an error. A save that a host left unfinished is finished
// first.
func Open(root *os.Root, p Pattern, l Limits) (*Folder, Snapshot, error) {
	f, err := newFolder(root, p, l)
	if err != nil {
		root.Close()
		return nil, Snapshot{}, err
	}
	s, err := f.open()
	if err != nil {
		f.Close()
		return nil, Snapshot{}, err
	}
	return f, s, nil
}

// Create makes the marker in the folder that root is, unless it is there, and
// opens it.
func Create(root *os.Root, p Pattern, l Limits) (*Folder, Snapshot, error) {
	if compiled, err := compile(p); err == nil && compiled.marker != "" {
		if err := root.Mkdir(compiled.marker, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			root.Close()
			return nil, Snapshot{}, fmt.Errorf("%s cannot be made: %w", compiled.marker, files.Reason(err))
		}
	}
	return Open(root, p, l)
}

// Is reports whether the folder that root is can be opened as a document: it has
// the marker, or where there is none, at least one file that is included. It
// closes root.
func Is(root *os.Root, p Pattern) bool {
	if p.Marker == "" {
		f, s, err := Open(root, p, Limits{})
		if err != nil {
			return errors.Is(err, ErrLimit)
		}
		f.Close()
		return len(s.Files) > 0
	}
	defer root.Close()
	info, err := root.Lstat(p.Marker)
	return err == nil && info.IsDir()
}

func newFolder(root *os.Root, p Pattern, l Limits) (*Folder, error) {
	compiled, err := compile(p)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, files.Reason(err)
	}
	return &Folder{root: root, info: info, pattern: compiled, limits: l.orDefault(),
		now: time.Now, exchange: exchange, publish: publish, replace: replace, between: func() {}}, nil
}

func (f *Folder) open() (Snapshot, error) {
	changes, report, err := f.Changed()
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{Report: report}
	for _, c := range changes { // from nothing
		s.Files = append(s.Files, File{c.Path, c.After})
	}
	return s, nil
}

// Known iterates over the files as the folder last had them, as far as this host
// knows: as it read or wrote them. The bytes are the folder's, too.
func (f *Folder) Known() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for name, k := range f.known {
			if !yield(name, k.data) {
				return
			}
		}
	}
}

// Count is how many Known files there are.
func (f *Folder) Count() int { return len(f.known) }

// Holds gives one of the Known files, nil where there is none.
func (f *Folder) Holds(name string) []byte { return f.known[name].data }

// Close lets go of the folder.
func (f *Folder) Close() error { return f.root.Close() }

// state opens the folder of the lock, of the record and of what conflicts keep.
func (f *Folder) state() (*os.Root, error) {
	// The descriptor stays with a folder that is moved or removed, where nobody
	// would look for what is saved.
	if there, err := os.Stat(f.root.Name()); err != nil || !os.SameFile(there, f.info) {
		return nil, ErrGone
	}
	if f.pattern.marker == "" {
		return descend(f.root, ".", nil)
	}
	at, err := descend(f.root, f.pattern.marker, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: it holds no folder %s", ErrNoMarker, f.pattern.marker)
	}
	return at, err
}

// lock waits for whoever saves or looks this moment, which takes milliseconds.
func lock(state *os.Root) (release func(), err error) {
	const tries, pause = 200, 5 * time.Millisecond
	for range tries {
		if release, err = tryLock(state); !errors.Is(err, files.ErrBusy) {
			return release, err
		}
		time.Sleep(pause)
	}
	return nil, err
}

// tryLock takes the lock of the folder itself, so that a look leaves no trace
// there for those who watch it.
func tryLock(state *os.Root) (release func(), err error) {
	dir, err := state.Open(".")
	if err != nil {
		return nil, files.Reason(err)
	}
	locked, err := filelock.Lock(dir, true)
	switch {
	case err == nil && locked:
		return func() { dir.Close() }, nil
	case err == nil:
		dir.Close()
		return nil, files.ErrBusy
	}
	dir.Close()
	// Windows and some network file systems lock files alone.
	release, err = files.Hold(state, "folder")
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return func() {}, nil // there is no saving, so there is nobody to wait for
	}
	return release, err
}

// below reports whether a file lies in a folder.
func below(name, dir string) bool {
	for ; name != "."; name = path.Dir(name) {
		if name == dir {
			return true
		}
	}
	return dir == "."
}
