package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// textFacts returns the lines of a text.
func textFacts(data []byte) (facts []string, err error) {
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n"), nil
}

// jsonFacts returns a fact for each value that is not an object or a list: .nodes[a].position.x=10. Elements of lists are named by their id
// or name, if they have one. The order of keys means nothing.
func jsonFacts(data []byte) ([]string, error) {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return flatten(nil, "", v), nil
}

// yamlFacts returns the same facts as jsonFacts.
func yamlFacts(data []byte) ([]string, error) {
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return flatten(nil, "", v), nil
}

// markdownFacts returns the front matter as yamlFacts does, and the lines of the text after it.
func markdownFacts(data []byte) ([]string, error) {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	var facts []string
	if matter, ok := strings.CutPrefix(text, "---\n"); ok {
		matter, body, closed := strings.Cut(matter, "\n---\n")
		if !closed {
			return nil, errors.New("the front matter has no end")
		}
		var err error
		if facts, err = yamlFacts([]byte(matter)); err != nil {
			return nil, err
		}
		text = body
	}
	lines, err := textFacts([]byte(text))
	return append(facts, lines...), err
}

func flatten(facts []string, path string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return append(facts, path+"={}")
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			facts = flatten(facts, path+"."+key, v[key])
		}
		return facts
	case []any:
		if len(v) == 0 {
			return append(facts, path+"=[]")
		}
		for _, e := range v {
			facts = flatten(facts, path+"["+nameOf(e)+"]", e)
		}
		return facts
	}
	return append(facts, fmt.Sprintf("%s=%v", path, v))
}

// nameOf returns what tells an element of a list from the others, or "".
func nameOf(v any) string {
	o, _ := v.(map[string]any)
	for _, key := range []string{"id", "name"} {
		if s, _ := o[key].(string); s != "" {
			return s
		}
	}
	return ""
}
