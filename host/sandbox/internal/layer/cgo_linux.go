//go:build cgo

package layer

// usesCgo says that this program may have threads that Go does not know.
const usesCgo = true
