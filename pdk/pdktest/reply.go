package pdktest

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// failure is an op that failed.
type failure struct {
	op  string
	err *abi.Error
}

func (f *failure) text() string {
	return pdk.Text(&pdk.Error{Message: f.err.Message, Tries: f.err.Try})
}

// lineOf prints a result as the host's reply does, without the op's number.
func lineOf(res *abi.Result) []string {
	lines := []string{prefix(res.Kind) + " " + strings.ReplaceAll(res.Text, "\n", "\n  ")}
	for _, w := range res.Warnings {
		lines = append(lines, "? "+w)
	}
	return lines
}

func prefix(k abi.Kind) string {
	switch k {
	case abi.Created:
		return "+"
	case abi.Connection:
		return "~"
	case abi.Changed:
		return "*"
	case abi.Deleted:
		return "-"
	case abi.Unchanged:
		return "?"
	}
	return "@"
}

func refused(t testing.TB, what string, err error, wants []string) string {
	t.Helper()
	if err == nil {
		t.Fatalf("%s succeeded, and should be refused", what)
	}
	text := pdk.Text(err)
	contains(t, what, text, wants)
	return text
}

func contains(t testing.TB, what, text string, wants []string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(text, w) {
			t.Fatalf("%s failed without saying %q: %s", what, w, text)
		}
	}
}
