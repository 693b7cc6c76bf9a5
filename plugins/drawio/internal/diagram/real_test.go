package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// large is the size in bytes from which a file is used in one test only: it takes as long as all others together.
const large = 100_000

func TestRealFilesAreLaidOutWithoutOverlapsAndUndone(t *testing.T) {
	for name, data := range samples(t) {
		d := openDoc(t, data)
		ops := []string{"layout", "layout dir:LR", "layout algo:grid"}
		if len(data) > large {
			ops = ops[:1]
		}
		for _, op := range ops {
			inside := map[[2]*cell]bool{}
			eachPair(d.in.Model().Current, func(c, o *cell) bool {
				inside[[2]*cell{c, o}] = o.Geo.Contains(c.Geo) || c.Geo.Contains(o.Geo)
				return true
			})
			if r := d.try(op); r.Error != nil {
				t.Errorf("%s: %s: %s", name, op, r.Error.Message)
				continue
			} else if r.Kind == abi.Unchanged { // a page that is one shape
				continue
			}
			eachPair(d.in.Model().Current, func(c, o *cell) bool {
				switch {
				case inside[[2]*cell{c, o}]: // a frame that is not its parent, or a card
					if !o.Geo.Grow(1).Contains(c.Geo) && !c.Geo.Grow(1).Contains(o.Geo) && c.Geo.Grow(-1).Overlaps(o.Geo.Grow(-1)) {
						t.Errorf("%s: %s: %s %v lay in %s %v, or around it", name, op, model.Short(c), c.Geo, model.Short(o), o.Geo)
						return false
					}
				case c.Geo.Grow(-1).Overlaps(o.Geo.Grow(-1)):
					t.Errorf("%s: %s: %s %v and %s %v overlap", name, op, model.Short(c), c.Geo, model.Short(o), o.Geo)
					return false
				}
				return true
			})
			d.undo()
			if d.bytes() != string(data) {
				t.Errorf("%s: %s is not undone", name, op)
			}
		}
	}
}

// eachPair yields the pairs of shapes with edges that overlap in one container.
func eachPair(p *mxfile.Page, yield func(c, o *cell) bool) {
	for c := p.First(); c != nil; c = c.Next() {
		if !c.Shape() || c.Relative || model.IsPart(c) || !arranger.IsUnlocked(c) {
			continue
		}
		id := ""
		if o := c.Owner(); o != nil {
			id = o.ID
		}
		p.Space(id).Each(c.Geo, func(o *cell, _ geom.Rect) bool {
			return o == c || model.IsPart(o) || !arranger.IsUnlocked(o) || c.Degree() == 0 || o.Degree() == 0 || yield(c, o)
		})
	}
}

func TestRealFilesAnswerEveryQuery(t *testing.T) {
	for name, data := range samples(t) {
		d := openDoc(t, data)
		for _, q := range []string{"map", "list", "list @edges", "describe *", "connections *", "stats", "pages", "find a"} {
			if got := d.query(q); strings.Contains(got, "%!s(") || strings.Contains(got, "%!d(") || strings.Contains(got, "MISSING") {
				t.Errorf("%s: %s prints %s", name, q, got)
			}
		}
		if d.bytes() != string(data) {
			t.Errorf("%s: a query changed it", name)
		}
	}
}

// The pages are drawn by hand and have edges from which a layout can be derived.
func TestLayoutsScoreBetterThanWhatWasDrawnByHand(t *testing.T) {
	better, all := 0, 0
	for name, data := range samples(t) {
		if len(data) > large {
			continue
		}
		d := openDoc(t, data)
		page := d.in.Model().Current
		before, ok := arranger.Score(page)
		if !ok || model.Count(page).Edges < 6 {
			continue
		}
		least := -1
		for _, op := range []string{"layout dir:LR", "layout dir:TB"} {
			if r := d.try(op); r.Error != nil || len(r.Events) == 0 {
				continue
			}
			if s, _ := arranger.Score(page); least < 0 || s.Total < least {
				least = s.Total
			}
			d.undo()
		}
		if least < 0 {
			continue
		}
		all++
		if least < before.Total {
			better++
		}
		t.Logf("%-55s %6d by hand, %6d laid out", name, before.Total/1000, least/1000)
	}
	if better*10 < all*7 {
		t.Errorf("%d of %d pages are better than by hand", better, all)
	}
}
