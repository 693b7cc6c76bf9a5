package worker

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/engine"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/layer"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/limits"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
)

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
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
)

// Arg is the first argument of a process that is a worker.
const Arg = "__worker"

// Settings says what a worker is to do with its module.
type Settings struct {
	LogLevel  slog.Level
	Compile   bool // only fill the file of compiled code
	Interpret bool // do not compile at all
	Require   layer.Requirement
}

// loadMessage is the JSON of a load frame.
type loadMessage struct {
	Settings
	Version  string // the host and its worker are one binary; a mismatch means that it was replaced meanwhile
	Limits   limits.Limits
	Code     string // the file of compiled code as taken understands it; "" for none
	Own      bool   // the process is in namespaces of its own
	Host     int    // the host's process, for the self-test
	SelfTest bool   // load nothing, and report what confines the process
}

const protocolVersion = "1"

// loadMemory is how much memory Go may take before it collects garbage while compiled code is loaded.
const loadMemory = 256 << 20

// Run is what a process does whose first argument is WorkerArg: it speaks frames on stdin and stdout until the end of
// input, and returns the exit code. It changes settings of the whole process: its garbage collector and its resource limits.
func Run() int {
	// Two processors: one for the guest, one for what runs beside it.
	runtime.GOMAXPROCS(min(2, runtime.NumCPU()))
	// Loading makes much garbage once; collecting it over and over would double the time.
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

// server is the worker's side of the pipes.
type server struct {
	conn   *frameConn
	engine *engine.Engine
	guests map[uint32]*engine.Guest
	limits limits.Limits
	late   *time.Timer
}

func (w *server) limit(kind byte) int {
	switch kind {
	case frameLoad:
		return module.MaxSize + maxText
	case frameCall:
		return w.limits.Input + 256
	}
	return maxText
}

// load reads the first frame and builds the engine.
func (w *server) load() error {
	f, size, err := w.conn.header(w.limit)
	if err != nil {
		return err
	}
	if f.kind != frameLoad {
		return fmt.Errorf("the first frame has kind %d", f.kind)
	}
	payload, err := w.conn.payload(size)
	if err != nil {
		return err
	}
	var s loadMessage
	if len(payload) < 4 || uint64(binary.LittleEndian.Uint32(payload)) > uint64(len(payload)-4) {
		return errors.New("the load frame is too short")
	}
	n := binary.LittleEndian.Uint32(payload)
	if err := json.Unmarshal(payload[4:4+n], &s); err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	if s.Version != protocolVersion {
		return w.fail(f, nil, fail.New(fail.Worker, "", "the worker speaks version %s and the host %s; restart the host", protocolVersion, s.Version))
	}
	if err := layer.LimitAddressSpace(s.Limits.AddressSpace); err != nil {
		return w.fail(f, nil, fail.New(fail.Worker, "", "limit the address space: %v", err))
	}
	file, err := taken(s.Code, s.Compile)
	if err != nil {
		return w.fail(f, nil, fail.New(fail.Worker, "", "the file of compiled code: %v", err))
	}
	wasm := payload[4+n:]
	var code *codecache.File
	if file != nil {
		defer file.Close()
		code = codecache.NewFile(file, s.Compile)
		if !s.Compile {
			// What is read fits, and a collection beside it was a tenth of a start.
			debug.SetGCPercent(-1)
			debug.SetMemoryLimit(loadMemory)
		}
	}
	exe := ""
	if s.SelfTest {
		exe, _ = os.Executable() // "" fails the attempts that need it, and says so
	}
	// From here on this process can do little but compute. Nothing of the module was looked at yet.
	written := uint64(0)
	if s.Compile {
		written = codecache.MaxBytes
	}
	layers := layer.Confine(written, s.Own)
	if s.SelfTest {
		return w.report(f, s, exe, layers)
	}
	if why := s.Require.Missing(layers); why != "" {
		return w.fail(f, nil, fail.New(fail.Worker, "", "%s", why))
	}
	if code != nil {
		bones, err := code.Skeleton()
		if err != nil {
			return w.fail(f, nil, fail.New(fail.Load, "", "the file of compiled code: %v", err))
		}
		if !s.Compile {
			wasm = bones
		}
	}
	w.limits = s.Limits
	// A host that dies takes its worker along by itself on Linux and through the end of input elsewhere, but a guest that
	// loops reads no input: then this ends the process.
	w.late = time.AfterFunc(time.Hour, func() { os.Exit(lateExit) })
	w.watch(s.Limits.Compile)
	e, failure := engine.New(context.Background(), wasm, engine.Options{
		Limits: s.Limits, Code: code, Interpret: s.Interpret, LogLevel: s.LogLevel,
		Log: func(level slog.Level, text string) {
			// A lost log line is not worth a call; a broken pipe shows with the answer.
			_ = w.conn.write(frame{kind: frameLog, detail: byte(int(level) + logLevelBias)}, []byte(text))
		},
	})
	w.late.Stop()
	if failure != nil {
		return w.fail(f, nil, failure)
	}
	w.engine = e
	payload, wasm = nil, nil
	if !s.Compile {
		// Where there is no filter to add, there is none to strengthen either.
		_ = layer.Seal()
		// From here on what lives is the module and what dies is messages: a small heap matters more than the time.
		debug.SetGCPercent(25)
		debug.SetMemoryLimit(math.MaxInt64)
		debug.FreeOSMemory()
	}
	return w.done(f, nil, nil)
}

// report answers a self-test.
func (w *server) report(f frame, s loadMessage, exe string, layers []layer.Layer) error {
	if !s.Compile {
		_ = layer.Seal() // as a worker that has loaded its module
	}
	data, err := json.Marshal(layer.Report{Layers: layers, Attempts: confine.Forbidden{File: exe, Host: s.Host, Compiles: s.Compile}.Attempts()})
	if err != nil {
		return err
	}
	return w.done(f, nil, data)
}

// serve handles one frame.
func (w *server) serve() error {
	f, size, err := w.conn.header(w.limit)
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
		w.watch(w.limits.Start)
		g, failure := w.engine.NewGuest(binary.LittleEndian.Uint64(payload))
		w.late.Stop()
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
		w.watch(w.limits.Call)
		var output []byte
		var asks bool
		var failure *fail.Error
		if f.detail == detailAsks {
			output, asks, failure = g.Exchange(name, input)
		} else {
			output, failure = g.Call(name, input)
		}
		w.late.Stop()
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

// lateExit is the exit code of a worker that ended itself.
const lateExit = 3

// watch ends the process should something run for twice as long as the host allows, which it only can when the host is gone or
// gets no processor time.
func (w *server) watch(limit time.Duration) { w.late.Reset(2 * limit) }

func (w *server) done(f frame, g *engine.Guest, output []byte) error {
	return w.conn.write(frame{kind: frameDone, detail: f.detail, request: f.request, instance: f.instance, payload: memoryOf(g)}, output)
}

func (w *server) fail(f frame, g *engine.Guest, e *fail.Error) error {
	return w.conn.write(frame{kind: frameFailed, detail: byte(e.Kind), request: f.request, instance: f.instance, payload: memoryOf(g)}, []byte(e.Message))
}

func memoryOf(g *engine.Guest) []byte {
	var size uint64
	if g != nil {
		size = g.MemorySize()
	}
	return binary.LittleEndian.AppendUint64(nil, size)
}
