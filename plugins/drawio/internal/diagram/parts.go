package diagram

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// frameWords are what a frame of a sequence may say of what it is around.
var frameWords = []string{"loop", "alt", "opt", "par", "break", "critical", "neg", "ref", "strict", "seq"}

// elseWords are what begins a section of a frame.
var elseWords = []string{"else", "and", "option", "section"}

// barWords are what add calls a bar.
var barWords = []string{"activation", "activate", "bar"}

// talkHelp is what the help says of a sequence.
func talkHelp() []string {
	return []string{
		"participant, actor, lifeline: add participant Shop · add participant Customer marker:actor · the next one stands beside the last",
		"message, reply, order of messages: connect Customer -> Shop label:order · connect Shop -> Customer label:receipt style:dashed · goes below all that was said, or after:order, before:receipt; A -> A is to oneself",
		"frame " + strings.Join(frameWords, " ") + ": add frame \"loop until paid\" around:order,receipt · around its first and its last message, or other frames",
		"section, else of alt, and of par, option of critical: add else \"card declined\" before:refusal · a section of the frame that the message is in",
		"activation, bar: add activation Shop around:order,receipt · from the first to the last message to and from Shop without around:",
		"move, copy, remove: move receipt after:order · copy alt before:receipt · move Shop -> Bank after:alt label:charge · remove alt · a message by its text, a frame by its word with all in it; the rest closes up and makes way; remove of a frame leaves its messages",
		"layout of a sequence keeps the order and makes room for all that is said. mermaid and plantuml draw a whole sequence from text, and export mermaid writes one",
	}
}

// talkWord reports whether add makes a part of a sequence of that type on this page.
func talkWord(f *file, a pdk.Args) bool {
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
	who, err := vertex(f, a.Text(1))
	return err == nil && who.Kind() == "participant"
}

// addPart is add of a bar, a section or a frame of a sequence.
func addPart(c *ctx, a pdk.Args) error {
	kind, words := strings.ToLower(a.Text(0)), a.Texts(0)
	for _, kv := range a.Params {
		if key := kv.Key; key != "around" && key != "before" {
			return pdk.Errorf("%s: does not go with %s of a sequence", key, article(kind)).Try(a.Mended(pdk.Without(key)))
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

// within are the first and the last moment that around: names.
func (l *timeline) within(a pdk.Args) (i, k int, err error) {
	i, k = len(l.list), -1
	for _, text := range strings.Split(a.String("around", ""), ",") {
		some, err := l.called(text)
		if err != nil {
			return 0, 0, err
		}
		for _, m := range some {
			at := slices.Index(l.list, m)
			i, k = min(i, at), max(k, at)
		}
	}
	return i, k, nil
}

// addBar is add activation WHO: from the first to the last message that around:
// names, or of those to and from him.
func addBar(c *ctx, a pdk.Args) error {
	who, err := vertex(c.Model, a.Text(1))
	if err != nil {
		return err
	}
	if len(a.Positionals) != 2 || who.Kind() != "participant" {
		return pdk.Errorf("add activation takes a participant; %s is %s", short(who), article(who.Kind()))
	}
	d := c.Model.Draft()
	l := newTalk(who.Page).timeline(d)
	i, k := len(l.list), -1
	for at, m := range l.list {
		if m.kind != chart.Message {
			continue
		}
		if from, to := ends(m.c); speaker(from) == who || speaker(to) == who {
			i, k = min(i, at), at
		}
	}
	if a.Has("around") {
		if i, k, err = l.within(a); err != nil {
			return err
		}
	}
	if k < 0 {
		return pdk.Errorf("nobody says anything to %s, so around: must name messages", short(who)).TryQuery("map")
	}
	first, last := l.list[i], l.list[k]
	b := &span{who: who, id: d.NewID()}
	b.from, b.to = &moment{kind: chart.Activate, span: b}, &moment{kind: chart.Deactivate, span: b}
	l.bars = append(l.bars, b)
	l.insert(l.tail(k), b.to)
	i = slices.Index(l.list, first)
	for i++; i < len(l.list) && l.list[i].kind == chart.Activate && l.list[i].span.who != who && first.touches(l.list[i].span); i++ {
	}
	l.insert(i, b.from)
	l.draw()
	level := 0.0
	for _, o := range l.bars {
		switch {
		case o == b || o.who != who || o.c.Owner() != who:
		case o.from.at <= b.from.at && o.to.at >= b.to.at && (o.from.at < b.from.at || o.to.at > b.to.at):
			level++
		case o.from.at >= b.from.at && o.to.at <= b.to.at: // on this one from now on
			d.Change(o.c, func(t mxfile.Text) mxfile.Text {
				return t.WithGeo(geom.Rect{X: o.c.Geo.X + barShift, Y: o.from.at - who.Abs().Y, W: o.c.Geo.W, H: o.to.at - o.from.at})
			})
		}
	}
	at := who.Abs()
	d.Append(who.Page, b.id, mxfile.NewVertex(b.id, "", barStyle, who.ID,
		geom.Rect{X: math.Round(at.W/2 - barWide/2 + barShift*level), Y: b.from.at - at.Y, W: barWide, H: b.to.at - b.from.at}))
	text := "activation of " + short(who) + " from " + first.name() + " to " + last.name()
	if err := c.Do(d.Edit(), line("add "+text), append(l.touched, eventID(who.Page.Key, b.id))...); err != nil {
		return err
	}
	c.Created("%s", text)
	return nil
}

// name is what a moment is called in replies.
func (m *moment) name() string {
	switch {
	case m.span != nil && m.span.c != nil:
		return oneLine(m.span.c.Label())
	case m.c == nil:
		return oneLine(m.text)
	}
	return short(m.c)
}

// spread are the indices around i to k between which frames and sections are whole.
func (l *timeline) spread(i, k int) (int, int) {
	for again := true; again; {
		again = false
		for at := i; at <= k; at++ {
			f := l.list[at].span
			if f == nil || f.who != nil {
				continue
			}
			from, to := slices.Index(l.list, f.from), slices.Index(l.list, f.to)
			if from < i || to > k {
				i, k, again = min(i, from), max(k, to), true
			}
		}
	}
	return i, k
}

// addFrame is add of a frame around messages, which make room for it.
func addFrame(c *ctx, a pdk.Args, label string) error {
	page := c.Model.Current
	layer, err := ensureLayer(c)
	if err != nil {
		return err
	}
	d := c.Model.Draft()
	l := newTalk(page).timeline(d)
	i, k, err := l.within(a)
	if err != nil {
		return err
	}
	i, k = l.spread(i, k)
	messages := 0
	for _, m := range l.list[i : k+1] {
		if m.kind == chart.Message {
			messages++
		}
	}
	word, guard, _ := strings.Cut(strings.TrimSpace(label), " ")
	if !slices.Contains(frameWords, strings.ToLower(word)) {
		word, guard = label, ""
	}
	guard = strings.Trim(guard, "[] ")
	f := &span{word: word}
	f.from, f.to = &moment{kind: chart.Open, span: f, text: guard, high: frameHead}, &moment{kind: chart.Close, span: f}
	l.frames = append(l.frames, f)
	l.insert(l.tail(k), f.to)
	l.insert(i, f.from)
	l.draw()
	left, right, _ := l.around(f)
	wide, _ := tab(chart.Step{Frame: word})
	p := &lifelines{d: d, page: page, layer: layer}
	p.cell(framedStyle.Set("width", mxfile.Num(wide)).Set("height", mxfile.Num(frameHead)), word, layer, geom.Rect{X: left, Y: f.from.at, W: right - left, H: f.to.at - f.from.at})
	if guard != "" {
		p.guard(guard, l.mids(), left+wide+4, f.from.at)
	}
	text := "frame " + strings.TrimSpace(label) + " around " + plural(messages, "message")
	if err := c.Do(d.Edit(), line("add "+text), append(p.made, l.touched...)...); err != nil {
		return err
	}
	c.Created("%s", text)
	return nil
}

// addSection is add else GUARD before:MESSAGE.
func addSection(c *ctx, a pdk.Args, guard string) error {
	page := c.Model.Current
	d := c.Model.Draft()
	l := newTalk(page).timeline(d)
	at, err := l.spot(a, 0)
	if err != nil {
		return err
	}
	m := l.list[at]
	var f *span
	for i := at - 1; i >= 0 && f == nil; i-- {
		if o := l.list[i].span; l.list[i].kind == chart.Open && slices.Index(l.list, o.to) > at {
			f = o
		}
	}
	switch {
	case f == nil:
		return pdk.Errorf("%s is in no frame; add frame \"alt GUARD\" around:MESSAGE,MESSAGE draws one", m.name())
	case l.list[at-1].kind == chart.Open || l.list[at-1].kind == chart.Section:
		return pdk.Errorf("%s is the first message of its section already", m.name())
	}
	guard = strings.Trim(guard, "[] ")
	s := &moment{kind: chart.Section, span: f, text: guard, high: sectionHigh}
	l.insert(at, s)
	l.draw()
	r := f.c.Abs()
	if left, right, changed := l.around(f); changed {
		r.X, r.W = math.Min(r.X, left), math.Max(r.Right(), right)-math.Min(r.X, left)
	}
	p := &lifelines{d: d, page: page, layer: f.c.Parent}
	p.cell(dividerStyle, "", p.layer, geom.Rect{X: r.X, Y: s.at - 5, W: r.W, H: 10})
	if guard != "" {
		p.guard(guard, l.mids(), r.X+4, s.at+1)
	}
	text := "section " + pdk.Quote(guard) + " of " + short(f.c) + " before " + m.name()
	if err := c.Do(d.Edit(), line("add "+text), append(p.made, l.touched...)...); err != nil {
		return err
	}
	c.Created("%s", text)
	return nil
}

// guard writes what a frame or a section says of itself.
func (l *lifelines) guard(text string, mids []float64, x, y float64) {
	text = "[" + text + "]"
	l.cell(guardStyle, text, l.layer, geom.Rect{X: besideBars(mids, x, guardWide(text)), Y: y, W: guardWide(text), H: frameHead})
}

// mids are where the lifelines run, from left to right.
func (l *timeline) mids() (out []float64) {
	for _, c := range l.t.who {
		out = append(out, c.Abs().Center().X)
	}
	return out
}
