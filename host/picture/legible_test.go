package picture

import "testing"

func TestCharactersThatReorderTextsOfASVGBecomeVisible(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"an override", "<text>\u202egnp.exe</text>", `<text>\u202egnp.exe</text>`},
		{"all of them", "<text>\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069</text>", `<text>\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069</text>`},
		{"as numbers", "<text>&#x202e;a&#x0202E;b&#8238;c&#008238;d</text>", `<text>\u202ea\u202eb\u202ec\u202ed</text>`},
		{"other numbers", "<text>&#8217;&#x2019;&#xe9;&#233;&#x1f600;&#x2202e;</text>", "<text>&#8217;&#x2019;&#xe9;&#233;&#x1f600;&#x2202e;</text>"},
		{"the marks and joiners of scripts, and other text", "<text>می\u200cخواهم \u200fשלום\u200e “quoted” – 👩\u200d💻</text>", "<text>می\u200cخواهم \u200fשלום\u200e “quoted” – 👩\u200d💻</text>"},
		{"plain", "<svg/>", "<svg/>"},
	} {
		if got := string(Legible([]byte(tt.in))); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
