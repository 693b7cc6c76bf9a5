package command

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// BenchmarkRequestOfACall measures the host's cost of a request, with a server that takes almost no time: the difference
// between a query that asks and one that does not. The aim is at most a millisecond.
func BenchmarkRequestOfACall(b *testing.B) {
	url, _ := serveRecorded(b, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("ok")) })
	a := startArena(b, worldConfig(b, url, worldKey, `grant = ["http:api"]`)...)
	a.session("world", `new "W"`)
	for _, bm := range []struct{ name, query string }{{"none", "map"}, {"one", "get a"}, {"ten after one another", "many 10 a"}} {
		b.Run(bm.name, func(b *testing.B) {
			for range b.N {
				if got := a.wait(a.send("world_query", map[string]any{"q": bm.query})); got.failed {
					b.Fatal(got.text)
				}
			}
		})
	}
}

// BenchmarkOpBesideCallsThatWait measures an op with and without 64 calls on other documents of its domain that wait for the
// world.
func BenchmarkOpBesideCallsThatWait(b *testing.B) {
	for _, waiting := range []int{0, 64} {
		b.Run(fmt.Sprintf("%d wait", waiting), func(b *testing.B) {
			h := holding(b)
			done := abi.ApplyResponse{Results: []abi.Result{{Kind: abi.Unchanged, Text: "went"}}, State: abi.State{Digest: "1 thing"}}
			a := startGranted(b, h.url, asking(b, map[string]testwasm.Act{abi.ExportSession: post("things"), abi.ExportResume: testwasm.Answers(&done)}), "--limit", "documents=100")
			var ids []int
			for i := range waiting {
				a.session("thing", fmt.Sprintf("new Doc%d", i))
				a.must("thing", map[string]any{"ops": []string{"add"}}) // otherwise the next document takes its instance
				ids = append(ids, a.send("thing_session", map[string]any{"action": "go", "document": fmt.Sprintf("Doc%d", i)}))
			}
			a.session("thing", "new Free")
			b.ResetTimer()
			for range b.N {
				a.must("thing", map[string]any{"ops": []string{"add"}, "document": "Free"})
			}
			b.StopTimer()
			h.giveItUp()
			for _, id := range ids {
				a.wait(id)
			}
		})
	}
}
