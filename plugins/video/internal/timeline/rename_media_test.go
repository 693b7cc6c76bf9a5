package timeline

import (
	"os"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func TestSavingElsewhereChangesOnlyMediaPaths(t *testing.T) {
	data, err := os.ReadFile("../otio/testdata/simple_cut.otio")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "file:///folder/wind-up.mov", "wind%20up.mov", 1)
	f, err := film.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	if withMediaNames(f, nil) != text || withMediaNames(f, map[string]string{"other.mov": "../other.mov"}) != text {
		t.Error("nothing is to change")
	}
	got := withMediaNames(f, map[string]string{"wind up.mov": "../a b/wind up.mov", "other.mov": "../other.mov"})
	if want := strings.Replace(text, "wind%20up.mov", "../a%20b/wind%20up.mov", 1); got != want {
		t.Error(got)
	}
	own, err := film.Open(film.NewFilm("f", append(otio.Object{}, film.Field("media", mediaObjects([]*media.Medium{{ID: "a", Path: "./a.mp4"}})))))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := withMediaNames(own, map[string]string{"./a.mp4": "../a.mp4"}), strings.Replace(own.Doc.Text(), `"./a.mp4"`, `"../a.mp4"`, 1); got != want || got == own.Doc.Text() {
		t.Error(got)
	}
}
