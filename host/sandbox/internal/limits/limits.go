// Package limits holds what one plugin may use: time, memory, bytes, instances.
package limits

import "time"

// Limits bounds what one plugin may use. A zero field takes its value from Default.
type Limits struct {
	// Memory is the most linear memory one instance may have, in bytes. Growth beyond it fails inside the guest.
	Memory uint64

	// Call is how long one call may run. Time spent waiting for the worker does not count.
	Call time.Duration
	// Start is how long instantiation and the guest's own initialisation may take together.
	Start time.Duration
	// Compile is how long compiling the module may take.
	Compile time.Duration

	// Input and Output are the most bytes one call may take and return.
	Input, Output int
	// Arena is the most bytes that live Extism memory blocks of one call may hold, output included.
	Arena int

	// LogLine is the most bytes of one log line; the rest of a longer line is cut.
	LogLine int
	// LogRate is the number of log lines let through per second; as many again may come in a burst.
	LogRate int

	// AddressSpace is the worker's RLIMIT_AS in bytes. It must stay generous, since Go reserves address space: 4 GiB
	// works, 1.5 GiB once failed to map compiled code. It has no effect outside Linux and in race-detector builds.
	AddressSpace uint64
	// Instances is how many instances live at once, for each worker that there may be: which of them holds how many is left to their
	// work. For one more, the one that was not called for longest is closed: its
	// next call says KindLost, and its owner makes another.
	Instances int

	// Resident is the resident memory, in bytes, at which a worker is killed during a call; the workers of a plugin share it.
	// NewInstance is refused at three quarters of it. It is watched on Linux only.
	Resident uint64

	// Parallel is how many workers a plugin may have. Another one is started when those that run are busy.
	Parallel int
}

// Default returns the limits a plugin gets when nothing else is configured.
func Default() Limits {
	return Limits{
		Memory:       256 << 20,
		Call:         10 * time.Second,
		Start:        10 * time.Second,
		Compile:      60 * time.Second,
		Input:        64 << 20,
		Output:       64 << 20,
		Arena:        96 << 20,
		LogLine:      2000,
		LogRate:      50,
		AddressSpace: 4 << 30,
		Instances:    32,
		Resident:     2 << 30,
		Parallel:     1,
	}
}

// WithDefaults returns l with each zero field replaced.
func (l Limits) WithDefaults() Limits {
	d := Default()
	fill(&l.Memory, d.Memory)
	fill(&l.Call, d.Call)
	fill(&l.Start, d.Start)
	fill(&l.Compile, d.Compile)
	fill(&l.Input, d.Input)
	fill(&l.Output, d.Output)
	fill(&l.Arena, d.Arena)
	fill(&l.LogLine, d.LogLine)
	fill(&l.LogRate, d.LogRate)
	fill(&l.AddressSpace, d.AddressSpace)
	fill(&l.Instances, d.Instances)
	fill(&l.Resident, d.Resident)
	fill(&l.Parallel, d.Parallel)
	return l
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
