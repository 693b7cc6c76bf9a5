//go:build cgo

package layer

// linksC says that this program may have threads that Go does not know.
const linksC = true
