package subtitle

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestFilesAreReadInTheirEncoding(t *testing.T) {
	const text = "Café “gut”"
	little, big := []byte{0xFF, 0xFE}, []byte{0xFE, 0xFF}
	for _, u := range utf16.Encode([]rune(text)) {
		little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
	}
	for data, want := range map[string]string{
		text: "", "\uFEFF" + text: "", string(little): "UTF-16", string(big): "UTF-16",
		strings.NewReplacer("é", "\xe9", "“", "\x93", "”", "\x94").Replace(text): "Windows-1252",
	} {
		if got, as := Decode([]byte(data)); got != text || as != want {
			t.Errorf("%q is read as %q in %s, want %s", data, got, as, want)
		}
	}
	if got, _ := Decode([]byte("\x80\x9f\xa0")); got != "€Ÿ\u00a0" {
		t.Errorf("the ends of Windows-1252 are read as %q", got)
	}
}

func TestCuesAreReadAndTheUnreadableCounted(t *testing.T) {
	cues, bad := Parse("1\r00:00:01,500 --> 00:00:02.000\r<b>a</b> &lt;\r{\\an8}b\r\r00:00:03,000 --> 00:00:04,000\n\n" +
		"00:00:05,000 --> 00:00:06,000\n<i></i>\n\n00:99:00,000 --> 01:00:00,000\nlate\n00:00:07,0 --> 00:00:08,0\nright after\n\nno time\n")
	if got := fmt.Sprint(cues, bad); got != "[{{3 2} {2 1} a <\nb} {{7 1} {8 1} right after}] 3" {
		t.Errorf("got %s", got)
	}
}

func TestTimesAndTagsAreTheirForm(t *testing.T) {
	for s, want := range map[string]bool{"00:00:01,500": true, "1:02:03.5": true, "01:02:03,50": true, ":00:01,5": false, "100:00:01,5": false, "00:00:01": false, "00:00:01,5000": false, "00:0:01,5": false, "": false} {
		if isTime(s) != want {
			t.Errorf("%s: %v", s, !want)
		}
	}
	long := strings.Repeat("x", maxTag)
	for s, want := range map[string]string{"<b>a</b>": "a", "a < b > c": "a < b > c", `{\an8}x{y}`: "x{y}", "<1>": "<1>", "<b": "<b", "<": "<", "</": "</", "<a<b>": "<a", "<font color=\"x\">é": "é",
		"<" + long + ">": "", "<" + long + "x>": "<" + long + "x>"} {
		if got := withoutTags(s); got != want {
			t.Errorf("%q without tags is %q, want %q", s, got, want)
		}
	}
}
