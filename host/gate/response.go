package gate

import (
	"encoding/json"
	"net/http"
	"time"
)

// Refuse answers with a JSON-RPC error without an id.
func Refuse(w http.ResponseWriter, status int, text string) {
	const invalidRequest = -32600
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// An error means that the client has disconnected.
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": invalidRequest, "message": text}})
}

// Busy refuses a request that may succeed a little later.
func Busy(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Retry-After", "1")
	Refuse(w, status, text+"; try again later")
}

// response is a response that records its status and sets write deadlines.
type response struct {
	http.ResponseWriter
	call *Call // nil before the caller is identified
	code int
}

// WriteHeader sends the status, or 403 for a call that lacks a scope.
func (a *response) WriteHeader(status int) {
	if a.code == 0 && a.call.addScopeChallenge(a.Header()) {
		status = http.StatusForbidden
	}
	if a.code == 0 {
		a.code = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// extend gives the client time to read the next n bytes. A client that reads nothing delays only its own call, and not
// forever.
func (a *response) extend(n int) {
	// An error means that there is no real connection.
	_ = http.NewResponseController(a.ResponseWriter).SetWriteDeadline(time.Now().Add(stall * time.Duration(1+n>>20)))
}

// Write sends b.
func (a *response) Write(b []byte) (int, error) {
	a.extend(len(b))
	if a.code == 0 {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(b)
}

// Flush sends what was written, if the response is a stream.
func (a *response) Flush() {
	a.extend(0)
	if a.code == 0 {
		a.WriteHeader(http.StatusOK)
	}
	// If flushing is not supported, everything is sent at the end.
	_ = http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap returns the underlying response, for http.ResponseController.
func (a *response) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *response) status() int {
	if a.code == 0 {
		return http.StatusOK
	}
	return a.code
}
