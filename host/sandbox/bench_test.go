package sandbox

import (
	"context"
	"testing"

	"github.com/fcp-host/fcp-host/internal/asm"
)

// BenchmarkCall measures a call with an input and output of 200 bytes.
func BenchmarkCall(b *testing.B) {
	b.Run("frame alone", func(b *testing.B) {
		p, err := NewPlugin(Config{Name: "empty", Wasm: asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}.Bytes()})
		if err != nil {
			b.Fatal(err)
		}
		defer p.Close()
		benchmarkCall(b, p, "run", 200)
	})
	b.Run("Go guest", func(b *testing.B) { benchmarkCall(b, goPlugin(b), "echo_bulk", 200) })
}

func BenchmarkMegabyte(b *testing.B) {
	b.Run("bulk", func(b *testing.B) { benchmarkCall(b, goPlugin(b), "echo_bulk", 1<<20) })
	b.Run("extism", func(b *testing.B) { benchmarkCall(b, goPlugin(b), "echo", 1<<20) })
}

func benchmarkCall(b *testing.B, p *Plugin, export string, size int) {
	i := instance(b, p)
	in := make([]byte, size)
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, err := i.Call(context.Background(), export, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	wasm := guestWasm(b)
	b.SetBytes(int64(len(wasm)))
	for b.Loop() {
		if _, err := Scan(wasm); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewInstance(b *testing.B) {
	p := goPlugin(b)
	instance(b, p)
	for b.Loop() {
		instance(b, p).Close()
	}
}

// BenchmarkCachedStart measures starting a worker, loading cached code and making the first instance.
func BenchmarkCachedStart(b *testing.B) {
	instance(b, goPlugin(b))
	for b.Loop() {
		p := goPlugin(b)
		instance(b, p)
		p.Close()
	}
}

// BenchmarkCompile measures compiling the module into an empty cache.
func BenchmarkCompile(b *testing.B) {
	guestWasm(b)
	for b.Loop() {
		p := goPlugin(b, func(c *Config) { c.CacheDir = b.TempDir() })
		if err := p.Warm(context.Background()); err != nil {
			b.Fatal(err)
		}
		p.Close()
	}
}

// BenchmarkResident reports the resident memory of a worker with three instances after calls.
func BenchmarkResident(b *testing.B) {
	p := goPlugin(b)
	var all []*Instance
	for range 3 {
		all = append(all, instance(b, p))
	}
	in := make([]byte, 64<<10)
	for b.Loop() {
		for _, i := range all {
			if _, err := i.Call(context.Background(), "echo_bulk", in); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(p.Stats().Resident)/1e6, "MB")
}
