package command

import "os"

// watchParent returns a channel that is closed when the process that started this one has ended. Without such a process
// it never is: a container's first process has none (0), and what has lost its own is a child of init (1). The first
// process of a container is also 1; when it ends, so does the container.
func watchParent() <-chan struct{} {
	gone := make(chan struct{})
	if pid := os.Getppid(); pid > 1 {
		go func() {
			if waitForEnd(pid) {
				close(gone)
			}
		}()
	}
	return gone
}
