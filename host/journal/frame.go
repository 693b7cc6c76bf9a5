package journal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A file is a header and frames. The header is the magic text, the version of
// the format and random bytes that tell files apart. A frame is, in little
// endian: length of the data (4 bytes), checksum (4), kind (1), data.
const (
	magic      = "fcp-journal"
	version    = 1
	saltSize   = 4
	headerSize = len(magic) + 1 + saltSize
	frameSize  = 9

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

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // the same one every time

func newHeader() []byte {
	h := append(make([]byte, 0, headerSize), magic...)
	h = append(h, version)
	h = h[:headerSize]
	rand.Read(h[headerSize-saltSize:])
	return h
}

// first is the checksum that the first frame's covers.
func first(header []byte) uint32 { return crc32.Checksum(header, castagnoli()) }

// checksum of a record that follows one with the checksum before.
func checksum(before uint32, r Record) uint32 {
	var head [frameSize]byte
	binary.LittleEndian.PutUint32(head[0:], before)
	binary.LittleEndian.PutUint32(head[4:], uint32(len(r.Data)))
	head[8] = r.Kind
	return crc32.Update(crc32.Update(0, castagnoli(), head[:]), castagnoli(), r.Data)
}

// appendFrame adds r to buf, and gives its checksum.
func appendFrame(buf []byte, before uint32, r Record) ([]byte, uint32) {
	sum := checksum(before, r)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(r.Data)))
	buf = binary.LittleEndian.AppendUint32(buf, sum)
	buf = append(buf, r.Kind)
	return append(buf, r.Data...), sum
}

// Contents is what a file holds.
type Contents struct {
	Records []Record
	// Cut is the number of bytes behind the last whole record: what an append
	// left that was cut off, and never acknowledged.
	Cut int64
	// Damaged: there is more behind the last whole record than one torn append
	// leaves. Records that were acknowledged are lost.
	Damaged bool

	good int64  // where the last whole record ends
	sum  uint32 // its checksum
}

// parse reads a file's bytes. The records alias data.
func parse(data []byte) (Contents, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return Contents{}, ErrFormat
	}
	if v := data[len(magic)]; v != version {
		return Contents{}, fmt.Errorf("%w of this version: it has version %d, this fcp-host reads %d", ErrFormat, v, version)
	}
	c := Contents{good: int64(headerSize), sum: first(data[:headerSize])}
	for rest := data[headerSize:]; len(rest) > 0; {
		r, sum, size := next(rest)
		if size == 0 || sum != checksum(c.sum, r) {
			c.Cut = int64(len(rest))
			c.Damaged = size > 0 && !blank(rest[size:])
			break
		}
		c.Records = append(c.Records, r)
		c.good += int64(size)
		c.sum = sum
		rest = rest[size:]
	}
	return c, nil
}

// next reads the frame at the start of b, with the checksum it claims. Its
// size is 0 when b ends before it does.
func next(b []byte) (r Record, sum uint32, size int) {
	if len(b) < frameSize {
		return r, 0, 0
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if n > uint64(len(b)-frameSize) {
		return r, 0, 0
	}
	size = frameSize + int(n)
	return Record{Kind: b[8], Data: b[frameSize:size:size]}, binary.LittleEndian.Uint32(b[4:]), size
}

// blank reports whether b is nothing but zeros: a file that grew before its
// data came.
func blank(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
