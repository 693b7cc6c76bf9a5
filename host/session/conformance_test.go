package session_test

import (
	"testing"

	"github.com/fcp-host/fcp-host/conformance"
)

// The conformance fixtures define the rules.
func TestTheFixturesHold(t *testing.T) {
	for _, suite := range []string{"session/commands"} {
		f, err := conformance.Suite(suite)
		if err != nil {
			t.Fatal(err)
		}
		f.Each(func(c *conformance.Case, mustFail bool) {
			t.Run(suite+"/"+c.Name, func(t *testing.T) {
				if failure, _ := c.Check(conformance.Native()[suite], mustFail); failure != nil {
					t.Error(failure)
				}
			})
		})
	}
}
