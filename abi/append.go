package abi

import "encoding/binary"

// present returns 1 for a field that is written, 0 for one that is left out because it is zero.
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

// appendList writes the head of an array of n elements, which follow, or msgpack's nil.
func appendList(b []byte, n int, isNil bool) []byte {
	if isNil {
		return append(b, 0xc0)
	}
	return AppendArray(b, n)
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

// AppendBytes writes data, or msgpack's nil for nil.
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
