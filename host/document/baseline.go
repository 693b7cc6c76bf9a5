package document

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
)

// baseline is what the log starts from. Either create or open is set.
type baseline struct {
	seed   uint64
	create *abi.NewRequest
	open   *abi.OpenRequest
	files  map[string][]byte // of a folder: its files by name; nil if they are within a snapshot that was not read yet
}

func (b *baseline) start(ctx context.Context, d *domain.Domain) (*domain.Instance, *abi.OpenResponse, error) {
	in, err := d.Start(ctx, b.seed)
	if err != nil {
		return nil, nil, err
	}
	var out *abi.OpenResponse
	if b.create != nil {
		out, err = in.New(ctx, b.create)
	} else {
		out, err = in.Open(ctx, b.open)
	}
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// seed derives a document's seed from its content, so that equal calls give equal bytes on any machine at any time.
func seed(parts ...[]byte) uint64 {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

// title is what a document is called by what it is made from.
func (b *baseline) title() string {
	if b.open != nil {
		return b.open.Name
	}
	return b.create.Title
}

// folder reports whether the baseline is that of a folder.
func (b *baseline) folder() bool {
	return b.open != nil && b.open.Folder || b.create != nil && b.create.Folder
}

// list lists the files of a folder in the request, none if they are within a snapshot.
func (b *baseline) list() []abi.File {
	if b.open != nil {
		return b.open.Files
	}
	return b.create.Files
}

// read sets files from the request.
func (b *baseline) read() {
	b.files = make(map[string][]byte, len(b.list()))
	for _, f := range b.list() {
		b.files[f.Name] = nonNil(f.Data)
	}
}

// size is how many bytes of data the baseline holds.
func (b *baseline) size() (n int64) {
	for _, f := range b.list() {
		n += int64(len(f.Data))
	}
	if b.open != nil {
		return n + int64(len(b.open.Data))
	}
	for i := range b.create.Resources {
		n += int64(len(b.create.Resources[i].Data))
	}
	return n
}
