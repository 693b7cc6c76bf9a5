package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"mime"
	"net/http"

	"github.com/fcp-host/fcp-host/host/gate"
)

// maxBatch is how many messages a batch over HTTP may have.
const maxBatch = 1000

// batch answers the messages of a session's JSON-RPC batch, one after the other, on one event stream. Only revision
// 2025-03-26 of MCP has batches.
func (h *HTTP) batch(w http.ResponseWriter, r *http.Request, c *client, body []byte) {
	n := 0
	for _, err := range messages(body) { // check all messages before answering any
		if n++; err != nil {
			gate.Refuse(w, http.StatusBadRequest, "the batch is not valid JSON")
			return
		}
		if n > maxBatch {
			gate.Refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the batch has more than %d messages", maxBatch))
			return
		}
	}
	if n == 0 {
		gate.Refuse(w, http.StatusBadRequest, "the batch is empty")
		return
	}
	call, s := gate.Of(r.Context()), &eventStream{w: w}
	call.SetSeveral()
	n = 0
	for message := range messages(body) {
		if r.Context().Err() != nil {
			return // the client has disconnected
		}
		if n++; n > 1 {
			call.Next()
		}
		w, r, end := h.startTiming(&eventWriter{eventStream: s, header: http.Header{}}, r, len(message))
		h.post(w, r, c.principal, c, message, readMessage(message))
		end()
	}
	if !s.begun {
		w.WriteHeader(http.StatusAccepted)
	}
}

var errTrailing = errors.New("there is data after the batch")

// messages yields the messages of a batch. They are not collected, since a list of them can take much more memory than
// the batch.
func messages(batch []byte) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		d := json.NewDecoder(bytes.NewReader(batch))
		_, err := d.Token() // the bracket
		for err == nil && d.More() {
			var m json.RawMessage
			if err = d.Decode(&m); err == nil && !yield(m, nil) {
				return
			}
		}
		if err == nil {
			_, err = d.Token()
		}
		if err == nil && d.InputOffset() < int64(len(batch)) {
			err = errTrailing
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// eventStream is a response that becomes an event stream with the first event.
type eventStream struct {
	w     http.ResponseWriter
	begun bool
}

func (s *eventStream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
}

// eventWriter is the response to one message of a batch. mcp-go writes one message per Write.
type eventWriter struct {
	*eventStream
	header http.Header
}

// Header returns the header of the message's own response, which is not sent.
func (e *eventWriter) Header() http.Header { return e.header }

// WriteHeader does nothing: the stream has its own header.
func (e *eventWriter) WriteHeader(int) {}

// Write sends an answer as an event, or as it is if it is one already.
func (e *eventWriter) Write(b []byte) (int, error) {
	e.begin()
	out := b
	if kind, _, _ := mime.ParseMediaType(e.header.Get("Content-Type")); kind != "text/event-stream" {
		out = fmt.Appendf(nil, "event: message\ndata: %s\n\n", bytes.TrimSpace(b))
	}
	if _, err := e.w.Write(out); err != nil {
		return 0, err
	}
	e.Flush()
	return len(b), nil
}

// Flush sends what was written.
func (e *eventWriter) Flush() {
	// If flushing is not supported, everything is sent at the end.
	_ = http.NewResponseController(e.w).Flush()
}
