package otio

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// Object is an object to be written, in this order.
type Object []Field

// Field is one member of it.
type Field struct {
	Key   string
	Value any
}

// List is an array to be written.
type List []any

// Raw is JSON.
type Raw string

// write lays a value out: an Object, a List, a Raw, a string, a bool, an int, a
// float64, or nil.
func (d *Document) write(v any, indent string) string {
	w := writer{unit: d.unit, newline: d.newline}
	w.b.Grow(256)
	w.value(v, indent)
	return w.b.String()
}

// Print is a new document of a value.
func Print(v any) string {
	w := writer{unit: "    ", newline: "\n"}
	w.value(v, "")
	return w.b.String() + "\n"
}

type writer struct {
	b             strings.Builder
	unit, newline string
}

func (w *writer) value(v any, indent string) {
	switch v := v.(type) {
	case Object:
		w.list('{', '}', len(v), indent, func(i int, inner string) {
			w.quote(v[i].Key)
			w.b.WriteByte(':')
			if w.unit != "" {
				w.b.WriteByte(' ')
			}
			w.value(v[i].Value, inner)
		})
	case List:
		w.list('[', ']', len(v), indent, func(i int, inner string) { w.value(v[i], inner) })
	case Raw:
		w.b.WriteString(string(v))
	case string:
		w.quote(v)
	case bool:
		w.b.WriteString(strconv.FormatBool(v))
	case int:
		w.b.WriteString(strconv.Itoa(v))
	case float64:
		w.b.WriteString(Number(v))
	default:
		w.b.WriteString("null")
	}
}

// quote writes a string: most need no look at their letters.
func (w *writer) quote(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			w.b.WriteString(jsontree.Quote(s))
			return
		}
	}
	w.b.WriteByte('"')
	w.b.WriteString(s)
	w.b.WriteByte('"')
}

func (w *writer) list(begin, end byte, n int, indent string, item func(i int, inner string)) {
	w.b.WriteByte(begin)
	inner := indent + w.unit
	for i := range n {
		if i > 0 {
			w.b.WriteByte(',')
		}
		if w.unit != "" {
			w.b.WriteString(w.newline)
			w.b.WriteString(inner)
		}
		item(i, inner)
	}
	if n > 0 && w.unit != "" {
		w.b.WriteString(w.newline)
		w.b.WriteString(indent)
	}
	w.b.WriteByte(end)
}

// Number writes a number as OpenTimelineIO does: 24.0.
func Number(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// Time is a RationalTime.
func Time(value, rate float64) Object {
	return Object{{"OTIO_SCHEMA", "RationalTime.1"}, {"rate", rate}, {"value", value}}
}

// Range is a TimeRange.
func Range(start, duration, rate float64) Object {
	return Object{{"OTIO_SCHEMA", "TimeRange.1"}, {"duration", Time(duration, rate)}, {"start_time", Time(start, rate)}}
}
