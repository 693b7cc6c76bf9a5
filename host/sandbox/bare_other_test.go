//go:build !linux

package sandbox

// bare runs a worker.
func bare() int { return RunWorker() }

// unoffered is used on Linux only.
func unoffered() int { return 9 }
