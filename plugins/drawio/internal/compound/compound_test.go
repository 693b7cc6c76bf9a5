package compound

import (
	"strings"
	"testing"
)

func TestMembersMayBeSeparatedByCommas(t *testing.T) {
	for v, want := range map[string]string{
		"id: int, tags: Map<String, int>": "id: int|tags: Map<String, int>",
		"+ a: int; b, c: int":             "+ a: int|b, c: int",
		"pair: (int, int)":                "pair: (int, int)",
		"f: (a) -> b, g: int":             "f: (a) -> b|g: int",
		"id; name":                        "id|name",
		"":                                "",
	} {
		if got := strings.Join(members(v, ":"), "|"); got != want {
			t.Errorf("%s is %s, want %s", v, got, want)
		}
	}
	if got := strings.Join(members("pay(a: int, b: int), refund(): void", "("), "|"); got != "pay(a: int, b: int)|refund(): void" {
		t.Error(got)
	}
}
