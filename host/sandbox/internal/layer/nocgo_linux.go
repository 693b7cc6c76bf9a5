//go:build !cgo

package layer

// usesCgo reports whether this program is linked with cgo, so that it may have threads that Go does not know of.
const usesCgo = false
