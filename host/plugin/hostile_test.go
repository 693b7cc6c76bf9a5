package plugin_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// tight returns limits under which nothing takes long.
func tight() sandbox.Limits {
	return sandbox.Limits{Call: time.Second, Start: time.Second, Compile: 20 * time.Second, Memory: 32 << 20, Resident: 512 << 20}
}

// small returns a complete plugin of a kilobyte.
func small(t testing.TB) []byte {
	t.Helper()
	answers := map[string][]byte{}
	for export, v := range map[string]any{
		abi.ExportManifest: &abi.Manifest{ABI: 1, Domain: "small", Verbs: []abi.Verb{{Name: "do", Syntax: "do", Max: -1}}},
		abi.ExportNew:      &abi.OpenResponse{},
		abi.ExportState:    &abi.StateResponse{},
	} {
		b, err := abi.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		answers[export] = b
	}
	return testwasm.Echo(abi.Required(), answers)
}

// mutated returns wasm with n changes: bits flipped, bytes changed, inserted or removed. The seed decides which.
func mutated(wasm []byte, seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	out := append([]byte(nil), wasm...)
	for range n {
		at := r.IntN(len(out))
		switch r.IntN(12) {
		case 0:
			out = append(out[:at], append([]byte{byte(r.Uint32())}, out[at:]...)...)
		case 1:
			out = append(out[:at], out[min(at+1+r.IntN(4), len(out)):]...)
		case 2, 3, 4:
			out[at] = byte(r.Uint32())
		default:
			out[at] ^= 1 << r.IntN(8)
		}
		if len(out) == 0 {
			return out
		}
	}
	return out
}

// load loads a module from a file as a host does, with or without a cache, and then calls its exports. It returns why it
// was refused, or "". The worker is not the test binary: instrumented for fuzzing, that takes longer to compile a real
// plugin than a fuzz test may run.
func load(t testing.TB, wasm []byte, cached bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mutant.wasm")
	if err := os.WriteFile(path, wasm, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	o := plugin.Options{Files: []string{path}, Command: testwasm.Worker(t), Limits: tight()}
	if cached {
		o.CacheDir = t.TempDir()
	}
	set, err := plugin.Load(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	served := set.Plugins()
	if len(served) == 0 { // refused, or dropped since it does not compile
		text := set.Problems()[0].Err.Error()
		if text == "" || len(text) > 700 || strings.ContainsAny(text, "\n\r\x1b\x00") {
			t.Errorf("the module is refused with %.800q", text)
		}
		return text
	}
	in, err := served[0].Domain.Start(ctx, 1)
	if err != nil {
		if text := err.Error(); len(text) > 1000 || strings.ContainsAny(text, "\n\r\x1b\x00") {
			t.Errorf("the module does not start with %.1000q", text)
		}
		return err.Error()
	}
	defer in.Close()
	// Any answer will do, as long as there is one.
	in.New(ctx, &abi.NewRequest{Title: "T"})
	in.Apply(ctx, &abi.ApplyRequest{Ops: []abi.Op{{Verb: "do", Raw: "do 80"}}})
	in.Query(ctx, &abi.QueryRequest{Query: abi.Op{Verb: "map", Raw: "map"}})
	in.Reverse(ctx, []abi.Event{{Type: "insert", Data: []byte{0x80}}})
	in.Replay(ctx, []abi.Event{{Type: "insert", Data: []byte{0x80}}})
	in.State(ctx)
	in.Save(ctx, &abi.SaveRequest{})
	return ""
}

func TestMutatedPluginsAreRefusedOrServedAndHurtNothing(t *testing.T) {
	wasm := small(t)
	if why := load(t, wasm, true); why != "" {
		t.Fatalf("the plugin itself: %s", why)
	}
	served, n := 0, soak.Times(40, 300)
	for seed := range uint64(n) {
		if load(t, mutated(wasm, seed, 1+int(seed%3)), seed%4 == 0) == "" {
			served++
		}
	}
	t.Logf("%d of %d mutants of the small plugin were served", served, n)
	if served == 0 || served == n {
		t.Error("all mutants have the same outcome")
	}
}

func TestUnracedMutatedRealPluginsAreScannedWithoutHarm(t *testing.T) {
	testwasm.Unraced(t)
	for _, file := range []string{testwasm.List(t), testwasm.Build(t, "plugins/midi")} {
		wasm, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		refused := 0
		n := soak.Times(25, 60)
		for seed := range uint64(n) {
			mutant := mutated(wasm, seed, 1+int(seed%20))
			if _, err := sandbox.Scan(mutant); err != nil {
				if text := err.Error(); len(text) > 1000 || strings.ContainsAny(text, "\n\x1b\x00") {
					t.Errorf("seed %d: %.1000q", seed, text)
				}
				refused++
			}
			if seed < 3 {
				load(t, mutant, seed%2 == 0)
			}
		}
		t.Logf("%s: the scan refuses %d of %d mutants", filepath.Base(file), refused, n)
	}
}

// FuzzMutatedPlugin changes a small plugin and runs what is left of it.
func FuzzMutatedPlugin(f *testing.F) {
	wasm := small(f)
	for seed := range uint64(8) {
		f.Add(mutated(wasm, seed, int(seed)))
	}
	f.Fuzz(func(t *testing.T, wasm []byte) { load(t, wasm, len(wasm)%2 == 0) })
}

// FuzzMutatedRealPlugin changes a plugin of several megabytes. The fuzzer varies a seed, since inputs of that size would
// slow it down.
func FuzzMutatedRealPlugin(f *testing.F) {
	wasm, err := os.ReadFile(testwasm.List(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint64(1), uint8(1))
	f.Add(uint64(2), uint8(8))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) { load(t, mutated(wasm, seed, int(n)), seed%2 == 0) })
}
