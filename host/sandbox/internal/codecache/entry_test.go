package codecache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPruningKeepsWhatWasUsedLast(t *testing.T) {
	dir := t.TempDir()
	cache := Open(dir, [sha256.Size]byte{1}, nil, slog.New(slog.DiscardHandler))
	mine := cache.path()
	now := time.Now()
	name := func(n int) string { return filepath.Join(dir, fmt.Sprintf("%064x-v1-linux-amd64", n)) }
	put := func(path string, used time.Time) {
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, used, used)); err != nil {
			t.Fatal(err)
		}
	}
	put(mine, now.Add(-time.Hour))
	if err := os.Truncate(mine, 1); err != nil {
		t.Fatal(err)
	}
	ago := func(n int) time.Time { return now.Add(-time.Duration(n) * time.Minute) }
	for n := range maxEntries + 6 {
		put(name(n), ago(n))
	}
	// One that alone is over the bound, as a sparse file, and older than the newest ten.
	if err := errors.Join(os.Truncate(name(10), MaxBytes), os.Chtimes(name(10), ago(10), ago(10))); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"somebody-elses", tempPrefix + "new"} {
		put(filepath.Join(dir, other), now)
	}
	put(filepath.Join(dir, tempPrefix+"old"), ago(120))
	earlier := name(maxEntries + 36) // a folder, as earlier versions kept
	if err := os.MkdirAll(filepath.Join(earlier, "wazero"), 0o700); err != nil {
		t.Fatal(err)
	}
	cache.prune(now)
	for path, want := range map[string]bool{
		mine: true, name(0): true, name(9): true, name(10): false, name(maxEntries + 5): false, earlier: false,
		filepath.Join(dir, "somebody-elses"): true, filepath.Join(dir, tempPrefix+"new"): true, filepath.Join(dir, tempPrefix+"old"): false,
	} {
		if exists(path) != want {
			t.Errorf("%s is there: %v", path, !want)
		}
	}
	for n := range maxEntries + 16 {
		put(name(n), ago(n))
	}
	cache.prune(now)
	left, err := filepath.Glob(filepath.Join(dir, "*-linux-amd64"))
	if err != nil || len(left) != maxEntries {
		t.Errorf("%d entries are left, %v", len(left), err)
	}
}
