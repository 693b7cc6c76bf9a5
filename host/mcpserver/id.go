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

// replacingWriter is a response in which stand-ins are replaced by what they stand for.
type replacingWriter struct {
	http.ResponseWriter
	of func() (standIn, real []byte, err error) // a nil standIn means that there is none
}

// Write sends b. mcp-go writes one message per Write.
func (r replacingWriter) Write(b []byte) (int, error) {
	standIn, real, err := r.of()
	if err != nil {
		return 0, err
	}
	out := b
	if standIn != nil {
		out = bytes.ReplaceAll(b, standIn, real)
	}
	if _, err := r.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush sends what was written, if the response is a stream.
func (r replacingWriter) Flush() {
	// If flushing is not supported, everything is sent at the end.
	_ = http.NewResponseController(r.ResponseWriter).Flush()
}
