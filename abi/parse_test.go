package abi

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The hand-written codec must be the reflecting one, only faster.
func TestHandWrittenMessagesAreThoseOfTheStructTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var out, back, again any
		switch rapid.IntRange(0, 5).Draw(t, "message") {
		case 0:
			out, back, again = &ApplyRequest{Ops: some(t, drawOp), Each: rapid.Bool().Draw(t, "each"), Recent: some(t, drawText)}, &ApplyRequest{}, &ApplyRequest{}
		case 1:
			out, back, again = &ApplyResponse{Results: some(t, drawResult), State: drawState(t)}, &ApplyResponse{}, &ApplyResponse{}
		case 2:
			out, back, again = &EventsRequest{Events: some(t, drawEvent)}, &EventsRequest{}, &EventsRequest{}
		case 3:
			out, back, again = &StateResponse{State: drawState(t)}, &StateResponse{}, &StateResponse{}
		case 4:
			out, back, again = &QueryRequest{Query: drawOp(t), Recent: some(t, drawText), First: drawInt(t), Lines: drawInt(t)}, &QueryRequest{}, &QueryRequest{}
		case 5:
			out, back, again = &QueryResponse{Text: drawText(t), Total: drawInt(t), Content: some(t, drawContent)}, &QueryResponse{}, &QueryResponse{}
		}
		fast, err := Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := reflectFrom(out)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(fast, slow) {
			t.Fatalf("%#v:\nby hand  %x\nby tags  %x", out, fast, slow)
		}
		if err := Unmarshal(fast, back); err != nil {
			t.Fatal(err)
		}
		if err := reflectInto(fast, again); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(back, again) {
			t.Fatalf("by hand  %#v\nby tags  %#v", back, again)
		}
	})
}

// Whatever the bytes, the hand-written decoder ends, and reads what the other
// reads wherever both read anything.
func FuzzParseMessage(f *testing.F) {
	f.Add([]byte{0x81, 0xa3, 'o', 'p', 's', 0x91, 0x81, 0xa4, 'v', 'e', 'r', 'b', 0xa1, 'x'}, uint8(0))
	f.Add([]byte{0x81, 0xa1, '?', 0xdc, 0, 1, 0xc0}, uint8(1))
	f.Add([]byte{0x81, 0xa5, 's', 't', 'a', 't', 'e', 0x81, 0xa6, 'c', 'o', 'u', 'n', 't', 's', 0x91, 0x81, 0xa5, 'v', 'a', 'l', 'u', 'e', 0xcf, 255, 255, 255, 255, 255, 255, 255, 255}, uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		make := func() any {
			return []any{&ApplyRequest{}, &ApplyResponse{}, &EventsRequest{}, &StateResponse{}, &QueryRequest{}, &QueryResponse{}}[kind%6]
		}
		fast, slow := make(), make()
		if err := Unmarshal(data, fast); err != nil {
			return
		}
		if strings.Contains(string(data), "\xc7") { // extensions: the library has types of its own for them
			return
		}
		if err := reflectInto(data, slow); err == nil && !reflect.DeepEqual(normal(fast), normal(slow)) {
			t.Fatalf("%x\nby hand  %#v\nby tags  %#v", data, fast, slow)
		}
	})
}

// normal makes nil and empty lists alike: the message says the same by both.
func normal(v any) string {
	b, _ := Marshal(v)
	return strings.NewReplacer("\xa3ops\x90", "\xa3ops\xc0", "\xa6events\x90", "\xa6events\xc0", "\xa7results\x90", "\xa7results\xc0").Replace(string(b))
}

func some[T any](t *rapid.T, item func(*rapid.T) T) []T {
	n := rapid.SampledFrom([]int{-1, 0, 1, 2, 3, 17}).Draw(t, "length")
	if n < 0 {
		return nil
	}
	out := make([]T, n)
	for i := range out {
		out[i] = item(t)
	}
	return out
}

func drawText(t *rapid.T) string {
	n := rapid.SampledFrom([]int{0, 1, 31, 32, 255, 256, 70_000}).Draw(t, "bytes")
	if n <= 32 && rapid.Bool().Draw(t, "any") {
		return rapid.StringN(0, 20, -1).Draw(t, "text")
	}
	return strings.Repeat("x", n)
}

func drawInt(t *rapid.T) int {
	return rapid.OneOf(rapid.Int(), rapid.IntRange(-40, 300), rapid.IntRange(-70_000, 70_000)).Draw(t, "int")
}

func drawOp(t *rapid.T) Op {
	return Op{Verb: drawText(t), Raw: drawText(t), Block: some(t, drawText), Arrows: some(t, drawInt),
		Positionals: some(t, func(t *rapid.T) Positional { return Positional{drawText(t), rapid.Bool().Draw(t, "quoted")} }),
		Params:      some(t, func(t *rapid.T) KeyValue { return KeyValue{drawText(t), "v", rapid.Bool().Draw(t, "quoted")} }),
		Selectors:   some(t, func(t *rapid.T) Select { return Select{"@x", "x", drawText(t), rapid.Bool().Draw(t, "negated")} })}
}

func drawEvent(t *rapid.T) Event {
	return Event{Type: drawText(t), Summary: "s", IDs: some(t, drawText), Data: []byte(drawText(t))}
}

func drawResult(t *rapid.T) Result {
	r := Result{Kind: Created, Text: drawText(t), Events: some(t, drawEvent), IDs: some(t, drawText), Warnings: some(t, drawText)}
	if rapid.Bool().Draw(t, "failed") {
		r = Result{Error: &Error{Message: drawText(t), Try: some(t, drawSuggestion)}}
	}
	return r
}

func drawSuggestion(t *rapid.T) Suggestion { return Suggestion{drawText(t), drawText(t)} }

func drawContent(t *rapid.T) Content {
	return Content{MIME: drawText(t), Data: rapid.SampledFrom([][]byte{nil, {}, {1, 2}}).Draw(t, "data")}
}

func drawState(t *rapid.T) State {
	return State{Digest: drawText(t), Title: drawText(t), Warnings: some(t, drawText),
		Counts: some(t, func(t *rapid.T) Count { return Count{drawText(t), drawInt(t)} })}
}

func BenchmarkApplyRequest(b *testing.B) {
	req := &ApplyRequest{Ops: make([]Op, 1000)}
	for i := range req.Ops {
		req.Ops[i] = Op{Verb: "note", Raw: "note Piano C4 at:1.1 dur:eighth", Positionals: []Positional{{Text: "Piano"}, {Text: "C4"}},
			Params: []KeyValue{{Key: "at", Value: "1.1"}, {Key: "dur", Value: "eighth"}}}
	}
	data, _ := Marshal(req)
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			Marshal(req)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			var out ApplyRequest
			if err := Unmarshal(data, &out); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode by tags", func(b *testing.B) {
		for b.Loop() {
			var out ApplyRequest
			if err := reflectInto(data, &out); err != nil {
				b.Fatal(err)
			}
		}
	})
}
