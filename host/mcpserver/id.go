package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
)

// mcp-go reads a JSON-RPC id into a value of Go's and writes that, so that it
// would give back 1.0 as 1 and 9007199254740993 as another number. Over HTTP it
// does so by itself; an id that it would change goes through it as a stand-in.

// standIn is the JSON of what stands for an id, nil for one that stays what it is.
func standIn(id json.RawMessage) json.RawMessage {
	var v any
	if len(id) == 0 || json.Unmarshal(id, &v) != nil {
		return nil
	}
	if kept, err := json.Marshal(v); err == nil && bytes.Equal(kept, id) {
		return nil
	}
	// A cancellation is another request, and must come to the same.
	sum := sha256.Sum256(id)
	return json.RawMessage(`"id-` + hex.EncodeToString(sum[:]) + `"`)
}

// withStandIn is the object in data with the stand-in under key.
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

// restored is a response in which the id is put where its stand-in is.
type restored struct {
	http.ResponseWriter
	standIn, id json.RawMessage
}

// Write sends b. mcp-go writes a message at a time.
func (r restored) Write(b []byte) (int, error) {
	if _, err := r.ResponseWriter.Write(bytes.ReplaceAll(b, r.standIn, r.id)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush lets a response be a stream.
func (r restored) Flush() {
	// Where it cannot be one, what was written goes out at its end.
	_ = http.NewResponseController(r.ResponseWriter).Flush()
}
