package abi

import (
	"fmt"
	"math"
	"strings"
)

// parseMessage decodes the messages that appendMessage encodes. data passed
// Check. ok is false for other types.
func parseMessage(data []byte, v any) (ok bool, err error) {
	// One copy for all strings. Those of a request live as long as the call,
	// so they may share it; what a response says stays in the log for long, and
	// one kept line must not hold a whole batch.
	r := &reader{s: string(data)}
	switch m := v.(type) {
	case *ApplyRequest:
		r.share = true
		r.applyRequest(m)
	case *ApplyResponse:
		r.applyResponse(m)
	case *QueryRequest:
		r.share = true
		r.queryRequest(m)
	case *QueryResponse:
		r.queryResponse(m)
	case *EventsRequest:
		r.share = true
		r.fields(func(key string) bool {
			if key == "events" {
				m.Events = list(r, MaxEvents, r.event)
				return true
			}
			return false
		})
	case *StateResponse:
		r.fields(func(key string) bool {
			if key == "state" {
				r.state(&m.State)
				return true
			}
			return false
		})
	default:
		return false, nil
	}
	return true, r.err
}

func (r *reader) applyRequest(m *ApplyRequest) {
	r.fields(func(key string) bool {
		switch key {
		case "ops":
			m.Ops = list(r, MaxOps, r.op)
		case "each":
			m.Each = r.bool()
		case "recent":
			m.Recent = list(r, MaxElements, r.text)
		default:
			return false
		}
		return true
	})
}

func (r *reader) queryRequest(m *QueryRequest) {
	r.fields(func(key string) bool {
		switch key {
		case "query":
			r.op(&m.Query)
		case "recent":
			m.Recent = list(r, MaxElements, r.text)
		case "first":
			r.integer(&m.First)
		case "lines":
			r.integer(&m.Lines)
		default:
			return false
		}
		return true
	})
}

func (r *reader) queryResponse(m *QueryResponse) {
	r.fields(func(key string) bool {
		switch key {
		case "text":
			m.Text = r.string()
		case "total":
			r.integer(&m.Total)
		case "content":
			m.Content = list(r, MaxElements, r.content)
		default:
			return false
		}
		return true
	})
}

func (r *reader) content(c *Content) {
	r.fields(func(key string) bool {
		switch key {
		case "mime":
			c.MIME = r.string()
		case "data":
			c.Data = r.bytes()
		default:
			return false
		}
		return true
	})
}

func (r *reader) op(o *Op) {
	r.fields(func(key string) bool {
		switch key {
		case "verb":
			o.Verb = r.string()
		case "positionals":
			o.Positionals = list(r, MaxElements, r.positional)
		case "params":
			o.Params = list(r, MaxElements, r.keyValue)
		case "selectors":
			o.Selectors = list(r, MaxElements, r.selector)
		case "arrows":
			o.Arrows = list(r, MaxElements, r.integer)
		case "raw":
			o.Raw = r.string()
		case "block":
			o.Block = list(r, MaxElements, r.text)
		default:
			return false
		}
		return true
	})
}

func (r *reader) positional(p *Positional) {
	r.fields(func(key string) bool {
		switch key {
		case "text":
			p.Text = r.string()
		case "quoted":
			p.Quoted = r.bool()
		default:
			return false
		}
		return true
	})
}

func (r *reader) keyValue(p *KeyValue) {
	r.fields(func(key string) bool {
		switch key {
		case "key":
			p.Key = r.string()
		case "value":
			p.Value = r.string()
		case "quoted":
			p.Quoted = r.bool()
		default:
			return false
		}
		return true
	})
}

func (r *reader) selector(s *Select) {
	r.fields(func(key string) bool {
		switch key {
		case "raw":
			s.Raw = r.string()
		case "type":
			s.Type = r.string()
		case "value":
			s.Value = r.string()
		case "negated":
			s.Negated = r.bool()
		default:
			return false
		}
		return true
	})
}

func (r *reader) applyResponse(m *ApplyResponse) {
	r.fields(func(key string) bool {
		switch key {
		case "results":
			m.Results = list(r, MaxOps, r.result)
		case "state":
			r.state(&m.State)
		default:
			return false
		}
		return true
	})
}

func (r *reader) result(res *Result) {
	r.fields(func(key string) bool {
		switch key {
		case "kind":
			res.Kind = Kind(r.string())
		case "text":
			res.Text = r.string()
		case "events":
			res.Events = list(r, MaxEvents, r.event)
		case "ids":
			res.IDs = list(r, MaxElements, r.text)
		case "warnings":
			res.Warnings = list(r, MaxElements, r.text)
		case "error":
			if r.null() {
				res.Error = nil
				return true
			}
			if res.Error == nil {
				res.Error = new(Error)
			}
			r.refusal(res.Error)
		default:
			return false
		}
		return true
	})
}

func (r *reader) refusal(e *Error) {
	r.fields(func(key string) bool {
		switch key {
		case "message":
			e.Message = r.string()
		case "try":
			e.Try = list(r, MaxElements, r.suggestion)
		default:
			return false
		}
		return true
	})
}

func (r *reader) suggestion(s *Suggestion) {
	if c := r.head(); c&0xe0 == 0xa0 || c >= 0xd9 && c <= 0xdb || c >= 0xc4 && c <= 0xc6 {
		s.Text = r.string()
		return
	}
	r.fields(func(key string) bool {
		switch key {
		case "kind":
			s.Kind = r.string()
		case "text":
			s.Text = r.string()
		default:
			return false
		}
		return true
	})
}

func (r *reader) event(e *Event) {
	r.fields(func(key string) bool {
		switch key {
		case "type":
			e.Type = r.string()
		case "summary":
			e.Summary = r.string()
		case "ids":
			e.IDs = list(r, MaxElements, r.text)
		case "data":
			e.Data = r.bytes()
		default:
			return false
		}
		return true
	})
}

func (r *reader) state(s *State) {
	r.fields(func(key string) bool {
		switch key {
		case "digest":
			s.Digest = r.string()
		case "title":
			s.Title = r.string()
		case "counts":
			s.Counts = list(r, MaxElements, r.count)
		case "warnings":
			s.Warnings = list(r, MaxElements, r.text)
		default:
			return false
		}
		return true
	})
}

func (r *reader) count(c *Count) {
	r.fields(func(key string) bool {
		switch key {
		case "name":
			c.Name = r.string()
		case "value":
			r.integer(&c.Value)
		default:
			return false
		}
		return true
	})
}

// reader walks a message that passed Check: it is whole, and its nesting is
// bounded. After an error it reads nothing more.
type reader struct {
	s     string
	pos   int
	share bool // strings may share s
	err   error
}

func (r *reader) fail(want string) {
	if r.err == nil {
		r.err = fmt.Errorf("byte %d (0x%02x) is not %s", r.pos, r.s[min(r.pos, len(r.s)-1)], want)
	}
	r.pos = len(r.s)
}

// head reads the byte that says what the next value is.
func (r *reader) head() byte {
	if r.err != nil || r.pos >= len(r.s) {
		return 0xc0
	}
	return r.s[r.pos]
}

func (r *reader) null() bool {
	if r.err == nil && r.head() == 0xc0 && r.pos < len(r.s) {
		r.pos++
		return true
	}
	return false
}

func (r *reader) uint(width int) uint64 {
	var n uint64
	for _, c := range []byte(r.s[r.pos : r.pos+width]) {
		n = n<<8 | uint64(c)
	}
	r.pos += width
	return n
}

// fields calls f with each key of a map. f reads the value and returns true,
// or returns false to have it passed over. nil is a map without fields.
func (r *reader) fields(f func(key string) bool) {
	n := 0
	switch c := r.head(); {
	case c&0xf0 == 0x80:
		r.pos++
		n = int(c & 0x0f)
	case c == 0xde:
		r.pos++
		n = int(r.uint(2))
	case c == 0xdf:
		r.pos++
		n = int(r.uint(4))
	case c == 0xc0:
		r.null()
	default:
		r.fail("a map")
	}
	for ; n > 0 && r.err == nil; n-- {
		key := r.span("a field's name")
		if r.err == nil && !f(key) {
			r.skip()
		}
	}
}

// list reads an array of at most most elements; nil is a nil slice.
func list[T any](r *reader, most int, item func(*T)) []T {
	n := 0
	switch c := r.head(); {
	case c&0xf0 == 0x90:
		r.pos++
		n = int(c & 0x0f)
	case c == 0xdc:
		r.pos++
		n = int(r.uint(2))
	case c == 0xdd:
		r.pos++
		n = int(r.uint(4))
	case c == 0xc0:
		r.null()
		return nil
	default:
		r.fail("a list")
		return nil
	}
	if n > most {
		r.fail(fmt.Sprintf("a list of at most %d", most))
		return nil
	}
	out := make([]T, n) // Check held n against the bytes that are there, too
	for i := range out {
		if r.err != nil {
			return nil
		}
		item(&out[i])
	}
	return out
}

// span reads a string or bytes without copying.
func (r *reader) span(what string) string {
	n := 0
	switch c := r.head(); {
	case c&0xe0 == 0xa0:
		r.pos++
		n = int(c & 0x1f)
	case c == 0xd9 || c == 0xc4:
		r.pos++
		n = int(r.uint(1))
	case c == 0xda || c == 0xc5:
		r.pos++
		n = int(r.uint(2))
	case c == 0xdb || c == 0xc6:
		r.pos++
		n = int(r.uint(4))
	case c == 0xc0:
		r.null()
		return ""
	default:
		r.fail(what)
		return ""
	}
	s := r.s[r.pos : r.pos+n]
	r.pos += n
	return s
}

func (r *reader) string() string {
	s := r.span("a string")
	if r.share {
		return s
	}
	return strings.Clone(s)
}

func (r *reader) text(s *string) { *s = r.string() }

func (r *reader) bytes() []byte {
	if r.null() {
		return nil
	}
	s := r.span("bytes")
	if r.err != nil {
		return nil
	}
	return append(make([]byte, 0, len(s)), s...)
}

func (r *reader) bool() bool {
	switch r.head() {
	case 0xc3:
		r.pos++
		return true
	case 0xc2:
		r.pos++
	case 0xc0:
		r.null()
	default:
		r.fail("true or false")
	}
	return false
}

func (r *reader) integer(n *int) {
	c := r.head()
	var v int64
	switch {
	case c <= 0x7f || c >= 0xe0:
		r.pos++
		v = int64(int8(c))
	case c == 0xcc:
		r.pos++
		v = int64(r.uint(1))
	case c == 0xcd:
		r.pos++
		v = int64(r.uint(2))
	case c == 0xce:
		r.pos++
		v = int64(r.uint(4))
	case c == 0xcf:
		r.pos++
		u := r.uint(8)
		if u > math.MaxInt64 {
			r.pos -= 9
			r.fail("a number in range")
			return
		}
		v = int64(u)
	case c == 0xd0:
		r.pos++
		v = int64(int8(r.uint(1)))
	case c == 0xd1:
		r.pos++
		v = int64(int16(r.uint(2)))
	case c == 0xd2:
		r.pos++
		v = int64(int32(r.uint(4)))
	case c == 0xd3:
		r.pos++
		v = int64(r.uint(8))
	case c == 0xc0:
		r.null()
		return
	default:
		r.fail("a whole number")
		return
	}
	if int64(int(v)) != v {
		r.fail("a number in range")
		return
	}
	*n = int(v)
}

// skip passes over one value of any kind.
func (r *reader) skip() {
	for left := uint64(1); left > 0 && r.err == nil; left-- {
		if r.pos >= len(r.s) {
			r.fail("a value")
			return
		}
		end := min(len(r.s), r.pos+6)
		size, children, err := shape([]byte(r.s[r.pos:end]))
		if err != nil {
			r.fail("a value")
			return
		}
		r.pos += int(size)
		left += children
	}
}
