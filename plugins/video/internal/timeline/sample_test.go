package timeline

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestIncompleteOpsGetWorkingExamples(t *testing.T) {
	full := func() *pdktest.Doc {
		doc := cut(t)
		doc.Do("add audio ./music.mp3 until:end")
		return doc
	}
	bare := func() *pdktest.Doc { return pdktest.New(t, Domain(), `"Demo"`, world()) }
	examples := 0
	for _, op := range []string{"trim vid2", "trim funny_animals", "move", "move vid2", "ripple-delete", "remove", "speed vid2", "speed funny_animals", "volume vid2", "volume funny_animals", "fade", "fade vid1", "mute", "duck A1", "modify", "modify vid2", "modify funny_animals", "project"} {
		for name, make := range map[string]func() *pdktest.Doc{"a film": full, "an empty one": bare} {
			doc := make()
			if _, rest, _ := strings.Cut(op, " "); name != "a film" && rest != "" {
				continue // there is no such clip
			}
			text := doc.Fail(op)
			_, op, ok := strings.Cut(strings.SplitN(text, "\ntry", 2)[0], "; for example: ")
			if ok {
				if got := doc.Do(op); strings.HasPrefix(got, "?") {
					t.Errorf("%s: %s is an example and says %q", name, op, got)
				}
				examples++
			}
		}
	}
	if examples < 14 {
		t.Errorf("there are %d examples", examples)
	}
}

func TestInvalidTimesSayWhy(t *testing.T) {
	for op, wants := range map[string][]string{
		"marker X at:-3s":                  {"at:-3s is before the film starts; end-3s counts from its end", "try: marker X at:end-3s"},
		"add clip vid1 at:00:01:32;12":     {"drop-frame timecode, which 30 frames a second do not have", "try: add clip vid1 at:00:01:32:12"},
		"add clip vid1 at:00:01:32:30":     {"has the frame 30, and at 30 frames a second they go from 0 to 29"},
		"add clip vid1 at:00:75:32:12":     {"more than 59 minutes or seconds"},
		"add clip vid1 at:01:75:32":        {"more than 59 minutes or seconds"},
		"add clip vid1 at:200h":            {"longer than a hundred hours"},
		"add clip vid1 at:999999999f":      {"longer than a hundred hours"},
		"add clip vid1 at:soon":            {"at:soon is not a time", "try: add clip vid1 at:end"},
		"overlay text Hi from:soon":        {"try: overlay text Hi from:0s"},
		"overlay text Hi dur:2sec":         {"dur:2sec is not a time: 10s, 1m32s", "try: overlay text Hi dur:2s"},
		"fade vid1 in:00:00:01;02":         {"drop-frame", "try: fade vid1 in:00:00:01:02"},
		"marker X at:1:2:3:4:5":            {"is not a time", "try: marker X at:end"},
		"overlay text Hi from:end:vid1-2m": {"end:vid1-2m is 1m10s before the film starts"},
	} {
		doc := cut(t)
		text := doc.Fail(op, wants...)
		if _, try, ok := strings.Cut(text, "\ntry: "); ok {
			doc.Do(strings.SplitN(try, "\n", 2)[0])
		}
	}
}
