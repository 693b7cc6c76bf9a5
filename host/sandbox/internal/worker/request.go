package worker

import (
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
)

// Answer is a worker's answer to a request.
type Answer struct {
	Output []byte // belongs to the caller
	Memory uint64 // the instance's linear memory in bytes; set after a failure, too
	Asks   bool   // whether Output holds requests of the guest
}

// NewInstance makes an instance in the worker and returns its linear memory in bytes. id must not be in use.
func (w *Process) NewInstance(limit time.Duration, id uint32, seed uint64) (memory uint64, failure *fail.Error) {
	a, failure := w.request(limit, frame{kind: frameNew, instance: id, payload: binary.LittleEndian.AppendUint64(nil, seed)}, "")
	return a.Memory, failure
}

// Call is one call of an export.
type Call struct {
	Instance uint32
	Export   string // of at most 255 bytes
	Input    []byte
	MayAsk   bool // the export may ask the host for something instead of answering
}

// Call runs an export of an instance.
func (w *Process) Call(limit time.Duration, r Call) (Answer, *fail.Error) {
	name := make([]byte, 0, 64)
	name = append(append(name, byte(len(r.Export))), r.Export...)
	f := frame{kind: frameCall, instance: r.Instance, payload: name}
	if r.MayAsk {
		f.detail = detailAsks
	}
	return w.request(limit, f, r.Export, r.Input)
}

// CloseInstance tells the worker to free an instance. It does not wait. An error means that the worker is gone.
func (w *Process) CloseInstance(id uint32) error {
	return w.conn.write(frame{kind: frameClose, instance: id})
}

// request sends one request and waits for its answer. When it has used limit of processor time, the process is killed.
func (w *Process) request(limit time.Duration, f frame, export string, parts ...[]byte) (Answer, *fail.Error) {
	w.lastRequest++
	f.request = w.lastRequest
	w.begin(limit)
	defer w.end()
	if err := w.conn.write(f, parts...); err != nil {
		return Answer{}, w.failLost(export, limit)
	}
	for {
		got, size, err := w.conn.header(w.maxPayload)
		if err != nil {
			return Answer{}, w.failProtocol(err, export, limit)
		}
		switch got.kind {
		case frameLog:
			text, err := w.conn.payload(size)
			if err != nil {
				return Answer{}, w.failProtocol(err, export, limit)
			}
			w.guestLog.Write(slog.Level(int(got.detail)-logLevelBias), text)
			continue
		case frameDone, frameFailed:
		default:
			return Answer{}, w.failProtocol(fmt.Errorf("an answer has kind %d", got.kind), export, limit)
		}
		if got.request != f.request || size < 8 {
			return Answer{}, w.failProtocol(fmt.Errorf("an answer of %d bytes for request %d instead of %d", size, got.request, f.request), export, limit)
		}
		var m [8]byte
		if _, err := io.ReadFull(w.conn.r, m[:]); err != nil {
			return Answer{}, w.failProtocol(err, export, limit)
		}
		var payload []byte
		if size > 8 {
			payload = make([]byte, size-8)
		}
		if _, err := io.ReadFull(w.conn.r, payload); err != nil {
			return Answer{}, w.failProtocol(err, export, limit)
		}
		a := Answer{Memory: binary.LittleEndian.Uint64(m[:])}
		if got.kind == frameDone {
			a.Output, a.Asks = payload, got.detail == detailAsks
			return a, nil
		}
		kind := fail.Kind(got.detail)
		if kind < fail.Refused || kind > fail.Worker {
			return Answer{}, w.failProtocol(fmt.Errorf("an answer has failure kind %d", kind), export, limit)
		}
		return a, fail.New(kind, export, "%s", payload)
	}
}

// maxPayload is the largest payload of a frame from the worker, in bytes.
func (w *Process) maxPayload(kind byte) int {
	switch kind {
	case frameDone:
		return w.limits.Output + 8
	case frameFailed, frameLog:
		return maxText
	}
	return 0
}
