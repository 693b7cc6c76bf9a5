package diagram

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// Each verb needs a test, a line in the generator of ops and a line in the docs.
func TestEveryVerbIsTestedGeneratedAndDocumented(t *testing.T) {
	pdktest.Complete(t, Domain(), pdktest.Sources{Tests: []string{"*_test.go"}, Generator: "property_test.go", Reference: "../../../../docs/drawio-reference.md"})
}
