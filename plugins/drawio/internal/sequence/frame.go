package sequence

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// frame is a frame around the steps from its Open to its Close.
type frame struct {
	first, last int
	sections    []int
	left, right float64
}

// tab returns the width of a frame's tab, and the guard beside it.
func tab(open chart.Step) (wide float64, guard string) {
	if open.Text != "" {
		guard = "[" + open.Text + "]"
	}
	return math.Max(44, math.Ceil(model.LabelWidth(open.Frame))+20), guard
}

// guardWidth returns the width of the guard of a frame or a section.
func guardWidth(guard string) float64 { return math.Ceil(model.LabelWidth(guard)) + 12 }

// besideBars returns the x coordinate of a guard of the given width: x, or to the right of
// the first lifeline that the guard would cover.
func besideBars(mids []float64, x, wide float64) float64 {
	const bar, near = 8, 80
	for _, mid := range mids {
		if x < mid+bar && x+wide > mid-bar && mid-x < near {
			return mid + bar
		}
	}
	return x
}

// measure sets the width of frame k, which surrounds its steps and the frames in it. The
// tab is to the left of the first lifeline.
func (l *Drawing) measure(k int) {
	f := &l.frames[k]
	first, last := len(l.mid)-1, 0
	left, right := math.Inf(1), math.Inf(-1)
	for i := f.first + 1; i < f.last; i++ {
		s := l.S.Steps[i]
		switch s.Kind {
		case chart.Message:
			first, last = min(first, s.From, s.To), max(last, s.From, s.To)
			if s.From == s.To {
				right = math.Max(right, l.mid[s.From]+selfWide+model.LabelWidth(s.Text)+20)
			}
		case chart.Note:
			r := l.noteBox(i, s)
			left, right = math.Min(left, r.X-10), math.Max(right, r.Right()+10)
			first, last = min(first, s.From), max(last, s.To)
		}
	}
	if first > last {
		first, last = 0, len(l.mid)-1
	}
	wide, guard := tab(l.S.Steps[f.first])
	left, right = math.Min(left, l.mid[first]-wide-12), math.Max(right, l.mid[last]+30)
	for _, in := range l.frames[k+1:] {
		if in.last < f.last {
			left, right = math.Min(left, in.left-12), math.Max(right, in.right+12)
		}
	}
	f.left, f.right = left, math.Max(right, besideBars(l.mid, left+wide+4, guardWidth(guard))+guardWidth(guard)+8)
}

// frame draws a frame around its steps.
func (l *Drawing) frame(f frame) {
	open := l.S.Steps[f.first]
	wide, guard := tab(open)
	left, right := f.left, f.right
	top, bottom := l.y[f.first], l.y[f.last]
	look := framedStyle.Set("width", mxfile.Num(wide)).Set("height", mxfile.Num(frameHead))
	if open.Frame == "rect" {
		look, open.Frame = bandStyle.Set("fillColor", "none"), ""
	}
	l.cell(look, open.Frame, l.Layer, geom.Rect{X: left, Y: top, W: right - left, H: bottom - top})
	if guard != "" {
		l.cell(guardStyle, guard, l.Layer, geom.Rect{X: besideBars(l.mid, left+wide+4, guardWidth(guard)), Y: top, W: guardWidth(guard), H: frameHead})
	}
	for _, i := range f.sections {
		l.cell(dividerStyle, "", l.Layer, geom.Rect{X: left, Y: l.y[i] - 5, W: right - left, H: 10})
		if text := l.S.Steps[i].Text; text != "" {
			text, w := "["+text+"]", math.Ceil(model.LabelWidth(text))+22
			l.cell(guardStyle, text, l.Layer, geom.Rect{X: besideBars(l.mid, left+4, w), Y: l.y[i] + 1, W: w, H: frameHead})
		}
	}
}
