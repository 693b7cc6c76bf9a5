package flow

import "testing"

func TestTheViewShowsTheAreasOfNodes(t *testing.T) {
	doc := chat(t)
	doc.Do("modify memory at:600,50")
	if got, want := doc.Areas(), "model 0,0 300x600 | chain 380,0 300x500 | memory 600,50 300x330; changed: memory"; got != want {
		t.Errorf("areas are\n%s, want\n%s", got, want)
	}
}
