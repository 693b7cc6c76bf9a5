package timeline

import "testing"

// The view must show the timeline even with ffmpeg, with which a preview shows frames.
func TestTheViewShowsTheTimeline(t *testing.T) {
	doc := cut(t)
	answer, _ := doc.Shown()
	if len(answer.Content) != 1 || answer.Content[0].MIME != "image/svg+xml" || doc.Answer("preview format:svg").Content[0].MIME != "image/svg+xml" || doc.Answer("preview").Content[0].MIME != "image/png" {
		t.Errorf("people are shown %.60q", answer.Content[0].Data)
	}
	want := `T1 0,40 1244x44 | funny_animals 192,40 64x44 | V1 0,92 1244x44 | vid1 64,92 641x44 | vid2 686,92 557x44 | crossfade 686,92 19x44; changed: T1 funny_animals`
	if got := doc.Areas(); got != want {
		t.Errorf("areas are\n%s, want\n%s", got, want)
	}
	doc.Do("modify vid2 volume:-6dB")
	if _, changed := doc.Shown(); len(changed) != 1 || changed[0] != "vid2" {
		t.Errorf("it changed %q", changed)
	}
}
