package timeline

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestWarningsAboutElementsOutsideThePicture(t *testing.T) {
	for op, want := range map[string]string{
		"overlay image ./logo.png pos:1900,500":                   "beyond the picture's edge: logo",
		"overlay image ./logo.png pos:2000,500":                   "outside of the picture, and not seen: logo",
		"overlay image ./logo.png pos:top-left shift:-300,0":      "outside of the picture, and not seen: logo",
		"overlay video ./cat.mp4 pos:bottom-right shift:0,100":    "beyond the picture's edge: cat",
		"overlay video ./cat.mp4 size:120%":                       "",
		"overlay video ./cat.mp4 size:120% pos:left shift:1900,0": "outside of the picture, and not seen: cat",
		"overlay video ./cat.mp4 size:200x200":                    "",
		"overlay text Hi pos:1900,500":                            "beyond the picture's edge: hi",
		"overlay text Hi shift:5000,0":                            "outside of the picture, and not seen: hi",
	} {
		doc := cut(t)
		doc.Do("remove funny_animals", op)
		got := doc.Query("warnings")
		if want == "" && strings.Contains(got, "picture, and") || want == "" && strings.Contains(got, "edge") || !strings.Contains(got, want) {
			t.Errorf("after %s it warns\n%s\nwant %q", op, got, want)
		}
	}
}

func TestWarningsNameTextsWithWhatNobodySees(t *testing.T) {
	doc := cut(t)
	doc.Do("overlay text \"Hi\U000e0041\"")
	if got := doc.Query("warnings"); !strings.Contains(got, `hi has 1 hidden character (\udb40\udc41)`) {
		t.Error(got)
	}
}

func TestMusicShorterThanUntilWarns(t *testing.T) {
	doc := cut(t)
	if got, want := doc.Do("add audio ./voice.wav until:end"), "+ voice on A1 0s-12s (12s)\n? voice ends at 12s, 1m20s before until:end: there is no more of its media"; got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
	if got := doc.Do("add audio ./music.mp3 until:end"); strings.Contains(got, "?") {
		t.Errorf("music that is long enough: %s", got)
	}
}

func TestEffectsNeedPicturesOrSound(t *testing.T) {
	doc := cut(t)
	doc.Do("add audio ./music.mp3 until:end", "overlay image ./logo.png", "add clip ./mute.mp4")
	for op, want := range map[string]string{
		"add effect sepia on:music":      "sepia changes the picture, and music has no picture",
		"add effect echo on:logo":        "echo changes the sound, and logo has no sound",
		"add effect gain on:mute":        "gain changes the sound, and mute has no sound",
		"add effect gain on:mute,vid1":   "gain changes the sound, and mute has no sound",
		"add effect blur @type:audio":    "blur changes the picture, and music has no picture",
		"add effect blur on:@type:audio": "blur changes the picture, and music has no picture",
	} {
		doc.Fail(op, want, "try query: effects")
	}
	for op, want := range map[string]string{
		"add effect gain @all":         "on vid1, vid2, music",
		"add effect sepia on:@all":     "on vid1, vid2, mute, logo",
		"add effect echo on:music":     "on music",
		"add effect grayscale on:logo": "on logo",
	} {
		if got := doc.Do(op); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", op, got, want)
		}
	}
}

func TestTrackNamesAreUniqueAndNoIDs(t *testing.T) {
	doc := cut(t)
	doc.Fail("track rename V1 A1", "A1 is the id of a track, or of one to come, and this track is V1", "try: track rename V1 \"Track A1\"")
	doc.Fail("track rename V1 v7", "v7 is the id of a track")
	doc.Fail("track add video name:V3", "V3 is the id of a track, or of one to come, and this track is V2", "try: track add video name:\"Track V3\"")
	doc.Fail("track add audio name:end", "end is the id of a track")
	doc.Do("track add video name:V2", "track rename V1 Main", "track rename V1 V1", "track rename V1 Main")
	doc.Fail("track rename V2 main", "another track is called main")
	doc.Fail("track add audio name:Main", "another track is called Main")
	if got := doc.Do("track rename V1 Main"); !strings.HasPrefix(got, "?") {
		t.Errorf("it says %s", got)
	}
}

func TestExportingNoSubtitlesFails(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"Demo"`, world())
	doc.Do("add clip ./vid1.mp4")
	doc.ExportFails("srt", "no captions and no texts", `try: caption "Hello"`)
	doc.Do(`caption "Hello" from:0s dur:2s`)
	if got := string(doc.Export("srt")); !strings.Contains(got, "Hello") {
		t.Errorf("it is %q", got)
	}
}

func TestUnprobedFilesCanBeDeclared(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"Blind"`)
	doc.Fail("add clip ./a.mp4", "or declare what it contains", "try: media ./a.mp4 duration:10s size:1920x1080 fps:30")
	doc.Fail("add clip ./a.png", "try: media ./a.png size:1920x1080")
	doc.Fail("add audio ./a.mp3", "try: media ./a.mp3 duration:10s")
	doc.Do("media ./a.png size:1920x1080", "media ./a.mp3 duration:10s", "media ./a.mp4 duration:10s size:1920x1080 fps:30")
	doc.Do("add clip ./a.mp4 dur:4s", "add clip a.mp4 dur:3s", "add audio ./a.mp3")
	doc.Fail("add clip ./sub/a.mp4", "or declare what it contains")
}
