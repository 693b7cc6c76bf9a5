package files

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
)

// A Spool holds the bytes of a file that is made piece by piece, on its disk and
// without a name where the system can do that. Its zero value is of no use.
type Spool struct {
	f    *os.File
	root *os.Root // nil: it lies in the folder for temporary files
	name string   // "" once it has none
	size int64
	show string
}

// Spool begins the bytes of a file that WriteFrom will put to real.
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
	_, _ = rand.Read(salt[:]) // it does not fail
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

// spool is a Spool of this machine, for what goes to a server.
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

// Write adds bytes.
func (s *Spool) Write(p []byte) (int, error) {
	n, err := s.f.Write(p)
	s.size += int64(n)
	if err != nil {
		return n, fmt.Errorf("%s cannot be written: %w", s.show, Reason(err))
	}
	return n, nil
}

// Size is how many bytes there are.
func (s *Spool) Size() int64 { return s.size }

// Reader reads them from the first one.
func (s *Spool) Reader() io.Reader { return io.NewSectionReader(s.f, 0, s.size) }

// Close forgets them.
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
