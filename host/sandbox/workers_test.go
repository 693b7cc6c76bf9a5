package sandbox

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestAWorkerThatGrowsPaysForAllWorkers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("resident memory is measured on Linux alone")
	}
	// run fills 48 MiB over and over.
	fill := join([]byte{3, 0x40}, i32(0), i32(1), i32(48<<20), []byte{0xfc, 11, 0, 0x0c, 0, 0x0b}, i32(0))
	m := module{memory: []uint32{768}, funcs: []testFunc{run(fill), {export: "quick", results: "i", code: i32(0)}}}
	all := NewWorkers(1 << 40)
	p := modulePlugin(t, m, func(c *Config) { c.Workers, c.Limits.Call = all, time.Minute })
	i := instance(t, p)
	if _, err := i.Call(context.Background(), "quick", nil); err != nil {
		t.Fatal(err)
	}
	for taken := int64(0); taken == 0; taken, _ = all.Use() { // until the worker was looked at
		runtime.Gosched()
	}
	all.mu.Lock()
	all.most = 1
	all.mu.Unlock()
	// Who asks for no more goes on.
	if _, err := i.Call(context.Background(), "quick", nil); err != nil {
		t.Error(err)
	}
	_, err := p.NewInstance(context.Background(), 1)
	if e := failure(t, err, KindCrowded); !strings.Contains(e.Message, "limit workers") {
		t.Error(e)
	}
	_, err = i.Call(context.Background(), "run", nil)
	if e := failure(t, err, KindCrowded); !strings.Contains(e.Message, "the workers of all plugins took") || !strings.Contains(e.Message, "during run") {
		t.Error(e)
	}
	if taken, _ := all.Use(); taken != 0 {
		t.Errorf("a dead worker takes %d bytes", taken)
	}
}

func TestOnePluginGetsHalfOfAllWorkersMemory(t *testing.T) {
	p := modulePlugin(t, module{funcs: []testFunc{run(i32(0))}}, func(c *Config) { c.Workers = NewWorkers(1 << 30) })
	if got := p.cfg.Limits.Resident; got != 1<<29 {
		t.Errorf("a worker may take %d bytes", got)
	}
}
