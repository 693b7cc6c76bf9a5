package deck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/picture/draw"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

// Dimensions of the board in pixels.
const (
	columnWidth = 300.0
	gap         = 16.0
	padding     = 12.0
	maxCards    = 14 // in a column
)

// priorityColors are the colors of the bar at the left of a card.
var priorityColors = map[string]string{"critical": "#dc2626", "high": "#ea580c", "medium": "#2563eb", "low": "#94a3b8"}

// column is one column of the board.
type column struct {
	title string
	fill  string
	cards []*Card
}

// columns sorts cards into columns by status. The first to start come first, and of done cards the latest.
func (w *Workspace) columns(cards []*Card) []column {
	out := []column{{title: "todo", fill: "#f1f5f9"}, {title: "active", fill: "#e0ecff"}, {title: "done", fill: "#e3f6e9"}}
	archived, other := column{title: "archived", fill: "#ececec"}, column{title: "other", fill: "#fdf6d8"}
	for _, k := range cards {
		switch {
		case k.Card == nil || !slices.Contains(card.Statuses, k.Status):
			other.cards = append(other.cards, k)
		case k.Status == "archived":
			archived.cards = append(archived.cards, k)
		default:
			i := slices.IndexFunc(out, func(c column) bool { return c.title == k.Status })
			out[i].cards = append(out[i].cards, k)
		}
	}
	slices.SortStableFunc(out[0].cards, func(a, b *Card) int {
		return cmp.Or(cmp.Compare(min(1, len(w.unfinishedDeps(a))), min(1, len(w.unfinishedDeps(b)))), byUrgency(a, b))
	})
	slices.SortStableFunc(out[1].cards, byUrgency)
	slices.SortStableFunc(out[2].cards, func(a, b *Card) int { return cmp.Compare(b.Updated, a.Updated) })
	for _, more := range []column{archived, other} {
		if len(more.cards) > 0 {
			out = append(out, more)
		}
	}
	return out
}

// board draws cards as SVG, and returns their areas.
func (w *Workspace) board(cards []*Card) (text string, areas []abi.Area) {
	var b strings.Builder
	columns := w.columns(cards)
	bottom := 0.0
	for i, col := range columns {
		x := gap + float64(i)*(columnWidth+gap)
		var inner strings.Builder
		y := 62.0
		for _, k := range col.cards[:min(len(col.cards), maxCards)] {
			at := geom.Rect{X: x + 10, Y: y, W: columnWidth - 20}
			at.H = w.drawCard(&inner, k, at)
			areas = append(areas, pdk.Area(pdk.Quote(k.ID), at.X, at.Y, at.W, at.H, k.ID))
			y += at.H + 10
		}
		if more := len(col.cards) - maxCards; more > 0 {
			draw.Font{Size: 13, Anchor: "middle", Fill: "#475569"}.Text(&inner, x+columnWidth/2, y+14, fmt.Sprintf("and %d more", more))
			y += 26
		}
		y = max(y, 110)
		draw.Rect(&b, geom.Rect{X: x, Y: gap, W: columnWidth, H: y - gap}, `rx="10" fill="`+col.fill+`"`)
		draw.Font{Size: 17, Fill: "#0f172a", Bold: true}.Text(&b, x+14, 44, col.title)
		draw.Font{Size: 15, Anchor: "end", Fill: "#475569"}.Text(&b, x+columnWidth-14, 44, fmt.Sprint(len(col.cards)))
		b.WriteString(inner.String())
		bottom = max(bottom, y)
	}
	return draw.Page(geom.Rect{W: gap + float64(len(columns))*(columnWidth+gap), H: bottom + gap}, "#ffffff", b.String()), areas
}

// drawCard draws a card at the top of a place and returns its height.
func (w *Workspace) drawCard(b *strings.Builder, k *Card, r geom.Rect) float64 {
	strong, small := draw.Font{Size: 14, Fill: "#0f172a", Bold: true}, draw.Font{Size: 12, Fill: "#475569"}
	left, right := r.X+padding, r.Right()-padding
	if k.Card == nil {
		r.H = 52
		draw.Rect(b, r, `rx="6" fill="#fff1f1" stroke="#dc2626" stroke-dasharray="4 3"`)
		strong.Text(b, left, r.Y+21, strong.Fit(k.ID, right-left))
		small.Fill = "#b91c1c"
		small.Text(b, left, r.Y+40, small.Fit("broken: "+k.Broken.Error(), right-left))
		return r.H
	}
	left += 6
	waits := w.unfinishedDeps(k)
	blocked := k.open() && len(waits) > 0
	var facts []string
	if k.Assignee != "" {
		facts = append(facts, k.Assignee)
	}
	for _, t := range k.Tags {
		facts = append(facts, "#"+t)
	}
	unticked, all := w.progress(k)
	var inner strings.Builder
	at := r.Y + 20
	draw.Font{Size: 12, Fill: "#64748b"}.Text(&inner, left, at, k.ID)
	draw.Font{Size: 12, Anchor: "end", Fill: cmp.Or(priorityColors[k.Priority], "#64748b"), Bold: true}.Text(&inner, right, at, k.Priority)
	title := strong.Wrap(strings.Join(strings.Fields(k.Title), " "), right-left)
	if len(title) > 2 {
		title = []string{title[0], strong.Fit(strings.Join(title[1:], " "), right-left)}
	}
	for _, l := range title {
		at += 18
		strong.Text(&inner, left, at, l)
	}
	if len(facts) > 0 {
		at += 18
		small.Text(&inner, left, at, small.Fit(strings.Join(facts, "  "), right-left))
	}
	stroke, shade := "#cbd5e1", "#ffffff"
	if blocked {
		at += 18
		stroke, shade = "#f59e0b", "#fffbeb"
		wait := draw.Font{Size: 12, Fill: "#b45309", Bold: true}
		wait.Text(&inner, left, at, wait.Fit("waits for "+strings.Join(waits, " "), right-left))
	}
	if all > 0 {
		at += 18
		done, bar := all-len(unticked), geom.Rect{X: left, Y: at - 8, W: right - left - 44, H: 6}
		draw.Rect(&inner, bar, `rx="3" fill="#e2e8f0"`)
		bar.W *= float64(done) / float64(all)
		draw.Rect(&inner, bar, `rx="3" fill="#16a34a"`)
		small.Anchor = "end"
		small.Text(&inner, right, at-1, fmt.Sprintf("%d/%d", done, all))
	}
	r.H = at + 16 - r.Y
	draw.Rect(b, r, fmt.Sprintf(`rx="6" fill="%s" stroke="%s"`, shade, stroke))
	draw.Rect(b, geom.Rect{X: r.X + 4, Y: r.Y + 6, W: 5, H: r.H - 12}, `rx="2" fill="`+cmp.Or(priorityColors[k.Priority], "#cbd5e1")+`"`)
	b.WriteString(inner.String())
	return r.H
}

func boardQuery(name string) query {
	summary := "the board as a picture: cards by status, those that wait for others marked"
	if name == "preview" {
		summary = "the same as board"
	}
	return query{Query: abi.Query{Name: name, Syntax: name + " [SEL] [width:N]", Summary: summary, Takes: &abi.Takes{Select: true, Params: filters(abi.Param{Key: "width", Value: "PIXELS"}, abi.Param{Key: "format"})}}, Run: func(v *view, a pdk.Args) (abi.QueryResponse, error) {
		cards, err := selectedCards(v, a)
		if err != nil {
			return abi.QueryResponse{}, err
		}
		d := draw.Drawing{}
		d.SVG, d.Areas = v.Model.board(cards)
		var said []string
		for _, c := range v.Model.columns(cards) {
			said = append(said, fmt.Sprintf("%s %d", c.title, len(c.cards)))
		}
		d.Text = "board: " + strings.Join(said, ", ")
		return d.Answer(a)
	}}
}

func formats() []pdk.Format[*Workspace] {
	return draw.Formats("the board", func(w *Workspace) string {
		text, _ := w.board(w.Cards())
		return text
	})
}
