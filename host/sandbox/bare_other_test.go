//go:build !linux

package sandbox

// bare is RunWorker.
func bare() int { return RunWorker() }

// unoffered is for Linux alone.
func unoffered() int { return 9 }
