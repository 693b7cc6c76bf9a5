package confine

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Nobody is the user and group without rights on every Linux.
const Nobody = 65534

// KillFirst makes the kernel kill this process before its host when memory runs out.
func KillFirst() error {
	const path, more, most = "/proc/self/oom_score_adj", 500, 1000
	have, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	score, err := strconv.Atoi(strings.TrimSpace(string(have)))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strconv.Itoa(min(score+more, most))), 0)
}

// WholeUsers reports whether this process's user namespace maps user Nobody, as the system's own does.
func WholeUsers() bool {
	ids, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return false
	}
	var inside, outside, count uint64
	_, err = fmt.Sscan(string(ids), &inside, &outside, &count)
	return err == nil && inside == 0 && count > Nobody
}

// Limit is a resource limit of a process.
type Limit struct {
	Name string // for messages
	ID   int    // RLIMIT_…
	Max  uint64
}

// LowerLimits lowers the limits of this process; limits that are lower already stay. After an error it goes on with the
// others.
func LowerLimits(limits []Limit) (failed error) {
	for _, limit := range limits {
		var have unix.Rlimit
		err := unix.Getrlimit(limit.ID, &have)
		if err == nil {
			lower := min(limit.Max, have.Max)
			err = unix.Setrlimit(limit.ID, &unix.Rlimit{Cur: min(lower, have.Cur), Max: lower})
		}
		if err != nil {
			failed = fmt.Errorf("the limit of %s cannot be set: %w", limit.Name, err)
		}
	}
	return failed
}
