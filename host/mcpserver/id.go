package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
)

// mcp-go decodes a JSON-RPC id into a Go value and encodes that, which turns 1.0 into 1 and 9007199254740993 into
// another number. Over HTTP, an id that it would change is therefore replaced by a stand-in while mcp-go handles the
// message.

// standIn returns the JSON of a stand-in for an id, or nil if mcp-go would not change the id.
func standIn(id json.RawMessage) json.RawMessage {
	var v any
	if len(id) == 0 || json.Unmarshal(id, &v) != nil {
		return nil
	}
	if kept, err := json.Marshal(v); err == nil && bytes.Equal(kept, id) {
		return nil
	}
	// A hash, since a cancellation refers to the id in another request.
	sum := sha256.Sum256(id)
	return json.RawMessage(`"id-` + hex.EncodeToString(sum[:]) + `"`)
}

// withStandIn replaces the value of key in the JSON object data.
func withStandIn(data []byte, key string, standIn json.RawMessage) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil {
		return data
	}
	object[key] = standIn
	out, err := json.Marshal(object)
	if err != nil {
		return data
	}
	return out
}

// idWriter is a response that replaces the stand-in by the id.
type idWriter struct {
	http.ResponseWriter
	standIn, id json.RawMessage
}

// Write sends b. mcp-go writes one message per Write.
func (r idWriter) Write(b []byte) (int, error) {
	if _, err := r.ResponseWriter.Write(bytes.ReplaceAll(b, r.standIn, r.id)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush sends what was written, if the response is a stream.
func (r idWriter) Flush() {
	// If flushing is not supported, everything is sent at the end.
	_ = http.NewResponseController(r.ResponseWriter).Flush()
}
