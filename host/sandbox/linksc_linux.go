//go:build cgo

package sandbox

// linksC says that this program may have threads that Go does not know.
const linksC = true
