package arrange

import (
	"syscall"
	"testing"
)

func cpu() int64 { var r syscall.Rusage; syscall.Getrusage(0, &r); return r.Utime.Nano() }

func TestCPU(t *testing.T) {
	g, _ := corpus[0].read(t)
	a := cpu()
	for range 10 {
		Arrange(g, Options{})
	}
	t.Logf("shop %d us", (cpu()-a)/10000)
	l := large(t, 30)
	a = cpu()
	Arrange(l, Options{})
	t.Logf("large %d ms", (cpu()-a)/1000000)
}
