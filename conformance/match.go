package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// generic converts a value to what encoding/json decodes, so that it can be compared with a fixture.
func generic(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out any
	return out, json.Unmarshal(data, &out)
}

// mismatch says where got differs from expected, or returns "".
func mismatch(expected, got any) string { return differ(expected, got, "") }

func differ(expected, got any, at string) string {
	switch e := expected.(type) {
	case map[string]any:
		if matcher, ok := matchers(e, got, at); ok {
			return matcher
		}
		return differMap(e, got, at)
	case []any:
		g, ok := got.([]any)
		if !ok {
			return place(at, e, got)
		}
		if len(e) != len(g) {
			return fmt.Sprintf("%sexpected %d elements, got %d", where(at), len(e), len(g))
		}
		for i := range e {
			if d := differ(e[i], g[i], fmt.Sprintf("%s[%d]", at, i)); d != "" {
				return d
			}
		}
		return ""
	case string:
		if g, ok := got.(map[string]any); ok && g["raw"] != nil {
			got = g["raw"] // a selector, written as a string
		}
	case bool:
		// An error may be expected as true, or by its message.
		if text, ok := got.(string); ok && strings.HasSuffix(at, "_error") && e == (text != "") {
			return ""
		}
	case nil:
		if got == "" {
			return "" // null stands for no value
		}
	}
	if expected != got {
		return place(at, expected, got)
	}
	return ""
}

func differMap(e map[string]any, got any, at string) string {
	g, ok := got.(map[string]any)
	if !ok {
		return place(at, e, got)
	}
	for key, want := range e {
		if key == "description" || key == "notes" {
			continue
		}
		path := strings.TrimPrefix(at+"."+key, ".")
		have, ok := g[key]
		if !ok {
			return fmt.Sprintf("%sexpected %s, got none", where(path), show(want))
		}
		if d := differ(want, have, path); d != "" {
			return d
		}
		// Parameters must match completely.
		wants, isMap := want.(map[string]any)
		haves, _ := have.(map[string]any)
		if isMap && (key == "params" || key == "args") && len(wants) != len(haves) {
			return place(path, want, have)
		}
	}
	return ""
}

// matchers are objects that describe a text: {"contains": …} (all items of a list), {"matches": RE2}.
func matchers(e map[string]any, got any, at string) (string, bool) {
	if len(e) != 1 {
		return "", false
	}
	text, isText := got.(string)
	if c, ok := e["contains"]; ok && isText {
		list, many := c.([]any)
		if !many {
			list = []any{c}
		}
		for _, part := range list {
			if s, _ := part.(string); !strings.Contains(strings.ToLower(text), strings.ToLower(s)) {
				return fmt.Sprintf("%sexpected a text with %q, got %s", where(at), part, show(got)), true
			}
		}
		return "", true
	}
	if m, ok := e["matches"].(string); ok && isText {
		re, err := regexp.Compile(m)
		if err != nil {
			return fmt.Sprintf("%sthe fixture's pattern is wrong: %v", where(at), err), true
		}
		if !re.MatchString(text) {
			return fmt.Sprintf("%sexpected a text that matches %s, got %s", where(at), m, show(got)), true
		}
		return "", true
	}
	return "", false
}

func place(at string, expected, got any) string {
	return fmt.Sprintf("%sexpected %s, got %s", where(at), show(expected), show(got))
}

func where(at string) string {
	if at == "" {
		return ""
	}
	return at + ": "
}

// show formats a value as JSON.
func show(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(b.String())
}
