package nats

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/fcp-host/fcp-host/host/journal"
)

// The headers of a message.
const (
	headToken   = "Fcp-Token"   // names the message
	headPart    = "Fcp-Part"    // its place in its unit, from 0; absent: it is no part of one
	headMore    = "Fcp-More"    // another part follows
	headNew     = "Fcp-New"     // the unit begins the journal anew
	headSize    = "Fcp-Size"    // the journal's size, once this message is there
	headTouched = "Fcp-Touched" // when it was last written to, in nanoseconds of Unix time; absent: by this message
	headGone    = "Fcp-Gone"    // the journal was removed
)

// partSize is the most data that one message has: a server's default limit is 1 MiB, headers included.
const partSize = 768 << 10

// place is what a record takes beside its data, in bytes: its kind and its length.
const place = 9

// encode spells records one after the other: kind, length in 8 bytes of little endian, data.
func encode(list []journal.Record) []byte {
	n := 0
	for _, r := range list {
		n += place + len(r.Data)
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
		if len(data) < place {
			return list, errUnit
		}
		n := binary.LittleEndian.Uint64(data[1:])
		if n > uint64(len(data)-place) {
			return list, errUnit
		}
		list = append(list, journal.Record{Kind: data[0], Data: data[place : place+int(n) : place+int(n)]})
		data = data[place+int(n):]
	}
	return list, nil
}

// reader puts a journal together from its messages.
type reader struct {
	whole bool // a unit began it
	gone  bool
	c     journal.Contents
	unit  []byte
	next  int // part of the unit
}

// add takes the next message.
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
		r.unit = nil // what had begun has no end
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

// stateOf is what a journal's last message says of it.
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
