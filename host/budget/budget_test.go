package budget

import (
	"errors"
	"testing"
)

func TestNoOwnerTakesMoreThanItsShare(t *testing.T) {
	b := New(100)
	for _, step := range []struct {
		n      int64
		owners []string
		over   string // whose share is used up, "all" for the whole, "" for taken
		taken  int64
	}{
		{50, []string{"a"}, "", 50},
		{1, []string{"a"}, "a", 50},
		{25, []string{"b", "me"}, "", 75},
		{1, []string{"b", "me"}, "me", 75},
		{25, []string{"b", "you"}, "", 100},
		{1, []string{"c"}, "all", 100},
		{-10, []string{"a"}, "", 90},
		{10, []string{"c"}, "", 100},
		{0, []string{"a"}, "", 100},
		{-40, []string{"a"}, "", 60},
		{40, []string{"a"}, "", 100},
	} {
		err := b.Take(step.n, step.owners...)
		over := new(OverError)
		switch {
		case step.over == "" && err != nil,
			step.over != "" && !errors.As(err, &over),
			step.over == "all" && over.Owner != "",
			step.over != "" && step.over != "all" && over.Owner != step.over:
			t.Errorf("%+v: %v", step, err)
		}
		if taken, most := b.Use(); taken != step.taken || most != 100 {
			t.Errorf("%+v: %d of %d are taken", step, taken, most)
		}
	}
	b.Settle(7, "a")
	if taken, _ := b.Use(); taken != 107 {
		t.Errorf("%d are taken", taken)
	}
	var none *Budget
	if none.Take(1<<60, "a") != nil {
		t.Error("no budget bounds something")
	}
	none.Settle(1, "a")
}
