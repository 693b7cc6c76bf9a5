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

// Limits bound what is read and kept in memory. A zero field means the default.
type Limits struct {
	Files   int   // files of the document; 20,000
	Entries int   // files and folders visited to find them; 200,000
	File    int64 // bytes of one file, 8 MiB; larger files are left out
	Sum     int64 // bytes of all files, 48 MiB, which fits one message to a plugin
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

// Errors for callers to test for. A save from an outdated view fails with files.ErrChanged.
var (
	ErrNoMarker = errors.New("not a folder of this kind")
	ErrLimit    = errors.New("too large to be one document")
	ErrGone     = errors.New("the folder was moved, removed or replaced")
	// ErrUnfinished: the save is recorded, and will be finished by the next save of this host or another of the user's.
	ErrUnfinished = errors.New("the save is not finished")
)

// Folder is a folder that is open as a document. It is not safe for concurrent use.
type Folder struct {
	root    *os.Root
	info    fs.FileInfo // of the root
	pattern pattern
	limits  Limits
	key     []byte           // of the records of saves
	known   map[string]known // the document's files, by name
	dirs    []string         // the folders seen with them

	// Replaced by tests.
	now                        func() time.Time
	exchange, publish, replace rename
	between                    func() // called between any two steps of a save, where the host may die
}

// known is a file as last read or written.
type known struct {
	data  []byte
	stamp stamp
}

// File is one file of a document.
type File struct {
	Name string // relative, with slashes
	Data []byte // shared with the Folder: do not change it
}

// Change is a file before and after a change. Bytes are nil if the file does not exist; those of an empty file are not
// nil. The Folder keeps both slices.
type Change struct {
	Path          string
	Before, After []byte
}

// Unread is a file of the document that could not be read.
type Unread struct {
	Name string
	Why  string
}

// Conflict is a file that a save was to write while somebody else changed it.
type Conflict struct {
	Path string
	Why  string
	Kept string // where the version that is not in the file was stored, usually the save's; "" if the save removed the file
}

// Report is additional information.
type Report struct {
	Looked    bool // all files were visited, so Unread is complete
	Unread    []Unread
	Recovered []string // files of another host's unfinished save, which is finished now
	Conflicts []Conflict

	Unfinished []string // files of a save that was interrupted: they are read as it wanted them, and Finish or Save writes them
	Foreign    []string // records of saves that nobody with the key wrote
	Damaged    []string // records of this user's saves that cannot be read
}

// Snapshot is the document as it was opened.
type Snapshot struct {
	Files []File // sorted by name
	Report
}

// Open opens the folder root as a document, and changes nothing in it. It takes over root, even on error. key is the user's: only
// records of saves that were made with it are ever finished. Without one the Folder has a key of its own.
func Open(root *os.Root, p Pattern, key []byte, l Limits) (*Folder, Snapshot, error) {
	f, err := newFolder(root, p, key, l)
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

// Create creates the marker in the folder root, unless it exists, and opens the folder.
func Create(root *os.Root, p Pattern, key []byte, l Limits) (*Folder, Snapshot, error) {
	if compiled, err := compile(p); err == nil && compiled.marker != "" {
		if err := root.Mkdir(compiled.marker, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			root.Close()
			return nil, Snapshot{}, fmt.Errorf("%s cannot be made: %w", compiled.marker, files.Reason(err))
		}
	}
	return Open(root, p, key, l)
}

// Is reports whether the folder root can be opened as a document: it has the marker or, if the pattern has none, at
// least one included file. It closes root.
func Is(root *os.Root, p Pattern) bool {
	if p.Marker == "" {
		f, s, err := Open(root, p, nil, Limits{})
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

func newFolder(root *os.Root, p Pattern, key []byte, l Limits) (*Folder, error) {
	compiled, err := compile(p)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, files.Reason(err)
	}
	if len(key) == 0 {
		key = newKey()
	}
	return &Folder{root: root, info: info, pattern: compiled, limits: l.orDefault(), key: key,
		now: time.Now, exchange: exchange, publish: publish, replace: replace, between: func() {}}, nil
}

func (f *Folder) open() (Snapshot, error) {
	changes, report, err := f.Changed()
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{Report: report}
	for _, c := range changes { // all of them are new
		s.Files = append(s.Files, File{c.Path, c.After})
	}
	return s, nil
}

// Known iterates over the files that this host last read or wrote. The bytes are shared with the Folder.
func (f *Folder) Known() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for name, k := range f.known {
			if !yield(name, k.data) {
				return
			}
		}
	}
}

// Count returns the number of Known files.
func (f *Folder) Count() int { return len(f.known) }

// Content returns the content of one of the Known files; nil if there is none of that name.
func (f *Folder) Content(name string) []byte { return f.known[name].data }

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// state opens the folder that contains the lock, the record and the stored versions of conflicts.
func (f *Folder) state() (*os.Root, error) {
	// The descriptor stays valid when the folder is moved or removed, where nobody would find what is saved.
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

// lock waits while another host saves or looks, which takes milliseconds.
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

// tryLock locks the folder itself, so that a look changes nothing that a file watcher would notice.
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
	// Windows and some network file systems only lock files.
	release, err = files.Hold(state, "folder")
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return func() {}, nil // saves are impossible, so no lock is needed
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
