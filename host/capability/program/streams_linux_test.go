package program

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
)

func TestFramesAreCountedByStream(t *testing.T) {
	made, err := readFrames(strings.NewReader("#software: x\n#tb 0: 1/25\n#media_type 0: video\n#tb 1: 1/1000\n#media_type 1: audio\n" +
		"1, -21, -21, 21, 9, 0x1\n0, 0, 2, 1, 10, 0x1\n0, 1, 0, 1, 10, 0x1, S=1, 8\n0, 2, 1, 1, 10, 0x1\n1, 0, 0, 100, 9, 0x1\n"))
	if err != nil || *made != (counted{Streams{3, true}, 120 * time.Millisecond, 100 * time.Millisecond}) {
		t.Errorf("%+v, %v", made, err)
	}
	for _, bad := range []string{"#tb 0: 1/0\n", "#tb 0: x\n", "0, 0, x, 1, 10, 0x1\n"} {
		if made, err := readFrames(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: %+v", bad, made)
		}
	}
}

func TestAFileThatIsNotWhatTheModelSaysIsNamed(t *testing.T) {
	film := Streams{50, true}
	for _, tt := range []struct {
		want  Streams
		made  counted
		lasts time.Duration
		says  string
	}{
		{film, counted{film, 2 * time.Second, 2046 * time.Millisecond}, 2 * time.Second, ""},
		{film, counted{film, time.Second, time.Second}, 0, ""},
		{film, counted{Streams{0, true}, 0, 2 * time.Second}, 2 * time.Second, "ffmpeg made 0 pictures instead of 50"},
		{film, counted{Streams{49, true}, 2 * time.Second, 2 * time.Second}, 2 * time.Second, "ffmpeg made 49 pictures instead of 50"},
		{film, counted{Streams{50, false}, 2 * time.Second, 0}, 2 * time.Second, "ffmpeg made no sound, and the film has sound"},
		{Streams{50, false}, counted{film, 2 * time.Second, 2 * time.Second}, 2 * time.Second, "ffmpeg made sound, and the film has none"},
		{film, counted{film, time.Second, 2 * time.Second}, 2 * time.Second, "the pictures that ffmpeg made last 1s instead of 2s"},
		{film, counted{film, 2 * time.Second, time.Second}, 2 * time.Second, "the sound that ffmpeg made lasts 1s instead of 2s"},
	} {
		says := ""
		if err := tt.want.compare(&tt.made, tt.lasts); err != nil {
			says = err.Error()
		}
		if says != tt.says {
			t.Errorf("%+v: %q, not %q", tt.made, says, tt.says)
		}
	}
}

func TestJudgeAFilmWithOtherStreamsIsNotSaved(t *testing.T) {
	ffmpeg := findInstalled(t, "ffmpeg")
	s := newJobFolder(t, 0, time.Hour)
	render := func(want Streams, args ...string) Status {
		t.Helper()
		w := s.work("film.mp4", files.Over{Any: true})
		w.Run = Run{Program: ffmpeg, Args: append(args, "{out:0}"), Outputs: []Output{{Ext: "mp4"}}}
		w.Duration, w.Expect = 2*time.Second, &want
		return s.start("a", w).Await(context.Background())
	}
	film := append(lavfi("testsrc2=size=64x64:rate=25:duration=2"), "-f", "lavfi", "-i", "sine=d=2", "-c:v", "libx264", "-c:a", "aac")
	for want, says := range map[Streams]string{
		{50, true}:  "",
		{51, true}:  "ffmpeg made 50 pictures instead of 51",
		{50, false}: "ffmpeg made sound, and the film has none",
		{0, true}:   "ffmpeg made 50 pictures instead of 0",
	} {
		before := s.names()
		status := render(want, film...)
		if says == "" && (status.State != Done || s.names() != "film.mp4") || says != "" && (status.State != Failed || status.Err.Error() != says || s.names() != before) {
			t.Errorf("%+v: %s, %v; there is %q", want, status.State, status.Err, s.names())
		}
	}
}
