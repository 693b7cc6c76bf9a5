//go:build !unix

package mcpserver

import "os"

// waitUnread returns at once, since this system cannot tell when nobody reads a pipe any more.
func waitUnread(_, _ *os.File) bool { return false }
