//go:build unix

package command

import (
	"os"
	"time"
)

// lookEvery is how often a system without a better way is asked for the parent.
const lookEvery = 2 * time.Second

// pollForEnd waits until pid is no longer the parent, because it has ended.
func pollForEnd(pid int) {
	for os.Getppid() == pid {
		time.Sleep(lookEvery)
	}
}
