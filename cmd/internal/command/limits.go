package command

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/mcpserver"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
)

// limits holds all limits on plugins, documents and sessions.
type limits struct {
	sandbox sandbox.Limits
	session session.Limits
	journal journal.Limits

	// HTTP: all but the last are per principal.
	sessions, requests, principalDocuments int
	bodies                                 int64

	histories int64         // of all documents
	listWait  time.Duration // how long tools/list waits for new plugins
	workers   uint64        // of all plugins
	jobs      int           // of programs, at once
	jobWait   time.Duration // how long a call waits for its job
	jobMemory uint64        // address space of a program
}

func defaultLimits() limits {
	plugins := sandbox.DefaultLimits()
	plugins.Parallel = 0 // depends on what is served
	return limits{sandbox: plugins, journal: journal.DefaultLimits(),
		session:  session.Limits{Documents: session.DefaultDocuments, History: eventlog.DefaultCap},
		sessions: mcpserver.DefaultSessions, requests: gate.DefaultRequests, principalDocuments: 4 * session.DefaultDocuments,
		bodies: gate.DefaultBodies, listWait: plugin.DefaultWait, histories: 1 << 30, workers: 4 << 30, jobs: 2, jobWait: 20 * time.Second, jobMemory: 4 << 30}
}

// setMemoryLimit sets Go's memory limit to what the limits allow plus room for messages in transit.
// Otherwise garbage may take as much memory as live data. It keeps a user's GOMEMLIMIT.
func (l *limits) setMemoryLimit() {
	const underWay = 256 << 20
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(l.histories + l.bodies + underWay)
	}
}

// limit is one limit, as --limit and the configuration file name it.
type limit struct {
	name, summary string
	plugin        bool // may be set for one plugin
	min, max      int64
	at            func(*limits) any // *uint64, *int64, *int or *time.Duration
	unit          string
}

// Units of limits.
const (
	size     = "size"     // bytes, or with KiB, MiB, GiB
	duration = "duration" // 10s, 2m
	count    = "count"
)

// limitTable is the only list of limits: the flags, the configuration file, errors and
// docs/operations.md are checked against it. Those that can be set for one plugin come first.
func limitTable() []limit {
	const (
		kib = 1 << 10
		mib = 1 << 20
		gib = 1 << 30
	)
	ms, hour := int64(time.Millisecond), int64(time.Hour)
	return []limit{
		{"memory", "memory of one document's instance", true, 16 * mib, 2 * gib, func(l *limits) any { return &l.sandbox.Memory }, size},
		{"call", "processor time that a plugin may use for one call of a tool, including the start of instances; an export that returns its file in parts, up to 200, has this time for each part", true, ms, hour, func(l *limits) any { return &l.sandbox.Call }, duration},
		{"start", "processor time that an instance may use to start", true, ms, hour, func(l *limits) any { return &l.sandbox.Start }, duration},
		{"compile", "processor time that compiling a module may take", true, ms, hour, func(l *limits) any { return &l.sandbox.Compile }, duration},
		{"input", "input of one call", true, kib, gib, func(l *limits) any { return &l.sandbox.Input }, size},
		{"output", "output of one call", true, kib, gib, func(l *limits) any { return &l.sandbox.Output }, size},
		{"arena", "memory blocks of one call, including input and output", true, kib, 2 * gib, func(l *limits) any { return &l.sandbox.Arena }, size},
		{"log-line", "length of a line of a plugin's log", true, 16, mib, func(l *limits) any { return &l.sandbox.LogLine }, size},
		{"log-rate", "lines of a plugin's log a second", true, 1, 100_000, func(l *limits) any { return &l.sandbox.LogRate }, count},
		{"address-space", "address space of a plugin's worker", true, gib, 1 << 44, func(l *limits) any { return &l.sandbox.AddressSpace }, size},
		{"parallel", "workers of one plugin at once; 0 is one and over HTTP one for each processor", true, 0, 256, func(l *limits) any { return &l.sandbox.Parallel }, count},
		{"resident", "resident memory of a plugin's workers together", true, 64 * mib, 1 << 44, func(l *limits) any { return &l.sandbox.Resident }, size},
		{"instances", "instances of a plugin at once, for each worker that it may have; a document without one gets one when it is used", true, 1, 10_000, func(l *limits) any { return &l.sandbox.Instances }, count},
		{"list-wait", "how long after the start tools/list waits for the manifests of new plugins", false, ms, hour, func(l *limits) any { return &l.listWait }, duration},
		{"documents", "open documents of one session", false, 1, 10_000, func(l *limits) any { return &l.session.Documents }, count},
		{"history", "history of one document; beyond it the oldest ops cannot be undone", false, 64 * kib, 16 * gib, func(l *limits) any { return &l.session.History }, size},
		{"histories", "histories and baselines of all documents in memory; one plugin gets half, one principal a quarter", false, mib, 1 << 44, func(l *limits) any { return &l.histories }, size},
		{"workers", "resident memory of all plugins' workers; one plugin's workers get half", false, 128 * mib, 1 << 44, func(l *limits) any { return &l.workers }, size},
		{"journal", "journal of one document", false, mib, 64 * gib, func(l *limits) any { return &l.journal.File }, size},
		{"journals", "journals in the folder, of all hosts that use it", false, 1, 1_000_000, func(l *limits) any { return &l.journal.Files }, count},
		{"journals-size", "total size of those journals", false, mib, 1 << 44, func(l *limits) any { return &l.journal.Sum }, size},
		{"journal-age", "how long an unrecovered journal is kept", false, hour, 87_600 * hour, func(l *limits) any { return &l.journal.Age }, duration},
		{"principal-sessions", "open HTTP sessions of one principal", false, 1, 10_000, func(l *limits) any { return &l.sessions }, count},
		{"principal-requests", "HTTP requests and streams of one principal at once", false, 1, 10_000, func(l *limits) any { return &l.requests }, count},
		{"principal-documents", "open documents of one principal, in all its HTTP sessions", false, 1, 100_000, func(l *limits) any { return &l.principalDocuments }, count},
		{"principal-journals", "journals of one principal, including leftovers", false, 1, 1_000_000, func(l *limits) any { return &l.journal.OwnerFiles }, count},
		{"principal-journals-size", "total size of those journals", false, mib, 1 << 44, func(l *limits) any { return &l.journal.OwnerSum }, size},
		{"bodies", "bytes of all HTTP requests in memory; one principal gets half", false, mib, 64 * gib, func(l *limits) any { return &l.bodies }, size},
		{"jobs", "jobs of programs such as ffmpeg at once; others wait", false, 1, 64, func(l *limits) any { return &l.jobs }, count},
		{"job-wait", "how long a call waits for the job that it began before it answers with its number", false, ms, hour, func(l *limits) any { return &l.jobWait }, duration},
		{"job-memory", "address space of such a program; a film needs about 100 MiB for each clip of 1080p", false, gib, 1 << 44, func(l *limits) any { return &l.jobMemory }, size},
	}
}

// set parses text and sets the limit name. With ofPlugin it accepts only limits that can be set for
// one plugin.
func (l *limits) set(name, text string, ofPlugin bool) error {
	table := limitTable()
	i := slices.IndexFunc(table, func(x limit) bool { return x.name == name })
	if i < 0 || ofPlugin && !table[i].plugin {
		var names []string
		for _, x := range table {
			if x.plugin || !ofPlugin {
				names = append(names, x.name)
			}
		}
		return fmt.Errorf("unknown limit %q; there are %s", name, strings.Join(names, ", "))
	}
	x := table[i]
	n, err := parseLimit(text, x.unit)
	if err != nil {
		return fmt.Errorf("limit %s: %w", name, err)
	}
	if n < x.min || n > x.max {
		return fmt.Errorf("limit %s: %s is not from %s to %s", name, text, showLimit(x.min, x.unit), showLimit(x.max, x.unit))
	}
	switch at := x.at(l).(type) {
	case *uint64:
		*at = uint64(n)
	case *int64:
		*at = n
	case *int:
		*at = int(n)
	case *time.Duration:
		*at = time.Duration(n)
	}
	return nil
}

func parseLimit(text, unit string) (int64, error) {
	switch unit {
	case duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration, such as 10s or 2m", text)
		}
		return int64(d), nil
	case size:
		digits, factor := text, int64(1)
		for _, u := range []struct {
			suffix string
			bytes  int64
		}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}} {
			if rest, ok := strings.CutSuffix(text, u.suffix); ok {
				digits, factor = strings.TrimSpace(rest), u.bytes
			}
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || n > 1<<62/factor {
			return 0, fmt.Errorf("%q is not a size, such as 64KiB, 256MiB or 1GiB", text)
		}
		return n * factor, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	return n, nil
}

// showLimit formats a value as set parses it.
func showLimit(n int64, unit string) string {
	switch unit {
	case duration:
		return time.Duration(n).String()
	case size:
		for _, u := range []struct {
			suffix string
			bytes  int64
		}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
			if n >= u.bytes && n%u.bytes == 0 {
				return fmt.Sprint(n/u.bytes, u.suffix)
			}
		}
	}
	return strconv.FormatInt(n, 10)
}
