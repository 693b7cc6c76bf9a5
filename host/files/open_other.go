//go:build !unix

package files

const nonBlock = 0

func isInvalid(error) bool { return false }
