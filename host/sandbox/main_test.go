package sandbox

import (
	"os"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// TestMain makes the test binary its own worker, as every program that uses the package does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == WorkerArg {
		os.Exit(RunWorker())
	}
	if len(os.Args) > 1 && os.Args[1] == bareArg {
		os.Exit(bare())
	}
	if len(os.Args) > 1 && os.Args[1] == unofferedArg {
		os.Exit(unoffered())
	}
	if len(os.Args) > 2 && os.Args[1] == liarArg {
		os.Exit(lie(os.Args[2]))
	}
	if len(os.Args) > 2 && os.Args[1] == hostArg {
		os.Exit(host(os.Args[2]))
	}
	os.Exit(m.Run())
}

// bareArg makes the test binary a worker that the system does not confine.
const bareArg = "__bare"

// unofferedArg makes the test binary a worker that the kernel may kill after its host when memory runs out.
const unofferedArg = "__unoffered"

func guestWasm(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(testwasm.Build(t, "host/sandbox/testdata/guest"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
