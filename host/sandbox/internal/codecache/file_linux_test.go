package codecache

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Code that cannot be mapped is copied; the reader returns the same bytes.
func TestCodeIsReadTheSameMappedOrNot(t *testing.T) {
	page := os.Getpagesize()
	content := make([]byte, 3*codePage+1234)
	for i := range content {
		content[i] = byte(i*7 + i>>9)
	}
	path := filepath.Join(t.TempDir(), "code")
	for _, tt := range []struct {
		name       string
		at, length int
		announced  int // the length in front of the code
		mapped     bool
	}{
		{"aligned", codePage, 2 * codePage, 2 * codePage, true},
		{"with a rest of less than a page", codePage, codePage + 1234, codePage + 1234, true},
		{"not aligned", codePage + 1, codePage, codePage, false},
		{"less than codePage", codePage, codePage - page, codePage - page, false},
		{"more than the file holds", codePage, 3 * codePage, 3 * codePage, false},
		{"another read than that of the native code", codePage, codePage, 7, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			content := slices.Clone(content)
			binary.LittleEndian.PutUint64(content[tt.at-8:], uint64(tt.announced))
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			mem, err := unix.Mmap(-1, 0, tt.length, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = unix.Munmap(mem) }()
			c := &File{file: f}
			if _, err := f.Seek(int64(tt.at-8), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			r := c.reader(int64(tt.at - 8))
			if _, err := io.ReadFull(r, make([]byte, 8)); err != nil {
				t.Fatal(err)
			}
			n, err := io.ReadFull(r, mem)
			want := content[tt.at:min(tt.at+tt.length, len(content))]
			if n != len(want) || !bytes.Equal(mem[:n], want) || (err != nil) != (len(want) < tt.length) {
				t.Errorf("read %d bytes, error %v", n, err)
			}
			rest, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(rest, content[tt.at+len(want):]) {
				t.Errorf("then %d bytes, error %v", len(rest), err)
			}
			maps, err := os.ReadFile("/proc/self/maps")
			if err != nil {
				t.Fatal(err)
			}
			if mapped := strings.Contains(string(maps), path); mapped != tt.mapped {
				t.Errorf("mapped: %v", mapped)
			}
		})
	}
}
