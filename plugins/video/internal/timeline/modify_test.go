package timeline

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestModifyMediaKeepsTheSpan(t *testing.T) {
	doc := cut(t)
	doc.Do("add audio ./music.mp3 dur:10s", "trim vid2 in:1s dur:3s ripple")
	before := string(doc.Save())
	if got, want := doc.Do("modify vid2 media:./cat.mp4"), "* vid2 media:./cat.mp4"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if got := doc.Query("describe vid2"); !strings.Contains(got, "of cat 1s-4s") {
		t.Errorf("it is\n%s", got)
	}
	if got := string(doc.Save()); !strings.Contains(got, `"target_url": "./cat.mp4"`) {
		t.Errorf("the file does not refer to it:\n%s", got)
	}
	doc.Undo(1)
	if string(doc.Save()) != before {
		t.Error("undo does not lead back")
	}
	doc.Do("modify vid2 media:./mute.mp4")
	if got := doc.Query("describe vid2"); strings.Contains(got, "without its sound") || !strings.Contains(got, "no sound") {
		t.Errorf("it is\n%s", got)
	}
	doc.Do("modify music media:./voice.wav", "modify vid2 media:vid1")
	if got := doc.Do("modify vid2 media:vid1"); !strings.HasPrefix(got, "?") {
		t.Errorf("it says %s", got)
	}
	doc.Fail("modify vid1 media:./cat.mp4", "vid1 shows its media up to 50s, and cat is 4s long: trim it first")
	doc.Fail("modify vid2 media:./music.mp3", "vid2 is seen, and music has no pictures")
	doc.Fail("modify music media:./mute.mp4", "music is sound, and mute has none")
	doc.Fail("modify funny_animals media:vid1", "is a text, and has no media")
}

func TestAClipOfAnotherProgramGetsMedia(t *testing.T) {
	for name, text := range samples(t) {
		if !strings.HasPrefix(name, "transition_test") && !strings.HasPrefix(name, "simple_cut") {
			continue
		}
		doc := pdktest.Open(t, Domain(), name, []byte(text), world())
		before := doc.Query("timeline")
		doc.Do("modify @type:clip media:./vid1.mp4")
		if got := doc.Query("timeline"); got != before {
			t.Errorf("%s: it moved:\n%s\n%s", name, before, got)
		}
		if got := doc.Query("warnings"); strings.Contains(got, "without media") {
			t.Errorf("%s: %s", name, got)
		}
		doc.Export("draft")
	}
}

func TestEffectsOfAnotherProgramStay(t *testing.T) {
	doc := cut(t)
	doc.Do("add effect grayscale on:vid1")
	foreign := `{"OTIO_SCHEMA": "Effect.1", "metadata": {"other": {"lens": 7}}, "name": "Lens", "effect_name": "Lens"}`
	text := string(doc.Save())
	at := strings.Index(text, `"OTIO_SCHEMA": "Effect.1"`)
	if at < 0 {
		t.Fatalf("there is no effect:\n%s", text)
	}
	at = strings.LastIndexByte(text[:at], '{')
	doc = pdktest.Open(t, Domain(), "x.otio", []byte(text[:at]+foreign+", "+text[at:]), world())
	for _, op := range []string{"add effect blur on:vid1", "remove effect grayscale on:vid1", "remove effect blur on:vid1"} {
		doc.Do(op)
		if got := string(doc.Save()); !strings.Contains(got, `"lens": 7`) {
			t.Errorf("%s loses the effect of another program", op)
		}
	}
}
