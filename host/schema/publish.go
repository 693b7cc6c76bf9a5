package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Input returns the schema of a tool's arguments as clients see it: without alternatives at the root, since a large
// vendor's API refuses every request with such a schema. Check still enforces them. The schema must describe an object.
func Input(data []byte) ([]byte, error) {
	list, ok := members(data)
	if !ok || !isObject(list) {
		return nil, errors.New(`the schema of arguments needs "type": "object" at its root`)
	}
	return checkReferences(encode(withoutAlternatives(list)))
}

// Output returns the schema of a tool's structured result as clients see it, with an object at the root. If the schema
// describes anything else, wrapped is true and a result is sent as {"result": VALUE}. Every object may also have
// warnings: where the schema allows no other keys, this one is added.
func Output(data []byte) (published []byte, wrapped bool, err error) {
	list, ok := members(data)
	if ok && isObject(list) {
		published, err = checkReferences(encode(withWarnings(withoutAlternatives(list))))
		return published, false, err
	}
	if !ok { // the schema true or false
		return []byte(`{"type":"object","properties":{"result":` + string(Clean(data)) + `},"required":["result"]}`), true, nil
	}
	// References are relative to the root, so the definitions stay there.
	out := []member{{"type", json.RawMessage(`"object"`)}}
	for i := 0; i < len(list); i++ {
		if m := list[i]; slices.Contains([]string{"$schema", "$id", "$defs", "definitions"}, m.key) {
			m.value = rebaseReferences(m.value)
			out = append(out, m)
			list = slices.Delete(list, i, i+1)
			i--
		}
	}
	result := encode([]member{{"result", rebaseReferences(encode(list))}})
	out = append(out, member{"properties", result}, member{"required", json.RawMessage(`["result"]`)})
	published, err = checkReferences(encode(out))
	return published, true, err
}

// withWarnings declares warnings in a schema that would refuse them.
func withWarnings(list []member) []member {
	list = slices.Clone(list)
	closed := slices.ContainsFunc(list, func(m member) bool {
		return (m.key == "additionalProperties" || m.key == "unevaluatedProperties") && string(bytes.TrimSpace(m.value)) == "false"
	})
	if !closed {
		return list
	}
	const warnings = `{"type":"array","items":{"type":"string"}}`
	i := slices.IndexFunc(list, func(m member) bool { return m.key == "properties" })
	if i < 0 {
		return append(list, member{"properties", json.RawMessage(`{"` + WarningsKey + `":` + warnings + `}`)})
	}
	if own, ok := members(list[i].value); ok && !slices.ContainsFunc(own, func(m member) bool { return m.key == WarningsKey }) {
		list[i].value = encode(append(own, member{WarningsKey, json.RawMessage(warnings)}))
	}
	return list
}

// WarningsKey is the key of a structured result under which the host adds its warnings.
const WarningsKey = "warnings"

// AddWarnings adds warnings to a structured result: after those that it has, if it has a list of texts. ok is false for
// a result that is no object, or whose warnings are something else.
func AddWarnings(data []byte, warnings []string) (out []byte, ok bool) {
	list, ok := members(data)
	if !ok {
		return nil, false
	}
	i := slices.IndexFunc(list, func(m member) bool { return m.key == WarningsKey })
	if i < 0 {
		i, list = len(list), append(list, member{key: WarningsKey})
	} else {
		var own []string
		if json.Unmarshal(list[i].value, &own) != nil {
			return nil, false
		}
		warnings = slices.Concat(own, warnings)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(warnings); err != nil {
		panic(err) // texts always encode
	}
	list[i].value = Clean(text.Bytes())
	return encode(list), true
}

// Without returns the JSON object data without the members whose keys drop reports. Everything else stays byte for byte,
// but for blanks between members. Data that is no object, or has no such member, is returned as it is.
func Without(data []byte, drop func(key string) bool) []byte {
	list, ok := members(data)
	if !ok || !slices.ContainsFunc(list, func(m member) bool { return drop(m.key) }) {
		return data
	}
	return encode(slices.DeleteFunc(list, func(m member) bool { return drop(m.key) }))
}

// checkReferences returns a published schema if everything it refers to is in it.
func checkReferences(data []byte) ([]byte, error) {
	if _, err := Compile(data); err != nil {
		return nil, errors.New("it cannot be published: a reference needs what is at its root (" + err.Error() + ")")
	}
	return Clean(data), nil
}

func isObject(list []member) bool {
	return slices.ContainsFunc(list, func(m member) bool { return m.key == "type" && string(bytes.TrimSpace(m.value)) == `"object"` })
}

// withoutAlternatives removes alternatives at the root.
func withoutAlternatives(list []member) []member {
	return slices.DeleteFunc(slices.Clone(list), func(m member) bool { return m.key == "anyOf" || m.key == "oneOf" || m.key == "allOf" })
}

// rebaseReferences returns a part of a schema with references to the root changed to its new place.
func rebaseReferences(data json.RawMessage) json.RawMessage {
	if !bytes.Contains(data, []byte(`"$ref"`)) {
		return data
	}
	if list, ok := members(data); ok {
		for i := range list {
			var ref string
			if list[i].key != "$ref" || json.Unmarshal(list[i].value, &ref) != nil {
				list[i].value = rebaseReferences(list[i].value)
				continue
			}
			rest, local := strings.CutPrefix(ref, "#")
			if local && (rest == "" || strings.HasPrefix(rest, "/")) && !strings.HasPrefix(rest, "/$defs/") && !strings.HasPrefix(rest, "/definitions/") {
				text, err := json.Marshal("#/properties/result" + rest)
				if err != nil {
					panic(err) // a string always encodes
				}
				list[i].value = text
			}
		}
		return encode(list)
	}
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		return data
	}
	for i := range items {
		items[i] = rebaseReferences(items[i])
	}
	return slices.Concat([]byte("["), bytes.Join(toBytes(items), []byte(",")), []byte("]"))
}

func toBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i := range list {
		out[i] = list[i]
	}
	return out
}
