package nats

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/fcp-host/fcp-host/host/journal"
)

// Headers of messages.
const (
	headToken   = "Fcp-Token"   // identifies the message
	headPart    = "Fcp-Part"    // index in the unit, from 0; absent if the message is not part of a unit
	headMore    = "Fcp-More"    // another part follows
	headNew     = "Fcp-New"     // the unit rewrites the journal
	headSize    = "Fcp-Size"    // the journal's size after this message
	headTouched = "Fcp-Touched" // time of the last write, in nanoseconds of Unix time; absent: this message
	headGone    = "Fcp-Gone"    // the journal was removed
)

// partSize is the maximum size of a message's data: a server's default limit is 1 MiB, headers included.
const partSize = 768 << 10

// overhead is what a record takes besides its data, in bytes: its kind and its length.
const overhead = 9

// encode encodes records one after the other: kind, length (8 bytes, little-endian), data.
func encode(list []journal.Record) []byte {
	n := 0
	for _, r := range list {
		n += overhead + len(r.Data)
	}
	out := make([]byte, 0, n)
	for _, r := range list {
		out = append(out, r.Kind)
		out = binary.LittleEndian.AppendUint64(out, uint64(len(r.Data)))
		out = append(out, r.Data...)
	}
	return out
}

var errUnit = errors.New("a unit of the journal cannot be read")

func decode(data []byte) (list []journal.Record, err error) {
	for len(data) > 0 {
		if len(data) < overhead {
			return list, errUnit
		}
		n := binary.LittleEndian.Uint64(data[1:])
		if n > uint64(len(data)-overhead) {
			return list, errUnit
		}
		list = append(list, journal.Record{Kind: data[0], Data: data[overhead : overhead+int(n) : overhead+int(n)]})
		data = data[overhead+int(n):]
	}
	return list, nil
}

// reader assembles a journal from its messages.
type reader struct {
	whole bool // a unit has begun it
	gone  bool
	c     journal.Contents
	unit  []byte
	next  int // index of the next part of unit
}

// add reads the next message.
func (r *reader) add(h nats.Header, data []byte) {
	if h.Get(headGone) != "" {
		r.gone = true
		return
	}
	if h.Get(headPart) == "" {
		return
	}
	part, err := strconv.Atoi(h.Get(headPart))
	if err != nil || part != 0 && part != r.next {
		r.c.Damaged = true
		return
	}
	if part == 0 {
		r.unit = nil // drops an incomplete unit
	}
	r.unit, r.next = append(r.unit, data...), part+1
	if h.Get(headMore) != "" {
		return
	}
	list, err := decode(r.unit)
	if h.Get(headNew) != "" {
		r.whole, r.c = true, journal.Contents{}
	}
	r.unit = nil
	r.c.Damaged = r.c.Damaged || err != nil
	if r.c.Damaged {
		r.c.Behind = append(r.c.Behind, list...)
		return
	}
	r.c.Records = append(r.c.Records, list...)
}

// stateOf reads the state of a journal from its last message.
func stateOf(h nats.Header, at time.Time) (size int64, touched time.Time, there bool) {
	size, err := strconv.ParseInt(h.Get(headSize), 10, 64)
	if err != nil || h.Get(headGone) != "" {
		return 0, at, false
	}
	touched = at
	if n, err := strconv.ParseInt(h.Get(headTouched), 10, 64); err == nil {
		touched = time.Unix(0, n)
	}
	return size, touched, true
}
