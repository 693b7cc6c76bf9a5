package mcpserver

import (
	"encoding/json"
	"strconv"
	"strings"
)

// incoming is what a transport reads of a message before mcp-go does: over HTTP of each, over stdio of those that need more than envelope.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params params          `json:"params"`
}

type params struct {
	RequestID json.RawMessage `json:"requestId"`
	Name      string          `json:"name"`
	URI       string          `json:"uri"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      struct {
		Version string          `json:"io.modelcontextprotocol/protocolVersion"`
		Token   json.RawMessage `json:"progressToken"`
	} `json:"_meta"`

	raw json.RawMessage
}

// UnmarshalJSON reads what has the right form.
func (p *params) UnmarshalJSON(data []byte) error {
	type fields params
	_ = json.Unmarshal(data, (*fields)(p)) // mcp-go reports what has another form
	p.raw = append(p.raw[:0], data...)     // the last one counts, as for other keys
	return nil
}

// readMessage reads a message. mcp-go reports invalid JSON; here it has no method.
func readMessage(data []byte) *incoming {
	var m incoming
	_ = json.Unmarshal(data, &m)
	return &m
}

// badParams returns why the params of a request cannot be used, or "": every method takes an object, and numbers in it must be ones that a
// float64 can hold.
func (m *incoming) badParams() string {
	p := m.Params.raw
	switch {
	case len(m.ID) == 0 || m.Method == "" || len(p) == 0 || string(p) == "null":
		return ""
	case p[0] != '{':
		return "params must be an object"
	case hasHugeNumber(p):
		return "params hold a number that is too large"
	}
	return ""
}

// hasHugeNumber reports whether valid JSON has a number outside of a string that no float64 can hold.
func hasHugeNumber(text []byte) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c >= '0' && c <= '9':
			end := i + 1
			for end < len(text) && strings.IndexByte("0123456789.eE+-", text[end]) >= 0 {
				end++
			}
			if _, err := strconv.ParseFloat(string(text[i:end]), 64); err != nil {
				return true
			}
			i = end - 1
		}
	}
	return false
}
