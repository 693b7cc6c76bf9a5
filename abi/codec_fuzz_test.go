package abi_test

import (
	"bytes"
	"reflect"
	"runtime"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/abi"
)

// FuzzCheck compares Check with the library's own reader: if Check accepts an
// input, the library skips exactly all of it. Check may refuse what the library
// reads only because of a limit.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"", "\xc0", "\xc1", "\x81\xa1a\x93\x01\xcb@\x00\x00\x00\x00\x00\x00\x00\xc7\x03\x05abc",
		"\xdd\xff\xff\xff\xff", "\xdf\xff\xff\xff\xff\x00", "\xd8\x01", "\xc8\x00\x02\x01ab", "\xde\x00\x01\xa0\xdc\x00\x02\xc2\xc3"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := abi.Check(data)
		r := bytes.NewReader(data)
		theirs := msgpack.NewDecoder(r).Skip()
		switch {
		case err == nil && (theirs != nil || r.Len() != 0):
			t.Errorf("Check accepts % x, the library leaves %d bytes and says %v", data, r.Len(), theirs)
		case err != nil && err != abi.ErrDepth && err != abi.ErrElements && theirs == nil && r.Len() == 0:
			t.Errorf("Check refuses % x (%v), the library reads it", data, err)
		}
	})
}

// FuzzUnmarshal decodes any bytes as every message: it must not panic or allocate
// disproportionately, and the decoded value must encode and decode again.
func FuzzUnmarshal(f *testing.F) {
	for i, m := range messages() {
		n := i
		fill(reflect.ValueOf(m).Elem(), &n)
		data, err := abi.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("\x81\xa7results\xdd\x00\x00\x00\x04\x80\x80\x80\x80"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all := messages()
		errs := make([]error, len(all))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i, m := range all {
			errs[i] = abi.Unmarshal(data, m)
		}
		runtime.ReadMemStats(&after)
		if grew := after.TotalAlloc - before.TotalAlloc; grew > 1<<20+uint64(len(all)*len(data))*400 {
			t.Fatalf("%d bytes as every message: allocated %d bytes", len(data), grew)
		}
		for i, m := range all {
			if errs[i] != nil {
				continue
			}
			first, err := abi.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			again := reflect.New(reflect.TypeOf(m).Elem()).Interface()
			if err := abi.Unmarshal(first, again); err != nil {
				t.Fatalf("%s written by us cannot be read: %v", name(m), err)
			}
			second, err := abi.Marshal(again)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first, second) {
				t.Fatalf("%s is not stable:\n% x\n% x", name(m), first, second)
			}
		}
	})
}
