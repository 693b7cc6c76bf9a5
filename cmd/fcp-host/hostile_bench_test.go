package main

import (
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

// What a call of an honest domain takes while another domain's call does not
// end: on two cores at most twice what it takes alone.
func BenchmarkHonestCall(b *testing.B) {
	for _, bm := range []struct {
		name    string
		hostile bool
	}{{"alone", false}, {"beside a plugin that loops", true}} {
		b.Run(bm.name, func(b *testing.B) {
			a := enter(b, "--timeout", "2s", "--plugin", code(abi.ExportQuery, looping()).file(b))
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
