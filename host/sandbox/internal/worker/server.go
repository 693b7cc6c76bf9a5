package worker

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/engine"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/layer"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/limits"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
)

// Arg is the first argument of a process that is a worker.
const Arg = "__worker"

// loadMemoryLimit is how many bytes Go may take while compiled code is loaded before it collects garbage.
const loadMemoryLimit = 256 << 20

// Run runs this process as a worker: it serves frames on stdin and stdout until the end of input and returns the exit code. It changes
// settings of the whole process: its garbage collector and its resource limits.
func Run() int {
	// Two processors: one for the guest, one for the pipes, the timer and the garbage collector.
	runtime.GOMAXPROCS(min(2, runtime.NumCPU()))
	// Loading makes much garbage at once, and collecting it repeatedly doubled the time.
	debug.SetGCPercent(400)
	w := &server{conn: newFrameConn(os.Stdin, os.Stdout), guests: map[uint32]*engine.Guest{}}
	err := w.load()
	for err == nil {
		err = w.serve()
	}
	if errors.Is(err, io.EOF) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "worker:", err)
	return 1
}

// server is the worker's side of the pipes: it answers the host's requests.
type server struct {
	conn   *frameConn
	engine *engine.Engine
	guests map[uint32]*engine.Guest
	limits limits.Limits
	late   ownLimit
}

// maxPayload is the largest payload of a frame from the host, in bytes.
func (w *server) maxPayload(kind byte) int {
	switch kind {
	case frameLoad:
		return module.MaxSize + maxText
	case frameCall:
		return w.limits.Input + 256
	}
	return maxText
}

// load reads the load frame, confines the process and builds the engine.
func (w *server) load() error {
	f, m, wasm, err := w.readLoad()
	if err != nil {
		return err
	}
	if m.Version != protocolVersion {
		return w.fail(f, nil, fail.New(fail.Worker, "", "the worker speaks version %s and the host %s; restart the host", protocolVersion, m.Version))
	}
	if err := layer.LimitAddressSpace(m.Limits.AddressSpace); err != nil {
		return w.fail(f, nil, fail.New(fail.Worker, "", "limit the address space: %v", err))
	}
	file, err := openCodeFile(m.Code, m.Compile)
	if err != nil {
		return w.fail(f, nil, fail.New(fail.Worker, "", "the file of compiled code: %v", err))
	}
	var code *codecache.File
	if file != nil {
		defer file.Close()
		code = codecache.NewFile(file, m.Compile)
		if !m.Compile {
			// The code fits into the limit, and collecting garbage took a tenth of a start.
			debug.SetGCPercent(-1)
			debug.SetMemoryLimit(loadMemoryLimit)
		}
	}
	exe := ""
	if m.SelfTest {
		exe, _ = os.Executable() // "" fails the attempts that need it, and says so
	}
	written := uint64(0)
	if m.Compile {
		written = codecache.MaxBytes
	}
	// From here on this process can do little but compute. It has not looked at the module yet.
	layers := layer.Confine(written, m.Own)
	if m.SelfTest {
		return w.report(f, m, exe, layers)
	}
	if why := m.Require.Missing(layers); why != "" {
		return w.fail(f, nil, fail.New(fail.Worker, "", "%s", why))
	}
	if code != nil {
		skeleton, err := code.Skeleton()
		if err != nil {
			return w.fail(f, nil, fail.New(fail.Load, "", "the file of compiled code: %v", err))
		}
		if !m.Compile {
			wasm = skeleton
		}
	}
	if failure := w.buildEngine(m, code, wasm); failure != nil {
		return w.fail(f, nil, failure)
	}
	wasm = nil
	if !m.Compile {
		// An error means that there is no filter; Confine has reported that.
		_ = layer.Seal()
		debug.SetMemoryLimit(math.MaxInt64)
		if !m.Interpret { // a worker that interprets goes on translating and soon ends
			// From here on the module stays and messages are garbage: a small heap matters more than the time to collect it.
			debug.SetGCPercent(25)
			debug.FreeOSMemory()
		}
	}
	return w.done(f, nil, nil)
}

// readLoad reads the first frame, which must be a load frame. wasm is empty where the worker loads compiled code.
func (w *server) readLoad() (f frame, m loadMessage, wasm []byte, err error) {
	f, size, err := w.conn.header(w.maxPayload)
	if err != nil {
		return f, m, nil, err
	}
	if f.kind != frameLoad {
		return f, m, nil, fmt.Errorf("the first frame has kind %d", f.kind)
	}
	payload, err := w.conn.payload(size)
	if err != nil {
		return f, m, nil, err
	}
	if len(payload) < 4 || uint64(binary.LittleEndian.Uint32(payload)) > uint64(len(payload)-4) {
		return f, m, nil, errors.New("the load frame is too short")
	}
	n := binary.LittleEndian.Uint32(payload)
	if err := json.Unmarshal(payload[4:4+n], &m); err != nil {
		return f, m, nil, fmt.Errorf("read the settings: %w", err)
	}
	return f, m, payload[4+n:], nil
}

// buildEngine compiles the module or loads its code.
func (w *server) buildEngine(m loadMessage, code *codecache.File, wasm []byte) *fail.Error {
	w.limits = m.Limits
	limit := m.Limits.Compile
	if m.Interpret {
		limit = m.Limits.Start // of which that is a part
	}
	w.late.start(limit)
	defer w.late.stop()
	e, failure := engine.New(context.Background(), wasm, engine.Options{
		Limits: m.Limits, Code: code, Interpret: m.Interpret, LogLevel: m.LogLevel,
		Log: func(level slog.Level, text string) {
			// A lost log line must not fail a call; a broken pipe shows with the answer.
			_ = w.conn.write(frame{kind: frameLog, detail: byte(int(level) + logLevelBias)}, []byte(text))
		},
	})
	w.engine = e
	return failure
}

// report answers a self-test.
func (w *server) report(f frame, m loadMessage, exe string, layers []layer.Layer) error {
	if !m.Compile {
		_ = layer.Seal() // as a worker does that has loaded its module
	}
	data, err := json.Marshal(layer.Report{Layers: layers, Attempts: confine.Forbidden{File: exe, Host: m.Host, Compiles: m.Compile}.Attempts()})
	if err != nil {
		return err
	}
	return w.done(f, nil, data)
}

// serve reads one frame and answers it.
func (w *server) serve() error {
	f, size, err := w.conn.header(w.maxPayload)
	if err != nil {
		return err
	}
	payload, err := w.conn.payload(size)
	if err != nil {
		return err
	}
	if w.engine == nil {
		return errors.New("a frame came after loading failed")
	}
	g := w.guests[f.instance]
	switch f.kind {
	case frameNew:
		if g != nil || len(payload) != 8 {
			return fmt.Errorf("cannot make instance %d", f.instance)
		}
		w.late.start(w.limits.Start)
		g, failure := w.engine.NewGuest(binary.LittleEndian.Uint64(payload))
		w.late.stop()
		if failure != nil {
			return w.fail(f, nil, failure)
		}
		w.guests[f.instance] = g
		return w.done(f, g, nil)
	case frameCall:
		if len(payload) < 1 || int(payload[0]) > len(payload)-1 {
			return errors.New("a call frame is too short")
		}
		name, input := string(payload[1:1+payload[0]]), payload[1+payload[0]:]
		if g == nil {
			return w.fail(f, nil, fail.New(fail.Lost, name, "the instance is closed"))
		}
		w.late.start(w.limits.Call)
		var output []byte
		var asks bool
		var failure *fail.Error
		if f.detail == detailAsks {
			output, asks, failure = g.Exchange(name, input)
		} else {
			output, failure = g.Call(name, input)
		}
		w.late.stop()
		if failure != nil {
			if failure.Fatal() {
				delete(w.guests, f.instance)
			}
			err = w.fail(f, g, failure)
		} else {
			f.detail = 0
			if asks {
				f.detail = detailAsks
			}
			err = w.done(f, g, output)
		}
		if len(payload)+len(output) > 4<<20 {
			payload, input, output = nil, nil, nil
			debug.FreeOSMemory()
		}
		return err
	case frameClose:
		if g != nil {
			delete(w.guests, f.instance)
			g.Close()
		}
		return nil
	}
	return fmt.Errorf("a frame has kind %d", f.kind)
}

// done answers request f with an output. g is the instance, nil for none.
func (w *server) done(f frame, g *engine.Guest, output []byte) error {
	return w.conn.write(frame{kind: frameDone, detail: f.detail, request: f.request, instance: f.instance, payload: encodeMemorySize(g)}, output)
}

// fail answers request f with a failure. g is the instance, nil for none.
func (w *server) fail(f frame, g *engine.Guest, e *fail.Error) error {
	return w.conn.write(frame{kind: frameFailed, detail: byte(e.Kind), request: f.request, instance: f.instance, payload: encodeMemorySize(g)}, []byte(e.Message))
}

// encodeMemorySize returns a guest's linear memory in bytes, 0 for nil, as answers begin with it.
func encodeMemorySize(g *engine.Guest) []byte {
	var size uint64
	if g != nil {
		size = g.MemorySize()
	}
	return binary.LittleEndian.AppendUint64(nil, size)
}
