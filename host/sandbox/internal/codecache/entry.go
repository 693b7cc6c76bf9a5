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
	maxEntries = 1024    // modules kept; a folder of plugins may hold 500
	MaxBytes   = 1 << 30 // bytes kept
	tempPrefix = "tmp-"  // prefix of entries being written
)

// Entry is one module's compiled code on disk, in one file:
//
//	checksum · u32 length of the skeleton · skeleton · code, as File writes it
//
// The host writes the checksum once a compilation has succeeded, and checks it before a worker may load the file. It covers everything
// but the native code: the worker checks wazero's own checksum of that before any of the code runs. Both detect
// damage; they do not protect against somebody who can write to the folder. The worker inherits the open file that was checked. A file
// is put into its place by renaming it, so any number of hosts may share a cache. An Entry must be used by one goroutine at a time.
type Entry struct {
	dir string // the folder of all entries
	key string // the name of the file
	log *slog.Logger
}

// Open returns the entry of the module with this SHA-256. command is the command line of workers. It returns nil when dir is "" and,
// after a warning, when dir cannot be used safely.
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

// builtWith is wazero's version in binaries without build information, such as those of tests. The linker sets it here and in wazero.
var builtWith = "dev"

// engineVersion identifies the compiler and the format of entries: wazero's version, of the first word of command that is a Go program or
// else of this program, and a number that changes with the format and with how modules are rewritten.
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

// path returns the path of the entry's file.
func (c *Entry) path() string { return filepath.Join(c.dir, c.key) }

// Open returns the entry's file for reading, positioned behind the checksum, or nil when there is none. It deletes a damaged file.
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
		_ = os.Chtimes(c.path(), now, now) // only for pruning
		return f
	case errors.Is(err, fs.ErrNotExist) && !exists(c.path()):
		return nil
	}
	c.Discard(err)
	return nil
}

// Exists reports whether the file is there, damaged or not.
func (c *Entry) Exists() bool { return exists(c.path()) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Discard deletes the file and logs why.
func (c *Entry) Discard(why error) {
	c.log.Warn("a compiled module in the cache is damaged; compiling it again", "entry", c.path(), "error", why)
	_ = os.RemoveAll(c.path()) // a file that cannot be deleted is not loaded either
}

// openChecked opens a file that is private and undamaged, positioned behind the checksum.
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

// errReplaced means that another host replaced the file, since it compiled the same module.
var errReplaced = errors.New("it was just replaced")

// checkOpen checks that f is the private file that Lstat described and has the right checksum, and positions it behind the checksum.
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

// CodeOffset is where a worker begins to read or write the file, in bytes: behind the checksum.
const CodeOffset = checksumSize

// checksum returns the CRC-32 of f without the checksum itself and the native code, of which wazero keeps its own. The native code is 40
// of 46 MB, and reading it took a quarter of the host's work for a start.
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

// Begin returns a new private file that holds the skeleton, positioned behind the checksum, for a worker to write the code to.
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

// Abandon removes a file of Begin, unless Commit has put it into place.
func (c *Entry) Abandon(f *os.File) {
	if f.Close() == nil { // else Commit closed it
		_ = os.Remove(f.Name())
	}
}

// Commit makes a complete file of Begin the entry's file and returns it as Open does. When another host has replaced it meanwhile, it
// returns that file, if it is undamaged.
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

// prune deletes the least recently used entries until the rest is within the limits, and the files of compilations that never ended.
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
			// not an entry: do not delete it
		case info.Mode().IsRegular():
			entries = append(entries, entry{path, info.ModTime(), info.Size()})
		default:
			_ = os.RemoveAll(path) // a folder, as earlier versions made
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
