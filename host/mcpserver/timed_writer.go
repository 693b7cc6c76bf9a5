package mcpserver

import (
	"net/http"

	"github.com/fcp-host/fcp-host/host/timing"
)

// startTiming starts timing a message of that many bytes. Call end when it is answered.
func (h *HTTP) startTiming(w http.ResponseWriter, r *http.Request, bytes int) (out http.ResponseWriter, with *http.Request, end func()) {
	call := timing.Start(h.c.Log, bytes)
	if call == nil {
		return w, r, func() {}
	}
	call.SetCarried(timing.Trace{Parent: r.Header.Get("traceparent"), State: r.Header.Get("tracestate")})
	return timedWriter{w, call}, r.WithContext(timing.With(r.Context(), call)), func() { call.Log(h.c.Log) }
}

// timedWriter is the response to a timed call.
type timedWriter struct {
	http.ResponseWriter
	call *timing.Call
}

// Write sends b. The time since the last lap was spent on encoding.
func (t timedWriter) Write(b []byte) (int, error) {
	t.call.Lap(timing.Encode)
	n, err := t.ResponseWriter.Write(b)
	t.call.EndWrite(n)
	return n, err
}

// Flush sends what was written, if the response is a stream.
func (t timedWriter) Flush() {
	// If flushing is not supported, everything is sent at the end.
	_ = http.NewResponseController(t.ResponseWriter).Flush()
}
