package sandbox

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

// WorkerArg is the first argument of a process that is a worker.
const WorkerArg = "__worker"

// settings is what a worker is told before its module.
type settings struct {
	Version   string // the host and its worker are one binary; a mismatch means that it was replaced meanwhile
	Limits    Limits
	Code      string // the file of compiled code as taken understands it; "" for none
	LogLevel  slog.Level
	Compile   bool // only fill that file
	Interpret bool // do not compile at all
	Require   Requirement
	Own       bool // the process is in namespaces of its own
	Host      int  // the host's process, for the self-test
	SelfTest  bool // load nothing, and report what confines the process
}

const protocolVersion = "1"

// loadMemory is how much memory Go may take before it collects garbage while compiled code is loaded.
const loadMemory = 256 << 20

// RunWorker is what a process does whose first argument is WorkerArg: it speaks frames on stdin and stdout until the end of
// input, and returns the exit code. It changes settings of the whole process: its garbage collector and its resource limits.
func RunWorker() int {
	// Two processors: one for the guest, one for what runs beside it.
	runtime.GOMAXPROCS(min(2, runtime.NumCPU()))
	// Loading makes much garbage once; collecting it over and over would double the time.
	debug.SetGCPercent(400)
	w := &workerProcess{conn: newFrameConn(os.Stdin, os.Stdout), guests: map[uint32]*guest{}}
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

// workerProcess is the worker's side of the pipes.
type workerProcess struct {
	conn   *frameConn
	engine *engine
	guests map[uint32]*guest
	limits Limits
	late   *time.Timer
}

func (w *workerProcess) limit(kind byte) int {
	switch kind {
	case frameLoad:
		return maxModule + maxText
	case frameCall:
		return w.limits.Input + 256
	}
	return maxText
}

// load reads the first frame and builds the engine.
func (w *workerProcess) load() error {
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
	var s settings
	if len(payload) < 4 || uint64(binary.LittleEndian.Uint32(payload)) > uint64(len(payload)-4) {
		return errors.New("the load frame is too short")
	}
	n := binary.LittleEndian.Uint32(payload)
	if err := json.Unmarshal(payload[4:4+n], &s); err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	if s.Version != protocolVersion {
		return w.fail(f, nil, newError(KindWorker, "", "the worker speaks version %s and the host %s; restart the host", protocolVersion, s.Version))
	}
	if err := limitAddressSpace(s.Limits.AddressSpace); err != nil {
		return w.fail(f, nil, newError(KindWorker, "", "limit the address space: %v", err))
	}
	file, err := taken(s.Code, s.Compile)
	if err != nil {
		return w.fail(f, nil, newError(KindWorker, "", "the file of compiled code: %v", err))
	}
	wasm := payload[4+n:]
	var code *codeCache
	if file != nil {
		defer file.Close()
		code = &codeCache{file: file, fill: s.Compile}
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
	layers := confineSelf(s.Compile, s.Own)
	if s.SelfTest {
		return w.report(f, s, exe, layers)
	}
	if why := s.Require.missing(layers); why != "" {
		return w.fail(f, nil, newError(KindWorker, "", "%s", why))
	}
	if code != nil {
		bones, err := code.skeleton()
		if err != nil {
			return w.fail(f, nil, newError(KindLoad, "", "the file of compiled code: %v", err))
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
	engine, failure := newEngine(context.Background(), wasm, engineOptions{
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
	w.engine = engine
	payload, wasm = nil, nil
	if !s.Compile {
		// Where there is no filter to add, there is none to strengthen either.
		_ = sealSelf()
		// From here on what lives is the module and what dies is messages: a small heap matters more than the time.
		debug.SetGCPercent(25)
		debug.SetMemoryLimit(math.MaxInt64)
		debug.FreeOSMemory()
	}
	return w.done(f, nil, nil)
}

// report answers a self-test.
func (w *workerProcess) report(f frame, s settings, exe string, layers []Layer) error {
	if !s.Compile {
		_ = sealSelf() // as a worker that has loaded its module
	}
	data, err := json.Marshal(Report{Layers: layers, Attempts: confine.Forbidden{File: exe, Host: s.Host, Compiles: s.Compile}.Attempts()})
	if err != nil {
		return err
	}
	return w.done(f, nil, data)
}

// serve handles one frame.
func (w *workerProcess) serve() error {
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
		g, failure := w.engine.newGuest(binary.LittleEndian.Uint64(payload))
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
			return w.fail(f, nil, newError(KindLost, name, "the instance is closed"))
		}
		w.watch(w.limits.Call)
		g.mayAsk = f.detail == detailAsks
		output, failure := g.call(name, input)
		w.late.Stop()
		if failure != nil {
			if failure.Fatal() {
				delete(w.guests, f.instance)
			}
			err = w.fail(f, g, failure)
		} else {
			f.detail = 0
			if g.asks {
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
			g.close()
		}
		return nil
	}
	return fmt.Errorf("a frame has kind %d", f.kind)
}

// lateExit is the exit code of a worker that ended itself.
const lateExit = 3

// watch ends the process should something run for twice as long as the host allows, which it only can when the host is gone or
// gets no processor time.
func (w *workerProcess) watch(limit time.Duration) { w.late.Reset(2 * limit) }

func (w *workerProcess) done(f frame, g *guest, output []byte) error {
	return w.conn.write(frame{kind: frameDone, detail: f.detail, request: f.request, instance: f.instance, payload: memoryOf(g)}, output)
}

func (w *workerProcess) fail(f frame, g *guest, e *Error) error {
	return w.conn.write(frame{kind: frameFailed, detail: byte(e.Kind), request: f.request, instance: f.instance, payload: memoryOf(g)}, []byte(e.Message))
}

func memoryOf(g *guest) []byte {
	var size uint64
	if g != nil {
		size = g.memory.size()
	}
	return binary.LittleEndian.AppendUint64(nil, size)
}
