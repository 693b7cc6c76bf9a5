package tools

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// Fails for a verb without a test, a generator of ops or a line in the reference. It is in this package because the reference also
// lists the tools and commands.
func TestEveryVerbIsTestedGeneratedAndDocumented(t *testing.T) {
	pdktest.Complete(t, Domain(), pdktest.Sources{Tests: []string{"../deck/*_test.go"}, Generator: "../deck/property_test.go", Reference: "../../../../docs/cuedeck-reference.md"})
}
