package arranger

import (
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// MaxScored is the greatest number of shapes and edges, together, of a page that is scored.
// The score compares each pair.
const MaxScored = 1500

// Score rates the drawing of a page in the direction that suits it better. ok is false if
// the page is not rated: it is empty, too large or a sequence.
func Score(page *mxfile.Page) (arrange.Score, bool) {
	set := Outermost(page)
	if len(set) == 0 || ShowsSequence(page) || model.Count(page).Shapes+model.Count(page).Edges > MaxScored {
		return arrange.Score{}, false
	}
	w := drawingOf(page)
	r, dirs := w.asDrawn(page)
	across, down := arrange.Judge(&w.g, &r, dirs[0]), arrange.Judge(&w.g, &r, dirs[1])
	if down.Total < across.Total {
		return down, true
	}
	return across, true
}

// GraphOf returns the shapes and edges of a page that a layout may move.
func GraphOf(page *mxfile.Page) arrange.Graph { return drawingOf(page).g }

// drawingOf returns a page as it is drawn, with everything that a layout may move.
func drawingOf(page *mxfile.Page) *drawing {
	l := &arranger{Order: Order{Algo: "layered"}}
	l.gather(Outermost(page))
	return l.drawing(nil)
}

// ShowsSequence reports whether a page shows a sequence. The places of its shapes and
// messages say when they happen, so such a page is neither laid out nor scored.
func ShowsSequence(page *mxfile.Page) bool {
	for x := page.First(); x != nil; x = x.Next() {
		if model.IsLifeline(x) {
			return true
		}
	}
	return false
}

// Outermost returns the shapes of a page that lie in no other shape and may be moved.
func Outermost(page *mxfile.Page) []*cell {
	return page.Where(func(x *cell) bool { return x.Shape() && x.Owner() == nil && !x.Relative && IsUnlocked(x) })
}
