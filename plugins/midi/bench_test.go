package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// noteOp is `note Piano PITCH at:M.B.T dur:eighth`, as the host would send it.
func noteOp(i int) abi.Op {
	pitch := fmt.Sprintf("%s%d", []string{"C", "D", "E", "F", "G", "A", "B"}[i%7], 3+i/7%3)
	at := fmt.Sprintf("%d.%d.%d", 1+i/8, 1+i/2%4, 240*(i%2))
	return abi.Op{Verb: "note", Positionals: []abi.Positional{{Text: "Piano"}, {Text: pitch}},
		Params: []abi.KeyValue{{Key: "at", Value: at}, {Key: "dur", Value: "eighth"}}, Raw: "note Piano " + pitch + " at:" + at + " dur:eighth"}
}

func batch(n int) *abi.ApplyRequest {
	r := &abi.ApplyRequest{Ops: make([]abi.Op, n)}
	for i := range r.Ops {
		r.Ops[i] = noteOp(i)
	}
	return r
}

func selOp(verb, sel, value string, words ...string) *abi.ApplyRequest {
	op := abi.Op{Verb: verb, Selectors: []abi.Select{{Raw: "@" + sel + ":" + value, Type: sel, Value: value}}}
	if value == "" {
		op.Selectors[0].Raw = "@" + sel
	}
	if kind, ok := strings.CutPrefix(sel, "not:"); ok {
		op.Selectors[0].Type, op.Selectors[0].Negated = kind, true
	}
	for _, w := range words {
		op.Positionals = append(op.Positionals, abi.Positional{Text: w})
	}
	return &abi.ApplyRequest{Ops: []abi.Op{op}}
}

func apply(b testing.TB, in *pdk.Instance[*song.Song], r *abi.ApplyRequest) *abi.ApplyResponse {
	b.Helper()
	out, err := in.Apply(r)
	if err != nil {
		b.Fatal(err)
	}
	for i := range out.Results {
		if e := out.Results[i].Error; e != nil {
			b.Fatalf("%s: %s", r.Ops[i].Raw, e.Message)
		}
	}
	return out
}

// songOfNotes makes a song with n notes on one track.
func songOfNotes(b testing.TB, n int) *pdk.Instance[*song.Song] {
	b.Helper()
	in := pdk.NewInstance(domain())
	if _, err := in.New(&abi.NewRequest{Title: "Song"}); err != nil {
		b.Fatal(err)
	}
	apply(b, in, &abi.ApplyRequest{Ops: []abi.Op{{Verb: "track", Positionals: []abi.Positional{{Text: "add"}, {Text: "Piano"}}}}})
	if n > 0 {
		apply(b, in, batch(n))
	}
	return in
}

var sizes = []int{1000, 5000, 10000}

func bySize(b *testing.B, run func(b *testing.B, n int)) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) { run(b, n) })
	}
}

// BenchmarkNotes applies a batch of note ops, decoded and encoded as over the wire.
func BenchmarkNotes(b *testing.B) {
	bySize(b, func(b *testing.B, n int) {
		input, err := abi.Marshal(batch(n))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			b.StopTimer()
			in := songOfNotes(b, 0)
			b.StartTimer()
			if _, err := in.Call(abi.ExportApply, input); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchWithUndo runs one op again and again, and undoes it after each run.
func benchWithUndo(b *testing.B, r func() *abi.ApplyRequest) {
	bySize(b, func(b *testing.B, n int) {
		in := songOfNotes(b, n)
		for b.Loop() {
			out := apply(b, in, r())
			b.StopTimer()
			if _, err := in.Reverse(&abi.EventsRequest{Events: reverseEvents(out.Results[0].Events)}); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
}

func BenchmarkRemove(b *testing.B) {
	benchWithUndo(b, func() *abi.ApplyRequest { return selOp("remove", "track", "Piano") })
}

func BenchmarkTranspose(b *testing.B) {
	benchWithUndo(b, func() *abi.ApplyRequest { return selOp("transpose", "all", "", "+5") })
}

func BenchmarkVelocity(b *testing.B) {
	benchWithUndo(b, func() *abi.ApplyRequest { return selOp("velocity", "all", "", "x0.8") })
}

func BenchmarkMove(b *testing.B) {
	benchWithUndo(b, func() *abi.ApplyRequest {
		r := selOp("move", "all", "")
		r.Ops[0].Params = []abi.KeyValue{{Key: "by", Value: "eighth"}}
		return r
	})
}

// BenchmarkReshape runs verbs that change the start and end of every note, one after
// another: humanized notes are quantized, and so on.
func BenchmarkReshape(b *testing.B) {
	for _, verb := range []string{"quantize", "humanize", "legato", "reverse"} {
		b.Run(verb, func(b *testing.B) {
			bySize(b, func(b *testing.B, n int) {
				in := songOfNotes(b, n)
				apply(b, in, selOp("humanize", "all", ""))
				for b.Loop() {
					out := apply(b, in, selOp(verb, "all", ""))
					b.StopTimer()
					if _, err := in.Reverse(&abi.EventsRequest{Events: reverseEvents(out.Results[0].Events)}); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
			})
		})
	}
}

func reverseEvents(events []abi.Event) []abi.Event {
	out := slices.Clone(events)
	slices.Reverse(out)
	return out
}

func BenchmarkBars(b *testing.B) {
	benchWithUndo(b, func() *abi.ApplyRequest {
		return &abi.ApplyRequest{Ops: []abi.Op{{Verb: "bars", Positionals: []abi.Positional{{Text: "insert"}, {Text: "9"}}}}}
	})
}

func BenchmarkChordsSelected(b *testing.B) {
	benchWithUndo(b, func() *abi.ApplyRequest { return selOp("velocity", "not:chord", "", "+5") })
}

func BenchmarkOneNote(b *testing.B) {
	benchWithUndo(b, func() *abi.ApplyRequest { return batch(1) })
}

func BenchmarkSave(b *testing.B) {
	bySize(b, func(b *testing.B, n int) {
		in := songOfNotes(b, n)
		for b.Loop() {
			if _, err := in.Save(&abi.SaveRequest{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	bySize(b, func(b *testing.B, n int) {
		saved, err := songOfNotes(b, n).Save(&abi.SaveRequest{})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := pdk.NewInstance(domain()).Open(&abi.OpenRequest{Name: "x.mid", Data: saved.Data}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSnapshot(b *testing.B) {
	bySize(b, func(b *testing.B, n int) {
		in := songOfNotes(b, n)
		for b.Loop() {
			saved, err := in.Save(&abi.SaveRequest{Snapshot: true})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := pdk.NewInstance(domain()).Open(&abi.OpenRequest{Data: saved.Data, Snapshot: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkUndoOf100(b *testing.B) {
	in := songOfNotes(b, 10000)
	for b.Loop() {
		b.StopTimer()
		out := apply(b, in, batch(100))
		var r abi.EventsRequest
		for i := len(out.Results) - 1; i >= 0; i-- {
			r.Events = append(r.Events, out.Results[i].Events...)
		}
		b.StartTimer()
		if _, err := in.Reverse(&r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQueries(b *testing.B) {
	in := songOfNotes(b, 10000)
	for _, q := range []abi.Op{{Verb: "map"}, {Verb: "stats"}, {Verb: "piano-roll", Positionals: []abi.Positional{{Text: "Piano"}, {Text: "100-115"}}},
		{Verb: "preview", Positionals: []abi.Positional{{Text: "100-115"}}}, {Verb: "tracker", Positionals: []abi.Positional{{Text: "Piano"}, {Text: "100-115"}}},
		{Verb: "chords", Positionals: []abi.Positional{{Text: "100-115"}}}, {Verb: "key"}, {Verb: "lint"}, {Verb: "tempo"}} {
		b.Run(q.Verb, func(b *testing.B) {
			for b.Loop() {
				if _, err := in.Query(&abi.QueryRequest{Query: q}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
