// Package codecache keeps the compiled code of modules on disk. An Entry is the host's side: it finds, checks, commits and prunes the
// files. A File is the worker's side: wazero reads from or writes to the one file that the host opened.
package codecache

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

const (
	maxEntries = 1024    // modules kept; a folder may hold 500
	MaxBytes   = 1 << 30 // bytes kept
	tempPrefix = "tmp-"  // prefix of entries being written
)

// Entry keeps one module's compiled code on disk. An entry is a file: the checksum of what follows but for the native code,
// written by the host once a compilation has succeeded, the module's skeleton, and the code as File writes it. It is checked
// before a worker may load the entry; the worker has wazero hold the native code against a checksum of its own before any of it
// runs. Both are there against damage: who may write to the folder can calculate them. The worker gets the file that was checked
// and opens none. Entries appear by renaming a file, so any number of hosts may share a cache. Its methods are for one goroutine at
// a time.
type Entry struct {
	dir string // of all modules
	key string // the entry's name
	log *slog.Logger
}

// Open returns the cache entry of the module with a SHA-256, or nil, after a warning, when dir cannot be used safely.
func Open(dir string, module [sha256.Size]byte, command []string, log *slog.Logger) *Entry {
	if dir == "" {
		return nil
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = CheckPrivate(dir)
	}
	if err != nil {
		log.Warn("not using the compilation cache", "folder", dir, "error", err)
		return nil
	}
	key := hex.EncodeToString(module[:]) + "-" + engineVersion(command) + "-" + runtime.GOOS + "-" + runtime.GOARCH
	return &Entry{dir: dir, key: key, log: log}
}

// builtWith is wazero's version where the binary does not say it, as those of tests do not: the linker sets it, here and in wazero.
var builtWith = "dev"

// engineVersion names what turns a module into code and how it is kept: wazero's version, in this program or in the first word of
// command that is a Go program, and ours.
func engineVersion(command []string) string {
	const rewrite = "4"
	info, ok := debug.ReadBuildInfo()
	for _, word := range command {
		if file, err := os.Stat(word); err != nil || !file.Mode().IsRegular() {
			continue
		}
		if other, err := buildinfo.ReadFile(word); err == nil {
			info, ok = other, true
			break
		}
	}
	if ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/tetratelabs/wazero" {
				return dep.Version + "-" + rewrite
			}
		}
	}
	return builtWith + "-" + rewrite
}

// path returns the entry's file.
func (c *Entry) path() string { return filepath.Join(c.dir, c.key) }

// Open returns the entry's file at its code, to read, when it is there and whole; nil when it is not. A damaged one is deleted.
func (c *Entry) Open() *os.File {
	f, err := openChecked(c.path())
	for range 10 {
		if !errors.Is(err, errReplaced) {
			break
		}
		f, err = openChecked(c.path())
	}
	switch {
	case err == nil:
		now := time.Now()
		_ = os.Chtimes(c.path(), now, now) // pruning goes by it, and only by it
		return f
	case errors.Is(err, fs.ErrNotExist) && !exists(c.path()):
		return nil
	}
	c.Discard(err)
	return nil
}

// Exists reports whether the entry is there, whole or not.
func (c *Entry) Exists() bool { return exists(c.path()) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Discard deletes the entry and says why.
func (c *Entry) Discard(why error) {
	c.log.Warn("a compiled module in the cache is damaged; compiling it again", "entry", c.path(), "error", why)
	_ = os.RemoveAll(c.path()) // what cannot be deleted is not loaded either
}

// openChecked opens an entry that is private and whole, at its code.
func openChecked(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err = checkOpen(f, info); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// errReplaced is what another host that compiled the module, too, leads to.
var errReplaced = errors.New("it was replaced this moment")

// checkOpen holds a file against what Lstat said of it and its code against its checksum, and leaves it at its code.
func checkOpen(f *os.File, was fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, was) {
		return errReplaced
	}
	if err := private(info); err != nil {
		return err
	}
	var want [checksumSize]byte
	if _, err := io.ReadFull(f, want[:]); err != nil {
		return errors.New("it is cut short")
	}
	have, err := checksum(f)
	if err != nil {
		return err
	}
	if have != want {
		return errors.New("its content does not match its checksum")
	}
	_, err = f.Seek(checksumSize, io.SeekStart)
	return err
}

// checksumSize is the length of a checksum in bytes.
const checksumSize = crc32.Size

// CodeOffset is where a worker's file is positioned when it is handed over, in bytes: behind the checksum.
const CodeOffset = checksumSize

// checksum is the CRC-32 of the rest of f without its native code, of which wazero keeps one: of 46 MB that are 40, and reading them
// was a quarter of what the host did for a start.
func checksum(f *os.File) (out [checksumSize]byte, err error) {
	from, to, err := nativeRange(f)
	if err != nil {
		return out, err
	}
	h := crc32.NewIEEE()
	buf := make([]byte, 256<<10)
	if _, err = io.CopyBuffer(h, struct{ io.Reader }{io.NewSectionReader(f, checksumSize, from-checksumSize)}, buf); err == nil {
		_, err = io.CopyBuffer(h, struct{ io.Reader }{io.NewSectionReader(f, to, 1<<40)}, buf)
	}
	return [checksumSize]byte(h.Sum(nil)), err
}

// Begin returns a new private file for a compilation to write its code to, at what the worker reads first.
func (c *Entry) Begin(skeleton []byte) (*os.File, error) {
	f, err := os.CreateTemp(c.dir, tempPrefix)
	if err != nil {
		return nil, err
	}
	head := binary.LittleEndian.AppendUint32(make([]byte, checksumSize), uint32(len(skeleton)))
	if _, err = f.Write(head); err == nil {
		_, err = f.Write(skeleton)
	}
	if err == nil {
		_, err = f.Seek(checksumSize, io.SeekStart)
	}
	if err != nil {
		c.Abandon(f)
		return nil, err
	}
	return f, nil
}

// Abandon removes what begin made, unless commit has taken it.
func (c *Entry) Abandon(f *os.File) {
	if f.Close() == nil { // else it was committed
		_ = os.Remove(f.Name())
	}
}

// Commit makes a filled file the module's entry and returns it as open does. When another host was first, its entry is used if
// it is whole.
func (c *Entry) Commit(f *os.File) (*os.File, error) {
	have, err := checksum(f)
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteAt(have[:], 0); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	if err := os.Rename(f.Name(), c.path()); err != nil {
		_ = os.Remove(f.Name())
		return nil, err
	}
	c.prune(time.Now())
	return openChecked(c.path())
}

// prune deletes the entries that were used longest ago until the bounds hold, and files of compilations that never ended.
func (c *Entry) prune(now time.Time) {
	list, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	type entry struct {
		path string
		used time.Time
		size int64
	}
	var entries []entry
	total := int64(0)
	for _, d := range list {
		path := filepath.Join(c.dir, d.Name())
		info, err := d.Info()
		if err != nil {
			continue
		}
		switch name := d.Name(); {
		case path == c.path():
			total += info.Size()
		case strings.HasPrefix(name, tempPrefix):
			if now.Sub(info.ModTime()) > time.Hour {
				_ = os.RemoveAll(path)
			}
		case len(name) < 2*sha256.Size || strings.Trim(name[:2*sha256.Size], "0123456789abcdef") != "":
			// not an entry: not ours to delete
		case info.Mode().IsRegular():
			entries = append(entries, entry{path, info.ModTime(), info.Size()})
		default:
			_ = os.RemoveAll(path) // a folder, as earlier versions kept
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return b.used.Compare(a.used) })
	for i, e := range entries {
		total += e.size
		if i+2 > maxEntries || total > MaxBytes {
			_ = os.Remove(e.path)
		}
	}
}
