package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/asm"
)

var smallModule = asm.Module{Memory: []uint32{1}, Funcs: []asm.Func{{Export: "run"}}}

// cached returns a plugin that uses the cache in dir, and its log.
func cached(t *testing.T, dir string) (*Plugin, *bytes.Buffer) {
	var out bytes.Buffer
	p := modulePlugin(t, smallModule, func(c *Config) {
		c.CacheDir = dir
		c.Log = slog.New(slog.NewTextHandler(&out, nil))
	})
	return p, &out
}

func mustRun(t *testing.T, p *Plugin) {
	t.Helper()
	if _, err := instance(t, p).Call(context.Background(), "run", nil); err != nil {
		t.Fatal(err)
	}
}

// entry returns the only entry of a cache.
func entry(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	return filepath.Join(dir, list[0].Name())
}

func TestTheCacheIsPrivateAndUsed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "cache")
	p, log := cached(t, dir)
	if err := p.Warm(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s != (Stats{}) {
		t.Errorf("warming left %+v", s)
	}
	code := entry(t, dir)
	was, err := os.Stat(code)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, p)
	again, log2 := cached(t, dir)
	mustRun(t, again)
	code = entry(t, dir)
	if now, err := os.Stat(code); err != nil || !os.SameFile(was, now) {
		t.Errorf("compiled again: %v", err)
	}
	if log.Len()+log2.Len() > 0 {
		t.Errorf("logged %s%s", log, log2)
	}
}

// checksumBytes is the length of the checksum at the beginning of an entry.
const checksumBytes = 4

func TestADamagedCacheEntryIsReplaced(t *testing.T) {
	native := func(of func(from, to int64) int64) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			const from = 64 << 10 // the first place where native code may begin
			var size [8]byte
			if _, err := f.ReadAt(size[:], from-8); err != nil {
				t.Fatal(err)
			}
			n := int64(binary.LittleEndian.Uint64(size[:]))
			if n < 16 || n > 1<<20 {
				t.Fatalf("the native code has %d bytes", n)
			}
			var b [1]byte
			at := of(from, from+n)
			_, err = f.ReadAt(b[:], at)
			b[0] ^= 1
			if _, failure := f.WriteAt(b[:], at); err != nil || failure != nil {
				t.Fatal(err, failure)
			}
		}
	}
	flip := func(at func(size int) int) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			b[at(len(b))] ^= 1
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, code string)
	}{
		{"the length of the skeleton", flip(func(int) int { return checksumBytes })},
		{"the length of the skeleton, by far", flip(func(int) int { return checksumBytes + 3 })},
		{"a byte of the skeleton", flip(func(int) int { return checksumBytes + 20 })},
		{"a byte of the gap", flip(func(n int) int { return n / 2 })},
		{"the length of the native code", native(func(from, _ int64) int64 { return from - 8 })},
		{"first byte of the native code", native(func(from, _ int64) int64 { return from })},
		{"last byte of the native code", native(func(_, to int64) int64 { return to - 1 })},
		{"wazero's checksum", native(func(_, to int64) int64 { return to })},
		{"last byte", flip(func(n int) int { return n - 1 })},
		{"a byte of the checksum", flip(func(int) int { return 0 })},
		{"code cut short", func(_ *testing.T, code string) { must(os.Truncate(code, checksumBytes+20)) }},
		{"no code", func(_ *testing.T, code string) { must(os.Truncate(code, checksumBytes)) }},
		{"checksum cut short", func(_ *testing.T, code string) { must(os.Truncate(code, 2)) }},
		{"empty", func(_ *testing.T, code string) { must(os.Truncate(code, 0)) }},
		{"a link", func(t *testing.T, code string) {
			moved := filepath.Join(t.TempDir(), "code")
			must(os.Rename(code, moved))
			must(os.Symlink(moved, code))
		}},
		{"a file others may write to", func(_ *testing.T, code string) { must(os.Chmod(code, 0o666)) }},
		{"a folder", func(_ *testing.T, code string) {
			must(os.Remove(code))
			must(os.Mkdir(code, 0o700))
		}},
		{"a checksum of other content", func(_ *testing.T, code string) {
			other := []byte("this is no code")
			sum := crc32.ChecksumIEEE(other)
			must(os.WriteFile(code, append(binary.BigEndian.AppendUint32(nil, sum), other...), 0o600))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			p, _ := cached(t, dir)
			mustRun(t, p)
			tt.damage(t, entry(t, dir))

			p, log := cached(t, dir)
			mustRun(t, p)
			if n := strings.Count(log.String(), "level=WARN"); n != 1 {
				t.Errorf("%d warnings: %s", n, log)
			}
			p, log = cached(t, dir)
			mustRun(t, p)
			entry(t, dir)
			if log.Len() > 0 {
				t.Errorf("the time after that: %s", log)
			}
		})
	}
}

func TestAPluginRunsWithoutAnUnusableCache(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T) string
		want string
	}{
		{"a file", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, "not a directory"},
		{"a folder others may write to", func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			return dir
		}, "others may write to it"},
		{"a link to a folder", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(t.TempDir(), path); err != nil {
				t.Fatal(err)
			}
			return path
		}, "not a folder"},
		{"somebody else's folder", func(t *testing.T) string {
			if os.Getuid() != 0 {
				t.Skip("only root can give folders away")
			}
			dir := t.TempDir()
			if err := os.Chown(dir, 12345, 12345); err != nil {
				t.Fatal(err)
			}
			return dir
		}, "belongs to another user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, log := cached(t, tt.make(t))
			if err := p.Warm(context.Background()); err != nil {
				t.Error(err)
			}
			mustRun(t, p)
			if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), tt.want) {
				t.Errorf("%d warnings: %s", n, log)
			}
		})
	}
}

func TestAPluginRunsWithoutACacheThatVanished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	p, log := cached(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	mustRun(t, p)
	if !strings.Contains(log.String(), "compiling without it") {
		t.Errorf("logged %q", log)
	}
}

func TestManyHostsMayShareACache(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			p, log := cached(t, dir)
			mustRun(t, p)
			if log.Len() > 0 {
				t.Errorf("logged %s", log)
			}
		})
	}
	wg.Wait()
	entry(t, dir)
}

func TestACompilationThatIsCancelledOrLateLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	p := goPlugin(t, func(c *Config) { c.CacheDir = dir })
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for running := false; !running; {
			runtime.Gosched()
			p.mu.Lock()
			running = len(p.procs) > 0
			p.mu.Unlock()
		}
		cancel()
	}()
	if err := p.Warm(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	late := goPlugin(t, func(c *Config) { c.CacheDir, c.Limits.Compile = dir, time.Millisecond })
	if e := failure(t, late.Warm(context.Background()), KindDeadline); !strings.Contains(e.Message, "took more than 1ms of processor time") {
		t.Error(e)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) > 0 {
		t.Errorf("left %v %v", list, err)
	}
}

func TestAModuleThatDoesNotCompileIsALoadFailure(t *testing.T) {
	bad := asm.Module{Funcs: []asm.Func{{Export: "run", Results: "i"}}} // no result on the stack
	for _, dir := range []string{"", t.TempDir()} {
		p := modulePlugin(t, bad, func(c *Config) { c.CacheDir = dir })
		_, err := p.NewInstance(context.Background(), 1)
		if e := failure(t, err, KindLoad); !strings.Contains(e.Message, "does not compile") {
			t.Error(e)
		}
	}
}
