package fail

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCleaningAMessageTwiceChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.Byte(), 0, 9000).Draw(t, "text"))
		for _, kind := range []Kind{Refused, Trap} {
			once := Clean(kind, text)
			if !utf8.ValidString(once) || strings.ContainsAny(once, "\x1b\r\x00\x7f") {
				t.Fatalf("%q", once)
			}
			if kind == Trap && (strings.Contains(once, "\n") || len(once) > maxMessageBytes) {
				t.Fatalf("%d bytes: %q", len(once), once)
			}
			if len(once) > MaxRefusalBytes {
				t.Fatalf("%d bytes", len(once))
			}
		}
		short := Escape(text[:min(len(text), 50)], 1000)
		if again := Escape(short, 1000); again != short {
			t.Fatalf("%q became %q", short, again)
		}
	})
}
