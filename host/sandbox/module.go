package sandbox

import (
	"crypto/sha256"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/engine"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
)

// Info describes a module's structure.
type Info = module.Info

// Import is something a module wants from its host. The host serves functions only.
type Import = module.Import

// Export is something a module offers.
type Export = module.Export

// Module is the code of a plugin, which need not be in memory, and what Scan says of it.
type Module struct {
	Sum  [sha256.Size]byte      // SHA-256 of the bytes
	Info Info                   // what Scan says of them
	Wasm func() ([]byte, error) // returns the bytes, always the same; any goroutine may call it, and none changes the bytes

	Scanned bool // whether Scan accepted the function bodies before, so that they are not scanned again
}

// NewModule returns a module that is in memory. wasm must not change from then on. Its errors are those of Scan, except those about
// function bodies, which are scanned when the module has to be compiled.
func NewModule(wasm []byte) (*Module, error) {
	info, err := scan(wasm, false)
	if err != nil {
		return nil, err
	}
	return &Module{Sum: sha256.Sum256(wasm), Info: info, Wasm: func() ([]byte, error) { return wasm, nil }}, nil
}

// Scan reads a module's structure and code without running or compiling anything, and refuses what the sandbox could not or
// would not run. The error is one line that says what is wrong and what to do. Info holds what was read before the error, so that a
// refused module can still be described.
func Scan(wasm []byte) (Info, error) { return scan(wasm, true) }

// scan is Scan, without the function bodies when bodies is false.
func scan(wasm []byte, bodies bool) (Info, error) {
	info, err := module.Scan(wasm, bodies)
	if err == nil {
		err = engine.Check(info)
	}
	return info, err
}
