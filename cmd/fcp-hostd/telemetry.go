package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/fcp-host/fcp-host/cmd/internal/command"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/timing"
)

const (
	scope            = "github.com/fcp-host/fcp-host"
	defaultCollector = "http://localhost:4318" // OpenTelemetry's default
	flushTimeout     = 5 * time.Second         // how long the shutdown waits for the collector
	logInterval      = time.Minute             // of equal failures in the log
)

// enabled reports whether telemetry is sent, and returns an error if its settings are invalid.
func enabled(asked bool) (bool, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	on := asked
	for _, signal := range []string{"", "TRACES_", "METRICS_"} {
		name := "OTEL_EXPORTER_OTLP_" + signal + "ENDPOINT"
		if at := os.Getenv(name); at != "" {
			on = true
			if u, err := url.Parse(at); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return false, fmt.Errorf("%s must be a URL such as %s", name, defaultCollector)
			}
		}
	}
	for _, signal := range []string{"", "TRACES_", "METRICS_"} {
		name := "OTEL_EXPORTER_OTLP_" + signal + "PROTOCOL"
		if v := os.Getenv(name); on && v != "" && v != "http/protobuf" {
			return false, fmt.Errorf("%s is %q: only http/protobuf is supported, which collectors accept at port 4318", name, v)
		}
	}
	for _, name := range []string{"OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"} {
		if v := os.Getenv(name); on && v != "" && v != "otlp" && v != "none" {
			return false, fmt.Errorf("%s is %q: use otlp or none", name, v)
		}
	}
	return on, nil
}

// exports reports whether a signal, TRACES or METRICS, is exported.
func exports(signal string) bool { return os.Getenv("OTEL_"+signal+"_EXPORTER") != "none" }

// defaultEndpoint returns the default URL for a signal, and whether to use it: only if the environment names none.
func defaultEndpoint(signal, path string) (string, bool) {
	return defaultCollector + path, cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT")) == ""
}

// startTelemetry sends spans and metrics of calls to a collector, if asked to or if the environment names
// one.
func startTelemetry(w command.TelemetryOptions) (stop func(), err error) {
	on, err := enabled(w.Asked)
	if !on || err != nil {
		return nil, err
	}
	otel.SetLogger(logr.Discard()) // errors go to the handler instead
	otel.SetErrorHandler(&failures{log: w.Log})
	ctx := context.Background()
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "fcp-hostd"),
		attribute.String("service.version", w.Version), attribute.String("service.instance.id", rand.Text())),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, err
	}
	t := &telemetry{}
	var ends []func(context.Context) error
	end := func() {
		timing.Listen(nil)
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		for _, f := range ends {
			if err := f(ctx); err != nil {
				otel.Handle(err)
			}
		}
	}
	if exports("TRACES") {
		var o []otlptracehttp.Option
		if url, ok := defaultEndpoint("TRACES", "/v1/traces"); ok {
			o = append(o, otlptracehttp.WithEndpointURL(url))
		}
		e, err := otlptracehttp.New(ctx, o...)
		if err != nil {
			return nil, err
		}
		p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(e), sdktrace.WithResource(about))
		t.tracer, ends = p.Tracer(scope), append(ends, p.Shutdown)
	}
	if exports("METRICS") {
		var o []otlpmetrichttp.Option
		if url, ok := defaultEndpoint("METRICS", "/v1/metrics"); ok {
			o = append(o, otlpmetrichttp.WithEndpointURL(url))
		}
		e, err := otlpmetrichttp.New(ctx, o...)
		if err != nil {
			return nil, err
		}
		p := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(e)), sdkmetric.WithResource(about))
		ends = append(ends, p.Shutdown)
		if err := t.createMetrics(p.Meter(scope), w.Gauges); err != nil {
			end()
			return nil, err
		}
	}
	timing.Listen(t.record)
	w.Log.Info("telemetry is sent", "traces", exports("TRACES"), "metrics", exports("METRICS"))
	return end, nil
}

// telemetry converts the timings of calls to spans and metrics, following the semantic conventions
// for MCP. They contain no content, document, principal or session, and only names of tools and
// domains.
type telemetry struct {
	tracer  trace.Tracer // nil for no traces
	calls   metric.Float64Histogram
	appends metric.Float64Histogram // nil, like calls, for no metrics
}

// Buckets of durations, in seconds: those of the conventions, and some smaller ones for calls that
// take less than a millisecond.
var buckets = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// createMetrics creates the metrics.
func (t *telemetry) createMetrics(m metric.Meter, gauges []gate.Gauge) (err error) {
	var errs []error
	t.calls, err = m.Float64Histogram("mcp.server.operation.duration", metric.WithUnit("s"), metric.WithDescription("How long calls took."), metric.WithExplicitBucketBoundaries(buckets...))
	errs = append(errs, err)
	t.appends, err = m.Float64Histogram("fcp.journal.append.duration", metric.WithUnit("s"), metric.WithDescription("How long it took to make records of calls durable."), metric.WithExplicitBucketBoundaries(buckets...))
	errs = append(errs, err)
	for _, g := range gauges {
		_, err = m.Int64ObservableGauge(strings.ReplaceAll(g.Name, "_", "."), metric.WithDescription(g.Help),
			metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error { o.Observe(int64(g.Value())); return nil }))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// attributes returns the attributes of a call's span and metrics.
func attributes(m *timing.Measured) []attribute.KeyValue {
	transport := "tcp"
	if m.Piped {
		transport = "pipe"
	}
	list := []attribute.KeyValue{attribute.String("mcp.method.name", m.Method), attribute.String("network.transport", transport)}
	if m.Tool != m.Method {
		list = append(list, attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", m.Tool))
	}
	if m.Domain != "" {
		list = append(list, attribute.String("fcp.domain", m.Domain))
	}
	if m.Failed {
		list = append(list, attribute.String("error.type", "tool_error"))
	}
	return list
}

// record exports the span and the metrics of a call.
func (t *telemetry) record(m *timing.Measured) {
	ctx, about := context.Background(), attributes(m)
	if t.calls != nil {
		t.calls.Record(ctx, m.Ended.Sub(m.Began).Seconds(), metric.WithAttributes(about...))
		for _, s := range m.Stages {
			if s.Phase == timing.Journal {
				t.appends.Record(ctx, s.To.Sub(s.From).Seconds(), metric.WithAttributes(attribute.String("fcp.domain", m.Domain)))
			}
		}
	}
	if t.tracer == nil {
		return
	}
	// The message has its sender's trace context. The HTTP request may have another one, because it
	// can carry several messages.
	var links []trace.Link
	carried := contextOf(m.Carried)
	if caused := contextOf(m.Caused); caused.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, caused)
		if carried.IsValid() {
			links = []trace.Link{{SpanContext: carried}}
		}
	} else if carried.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, carried)
	}
	name := m.Method
	if m.Tool != m.Method {
		name += " " + m.Tool
	}
	about = append(about, attribute.Int("fcp.ops", m.Ops), attribute.Int("fcp.request.size", m.In), attribute.Int("fcp.response.size", m.Out))
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(m.Began), trace.WithAttributes(about...), trace.WithLinks(links...))
	if span.IsRecording() {
		for _, s := range m.Stages {
			if s.Phase != timing.Other {
				_, stage := t.tracer.Start(ctx, s.Phase.String(), trace.WithTimestamp(s.From))
				stage.End(trace.WithTimestamp(s.To))
			}
		}
		if m.Failed {
			span.SetStatus(codes.Error, "")
		}
	}
	span.End(trace.WithTimestamp(m.Ended))
}

// contextOf parses a client's trace context. A malformed one counts as none.
func contextOf(t timing.Trace) trace.SpanContext {
	if t.Parent == "" {
		return trace.SpanContext{}
	}
	from := propagation.MapCarrier{"traceparent": t.Parent, "tracestate": t.State}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), from))
}

// failures logs errors of telemetry, each text at most once a minute, because an unreachable
// collector repeats the same error every few seconds.
type failures struct {
	log *slog.Logger

	mu   sync.Mutex
	last string
	when time.Time
}

// Handle implements otel.ErrorHandler.
func (f *failures) Handle(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if text := err.Error(); text != f.last || time.Since(f.when) > logInterval {
		f.last, f.when = text, time.Now()
		f.log.Warn("telemetry cannot be sent", "error", err)
	}
}
