package folder

import (
	"errors"
	"strings"
	"testing"
)

func TestPatternsMatchWholePaths(t *testing.T) {
	for _, tt := range []struct {
		glob, yes, no string
	}{
		{"*.md", "a.md", "a.txt a/b.md .a.md A.MD"},
		{"**/*.md", "a.md a/b.md a/b/c.md", "a.md/b .a.md a/.b.md"},
		{"docs/**", "docs/a docs/a/b", "doc/a a/docs/b docs/.env docs/a/.env"},
		{"**", "a a/b", ".a a/.b"},
		{"**/.env", ".env a/.env", "a.env env"},
		{"a/**/b/**/c", "a/b/c a/x/b/y/z/c a/b/b/c", "a/c b/c a/b/c/d"},
		{"**/**/a", "a b/a", "ab"},
		{"[a-c]?.md", "bx.md", "dx.md b.md"},
	} {
		p, err := compile(Pattern{Include: []string{tt.glob}})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(tt.yes) {
			if !p.includes(name) {
				t.Errorf("%s does not match %s", tt.glob, name)
			}
		}
		for _, name := range strings.Fields(tt.no) {
			if p.includes(name) {
				t.Errorf("%s matches %s", tt.glob, name)
			}
		}
	}
	p, err := compile(Pattern{Include: []string{strings.Repeat("**/a*/", 40) + "b"}})
	if err != nil || p.includes(strings.Repeat("a/", 2000)+"c") {
		t.Error("it matches") // matching must also end
	}
}

func TestNamesThatAFileOfADocumentCannotHave(t *testing.T) {
	p := newPlace(t, nil)
	f, _, err := Open(p.root(), Pattern{Include: []string{"**/*.md", "**/hooks/*"}, Exclude: []string{"**/build", "**/*.gen.md"}, Marker: ".deck"}, userKey, Limits{})
	p.must(err)
	defer f.Close()
	for _, name := range []string{
		"", ".", "..", "../a.md", "a/../b.md", "./a.md", "/a.md", "a//b.md", "a/", "a.md/", "a\x00.md", `a\b.md`, `..\a.md`, "a\xff.md",
		"a.txt", "a.MD", ".a.md", "a/.b.md",
		".git/hooks/pre-commit", ".git/a.md", "a/.git/b.md", ".GIT/a.md", ".vscode/a.md", ".DECK/a.md", "a/.deck/b.md",
		"\u200c.git/a.md", ".g\u200cit/a.md", ".\u200bdeck/a.md", "\ufeff.a.md",
		"build/a.md", "a/build/b/c.md", "a.gen.md",
		".fcp-a.md", ".deck/.fcp-save", "a/.FCP-x.md",
	} {
		if _, err := f.Save([]Change{change(name, "-", "x")}); err == nil {
			t.Errorf("%q was made", name)
		}
	}
	p.is(map[string]string{})
	for _, name := range []string{"a.md", "b/c.md", ".deck/d.md", ".deck/cards/e.md", "Ünï cödé 日本 👩‍👩‍👧.md", "b/hooks/run"} {
		if _, err := f.Save([]Change{change(name, "-", "x")}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestNamesOfNewFilesAreGoodEverywhere(t *testing.T) {
	p := newPlace(t, map[string]string{"what?.md": "old", "aux.md": "old"})
	f, _ := p.open()
	for _, name := range []string{
		"con.md", "CON.md", "nul.x.md", "com1.md", "lpt³.md", "a/prn.md", "aux/b.md", "CONIN$.md",
		"a:b.md", "a<b.md", "a|b.md", `a"b.md`, "a*.md", "why?.md", "a\tb.md", "a\x7f.md", "a./b.md", "a /b.md",
		"git~1/a.md", "GIT~12/a.md", "note~1.md",
	} {
		if _, err := f.Save([]Change{change(name, "-", "x")}); err == nil || !strings.Contains(err.Error(), "cannot be made") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"console.md", "com.md", "com10.md", "a.con.md", "a b.md", "note ~1 x.md", "longer-name~1.md"} {
		if _, err := f.Save([]Change{change(name, "-", "x")}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	// Existing files keep their names.
	if _, err := f.Save([]Change{change("what?.md", "old", "new"), change("aux.md", "old", "-")}); err != nil {
		t.Error(err)
	}
}

func TestTwinsByCaseOrNormalFormAreNotMade(t *testing.T) {
	for _, tt := range []struct{ there, twin string }{
		{"Readme.md", "README.md"},
		{"readme.md", "Readme.md"},
		{"docs/a.md", "Docs/b.md"},
		{"docs/a.md", "docs/A.md"},
		{"\u00e4.md", "a\u0308.md"},
		{"\u00e4.md", "A\u0308.md"},
		{"stra\u00dfe.md", "STRASSE.md"},
		{"k.md", "\u212a.md"},
		{"\u03c3.md", "\u03c2.md"},
		{"ab.md", "a\u200db.md"},
	} {
		p := newPlace(t, map[string]string{tt.there: "x"})
		f, _ := p.open()
		if _, err := f.Save([]Change{change(tt.twin, "-", "x")}); err == nil {
			t.Errorf("%+q was made beside %+q", tt.twin, tt.there)
		}
		p.is(map[string]string{tt.there: "x"})
		// Two new files can be twins, too.
		other := newPlace(t, nil)
		g, _ := other.open()
		if _, err := g.Save([]Change{change(tt.there, "-", "x"), change(tt.twin, "-", "x")}); err == nil {
			t.Errorf("%+q and %+q were made", tt.twin, tt.there)
		}
		other.is(map[string]string{})
	}
	// Folders without files of the document and excluded folders count.
	p := newPlace(t, map[string]string{"sub/x.txt": "x", "node_modules/y.md": "y", "twin.md": "1", "Twin.md": "2", "old.md": "O"})
	f, _ := p.open()
	for _, name := range []string{"Sub/a.md", "Node_Modules/a.md", "TWIN.md"} {
		if _, err := f.Save([]Change{change(name, "-", "x")}); err == nil || errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Existing twins are files like any other.
	if _, err := f.Save([]Change{change("twin.md", "1", "3"), change("Twin.md", "2", "-")}); err != nil {
		t.Error(err)
	}
	if _, err := f.Save([]Change{change("old.md", "O", "-"), change("Old.md", "-", "O")}); err != nil {
		t.Errorf("a file is renamed by case: %v", err)
	}
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{"a", "A", "ß", "ẞ", "İ", "ǰ", "ΐ", "ﬁ", "\u0345\u0301", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if once := fold(s); fold(once) != once {
			t.Errorf("%+q folds to %+q, and that to %+q", s, once, fold(once))
		}
		for _, other := range []string{strings.ToUpper(s), strings.ToLower(s)} {
			if isASCII(s) && fold(other) != fold(s) {
				t.Errorf("%+q and %+q fold to %+q and %+q", s, other, fold(s), fold(other))
			}
		}
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}
