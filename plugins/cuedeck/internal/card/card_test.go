package card

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCardsInAllNotationsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: A\nstatus: todo\n---\n\n# B\n":                     `"A" todo   [] [] body "\n# B\n"`,
		"# Only *text* #\n\nx":                                          `"Only *text*"    [] [] body "# Only *text* #\n\nx"`,
		"\ufeff---\r\nstatus: 'done'\r\n...\r\n## x\r\n# The title\r\n": `"The title" done   [] [] body "## x\r\n# The title\r\n"`,
		"---\n---\n":                            `""    [] [] body ""`,
		"":                                      `""    [] [] body ""`,
		"---\ntitle: 012345\nassignee: ~\n---":  `"012345"    [] [] body ""`,
		"---\ntitle: |\n  two\n  lines\n---\n":  `"two lines"    [] [] body ""`,
		"---\ntags: a, b\ndepends_on: x1\n---":  `""    [a b] [x1] body ""`,
		"---\ntags: &t [a, 12, ~]\nx: *t\n---":  `""    [a 12] [] body ""`,
		"---\n{title: A, status: todo}\n---\n":  `"A" todo   [] [] body ""`,
		"---\n? title\n: A\n---\n":              `"A"    [] [] body ""`,
		"---\na: &a *a\n---\n":                  `""    [] [] body ""`,
		"----\ntitle: no front matter\n---\n":   `""    [] [] body "----\ntitle: no front matter\n---\n"`,
		"---\n  title: A\n  priority: low\n---": `"A"  low  [] [] body ""`,
	} {
		c, err := Parse(text)
		if err != nil {
			if text == "---\na: &a *a\n---\n" {
				continue // an alias of itself may be accepted or refused
			}
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprintf("%q %s %s %s %v %v body %q", c.Title, c.Status, c.Priority, c.Assignee, c.Tags, c.DependsOn, text[c.Body:]); got != want {
			t.Errorf("%q\nis read as %s\nwant       %s", text, got, want)
		}
	}
}

func TestBrokenCardsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: A\nassignee: @dev\n---\n": "line 3: '@' is a reserved character",
		"---\ntitle: a: b\n---\n":              "line 2: mapping value is not allowed",
		"---\ntitle: A\n":                      "line 1: the front matter begins with --- and has no --- that ends it",
		"---":                                  "line 1: the front matter begins",
		"---\ntitle: A\ntitle: B\n---\n":       `line 3: mapping key "title" already defined`,
		"---\njust text\n---\n":                "line 2: its front matter is not a list of KEY: VALUE",
		"---\ntitle: \xff\n---\n":              "it is not UTF-8 text",
		"---\n- a\n- b\n---\n":                 "not a list of KEY: VALUE",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Front matter that would take too much time or memory must be refused early; what only looks like it must be read.
func TestFrontMatterIsBounded(t *testing.T) {
	bomb := "a: &a [" + strings.Repeat("x,", 9) + "]\n"
	for b := 'b'; b <= 'j'; b++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", b, b, strings.Repeat(fmt.Sprintf("*%c, ", b-1), 9))
	}
	steps := ""
	for i := range 150 {
		steps += strings.Repeat(" ", i) + "a:\n"
	}
	for text, want := range map[string]string{
		bomb + "tags: *j\n": "its aliases expand to too much",
		"a: &a " + strings.Repeat("x", 1<<14) + "\ntags: [" + strings.Repeat("*a, ", 1000) + "]\n": "line 3: its aliases expand to too much",
		"title: A\nx: " + strings.Repeat("[", 15_000):                                              "line 3: its front matter is nested more than 100 levels deep",
		"x: " + strings.Repeat(`["]", `, 3_000):                                                    "nested more than",
		"x: " + strings.Repeat("{a: ", 3_000):                                                      "nested more than",
		"x:\n" + strings.Repeat("- ", 3_000) + "a":                                                 "nested more than",
		strings.Repeat("? ", 3_000) + "a":                                                          "nested more than",
		"x: " + strings.Repeat("!a ", 3_000) + "a":                                                 "nested more than",
		steps: "nested more than",
		"x: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000):    "line 1: its front matter has 40004 bytes, more than 32768",
		"title: '" + strings.Repeat("[", 3_000) + "'":                        "",
		"title: don't\ntags: [" + strings.Repeat("[a], {b: c}, ", 500) + "]": "",
		"  x:\n" + strings.Repeat("   - a: b\n", 500):                        "",
	} {
		_, err := Parse("---\n" + text + "\n---\n")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.30q: %v, want %s", text, err, want)
		}
	}
}

func TestAnEditTouchesOneValue(t *testing.T) {
	set := func(key, text string) func(*Card) (*Card, error) {
		return func(c *Card) (*Card, error) { return c.Set(key, text) }
	}
	items := func(key string, words ...string) func(*Card) (*Card, error) {
		return func(c *Card) (*Card, error) { return c.SetList(key, words) }
	}
	words := func(key string, words ...string) func(*Card) (*Card, error) {
		return func(c *Card) (*Card, error) { return c.EditList(key, words) }
	}
	title := func(s string) func(*Card) (*Card, error) {
		return func(c *Card) (*Card, error) { return c.SetTitle(s) }
	}
	for _, c := range []struct {
		before string
		edit   func(*Card) (*Card, error)
		after  string
	}{
		{"---\nstatus: todo  # now\n---\n", set("status", "done"), "---\nstatus: done  # now\n---\n"},
		{"---\nassignee:   # none\n---\n", set("assignee", "@dev"), "---\nassignee: \"@dev\"   # none\n---\n"},
		{"---\nassignee: bob\n---\n", set("assignee", ""), "---\nassignee:\n---\n"},
		{"---\nassignee: !!str bob  \n---\n", set("assignee", ""), "---\nassignee:\n---\n"},
		{"---\nassignee: bob # he\n---\n", set("assignee", ""), "---\nassignee:  # he\n---\n"},
		{"---\ntitle: A\n---\n", set("assignee", "yes"), "---\ntitle: A\nassignee: \"yes\"\n---\n"},
		{"---\r\n  title: A\r\n---\r\n", set("priority", "low"), "---\r\n  title: A\r\n  priority: low\r\n---\r\n"},
		{"# T\r\n", set("status", "done"), "---\r\nstatus: done\r\n---\r\n\r\n# T\r\n"},
		{"\ufeff", set("status", "done"), "\ufeff---\nstatus: done\n---\n"},
		{"---\ntitle: >- # long\n  a\n  b\nx: 1\n---\n", set("title", "c"), "---\ntitle: c # long\nx: 1\n---\n"},
		{"---\ntitle: &t !!str a\nx: 5\n---\n", set("title", "b"), "---\ntitle: &t b\nx: 5\n---\n"},
		{"---\ntitle: a\n  b\n  c # d\nx: 1\n---\n", set("title", "e"), "---\ntitle: e\nx: 1\n---\n"},
		{"---\ntags: [a, 'b',\"c\"] # t\n---\n", items("tags", "a", "c", "d e"), "---\ntags: [a, \"c\", d e] # t\n---\n"},
		{"---\ntags: [a, b,]\n---\n", items("tags", "b", "@x"), "---\ntags: [b, \"@x\",]\n---\n"},
		{"---\ntags:\n  - a # one\n  # about b\n  - b # two\nx: 1\n---\n", items("tags", "b", "c"), "---\ntags:\n  # about b\n  - b # two\n  - c\nx: 1\n---\n"},
		{"---\ntags:\n- a\n- b\n---\n", items("tags"), "---\ntags: []\n---\n"},
		{"---\ntags:\n---\n", items("tags", "a"), "---\ntags: [a]\n---\n"},
		{"---\ntags: [1, 2.0, true, null, {a: b}]\n---\n", words("tags", "1", "2.0", "new"), "---\ntags: [1, 2.0, null, {a: b}, new]\n---\n"},
		{"---\ntags: [null, a]\n---\n", words("tags"), "---\ntags: [null]\n---\n"},
		{"---\ntags: [a, a]\n---\n", words("tags", "a", "a", "b"), "---\ntags: [a, a, b]\n---\n"},
		{"---\ntags: [1, null]\n---\n", items("tags", "1", "new"), "---\ntags: [1, new]\n---\n"},
		{"---\ntags: a, b\n---\n", items("tags", "a", "c"), "---\ntags: [a, c]\n---\n"},
		{"---\ntitle: Old\n---\n\n# Old\n\nOld text\n", title("New: it"), "---\ntitle: \"New: it\"\n---\n\n# New: it\n\nOld text\n"},
		{"---\ntitle: Old\n---\n\n# Another\n", title("New"), "---\ntitle: New\n---\n\n# Another\n"},
		{"# Old\n\ntext", title("New"), "# New\n\ntext"},
	} {
		card, err := Parse(c.before)
		if err != nil {
			t.Fatalf("%q: %v", c.before, err)
		}
		got, err := c.edit(card)
		if err != nil {
			t.Errorf("%q: %v", c.before, err)
		} else if got.Text != c.after {
			t.Errorf("%q\nis   %q\nwant %q", c.before, got.Text, c.after)
		}
	}
	for _, before := range []string{"---\n{title: A}\n---\n", "---\n? title\n: A\n---\n"} {
		card, err := Parse(before)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := card.Set("title", "B"); err == nil || !strings.Contains(err.Error(), "a line of its own") {
			t.Errorf("%q: %v", before, err)
		}
	}
}

func TestAliasedValuesAreNotChanged(t *testing.T) {
	for _, before := range []string{"---\nstatus: &s todo\nalso: *s\n---\n", "---\nmeta: {a: *s}\nstatus: &s todo\n---\n", "---\nstatus:\n  &s todo\nx:\n  - *s\n---\n"} {
		card, err := Parse(before)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := card.Set("status", "done"); err == nil || !strings.Contains(err.Error(), "the anchor &s") {
			t.Errorf("%q: %v", before, err)
		}
		if _, err := card.Set("assignee", "bob"); err != nil {
			t.Errorf("%q: %v", before, err)
		}
	}
}

// A bare CR is a line break to YAML, but not to the code that finds the lines of a card.
func TestBareCRLineBreaksAreRefused(t *testing.T) {
	for _, text := range []string{"---\rtitle: A\r---\rbody\r", "---\rtitle: A\r---\rbody\n", "---\ntitle: A: b\r---\rbody\r", "---\ntitle: A: b\rx\n---\nbody"} {
		if got, did, err := Repair(text); err == nil || !strings.Contains(err.Error(), "CR alone") {
			t.Errorf("%q became %q: %q, %v", text, got, did, err)
		}
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	if got, _, err := Repair("---\ntitle: A: b\n---\nx\ry\n"); err != nil || got != "---\ntitle: \"A: b\"\n---\nx\ry\n" {
		t.Errorf("%q %v", got, err)
	}
}

func TestRepairKeepsAllText(t *testing.T) {
	for _, c := range []struct{ before, after, did string }{
		{"---\ntitle: A\nassignee: @dev # me\n---\nx", "---\ntitle: A\nassignee: \"@dev\" # me\n---\nx", "line 3: put the value of assignee in quotes"},
		{"---\r\ntitle: a: b\r\ntags: [x, @y]\r\n---\r\n", "---\r\ntitle: \"a: b\"\r\ntags: [x, \"@y\"]\r\n---\r\n", "line 3: put the value of tags in quotes"},
		{"---\ntitle: A\nstatus: todo\n\n# A\n\ntext\n", "---\ntitle: A\nstatus: todo\n---\n\n# A\n\ntext\n", "ended the front matter"},
		{"---\ntitle: A", "---\ntitle: A\n---\n", "ended the front matter"},
		{"---\ntags:\n  - old\ntitle: A\ntags: [new]\n---\n", "---\n# tags:\n#   - old\ntitle: A\ntags: [new]\n---\n", "commented out tags"},
		{"---\ntitle: A\nwhat is this\n---\n", "---\ntitle: A\n# what is this\n---\n", "line 3: commented out what is not KEY: VALUE"},
		{"---\ntitle: \"open\nstatus: todo\n---\n", "---\ntitle: \"\\\"open\"\nstatus: todo\n---\n", "put the value of title in quotes"},
		{"---\nmeta:\n\ta: 1\n---\n", "---\nmeta:\n  a: 1\n---\n", "replaced a tab by blanks"},
	} {
		got, did, err := Repair(c.before)
		if err != nil || got != c.after || !strings.Contains(strings.Join(did, "; "), c.did) {
			t.Errorf("%q\nis   %q %q, %v\nwant %q", c.before, got, did, err, c.after)
		}
	}
	for _, text := range []string{"---\n\x00\xff\n---\n", "---\n\ntext\n", "---\na: [1, {b: @}\n  c: ]\n---\n"} {
		if got, did, err := Repair(text); err == nil {
			t.Logf("%q was repaired to %q (%q)", text, got, did)
			if c, err := Parse(got); err != nil || len(did) == 0 {
				t.Errorf("%q: %v %v", text, c, err)
			}
		}
	}
}

// Any file is read or refused, and an edit keeps the text after the front matter.
func FuzzCard(f *testing.F) {
	for _, s := range []string{"---\ntitle: A\n---\n# A\n", "---\ntags:\n- a\n - b\n---\n", "---\na: [b, {c: d}] # e\n---", "---\r\nx: |\r\n  y\r\n---\r\nz", "---\nk: \"a\n b\"\n'q': &a *b\n---\n", "---\n\t: -\n---\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			if mended, did, err := Repair(text); err == nil {
				if len(did) == 0 {
					t.Fatal("it was broken, and mended by nothing")
				}
				if _, err := Parse(mended); err != nil {
					t.Fatalf("mended to %q: %v", mended, err)
				}
			}
			return
		}
		if next, err := c.Set("status", "a: b"); err == nil {
			if next.Status != "a: b" || !strings.HasSuffix(next.Text, text[c.Body:]) {
				t.Fatalf("%q became %q", text, next.Text)
			}
		}
		if next, err := c.SetList("tags", []string{"one", "@two"}); err == nil {
			slices.Sort(next.Tags)
			if strings.Join(next.Tags, " ") != "@two one" || !strings.HasSuffix(next.Text, text[c.Body:]) {
				t.Fatalf("%q became %q", text, next.Text)
			}
		}
	})
}
