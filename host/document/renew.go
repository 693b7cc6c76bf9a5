package document

import (
	"sync/atomic"

	"github.com/fcp-host/fcp-host/host/domain"
)

// builds says which build of its domain a document runs on. The zero value is none.
type builds struct {
	dom atomic.Pointer[domain.Domain]
}

// Domain is the domain that the document runs on. While a call works on the document it stays the same.
func (d *Document) Domain() *domain.Domain { return d.dom.Load() }
