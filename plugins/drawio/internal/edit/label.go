package edit

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// WarnTight warns of shapes whose label does not fit, and of edges whose label has no room between their ends.
func WarnTight(c *ctx, cells ...*cell) {
	for i, x := range cells {
		if i == model.MostExamples {
			return
		}
		if x.Edge {
			warnNarrow(c, x)
		}
		// Skip short labels cheaply; a letter is at most about 8 units wide.
		if !x.Shape() || float64(8*len(x.Label())) < x.Geo.W-16 && x.Geo.H >= 20 {
			continue
		}
		if w, h := svg.Overflow(x); w > 4 || h > 6 {
			or := ""
			if text := breakLines(x, x.Label()); text != "" {
				or = ", or lines: " + values.Quoted(text)
			}
			c.Warn("the label of %s needs more room than %sx%s; about %sx%s is enough%s", model.Short(x), mxfile.Num(x.Geo.W), mxfile.Num(x.Geo.H),
				mxfile.Num(math.Ceil((x.Geo.W+w)/10)*10), mxfile.Num(math.Ceil((x.Geo.H+h)/10)*10), or)
		}
	}
}

// warnNarrow warns of an edge between shapes side by side whose label is longer than the gap.
func warnNarrow(c *ctx, e *cell) {
	from, to := model.Ends(e)
	if from == nil || to == nil || e.Value == "" || len(e.Route().Points) > 0 || model.IsMessage(e) {
		return
	}
	a, b := from.Abs(), to.Abs()
	dx, dy := math.Max(b.X-a.Right(), a.X-b.Right()), math.Max(b.Y-a.Bottom(), a.Y-b.Bottom())
	w, h := svg.LabelSize(e)
	need, gap, by := w, dx, geom.Point{X: math.Ceil((w-dx)/10)*10 + 10}
	if dy >= 0 {
		need, gap, by = h, dy, geom.Point{Y: math.Ceil((h-dy)/10)*10 + 10}
	}
	if dx >= 0 == (dy >= 0) || need <= gap+4 {
		return
	}
	if b.X < a.X && dx >= 0 || b.Y < a.Y && dy >= 0 {
		by.X, by.Y = -by.X, -by.Y
	}
	c.Warn("the label of %s covers %s and %s: it takes %.0f, and the gap is %s; for room: move %s by:%s,%s", model.ArrowText(e), model.EndName(from), model.EndName(to),
		math.Ceil(need), mxfile.Num(gap), model.Reference(to), mxfile.Num(by.X), mxfile.Num(by.Y))
}

// Relabel drafts a new label. If a label cell holds the text of an edge, that cell changes. It reports whether formats of parts of the
// old text are gone.
func Relabel(d *mxfile.Draft, x *cell, text string) bool {
	if k := model.LabelCell(x); x.Edge && k != nil {
		x = k
	}
	if x.Name() == text {
		return false
	}
	_, data := ownLabel(x)
	_, lost := x.Reworded(text)
	d.Change(x, func(t mxfile.Text) mxfile.Text { return WithLabel(t, x, text) })
	return lost && !data
}

// WithLabel returns the text of x with another label, in the format that the whole label had. If the label shows a custom property
// that names x, only the property changes.
func WithLabel(t mxfile.Text, x *cell, label string) mxfile.Text {
	if name, ok := ownLabel(x); ok {
		return t.WithData(name, label)
	}
	value, _ := x.Reworded(label)
	return t.WithValue(value)
}

// ownLabel returns the name of the custom property that is the label of x, if there is one.
func ownLabel(x *cell) (string, bool) {
	shown := x.Shown()
	if len(shown) == 0 {
		return "", false
	}
	v, _ := x.DataValue(shown[0])
	return shown[0], v == x.Name()
}

// Broken returns a text with line ends where a shape does not wrap its label, the text is too wide for it, and another shape of its type
// on the page has such a label, which it returns, too.
func Broken(x *cell, text string) (string, *cell) {
	lines := breakLines(x, text)
	if lines == "" {
		return text, nil
	}
	for y := x.Page.First(); y != nil; y = y.Next() {
		if y != x && y.Shape() && y.Kind() == x.Kind() && strings.Contains(y.Label(), "\n") && !y.Style.Is("whiteSpace", "wrap") {
			return lines, y
		}
	}
	return text, nil
}

// breakLines breaks a text that is too wide for the one line that a shape has for it. It returns "" for other texts, and for those that
// would not fit.
func breakLines(x *cell, text string) string {
	_, beside := x.Style.Get("labelPosition")
	_, below := x.Style.Get("verticalLabelPosition")
	if !x.Shape() || beside || below || x.Style.Is("whiteSpace", "wrap") || strings.Contains(text, "\n") || model.InCompound(x) || model.TextWidth(text) <= x.Geo.W {
		return ""
	}
	var lines []string
	for _, word := range strings.Fields(text) {
		n := len(lines)
		if n > 0 && model.TextWidth(lines[n-1]+" "+word) <= x.Geo.W {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	for _, line := range lines {
		if model.TextWidth(line) > x.Geo.W {
			return ""
		}
	}
	if len(lines) < 2 || float64(len(lines))*model.LineHeight > x.Geo.H {
		return ""
	}
	return strings.Join(lines, "\n")
}

// EndTexts are the texts that an op gives to the ends of an edge, nil for an end that it does not mention.
type EndTexts struct{ Source, Target *string }

// ReadEndTexts reads source-label: and target-label:.
func ReadEndTexts(a pdk.Args) (t EndTexts) {
	if v, ok := a.Param(model.SourceLabel); ok {
		t.Source = &v
	}
	if v, ok := a.Param(model.TargetLabel); ok {
		t.Target = &v
	}
	return t
}

// Any reports whether the op gives a text.
func (t EndTexts) Any() bool { return t.Source != nil || t.Target != nil }

// For returns the texts for an edge that the op names.
func (t EndTexts) For(a pdk.Args, e *cell) EndTexts {
	if Reversed(a, e) {
		return EndTexts{t.Target, t.Source}
	}
	return t
}

// Reversed reports whether an op names an edge without a direction, A -- B or A <-> B, from its target to its source. The source of the
// op is A.
func Reversed(a pdk.Args, e *cell) bool {
	if !a.IsArrow(1) || a.Text(1) != "--" && a.Text(1) != "<->" {
		return false
	}
	first, _ := e.Page.Names().Find(a.Text(0), false)
	from, to := model.Ends(e)
	return from != to && to != nil && (slices.Contains(first, to) || model.WithID(e.Page, a.Text(0)) == to)
}

// DraftNew drafts the labels of a new edge.
func (t EndTexts) DraftNew(d *mxfile.Draft, page *mxfile.Page, edge string) {
	for _, target := range []bool{false, true} {
		if v := t.end(target); v != nil && *v != "" {
			id := d.NewID()
			d.Append(page, id, arranger.NewEndLabel(id, *v, edge, target))
		}
	}
}

// Draft drafts the labels of an edge: an existing one keeps its place and its look, and "" removes it. It reports whether formats of
// parts of an old text are gone.
func (t EndTexts) Draft(d *mxfile.Draft, e *cell) (lost bool) {
	labels := model.LabelsOf(e)
	for _, target := range []bool{false, true} {
		v, k := t.end(target), labels.End(target)
		switch {
		case v == nil:
		case k == nil && *v != "":
			id := d.NewID()
			d.Append(e.Page, id, arranger.NewEndLabel(id, *v, e.ID, target))
		case k != nil && *v == "":
			d.Remove(k)
		case k != nil:
			lost = Relabel(d, k, *v) || lost
		}
	}
	return lost
}

func (t EndTexts) end(target bool) *string {
	if target {
		return t.Target
	}
	return t.Source
}
