package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/printable"
)

// Limits of JSON. Numbers are bounded because exact arithmetic on 1e999999999 takes gigabytes.
const (
	maxDepth    = 64   // nesting of arrays and objects
	maxNumber   = 512  // bytes of one number
	maxExponent = 1000 // absolute value
)

// Decode decodes one JSON value: objects as maps, numbers as json.Number. Unlike encoding/json it refuses text that two
// parsers may read differently: invalid UTF-8 and duplicate keys.
func Decode(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := value(d, nil)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is data after its end")
	}
	return v, nil
}

// value decodes the next value, whose place is path.
func value(d *json.Decoder, path []string) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, notJSON(err)
	}
	if len(path) > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	switch t := t.(type) {
	case json.Number:
		return t, number(t, path)
	case json.Delim:
		if t == '[' {
			return array(d, path)
		}
		return object(d, path)
	}
	return t, nil
}

func array(d *json.Decoder, path []string) (any, error) {
	list := []any{}
	for d.More() {
		v, err := value(d, append(path, strconv.Itoa(len(list))))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, notJSON(err)
}

func object(d *json.Decoder, path []string) (any, error) {
	m := map[string]any{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		key := t.(string) // the decoder returns no other type here
		if _, twice := m[key]; twice {
			return nil, fmt.Errorf("the key %s occurs twice", quote(key))
		}
		if m[key], err = value(d, append(path, key)); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return m, notJSON(err)
}

func notJSON(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("it is not JSON: %s", printable.Line(err.Error()))
}

func number(n json.Number, path []string) error {
	_, exponent, _ := strings.Cut(strings.ToLower(string(n)), "e")
	e, err := strconv.Atoi(exponent)
	if len(n) > maxNumber || exponent != "" && (err != nil || e > maxExponent || e < -maxExponent) {
		return fmt.Errorf("%sthe number %s has more than %d digits or an exponent beyond %d", at(path), printable.Cut(string(n), 24), maxNumber, maxExponent)
	}
	return nil
}

// Clean returns valid JSON without whitespace between tokens and with control and format characters escaped, so that it
// is safe to print. The value, the order of keys and the spelling of numbers stay the same.
func Clean(data []byte) []byte {
	var compact bytes.Buffer
	if json.Compact(&compact, data) != nil {
		return nil
	}
	data = compact.Bytes()
	out := make([]byte, 0, len(data))
	for r, shown := range printable.Runes(string(data)) {
		if shown {
			out = utf8.AppendRune(out, r)
		} else {
			out = append(out, printable.Escape(r)...)
		}
	}
	return out
}

// Visible returns a schema as Clean does, in which no text, once decoded, holds characters that nobody sees: they are escapes in the text. What
// it says in words, its descriptions and titles, is as mark returns it.
func Visible(data []byte, mark func(string) string) []byte {
	data = Clean(data)
	var out []byte
	key := "" // of the value that comes next
	for len(data) > 0 {
		if data[0] != '"' {
			if data[0] != ':' {
				key = ""
			}
			out, data = append(out, data[0]), data[1:]
			continue
		}
		end := 1
		for data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		var text string
		literal := data[:end+1]
		if json.Unmarshal(literal, &text) == nil {
			shown := text
			if printable.Hidden(text) > 0 {
				shown = printable.Text(text)
			}
			if key == "description" || key == "title" {
				shown = mark(shown)
			}
			if shown != text {
				literal, _ = json.Marshal(shown) // a string always encodes
			}
		}
		key = text
		out, data = append(out, literal...), data[end+1:]
	}
	return out
}

// A member is a key of an object with the bytes of its value.
type member struct {
	key   string
	value json.RawMessage
}

// members lists the members of an object in order. ok is false if data is not an object.
func members(data []byte) (list []member, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{key: t.(string)}
		if d.Decode(&m.value) != nil {
			return nil, false
		}
		list = append(list, m)
	}
	return list, true
}

// encode encodes an object from its members.
func encode(list []member) []byte {
	out := []byte("{")
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			panic(err) // a string always encodes
		}
		out = append(append(append(out, key...), ':'), m.value...)
	}
	return append(out, '}')
}

func quote(s string) string {
	return strconv.Quote(printable.Cut(printable.Line(printable.Cut(s, 64)), 64))
}
