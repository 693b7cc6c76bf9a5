package timeline

import (
	"os"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func TestSavingElsewhereChangesOnlyMediaPaths(t *testing.T) {
	data, err := os.ReadFile("../otio/testdata/simple_cut.otio")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "file:///folder/wind-up.mov", "wind%20up.mov", 1)
	f, err := open(text)
	if err != nil {
		t.Fatal(err)
	}
	if f.withMediaNames(nil) != text || f.withMediaNames(map[string]string{"other.mov": "../other.mov"}) != text {
		t.Error("nothing is to change")
	}
	got := f.withMediaNames(map[string]string{"wind up.mov": "../a b/wind up.mov", "other.mov": "../other.mov"})
	if want := strings.Replace(text, "wind%20up.mov", "../a%20b/wind%20up.mov", 1); got != want {
		t.Error(got)
	}
	own, err := open(newFilm("f", append(otio.Object{}, field("media", mediaObjects([]*media.Medium{{ID: "a", Path: "./a.mp4"}})))))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := own.withMediaNames(map[string]string{"./a.mp4": "../a.mp4"}), strings.Replace(own.doc.Text(), `"./a.mp4"`, `"../a.mp4"`, 1); got != want || got == own.doc.Text() {
		t.Error(got)
	}
}
