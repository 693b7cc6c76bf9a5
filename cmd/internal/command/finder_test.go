package command

import (
	"fmt"
	"strings"
	"testing"
)

func TestAFinderPicksByArrowsDigitsAndWords(t *testing.T) {
	lines := []string{"a.md  Apples", "b.md  Bread", "c.md  Cake and bread", "d.md  Dill"}
	for _, tt := range []struct {
		keys []string
		want string
	}{
		{[]string{"\r"}, "a.md"},
		{[]string{"\x1b[B", "\x1b[B", "\x1b[A", "\r"}, "b.md"},
		{[]string{"\x1bOB\x1bOB", "\n"}, "c.md"},
		{[]string{"\x0e\x0e\x0e\x0e\x0e\x10\r"}, "c.md"},
		{[]string{"\x1b[A\r"}, "a.md"},
		{[]string{"3"}, "c.md"},
		{[]string{"9", "\x1b[1;5C", "\r"}, "a.md"}, // there is no ninth line, and other keys do nothing
		{[]string{"bre", "ad", "2"}, "c.md"},
		{[]string{"BREAD CAKE\r"}, "c.md"},
		{[]string{"x\x7fd\bill\x7f\x7f\x7f\x7f\x7fdill\r"}, "d.md"},
		{[]string{"zebra", "\r", "\x1b"}, "nothing"},
		{[]string{"\x03"}, "nothing"},
		{[]string{"\x04"}, "nothing"},
		{[]string{"\x1b"}, "nothing"},
		{[]string{"\xff\x00", "\r"}, "a.md"},
	} {
		f, got := newFinder(lines, 3), "none yet"
		for _, k := range tt.keys {
			line, done, err := f.keys([]byte(k))
			if done {
				if got = strings.Fields(lines[line])[0]; err != nil {
					got = "nothing"
				}
				break
			}
		}
		if got != tt.want {
			t.Errorf("%q picks %s, want %s", tt.keys, got, tt.want)
		}
	}
}

func TestAFinderShowsWhatFits(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("%d.md", i))
	}
	f := newFinder(lines, 5)
	f.keys([]byte(strings.Repeat("\x0e", 7)))
	var out strings.Builder
	f.draw(&out)
	if got := out.String(); strings.Contains(got, "2.md") || !strings.Contains(got, "\n  1 3.md") || !strings.Contains(got, "\n▸ 5 7.md") || strings.Contains(got, "8.md") || !strings.HasSuffix(got, "\r\x1b[5A") {
		t.Errorf("drawn: %q", got)
	}
	if line, done, _ := f.keys([]byte("2")); !done || line != 4 {
		t.Errorf("2 is %d", line)
	}
}
