package document

import (
	"bytes"
	"io"

	"github.com/fcp-host/fcp-host/host/files"
)

// parts are the pieces of the file that an export makes, as they come.
type parts struct {
	roots *files.Roots
	real  string
	spool *files.Spool // nil: none has come
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

// with is the file: what the export answered at its end, then the parts.
func (p *parts) with(data []byte) (from io.Reader, size int) {
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
