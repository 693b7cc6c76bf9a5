package timeline

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func TestRendersThatNeedMuchMemoryWarn(t *testing.T) {
	build := func(clips, width, height int) []string {
		p := &render.Project{Width: width, Height: height, FPS: render.Rational{Num: 25, Den: 1}, Video: []render.Track{{ID: "V1"}},
			Media: []render.Media{{Name: "a", Path: "a.mp4", Ext: "mp4", Video: true, Width: width, Height: height, Duration: render.Rational{Num: 60, Den: 1}}}}
		for i := range clips { // each clip is taken from the start again
			p.Video[0].Items = append(p.Video[0].Items, render.Item{Clip: render.Clip{ID: "c", In: render.Rational{Num: int64(59 - i%59), Den: 1}, Frames: 10}})
		}
		cmd, err := render.Build(p, "h264")
		if err != nil {
			t.Fatal(err)
		}
		return memoryWarning(cmd)
	}
	if got := build(30, 1920, 1080); got != nil {
		t.Error(got)
	}
	if got := build(55, 640, 360); got != nil {
		t.Error(got)
	}
	for _, got := range [][]string{build(55, 1920, 1080), build(14, 3840, 2160)} {
		if text := strings.Join(got, ""); !strings.Contains(text, "pieces of media at once, which may take 5.") || !strings.Contains(text, "--limit job-memory=8GiB") {
			t.Error(got)
		}
	}
}
