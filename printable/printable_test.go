package printable

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestControlAndFormattingCharactersAreEscaped(t *testing.T) {
	for _, tt := range []struct{ name, in, line, text string }{
		{"plain text stays", "grün – 音", "grün – 音", "grün – 音"},
		{"escape sequences", "\x1b[31mred", `\u001b[31mred`, `\u001b[31mred`},
		{"line breaks", "a\nb\r\tc", `a\u000ab\u000d c`, "a\nb\\u000d c"},
		{"bad UTF-8", "a\xffb", "a\uFFFDb", "a\uFFFDb"},
		{"marks that reorder", "a\u202eb", `a\u202eb`, `a\u202eb`},
		{"separators of lines", "a\u2028b", `a\u2028b`, `a\u2028b`},
		{"beyond the first plane", "a\U000e0001b", `a\ue0001b`, `a\ue0001b`},
		{"joined emoji", "👩\u200d💻\ufe0f", "👩\u200d💻\ufe0f", "👩\u200d💻\ufe0f"},
	} {
		if got := Line(tt.in); got != tt.line {
			t.Errorf("%s: the line is %q, want %q", tt.name, got, tt.line)
		}
		if got := Text(tt.in); got != tt.text {
			t.Errorf("%s: the text is %q, want %q", tt.name, got, tt.text)
		}
	}
}

func TestPrintableTextIsNotChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "s"))
		line, text := Line(s), Text(s)
		if Line(line) != line || Text(text) != text {
			t.Fatalf("%q became %q and %q", s, Line(line), Text(text))
		}
		if strings.ContainsFunc(line, func(r rune) bool { return !Shown(r) }) || !utf8.ValidString(text) {
			t.Fatalf("%q is %q and %q", s, line, text)
		}
		max := rapid.IntRange(3, 80).Draw(t, "max")
		if cut := Cut(line, max); len(cut) > max || !utf8.ValidString(cut) || len(line) <= max && cut != line {
			t.Fatalf("%q cut to %d bytes is %q", line, max, cut)
		}
	})
}
