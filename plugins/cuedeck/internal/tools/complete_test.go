package tools

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// What a new verb needs beside its code. The reference has the tools and commands as well, so it is made here.
func TestEveryVerbIsTestedGeneratedAndTold(t *testing.T) {
	pdktest.Complete(t, Domain(), pdktest.Sources{Tests: []string{"../deck/*_test.go"}, Generator: "../deck/property_test.go", Reference: "../../../../docs/cuedeck-reference.md"})
}
