package testwasm

// Variant returns a module that behaves like wasm but has other bytes: it adds a custom section of this name.
func Variant(wasm []byte, name string) []byte {
	return Code(wasm, Section(0, Code(uleb(len(name)), []byte(name))))
}
