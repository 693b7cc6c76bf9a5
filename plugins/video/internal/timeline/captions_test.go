package timeline

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// cue returns a cue of an SRT file.
func cue(times, text string) string { return "1\r\n" + times + "\r\n" + text + "\r\n\r\n" }

func TestSubtitleEncodings(t *testing.T) {
	const words = `"Café “gut” & Müll <3"`
	line := cue("00:00:01,000 --> 00:00:02,000", "<b>Café “gut”</b> &amp; M&uuml;ll &lt;3")
	units := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(line)) {
		units = append(units, byte(u), byte(u>>8))
	}
	big := []byte{0xFE, 0xFF}
	for i := 2; i < len(units); i += 2 {
		big = append(big, units[i+1], units[i])
	}
	for name, c := range map[string]struct {
		data []byte
		as   string
	}{
		"UTF-8":        {[]byte(line), ""},
		"a mark":       {[]byte("\uFEFF" + line), ""},
		"Mac lines":    {[]byte(strings.ReplaceAll(line, "\r\n", "\r")), ""},
		"Windows-1252": {[]byte(strings.NewReplacer("é", "\xe9", "“", "\x93", "”", "\x94").Replace(line)), "? ./x.srt is not UTF-8, and was read as Windows-1252"},
		"UTF-16":       {units, "and was read as UTF-16"},
		"big endian":   {big, "and was read as UTF-16"},
	} {
		w := world()
		w.Files["./x.srt"] = c.data
		doc := pdktest.New(t, Domain(), `"Demo"`, w)
		if got := doc.Do("captions ./x.srt"); !strings.Contains(got, c.as) || c.as == "" && strings.Contains(got, "?") {
			t.Errorf("%s: it says %q", name, got)
		}
		if got := doc.Query("map"); !strings.Contains(got, words) {
			t.Errorf("%s: it holds\n%s", name, got)
		}
	}
}

func TestShiftedSubtitlesAreCutAndCounted(t *testing.T) {
	w := world()
	w.Files["./x.srt"] = []byte(cue("00:00:00,000 --> 00:00:01,000", "gone") + cue("00:00:01,000 --> 00:00:05,000", "cut") + cue("00:00:06,000 --> 00:00:07,000", "whole"))
	doc := pdktest.New(t, Domain(), `"Demo"`, w)
	want := "+ 2 captions 0s-5s (5s)\n? 1 subtitle of ./x.srt end before the film starts, and are left out\n? 1 subtitle of ./x.srt began before the film, and now begin with it"
	if got := doc.Do("captions ./x.srt shift:-2s"); got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
	if got := doc.Query("map"); !strings.Contains(got, `caption 0s-3s (3s) caption "cut"`) || !strings.Contains(got, `caption_2 4s-5s (1s) caption "whole"`) {
		t.Errorf("it holds\n%s", got)
	}
}

func TestLateSubtitlesWarn(t *testing.T) {
	w := world()
	w.Files["./x.srt"] = []byte(cue("00:00:01,000 --> 00:00:02,000", "one") + cue("99:00:00,000 --> 99:00:02,000", "late"))
	const late = "? caption_2 comes 98h59m58s after the one before it, at 99h"
	doc := pdktest.New(t, Domain(), `"Demo"`, w)
	if got := doc.Do("captions ./x.srt"); !strings.Contains(got, late) {
		t.Errorf("it says %s", got)
	}
	doc = pdktest.New(t, Domain(), `"Demo"`, w)
	doc.Do("add clip ./cat.mp4")
	if got := doc.Do("captions ./x.srt"); !strings.Contains(got, late) || !strings.Contains(got, "? the film is now 99h0m2s long and was 4s: caption_2 is shown until then") {
		t.Errorf("it says %s", got)
	}
}

func TestCaptionsAreSelectedByTheirType(t *testing.T) {
	doc := cut(t)
	doc.Do("captions ./talk.srt", "overlay text Note style:note from:20s dur:2s")
	if got, want := doc.Do("modify @type:caption size:30"), "* caption, caption_2 size:30"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := doc.Query("list @type:text @not:type:caption"); !strings.Contains(got, "2 things") || strings.Contains(got, "Hello") {
		t.Errorf("the other texts are\n%s", got)
	}
	doc.Do("move @type:caption by:+1s", "remove @type:caption")
	doc.Fail("remove @type:caption", "nothing matches @type:caption")
}
