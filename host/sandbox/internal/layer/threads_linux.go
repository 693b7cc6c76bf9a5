package layer

import (
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// spareThreads is how many threads Go's runtime keeps for the time in which the filter refuses it more. It runs Go code on two of
// them (RunWorker says so), and needs another for each goroutine that waits in the kernel: for the host, or for a file of compiled code.
const threadCount = 8

// startThreads starts the threads that this process will ever need.
func startThreads() {
	var started, ended sync.WaitGroup
	release := make(chan struct{})
	for range threadCount {
		started.Add(1)
		ended.Go(func() {
			runtime.LockOSThread() // the runtime then needs a thread for this goroutine alone
			defer runtime.UnlockOSThread()
			started.Done()
			<-release
		})
	}
	started.Wait()
	close(release)
	ended.Wait()
	// The runtime asks another thread to start some of them, and dies when the filter comes first.
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
