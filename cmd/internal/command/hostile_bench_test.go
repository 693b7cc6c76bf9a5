package command

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/asm"
)

// BenchmarkHonestCall measures a call of an honest domain while a call of another domain loops forever: on two cores at most
// twice its time alone.
func BenchmarkHonestCall(b *testing.B) {
	for _, bm := range []struct {
		name    string
		hostile bool
	}{{"alone", false}, {"beside a plugin that loops", true}} {
		b.Run(bm.name, func(b *testing.B) {
			a := startArena(b, "--timeout", "2s", "--plugin", code(abi.ExportQuery, looping()).file(b))
			a.session("evil", `new "E"`)
			query := map[string]any{"q": "peek"}
			id := 0
			b.ResetTimer()
			for range b.N {
				if _, ended := a.got[id]; bm.hostile && (id == 0 || ended) {
					delete(a.got, id)
					id = a.send("evil_query", query)
				}
				a.must("list_query", map[string]any{"q": "map"})
			}
			b.StopTimer()
			if id != 0 {
				a.wait(id)
			}
		})
	}
}

// emitting writes a plugin whose ops each return an event of size bytes.
func emitting(b *testing.B, name string, size int) string {
	b.Helper()
	answer, err := abi.Marshal(applied(abi.Result{Kind: abi.Created, Text: "did it", Events: []abi.Event{{Type: "did", Data: make([]byte, size)}}}))
	if err != nil {
		b.Fatal(err)
	}
	// The module stores the event's bytes before and after its zeros.
	var fill []byte
	const at = 1 << 20
	for i, c := range answer {
		if c != 0 {
			fill = append(fill, asm.Join(asm.I32(int32(at+i)), asm.I32(int32(c)), []byte{0x3a, 0, 0})...)
		}
	}
	return evil{manifest: func(m *abi.Manifest) { m.Domain, m.Extensions = name, []string{"." + name} },
		pages: uint32(at+len(answer))>>16 + 1, code: map[string][]byte{
			abi.ExportApply: asm.Join(fill, asm.I32(at), asm.I32(int32(len(answer))), asm.Call(outputWrite), asm.I32(0))}}.file(b)
}

// BenchmarkLargeEvents measures the host's peak memory while two plugins fill six documents with events of 60 MB, four ops
// each: what the limits allow, plus the messages of some calls.
func BenchmarkLargeEvents(b *testing.B) {
	for range b.N {
		a := startArena(b, "--memory", "256", "--plugin", emitting(b, "evil", 60<<20), "--plugin", emitting(b, "vile", 60<<20))
		refused := 0
		for i := range 6 {
			domain := []string{"evil", "vile"}[i%2]
			a.session(domain, fmt.Sprint(`new "E" as:e`, i))
			for range 4 {
				if got := a.wait(a.send(domain, map[string]any{"ops": []string{"do it"}})); got.failed {
					if !bytes.Contains(got.raw, []byte("limit histories")) {
						b.Fatal(got.text)
					}
					refused++
				}
				a.editHonest()
			}
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", a.cmd.Process.Pid))
		if err != nil {
			b.Skip(err)
		}
		peak, _ := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)[1]))
		now, _ := strconv.Atoi(string(regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)[1]))
		b.ReportMetric(float64(peak)/1024, "MiB-peak")
		b.ReportMetric(float64(now)/1024, "MiB-now")
		b.ReportMetric(float64(refused), "refused")
		b.Log(regexp.MustCompile("memory: .*").FindString(a.must("evil_query", map[string]any{"q": "status"})))
		a.stop()
	}
}
