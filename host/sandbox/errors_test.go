package sandbox

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEscapeShowsWhatWouldBeActedOn(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain text stays", "grün – 音", "grün – 音"},
		{"ANSI", "\x1b[31mred", `\u001b[31mred`},
		{"line breaks", "a\nb\r\tc", `a\nb\u000d\tc`},
		{"bad UTF-8", "a\xffb", `a\xffb`},
		{"text direction", "a\u202eb", `a\u202eb`},
		{"line separators", "a\u2028b", `a\u2028b`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := escape(tt.in, 100, false); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMessagesAreCleanHoweverOftenTheyAreCleaned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOfN(rapid.Byte(), 0, 9000).Draw(t, "text"))
		for _, kind := range []Kind{KindRefused, KindTrap} {
			once := cleanMessage(kind, text)
			if !utf8.ValidString(once) || strings.ContainsAny(once, "\x1b\r\x00\x7f") {
				t.Fatalf("%q", once)
			}
			if kind == KindTrap && (strings.Contains(once, "\n") || utf8.RuneCountInString(once) > maxMessageRunes+7) {
				t.Fatalf("%d runes: %q", utf8.RuneCountInString(once), once)
			}
			if len(once) > maxRefusedBytes {
				t.Fatalf("%d bytes", len(once))
			}
		}
		short := escape(text[:min(len(text), 50)], 1000, false)
		if again := escape(short, 1000, false); again != short {
			t.Fatalf("%q became %q", short, again)
		}
	})
}
