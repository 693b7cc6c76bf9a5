package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestCopiesOfTracksComeLast(t *testing.T) {
	doc := pdktest.New(t, domain(), `"Hands"`)
	doc.Do("track add One", "track add Two", "note One C5 at:1.1", "note Two C3 at:1.1")
	if got, want := doc.Do("track duplicate 1 RH", "track duplicate 2 LH"),
		"+ Track RH, a copy of One ch:3 with 1 note, number 3\n+ Track LH, a copy of Two ch:4 with 1 note, number 4"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if rh, lh := notesByStart(t, doc, 3), notesByStart(t, doc, 4); !slices.Equal(rh, []string{"0+480: 72"}) || !slices.Equal(lh, []string{"0+480: 48"}) {
		t.Errorf("the copies play %v and %v", rh, lh)
	}
}

func TestOpsThatRenumberTracksSayHow(t *testing.T) {
	for op, want := range map[string]string{
		"track remove 2":        "? tracks 3 to 4 are now 2 to 3",
		"track remove 3":        "? track 4 is now 3",
		"track remove 4":        "",
		"track merge 1 3":       "? tracks 2 to 4 are now 1 to 3",
		"track move 1 to:3":     "? tracks 2 to 3 are now 1 to 2",
		"track move 4 to:1":     "? tracks 1 to 3 are now 2 to 4",
		"track duplicate 2":     "",
		"track add Five":        "",
		"remove track 1":        "? tracks 2 to 4 are now 1 to 3",
		"track rename 1 Guitar": "",
	} {
		doc := band(t, "track add Flute ch:1")
		_, got, _ := strings.Cut(doc.Do(op), "\n")
		if lines := strings.Split(got, "\n"); lines[len(lines)-1] != want {
			t.Errorf("%s says %q, want %q", op, got, want)
		}
	}
}
