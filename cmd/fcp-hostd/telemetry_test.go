package main

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metricsproto "go.opentelemetry.io/proto/otlp/metrics/v1"
	traceproto "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/fcp-host/fcp-host/cmd/internal/command"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// asBinary makes the test binary behave as fcp-hostd itself.
const asBinary = "FCP_HOSTD_TEST_BINARY"

func TestMain(m *testing.M) {
	if os.Getenv(asBinary) != "" {
		main()
	}
	os.Exit(m.Run())
}

// receiver is a collector that decodes what it receives with the types that OpenTelemetry publishes
// for the protocol.
type receiver struct {
	url string

	mu      sync.Mutex
	spans   []*traceproto.Span
	metrics map[string]*metricsproto.Metric // the last of each name
	about   map[string]string               // the resource
	all     []byte                          // that was sent
	headers http.Header
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{metrics: map[string]*metricsproto.Metric{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := r.take(req); err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(s.Close)
	r.url = s.URL
	return r
}

func (r *receiver) take(req *http.Request) error {
	var body io.Reader = req.Body
	if req.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = z
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all, r.headers = append(r.all, data...), req.Header
	switch req.URL.Path {
	case "/v1/traces":
		var m collecttrace.ExportTraceServiceRequest
		if err := proto.Unmarshal(data, &m); err != nil {
			return err
		}
		for _, rs := range m.ResourceSpans {
			r.about = values(rs.Resource.Attributes)
			for _, ss := range rs.ScopeSpans {
				r.spans = append(r.spans, ss.Spans...)
			}
		}
	case "/v1/metrics":
		var m collectmetrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(data, &m); err != nil {
			return err
		}
		for _, rm := range m.ResourceMetrics {
			for _, sm := range rm.ScopeMetrics {
				for _, one := range sm.Metrics {
					r.metrics[one.Name] = one
				}
			}
		}
	default:
		return fmt.Errorf("asked for %s", req.URL.Path)
	}
	return nil
}

func values(list []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range list {
		switch v := kv.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[kv.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			out[kv.Key] = fmt.Sprint(v.IntValue)
		default:
			out[kv.Key] = fmt.Sprintf("%T", v)
		}
	}
	return out
}

// quiet removes OpenTelemetry's variables from the test's environment, and sets these.
func quiet(t *testing.T, set ...string) {
	t.Helper()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
	for i := 0; i < len(set); i += 2 {
		t.Setenv(set[i], set[i+1])
	}
}

const (
	parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	other  = "00-11111111111111111111111111111111-2222222222222222-01"
)

// do makes a call as the server measures it.
func do(m timing.What, carried, caused timing.Trace) {
	log := slog.New(slog.DiscardHandler)
	c := timing.Start(log, 100)
	c.SetCarried(carried)
	c.SetCaused(caused)
	for _, p := range []timing.Phase{timing.Parse, timing.Wait, timing.Guest, timing.Journal, timing.Other} {
		c.Lap(p)
	}
	c.SetWhat(m)
	c.EndWrite(50)
	c.Log(log)
}

func TestCallsBecomeSpansAndMetrics(t *testing.T) {
	r := receive(t)
	quiet(t, "OTEL_EXPORTER_OTLP_ENDPOINT", r.url, "OTEL_EXPORTER_OTLP_HEADERS", "api-key=k", "OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test", "OTEL_SERVICE_NAME", "editing")
	stop, err := startTelemetry(command.TelemetryOptions{Version: "1.2.3", Log: slog.New(slog.DiscardHandler), Gauges: []gate.Gauge{{Name: "fcp_sessions", Help: "Open sessions.", Value: func() int { return 7 }}}})
	if err != nil || stop == nil {
		t.Fatal(err)
	}
	edit := timing.What{Method: "tools/call", Tool: "midi", Domain: "midi", Document: "SECRET song", Ops: 3}
	do(edit, timing.Trace{Parent: other}, timing.Trace{Parent: parent, State: "a=b"})
	edit.Failed = true
	do(edit, timing.Trace{Parent: other}, timing.Trace{})
	do(timing.What{Method: "resources/read", Tool: "resources/read", Domain: "midi", Document: "SECRET song"}, timing.Trace{Parent: "junk"}, timing.Trace{})
	stop()
	do(edit, timing.Trace{}, timing.Trace{}) // nothing is sent

	var servers []*traceproto.Span
	stages := map[string][]string{}
	for _, s := range r.spans {
		if s.Kind == traceproto.Span_SPAN_KIND_SERVER {
			servers = append(servers, s)
		} else {
			stages[string(s.ParentSpanId)] = append(stages[string(s.ParentSpanId)], s.Name)
		}
	}
	slices.SortFunc(servers, func(a, b *traceproto.Span) int { return int(a.StartTimeUnixNano) - int(b.StartTimeUnixNano) })
	if len(servers) != 3 {
		t.Fatalf("%d spans of calls, want 3", len(servers))
	}
	for i, want := range []struct {
		name, trace, parent, link, failed string
		attributes                        map[string]string
	}{
		{"tools/call midi", "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "2222222222222222", "", map[string]string{"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "midi",
			"fcp.domain": "midi", "fcp.ops": "3", "fcp.request.size": "100", "fcp.response.size": "50", "network.transport": "tcp"}},
		{"tools/call midi", "11111111111111111111111111111111", "2222222222222222", "", "tool_error", nil},
		{"resources/read", "", "", "", "", map[string]string{"mcp.method.name": "resources/read", "fcp.domain": "midi", "fcp.ops": "0", "fcp.request.size": "100", "fcp.response.size": "50", "network.transport": "tcp"}},
	} {
		s := servers[i]
		link := ""
		for _, l := range s.Links {
			link += hex.EncodeToString(l.SpanId)
		}
		got := values(s.Attributes)
		if s.Name != want.name || want.trace != "" && hex.EncodeToString(s.TraceId) != want.trace || hex.EncodeToString(s.ParentSpanId) != want.parent || link != want.link ||
			got["error.type"] != want.failed || (s.Status.GetCode() == traceproto.Status_STATUS_CODE_ERROR) != (want.failed != "") || want.attributes != nil && fmt.Sprint(got) != fmt.Sprint(want.attributes) {
			t.Errorf("call %d is the span %s %x %x, %s, %v", i, s.Name, s.TraceId, s.ParentSpanId, link, got)
		}
		if have := stages[string(s.SpanId)]; fmt.Sprint(have) != "[parse wait guest journal write]" {
			t.Errorf("call %d has the stages %v", i, have)
		}
	}
	if r.about["service.name"] != "editing" || r.about["service.version"] != "1.2.3" || r.about["deployment.environment.name"] != "test" || r.headers.Get("api-key") != "k" {
		t.Errorf("the resource is %v", r.about)
	}

	calls := r.metrics["mcp.server.operation.duration"].GetHistogram()
	counts := map[string]uint64{}
	for _, p := range calls.GetDataPoints() {
		a := values(p.Attributes)
		counts[a["mcp.method.name"]+" "+a["gen_ai.tool.name"]+" "+a["error.type"]] += p.Count
	}
	if fmt.Sprint(counts) != "map[resources/read  :1 tools/call midi :1 tools/call midi tool_error:1]" {
		t.Errorf("the calls are %v", counts)
	}
	if p := r.metrics["fcp.journal.append.duration"].GetHistogram().GetDataPoints(); len(p) != 1 || p[0].Count != 3 {
		t.Errorf("the appends are %v", p)
	}
	if p := r.metrics["fcp.sessions"].GetGauge().GetDataPoints(); len(p) != 1 || p[0].GetAsInt() != 7 {
		t.Errorf("the sessions are %v", p)
	}
	if strings.Contains(string(r.all), "SECRET") {
		t.Error("the name of a document is sent")
	}
}

func TestTelemetryIsOffUnlessItIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		asked bool
		env   []string
		on    bool
		wrong string
	}{
		{false, nil, false, ""},
		{true, nil, true, ""},
		{true, []string{"OTEL_SDK_DISABLED", "true"}, false, ""},
		{false, []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://c.example/v1/traces"}, true, ""},
		{false, []string{"OTEL_SERVICE_NAME", "x", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, false, ""},
		{true, []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, false, "only http/protobuf is supported"},
		{true, []string{"OTEL_TRACES_EXPORTER", "zipkin"}, false, "use otlp or none"},
		{false, []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4317"}, false, "must be a URL"},
	} {
		quiet(t, c.env...)
		on, err := enabled(c.asked)
		if on != c.on || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%v %v: %v %v", c.asked, c.env, on, err)
		}
		for i := 0; i < len(c.env); i += 2 {
			t.Setenv(c.env[i], "")
		}
	}
	stop, err := startTelemetry(command.TelemetryOptions{})
	if stop != nil || err != nil || timing.Start(slog.New(slog.DiscardHandler), 1) != nil {
		t.Errorf("calls are measured without being asked for, %v", err)
	}
}

func TestAnUnreachableCollectorIsLoggedOnce(t *testing.T) {
	var log strings.Builder
	f := &failures{log: slog.New(slog.NewTextHandler(&log, nil))}
	away := errors.New("away")
	for range 5 {
		f.Handle(away)
	}
	f.when = f.when.Add(-2 * logInterval)
	f.Handle(away)
	f.Handle(errors.New("something else"))
	if n := strings.Count(log.String(), "\n"); n != 3 {
		t.Errorf("%d lines: %s", n, log.String())
	}
}

// The whole program over stdio, used by a client with a trace of its own.
func TestTheProgramExportsCallsOverOTLP(t *testing.T) {
	r := receive(t)
	quiet(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "serve", "--config", "off", "--no-journal", "--limit", "list-wait=1m", "--cache", testwasm.CacheDir(t), "--plugin", testwasm.List(t))
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), asBinary+"=1", "OTEL_EXPORTER_OTLP_ENDPOINT="+r.url)
	call := func(id int, tool string, args map[string]any) string {
		line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args, "_meta": map[string]any{"traceparent": parent}}})
		return string(line) + "\n"
	}
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		call(1, "list_session", map[string]any{"action": `new "SECRET title"`}) + call(2, "list", map[string]any{"ops": []string{"add SECRET-line"}}) + call(3, "list_query", map[string]any{"q": "no-such-query"}))
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "SECRET-line") {
		t.Fatalf("%v\n%s%s", err, out, errs.String())
	}
	var names []string
	guests := 0
	for _, s := range r.spans {
		if hex.EncodeToString(s.TraceId) != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("the span %s is in another trace", s.Name)
		}
		if s.Kind == traceproto.Span_SPAN_KIND_SERVER {
			names = append(names, s.Name+" "+values(s.Attributes)["error.type"]+values(s.Attributes)["network.transport"])
		} else if s.Name == "guest" {
			guests++
		}
	}
	slices.Sort(names)
	if fmt.Sprint(names) != "[tools/call list pipe tools/call list_query tool_errorpipe tools/call list_session pipe]" || guests == 0 {
		t.Errorf("the spans are %v, %d of the guest", names, guests)
	}
	if r.metrics["mcp.server.operation.duration"] == nil || r.metrics["fcp.documents"] == nil || r.metrics["fcp.workers"] == nil {
		t.Errorf("the metrics are %v", r.metrics)
	}
	if strings.Contains(string(r.all), "SECRET") {
		t.Error("content of a document is sent")
	}
}

// The additional cost of a call with telemetry.
func BenchmarkTelemetry(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	stop, err := startTelemetry(command.TelemetryOptions{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer stop()
	what := timing.What{Method: "tools/call", Tool: "midi", Domain: "midi", Ops: 3}
	for b.Loop() {
		do(what, timing.Trace{}, timing.Trace{Parent: parent})
	}
}
