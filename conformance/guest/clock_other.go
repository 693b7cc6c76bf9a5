//go:build !linux

package guest

import "time"

// processorTime is unknown on this OS.
func processorTime(int) (time.Duration, bool) { return 0, false }
