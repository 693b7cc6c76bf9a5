//go:build !unix && !windows

package confine

import "time"

// ProcessorTime is not known on this OS.
func ProcessorTime(int) (spent time.Duration, ok bool) { return 0, false }

// OwnProcessorTime is not known on this OS.
func OwnProcessorTime() (spent time.Duration, ok bool) { return 0, false }
