package timeline

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// What a new verb needs beside its code.
func TestEveryVerbIsTestedGeneratedAndTold(t *testing.T) {
	pdktest.Complete(t, Domain(), pdktest.Sources{Tests: []string{"*_test.go"}, Generator: "property_test.go", Reference: "../../../../docs/video-reference.md"})
}
