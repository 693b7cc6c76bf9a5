package pdk_test

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk"
)

func TestHiddenCharactersAreCountedAndNamed(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"plain\r\n\ttext 👩\u200d💻 می\u200cخواهم": "",
		"a\u200bb":                          `1 hidden character (\u200b)`,
		"Box\U000e0162\U000e0165\U000e015e": `3 hidden characters (\udb40\udd62\udb40\udd65…)`,
	} {
		if got := pdk.Hidden(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
