package abi_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/abi"
)

// messages returns a zero value of every message that is sent on its own.
func messages() []any {
	return []any{
		&abi.Manifest{}, &abi.NewRequest{}, &abi.OpenRequest{}, &abi.OpenResponse{},
		&abi.SaveRequest{}, &abi.SaveResponse{}, &abi.ApplyRequest{}, &abi.ApplyResponse{},
		&abi.QueryRequest{}, &abi.QueryResponse{}, &abi.EventsRequest{}, &abi.StateResponse{},
		&abi.HelpResponse{}, &abi.SessionRequest{}, &abi.ExportRequest{},
		&abi.Requests{}, &abi.ResumeRequest{}, &abi.FetchRequest{}, &abi.FetchResponse{},
		&abi.StoreRequest{}, &abi.StoreResponse{}, &abi.ToolRequest{}, &abi.ToolResponse{}, &abi.Outside{},
	}
}

// fill gives every field below v a distinct value other than zero, so that a
// lost field makes a difference.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d é", *n))
	case reflect.Int:
		v.SetInt(int64(*n) * 1_000_003)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte{0, byte(*n), 0xc1, 0xff})
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("fill does not know " + v.Kind().String())
	}
}

func name(v any) string { return reflect.TypeOf(v).Elem().Name() }

func encode(t testing.TB, v any) []byte {
	t.Helper()
	data, err := abi.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEveryFieldOfEveryMessageSurvivesTheWire(t *testing.T) {
	for _, m := range messages() {
		t.Run(name(m), func(t *testing.T) {
			n := 0
			fill(reflect.ValueOf(m).Elem(), &n)
			data := encode(t, m)
			if err := abi.Check(data); err != nil {
				t.Fatal(err)
			}
			got := reflect.New(reflect.TypeOf(m).Elem()).Interface()
			if err := abi.Unmarshal(data, got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m, got) {
				t.Errorf("sent %+v\n got %+v", m, got)
			}
		})
	}
}

func TestEqualValuesGiveEqualBytesWhateverTheyHold(t *testing.T) {
	for _, m := range messages() {
		typ := reflect.TypeOf(m).Elem()
		t.Run(typ.Name(), func(t *testing.T) {
			law := func(v reflect.Value) bool {
				ptr := reflect.New(typ)
				ptr.Elem().Set(v)
				first := encode(t, ptr.Interface())
				back := reflect.New(typ).Interface()
				if err := abi.Unmarshal(first, back); err != nil {
					t.Error(err)
					return false
				}
				return bytes.Equal(first, encode(t, back))
			}
			f := reflect.MakeFunc(reflect.FuncOf([]reflect.Type{typ}, []reflect.Type{reflect.TypeFor[bool]()}, false),
				func(in []reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(law(in[0]))} })
			if err := quick.Check(f.Interface(), &quick.Config{MaxCount: 40}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEveryFieldHasAMsgpackNameInSnakeCase(t *testing.T) {
	var walk func(reflect.Type)
	seen := map[reflect.Type]bool{}
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			tag, _, _ := strings.Cut(f.Tag.Get("msgpack"), ",")
			if tag == "" || strings.ToLower(tag) != tag {
				t.Errorf("%s.%s has the name %q on the wire", typ.Name(), f.Name, tag)
			}
			walk(f.Type)
		}
	}
	for _, m := range messages() {
		walk(reflect.TypeOf(m))
	}
}

func TestUnknownFieldsAreIgnoredAndMissingOnesAreZero(t *testing.T) {
	data, err := msgpack.Marshal(map[string]any{
		"title": "Kept",
		"later": map[string]any{"deep": []any{1, "two", nil, 3.5, []byte{1}, time.Unix(0, 0)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := abi.NewRequest{}
	if err := abi.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Title != "Kept" || got.Params != nil {
		t.Errorf("got %+v", got)
	}
	if err := abi.Unmarshal([]byte{0x80}, &got); err != nil {
		t.Errorf("an empty map is every default: %v", err)
	}
}

func TestCheckAcceptsWhatMsgpackWrites(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	values := []any{
		nil, true, false, 0, 127, 128, -1, -32, -33, -128, -129, math.MaxInt64, math.MinInt64, uint64(math.MaxUint64),
		float32(1.5), 2.5, math.NaN(), math.Inf(-1), "", "short", long[:31], long[:32], long[:255], long[:256], long,
		[]byte{}, []byte(long[:255]), []byte(long[:256]), []byte(long),
		[]any{}, make([]any, 15), make([]any, 16), make([]any, 65_535), make([]any, 65_536),
		map[string]any{}, map[string]any{"a": []any{map[string]any{"b": nil}}},
		time.Unix(1, 0), time.Unix(1, 1), time.Unix(-1, 1),
	}
	big := map[int]int{}
	for i := range 70_000 {
		big[i] = i
	}
	values = append(values, big)
	for _, v := range values {
		data, err := msgpack.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := abi.Check(data); err != nil {
			t.Errorf("Check(%T, % x…): %v", v, data[:min(8, len(data))], err)
		}
		for _, cut := range []int{0, 1, len(data) / 2, len(data) - 1} {
			if cut < len(data) {
				if err := abi.Check(data[:cut]); !errors.Is(err, abi.ErrTruncated) {
					t.Errorf("Check of the first %d of %d bytes of %T: %v", cut, len(data), v, err)
				}
			}
		}
		if err := abi.Check(append(data, 0xc0)); !errors.Is(err, abi.ErrTrailing) {
			t.Errorf("Check(%T and a byte): %v", v, err)
		}
	}
}

func nested(depth int, open, inner byte) []byte {
	data := bytes.Repeat([]byte{open}, depth)
	return append(data, inner)
}

func TestCheckRefusesAnythingButOneValueWithinTheLimits(t *testing.T) {
	claim := func(code byte, n uint32, rest ...byte) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{code}, n), rest...)
	}
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"nothing at all", nil, abi.ErrTruncated},
		{"the code that msgpack never uses", []byte{0xc1}, abi.ErrFormat},
		{"the unused code inside a map", []byte{0x81, 0xa1, 'a', 0xc1}, abi.ErrFormat},
		{"two values", []byte{0x01, 0x02}, abi.ErrTrailing},
		{"a map without its last value", []byte{0x81, 0xa1, 'a'}, abi.ErrTruncated},
		{"a length without its bytes", []byte{0xdb, 0, 0}, abi.ErrTruncated},
		{"an array of 2^32-1", claim(0xdd, math.MaxUint32, 0xc0), abi.ErrTruncated},
		{"a map of 2^32-1", claim(0xdf, math.MaxUint32, 0xc0), abi.ErrTruncated},
		{"a string of 2^32-1", claim(0xdb, math.MaxUint32, 'x'), abi.ErrTruncated},
		{"bytes of 2^32-1", claim(0xc6, math.MaxUint32, 'x'), abi.ErrTruncated},
		{"an extension of 2^32-1", claim(0xc9, math.MaxUint32, 1, 2), abi.ErrTruncated},
		{"arrays one deeper than allowed", nested(abi.MaxDepth+1, 0x91, 0xc0), abi.ErrDepth},
		{"an empty array one deeper than allowed", nested(abi.MaxDepth, 0x91, 0x90), abi.ErrDepth},
		{"an empty map one deeper than allowed", nested(abi.MaxDepth, 0x91, 0x80), abi.ErrDepth},
		{"a hundred thousand arrays deep", nested(100_000, 0x91, 0xc0), abi.ErrDepth},
		{"maps as keys of maps, too deep", nested(100, 0x81, 0xc0), abi.ErrDepth},
		{"more elements than allowed", append(claim(0xdd, abi.MaxElements+1), make([]byte, abi.MaxElements+1)...), abi.ErrElements},
		{"one byte too many", make([]byte, abi.MaxMessage+1), abi.ErrSize},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := abi.Check(tt.data); !errors.Is(err, tt.want) {
				t.Errorf("Check: %v, want %v", err, tt.want)
			}
			if n := testing.AllocsPerRun(1, func() { _ = abi.Check(tt.data) }); n > 0 {
				t.Errorf("Check allocated %v times", n)
			}
		})
	}
	if err := abi.Check(nested(abi.MaxDepth, 0x91, 0xc0)); err != nil {
		t.Errorf("nesting to MaxDepth is allowed: %v", err)
	}
	if err := abi.Check(append(claim(0xdd, abi.MaxElements), make([]byte, abi.MaxElements)...)); err != nil {
		t.Errorf("MaxElements elements are allowed: %v", err)
	}
}

func TestAValueOfTheWrongTypeIsAnErrorNotAPanic(t *testing.T) {
	wrong := map[string]any{
		"a string": "x", "a number": 7, "a float": math.NaN(), "an array": []any{1, "x"}, "a map": map[string]any{"x": 1},
		"bytes": []byte{1, 2}, "a time": time.Unix(1, 1), "true": true, "arrays of arrays": []any{[]any{[]any{}}},
	}
	for _, m := range messages() {
		typ := reflect.TypeOf(m).Elem()
		for i := range typ.NumField() {
			key, _, _ := strings.Cut(typ.Field(i).Tag.Get("msgpack"), ",")
			for what, v := range wrong {
				data, err := msgpack.Marshal(map[string]any{key: v})
				if err != nil {
					t.Fatal(err)
				}
				err = abi.Unmarshal(data, reflect.New(typ).Interface())
				if typ.Field(i).Type.Kind() == reflect.Int && what != "a number" && err == nil {
					t.Errorf("%s.%s took %s", typ.Name(), typ.Field(i).Name, what)
				}
			}
		}
	}
}

func TestUnusualMessagesAreDecodedAsSpecified(t *testing.T) {
	t.Run("the last of two equal keys counts", func(t *testing.T) {
		var got abi.NewRequest
		data := []byte("\x82\xa5title\xa1a\xa5title\xa1b")
		if err := abi.Unmarshal(data, &got); err != nil || got.Title != "b" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("a string that is not UTF-8 is not changed", func(t *testing.T) {
		var got abi.NewRequest
		if err := abi.Unmarshal([]byte("\x81\xa5title\xa2\xff\xfe"), &got); err != nil || got.Title != "\xff\xfe" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("a key that is not a string is an error", func(t *testing.T) {
		if err := abi.Unmarshal([]byte{0x81, 0x01, 0x02}, &abi.NewRequest{}); err == nil {
			t.Error("accepted")
		}
	})
	t.Run("nil stands for a missing value anywhere", func(t *testing.T) {
		var got abi.ApplyResponse
		if err := abi.Unmarshal([]byte("\x82\xa7results\xc0\xa5state\xc0"), &got); err != nil || got.Results != nil {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("the decoded value does not alias the message", func(t *testing.T) {
		var got abi.OpenRequest
		data := encode(t, &abi.OpenRequest{Name: "name", Data: []byte("data")})
		if err := abi.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		for i := range data {
			data[i] = 0xff
		}
		if got.Name != "name" || string(got.Data) != "data" {
			t.Errorf("got %+v", got)
		}
	})
}

// One byte can stand for a whole Result. Without the limit on elements, 64 MiB
// of them would take some ten gigabytes.
func TestAMessageOfEmptyStructsStaysAffordable(t *testing.T) {
	for _, element := range []byte{0x80, 0x90, 0xc0} {
		data := []byte("\x81\xa7results\xdd")
		data = binary.BigEndian.AppendUint32(data, 40_000_000)
		data = append(data, bytes.Repeat([]byte{element}, 40_000_000)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := abi.Unmarshal(data, &abi.ApplyResponse{})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, abi.ErrElements) {
			t.Errorf("40 million of %#x: %v", element, err)
		}
		if grew := after.TotalAlloc - before.TotalAlloc; grew > 1<<20 {
			t.Errorf("40 million of %#x: allocated %d bytes", element, grew)
		}
	}
}

func TestParamFindsAKey(t *testing.T) {
	op := abi.Op{Params: []abi.KeyValue{{Key: "at", Value: "1.1"}, {Key: "vel", Value: ""}}}
	if v, ok := op.Param("vel"); !ok || v != "" {
		t.Errorf("vel: %q, %v", v, ok)
	}
	if _, ok := op.Param("AT"); ok {
		t.Error("keys are compared as written")
	}
}

func TestNoExportIsBothRequiredAndOptional(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range append(abi.Required(), abi.Optional()...) {
		if seen[e] || !strings.HasPrefix(e, "fcp_") {
			t.Errorf("export %q", e)
		}
		seen[e] = true
	}
}
