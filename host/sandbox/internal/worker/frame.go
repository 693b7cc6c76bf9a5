package worker

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// frameHeader is the length of a frame's header in bytes. Both directions use the same frames, with little-endian numbers:
//
//	u32 payload length · u8 kind · u8 detail · u16 zero · u32 request · u32 instance · payload
//
// The host sends one request at a time. The worker sends any number of frameLog and then one frameDone or frameFailed with the number of
// the request. frameClose has no answer.
const frameHeader = 16

const (
	frameLoad    = 1 // u32 length of the settings, the settings as JSON, the module
	frameNew     = 2 // u64 seed; instance is the number of the new instance
	frameCall    = 3 // u8 length of the export's name, the name, the input; detail is detailAsks when the guest may ask
	frameClose   = 4 // ends an instance
	frameDone    = 5 // u64 linear memory in bytes, the output; detail is detailAsks when the guest asks
	frameFailed  = 6 // u64 linear memory in bytes, the message; detail is the Kind
	frameLog     = 7 // the text; detail is the level plus logLevelBias
	logLevelBias = 64
)

// detailAsks is the detail of a frameCall whose guest may ask the host for something, and of a frameDone whose guest does.
const detailAsks = 1

// maxText is the largest payload of a frame with a message or a log line, in bytes.
const maxText = 16 << 10

// pipeBuffer is the size of the buffers on both sides, in bytes. Larger payloads are written without being copied.
const pipeBuffer = 32 << 10

// keepBuffer is the largest buffer, in bytes, that is kept for the next message. Keeping larger ones would keep the worker's process
// large.
const keepBuffer = 256 << 10

// frame is one message between host and worker.
type frame struct {
	kind, detail      byte
	request, instance uint32
	payload           []byte
}

// frameConn reads and writes frames. One goroutine may read while another writes.
type frameConn struct {
	r   *bufio.Reader
	w   io.Writer
	out []byte
	in  []byte
}

func newFrameConn(r io.Reader, w io.Writer) *frameConn {
	return &frameConn{r: bufio.NewReaderSize(r, pipeBuffer), w: w, out: make([]byte, 0, pipeBuffer)}
}

// write sends f; its payload is f.payload and the parts, one after the other.
func (c *frameConn) write(f frame, parts ...[]byte) error {
	size := len(f.payload)
	for _, p := range parts {
		size += len(p)
	}
	b := c.out[:frameHeader]
	binary.LittleEndian.PutUint32(b, uint32(size))
	b[4], b[5], b[6], b[7] = f.kind, f.detail, 0, 0
	binary.LittleEndian.PutUint32(b[8:], f.request)
	binary.LittleEndian.PutUint32(b[12:], f.instance)
	b = append(b, f.payload...)
	for _, p := range parts {
		if len(b)+len(p) <= cap(c.out) {
			b = append(b, p...)
			continue
		}
		if _, err := c.w.Write(b); err != nil {
			return err
		}
		b = c.out[:0]
		if len(p) > cap(c.out) {
			if _, err := c.w.Write(p); err != nil {
				return err
			}
			continue
		}
		b = append(b, p...)
	}
	if len(b) == 0 {
		return nil
	}
	_, err := c.w.Write(b)
	return err
}

// header reads the next frame's header. limit returns the largest payload of a kind in bytes; a larger one is an error, before anything is
// allocated.
func (c *frameConn) header(limit func(kind byte) int) (f frame, size int, err error) {
	var h [frameHeader]byte
	if _, err := io.ReadFull(c.r, h[:]); err != nil {
		return frame{}, 0, err
	}
	f = frame{
		kind: h[4], detail: h[5],
		request:  binary.LittleEndian.Uint32(h[8:]),
		instance: binary.LittleEndian.Uint32(h[12:]),
	}
	n := binary.LittleEndian.Uint32(h[:])
	if most := limit(f.kind); uint64(n) > uint64(max(most, 0)) || h[6] != 0 || h[7] != 0 {
		return frame{}, 0, fmt.Errorf("a frame of kind %d claims %d bytes; the limit is %d", f.kind, n, most)
	}
	return f, int(n), nil
}

// payload reads a payload of size bytes. It is valid until the next call.
func (c *frameConn) payload(size int) ([]byte, error) {
	if size > cap(c.in) {
		b := make([]byte, size)
		if size <= keepBuffer {
			c.in = b
		}
		_, err := io.ReadFull(c.r, b)
		return b, err
	}
	b := c.in[:size]
	_, err := io.ReadFull(c.r, b)
	return b, err
}
