package gate

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// metrics counts requests and calls, and prints the counts in Prometheus's text format. It names no principal, document
// or session.
type metrics struct {
	mu       sync.Mutex
	requests map[pair]uint64 // by method and status
	calls    map[pair]uint64 // by tool and outcome
	refused  map[string]uint64
	buckets  [len(bounds)]uint64 // durations of calls
	count    uint64
	seconds  float64
	gauges   []Gauge
}

type pair [2]string

// bounds are the upper bounds of the histogram's buckets, in seconds.
var bounds = [...]float64{0.001, 0.01, 0.1, 1, 10}

// Gauge is a metric that has a value at any time.
type Gauge struct {
	Name, Help string
	Value      func() int
}

func newMetrics() *metrics {
	return &metrics{requests: map[pair]uint64{}, calls: map[pair]uint64{}, refused: map[string]uint64{}}
}

func (m *metrics) refuse(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused[reason]++
}

func (m *metrics) countAnswer(method string, status int) {
	if !slices.Contains([]string{"GET", "POST", "DELETE", "HEAD"}, method) {
		method = "other"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests[pair{method, strconv.Itoa(status)}]++
}

func (m *metrics) countCall(tool, outcome string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[pair{tool, outcome}]++
	for i, bound := range bounds {
		if took.Seconds() <= bound {
			m.buckets[i]++
		}
	}
	m.count++
	m.seconds += took.Seconds()
}

// WriteTo prints the metrics.
func (m *metrics) WriteTo(out io.Writer) (int64, error) {
	w := &strings.Builder{} // a buffer, so that the lock is not held while the client reads
	head := func(name, kind, help string) { fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	pairs := func(name, help string, labels pair, values map[pair]uint64) {
		head(name, "counter", help)
		for _, p := range slices.SortedFunc(maps.Keys(values), func(a, b pair) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }) {
			fmt.Fprintf(w, "%s{%s=\"%s\",%s=\"%s\"} %d\n", name, labels[0], escape(p[0]), labels[1], escape(p[1]), values[p])
		}
	}
	m.mu.Lock()
	pairs("fcp_http_requests_total", "Requests answered, by method and status.", pair{"method", "code"}, m.requests)
	pairs("fcp_calls_total", "Calls of tools, by tool and outcome.", pair{"tool", "outcome"}, m.calls)
	head("fcp_http_refused_total", "counter", "Requests refused before they were a call, by reason.")
	for _, reason := range slices.Sorted(maps.Keys(m.refused)) {
		fmt.Fprintf(w, "fcp_http_refused_total{reason=\"%s\"} %d\n", escape(reason), m.refused[reason])
	}
	head("fcp_call_seconds", "histogram", "How long calls of tools took.")
	for i, bound := range bounds {
		fmt.Fprintf(w, "fcp_call_seconds_bucket{le=\"%g\"} %d\n", bound, m.buckets[i])
	}
	fmt.Fprintf(w, "fcp_call_seconds_bucket{le=\"+Inf\"} %d\nfcp_call_seconds_sum %g\nfcp_call_seconds_count %d\n", m.count, m.seconds, m.count)
	gauges := m.gauges
	m.mu.Unlock()
	for _, g := range gauges { // without the lock, since they take their own
		head(g.Name, "gauge", g.Help)
		fmt.Fprintf(w, "%s %d\n", g.Name, g.Value())
	}
	n, err := io.WriteString(out, w.String())
	return int64(n), err
}

// escape escapes the value of a label.
func escape(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) }
