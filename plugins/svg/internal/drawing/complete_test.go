package drawing

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// A new verb also needs a test, a line in the generator and a line in the docs; this
// test says which one is missing.
func TestEveryVerbIsTestedGeneratedAndDocumented(t *testing.T) {
	pdktest.Complete(t, Domain(), pdktest.Sources{Tests: []string{"*_test.go"}, Generator: "property_test.go", Reference: "../../../../docs/svg-reference.md"})
}
