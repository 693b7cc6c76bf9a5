package layer

import (
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// threadCount is how many threads are started before the filter refuses more. Go's runtime runs Go code on two of them (GOMAXPROCS of a
// worker) and needs another one for each goroutine that waits in the kernel: for the host, or for the file of compiled code.
const threadCount = 8

// startThreads starts the threads that this process will ever need.
func startThreads() {
	var started, ended sync.WaitGroup
	release := make(chan struct{})
	for range threadCount {
		started.Add(1)
		ended.Go(func() {
			runtime.LockOSThread() // the runtime then starts a thread for this goroutine alone
			defer runtime.UnlockOSThread()
			started.Done()
			<-release
		})
	}
	started.Wait()
	close(release)
	ended.Wait()
	// Another thread of the runtime starts some of them later, and the process dies if the filter is loaded first. Wait until all run.
	known := []metrics.Sample{{Name: "/sched/threads/total:threads"}}
	for {
		tasks, err := os.ReadDir("/proc/self/task")
		metrics.Read(known)
		if err != nil || uint64(len(tasks)) >= known[0].Value.Uint64() {
			return
		}
		time.Sleep(50 * time.Microsecond)
	}
}
