package deck

import (
	"strings"
	"testing"
)

func TestTheViewShowsTheAreasOfCards(t *testing.T) {
	doc := workspace(t)
	doc.Do("modify cccccc status:active")
	got := doc.Areas()
	for _, want := range []string{"aaaaaa 658,62 280x", "cccccc 342,", "bbbbbb 342,", "; changed: cccccc"} {
		if !strings.Contains(got, want) {
			t.Errorf("areas are %s, without %s", got, want)
		}
	}
}
