package api

import (
	"strconv"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// Fields builds a JSON object: raw JSON by name, in the order in which it was added.
type Fields []abi.KeyValue

// Raw adds a field that is JSON.
func (f Fields) Raw(name, value string) Fields {
	return append(f, abi.KeyValue{Key: name, Value: value})
}

// Text adds a string.
func (f Fields) Text(name, value string) Fields { return f.Raw(name, jsontree.Quote(value)) }

// Some adds a string unless it is empty.
func (f Fields) Some(name, value string) Fields {
	if value == "" {
		return f
	}
	return f.Text(name, value)
}

// Bool adds a boolean.
func (f Fields) Bool(name string, value bool) Fields {
	return f.Raw(name, strconv.FormatBool(value))
}

// JSON returns the object.
func (f Fields) JSON() []byte {
	b := []byte{'{'}
	for i, kv := range f {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, jsontree.Quote(kv.Key)+":"+kv.Value...)
	}
	return append(b, '}')
}
