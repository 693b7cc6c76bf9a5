package grammar

import (
	"strings"
	"testing"
)

func TestSessionActions(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"new with a title", `new "Song A"`, "new | «Song A»"},
		{"a quoted title is never a parameter", `new "A: title" tempo:120`, "new | «A: title» | {tempo=120}"},
		{"a quoted title that looks like a parameter", `new "tempo:120" tempo:90`, "new | «tempo:120» | {tempo=90}"},
		{"new with a domain", `new midi "Title"`, "new | midi | «Title»"},
		{"parameters with slashes", `new "T" time-sig:3/4 key:C-major`, "new | «T» | {time-sig=3/4} | {key=C-major}"},
		{"open", "open ./song.mid", "open | ./song.mid"},
		{"open a Windows path", `open C:\new\x.mid`, `open | C:\new\x.mid`},
		{"open a path with slashes and a drive", "open C:/new/x.mid", "open | C:/new/x.mid"},
		{"open a path with blanks", `open "./my song.mid"`, "open | «./my song.mid»"},
		{"open a path with blanks in single quotes", `open 'C:\new\my song.mid'`, `open | «C:\new\my song.mid»`},
		{"open a file URL", "open file:///a/b.mid", "open | file:///a/b.mid"},
		{"an unquoted path ends at a blank", "open ./a b.mid", "open | ./a | b.mid"},
		{"open with a name", "open a.mid as:intro", "open | a.mid | {as=intro}"},
		{"save", "save", "save"},
		{"save to a path", "save ./a.mid", "save | ./a.mid"},
		{"save as", "save as:./a.mid", "save | {as=./a.mid}"},
		{"save as with blanks", `save as:"./my song.mid"`, "save | {as=./my song.mid'}"},
		{"save as a Windows path", `save as:C:\new\x.mid`, `save | {as=C:\new\x.mid}`},
		{"save force", "save force", "save | force"},
		{"close force", "close force", "close | force"},
		{"checkpoint", "checkpoint v1", "checkpoint | v1"},
		{"checkpoint with blanks", `checkpoint "before the bridge"`, "checkpoint | «before the bridge»"},
		{"undo", "undo", "undo"},
		{"undo some", "undo 3", "undo | 3"},
		{"undo to a checkpoint", "undo to:v1", "undo | {to=v1}"},
		{"undo to a checkpoint with blanks", `undo to:"before the bridge"`, "undo | {to=before the bridge'}"},
		{"undo to nothing is no parameter", "undo to:", "undo | to:"},
		{"undo to an empty name", `undo to:""`, "undo | {to='}"},
		{"undo batch", "undo batch", "undo | batch"},
		{"redo", "redo 2", "redo | 2"},
		{"batch mode", "batch each", "batch | each"},
		{"export", "export musicxml as:./a.xml", "export | musicxml | {as=./a.xml}"},
		{"use", `use "Song A"`, "use | «Song A»"},
		{"the action is lower-cased", "SAVE AS:x", "save | {AS=x}"},
		{"a domain's own action", "load-soundfont ./gm.sf2", "load-soundfont | ./gm.sf2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			op, err := ParseAction(tt.in)
			if got := shape(op); err != nil || got != tt.want {
				t.Errorf("ParseAction(%q) = %s (%v), want %s", tt.in, got, err, tt.want)
			}
		})
	}
	for in, part := range map[string]string{
		" ": "empty session action", `"new" x`: "expected a session action", `new "x`: "unterminated",
		strings.Repeat("x", MaxOpBytes+1): "the session action is 65537 bytes",
	} {
		if _, err := ParseAction(in); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("ParseAction(%.40q): %v, want %q", in, err, part)
		}
	}
}

func TestQueries(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"a word", "map", "map"},
		{"the name is lower-cased", "MAP", "map"},
		{"a selector", "list @type:db", "list | [type=db]"},
		{"a parameter", "diff checkpoint:v1", "diff | {checkpoint=v1}"},
		{"a wildcard", "describe *", "describe | *"},
		{"an apostrophe", "find don't", "find | don't"},
		{"an apostrophe at the end", "find boys'", "find | boys'"},
		{"a quoted text", `find "data flow"`, "find | «data flow»"},
		{"a lone @ is a word", "find @", "find | @"},
		{"@not: is a word", "find @not: x", "find | @not: | x"},
		{"a quote that opens after a key and never closes is a word", "find it:'s so", "find | so | {it='s}"},
		{"one that closes is a value", "find it:'s so'", "find | {it=s so'}"},
		{"several that never close", `find a:"x b:'y c:z`, `find | {a="x} | {b='y} | {c=z}`},
		{"an arrow", "describe A -> B", "describe | A | <->> | B"},
		{"a range", "piano-roll Piano 1.1-4.4", "piano-roll | Piano | 1.1-4.4"},
		{"a key alone", "find Note:", "find | Note:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			op, err := ParseQuery(tt.in)
			if got := shape(op); err != nil || got != tt.want {
				t.Errorf("ParseQuery(%q) = %s (%v), want %s", tt.in, got, err, tt.want)
			}
		})
	}
	for in, part := range map[string]string{
		"": "empty query", `"map"`: "expected a query", `find "x`: "unterminated", `find 'tis`: "unterminated",
		strings.Repeat("x", MaxOpBytes+1): "the query is 65537 bytes",
	} {
		if _, err := ParseQuery(in); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("ParseQuery(%.40q): %v, want %q", in, err, part)
		}
	}
}
