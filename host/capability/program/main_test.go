package program

import (
	"os"
	"testing"
)

// modes maps the first argument to what the test binary is instead of a test: a cage, the program in it, or a host.
var modes = map[string]func() int{CageArg: RunCage, SelfTestArg: RunSelfTest}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if mode := modes[os.Args[1]]; mode != nil {
			os.Exit(mode())
		}
	}
	os.Exit(m.Run())
}
