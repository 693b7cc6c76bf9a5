package files

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
)

// A Spool collects the bytes of a file that is written in parts, on the file's disk and, if the system supports it,
// without a name. Roots.Spool makes one; the zero value is unusable.
type Spool struct {
	f    *os.File
	root *os.Root // nil if it lies in the folder for temporary files
	name string   // "" once the name is removed
	size int64
	show string
}

// Spool starts to collect a file that WriteFrom will write to real.
func (r *Roots) Spool(real string) (*Spool, error) {
	if err := r.Writable(real); err != nil {
		return nil, err
	}
	if r.Remote(real) {
		return spool(r.Show(real))
	}
	root, rel, err := r.open(real)
	if err != nil {
		return nil, err
	}
	var salt [6]byte
	_, _ = rand.Read(salt[:]) // never fails
	s := &Spool{root: root, name: hidden(rel) + "-" + hex.EncodeToString(salt[:]) + ".part", show: r.Show(real)}
	if s.f, err = root.OpenFile(s.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		root.Close()
		return nil, fmt.Errorf("%s cannot be written: %w", s.show, Reason(err))
	}
	if runtime.GOOS != "windows" && root.Remove(s.name) == nil {
		s.name = ""
	}
	return s, nil
}

// spool returns a local Spool for a file on a server.
func spool(show string) (*Spool, error) {
	f, err := os.CreateTemp("", "fcp-")
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", show, Reason(err))
	}
	s := &Spool{f: f, name: f.Name(), show: show}
	if runtime.GOOS != "windows" && os.Remove(s.name) == nil {
		s.name = ""
	}
	return s, nil
}

// Write appends bytes.
func (s *Spool) Write(p []byte) (int, error) {
	n, err := s.f.Write(p)
	s.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("%s cannot be written: %w", s.show, Reason(err))
	}
	return n, nil
}

// Size returns the number of bytes.
func (s *Spool) Size() int64 { return s.size }

// Reader returns a reader from the first byte.
func (s *Spool) Reader() io.Reader { return io.NewSectionReader(s.f, 0, s.size) }

// Close discards the bytes.
func (s *Spool) Close() {
	s.f.Close()
	if s.root == nil {
		if s.name != "" {
			os.Remove(s.name)
		}
		return
	}
	if s.name != "" {
		s.root.Remove(s.name)
	}
	s.root.Close()
}
