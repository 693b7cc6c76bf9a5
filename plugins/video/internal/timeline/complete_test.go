package timeline

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// Fails for a verb without a test, a generator of ops or a line in the reference.
func TestEveryVerbIsTestedGeneratedAndDocumented(t *testing.T) {
	pdktest.Complete(t, Domain(), pdktest.Sources{Tests: []string{"*_test.go"}, Generator: "property_test.go", Reference: "../../../../docs/video-reference.md"})
}
