package worker

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// A frame is a fixed header and a payload, the same in both directions, numbers little-endian:
//
//	u32 payload length · u8 kind · u8 detail · u16 zero · u32 request · u32 instance · payload
//
// The host sends one request at a time and the worker answers it with one frameDone or frameFailed of the same request
// number; any number of frameLog may come before. frameClose has no answer.
const frameHeader = 16

const (
	frameLoad    = 1 // u32 length of the settings as JSON, the settings, the module
	frameNew     = 2 // u64 seed; instance is the number the new instance gets
	frameCall    = 3 // u8 length of the export's name, the name, the input; detail is detailAsks where the guest may ask
	frameClose   = 4 // ends an instance
	frameDone    = 5 // u64 linear memory in bytes, the output; detail is detailAsks where the guest asks
	frameFailed  = 6 // u64 linear memory in bytes, the message; detail is the Kind
	frameLog     = 7 // the text; detail is the level plus logLevelBias
	logLevelBias = 64
)

// detailAsks is the detail of a frameCall whose guest may ask the host for something, and of a frameDone whose guest does.
const detailAsks = 1

// maxText bounds frames that carry a message or a log line.
const maxText = 16 << 10

// pipeBuffer is the size of the buffers kept on both sides; larger payloads are written without being copied.
const pipeBuffer = 32 << 10

// keepBuffer is up to which size a worker keeps a buffer for the next message. Larger ones become garbage, and a worker with
// much garbage is a large process.
const keepBuffer = 256 << 10

type frame struct {
	kind, detail      byte
	request, instance uint32
	payload           []byte
}

// frameConn reads and writes frames. Reading and writing may be done by two goroutines, each alone.
type frameConn struct {
	r   *bufio.Reader
	w   io.Writer
	out []byte
	in  []byte
}

func newFrameConn(r io.Reader, w io.Writer) *frameConn {
	return &frameConn{r: bufio.NewReaderSize(r, pipeBuffer), w: w, out: make([]byte, 0, pipeBuffer)}
}

// write sends f with the concatenation of its payload and the parts.
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

// header reads the next frame's header. limit says how long a payload of a kind may be; a longer one is an error before
// anything is allocated.
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
		return frame{}, 0, fmt.Errorf("a frame of kind %d claims %d bytes and may have %d", f.kind, n, most)
	}
	return f, int(n), nil
}

// payload reads a payload into a buffer that is valid until the next read.
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
