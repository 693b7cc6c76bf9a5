package conformance_test

import (
	"testing"

	"github.com/fcp-host/fcp-host/conformance"
)

func TestThereAreAtLeast300Cases(t *testing.T) {
	n := 0
	for _, f := range conformance.Builtin() {
		n += len(f.Tests) + len(f.ErrorTests)
	}
	if n < 300 {
		t.Errorf("%d cases", n)
	}
	t.Logf("%d cases", n)
}

func TestOurOwnPackagesPassEverySuite(t *testing.T) {
	r := conformance.Run(conformance.Builtin(), conformance.Native())
	for _, f := range r.Failures {
		t.Error(f)
	}
	t.Logf("%d passed", r.Passed)
}
