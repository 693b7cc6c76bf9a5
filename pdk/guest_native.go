//go:build !wasip1

package pdk

// Serve does nothing outside of the sandbox: a plugin runs as a .wasm file, and
// natively only under pdktest. It exists so that package main builds and vets
// on any system.
func Serve[M any](d *Domain[M]) { _ = NewInstance(d) }
