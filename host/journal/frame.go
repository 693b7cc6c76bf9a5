package journal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A file consists of a header and frames; numbers are little-endian. The header, which later versions keep:
//
//	0   magic text
//	11  version of the format
//	12  salt: random bytes that tell files apart (4)
//	16  checksum of the header so far (4)
//
// A frame:
//
//	0   length of the data (4)
//	4   the record's number in the file, from 0 (4)
//	8   checksum of the data (4)
//	12  kind
//	13  checksum of the salt and the frame so far (4)
//	17  data
//
// Checksums are CRC32C. The head has its own checksum, so that a damaged length is not used, and the next frame can be
// found. Because of the salt and the number, a frame of another file or position is not accepted.
const (
	magic      = "fcp-journal"
	version    = 2
	saltSize   = 4
	headerSize = len(magic) + 1 + saltSize + 4
	frameSize  = 17

	// maxRecord is the maximum size of a record's data, in bytes.
	maxRecord = 1 << 30
)

// Record is one record of a journal.
type Record struct {
	Kind byte // defined by the caller
	Data []byte
}

// ErrFormat reports that a file does not begin like a journal.
var ErrFormat = errors.New("not a journal")

var (
	errHeader  = errors.New("its header is damaged")
	errVersion = fmt.Errorf("%w of this version", ErrFormat)
)

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // MakeTable always returns the same table

// salt tells the frames of one file from those of another.
type salt [saltSize]byte

func newSalt() (s salt) {
	rand.Read(s[:])
	return s
}

func (s salt) header() []byte {
	h := append(make([]byte, 0, headerSize), magic...)
	h = append(append(h, version), s[:]...)
	return binary.LittleEndian.AppendUint32(h, crc32.Checksum(h, castagnoli()))
}

// headSum is the checksum of a frame's head, whose other fields are given.
func (s salt) headSum(head []byte) uint32 {
	return crc32.Update(crc32.Checksum(s[:], castagnoli()), castagnoli(), head)
}

// appendFrame appends record r with its number to buf.
func (s salt) appendFrame(buf []byte, number uint32, r Record) []byte {
	at := len(buf)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(r.Data)))
	buf = binary.LittleEndian.AppendUint32(buf, number)
	buf = binary.LittleEndian.AppendUint32(buf, crc32.Checksum(r.Data, castagnoli()))
	buf = append(buf, r.Kind)
	buf = binary.LittleEndian.AppendUint32(buf, s.headSum(buf[at:]))
	return append(buf, r.Data...)
}

// head is the head of a frame.
type head struct {
	length, number, sum uint32
	kind                byte
}

// readHead reads the head at the start of b, and reports whether it is valid.
func (s salt) readHead(b []byte) (head, bool) {
	const sumAt = frameSize - 4
	if len(b) < frameSize || s.headSum(b[:sumAt]) != binary.LittleEndian.Uint32(b[sumAt:]) {
		return head{}, false
	}
	return head{length: binary.LittleEndian.Uint32(b), number: binary.LittleEndian.Uint32(b[4:]),
		sum: binary.LittleEndian.Uint32(b[8:]), kind: b[12]}, true
}

// size is the size of the frame in bytes.
func (h head) size() int64 { return frameSize + int64(h.length) }

// record returns the record of the frame at the start of b, and reports whether it is complete and valid.
func (h head) record(b []byte) (Record, bool) {
	if int64(len(b)) < h.size() {
		return Record{}, false
	}
	data := b[frameSize:h.size():h.size()]
	return Record{Kind: h.kind, Data: data}, crc32.Checksum(data, castagnoli()) == h.sum
}

// Contents is what a journal holds.
type Contents struct {
	Records []Record // from the first record up to the first gap
	// Cut is the number of bytes after Records. Unless the file is damaged, they are the start of a record: an append
	// was interrupted, or the file was truncated. (A file truncated between two records looks complete.)
	Cut int64
	// Header means that the file's header is damaged and was reconstructed from the records. That alone loses no
	// record.
	Header bool
	// Damaged means that Records is followed by more than the start of a record: acknowledged records may be lost.
	Damaged bool
	// Behind are complete records after the damage, in order. They follow lost ones.
	Behind []Record
	// Lost is the number of records missing before or between those in Behind, 0 if unknown.
	Lost int

	salt salt
	good int64 // end of the last of Records
	old  bool  // whether the file has version 1
}

// parse parses the bytes of a file. The records alias data.
func parse(data []byte) (Contents, error) {
	if len(data) > len(magic) && string(data[:len(magic)]) == magic && data[len(magic)] == versionOld {
		return parseOld(data)
	}
	c := Contents{good: int64(headerSize)}
	err := error(nil)
	if c.salt, err = readHeader(data); err != nil {
		if c.salt, c.Header = saltOf(data); !c.Header || errors.Is(err, errVersion) {
			return Contents{}, err
		}
	}
	number := uint32(0) // of the next record
	for rest := data[headerSize:]; len(rest) > 0; {
		h, sound := c.salt.readHead(rest)
		if len(rest) < frameSize || sound && int64(len(rest)) < h.size() {
			break // the file ends within a frame
		}
		r, whole := h.record(rest)
		switch {
		case !sound || h.number < number:
			c.Damaged = true
			rest = rest[c.salt.next(rest, number):]
			continue
		case h.number > number || !whole:
			c.Damaged = true
		}
		c.Lost += int(h.number - number)
		switch {
		case !whole:
			c.Lost++
		case c.Damaged:
			c.Behind = append(c.Behind, r)
		default:
			c.Records = append(c.Records, r)
			c.good += h.size()
		}
		number = h.number + 1
		rest = rest[h.size():]
	}
	c.Cut = int64(len(data)) - c.good
	return c, nil
}

// readHeader returns the salt in the header of a file.
func readHeader(data []byte) (salt, error) {
	switch {
	case len(data) < headerSize || string(data[:len(magic)]) != magic:
		return salt{}, ErrFormat
	case binary.LittleEndian.Uint32(data[headerSize-4:]) != crc32.Checksum(data[:headerSize-4], castagnoli()):
		return salt{}, errHeader
	case data[len(magic)] != version:
		return salt{}, fmt.Errorf("%w: it has version %d, this fcp-host reads up to %d", errVersion, data[len(magic)], version)
	}
	return salt(data[len(magic)+1:]), nil
}

// saltOf reconstructs the salt of a file with a damaged header from the checksum of the first frame's head, which
// begins with the salt. It reports whether the frame's number and the checksum of its data confirm the result.
func saltOf(data []byte) (salt, bool) {
	if len(data) < headerSize+frameSize {
		return salt{}, false
	}
	const sumAt = frameSize - 4
	first := data[headerSize:]
	// before undoes the last byte of a CRC: each of the table's entries has a different highest byte.
	table := castagnoli()
	before := func(sum uint32, b byte) uint32 {
		for i, entry := range table {
			if entry>>24 == sum>>24 {
				return (sum^entry)<<8 | uint32(byte(i)^b)
			}
		}
		return 0 // unreachable: one entry matches
	}
	sum := ^binary.LittleEndian.Uint32(first[sumAt:])
	for i := range sumAt + saltSize {
		b := byte(0) // for the salt's bytes, whose CRC state remains
		if i < sumAt {
			b = first[sumAt-1-i]
		}
		sum = before(sum, b)
	}
	var s salt
	binary.LittleEndian.PutUint32(s[:], ^sum)
	h, sound := s.readHead(first)
	if !sound || h.number != 0 || h.length == 0 { // a length of 0 would match a range of zeros
		return salt{}, false
	}
	_, whole := h.record(first)
	return s, whole
}

// next returns the offset in b, which does not start with a valid frame, of the next complete frame whose record has at
// least that number, or the length of b.
func (s salt) next(b []byte, number uint32) int {
	for at := 1; at+frameSize <= len(b); at++ {
		// At most as many records are missing as fit in between. This rules out nearly all offsets before any checksum
		// is computed.
		n := binary.LittleEndian.Uint32(b[at+4:])
		if n < number || uint64(n-number) > uint64(at/frameSize) {
			continue
		}
		if h, sound := s.readHead(b[at:]); sound {
			if _, whole := h.record(b[at:]); whole {
				return at
			}
		}
	}
	return len(b)
}
