package testwasm

// Variant is a module that does what wasm does and is another one: it has a custom section of this name.
func Variant(wasm []byte, name string) []byte {
	return Code(wasm, Section(0, Code(uleb(len(name)), []byte(name))))
}
