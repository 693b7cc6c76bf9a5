package grammar

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// marked spells a token as its text with the quoted part in «».
func marked(t Token) string {
	if !t.Quoted {
		return t.Text
	}
	return t.Text[:t.From] + "«" + t.Text[t.From:t.To] + "»" + t.Text[t.To:]
}

func TestTokens(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want []string
	}{
		{"blanks, tabs, CR and LF separate", "a b\tc\rd\ne\r\nf", []string{"a", "b", "c", "d", "e", "f"}},
		{"runs of separators count once", "  a \t\r\n b  ", []string{"a", "b"}},
		{"nothing has no tokens", "", nil},
		{"separators alone have no tokens", " \t\r\n", nil},
		{"NBSP does not separate", "a\u00a0b c", []string{"a\u00a0b", "c"}},
		{"other Unicode spaces do not separate", "a\u2003b\u3000c\u2028d", []string{"a\u2003b\u3000c\u2028d"}},
		{"vertical tab and form feed do not separate", "a\vb\fc", []string{"a\vb\fc"}},
		{"runes beyond ASCII are text", "ключ 日本語 🎵", []string{"ключ", "日本語", "🎵"}},
		{"double quotes hold blanks", `add "My Service"`, []string{"add", "«My Service»"}},
		{"single quotes hold blanks", `add 'My Service'`, []string{"add", "«My Service»"}},
		{"quotes hold newlines", "a \"x\ny\" b", []string{"a", "«x\ny»", "b"}},
		{"the other quote is text inside double quotes", `a "it's"`, []string{"a", "«it's»"}},
		{"the other quote is text inside single quotes", `a 'say "hi"'`, []string{"a", `«say "hi"»`}},
		{"a quote opens right after a key", `label:"data flow"`, []string{"label:«data flow»"}},
		{"a single quote opens right after a key", `label:'data flow'`, []string{"label:«data flow»"}},
		{"a quote opens after a key with dots and dashes", `a.b-c_9:"x y"`, []string{"a.b-c_9:«x y»"}},
		{"items of a selector may be quoted one by one", `@track:"Piano right",'Piano left' x`, []string{"@track:«Piano right,Piano left»", "x"}},
		{"a selector's list may mix quoted and bare items", `@not:track:Bass,"A b",C,"D e",F`, []string{"@not:track:Bass,«A b,C,D e»,F"}},
		{"items of a quoted token may be quoted one by one", `"A \"b\"","C d" lanes:"E f","G"`, []string{`«A "b",C d»`, "lanes:«E f,G»"}},
		{"a comma opens no quote in bare text", `a,"b" in:{"c":1,"d":2} @,"x"`, []string{`a,"b"`, `in:{"c":1,"d":2}`, `@,"x"`}},
		{"an apostrophe inside a word is text", `don't stop`, []string{"don't", "stop"}},
		{"a quote mark inside a word is text", `5"x 6"`, []string{`5"x`, `6"`}},
		{"an apostrophe at the end of a word is text", `the boys' room`, []string{"the", "boys'", "room"}},
		{"a quote mark after a digit's colon is text", `4:"a b"`, []string{`4:"a`, `b"`}},
		{"a quote mark after = is text", `="a b"`, []string{`="a`, `b"`}},
		{"a quote mark after a key and text is text", `k:v"a b"`, []string{`k:v"a`, `b"`}},
		{"a quote mark after a URL's colon is text", `https://x:"a b"`, []string{`https://x:"a`, `b"`}},
		{"a quote mark after a key that is none is text", `é:"a b"`, []string{`é:"a`, `b"`}},
		{"a quote mark after a lone colon is text", `:"a b"`, []string{`:"a`, `b"`}},
		{"a quote opens after a chain of keys", `near:db:"User DB"`, []string{"near:db:«User DB»"}},
		{"a quote opens after a selector's type", `@group:"Back End"`, []string{"@group:«Back End»"}},
		{"a quote opens after a negated selector's type", `@not:group:"Back End"`, []string{"@not:group:«Back End»"}},
		{"a quote mark after @ is text", `@"a b"`, []string{`@"a`, `b"`}},
		{"text after a closing quote continues the token", `"My Sheet"!A1:B2`, []string{"«My Sheet»!A1:B2"}},
		{"text after a value's closing quote continues it", `k:"a b"c`, []string{"k:«a b»c"}},
		{"a quote does not open twice in a token", `"a""b c"`, []string{`«a»"b`, `c"`}},
		{"a key after a closing quote opens nothing", `"a"k:"b c"`, []string{`«a»k:"b`, `c"`}},
		{"empty quotes are a token with empty text", `a "" ''`, []string{"a", "«»", "«»"}},
		{"an empty quoted value", `k:"" l`, []string{"k:«»", "l"}},
		{"adjacent quoted tokens need a separator", `"a" "b"`, []string{"«a»", "«b»"}},

		{`\" in double quotes`, `"say \"hi\""`, []string{`«say "hi"»`}},
		{`\\ in double quotes`, `"a\\b"`, []string{`«a\b»`}},
		{`\\ before a closing quote`, `"a\\" b`, []string{`«a\»`, "b"}},
		{`\n in double quotes`, `"a\nb"`, []string{"«a\nb»"}},
		{`\t in double quotes`, `"a\tb"`, []string{"«a\tb»"}},
		{`\u in double quotes`, `"\u00e9\u00E9"`, []string{"«éé»"}},
		{`\u0000 is a character like any`, `"\u0000"`, []string{"«\x00»"}},
		{"a surrogate pair joins", `"\ud83c\udfb5"`, []string{"«🎵»"}},
		{"a surrogate pair joins in any case", `"\uD83C\uDFB5!"`, []string{"«🎵!»"}},
		{"a lone high surrogate stays literal", `"\ud83cx"`, []string{`«\ud83cx»`}},
		{"a lone low surrogate stays literal", `"\udfb5"`, []string{`«\udfb5»`}},
		{"a high surrogate before another character stays literal", `"\ud83c\u0041"`, []string{`«\ud83cA»`}},
		{"two high surrogates and a low one: the second pair joins", `"\ud83c\ud83c\udfb5"`, []string{`«\ud83c🎵»`}},
		{"bad hex stays literal", `"\u00g0 \u12"`, []string{`«\u00g0 \u12»`}},
		{"bad hex with signs stays literal", `"\u+123 \u-001"`, []string{`«\u+123 \u-001»`}},
		{"bad hex at the end stays literal", `"\u"`, []string{`«\u»`}},
		{"an unknown escape keeps its backslash", `"\d \r \' \x41"`, []string{`«\d \r \' \x41»`}},
		{`\' in single quotes`, `'don\'t'`, []string{"«don't»"}},
		{`\\ in single quotes`, `'a\\b'`, []string{`«a\b»`}},
		{"other escapes in single quotes are text", `'a\nb\u0041\"'`, []string{`«a\nb\u0041\"»`}},
		{"a backslash outside quotes is text", `C:\new\x \n \u0041`, []string{`C:\new\x`, `\n`, `\u0041`}},
		{"a backslash outside quotes escapes no blank", `a\ b`, []string{`a\`, "b"}},
		{"a backslash after a closing quote is text", `"a"\n`, []string{`«a»\n`}},
		{"decoding happens once", `"\\n \\u0041 \\\\"`, []string{`«\n \u0041 \\»`}},
		{"invalid UTF-8 is replaced", "a\xff\xfeb \"\xc3\"", []string{"a\uFFFDb", "«\uFFFD»"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tokens, err := Tokenize(tt.in)
			if err != nil {
				t.Fatalf("Tokenize(%q): %v", tt.in, err)
			}
			var got []string
			for _, tok := range tokens {
				got = append(got, marked(tok))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Tokenize(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTokensHaveTheirOffsets(t *testing.T) {
	in := `ab "c d"e  k:'f'`
	tokens, err := Tokenize(in)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tok := range tokens {
		got = append(got, in[tok.Start:tok.End])
	}
	if want := []string{"ab", `"c d"e`, "k:'f'"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnterminatedQuotes(t *testing.T) {
	tests := []struct {
		name   string
		in     string
		column int
		try    string
	}{
		{"at the start of a token", `note "Piano C4`, 6, `note "Piano C4"`},
		{"a single quote", `note 'tis`, 6, `note 'tis'`},
		{"after a key", `add x label:"data flow`, 13, `add x label:"data flow"`},
		{"columns are runes", `добавь "é`, 8, `добавь "é"`},
		{"columns are in the trimmed text", "  \t note \"x", 6, `note "x"`},
		{"closed by the wrong mark", `note "x'`, 6, `note "x'"`},
		{"an escaped mark closes nothing", `note "x\"y`, 6, `note "x\"y"`},
		{"a lone mark", `note "`, 6, `note ""`},
		{"no try where closing it is not enough", `note "x\`, 6, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.in, Rules{})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Parse(%q): got %v, want an *Error", tt.in, err)
			}
			if e.Column != tt.column || !strings.Contains(e.Message, "unterminated") {
				t.Errorf("Parse(%q): got column %d in %q, want %d", tt.in, e.Column, e.Message, tt.column)
			}
			if got := strings.Join(e.Try, "|"); got != tt.try {
				t.Errorf("Parse(%q): try %q, want %q", tt.in, got, tt.try)
			}
			if _, err := Tokenize(tt.in); err == nil {
				t.Errorf("Tokenize(%q) succeeds", tt.in)
			}
		})
	}
}

func TestQuoteReadsBack(t *testing.T) {
	for _, s := range []string{"", "a", `"`, `\`, `\"`, `\n`, "\n\t\r\x00\x7f", "é🎵", `\ud800`, "'", `a\`} {
		q := Quote(s)
		tokens, err := Tokenize(q)
		if err != nil || len(tokens) != 1 || tokens[0].Text != s || strings.ContainsAny(q, "\r\n") {
			t.Errorf("Quote(%q) = %s reads back as %v, %v", s, q, tokens, err)
		}
	}
}
