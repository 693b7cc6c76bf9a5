package sandbox

import "crypto/sha256"

// Module is the code of a plugin and what is known of it without looking at the code.
type Module struct {
	Sum  [sha256.Size]byte      // SHA-256 of the bytes
	Info Info                   // what Scan says of them
	Wasm func() ([]byte, error) // gives the bytes, always the same, to any goroutine; they are not changed
}

// NewModule returns a module that is in memory; wasm must not change from then on. Its errors are Scan's, but for those about
// function bodies: these are looked at when the module has to be compiled.
func NewModule(wasm []byte) (*Module, error) {
	info, err := scan(wasm, false)
	if err != nil {
		return nil, err
	}
	return &Module{Sum: sha256.Sum256(wasm), Info: info, Wasm: func() ([]byte, error) { return wasm, nil }}, nil
}
