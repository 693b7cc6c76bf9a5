package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// compiled returns the compiled code of a module for this program, from the cache that tests share.
func compiled(t testing.TB, wasm []byte) *os.File {
	t.Helper()
	entry := codecache.Open(testwasm.Modules(t), sha256.Sum256(wasm), []string{os.Args[0]}, slog.New(slog.DiscardHandler))
	if file := entry.Open(); file != nil {
		return file
	}
	file, err := entry.Begin(module.Skeleton(wasm))
	if err != nil {
		t.Fatal(err)
	}
	defer entry.Abandon(file)
	code := codecache.NewFile(file, true)
	if _, err := code.Skeleton(); err != nil {
		t.Fatal(err)
	}
	e, failure := New(context.Background(), wasm, Options{Code: code})
	if failure != nil {
		t.Fatal(failure)
	}
	e.Close()
	final, err := entry.Commit(file)
	if err != nil {
		t.Fatal(err)
	}
	return final
}

// The guest is a Go program, so its whole runtime reads the fixed clock, arguments and random numbers, too.
func TestUnracedAGoGuestSeesAFixedWorld(t *testing.T) {
	testwasm.Unraced(t)
	e := load(t, goGuest(t))
	read := func(seed uint64) string {
		g, failure := e.NewGuest(seed)
		if failure != nil {
			t.Fatal(failure)
		}
		defer g.Close()
		out, failure := g.Call("system", nil)
		if failure != nil {
			t.Fatal(failure)
		}
		return string(out)
	}
	one, same, other := read(1), read(1), read(2)
	if one != same {
		t.Errorf("equal seeds give %q and %q", one, same)
	}
	if one == other {
		t.Errorf("different seeds give %q", one)
	}
	if want := " 2022-01-01T00:00:00Z 0 0 true"; !strings.HasSuffix(one, want) {
		t.Errorf("got %q, want a number and %q", one, want)
	}
}

func TestUnracedAGoGuestFailsAsItsRuntimeReports(t *testing.T) {
	testwasm.Unraced(t)
	e := load(t, goGuest(t), func(o *Options) { o.Limits.Memory = 32 << 20 })
	for _, tt := range []struct {
		export, input string
		kind          fail.Kind
		want          string
	}{
		{"echo", "", 0, ""},
		{"echo", "1234567890", 0, "1234567890"},
		{"echo_bulk", "1234567890", 0, "1234567890"},
		{"sleeps", "", 0, "1h0m0s"},
		{"config", "", 0, ""},
		{"panics", "", fail.Trap, "trap: unreachable executed in panics: panic: the guest gave up"},
		{"exits", "", fail.Exit, "exited with code 3 in exits"},
		{"allocate", "", fail.Memory, "out of memory in allocate: an instance may have 32 MiB"},
		{"recurses", "", fail.Memory, "out of memory in recurses"},
		{"refuses", "no such track\ntry: track add \"Bass\"", fail.Refused, "no such track\ntry: track add \"Bass\""},
		{"refuses_with_zero", "", fail.Refused, "rc was zero"},
		{"refuses_silently", "", fail.Refused, "refuses_silently failed with code 7 and gave no reason"},
		{"variable", "", fail.Trap, "var_set is not permitted"},
		{"http", "", fail.Trap, "http_request is not permitted"},
	} {
		t.Run(fmt.Sprint(tt.export, len(tt.input)), func(t *testing.T) {
			g := start(t, e)
			defer g.Close()
			out, failure := g.Call(tt.export, []byte(tt.input))
			if tt.kind == 0 {
				if failure != nil || string(out) != tt.want {
					t.Fatalf("%q %v", out, failure)
				}
				return
			}
			if failure == nil || failure.Kind != tt.kind || !strings.Contains(failure.Message, tt.want) {
				t.Fatalf("got %+v, want %v with %q", failure, tt.kind, tt.want)
			}
		})
	}
}

func TestUnracedAHugeErrorIsBoundedAndEscaped(t *testing.T) {
	testwasm.Unraced(t)
	_, failure := start(t, load(t, goGuest(t))).Call("big_error", nil)
	if failure == nil || failure.Kind != fail.Refused || len(failure.Message) > fail.MaxRefusalBytes || strings.Contains(failure.Message, "\x1b") {
		t.Fatalf("%v", failure)
	}
}

func TestUnracedAFloodOfLogsIsHeldBack(t *testing.T) {
	testwasm.Unraced(t)
	lines := 0
	e := load(t, goGuest(t), func(o *Options) {
		o.Limits.LogLine, o.Limits.LogRate = 100, 1
		o.Log = func(level slog.Level, text string) {
			lines++
			if len(text) > 110 || strings.Contains(text, "jsonrpc") {
				t.Errorf("%v %q", level, text)
			}
		}
	})
	if _, failure := start(t, e).Call("floods", nil); failure != nil {
		t.Fatal(failure)
	}
	if lines == 0 || lines > 200 {
		t.Errorf("%d lines were logged", lines)
	}
}

func TestUnracedAGoGuestSurvivesManyCalls(t *testing.T) {
	testwasm.Unraced(t)
	g := start(t, load(t, goGuest(t), func(o *Options) { o.Limits.Memory = 16 << 20 }))
	in := make([]byte, 1000)
	for n := range 50_000 {
		if _, failure := g.Call("echo_bulk", in); failure != nil {
			t.Fatalf("call %d: %v", n, failure)
		}
	}
}

// goGuest returns the module of a Go guest that does, on request, what honest and hostile plugins do.
func goGuest(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(testwasm.Build(t, "host/sandbox/testdata/guest"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
