package importer

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// Sizes of a Gantt chart, in units.
const (
	ganttRow   = 34
	ganttWidth = 900 // of the time that it spans
)

// drawPlan drafts a Gantt chart: one row for each task, below a time axis, with a band for
// each section.
func drawPlan(d *mxfile.Draft, page *mxfile.Page, layer string, c *chart.Chart, at geom.Point) (ids []string) {
	cell := func(s style.Style, label string, r geom.Rect, data ...[2]string) {
		id := d.NewID()
		text := mxfile.NewVertex(id, mxfile.LabelValue(label, true), s, layer, r)
		for _, kv := range data {
			text = text.WithData(kv[0], kv[1])
		}
		d.Append(page, id, text)
		ids = append(ids, model.EventID(page.Key, id))
	}
	if c.Title != "" {
		cell(model.CaptionStyle, c.Title, geom.Rect{X: at.X, Y: at.Y, W: math.Ceil(model.LabelWidth(c.Title)*1.6) + 20, H: 30})
		at.Y += 40
	}
	tasks := c.Plan.Tasks
	from, to := c.Plan.Span()
	side := 0.0
	for _, t := range tasks {
		if t.Section != "" {
			side = math.Max(side, math.Ceil((model.LabelWidth(t.Section)*1.1+30)/10)*10)
		}
	}
	left, top := at.X+side, at.Y+30
	height := ganttRow * float64(len(tasks))
	unit := 0.0
	if span := to.Sub(from).Seconds(); span > 0 {
		unit = ganttWidth / span
	}
	for i := 0; i < len(tasks); {
		j := i
		for j < len(tasks) && tasks[j].Section == tasks[i].Section {
			j++
		}
		band := style.Style("rounded=0;whiteSpace=wrap;html=1;align=left;spacingLeft=10;fontStyle=1;fillColor=#ffffff;strokeColor=#d6d6d6;pointerEvents=0;")
		if i/2%2 == 0 {
			band = band.Set("fillColor", "#f5f5f5")
		}
		y := top + ganttRow*float64(i)
		cell(band.Set("spacingRight", mxfile.Num(ganttWidth)), tasks[i].Section, geom.Rect{X: at.X, Y: y, W: side + ganttWidth, H: ganttRow * float64(j-i)})
		i = j
	}
	days, names := c.Plan.Ticks(12)
	for i, t := range days {
		x := math.Round(left + t.Sub(from).Seconds()*unit)
		cell("line;direction=south;strokeWidth=1;strokeColor=#d6d6d6;html=1;pointerEvents=0;", "", geom.Rect{X: x - 5, Y: top, W: 10, H: height})
		cell("text;html=1;align=center;verticalAlign=middle;strokeColor=none;fillColor=none;fontColor=#666666;", names[i], geom.Rect{X: x - 30, Y: at.Y, W: 60, H: 28})
	}
	for i, t := range tasks {
		x := math.Round(left + t.Start.Sub(from).Seconds()*unit)
		w := math.Max(8, math.Round(t.End.Sub(t.Start).Seconds()*unit))
		y := top + ganttRow*float64(i)
		look := style.Style("rounded=1;arcSize=12;whiteSpace=wrap;html=1;")
		r := geom.Rect{X: x, Y: y + 5, W: w, H: ganttRow - 10}
		beside := model.LabelWidth(t.Label)+8 > w
		if t.Moment {
			look, beside = "rhombus;whiteSpace=wrap;html=1;", true
			r = geom.Rect{X: x - 11, Y: y + 6, W: 22, H: 22}
		}
		if beside {
			look = look.Set("labelPosition", "right").Set("verticalLabelPosition", "middle").Set("align", "left").Set("verticalAlign", "middle").Set("spacingLeft", "4").Set("whiteSpace", "nowrap")
			if r.Right()+model.LabelWidth(t.Label)+10 > left+ganttWidth {
				look = look.Set("labelPosition", "left").Set("align", "right").Set("spacingRight", "4")
			}
		}
		if look = themeOf(t).Paint(look); t.Done {
			look = look.Set("fillColor", "#d9d9d9").Set("strokeColor", "#999999")
		}
		cell(look, t.Label, r, dates(t)...)
	}
	return ids
}

// themeOf returns the theme that shows the state of a task: critical, done, active or none
// of these.
func themeOf(t chart.Task) style.Theme {
	theme := "blue"
	switch {
	case t.Critical:
		theme = "red"
	case t.Done:
		theme = "gray"
	case t.Active:
		theme = "green"
	}
	named, _ := style.ThemeNamed(theme)
	return named
}

// dates returns the properties of a task, which draw.io shows under Edit Data. export reads
// plans from them.
func dates(t chart.Task) [][2]string {
	out := [][2]string{{"start", chart.Date(t.Start)}, {"end", chart.Date(t.End)}}
	if t.Section != "" {
		out = append(out, [2]string{"section", t.Section})
	}
	if tags := t.Tags(); len(tags) > 0 {
		out = append(out, [2]string{"state", strings.Join(tags, " ")})
	}
	return out
}

// PlanOn returns the plan that a page shows: the shapes that have a start and an end, from
// the top down. It returns nil if there are none.
func PlanOn(page *mxfile.Page) *chart.Plan {
	var tasks []*cell
	for x := page.First(); x != nil; x = x.Next() {
		if _, ok := x.DataValue("start"); ok && x.Shape() {
			if _, ok := x.DataValue("end"); ok {
				tasks = append(tasks, x)
			}
		}
	}
	slices.SortStableFunc(tasks, func(a, b *cell) int { return cmp.Compare(a.Abs().Y, b.Abs().Y) })
	p := &chart.Plan{}
	for _, x := range tasks {
		value := func(key string) string { v, _ := x.DataValue(key); return v }
		t, ok := chart.Dated(value("start"), value("end"))
		if !ok {
			return nil
		}
		t.Label, t.Section = values.OneLine(x.Label()), value("section")
		t.Tag(strings.Fields(value("state"))...)
		p.Tasks = append(p.Tasks, t)
	}
	if len(p.Tasks) == 0 {
		return nil
	}
	return p
}
