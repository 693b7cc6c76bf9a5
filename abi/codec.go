package abi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"
)

//go:generate go run ../internal/abigen ApplyRequest ApplyResponse EventsRequest StateResponse QueryRequest QueryResponse

// message is implemented by the messages that carry ops, events and queries, and by
// their parts. The methods are generated from the struct tags, and give the same bytes
// as reflection: an op takes 5 µs in a guest instead of 33. Other messages are rare;
// generated code for them would only make each plugin larger.
type message interface {
	append(b []byte) []byte
	room() int // the maximum number of bytes that append adds: growing a buffer step by step would allocate several times as much
	parse(*reader)
}

// Marshal encodes one message. Integers take their shortest form, fields keep
// the order of their declaration, so equal values give equal bytes.
func Marshal(v any) ([]byte, error) {
	if m, ok := v.(message); ok {
		return m.append(make([]byte, 0, m.room())), nil
	}
	return reflectFrom(v)
}

// reflectFrom is Marshal by reflection on the struct tags.
func reflectFrom(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := msgpack.GetEncoder()
	defer msgpack.PutEncoder(enc)
	enc.ResetDict(&buf, nil)
	enc.UseCompactInts(true)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Unmarshal decodes one message from an untrusted sender. It runs Check first, so
// neither depth nor counts can exhaust memory: what it allocates is bounded by
// the message's size and by MaxElements. The decoded value does not alias data.
// The caller must check strings, which may not be UTF-8, and the range of numbers.
func Unmarshal(data []byte, v any) error {
	if err := Check(data); err != nil {
		return err
	}
	m, ok := v.(message)
	if !ok {
		return reflectInto(data, v)
	}
	r := reader{b: data}
	switch v.(type) {
	case *ApplyRequest, *EventsRequest, *QueryRequest:
		// One copy for all strings: those of a request live as long as the call.
		// Those of a response stay in the log, where one line must not keep a
		// whole batch in memory.
		r.s = string(data)
	}
	m.parse(&r)
	return r.err
}

// reflectInto is Unmarshal by reflection on the struct tags, after Check.
func reflectInto(data []byte, v any) error {
	dec := msgpack.GetDecoder()
	defer msgpack.PutDecoder(dec)
	dec.Reset(bytes.NewReader(data))
	return dec.Decode(v)
}

// Errors of Check.
var (
	ErrTruncated = errors.New("message ends early")
	ErrTrailing  = errors.New("bytes after the message")
	ErrDepth     = fmt.Errorf("message nests deeper than %d", MaxDepth)
	ErrSize      = fmt.Errorf("message is larger than %d bytes", MaxMessage)
	ErrElements  = fmt.Errorf("message holds more than %d array elements", MaxElements)
	ErrFormat    = errors.New("not a msgpack value")
)

// Check scans data once, without recursion and without trusting the sizes that it
// claims. It returns nil if data is exactly one msgpack value within MaxMessage,
// MaxDepth and MaxElements.
// https://github.com/msgpack/msgpack/blob/master/spec.md
//
// Elements are counted because one byte of an array can stand for a whole empty
// struct: 64 MiB of them would decode into many gigabytes.
func Check(data []byte) error {
	if len(data) > MaxMessage {
		return ErrSize
	}
	var left [MaxDepth + 1]uint64 // values still expected at each depth
	var elements uint64
	depth, pos := 0, 0
	left[0] = 1
	for {
		for left[depth] == 0 {
			if depth == 0 {
				if pos != len(data) {
					return ErrTrailing
				}
				return nil
			}
			depth--
		}
		left[depth]--
		if pos >= len(data) {
			return ErrTruncated
		}
		size, children, err := shape(data[pos:])
		if err != nil {
			return err
		}
		if size > uint64(len(data)-pos) || children > uint64(len(data)-pos) {
			return ErrTruncated
		}
		if isMap, isArray := container(data[pos]); isMap || isArray {
			if depth == MaxDepth {
				return ErrDepth
			}
			depth++
			left[depth] = children
			if isArray {
				if elements += children; elements > MaxElements {
					return ErrElements
				}
			}
		}
		pos += int(size)
	}
}

// container reports whether a value that starts with c is a map or an array.
func container(c byte) (isMap, isArray bool) {
	return c&0xf0 == 0x80 || c == 0xde || c == 0xdf, c&0xf0 == 0x90 || c == 0xdc || c == 0xdd
}

// shape returns how many bytes the value at the start of b takes without its
// children, and how many children follow.
func shape(b []byte) (size, children uint64, err error) {
	c := b[0]
	switch {
	case c <= 0x7f || c >= 0xe0:
		return 1, 0, nil
	case c <= 0x8f:
		return 1, 2 * uint64(c&0x0f), nil
	case c <= 0x9f:
		return 1, uint64(c & 0x0f), nil
	case c <= 0xbf:
		return 1 + uint64(c&0x1f), 0, nil
	}
	length := func(width int) (uint64, error) {
		if len(b) < 1+width {
			return 0, ErrTruncated
		}
		switch width {
		case 1:
			return uint64(b[1]), nil
		case 2:
			return uint64(binary.BigEndian.Uint16(b[1:])), nil
		default:
			return uint64(binary.BigEndian.Uint32(b[1:])), nil
		}
	}
	var n uint64
	switch c {
	case 0xc0, 0xc2, 0xc3:
		return 1, 0, nil
	case 0xc1:
		return 0, 0, ErrFormat
	case 0xc4, 0xd9: // bin8, str8
		n, err = length(1)
		return 2 + n, 0, err
	case 0xc5, 0xda: // bin16, str16
		n, err = length(2)
		return 3 + n, 0, err
	case 0xc6, 0xdb: // bin32, str32
		n, err = length(4)
		return 5 + n, 0, err
	case 0xc7: // ext8
		n, err = length(1)
		return 3 + n, 0, err
	case 0xc8:
		n, err = length(2)
		return 4 + n, 0, err
	case 0xc9:
		n, err = length(4)
		return 6 + n, 0, err
	case 0xcc, 0xd0:
		return 2, 0, nil
	case 0xcd, 0xd1:
		return 3, 0, nil
	case 0xca, 0xce, 0xd2:
		return 5, 0, nil
	case 0xcb, 0xcf, 0xd3:
		return 9, 0, nil
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8: // fixext 1, 2, 4, 8, 16
		return 2 + 1<<(c-0xd4), 0, nil
	case 0xdc:
		n, err = length(2)
		return 3, n, err
	case 0xdd:
		n, err = length(4)
		return 5, n, err
	case 0xde:
		n, err = length(2)
		return 3, 2 * n, err
	case 0xdf:
		n, err = length(4)
		return 5, 2 * n, err
	}
	return 0, 0, ErrFormat
}
