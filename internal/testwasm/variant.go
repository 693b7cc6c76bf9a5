package testwasm

import "github.com/fcp-host/fcp-host/internal/asm"

// Variant returns a module that behaves like wasm but has other bytes: it adds a custom section of this name.
func Variant(wasm []byte, name string) []byte {
	return asm.Join(wasm, asm.Section(0, asm.Name(name)))
}
