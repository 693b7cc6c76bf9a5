package document

import (
	"bytes"
	"io"

	"github.com/fcp-host/fcp-host/host/files"
)

// parts collects the pieces of an exported file as the domain sends them.
type parts struct {
	roots *files.Roots
	real  string
	spool *files.Spool // nil: no piece yet
}

func (p *parts) add(data []byte) (err error) {
	if p.spool == nil {
		if p.spool, err = p.roots.Spool(p.real); err != nil {
			return err
		}
	}
	_, err = p.spool.Write(data)
	return err
}

// reader reads the file: data, which the export answered, then the pieces.
func (p *parts) reader(data []byte) (from io.Reader, size int) {
	if p.spool == nil {
		return bytes.NewReader(data), len(data)
	}
	return io.MultiReader(bytes.NewReader(data), p.spool.Reader()), int(p.spool.Size()) + len(data)
}

func (p *parts) close() {
	if p.spool != nil {
		p.spool.Close()
	}
}
