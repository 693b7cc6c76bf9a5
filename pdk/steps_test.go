package pdk_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// add is a step that adds to a number, which must not become 13.
type add int

func (a add) Inverse() add                    { return -a }
func (a add) Size() int                       { return 5 }
func (a add) AppendMsgpack(out []byte) []byte { return abi.AppendInt(out, int(a)) }

func TestStepsAreDoneAndUndoneAsAWhole(t *testing.T) {
	n := 0
	do := func(a *add) error {
		if n += int(*a); n == 13 {
			n -= int(*a)
			return errors.New("unlucky")
		}
		return nil
	}
	steps := pdk.Steps[add]{1, 2, 3}
	if err := steps.Do(do); err != nil || n != 6 {
		t.Errorf("%d: %v", n, err)
	}
	if err := (pdk.Steps[add]{1, 2, 4, 1}).Do(do); err == nil || err.Error() != "step 2: unlucky" || n != 6 {
		t.Errorf("%d: %v", n, err)
	}
	if err := steps.Undo(do); err != nil || n != 0 {
		t.Errorf("%d: %v", n, err)
	}
	n = 14
	if err := (pdk.Steps[add]{1}).Undo(do); err == nil || err.Error() != "undo step 0: unlucky" {
		t.Error(err)
	}
}

func TestStepsAreWrittenAsThePackageMsgpackWould(t *testing.T) {
	for _, steps := range []pdk.Steps[add]{nil, {}, {1, 300, 70_000}} {
		var want bytes.Buffer
		enc := msgpack.NewEncoder(&want)
		enc.UseCompactInts(true)
		if err := enc.Encode(struct {
			Steps []add `msgpack:"s"`
			Next  int   `msgpack:"n"`
		}{steps, 7}); err != nil {
			t.Fatal(err)
		}
		if got := steps.AppendMsgpack(nil, 7); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%v: % x, want % x", steps, got, want.Bytes())
		}
	}
}
