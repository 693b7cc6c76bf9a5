package mxfile

import "testing"

func TestANewTextKeepsTheFormatOfTheWholeLabel(t *testing.T) {
	for _, c := range []struct {
		was, want string
		lost      bool
	}{
		{"Old", "A &amp; B", false},
		{"<b>Old</b>", "<b>A &amp; B</b>", false},
		{`<b style="color: rgb(0,112,242)">Old<br>text</b>`, `<b style="color: rgb(0,112,242)">A &amp; B</b>`, false},
		{`<font color="red"><i>Old</i></font>`, `<font color="red"><i>A &amp; B</i></font>`, false},
		{"Old<div>text</div>", "A &amp; B", false},
		{"<div>Old</div><div>text</div>", "A &amp; B", false},
		{"Old<br style=\"font-size: 2px\">text<br>", "A &amp; B", false},
		{"<b>Old</b> text", "A &amp; B", true},
		{"<b>Old</b><b>text</b>", "A &amp; B", true},
		{"<u><b>Old</b> text</u>", "<u>A &amp; B</u>", true},
		{`<img src="a.png"/>Old`, "A &amp; B", true},
		{"<p>Name</p><hr>text", "A &amp; B", true},
		{"a < b", "A &amp; B", false},
		{"<b>Old", "<b>A &amp; B</b>", false},
		{"<br>", "A &amp; B", false},
		{"", "A &amp; B", false},
	} {
		if got, lost := reword(c.was, "A & B"); got != c.want || lost != c.lost {
			t.Errorf("%s becomes %s, %v; want %s, %v", c.was, got, lost, c.want, c.lost)
		}
	}
}
