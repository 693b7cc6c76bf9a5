package arranger

import (
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
)

func Dirs() []string { return []string{"TB", "LR", "BT", "RL"} }

// Points prints a score's total.
func Points(s arrange.Score) string { return strconv.Itoa((s.Total + 500) / 1000) }

// Outer are the cells that lie in none of the others.
func Outer(cells []*cell) []*cell {
	out, err := placement.Movable(cells)
	if err != nil {
		return nil
	}
	return out
}

// RefuseSequence is why nothing moves on a page that shows a sequence.
func RefuseSequence() error {
	return pdk.Unchanged("the page shows a sequence, which lies in the order of time: there is nothing to lay out")
}

// IsUnlocked reports whether c's layer may be changed.
func IsUnlocked(c *cell) bool {
	l := c.Layer()
	return l == nil || !l.Locked
}

// Subtree is cells with all that lies in them, in the order of the file.
func Subtree(cells []*cell) []*cell {
	p := cells[0].Page
	seen := map[*cell]bool{}
	var out []*cell
	queue := append([]*cell(nil), cells...)
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		if seen[x] {
			continue
		}
		seen[x] = true
		out = append(out, x)
		if x.ID != "" {
			queue = append(queue, p.Children(x.ID)...)
		}
	}
	p.Sort(out)
	return out
}

// IsSmall reports whether edges of a page are led anew by ops that make them
// stale.
func IsSmall(page *mxfile.Page) bool {
	t := model.Count(page)
	return t.Shapes+t.Groups+t.Edges <= MaxRerouted
}

// mindMapOptions are a mind map's own: its topics stand closer than other shapes.
func mindMapOptions(o layout.Options) layout.Options {
	if o.Spacing <= 0 {
		o.Spacing = 44
	}
	return o
}
