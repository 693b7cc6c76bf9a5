package ends

import (
	"errors"
	"os"
	"testing"
)

func TestAToolEndsAtItsFirstError(t *testing.T) {
	var did []string
	wrong := errors.New("wrong")
	err := Caught(func() {
		defer func() { did = append(did, "cleaned up") }()
		did = append(did, Unless("read", error(nil)))
		If(nil)
		If(wrong)
		did = append(did, "went on")
	})
	if err != wrong || len(did) != 2 || did[0] != "read" || did[1] != "cleaned up" {
		t.Errorf("it ended with %v after %q", err, did)
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic of its own is hidden")
		}
	}()
	_ = Caught(func() { Unless(os.ReadFile("none")); panic("unreachable") })
	_ = Caught(func() { panic("a bug") })
}
