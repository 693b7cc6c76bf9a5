package deck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

// Dimensions of the board in pixels.
const (
	columnWidth = 300
	gap         = 16
	padding     = 12
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
	bottom := 0
	for i, col := range columns {
		x := gap + i*(columnWidth+gap)
		var inner strings.Builder
		y := 62
		for _, k := range col.cards[:min(len(col.cards), maxCards)] {
			high := w.drawCard(&inner, k, x+10, y, columnWidth-20)
			areas = append(areas, pdk.Area(pdk.Quote(k.ID), float64(x+10), float64(y), columnWidth-20, float64(high), k.ID))
			y += high + 10
		}
		if more := len(col.cards) - maxCards; more > 0 {
			drawText(&inner, x+columnWidth/2, y+14, font{13, "middle", "#475569", ""}, fmt.Sprintf("and %d more", more))
			y += 26
		}
		y = max(y, 110)
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="10" fill="%s"/>`, x, gap, columnWidth, y-gap, col.fill)
		drawText(&b, x+14, 44, font{17, "start", "#0f172a", "bold"}, col.title)
		drawText(&b, x+columnWidth-14, 44, font{15, "end", "#475569", ""}, fmt.Sprint(len(col.cards)))
		b.WriteString(inner.String())
		bottom = max(bottom, y)
	}
	width, height := gap+len(columns)*(columnWidth+gap), bottom+gap
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="Helvetica, Arial, sans-serif"><rect width="%d" height="%d" fill="#ffffff"/>`, width, height, width, height, width, height) + b.String() + "</svg>", areas
}

// drawCard draws a card and returns its height.
func (w *Workspace) drawCard(b *strings.Builder, k *Card, x, y, width int) int {
	if k.Card == nil {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="52" rx="6" fill="#fff1f1" stroke="#dc2626" stroke-dasharray="4 3"/>`, x, y, width)
		drawText(b, x+padding, y+21, font{14, "start", "#0f172a", "bold"}, truncate(k.ID, 14, true, width-2*padding))
		drawText(b, x+padding, y+40, font{12, "start", "#b91c1c", ""}, truncate("broken: "+k.Broken.Error(), 12, false, width-2*padding))
		return 52
	}
	room := width - 2*padding - 6
	title := wrapLines(k.Title, 14, true, room, 2)
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
	done := all - len(unticked)
	height := 30 + 18*len(title)
	for _, more := range []bool{len(facts) > 0, blocked, all > 0} {
		if more {
			height += 18
		}
	}
	height += 6
	stroke, shade := "#cbd5e1", "#ffffff"
	if blocked {
		stroke, shade = "#f59e0b", "#fffbeb"
	}
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="%s" stroke="%s"/>`, x, y, width, height, shade, stroke)
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="5" height="%d" rx="2" fill="%s"/>`, x+4, y+6, height-12, cmp.Or(priorityColors[k.Priority], "#cbd5e1"))
	left := x + padding + 6
	at := y + 20
	drawText(b, left, at, font{12, "start", "#64748b", ""}, k.ID)
	drawText(b, x+width-padding, at, font{12, "end", cmp.Or(priorityColors[k.Priority], "#64748b"), "bold"}, k.Priority)
	for _, l := range title {
		at += 18
		drawText(b, left, at, font{14, "start", "#0f172a", "bold"}, l)
	}
	if len(facts) > 0 {
		at += 18
		drawText(b, left, at, font{12, "start", "#475569", ""}, truncate(strings.Join(facts, "  "), 12, false, room))
	}
	if blocked {
		at += 18
		drawText(b, left, at, font{12, "start", "#b45309", "bold"}, truncate("waits for "+strings.Join(waits, " "), 12, true, room))
	}
	if all > 0 {
		at += 18
		bar := room - 44
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="6" rx="3" fill="#e2e8f0"/><rect x="%d" y="%d" width="%d" height="6" rx="3" fill="#16a34a"/>`, left, at-8, bar, left, at-8, bar*done/all)
		drawText(b, x+width-padding, at-1, font{12, "end", "#475569", ""}, fmt.Sprintf("%d/%d", done, all))
	}
	return height
}

// font is how a text on the board is drawn.
type font struct {
	size   int    // pixels
	anchor string // "start", "middle" or "end"
	fill   string
	weight string // "bold" or ""
}

func drawText(b *strings.Builder, x, y int, f font, s string) {
	weight := ""
	if f.weight != "" {
		weight = ` font-weight="` + f.weight + `"`
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="%d" text-anchor="%s" fill="%s"%s>%s</text>`, x, y, f.size, f.anchor, f.fill, weight, xmltree.EscapeText(s))
}

// truncate cuts a text to a width in pixels.
func truncate(s string, size int, bold bool, room int) string {
	left := float64(room) / float64(size)
	for i, r := range s {
		if left -= picture.Advance(r, bold); left < 0 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// wrapLines breaks a text into at most most lines that fit the width room.
func wrapLines(s string, size int, bold bool, room, most int) (out []string) {
	now := ""
	for _, word := range strings.Fields(s) {
		longer := strings.TrimSpace(now + " " + word)
		if now == "" || truncate(longer, size, bold, room) == longer {
			now = longer
			continue
		}
		if len(out) == most-1 {
			return append(out, truncate(longer+" …", size, bold, room))
		}
		out, now = append(out, truncate(now, size, bold, room)), word
	}
	return append(out, truncate(now, size, bold, room))
}

func boardQuery(name string) query {
	summary := "the board as a picture: cards by status, those that wait for others marked"
	if name == "preview" {
		summary = "the same as board"
	}
	return query{Query: abi.Query{Name: name, Syntax: name + " [SEL] [width:N]", Summary: summary, Takes: &abi.Takes{Select: true, Params: filters(abi.Param{Key: "width", Value: "PIXELS"}, abi.Param{Key: "format"})}}, Run: func(v *view, a pdk.Args) (abi.QueryResponse, error) {
		a, note := a.AtMost("width", picture.Side)
		width, err := a.Int("width", 0, 16, picture.Side)
		if err != nil {
			return abi.QueryResponse{}, err
		}
		svg, err := a.WantsSVG()
		if err != nil {
			return abi.QueryResponse{}, err
		}
		cards, err := selectedCards(v, a)
		if err != nil {
			return abi.QueryResponse{}, err
		}
		text, areas := v.Model.board(cards)
		if svg {
			return abi.QueryResponse{Text: "board", Content: []abi.Content{{MIME: "image/svg+xml", Data: []byte(text)}}, Areas: areas}, nil
		}
		drawn, err := picture.Preview([]byte(text), width)
		if err != nil {
			return abi.QueryResponse{}, pdk.Errorf("%v", err)
		}
		var said []string
		for _, c := range v.Model.columns(cards) {
			said = append(said, fmt.Sprintf("%s %d", c.title, len(c.cards)))
		}
		return abi.QueryResponse{Text: "board: " + strings.Join(said, ", ") + note, Content: []abi.Content{{MIME: "image/png", Data: drawn}}}, nil
	}}
}

func formats() []pdk.Format[*Workspace] {
	return []pdk.Format[*Workspace]{
		{Format: abi.Format{Name: "svg", Extension: ".svg", MIME: "image/svg+xml", Summary: "the board as a picture"}, Write: func(w *Workspace, _ pdk.Args) ([]byte, error) {
			text, _ := w.board(w.Cards())
			return []byte(text), nil
		}},
		{Format: abi.Format{Name: "png", Extension: ".png", MIME: "image/png", Summary: "the same picture as a PNG, width:N"}, Params: []string{"width"}, Write: func(w *Workspace, a pdk.Args) ([]byte, error) {
			width, err := a.Int("width", 0, 16, picture.MaxWidth)
			if err != nil {
				return nil, err
			}
			text, _ := w.board(w.Cards())
			out, err := picture.PNG([]byte(text), width)
			if err != nil {
				return nil, pdk.Errorf("%v", err)
			}
			return out, nil
		}},
	}
}
