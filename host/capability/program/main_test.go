package program

import (
	"os"
	"testing"
)

// modes is what the test binary is beside a test: a cage, the program that is run in it, a host.
var modes = map[string]func() int{CageArg: RunCage, SelfTestArg: RunSelfTest}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if mode := modes[os.Args[1]]; mode != nil {
			os.Exit(mode())
		}
	}
	os.Exit(m.Run())
}
