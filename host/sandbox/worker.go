package sandbox

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/memory"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// WorkerArg is the first argument of a process that is a worker.
const WorkerArg = worker.Arg

// RunWorker runs this process as a worker until its host closes stdin, and returns the exit code. A program calls it when its first
// argument is WorkerArg. It changes settings of the whole process: its garbage collector and its resource limits.
func RunWorker() int { return worker.Run() }

// CheckPrivate returns an error unless dir is a folder that only this user can write to, as Config.CacheDir must be.
func CheckPrivate(dir string) error { return codecache.CheckPrivate(dir) }

// Buffer returns n zeroed bytes for a module that is read at once. On Linux they lie in large pages, which the kernel provides much
// faster than small ones.
func Buffer(n int) []byte { return memory.Buffer(n) }
