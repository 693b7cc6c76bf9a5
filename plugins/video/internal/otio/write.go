package otio

import (
	"bytes"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// Object is an object to be written, with its members in order.
type Object []Field

// Field is a member of an Object.
type Field struct {
	Key   string
	Value any
}

// List is an array to be written.
type List []any

// Raw is JSON text that is written unchanged.
type Raw string

// write returns the text of a value: an Object, a List, a Raw, a string, a bool, an int, a float64, or nil.
func (d *Document) write(v any, indent string) string {
	w := writer{b: d.scratch[:0], unit: d.indentUnit, newline: d.newline, pad: indent}
	w.value(v, len(indent))
	d.scratch = w.b
	return string(w.b)
}

// Print returns the text of a new document.
func Print(v any) string {
	w := writer{unit: "    ", newline: "\n"}
	w.value(v, 0)
	return string(w.b) + "\n"
}

type writer struct {
	b             []byte
	unit, newline string
	pad           string // white space for indentations
}

// value writes a value on a line with the given indentation in bytes.
func (w *writer) value(v any, indent int) {
	switch v := v.(type) {
	case Object:
		w.list('{', '}', len(v), indent, func(i, inner int) {
			w.quote(v[i].Key)
			w.b = append(w.b, ':')
			if w.unit != "" {
				w.b = append(w.b, ' ')
			}
			w.value(v[i].Value, inner)
		})
	case List:
		w.list('[', ']', len(v), indent, func(i, inner int) { w.value(v[i], inner) })
	case Raw:
		w.b = append(w.b, v...)
	case string:
		w.quote(v)
	case bool:
		w.b = strconv.AppendBool(w.b, v)
	case int:
		w.b = strconv.AppendInt(w.b, int64(v), 10)
	case float64:
		w.b = appendNumber(w.b, v)
	default:
		w.b = append(w.b, "null"...)
	}
}

// quote writes a string. Most strings need no escaping, and are copied.
func (w *writer) quote(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			w.b = append(w.b, jsontree.Quote(s)...)
			return
		}
	}
	w.b = append(w.b, '"')
	w.b = append(w.b, s...)
	w.b = append(w.b, '"')
}

func (w *writer) list(begin, end byte, n, indent int, item func(i, inner int)) {
	w.b = append(w.b, begin)
	inner := indent + len(w.unit)
	if len(w.pad) < inner {
		w.pad += w.unit
	}
	for i := range n {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.line(inner)
		item(i, inner)
	}
	if n > 0 {
		w.line(indent)
	}
	w.b = append(w.b, end)
}

// line starts a new line, if the document has lines.
func (w *writer) line(indent int) {
	if w.unit != "" {
		w.b = append(w.b, w.newline...)
		w.b = append(w.b, w.pad[:indent]...)
	}
}

// appendNumber prints a number as OpenTimelineIO does: 24.0.
func appendNumber(b []byte, f float64) []byte {
	from := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	if !bytes.ContainsRune(b[from:], '.') {
		b = append(b, ".0"...)
	}
	return b
}

// Time returns a RationalTime.
func Time(value, rate float64) Object {
	return Object{{"OTIO_SCHEMA", "RationalTime.1"}, {"rate", rate}, {"value", value}}
}

// Range returns a TimeRange.
func Range(start, duration, rate float64) Object {
	return Object{{"OTIO_SCHEMA", "TimeRange.1"}, {"duration", Time(duration, rate)}, {"start_time", Time(start, rate)}}
}
