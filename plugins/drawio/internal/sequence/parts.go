// Package sequence draws sequence diagrams and edits their messages, frames and activations.
package sequence

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// frameWords lists the first words of frames of a sequence.
var frameWords = []string{"loop", "alt", "opt", "par", "break", "critical", "neg", "ref", "strict", "seq"}

// elseWords lists the words with which add names a section of a frame.
var elseWords = []string{"else", "and", "option", "section"}

// barWords lists the words with which add names an activation.
var barWords = []string{"activation", "activate", "bar"}

// Help returns the lines of the help on sequences.
func Help() []string {
	return []string{
		"participant, actor, lifeline: add participant Shop · add participant Customer marker:actor · the next one stands beside the last",
		"message, reply, order of messages: connect Customer -> Shop label:order · connect Shop -> Customer label:receipt style:dashed · goes below all other messages, or after:order, before:receipt; A -> A is a message to itself",
		"frame " + strings.Join(frameWords, " ") + ": add frame \"loop until paid\" around:order,receipt · around its first and its last message, or other frames",
		"section, else of alt, and of par, option of critical: add else \"card declined\" before:refusal · a section of the frame that the message is in",
		"activation, bar: add activation Shop around:order,receipt · without around: from the first to the last message to or from Shop",
		"move, copy, remove: move receipt after:order · copy alt before:receipt · move Shop -> Bank after:alt label:charge · remove alt · a message by its text, a frame by its word with all its content; the rest moves to close gaps and make room; removing a frame leaves its messages",
		"layout of a sequence keeps the order and makes room for all texts. mermaid and plantuml draw a whole sequence from text, and export mermaid writes one",
	}
}

// IsPart reports whether an add makes a bar, a section or a frame of the sequence on the
// current page.
func IsPart(f *file, a pdk.Args) bool {
	kind := strings.ToLower(a.Text(0))
	switch {
	case len(a.Positionals) == 0:
		return false
	case a.Has("around"):
		return kind == "frame" || slices.Contains(barWords, kind) || slices.Contains(frameWords, kind)
	case a.Has("before"):
		return slices.Contains(elseWords, kind)
	}
	if len(a.Positionals) != 2 || !slices.Contains(barWords, kind) {
		return false
	}
	who, err := selector.Vertex(f, a.Text(1))
	return err == nil && who.Kind() == "participant"
}

// AddPart runs add for a bar, a section or a frame of a sequence.
func AddPart(c *ctx, a pdk.Args) error {
	kind, words := strings.ToLower(a.Text(0)), a.Texts(0)
	for _, kv := range a.Params {
		if key := kv.Key; key != "around" && key != "before" {
			return pdk.Errorf("%s: does not go with %s of a sequence", key, values.Article(kind)).Try(a.Mended(pdk.Without(key)))
		}
	}
	switch {
	case slices.Contains(barWords, kind):
		return addBar(c, a)
	case slices.Contains(elseWords, kind):
		return addSection(c, a, strings.Join(words[1:], " "))
	case kind == "frame" && len(words) > 1:
		words = words[1:]
	}
	return addFrame(c, a, strings.Join(words, " "))
}

// namedRange returns the indices of the first and the last moment that around: names.
func (l *Timeline) namedRange(a pdk.Args) (i, k int, err error) {
	i, k = len(l.Moments), -1
	for _, text := range strings.Split(a.String("around", ""), ",") {
		some, err := l.find(text)
		if err != nil {
			return 0, 0, err
		}
		for _, m := range some {
			at := slices.Index(l.Moments, m)
			i, k = min(i, at), max(k, at)
		}
	}
	return i, k, nil
}

// addBar runs `add activation WHO`. The activation lasts from the first to the last message
// that around: names. Without around: these are the messages that the participant sends or
// receives.
func addBar(c *ctx, a pdk.Args) error {
	who := pdk.Must(selector.Vertex(c.Model, a.Text(1)))
	if len(a.Positionals) != 2 || who.Kind() != "participant" {
		return pdk.Errorf("add activation takes a participant; %s is %s", model.Short(who), values.Article(who.Kind()))
	}
	d := c.Model.Draft()
	l := NewTimeline(model.SequenceOn(who.Page), d)
	i, k := len(l.Moments), -1
	for at, m := range l.Moments {
		if m.Kind != chart.Message {
			continue
		}
		if from, to := model.Ends(m.C); model.Participant(from) == who || model.Participant(to) == who {
			i, k = min(i, at), at
		}
	}
	if a.Has("around") {
		i, k = pdk.Must2(l.namedRange(a))
	}
	if k < 0 {
		return pdk.Errorf("%s has no messages, so around: must name some", model.Short(who)).TryQuery("map")
	}
	first, last := l.Moments[i], l.Moments[k]
	b := &Span{Who: who, id: d.NewID()}
	b.from, b.to = &Moment{Kind: chart.Activate, Span: b}, &Moment{Kind: chart.Deactivate, Span: b}
	l.bars = append(l.bars, b)
	l.insert(l.tail(k), b.to)
	i = slices.Index(l.Moments, first)
	for i++; i < len(l.Moments) && l.Moments[i].Kind == chart.Activate && l.Moments[i].Span.Who != who && first.touches(l.Moments[i].Span); i++ {
	}
	l.insert(i, b.from)
	l.draw()
	level := 0.0
	for _, o := range l.bars {
		switch {
		case o == b || o.Who != who || o.C.Owner() != who:
		case o.from.at <= b.from.at && o.to.at >= b.to.at && (o.from.at < b.from.at || o.to.at > b.to.at):
			level++
		case o.from.at >= b.from.at && o.to.at <= b.to.at: // it now lies on the new one
			d.Change(o.C, func(t mxfile.Text) mxfile.Text {
				return t.WithGeo(geom.Rect{X: o.C.Geo.X + barShift, Y: o.from.at - who.Abs().Y, W: o.C.Geo.W, H: o.to.at - o.from.at})
			})
		}
	}
	at := who.Abs()
	d.Append(who.Page, b.id, mxfile.NewVertex(b.id, "", barStyle, who.ID,
		geom.Rect{X: math.Round(at.W/2 - barWide/2 + barShift*level), Y: b.from.at - at.Y, W: barWide, H: b.to.at - b.from.at}))
	text := "activation of " + model.Short(who) + " from " + first.name() + " to " + last.name()
	pdk.Check(c.Do(d.Edit(), "add "+text, model.EventID(who.Page.Key, b.id)))
	c.Created("%s", text)
	return nil
}

// name prints a moment in the form used in replies.
func (m *Moment) name() string {
	switch {
	case m.Span != nil && m.Span.C != nil:
		return values.OneLine(m.Span.C.Label())
	case m.C == nil:
		return values.OneLine(m.Text)
	}
	return model.Short(m.C)
}

// wholeFrames widens the range from i to k until no frame or section crosses its ends.
func (l *Timeline) wholeFrames(i, k int) (int, int) {
	for again := true; again; {
		again = false
		for at := i; at <= k; at++ {
			f := l.Moments[at].Span
			if f == nil || f.Who != nil {
				continue
			}
			from, to := slices.Index(l.Moments, f.from), slices.Index(l.Moments, f.to)
			if from < i || to > k {
				i, k, again = min(i, from), max(k, to), true
			}
		}
	}
	return i, k
}

// addFrame runs add for a frame around messages, which move down to make room.
func addFrame(c *ctx, a pdk.Args, label string) error {
	page := c.Model.Current
	layer := pdk.Must(edit.EnsureLayer(c))
	d := c.Model.Draft()
	l := NewTimeline(model.SequenceOn(page), d)
	i, k := pdk.Must2(l.namedRange(a))
	i, k = l.wholeFrames(i, k)
	messages := 0
	for _, m := range l.Moments[i : k+1] {
		if m.Kind == chart.Message {
			messages++
		}
	}
	word, guard, _ := strings.Cut(strings.TrimSpace(label), " ")
	if !slices.Contains(frameWords, strings.ToLower(word)) {
		word, guard = label, ""
	}
	guard = strings.Trim(guard, "[] ")
	f := &Span{word: word}
	f.from, f.to = &Moment{Kind: chart.Open, Span: f, Text: guard, height: frameHead}, &Moment{Kind: chart.Close, Span: f}
	l.frames = append(l.frames, f)
	l.insert(l.tail(k), f.to)
	l.insert(i, f.from)
	l.draw()
	left, right, _ := l.around(f)
	wide, _ := tab(chart.Step{Frame: word})
	p := &Drawing{D: d, Page: page, Layer: layer}
	p.cell(framedStyle.Set("width", mxfile.Num(wide)).Set("height", mxfile.Num(frameHead)), word, layer, geom.Rect{X: left, Y: f.from.at, W: right - left, H: f.to.at - f.from.at})
	if guard != "" {
		p.guard(guard, l.lifelineXs(), left+wide+4, f.from.at)
	}
	text := "frame " + strings.TrimSpace(label) + " around " + pdk.Count(messages, "message")
	pdk.Check(c.Do(d.Edit(), "add "+text, p.made...))
	c.Created("%s", text)
	return nil
}

// addSection runs `add else GUARD before:MESSAGE`.
func addSection(c *ctx, a pdk.Args, guard string) error {
	page := c.Model.Current
	d := c.Model.Draft()
	l := NewTimeline(model.SequenceOn(page), d)
	at := pdk.Must(l.spot(a, 0))
	m := l.Moments[at]
	var f *Span
	for i := at - 1; i >= 0 && f == nil; i-- {
		if o := l.Moments[i].Span; l.Moments[i].Kind == chart.Open && slices.Index(l.Moments, o.to) > at {
			f = o
		}
	}
	switch {
	case f == nil:
		return pdk.Errorf("%s is in no frame; add frame \"alt GUARD\" around:MESSAGE,MESSAGE draws one", m.name())
	case l.Moments[at-1].Kind == chart.Open || l.Moments[at-1].Kind == chart.Section:
		return pdk.Errorf("%s is already the first message of its section", m.name())
	}
	guard = strings.Trim(guard, "[] ")
	s := &Moment{Kind: chart.Section, Span: f, Text: guard, height: sectionHeight}
	l.insert(at, s)
	l.draw()
	r := f.C.Abs()
	if left, right, changed := l.around(f); changed {
		r.X, r.W = math.Min(r.X, left), math.Max(r.Right(), right)-math.Min(r.X, left)
	}
	p := &Drawing{D: d, Page: page, Layer: f.C.Parent}
	p.cell(dividerStyle, "", p.Layer, geom.Rect{X: r.X, Y: s.at - 5, W: r.W, H: 10})
	if guard != "" {
		p.guard(guard, l.lifelineXs(), r.X+4, s.at+1)
	}
	text := "section " + pdk.Quote(guard) + " of " + model.Short(f.C) + " before " + m.name()
	pdk.Check(c.Do(d.Edit(), "add "+text, p.made...))
	c.Created("%s", text)
	return nil
}

// guard draws the guard of a frame or a section. mids are the x coordinates of the
// lifelines.
func (l *Drawing) guard(text string, mids []float64, x, y float64) {
	text = "[" + text + "]"
	l.cell(guardStyle, text, l.Layer, geom.Rect{X: besideBars(mids, x, guardWidth(text)), Y: y, W: guardWidth(text), H: frameHead})
}

// lifelineXs returns the x coordinates of the lifelines, from left to right.
func (l *Timeline) lifelineXs() (out []float64) {
	return pdk.Map(l.seq.Participants, func(c *cell) float64 { return c.Abs().Center().X })
}

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)
