package abi

import (
	"encoding/binary"
	"slices"
)

// The messages that carry ops, events and queries are encoded and decoded by
// hand, with the same bytes as the reflecting codec gives (a test holds one
// against the other). In a guest that costs 5 µs an op instead of 33.

func appendMessage(b []byte, v any) (_ []byte, ok bool) {
	switch m := v.(type) {
	case *ApplyRequest:
		return appendApplyRequest(slices.Grow(b, m.room()), m), true
	case *ApplyResponse:
		return appendApplyResponse(slices.Grow(b, m.room()), m), true
	case *EventsRequest:
		b = slices.Grow(b, 32+eventsRoom(m.Events))
		b = appendKey(AppendMap(b, 1), "events")
		return appendList(b, m.Events, appendEvent), true
	case *StateResponse:
		return appendState(appendKey(AppendMap(b, 1), "state"), &m.State), true
	case *QueryRequest:
		return appendQueryRequest(slices.Grow(b, 64+m.Query.room()+stringsRoom(m.Recent)), m), true
	case *QueryResponse:
		return appendQueryResponse(slices.Grow(b, m.room()), m), true
	}
	return b, false
}

func appendQueryRequest(b []byte, m *QueryRequest) []byte {
	b = AppendMap(b, 1+present(len(m.Recent) > 0)+present(m.First != 0)+present(m.Lines != 0))
	b = appendOp(appendKey(b, "query"), &m.Query)
	b = appendStrings(b, "recent", m.Recent)
	b = appendCount(b, "first", m.First)
	return appendCount(b, "lines", m.Lines)
}

func appendQueryResponse(b []byte, m *QueryResponse) []byte {
	b = AppendMap(b, 1+present(m.Total != 0)+present(len(m.Content) > 0))
	b = AppendString(appendKey(b, "text"), m.Text)
	b = appendCount(b, "total", m.Total)
	if len(m.Content) > 0 {
		b = appendList(appendKey(b, "content"), m.Content, func(b []byte, c *Content) []byte {
			b = AppendString(appendKey(AppendMap(b, 2), "mime"), c.MIME)
			return AppendBytes(appendKey(b, "data"), c.Data)
		})
	}
	return b
}

// appendCount writes a number that is left out when it is 0.
func appendCount(b []byte, key string, n int) []byte {
	if n == 0 {
		return b
	}
	return AppendInt(appendKey(b, key), n)
}

func appendApplyRequest(b []byte, m *ApplyRequest) []byte {
	b = AppendMap(b, 1+present(m.Each)+present(len(m.Recent) > 0))
	b = appendList(appendKey(b, "ops"), m.Ops, appendOp)
	if m.Each {
		b = append(appendKey(b, "each"), 0xc3)
	}
	return appendStrings(b, "recent", m.Recent)
}

func appendOp(b []byte, o *Op) []byte {
	b = AppendMap(b, 2+present(len(o.Positionals) > 0)+present(len(o.Params) > 0)+present(len(o.Selectors) > 0)+
		present(len(o.Arrows) > 0)+present(len(o.Block) > 0))
	b = AppendString(appendKey(b, "verb"), o.Verb)
	if len(o.Positionals) > 0 {
		b = appendList(appendKey(b, "positionals"), o.Positionals, func(b []byte, p *Positional) []byte {
			b = AppendString(appendKey(AppendMap(b, 1+present(p.Quoted)), "text"), p.Text)
			return appendTrue(b, "quoted", p.Quoted)
		})
	}
	if len(o.Params) > 0 {
		b = appendList(appendKey(b, "params"), o.Params, func(b []byte, p *KeyValue) []byte {
			b = AppendString(appendKey(AppendMap(b, 2+present(p.Quoted)), "key"), p.Key)
			b = AppendString(appendKey(b, "value"), p.Value)
			return appendTrue(b, "quoted", p.Quoted)
		})
	}
	if len(o.Selectors) > 0 {
		b = appendList(appendKey(b, "selectors"), o.Selectors, func(b []byte, s *Select) []byte {
			b = AppendMap(b, 2+present(s.Value != "")+present(s.Negated))
			b = AppendString(appendKey(b, "raw"), s.Raw)
			b = AppendString(appendKey(b, "type"), s.Type)
			if s.Value != "" {
				b = AppendString(appendKey(b, "value"), s.Value)
			}
			return appendTrue(b, "negated", s.Negated)
		})
	}
	if len(o.Arrows) > 0 {
		b = appendList(appendKey(b, "arrows"), o.Arrows, func(b []byte, n *int) []byte { return AppendInt(b, *n) })
	}
	b = AppendString(appendKey(b, "raw"), o.Raw)
	return appendStrings(b, "block", o.Block)
}

func appendApplyResponse(b []byte, m *ApplyResponse) []byte {
	b = appendList(appendKey(AppendMap(b, 2), "results"), m.Results, appendResult)
	return appendState(appendKey(b, "state"), &m.State)
}

func appendResult(b []byte, r *Result) []byte {
	b = AppendMap(b, present(r.Kind != "")+present(r.Text != "")+present(len(r.Events) > 0)+present(len(r.IDs) > 0)+
		present(len(r.Warnings) > 0)+present(r.Error != nil))
	if r.Kind != "" {
		b = AppendString(appendKey(b, "kind"), string(r.Kind))
	}
	if r.Text != "" {
		b = AppendString(appendKey(b, "text"), r.Text)
	}
	if len(r.Events) > 0 {
		b = appendList(appendKey(b, "events"), r.Events, appendEvent)
	}
	b = appendStrings(b, "ids", r.IDs)
	b = appendStrings(b, "warnings", r.Warnings)
	if r.Error != nil {
		b = AppendMap(appendKey(b, "error"), 1+present(len(r.Error.Try) > 0))
		b = AppendString(appendKey(b, "message"), r.Error.Message)
		if len(r.Error.Try) > 0 {
			b = appendList(appendKey(b, "try"), r.Error.Try, appendSuggestion)
		}
	}
	return b
}

func appendSuggestion(b []byte, s *Suggestion) []byte {
	b = AppendMap(b, 1+present(s.Kind != ""))
	if s.Kind != "" {
		b = AppendString(appendKey(b, "kind"), s.Kind)
	}
	return AppendString(appendKey(b, "text"), s.Text)
}

func appendEvent(b []byte, e *Event) []byte {
	b = AppendMap(b, 1+present(e.Summary != "")+present(len(e.IDs) > 0)+present(len(e.Data) > 0))
	b = AppendString(appendKey(b, "type"), e.Type)
	if e.Summary != "" {
		b = AppendString(appendKey(b, "summary"), e.Summary)
	}
	b = appendStrings(b, "ids", e.IDs)
	if len(e.Data) > 0 {
		b = AppendBytes(appendKey(b, "data"), e.Data)
	}
	return b
}

func appendState(b []byte, s *State) []byte {
	b = AppendMap(b, 1+present(s.Title != "")+present(len(s.Counts) > 0)+present(len(s.Warnings) > 0))
	b = AppendString(appendKey(b, "digest"), s.Digest)
	if s.Title != "" {
		b = AppendString(appendKey(b, "title"), s.Title)
	}
	if len(s.Counts) > 0 {
		b = appendList(appendKey(b, "counts"), s.Counts, func(b []byte, c *Count) []byte {
			b = AppendString(appendKey(AppendMap(b, 2), "name"), c.Name)
			return AppendInt(appendKey(b, "value"), c.Value)
		})
	}
	return appendStrings(b, "warnings", s.Warnings)
}

// room is about what the message takes, in bytes, and rarely less: a buffer
// that grows step by step takes several times as much.
func (m *ApplyRequest) room() int {
	n := 64
	for i := range m.Ops {
		n += m.Ops[i].room()
	}
	return n + stringsRoom(m.Recent)
}

func (o *Op) room() int {
	n := 48 + len(o.Verb) + len(o.Raw)
	for k := range o.Positionals {
		n += 20 + len(o.Positionals[k].Text)
	}
	for k := range o.Params {
		n += 28 + len(o.Params[k].Key) + len(o.Params[k].Value)
	}
	for k := range o.Selectors {
		n += 48 + len(o.Selectors[k].Raw) + len(o.Selectors[k].Value)
	}
	return n + 3*len(o.Arrows) + stringsRoom(o.Block)
}

func (m *QueryResponse) room() int {
	n := 32 + len(m.Text)
	for i := range m.Content {
		n += 24 + len(m.Content[i].MIME) + len(m.Content[i].Data)
	}
	return n
}

func (m *ApplyResponse) room() int {
	n := 256
	for i := range m.Results {
		r := &m.Results[i]
		n += 48 + len(r.Text) + eventsRoom(r.Events) + stringsRoom(r.IDs) + stringsRoom(r.Warnings)
	}
	return n + stringsRoom(m.State.Warnings)
}

func eventsRoom(events []Event) int {
	n := 0
	for i := range events {
		e := &events[i]
		n += 40 + len(e.Type) + len(e.Summary) + len(e.Data) + stringsRoom(e.IDs)
	}
	return n
}

func stringsRoom(list []string) int {
	n := 12
	for _, s := range list {
		n += 5 + len(s)
	}
	return n
}

func present(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// AppendArray writes the head of an array of n elements, which follow.
func AppendArray(b []byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, 0x90|byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, 0xdc), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, 0xdd), uint32(n))
}

// AppendMap writes the head of a map of at most 15 fields, which follow.
func AppendMap(b []byte, fields int) []byte { return append(b, 0x80|byte(fields)) }

// appendKey writes a field's name, of at most 31 bytes.
func appendKey(b []byte, key string) []byte { return append(append(b, 0xa0|byte(len(key))), key...) }

func appendTrue(b []byte, key string, yes bool) []byte {
	if !yes {
		return b
	}
	return append(appendKey(b, key), 0xc3)
}

func appendList[T any](b []byte, list []T, item func([]byte, *T) []byte) []byte {
	if list == nil {
		return append(b, 0xc0)
	}
	b = AppendArray(b, len(list))
	for i := range list {
		b = item(b, &list[i])
	}
	return b
}

// appendStrings writes a field that is left out when it is empty.
func appendStrings(b []byte, key string, list []string) []byte {
	if len(list) == 0 {
		return b
	}
	return appendList(appendKey(b, key), list, func(b []byte, s *string) []byte { return AppendString(b, *s) })
}

// AppendString writes a string.
func AppendString(b []byte, s string) []byte {
	switch n := len(s); {
	case n < 32:
		b = append(b, 0xa0|byte(n))
	case n < 1<<8:
		b = append(b, 0xd9, byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0xda), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xdb), uint32(n))
	}
	return append(b, s...)
}

// AppendBytes writes data; nil is nil.
func AppendBytes(b, data []byte) []byte {
	if data == nil {
		return append(b, 0xc0)
	}
	switch n := len(data); {
	case n < 1<<8:
		b = append(b, 0xc4, byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0xc5), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xc6), uint32(n))
	}
	return append(b, data...)
}

// AppendInt writes an integer.
func AppendInt(b []byte, n int) []byte {
	switch {
	case n >= 0 && n < 1<<7:
		return append(b, byte(n))
	case n >= 0 && n < 1<<8:
		return append(b, 0xcc, byte(n))
	case n >= 0 && n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, 0xcd), uint16(n))
	case n >= 0 && int64(n) < 1<<32:
		return binary.BigEndian.AppendUint32(append(b, 0xce), uint32(n))
	case n >= 0:
		return binary.BigEndian.AppendUint64(append(b, 0xcf), uint64(n))
	case n >= -32:
		return append(b, byte(int8(n)))
	case n >= -1<<7:
		return append(b, 0xd0, byte(int8(n)))
	case n >= -1<<15:
		return binary.BigEndian.AppendUint16(append(b, 0xd1), uint16(int16(n)))
	case int64(n) >= -1<<31:
		return binary.BigEndian.AppendUint32(append(b, 0xd2), uint32(int32(n)))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xd3), uint64(n))
}
