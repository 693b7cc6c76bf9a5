package sequence

import (
	"math"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Styles of a sequence. They are draw.io's own, so that its editor treats lifelines,
// activations and messages like those that it makes itself.
const (
	barStyle = style.Style("html=1;points=[[0,0,0,0,5],[0,1,0,0,-5],[1,0,0,0,5],[1,1,0,0,-5]];perimeter=orthogonalPerimeter;outlineConnect=0;targetShapes=umlLifeline;" +
		"portConstraint=eastwest;")
	messageStyle = style.Style("html=1;verticalAlign=bottom;labelBackgroundColor=default;edgeStyle=elbowEdgeStyle;elbow=vertical;curved=0;rounded=0;")
	selfStyle    = style.Style("html=1;align=left;labelBackgroundColor=default;edgeStyle=orthogonalEdgeStyle;curved=0;rounded=0;")
	framedStyle  = style.Style("shape=umlFrame;whiteSpace=wrap;html=1;pointerEvents=0;fontStyle=1;recursiveResize=0;")
	dividerStyle = style.Style("line;strokeWidth=1;dashed=1;html=1;pointerEvents=0;fillColor=none;align=left;verticalAlign=middle;points=[];")
	guardStyle   = style.Style("text;html=1;align=left;verticalAlign=middle;resizable=0;points=[];autosize=1;strokeColor=none;fillColor=none;labelBackgroundColor=default;spacingLeft=4;")
	bandStyle    = style.Style("rounded=0;whiteSpace=wrap;html=1;verticalAlign=top;fontStyle=1;fillColor=#f5f5f5;strokeColor=#d6d6d6;pointerEvents=0;")
)

// Distances in a sequence, in units.
const (
	ActorWide = 20
	lineStep  = 36 // between messages
	selfWide  = 40
	selfHigh  = 26
	barWide   = 10
	barShift  = 6 // of an activation on another
	frameHead = 20
)

// Drawing draws a sequence from a chart.
type Drawing struct {
	D     *mxfile.Draft
	Page  *mxfile.Page
	Layer string
	S     *chart.Sequence
	At    geom.Point // upper left corner

	wide    []float64 // by participant: width of its box
	mid     []float64 // by participant: x of its lifeline
	y       []float64 // by step: the line of a message, the top of other steps
	bottom  float64
	bars    []bar
	frames  []frame
	ids     []string    // by participant
	made    []string    // all ids
	started map[int]int // by step: index of the activation that it starts
}

// bar is the activation of a participant.
type bar struct {
	who, level int
	from, to   float64
	id         string
	step       int // index of the step that starts it
}

// Draw drafts the cells of the sequence and returns their ids.
func (l *Drawing) Draw(title string) []string {
	if title != "" {
		l.cell(model.CaptionStyle, title, l.Layer, geom.Rect{X: l.At.X, Y: l.At.Y, W: math.Ceil(model.LabelWidth(title)*1.6) + 20, H: 30})
		l.At.Y += 40
	}
	if len(l.S.Boxes) > 0 {
		l.At.Y += 30
	}
	l.columns()
	l.rows()
	for _, b := range l.S.Boxes {
		left, right := l.mid[b.From]-l.wide[b.From]/2-15, l.mid[b.To]+l.wide[b.To]/2+15
		l.cell(bandStyle, b.Label, l.Layer, geom.Rect{X: left, Y: l.At.Y - 30, W: right - left, H: l.bottom - l.At.Y + 45})
	}
	participant, _ := style.ShapeNamed("participant")
	for i, p := range l.S.Participants {
		r := geom.Rect{X: l.mid[i] - l.wide[i]/2, Y: l.At.Y, W: l.wide[i], H: l.bottom - l.At.Y}
		look := participant.Style
		if p.Actor {
			look = model.ActorLifeline
			r.X, r.W = l.mid[i]-ActorWide/2, ActorWide
		}
		l.wide[i] = r.W
		l.ids = append(l.ids, l.cell(look, p.Label, l.Layer, r))
	}
	for i := range l.bars {
		b := &l.bars[i]
		r := geom.Rect{X: l.wide[b.who]/2 - barWide/2 + barShift*float64(b.level), Y: b.from - l.At.Y, W: barWide, H: math.Max(b.to-b.from, 16)}
		b.to = b.from + r.H
		b.id = l.cell(barStyle, "", l.ids[b.who], r)
	}
	for i := len(l.frames) - 1; i >= 0; i-- { // inner frames first
		l.measure(i)
	}
	for _, f := range l.frames {
		l.frame(f)
	}
	for i, s := range l.S.Steps {
		switch s.Kind {
		case chart.Note:
			l.note(i, s)
		case chart.Message:
			l.message(i, s)
		}
	}
	return l.made
}

// cell drafts a cell and returns its id.
func (l *Drawing) cell(s style.Style, label, parent string, r geom.Rect) string {
	id := l.D.NewID()
	l.D.Append(l.Page, id, mxfile.NewVertex(id, mxfile.LabelValue(label, true), s, parent, geom.Rect{X: math.Round(r.X), Y: math.Round(r.Y), W: math.Round(r.W), H: math.Round(r.H)}))
	l.made = append(l.made, model.EventID(l.Page.Key, id))
	return id
}

// columns places the participants far enough apart for the messages between them.
func (l *Drawing) columns() {
	n := len(l.S.Participants)
	l.wide, l.mid = make([]float64, n), make([]float64, n)
	gaps := make([]float64, n) // by participant: distance to the next
	left := 0.0                // room left of the first
	for i, p := range l.S.Participants {
		l.wide[i] = math.Max(100, math.Ceil((model.LabelWidth(p.Label)+30)/10)*10)
		if i > 0 {
			gaps[i-1] = (l.wide[i-1]+l.wide[i])/2 + 30
		}
	}
	left = l.wide[0] / 2
	reach := func(from, to int, room float64) {
		if to >= n || from == to {
			return
		}
		have := 0.0
		for i := from; i < to; i++ {
			have += gaps[i]
		}
		if more := (room - have) / float64(to-from); more > 0 {
			for i := from; i < to; i++ {
				gaps[i] += more
			}
		}
	}
	for span := 1; span < n; span++ {
		for _, s := range l.S.Steps {
			if a, b := min(s.From, s.To), max(s.From, s.To); s.Kind == chart.Message && b-a == span {
				reach(a, b, model.LabelWidth(s.Text)+40)
			}
		}
	}
	for _, s := range l.S.Steps {
		room := model.LabelWidth(s.Text)
		switch {
		case s.Kind == chart.Message && s.From == s.To:
			reach(s.From, s.From+1, room+selfWide+30)
		case s.Kind == chart.Note && s.Side == "right":
			reach(s.To, s.To+1, noteWidth(s.Text)+40)
		case s.Kind == chart.Note && s.Side == "left":
			if s.From > 0 {
				reach(s.From-1, s.From, noteWidth(s.Text)+40)
			} else {
				left = math.Max(left, noteWidth(s.Text)+30)
			}
		case s.Kind == chart.Note && s.From == s.To:
			reach(s.From, s.From+1, noteWidth(s.Text)/2+60)
			if s.From > 0 {
				reach(s.From-1, s.From, noteWidth(s.Text)/2+60)
			}
			left = math.Max(left, noteWidth(s.Text)/2)
		case s.Kind == chart.Note:
			reach(s.From, s.To, noteWidth(s.Text)-40)
		case s.Kind == chart.Open:
			left = math.Max(left, 80)
		}
	}
	x := math.Round(l.At.X + left)
	for i := range l.mid {
		l.mid[i] = x
		x += math.Ceil(gaps[i]/10) * 10
	}
}

// noteWidth returns the width of a note.
func noteWidth(text string) float64 { return math.Max(80, math.Ceil(model.LabelWidth(text)/10)*10+24) }

// rows places the steps one below the other. It finds the activations, and the steps that
// each frame surrounds.
func (l *Drawing) rows() {
	l.y = make([]float64, len(l.S.Steps))
	l.started = map[int]int{}
	y := l.At.Y + model.ParticipantHead + 10
	for _, p := range l.S.Participants {
		if p.Actor {
			y = math.Max(y, l.At.Y+model.ParticipantHead+10+model.LineHeight*model.LineCount(p.Label))
		}
	}
	active := make([][]int, len(l.S.Participants)) // by participant: its open activations
	var open []int                                 // indices of open frames
	for i, s := range l.S.Steps {
		switch s.Kind {
		case chart.Message:
			y += lineStep + model.LineHeight*(model.LineCount(s.Text)-1)
			l.y[i] = y
			if s.From == s.To {
				l.y[i] = y - model.LineHeight*(model.LineCount(s.Text)-1)/2
				y += selfHigh
			}
		case chart.Note:
			l.y[i] = y + 14
			y += 14 + 20 + model.LineHeight*model.LineCount(s.Text)
		case chart.Open:
			l.y[i] = y + 18
			y += 18 + frameHead
			open = append(open, len(l.frames))
			l.frames = append(l.frames, frame{first: i})
		case chart.Section:
			l.y[i] = y + 20
			y += 20 + 14
			if len(open) > 0 {
				f := &l.frames[open[len(open)-1]]
				f.sections = append(f.sections, i)
			}
		case chart.Close:
			y += 18
			l.y[i] = y
			if len(open) > 0 {
				l.frames[open[len(open)-1]].last = i
				open = open[:len(open)-1]
			}
		case chart.Activate:
			l.y[i] = y
			l.started[i] = len(l.bars)
			active[s.From] = append(active[s.From], len(l.bars))
			l.bars = append(l.bars, bar{who: s.From, level: len(active[s.From]) - 1, from: y, to: -1, step: i})
		case chart.Deactivate:
			l.y[i] = y
			if k := len(active[s.From]); k > 0 {
				l.bars[active[s.From][k-1]].to = y
				active[s.From] = active[s.From][:k-1]
			}
		}
	}
	l.bottom = y + 40
	for i := range l.bars {
		if l.bars[i].to < 0 {
			l.bars[i].to = y + 10
		}
	}
}

// noteBox returns the rectangle of a note.
func (l *Drawing) noteBox(i int, s chart.Step) geom.Rect {
	w, h := noteWidth(s.Text), 14+model.LineHeight*model.LineCount(s.Text)
	r := geom.Rect{X: (l.mid[s.From]+l.mid[s.To])/2 - w/2, Y: l.y[i], W: w, H: h}
	switch {
	case s.Side == "right":
		r.X = l.mid[s.To] + 15
	case s.Side == "left":
		r.X = l.mid[s.From] - 15 - w
	case s.From != s.To:
		r.X, r.W = l.mid[s.From]-40, l.mid[s.To]-l.mid[s.From]+80
		if r.W < w {
			r.X, r.W = r.X-(w-r.W)/2, w
		}
	}
	return r
}

// note draws a note.
func (l *Drawing) note(i int, s chart.Step) {
	t, _ := style.ShapeNamed("note")
	l.cell(t.Style.Set("size", "10").Set("fillColor", "#fff2cc").Set("strokeColor", "#d6b656"), s.Text, l.Layer, l.noteBox(i, s))
}

// barAt returns the activation of a participant that a message at step i touches, nil if there
// is none. With starts, an activation that begins right after the message counts, too.
func (l *Drawing) barAt(who, i int, starts bool) *bar {
	var out *bar
	for k := range l.bars {
		b := &l.bars[k]
		// An activation that the message starts is the next step.
		begun := b.step < i || starts && b.step == i+1
		if b.who == who && begun && b.from <= l.y[i] && b.to >= l.y[i] && (out == nil || b.level > out.level) {
			out = b
		}
	}
	return out
}

// message draws a message.
func (l *Drawing) message(i int, s chart.Step) {
	source, target := l.ids[s.From], l.ids[s.To]
	from, to := l.barAt(s.From, i, false), l.barAt(s.To, i, true)
	if from != nil {
		source = from.id
	}
	if to != nil {
		target = to.id
	}
	look := messageStyle
	points := []geom.Point{{X: math.Round((l.mid[s.From] + l.mid[s.To]) / 2), Y: math.Round(l.y[i])}}
	if s.From == s.To {
		look = selfStyle
		x := math.Round(l.mid[s.From] + selfWide)
		points = []geom.Point{{X: x, Y: math.Round(l.y[i])}, {X: x, Y: math.Round(l.y[i] + selfHigh)}}
		look = loopPorts(look, math.Round(l.y[i])-l.At.Y, math.Round(l.y[i]+selfHigh)-l.At.Y)
		if from != nil {
			look = atBar(look, "exit", from, l.y[i])
		}
		if to != nil {
			look = atBar(look, "entry", to, l.y[i]+selfHigh)
		}
	}
	look = style.SetHead(look, "end", s.Head)
	if s.Both {
		look = style.SetHead(look, "start", s.Head)
	}
	if s.Dashed {
		look = look.Set("dashed", "1")
	}
	id := l.D.NewID()
	clear := geom.Point{Y: -3} // distance of the text from the line
	if s.From == s.To {
		clear = geom.Point{X: 6}
	}
	text := mxfile.NewEdge(id, mxfile.LabelValue(s.Text, true), look, l.Layer, source, target).WithPoints(points).Fasten(clear)
	l.D.Append(l.Page, id, text)
	l.made = append(l.made, model.EventID(l.Page.Key, id))
}

// atBar fastens an end of an edge to the right side of an activation, at y.
func atBar(look style.Style, end string, b *bar, y float64) style.Style {
	part := math.Round(math.Min(1, (y-b.from)/(b.to-b.from))*1e4) / 1e4
	return look.Set(end+"X", "1").Set(end+"Y", strconv.FormatFloat(part, 'f', -1, 64)).Set(end+"Dy", "0")
}
