package domain

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

func TestAreasAreBounded(t *testing.T) {
	out := &abi.QueryResponse{Pages: make([]string, abi.MaxPages+1), Areas: []abi.Area{
		{Name: "a\nb" + strings.Repeat("x", 1000), X: -5, Width: 1, IDs: make([]string, 100)},
		{Name: "far", X: maxArea + 1}, {Name: "inside out", Width: -1}, {Name: "high", Height: 1 << 40}}}
	cleanShown(out)
	if len(out.Pages) != abi.MaxPages || len(out.Areas) != 1 || len(out.Areas[0].Name) > 256 || strings.Contains(out.Areas[0].Name, "\n") || len(out.Areas[0].IDs) != maxIDs {
		t.Errorf("%d pages and %+v", len(out.Pages), out.Areas)
	}
	out = &abi.QueryResponse{Page: 2, Pages: []string{"one"}, Times: []abi.Moment{{At: 0, X: 5}, {At: 0, X: 6}, {At: 9, X: 4}, {At: 10, X: 5}},
		Notes:  []abi.Note{{Velocity: 1, Channel: 16}, {Velocity: 1}, {Velocity: 128, Channel: 1}, {Velocity: 1, Channel: 1, Key: 128}, {Velocity: 1, Channel: 1, At: -1}, {Velocity: 1, Channel: 1, Length: maxTime + 1}},
		Levels: []abi.Level{{At: 5, Channel: 1, Level: 127}, {At: 4, Channel: 1}, {At: 6}, {At: 6, Channel: 17}, {At: 6, Channel: 1, Level: 128}, {At: 6, Channel: 1, Level: -1}, {At: maxTime + 1, Channel: 1}}}
	cleanShown(out)
	if out.Page != 0 || len(out.Times) != 2 || len(out.Notes) != 1 || len(out.Levels) != 1 {
		t.Errorf("a picture's page %d, times %v and notes %v and levels %v", out.Page, out.Times, out.Notes, out.Levels)
	}
	for asks, fine := range map[string]bool{"preview format:svg": true, "": true, "other": false, `"`: false} {
		m := &abi.Manifest{Queries: []abi.Query{{Name: "preview"}}, View: &abi.View{Picture: asks}}
		if err := checkView(m); (err == nil) != fine {
			t.Errorf("a view that asks %q: %v", asks, err)
		}
	}
}
