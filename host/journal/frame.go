package journal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A file is a header and frames, numbers in little endian. The header, which
// every version after this one keeps:
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
// Checksums are CRC32C. The head is checked by itself, so a length that is
// damaged is not believed, and what follows is found again. The salt and the
// number place a frame: it is not taken for one of another file or of another
// place in this one.
const (
	magic      = "fcp-journal"
	version    = 2
	saltSize   = 4
	headerSize = len(magic) + 1 + saltSize + 4
	frameSize  = 17

	// maxRecord bounds one record's data, in bytes.
	maxRecord = 1 << 30
)

// Record is one entry of a file.
type Record struct {
	Kind byte // the caller's
	Data []byte
}

// ErrFormat: the file does not start as a journal does.
var ErrFormat = errors.New("not a journal")

var (
	errHeader  = errors.New("its header is damaged")
	errVersion = fmt.Errorf("%w of this version", ErrFormat)
)

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // the same one every time

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

// appendFrame adds r, the record of that number, to buf.
func (s salt) appendFrame(buf []byte, number uint32, r Record) []byte {
	at := len(buf)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(r.Data)))
	buf = binary.LittleEndian.AppendUint32(buf, number)
	buf = binary.LittleEndian.AppendUint32(buf, crc32.Checksum(r.Data, castagnoli()))
	buf = append(buf, r.Kind)
	buf = binary.LittleEndian.AppendUint32(buf, s.headSum(buf[at:]))
	return append(buf, r.Data...)
}

// head is a frame's, as it was read.
type head struct {
	length, number, sum uint32
	kind                byte
}

// head reads the one at the start of b, and reports whether it is sound.
func (s salt) head(b []byte) (head, bool) {
	const sumAt = frameSize - 4
	if len(b) < frameSize || s.headSum(b[:sumAt]) != binary.LittleEndian.Uint32(b[sumAt:]) {
		return head{}, false
	}
	return head{length: binary.LittleEndian.Uint32(b), number: binary.LittleEndian.Uint32(b[4:]),
		sum: binary.LittleEndian.Uint32(b[8:]), kind: b[12]}, true
}

// size is the frame's, in bytes.
func (h head) size() int64 { return frameSize + int64(h.length) }

// record gives the frame's record, which b starts with, and reports whether it
// is whole.
func (h head) record(b []byte) (Record, bool) {
	if int64(len(b)) < h.size() {
		return Record{}, false
	}
	data := b[frameSize:h.size():h.size()]
	return Record{Kind: h.kind, Data: data}, crc32.Checksum(data, castagnoli()) == h.sum
}

// Contents is what a file holds.
type Contents struct {
	Records []Record // from the first, without a gap
	// Cut is the number of bytes behind them. Unless the file is damaged, they are
	// the start of a record: an append was cut off, or the file was cut since. A
	// file that was cut between two records is like a whole one.
	Cut int64
	// Header: the file's header is damaged, and what it says was found by the
	// records. That alone loses none.
	Header bool
	// Damaged: what is behind them is not just the start of a record. Records that
	// were acknowledged may be lost.
	Damaged bool
	// Behind are whole records behind the damage, in order. They follow something
	// that is lost.
	Behind []Record
	// Lost is how many records before or between those are missing, and 0 when
	// that is not known.
	Lost int

	salt salt
	good int64 // where the last of Records ends
	old  bool  // the file has version 1
}

// parse reads a file's bytes. The records alias data.
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
		h, sound := c.salt.head(rest)
		if len(rest) < frameSize || sound && int64(len(rest)) < h.size() {
			break // the file ends in a frame
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

// readHeader gives the salt that is in the header of a file.
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

// saltOf finds the salt of a file without its header. The checksum of the first
// frame's head, which starts with the salt, leads back to it: whether it is the
// one, the frame's number and the checksum of its data say.
func saltOf(data []byte) (salt, bool) {
	if len(data) < headerSize+frameSize {
		return salt{}, false
	}
	const sumAt = frameSize - 4
	first := data[headerSize:]
	// What a checksum was before one more byte: of the table's entries each has
	// another highest byte.
	table := castagnoli()
	before := func(sum uint32, b byte) uint32 {
		for i, entry := range table {
			if entry>>24 == sum>>24 {
				return (sum^entry)<<8 | uint32(byte(i)^b)
			}
		}
		return 0 // there is one
	}
	sum := ^binary.LittleEndian.Uint32(first[sumAt:])
	for i := range sumAt + saltSize {
		b := byte(0) // for the salt's, which then are left
		if i < sumAt {
			b = first[sumAt-1-i]
		}
		sum = before(sum, b)
	}
	var s salt
	binary.LittleEndian.PutUint32(s[:], ^sum)
	h, sound := s.head(first)
	if !sound || h.number != 0 || h.length == 0 { // with a length of 0, zeros would do
		return salt{}, false
	}
	_, whole := h.record(first)
	return s, whole
}

// next is where in b, which does not start with a sound frame, the next whole
// one starts whose record has at least that number, or the end of b.
func (s salt) next(b []byte, number uint32) int {
	for at := 1; at+frameSize <= len(b); at++ {
		// No more records than fit in between are missing, which rules out nearly
		// every place before anything is summed up.
		n := binary.LittleEndian.Uint32(b[at+4:])
		if n < number || uint64(n-number) > uint64(at/frameSize) {
			continue
		}
		if h, sound := s.head(b[at:]); sound {
			if _, whole := h.record(b[at:]); whole {
				return at
			}
		}
	}
	return len(b)
}
