package media

import (
	"fmt"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/timecode"
)

func TestSecondsAreExactOrUnknown(t *testing.T) {
	for s, want := range map[string]string{"12.480000": "{312 25} true", "0.5": "{1 2} true", "3": "{3 1} true", "0": "{0 1} false", "0.000": "{0 1} false", "N/A": "false", "-1": "false", "": "false",
		"1.0000000001": "false", "360000": "{360000 1} true", "360000.1": "false", "1.2.3": "false"} {
		r, ok := parseSeconds(s)
		if got := fmt.Sprint(r, " ", ok); got != want && fmt.Sprint(ok) != want {
			t.Errorf("%q is read as %s, want %s", s, got, want)
		}
	}
}

func TestPixelsAreSquareUnlessTheirRatioIsPlausible(t *testing.T) {
	for s, want := range map[string]timecode.Rat{"16:15": {Num: 16, Den: 15}, "32:30": {Num: 16, Den: 15}, "8:1": {Num: 8, Den: 1}, "1:8": {Num: 1, Den: 8}, "9:1": {}, "1:9": {}, "1:1": {}, "0:1": {}, "1:0": {}, "16": {}, "a:b": {}, "10001:9999": {}} {
		if got := parsePixelAspect(s, ":"); got != want {
			t.Errorf("%s is read as %v, want %v", s, got, want)
		}
	}
}

func TestAFrameCountsIfItStartsBeforeTheEnd(t *testing.T) {
	rate := timecode.Rate{Num: 25, Den: 1}
	for _, c := range []struct {
		m    Medium
		want int
	}{
		{Medium{Known: true, Duration: timecode.New(4, 1)}, 100}, {Medium{Known: true, Duration: timecode.New(4001, 1000)}, 101}, {Medium{Known: true, Duration: timecode.New(40003, 10000)}, 100},
		{Medium{Known: true, Still: true, Duration: timecode.New(4, 1)}, -1}, {Medium{Duration: timecode.New(4, 1)}, -1},
	} {
		if got := c.m.Frames(rate); got != c.want {
			t.Errorf("%v has %d frames, want %d", c.m.Duration, got, c.want)
		}
	}
}

func TestATurnedPictureIsMeasuredAsItIsSeen(t *testing.T) {
	for _, c := range [][2]string{
		{`"tags":{"rotate":"90"}`, "1080x1920, 25 fps, rotated 90°"}, {`"side_data_list":[{"rotation":-90}]`, "1080x1920, 25 fps, rotated 90°"}, {`"side_data_list":[{"rotation":90}]`, "1080x1920, 25 fps, rotated 270°"},
		{`"tags":{"rotate":"-180"}`, "1920x1080, 25 fps, rotated 180°"}, {`"tags":{"rotate":"360"}`, "1920x1080, 25 fps"}, {`"r_frame_rate":"9/1"`, "1920x1080, 25 fps"},
	} {
		m, err := ParseProbe("./a.mp4", []byte(`{"streams":[{"codec_type":"video","width":1920,"height":1080,"avg_frame_rate":"25/1",`+c[0]+`},{"codec_type":"audio","sample_rate":"44100"}],"format":{"format_name":"mov","duration":"2.5"}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := m.What(), "2.5s, "+c[1]+", sound 44100 Hz"; got != want {
			t.Errorf("%s: %s, want %s", c[0], got, want)
		}
	}
	if _, err := ParseProbe("./a.txt", []byte(`{"streams":[{"codec_type":"data"}]}`)); err == nil {
		t.Error("a file without pictures and sound is accepted")
	}
}

func TestFilesWithoutAnIndexAreReadFromTheirStart(t *testing.T) {
	for name, want := range map[string]bool{"a.ts": true, "A.MPG": true, "a.mp4": false} {
		if got := (&Medium{Path: name}).Sequential(); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	m, err := ParseProbe("a.mp4", []byte(`{"streams":[{"codec_type":"video"}],"format":{"format_name":"mpegts"}}`))
	if err != nil || !m.Sequential() {
		t.Errorf("a stream in a file with another ending: %v, %v", m, err)
	}
}
