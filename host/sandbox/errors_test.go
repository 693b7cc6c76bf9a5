package sandbox

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestMessagesAreCleanHoweverOftenTheyAreCleaned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.Byte(), 0, 9000).Draw(t, "text"))
		for _, kind := range []Kind{KindRefused, KindTrap} {
			once := cleanMessage(kind, text)
			if !utf8.ValidString(once) || strings.ContainsAny(once, "\x1b\r\x00\x7f") {
				t.Fatalf("%q", once)
			}
			if kind == KindTrap && (strings.Contains(once, "\n") || len(once) > maxMessageBytes) {
				t.Fatalf("%d bytes: %q", len(once), once)
			}
			if len(once) > maxRefusedBytes {
				t.Fatalf("%d bytes", len(once))
			}
		}
		short := escape(text[:min(len(text), 50)], 1000)
		if again := escape(short, 1000); again != short {
			t.Fatalf("%q became %q", short, again)
		}
	})
}
