package timeline

import (
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// addMany adds n clips in one call.
func addMany(b testing.TB, in *pdk.Instance[*film.Film], n int) {
	if _, err := in.New(&abi.NewRequest{Title: "Bench"}); err != nil {
		b.Fatal(err)
	}
	req := &abi.ApplyRequest{}
	for i := range n + 1 {
		text := "add clip vid in:1s dur:2s"
		if i == 0 {
			text = "media ./vid.mp4 duration:50s size:1920x1080 fps:30"
			req.Resources = []abi.Supply{{Word: "./vid.mp4", Kind: abi.ResourceProbe, Failure: &abi.Failure{Kind: abi.FailedRefused, Message: "not granted"}}}
		}
		req.Ops = append(req.Ops, opOf(b, text))
	}
	out, err := in.Apply(req)
	if err != nil {
		b.Fatal(err)
	}
	if last := out.Results[len(out.Results)-1]; last.Error != nil || len(out.Results) != n+1 {
		b.Fatal(last)
	}
}

func BenchmarkAdd1000(b *testing.B) {
	for b.Loop() {
		addMany(b, pdk.NewInstance(Domain()), 1000)
	}
}

func BenchmarkTimelineOf1000(b *testing.B) {
	in := pdk.NewInstance(Domain())
	addMany(b, in, 1000)
	for b.Loop() {
		if _, err := in.Query(&abi.QueryRequest{Query: abi.Op{Verb: "timeline"}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCommandOf200(b *testing.B) {
	in := pdk.NewInstance(Domain())
	addMany(b, in, 200)
	for b.Loop() {
		if _, err := in.Query(&abi.QueryRequest{Query: abi.Op{Verb: "command"}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMapOf1000(b *testing.B) {
	in := pdk.NewInstance(Domain())
	addMany(b, in, 1000)
	for b.Loop() {
		if _, err := in.Query(&abi.QueryRequest{Query: abi.Op{Verb: "map"}}); err != nil {
			b.Fatal(err)
		}
	}
}
