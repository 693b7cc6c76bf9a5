package printable

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWhatNobodySeesIsEscaped(t *testing.T) {
	for _, tt := range []struct{ name, in, line, text string }{
		{"plain text stays", "grün – 音", "grün – 音", "grün – 音"},
		{"escape sequences", "\x1b[31mred", `\u001b[31mred`, `\u001b[31mred`},
		{"line breaks", "a\nb\r\tc", `a\u000ab\u000d c`, "a\nb\\u000d c"},
		{"bad UTF-8", "a\xffb", "a\uFFFDb", "a\uFFFDb"},
		{"marks that reorder", "a\u202eb\u2066\u061c", `a\u202eb\u2066\u061c`, `a\u202eb\u2066\u061c`},
		{"separators of lines", "a\u2028b", `a\u2028b`, `a\u2028b`},
		{"tags", "a\U000e0001b\U000e0041", `a\udb40\udc01b\udb40\udc41`, `a\udb40\udc01b\udb40\udc41`},
		{"selectors that choose nothing", "a\ufe0fb\ufe00\U000e0100", `a\ufe0fb\ufe00\udb40\udd00`, `a\ufe0fb\ufe00\udb40\udd00`},
		{"a second selector", "☺\ufe0f\ufe0f\ufe0e", "☺\ufe0f" + `\ufe0f\ufe0e`, "☺\ufe0f" + `\ufe0f\ufe0e`},
		{"a selector at the beginning", "\ufe0fa", `\ufe0fa`, `\ufe0fa`},
		{"fillers", "\u115f\u1160\u3164\uffa0\u17b4\u034f", `\u115f\u1160\u3164\uffa0\u17b4\u034f`, `\u115f\u1160\u3164\uffa0\u17b4\u034f`},
		{"what is ignored before it is assigned", "\u2065\ufff0\U000e0fff", `\u2065\ufff0\udb43\udfff`, `\u2065\ufff0\udb43\udfff`},
		{"what is no character", "\ufdd0\uffff\U0010ffff", `\ufdd0\uffff\udbff\udfff`, `\ufdd0\uffff\udbff\udfff`},
		{"joiners of nothing", "a\u200db\u200c", `a\u200db\u200c`, `a\u200db\u200c`},
		{"a joiner behind a selector that chooses nothing", "\u180b\u200d", `\u180b\u200d`, `\u180b\u200d`},
		{"runs of joiners", "👩\u200d\u200d💻 ن\u200c\u200cن", `👩\u200d\u200d💻 ن\u200c\u200cن`, `👩\u200d\u200d💻 ن\u200c\u200cن`},
		{"a joiner behind what is hidden", "👩\u200b\u200d💻", `👩\u200b\u200d💻`, `👩\u200b\u200d💻`},
		{"a joiner before what is hidden", "👩\u200d\u200b💻", `👩\u200d\u200b💻`, `👩\u200d\u200b💻`},
		{"tags of no flag", "🏴\U000e0067\U000e0062\U000e007f", `🏴\udb40\udc67\udb40\udc62\udb40\udc7f`, `🏴\udb40\udc67\udb40\udc62\udb40\udc7f`},
		{"tags behind a flag", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f\U000e0041", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f" + `\udb40\udc41`,
			"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f" + `\udb40\udc41`},
	} {
		if got := Line(tt.in); got != tt.line {
			t.Errorf("%s: the line is %q, want %q", tt.name, got, tt.line)
		}
		if got := Text(tt.in); got != tt.text {
			t.Errorf("%s: the text is %q, want %q", tt.name, got, tt.text)
		}
		if hidden := Hidden(tt.in) > 0; hidden != (tt.name != "plain text stays" && tt.name != "line breaks" && tt.name != "bad UTF-8") {
			t.Errorf("%s: hidden is %v", tt.name, hidden)
		}
	}
}

// Texts of many scripts, with the joiners, selectors and tags that belong to them.
var corpus = []string{
	"Grüße, Łódź, ǅ, Việt Nam (NFD: Vie\u0302\u0323t), ﬁ, 1½ × 3 ≤ 5 – “quoted” … \u00a0\u202f\u3000",
	"👨\u200d👩\u200d👧\u200d👦 👩🏽\u200d💻 🧑🏿\u200d🤝\u200d🧑🏻 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈 🏴\u200d☠\ufe0f 👁\ufe0f\u200d🗨\ufe0f 🐻\u200d❄\ufe0f 🏃🏽\u200d♀\ufe0f 👩\u200d🦰",
	"1\ufe0f\u20e3 #\ufe0f\u20e3 *\ufe0f\u20e3 ©\ufe0f ™\ufe0f ☺\ufe0e ⌚\ufe0f ↔\ufe0f 🇩🇪🇯🇵 ✌🏽",
	"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
	"مَرْحَبًا بِالْعَالَمِ، قرآن " + "\u06dd" + "١", "می\u200cخواهم خانه\u200cهای کار\u200cها ه\u200d.ش.", "پاکستان میں آئیں گے",
	"नमस्ते क्षेत्र क्\u200dष र्\u200dय क्\u200cष श्री", "র\u200d্যাব কৎ উদ্\u200cযোগ", "ശ്രീ ന്\u200d വാഴ്\u200cത്തുന്നു", "ශ්\u200dරී ලංකාව ක්\u200dෂ", "தமிழ் ஸ்ரீ", "ಕ್\u200cಷ ರ್\u200dಕ",
	"ᠮᠣᠩᠭᠣᠯ ᠠ\u180b", "မြန်မာ က\ufe00", "ខ្មែរ", "שָׁלוֹם", "ไทย ลาว", "한국어 각", "日本語 葛 \u8fbb", "≨\ufe00 ∩\ufe00 ⊕", "𝕬𝖇 𐍈 🫠",
}

func TestTextsOfAllScriptsAreKept(t *testing.T) {
	for _, s := range corpus {
		if got := Line(s); got != s {
			t.Errorf("%s became %s", s, got)
		}
		if n := Hidden(s); n != 0 {
			t.Errorf("%s has %d hidden characters", s, n)
		}
	}
}

func TestPrintableTextIsNotChanged(t *testing.T) {
	odd := slices.Concat([]rune("a0*\n\t\"\\ 👩💻☺❤🏴🏽ن्कर"), []rune{joiner, nonJoiner, '\ufe0e', '\ufe0f', '\ufe00', '\u180b', 'ᠠ', '\u200b', '\u0301', '\U000e0100', '\U000e0067', '\U000e007f'})
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringOfN(rapid.SampledFrom(odd), 0, 30, -1),
			rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bytes")) })).Draw(t, "s")
		line, text := Line(s), Text(s)
		if Line(line) != line || Text(text) != text || Hidden(line) != 0 {
			t.Fatalf("%q became %q and %q", s, Line(line), Text(text))
		}
		if !utf8.ValidString(text) || strings.ContainsAny(line, "\n\t") {
			t.Fatalf("%q is %q and %q", s, line, text)
		}
		max := rapid.IntRange(3, 80).Draw(t, "max")
		if cut := Cut(line, max); len(cut) > max || Line(cut) != cut || len(line) <= max && cut != line {
			t.Fatalf("%q cut to %d bytes is %q", line, max, cut)
		}
	})
}

// The tables show some characters that look alike, and some that nobody sees.
func TestTablesAreThoseOfUnicode15(t *testing.T) {
	h := sha256.New()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.Is(hidden, r) {
			fmt.Fprintln(h, r, "is hidden")
		}
		if pictures.has(r) {
			fmt.Fprintln(h, r, "is a picture")
		}
		for _, selector := range "\u180b\u180c\u180d\ufe00\ufe01\ufe02\ufe0e\ufe0f" {
			if isVariant(r, selector) {
				fmt.Fprintln(h, r, selector)
			}
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != "9046afd1433213d620de20be232d15e269ef1e343680c865d4bc09461e52e41f" {
		t.Errorf("the sum of all answers is %s", got)
	}
}

// Alone, no character of the categories and properties that hide text is shown.
func TestEachHiddenCharacterIsEscapedAlone(t *testing.T) {
	for r := rune(0x7f); r <= unicode.MaxRune; r++ {
		hides := unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point) ||
			unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
		if s := "x" + string(r) + "x"; utf8.ValidRune(r) && (Line(s) != s) != hides {
			t.Errorf("%U is printed as %s", r, Line(s))
		}
	}
}
