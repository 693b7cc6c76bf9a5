//go:build !linux

package sandbox

// bare is RunWorker.
func bare() int { return RunWorker() }
