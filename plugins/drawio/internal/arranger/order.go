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

// Dirs lists the values of dir: for a layout, in the order of layout.Dir.
func Dirs() []string { return []string{"TB", "LR", "BT", "RL"} }

// Points prints the total of a score.
func Points(s arrange.Score) string { return strconv.Itoa((s.Total + 500) / 1000) }

// Outer returns the cells that lie in none of the others.
func Outer(cells []*cell) []*cell {
	out, err := placement.Movable(cells)
	if err != nil {
		return nil
	}
	return out
}

// RefuseSequence returns the error for a layout of a page that shows a sequence: nothing
// moves.
func RefuseSequence() error {
	return pdk.Unchanged("the page shows a sequence, which is in the order of time: there is nothing to lay out")
}

// IsUnlocked reports whether the layer of c may be changed.
func IsUnlocked(c *cell) bool {
	l := c.Layer()
	return l == nil || !l.Locked
}

// Subtree returns cells with all that lies in them, in the order of the file.
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

// IsSmall reports whether a page is small enough for ops to route its stale edges again.
func IsSmall(page *mxfile.Page) bool {
	t := model.Count(page)
	return t.Shapes+t.Groups+t.Edges <= MaxRerouted
}

// mindMapOptions returns the spacing of a mind map: its topics are closer together than
// other shapes.
func mindMapOptions(o layout.Options) layout.Options {
	if o.Spacing <= 0 {
		o.Spacing = 44
	}
	return o
}
