package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/asm"
	"github.com/fcp-host/fcp-host/printable"
)

// liarArg makes the test binary a worker that breaks the protocol.
const liarArg = "__liar"

// The kinds of frames that a worker sends. The liar has its own code for frames, so that it does not depend on the code under test.
const (
	kindDone   = 5
	kindFailed = 6
	kindLog    = 7
)

// send writes a frame to the host.
func send(kind, detail byte, request uint32, payload []byte) {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
	b = append(b, kind, detail, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, request)
	b = binary.LittleEndian.AppendUint32(b, 0) // the instance
	_, _ = os.Stdout.Write(append(b, payload...))
}

// receive reads a frame and returns the number of its request. At the end of input the process ends.
func receive() (request uint32) {
	var header [16]byte
	if _, err := io.ReadFull(os.Stdin, header[:]); err != nil {
		os.Exit(0)
	}
	if _, err := io.CopyN(io.Discard, os.Stdin, int64(binary.LittleEndian.Uint32(header[:]))); err != nil {
		os.Exit(0)
	}
	return binary.LittleEndian.Uint32(header[8:])
}

// hang never returns. In a program without cgo, Go's runtime would report select {} as a deadlock.
func hang() { time.Sleep(math.MaxInt64) }

func lie(how string) int {
	noMemory := make([]byte, 8)
	answer := func(request uint32, output string) { send(kindDone, 0, request, append(noMemory, output...)) }
	switch how {
	case "exits at once":
		return 7
	case "prints text":
		fmt.Println("usage: some other program, which is not a worker at all")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "never answers":
		receive()
		hang()
	case "never reads":
		hang()
	}
	answer(receive(), "") // the load
	answer(receive(), "") // the instance
	request := receive()
	switch how {
	case "claims 4 GiB":
		header := binary.LittleEndian.AppendUint32(nil, 1<<32-1)
		header = append(header, kindDone, 0, 0, 0)
		header = binary.LittleEndian.AppendUint32(header, request)
		_, _ = os.Stdout.Write(append(header, 0, 0, 0, 0))
	case "answers another request":
		answer(request+9, "")
	case "sends an unknown kind":
		send(99, 0, request, nil)
	case "fails in an unknown way":
		send(kindFailed, 200, request, noMemory)
	case "answers without its header":
		send(kindDone, 0, request, nil)
	case "closes stdout":
		os.Stdout.Close()
		hang()
	case "fails with escapes":
		send(kindFailed, byte(KindTrap), request, append(noMemory, "\x1b[2Ja\nb\x00"+strings.Repeat("x", 9000)...))
	case "floods the log":
		for range 100_000 {
			send(kindLog, 64+4, 0, []byte("\x1b[2J\nlog")) // the level, warn, plus 64
			fmt.Fprintln(os.Stderr, "\x1b[2Jerr")
		}
		answer(request, "done")
	case "works on":
		answer(request, "")
		for sum := [32]byte{}; ; {
			sum = sha256.Sum256(sum[:])
		}
	case "starts threads":
		return takeThreads()
	case "answers and starts threads":
		answer(request, "")
		return takeThreads()
	case "answers twice":
		answer(request, "one")
		answer(request, "two")
		answer(receive(), "")
	}
	receive()
	return 0
}

// takeThreads starts more threads than a worker may have and never returns.
func takeThreads() int {
	for range 2 * 64 {
		go func() {
			runtime.LockOSThread()
			hang()
		}()
	}
	hang()
	return 0
}

func liar(t *testing.T, how string, log *slog.Logger) *Plugin {
	t.Helper()
	limit, wall := time.Minute, time.Duration(0)
	if strings.HasPrefix(how, "never") {
		wall = time.Second
	}
	p, err := NewPlugin(Config{
		Name: "liar", Wasm: asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}.Bytes(), Log: log,
		Command: []string{os.Args[0], liarArg, how},
		Limits:  Limits{Compile: limit, Start: limit, Call: limit, Wall: wall},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestAWorkerThatCannotStartIsAnErrorWithoutALoop(t *testing.T) {
	for how, want := range map[string]string{
		"exits at once": "died during its start (exit status 7)",
		"prints text":   "broke the protocol",
		"never answers": "its start did not end within 1s, though it used only",
		"never reads":   "its start did not end within 1s, though it used only",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := liar(t, how, nil)
			for range 2 {
				_, err := p.NewInstance(context.Background(), 1)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v", err)
				}
			}
			if s := p.Stats(); s.PID != 0 || s.Restarts > 3 {
				t.Errorf("%+v", s)
			}
		})
	}
	t.Run("no such program", func(t *testing.T) {
		p, err := NewPlugin(Config{Name: "x", Wasm: asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}.Bytes(), Command: []string{"/no/such/program"}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.NewInstance(context.Background(), 1)
		if e, ok := err.(*Error); !ok || e.Kind != KindWorker || e.Plugin != "x" {
			t.Errorf("%v", err)
		}
	})
}

func TestNothingAWorkerSaysIsTrusted(t *testing.T) {
	for how, want := range map[string]Kind{
		"claims 4 GiB":               KindWorker,
		"answers another request":    KindWorker,
		"sends an unknown kind":      KindWorker,
		"fails in an unknown way":    KindWorker,
		"answers without its header": KindWorker,
		"closes stdout":              KindLost,
		"fails with escapes":         KindTrap,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := liar(t, how, nil)
			_, err := instance(t, p).Call(context.Background(), "run", []byte("x"))
			e, ok := err.(*Error)
			if !ok || e.Kind != want || !e.Fatal() {
				t.Fatalf("%v", err)
			}
			checkPrintable(t, e.Message)
			if want != KindTrap && p.Stats().PID != 0 {
				t.Error("it still runs")
			}
			instance(t, p) // the next worker is as good as new
		})
	}
}

func TestASecondAnswerEndsTheWorker(t *testing.T) {
	p := liar(t, "answers twice", nil)
	i := instance(t, p)
	if out, err := i.Call(context.Background(), "run", nil); err != nil || string(out) != "one" {
		t.Fatalf("%q %v", out, err)
	}
	_, err := i.Call(context.Background(), "run", nil)
	if e, ok := err.(*Error); !ok || e.Kind != KindWorker {
		t.Errorf("%v", err)
	}
}

func TestALogFloodFromAWorkerIsHeldBack(t *testing.T) {
	var out bytes.Buffer
	p := liar(t, "floods the log", slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	got, err := instance(t, p).Call(context.Background(), "run", nil)
	if err != nil || string(got) != "done" {
		t.Fatalf("%q %v", got, err)
	}
	p.Close()
	if n := strings.Count(out.String(), "\n"); n == 0 || n > 3000 {
		t.Errorf("%d lines", n)
	}
	if strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), "lines were dropped") {
		t.Error("the log holds escapes, or does not say what was dropped")
	}
}

func TestAWorkerThatWorksWithoutARequestIsStopped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the processor time of a worker is known on Linux only")
	}
	var log bytes.Buffer
	p := liar(t, "works on", slog.New(slog.NewTextHandler(&log, nil)))
	i := instance(t, p)
	if _, err := i.Call(context.Background(), "run", nil); err != nil {
		t.Fatal(err)
	}
	<-i.Gone()
	if !strings.Contains(log.String(), "went on working after its answer") {
		t.Errorf("logged %s", log.String())
	}
	if _, err := i.Call(context.Background(), "run", nil); failure(t, err, KindLost) == nil {
		t.Error("its instance lives on")
	}
}

func TestAWorkerThatKeepsStartingThreadsIsStopped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the threads of a worker are counted on Linux only")
	}
	for how, answers := range map[string]bool{"starts threads": false, "answers and starts threads": true} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			i := instance(t, liar(t, how, slog.New(slog.NewTextHandler(&log, nil))))
			_, err := i.Call(context.Background(), "run", nil)
			if (err == nil) != answers || err != nil && !strings.Contains(err.Error(), "threads; the limit is 64") {
				t.Errorf("%v", err)
			}
			<-i.Gone()
			if !strings.Contains(log.String(), "threads; the limit is 64") {
				t.Errorf("logged %s", log.String())
			}
		})
	}
}

// checkPrintable checks what every message must be: one printable line.
func checkPrintable(t *testing.T, s string) {
	t.Helper()
	if s == "" || printable.Line(s) != s {
		t.Errorf("message %q", s)
	}
}
