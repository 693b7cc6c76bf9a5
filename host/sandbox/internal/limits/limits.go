// Package limits holds what one plugin may use: processor time, memory, bytes, instances.
package limits

import "time"

// Limits bounds what one plugin may use. A zero field takes its value from Default.
type Limits struct {
	// Memory is the largest linear memory of one instance, in bytes. Growth beyond it fails inside the guest.
	Memory uint64

	// Call is the processor time that the worker may use for one call.
	Call time.Duration
	// Start is the processor time for instantiation and the guest's own initialisation together.
	Start time.Duration
	// Compile is the processor time for compiling the module.
	Compile time.Duration
	// Wall is the longest time by the clock for any of these, for a worker that gets no further without using the processor. 0 means
	// 30 times as long as the processor time, and at least 30 s.
	Wall time.Duration

	// Input and Output are the largest input and output of one call, in bytes.
	Input, Output int
	// Arena is the largest sum of the live Extism memory blocks of one call, in bytes, output included.
	Arena int

	// LogLine is the length at which a log line is cut, in bytes.
	LogLine int
	// LogRate is how many log lines pass per second; twice as many may pass in a burst.
	LogRate int

	// AddressSpace is the worker's RLIMIT_AS in bytes. Go reserves much address space: 4 GiB works, and 1.5 GiB was too little to map
	// compiled code. It has no effect outside Linux and in builds with the race detector.
	AddressSpace uint64
	// Instances times Parallel is the largest number of instances at one time; a worker may hold more than its share. For one more, the
	// least recently used instance is closed: its next call fails with KindLost, and its owner makes another.
	Instances int

	// Resident is the resident memory, in bytes, over which a worker is killed; the workers of a plugin share it. NewInstance fails at
	// three quarters of it. It is measured on Linux only.
	Resident uint64

	// Parallel is the largest number of workers of a plugin. Another one is started when those that run are busy.
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

// WallFor returns how long a request may take by the clock whose processor time is limited to cpu.
func (l Limits) WallFor(cpu time.Duration) time.Duration {
	if l.Wall > 0 {
		return l.Wall
	}
	return max(WallRatio*cpu, 30*time.Second)
}

// WallRatio is how many times longer than its processor time a request may take: a process gets less than a thirtieth of a processor
// only on a machine that is hardly usable.
const WallRatio = 30

// WithDefaults returns l with each zero field replaced by its default.
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
