package abi_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/abi"
)

func fresh(like any) any { return reflect.New(reflect.TypeOf(like).Elem()).Interface() }

// generated returns a zero value of every message that has a generated codec.
func generated() []any {
	return slices.DeleteFunc(messages(), func(m any) bool {
		_, ok := abi.Room(m)
		return !ok
	})
}

// The generated codec gives the same bytes and values as reflection.
func TestTheGeneratedCodecEqualsReflection(t *testing.T) {
	for _, m := range generated() {
		t.Run(name(m), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				out := fresh(m)
				draw(t, reflect.ValueOf(out).Elem())
				sameByBoth(t, out)
			})
		})
	}
}

func sameByBoth(t rapid.TB, out any) {
	room, ok := abi.Room(out)
	if !ok {
		t.Fatalf("%T has no generated codec", out)
	}
	fast, err := abi.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := abi.ReflectFrom(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fast, slow) {
		t.Fatalf("%#v:\ngenerated  %x\nby tags    %x", out, fast, slow)
	}
	if len(fast) > room {
		t.Fatalf("%#v takes %d bytes, in a room for %d", out, len(fast), room)
	}
	back, again := fresh(out), fresh(out)
	if err := abi.Unmarshal(fast, back); err != nil {
		t.Fatal(err)
	}
	if err := abi.ReflectInto(fast, again); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, again) {
		t.Fatalf("generated  %#v\nby tags    %#v", back, again)
	}
}

// draw fills v with random values, among them lengths at which the encoding of a length changes.
func draw(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(drawText(t))
	case reflect.Int:
		v.SetInt(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-40, 300), rapid.Int64Range(-70_000, 70_000)).Draw(t, "int"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(rapid.SampledFrom([][]byte{nil, {}, {1, 2}, make([]byte, 255), make([]byte, 256)}).Draw(t, "bytes"))
			return
		}
		n := rapid.SampledFrom([]int{-1, -1, 0, 0, 1, 1, 2, 17}).Draw(t, "length")
		if n < 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range min(n, 2) { // the others stay zero
			draw(t, v.Index(i))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i))
		}
	default:
		panic("draw does not know " + v.Kind().String())
	}
}

func drawText(t *rapid.T) string {
	if rapid.Bool().Draw(t, "any") {
		return rapid.StringN(0, 20, -1).Draw(t, "text")
	}
	return strings.Repeat("x", rapid.SampledFrom([]int{0, 1, 31, 32, 255, 256}).Draw(t, "bytes"))
}

func TestTheGeneratedCodecEqualsReflectionForLongListsAndTexts(t *testing.T) {
	sameByBoth(t, &abi.EventsRequest{Events: make([]abi.Event, 70_000)})
	sameByBoth(t, &abi.QueryResponse{Text: strings.Repeat("x", 65_535), Content: []abi.Content{{Data: make([]byte, 70_000)}}})
	sameByBoth(t, &abi.QueryResponse{Text: strings.Repeat("x", 65_536), Content: []abi.Content{{Data: make([]byte, 65_535)}}})
	sameByBoth(t, &abi.ApplyRequest{Ops: make([]abi.Op, abi.MaxOps), Recent: make([]string, 65_536)})
}

func TestAListLongerThanItsLimitIsRefused(t *testing.T) {
	for _, tt := range []struct{ at, over any }{
		{&abi.ApplyRequest{Ops: make([]abi.Op, abi.MaxOps)}, &abi.ApplyRequest{Ops: make([]abi.Op, abi.MaxOps+1)}},
		{&abi.ApplyResponse{Results: make([]abi.Result, abi.MaxOps)}, &abi.ApplyResponse{Results: make([]abi.Result, abi.MaxOps+1)}},
		{&abi.EventsRequest{Events: make([]abi.Event, abi.MaxEvents)}, &abi.EventsRequest{Events: make([]abi.Event, abi.MaxEvents+1)}},
	} {
		if err := abi.Unmarshal(encode(t, tt.at), fresh(tt.at)); err != nil {
			t.Errorf("%T: %v", tt.at, err)
		}
		if err := abi.Unmarshal(encode(t, tt.over), fresh(tt.over)); err == nil || !strings.Contains(err.Error(), "a list of at most") {
			t.Errorf("%T, one more: %v", tt.over, err)
		}
	}
}

// The generated decoder terminates on any bytes. If it and the one by reflection
// both succeed, they return the same value.
func FuzzParseMessage(f *testing.F) {
	all := generated()
	kind := func(like any) uint8 {
		for i, m := range all {
			if reflect.TypeOf(m) == reflect.TypeOf(like) {
				return uint8(i)
			}
		}
		f.Fatalf("%T is no message", like)
		return 0
	}
	for i, m := range all {
		n := i
		m = fresh(m)
		fill(reflect.ValueOf(m).Elem(), &n)
		f.Add(encode(f, m), uint8(i))
	}
	f.Add([]byte("\x81\xa3ops\x91\x81\xa4verb\xa1x"), kind(&abi.ApplyRequest{}))
	f.Add([]byte("\x81\xa1?\xdc\x00\x01\xc0"), kind(&abi.ApplyResponse{}))
	f.Add([]byte("\x81\xa7results\x91\x81\xa5error\x81\xa3try\x92\xa1x\x81\xa4text\xa1y"), kind(&abi.ApplyResponse{}))
	f.Add([]byte("\x81\xa5state\x81\xa6counts\x91\x81\xa5value\xcf\xff\xff\xff\xff\xff\xff\xff\xff"), kind(&abi.StateResponse{}))
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		fast, slow := fresh(all[int(kind)%len(all)]), fresh(all[int(kind)%len(all)])
		if err := abi.Unmarshal(data, fast); err != nil {
			return
		}
		if strings.Contains(string(data), "\xc7") { // extensions: the library has types of its own for them
			return
		}
		if err := abi.ReflectInto(data, slow); err != nil {
			return
		}
		normal(reflect.ValueOf(fast).Elem())
		normal(reflect.ValueOf(slow).Elem())
		if !reflect.DeepEqual(fast, slow) {
			t.Fatalf("%x\ngenerated  %#v\nby tags    %#v", data, fast, slow)
		}
	})
}

// normal makes empty lists nil, since both mean the same in a message.
func normal(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		}
		for i := range v.Len() {
			normal(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			normal(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			normal(v.Field(i))
		}
	}
}

func request() *abi.ApplyRequest {
	req := &abi.ApplyRequest{Ops: make([]abi.Op, 1000)}
	for i := range req.Ops {
		req.Ops[i] = abi.Op{Verb: "note", Raw: "note Piano C4 at:1.1 dur:eighth", Positionals: []abi.Positional{{Text: "Piano"}, {Text: "C4"}},
			Params: []abi.KeyValue{{Key: "at", Value: "1.1"}, {Key: "dur", Value: "eighth"}}}
	}
	return req
}

func response() *abi.ApplyResponse {
	res := &abi.ApplyResponse{Results: make([]abi.Result, 1000), State: abi.State{Digest: "1000 shapes", Counts: []abi.Count{{Name: "shapes", Value: 1000}}}}
	for i := range res.Results {
		res.Results[i] = abi.Result{Kind: abi.Created, Text: `box b1 "Web server" at 100,200 120x60`,
			Events: []abi.Event{{Type: "edit", Summary: "add b1", IDs: []string{"b1"}, Data: make([]byte, 150)}}}
	}
	return res
}

func BenchmarkMessages(b *testing.B) {
	for _, m := range []any{request(), response()} {
		data := encode(b, m)
		b.Run(name(m)+"/encode", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				encode(b, m)
			}
		})
		for how, read := range map[string]func([]byte, any) error{"decode": abi.Unmarshal, "decode by tags": abi.ReflectInto} {
			b.Run(name(m)+"/"+how, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := read(data, fresh(m)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
