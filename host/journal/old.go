package journal

import (
	"encoding/binary"
	"hash/crc32"
)

// Version 1 had a header without a checksum, and frames of length (4 bytes), checksum (4), kind (1) and data, where
// each checksum covers the one before it. Such files are read, and rewritten before anything is appended.
const (
	versionOld    = 1
	headerSizeOld = len(magic) + 1 + saltSize
	frameSizeOld  = 9
)

// checksumOld is the checksum of a record that follows one with the checksum before.
func checksumOld(before uint32, r Record) uint32 {
	var head [frameSizeOld]byte
	binary.LittleEndian.PutUint32(head[0:], before)
	binary.LittleEndian.PutUint32(head[4:], uint32(len(r.Data)))
	head[8] = r.Kind
	return crc32.Update(crc32.Update(0, castagnoli(), head[:]), castagnoli(), r.Data)
}

// parseOld parses a file of version 1. There, an interrupted append looks like a record with a damaged length, so
// anything longer than the head of a frame counts as damage.
func parseOld(data []byte) (Contents, error) {
	if len(data) < headerSizeOld {
		return Contents{}, ErrFormat
	}
	c := Contents{good: int64(headerSizeOld), old: true}
	sum := crc32.Checksum(data[:headerSizeOld], castagnoli())
	rest := data[headerSizeOld:]
	for len(rest) >= frameSizeOld {
		size := frameSizeOld + int64(binary.LittleEndian.Uint32(rest))
		if size > int64(len(rest)) {
			break
		}
		r := Record{Kind: rest[8], Data: rest[frameSizeOld:size:size]}
		claimed := binary.LittleEndian.Uint32(rest[4:])
		if claimed != checksumOld(sum, r) {
			break
		}
		c.Records = append(c.Records, r)
		c.good += size
		sum = claimed
		rest = rest[size:]
	}
	c.Cut = int64(len(rest))
	c.Damaged = len(rest) >= frameSizeOld
	return c, nil
}
