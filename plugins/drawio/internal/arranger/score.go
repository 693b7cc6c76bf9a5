package arranger

import (
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// MaxScored is up to how many shapes and edges, together, a page's drawing is
// scored: each is held against each other.
const MaxScored = 1500

// Score says how a page looks in the direction that suits it better, and whether
// it was looked at.
func Score(page *mxfile.Page) (arrange.Score, bool) {
	set := Outermost(page)
	if len(set) == 0 || ShowsSequence(page) || model.Count(page).Shapes+model.Count(page).Edges > MaxScored {
		return arrange.Score{}, false
	}
	w := drawn(page)
	r, dirs := w.asDrawn(page)
	across, down := arrange.Judge(&w.g, &r, dirs[0]), arrange.Judge(&w.g, &r, dirs[1])
	if down.Total < across.Total {
		return down, true
	}
	return across, true
}

// GraphOf reads the shapes and edges of a page that a layout may move.
func GraphOf(page *mxfile.Page) arrange.Graph { return drawn(page).g }

// drawn is a page as it is drawn, with all that may be moved.
func drawn(page *mxfile.Page) *drawing {
	l := &arranger{Order: Order{Algo: "layered"}}
	l.gather(Outermost(page))
	return l.drawing(nil)
}

// ShowsSequence reports whether a page shows a sequence: where its shapes and messages lie
// says when they happen, so that it is neither laid out nor scored.
func ShowsSequence(page *mxfile.Page) bool {
	for x := page.First(); x != nil; x = x.Next() {
		if model.IsLifeline(x) {
			return true
		}
	}
	return false
}

// Outermost are the shapes of a page that lie in no other and may be moved.
func Outermost(page *mxfile.Page) []*cell {
	var all []*cell
	for x := page.First(); x != nil; x = x.Next() {
		if x.Shape() && x.Owner() == nil && !x.Relative && IsUnlocked(x) {
			all = append(all, x)
		}
	}
	return all
}
