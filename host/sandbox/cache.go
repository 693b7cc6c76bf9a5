package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	cacheEntries = 64      // modules kept
	cacheBytes   = 1 << 30 // bytes kept
	cacheSum     = "sum"   // the file in an entry that says what must be in it
	cacheTemp    = "tmp-"  // prefix of entries being written
)

// moduleCache keeps one module's compiled code on disk. An entry is a folder: wazero's own cache folder and a file with the
// SHA-256 of every other file in it, written by the host once a compilation has succeeded. It is checked before a worker may
// load the entry, because it is native code and wazero guards it with a CRC alone. Entries appear by renaming a whole folder,
// so any number of hosts may share a cache. Its methods are for one goroutine at a time.
type moduleCache struct {
	dir string // of all modules
	key string // the entry's name
	log *slog.Logger
}

// openModuleCache returns the cache entry of the module with a SHA-256, or nil, after a warning, when dir cannot be used safely.
func openModuleCache(dir string, module [sha256.Size]byte, log *slog.Logger) *moduleCache {
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
	key := hex.EncodeToString(module[:]) + "-" + engineVersion() + "-" + runtime.GOOS + "-" + runtime.GOARCH
	return &moduleCache{dir: dir, key: key, log: log}
}

// engineVersion names what turns a module into code: wazero's version and our rewriting before it.
func engineVersion() string {
	const rewrite = "1"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/tetratelabs/wazero" {
				return dep.Version + "-" + rewrite
			}
		}
	}
	return "dev-" + rewrite
}

// path returns the entry's folder.
func (c *moduleCache) path() string { return filepath.Join(c.dir, c.key) }

// verified returns the entry's folder when it is there and whole. A damaged one is deleted.
func (c *moduleCache) verified() (string, bool) {
	err := c.verify(c.path())
	switch {
	case err == nil:
		now := time.Now()
		_ = os.Chtimes(filepath.Join(c.path(), cacheSum), now, now) // pruning goes by it, and only by it
		return c.path(), true
	case errors.Is(err, fs.ErrNotExist) && !exists(c.path()):
		return "", false
	}
	c.discard(err)
	return "", false
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// discard deletes the entry and says why.
func (c *moduleCache) discard(why error) {
	c.log.Warn("a compiled module in the cache is damaged; compiling it again", "entry", c.path(), "error", why)
	_ = os.RemoveAll(c.path()) // what cannot be deleted is not loaded either
}

// verify compares an entry with its sums: the same files, with the same content, and ours.
func (c *moduleCache) verify(dir string) error {
	if err := CheckPrivate(dir); err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(dir, cacheSum))
	if err != nil {
		return err
	}
	defer f.Close()
	want, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return err
	}
	have, err := sums(dir)
	if err != nil {
		return err
	}
	if string(want) != have {
		return errors.New("its content does not match its checksums")
	}
	return nil
}

// sums lists the files below dir with size and SHA-256, in order, the sums file left out.
func sums(dir string) (string, error) {
	var lines []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == cacheSum {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", rel)
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		h := sha256.New()
		n, err := io.Copy(h, f)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x %d %s\n", h.Sum(nil), n, filepath.ToSlash(rel)))
		return nil
	})
	if err == nil && len(lines) == 0 {
		err = errors.New("it holds no compiled code")
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), err
}

// begin returns a new private folder for a compilation to write to.
func (c *moduleCache) begin() (string, error) { return os.MkdirTemp(c.dir, cacheTemp) }

// abandon removes what begin made, unless commit has taken it.
func (c *moduleCache) abandon(dir string) { _ = os.RemoveAll(dir) }

// commit makes a filled folder the module's entry and returns where it is now. When another host was first, its entry is
// used if it is whole.
func (c *moduleCache) commit(dir string) (string, error) {
	text, err := sums(dir)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, cacheSum), []byte(text), 0o600); err != nil {
		return "", err
	}
	if err := os.Rename(dir, c.path()); err != nil {
		if _, ok := c.verified(); ok {
			return c.path(), nil
		}
		if err := os.Rename(dir, c.path()); err != nil {
			return "", err
		}
	}
	c.prune(time.Now())
	return c.path(), nil
}

// prune deletes the entries that were used longest ago until the bounds hold, and folders of compilations that never ended.
func (c *moduleCache) prune(now time.Time) {
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
	for _, d := range list {
		path := filepath.Join(c.dir, d.Name())
		if !d.IsDir() || path == c.path() {
			continue
		}
		if strings.HasPrefix(d.Name(), cacheTemp) {
			if info, err := d.Info(); err == nil && now.Sub(info.ModTime()) > time.Hour {
				_ = os.RemoveAll(path)
			}
			continue
		}
		info, err := os.Stat(filepath.Join(path, cacheSum))
		if err != nil || len(d.Name()) < 2*sha256.Size || strings.Trim(d.Name()[:2*sha256.Size], "0123456789abcdef") != "" {
			continue // not an entry: not ours to delete
		}
		entries = append(entries, entry{path, info.ModTime(), folderSize(path)})
	}
	slices.SortFunc(entries, func(a, b entry) int { return b.used.Compare(a.used) })
	total := folderSize(c.path())
	for i, e := range entries {
		total += e.size
		if i+2 > cacheEntries || total > cacheBytes {
			_ = os.RemoveAll(e.path)
		}
	}
}

func folderSize(dir string) int64 {
	var total int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}
