package timeline

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

func TestRepeatsGetUnusedIDs(t *testing.T) {
	for _, ops := range [][]string{
		{"add clip ./cat.mp4 id:x_3", "repeat x_3 count:3"},
		{"add clip ./cat.mp4", "copy cat at:end", "remove cat", "repeat cat_2 count:3"},
		{"overlay text Hi id:x_2 from:1s dur:1s", "repeat x_2 count:3"},
	} {
		doc := pdktest.New(t, Domain(), `"Demo"`, world())
		doc.Do(ops...)
		var seen []string
		film, err := film.Open(string(doc.Save()))
		if err != nil {
			t.Fatal(err)
		}
		for _, track := range film.Parsed().Tracks {
			seen = append(seen, clipIDs(track.Clips)...)
		}
		slices.Sort(seen)
		if len(seen) != 4 || len(slices.Compact(slices.Clone(seen))) != 4 {
			t.Errorf("%s makes %s", ops, seen)
		}
	}
}

func TestTheIDOfARemovedClipDoesNotFindItsCopy(t *testing.T) {
	for _, op := range []string{"trim cat dur:1s", "trim V1/cat dur:1s", "remove cat", "ripple-delete cat", "mute CAT", "copy cat at:end", "add clip ./vid1.mp4 after:cat", "modify hi text:Ho"} {
		doc := pdktest.New(t, Domain(), `"Demo"`, world())
		doc.Do("add clip ./cat.mp4", "copy cat at:end", "remove cat", "overlay text Hi from:1s dur:1s", "copy hi at:3s", "remove hi")
		if text := doc.Fail(op); !strings.Contains(text, "_2") {
			t.Errorf("%s says %q", op, text)
		}
	}
	doc := pdktest.New(t, Domain(), `"Demo"`, world())
	doc.Do("add clip ./cat.mp4", "copy cat at:end", "remove cat", "trim ./cat.mp4 dur:1s", "trim cat_2 dur:2s", "trim cat_ dur:1s")
}
