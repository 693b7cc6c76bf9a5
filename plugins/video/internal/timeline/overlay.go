package timeline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
	"github.com/fcp-host/fcp-host/plugins/video/internal/timecode"
)

func overlayVerbs() []verb {
	p := func(key, value string) abi.Param { return abi.Param{Key: key, Value: value} }
	return []verb{
		{Run: overlay, Verb: abi.Verb{Name: "overlay", Syntax: "overlay text TEXT [from:TIME] [to:TIME|dur:TIME] [style:STYLE] [pos:PLACE] [shift:X,Y] [size:PIXELS] [color:COLOR] [fade:TIME] [id:ID] · overlay image|video MEDIA [from:TIME] [to:TIME|dur:TIME] [in:TIME] [pos:PLACE] [shift:X,Y] [size:30%|480x270] [opacity:80%] [fade:TIME] [volume:DB] [id:ID]",
			Summary: "write a text over the picture, or put a picture or a film into it", Brief: "overlay text TEXT [from: to:|dur: style: pos: shift: size: color: fade: id:] · overlay image|video MEDIA [from: to:|dur: in: pos: shift: size:30% opacity: fade: volume: id:] (picture in picture)", Category: "texts and overlays",
			Params: []abi.Param{p("from", "TIME"), p("to", "TIME"), p("dur", "TIME"), p("in", "TIME"), p("style", "STYLE"), p("pos", "PLACE"), p("shift", "X,Y"), p("size", "SIZE"), p("color", "COLOR"), p("opacity", "80%"), p("fade", "TIME"), p("volume", "-6dB"), p("id", "ID")},
			Min:    2, Max: 2, Resources: []abi.Resource{probe(2, "image", "video")},
			Examples: []string{`overlay text "Funny Animals" from:10s to:15s style:title-card`, `overlay text "Jane Doe\nAuthor" from:2s dur:4s style:lower-third`, "overlay image ./logo.png from:0s to:end pos:top-right size:12% opacity:80%", "overlay video ./face.mp4 from:5s to:20s pos:bottom-right size:30%"}}},
		{Run: captionOne, Verb: abi.Verb{Name: "caption", Syntax: "caption TEXT from:TIME to:TIME|dur:TIME", Summary: "write what is said at the bottom", Category: "texts and overlays", Params: []abi.Param{p("from", "TIME"), p("to", "TIME"), p("dur", "TIME")}, Min: 1, Max: 1, Examples: []string{`caption "Hello, and welcome." from:0.5s to:2s`}}},
		{Run: captions, Verb: abi.Verb{Name: "captions", Syntax: "captions FILE.srt [shift:±TIME]", Summary: "read subtitles from a file, a caption each", Category: "texts and overlays", Params: []abi.Param{p("shift", "±TIME")}, Min: 1, Max: 1,
			Resources: []abi.Resource{{Position: 1, Kind: abi.ResourceBytes, Accept: []string{".srt"}}}, Examples: []string{"captions ./talk.srt"}}},
	}
}

func overlay(c *ctx, a pdk.Args) error {
	switch what := strings.ToLower(a.Text(0)); what {
	case "text", "title":
		return overlayText(c, a, "")
	case "image", "video":
		return overlayMedia(c, a, what)
	}
	err := pdk.Errorf("overlay puts text, an image or a video over the picture, not %s", pdk.Quote(a.Text(0)))
	if style, ok := pdk.OneOf(a.Text(0), styleNames()); ok {
		return err.Try(a.Mended(pdk.WithWords(0, 1, "text"), pdk.WithParam("style", style)))
	}
	return err.Try(a.Mended(pdk.WithWords(0, 1, "text")))
}

// during reads from:, to: and dur:. otherwise is how long it lasts where neither to: nor dur: is there, 0 for what must be said.
func (k *clock) during(a pdk.Args, otherwise int) (from, frames int, err error) {
	if v, ok := a.Param("from"); ok {
		if from, err = k.moment("from", v); err != nil {
			return 0, 0, err
		}
	}
	to, toGiven := a.Param("to")
	dur, durGiven := a.Param("dur")
	switch {
	case toGiven && durGiven:
		return 0, 0, pdk.Errorf("to: and dur: both say when it ends: give one of them").Try(a.Mended(pdk.Without("dur")), a.Mended(pdk.Without("to")))
	case durGiven:
		if frames, err = k.lasting(a.String("from", ""), from, dur); err != nil {
			return 0, 0, err
		}
	case toGiven:
		end, err := k.moment("to", to)
		if err != nil {
			return 0, 0, err
		}
		frames = end - from
	case otherwise <= 0:
		return 0, 0, pdk.Errorf("say until when: to:TIME or dur:TIME").Try(a.Mended(pdk.WithParam("dur", "3s")))
	default:
		frames = otherwise
		if end := k.f.Frames(); from < end && from+frames > end {
			frames = end - from
			k.notes = append(k.notes, "up to the film's end")
		}
	}
	if frames < 1 {
		if toGiven && from > 0 {
			return 0, 0, pdk.Errorf("it would end at %s and begins at %s", k.f.text(from+frames), k.f.text(from)).Try(a.Mended(pdk.Without("to"), pdk.WithParam("dur", "3s")))
		}
		return 0, 0, pdk.Errorf("it would be seen for no frame at all").Try(a.Mended(pdk.Without("to", "dur"), pdk.WithParam("dur", "3s")))
	}
	return from, frames, nil
}

// lasting reads the dur: of what begins at from, which is the frame at. Where from had to be rounded, it is the end that is rounded and
// not the length: what begins there then meets it.
func (k *clock) lasting(from string, at int, dur string) (int, error) {
	start, errFrom := timecode.Parse(from, k.f.rate())
	_, exact := start.In(k.f.rate())
	l, err := timecode.Parse(dur, k.f.rate())
	if errFrom != nil || err != nil || exact || l.Counted {
		return k.length("dur", dur)
	}
	return k.round(from+"+"+dur, timecode.Length{Seconds: start.Seconds.Plus(l.Seconds)}) - at, nil
}

// styleNames are the looks of texts.
func styleNames() (names []string) {
	for _, s := range render.Styles() {
		names = append(names, s.Name)
	}
	return names
}

// captionOf is a text with what an op says of its looks.
func (k *clock) captionOf(a pdk.Args, p caption) (caption, error) {
	var err error
	if p.Style, err = oneOf(a, "style", p.Style, styleNames()); err != nil {
		return p, err
	}
	if text, ok := a.Param("text"); ok {
		if err := readable(text); err != nil {
			return p, err
		}
		p.Text = text
	}
	if v, ok := a.Param("color"); ok {
		hex, ok := colour(v)
		if !ok {
			return p, pdk.Errorf("color:%s is not a colour: #rrggbb, or a name such as yellow", v).Instead(v, "yellow", "white")
		}
		p.Color = hex
	}
	if v, ok := a.Param("size"); ok {
		n, err := strconv.Atoi(strings.TrimSuffix(strings.ToLower(v), "px"))
		if err != nil || n < 6 || n > 2000 {
			return p, pdk.Errorf("size:%s is not a size of letters: pixels, from 6 to 2000", v).Instead(v, strconv.Itoa(max(6, k.f.all().height/15)))
		}
		p.Size = n
	}
	if n, ok, err := k.lengthOf(a, "fade"); err != nil {
		return p, err
	} else if ok {
		if p.Fade = n; n == 0 {
			p.Fade = -1
		}
	}
	p.Anchor, p.X, p.Y, err = k.f.pos(a, p.Anchor, p.X, p.Y)
	return p, err
}

// pos reads pos: and shift:.
func (f *Film) pos(a pdk.Args, anchor string, x, y int) (string, int, int, error) {
	pair := func(key, text string) (int, int, error) {
		xs, ys, ok := strings.Cut(text, ",")
		dx, errX := strconv.Atoi(strings.TrimSpace(xs))
		dy, errY := strconv.Atoi(strings.TrimSpace(ys))
		if !ok || errX != nil || errY != nil || max(dx, -dx, dy, -dy) > 8192 {
			return 0, 0, pdk.Errorf("%s:%s is not X,Y in pixels", key, text)
		}
		return dx, dy, nil
	}
	if v, ok := a.Param("pos"); ok {
		if strings.Contains(v, ",") { // where the upper left corner is
			dx, dy, err := pair("pos", v)
			if err != nil {
				return "", 0, 0, err
			}
			s := f.all().settings
			m := render.Margin(s.width, s.height)
			anchor, x, y = "top-left", dx-m, dy-m
		} else {
			word, err := oneOf(a, "pos", "", places())
			if err != nil {
				return "", 0, 0, err
			}
			anchor, x, y = word, 0, 0
		}
	}
	if v, ok := a.Param("shift"); ok {
		dx, dy, err := pair("shift", v)
		if err != nil {
			return "", 0, 0, err
		}
		x, y = dx, dy
	}
	return anchor, x, y, nil
}

func places() []string { return render.Places() }

func overlayText(c *ctx, a pdk.Args, style string) error {
	if err := only(a, "a text", "from", "to", "dur", "style", "pos", "shift", "size", "color", "fade", "id"); err != nil {
		return err
	}
	f := c.Model
	text := a.Text(len(a.Positionals) - 1)
	if err := readable(text); err != nil {
		return err
	}
	k := clock{f: f}
	three, _ := f.rate().Frames(threeSeconds)
	if style == "caption" {
		three = 0
	}
	from, frames, err := k.during(a, three)
	if err != nil {
		return err
	}
	p, err := k.captionOf(a, caption{Text: text, Style: style})
	if err != nil {
		return err
	}
	id := a.String("id", "")
	if id == "" {
		id = f.freshID(textID(text, p.Style))
	} else if err := f.newID(a, id); err != nil {
		return err
	}
	t, err := f.writeText(c, id, p, from, frames)
	if err != nil {
		return err
	}
	c.Created("text %s on %s %s%s%s", pdk.Quote(id), t.ID, f.span(from, from+frames), styled(p), k.said())
	return nil
}

// readable checks the letters of a text.
func readable(text string) error {
	if strings.TrimSpace(text) == "" {
		return pdk.Errorf("a text needs letters")
	}
	if len(text) > 20_000 {
		return pdk.Errorf("a text has at most 20,000 bytes, and this has %d", len(text))
	}
	return nil
}

func styled(p caption) string {
	s := ""
	if p.Style != "" {
		s = " " + p.Style
	}
	if p.Anchor != "" {
		s += " " + p.Anchor
	}
	return s
}

// textID makes an id of a text: its first words.
func textID(text, style string) string {
	if style == "caption" {
		return "caption"
	}
	words := strings.Fields(strings.ToLower(text))
	id := slug(strings.Join(words[:min(len(words), 3)], "_"))
	if id == "media" {
		return "text"
	}
	if r := []rune(id); len(r) > 24 {
		id = strings.Trim(string(r[:24]), "_-")
	}
	return id
}

// writeText puts a text on the first track of texts that has room.
func (f *Film) writeText(c *ctx, id string, p caption, from, frames int) (*Track, error) {
	t, err := f.lettering(c, from, frames)
	if err != nil {
		return nil, err
	}
	rate := f.rate().Float()
	l := t.lane()
	l.put(&seg{id: id, start: from, end: from + frames, speed: 1, make: func(_, dur int, in float64) otio.Object {
		return newClip(id, otio.Object{}, otio.Range(in, float64(dur), rate), generator(id, p))
	}})
	return t, l.write(c, "text "+id, id)
}

// lettering finds a track of texts with room, or makes it.
func (f *Film) lettering(c *ctx, from, frames int) (*Track, error) {
	for _, t := range f.all().tracks {
		if t.Kind == letters && !t.Hidden && t.lane().hit(from, from+frames) == nil {
			return t, nil
		}
	}
	return raise(c, letters, f.nextTrack(letters))
}

// floats reports whether it does not matter on which track a clip lies: texts and overlays lie over all.
func (c *Clip) floats() bool { return c.kind == textItem || c.Over != nil }

// float puts a text or an overlay on the first track that has room for what s says of it. The clip that it is made of stays where keeps is
// set, for a copy.
func (f *Film) float(c *ctx, clip *Clip, s *seg, keeps bool) (*Track, error) {
	n := &seg{id: s.id, start: s.start, end: s.end, in: s.in, speed: s.speed, base: s.base, text: clip.node.Text(), changes: s.changes}
	if !keeps {
		l := clip.Track.lane()
		l.take(l.of(clip))
		if err := l.write(c, "move "+clip.ID, clip.ID); err != nil {
			return nil, err
		}
	}
	room := f.lettering
	if clip.kind != textItem {
		room = f.above
	}
	t, err := room(c, n.start, n.end-n.start)
	if err != nil {
		return nil, err
	}
	l := t.lane()
	l.put(n)
	return t, l.write(c, "move "+n.id, n.id)
}

// textChanges make a text another.
func textChanges(clip *Clip, now caption) []otio.Change {
	if now == *clip.Caption {
		return nil
	}
	path := append(clip.refers(), "parameters")
	var out []otio.Change
	set := func(key string, changed bool, value any, there bool) {
		if !changed {
			return
		}
		if !there {
			value = nil
		}
		out = append(out, otio.Change{Path: append(slices.Clone(path), key), Value: value})
	}
	was := clip.Caption
	set("text", was.Text != now.Text, now.Text, true)
	set("style", was.Style != now.Style, now.Style, now.Style != "")
	set("color", was.Color != now.Color, now.Color, now.Color != "")
	set("anchor", was.Anchor != now.Anchor, now.Anchor, now.Anchor != "")
	set("x", was.X != now.X, now.X, now.X != 0)
	set("y", was.Y != now.Y, now.Y, now.Y != 0)
	set("size", was.Size != now.Size, now.Size, now.Size != 0)
	set("fade", was.Fade != now.Fade, now.Fade, now.Fade != 0)
	return out
}

// object is where an overlay lies, as the file has it.
func (b box) object() otio.Object {
	out := otio.Object{}
	put := func(key string, n int) {
		if n != 0 {
			out = append(out, field(key, n))
		}
	}
	put("width", b.Width)
	put("height", b.Height)
	if b.Anchor != "" {
		out = append(out, field("anchor", b.Anchor))
	}
	put("x", b.X)
	put("y", b.Y)
	if b.Opacity != 100 {
		put("opacity", b.Opacity)
	}
	return out
}

// boxOf reads where an overlay lies.
func (f *Film) boxOf(a pdk.Args, b *box, m *Medium) (err error) {
	if b.Anchor, b.X, b.Y, err = f.pos(a, b.Anchor, b.X, b.Y); err != nil {
		return err
	}
	if v, ok := a.Param("size"); ok {
		if b.Width, b.Height, ok = f.measure(v); !ok {
			return pdk.Errorf("size:%s is not a size: a part of the picture's width such as 30%%, WIDTHxHEIGHT in pixels, or a width", v).Instead(v, "30%")
		}
	}
	if v, ok := a.Param("opacity"); ok {
		x, err := strconv.ParseFloat(strings.TrimSuffix(v, "%"), 64)
		if err == nil && x <= 1 && x > 0 && !strings.HasSuffix(v, "%") && strings.Contains(v, ".") {
			x *= 100 // 0.8
		}
		if err != nil || !(x >= 1 && x <= 100) {
			return pdk.Errorf("opacity:%s is not an opacity: 1%% to 100%%", v).Instead(v, "50%")
		}
		b.Opacity = int(math.Round(x))
	}
	return nil
}

// measure reads the size of an overlay.
func (f *Film) measure(text string) (w, h int, ok bool) {
	s := f.all().settings
	if p, percent := strings.CutSuffix(text, "%"); percent {
		x, err := strconv.ParseFloat(p, 64)
		if err != nil || !(x >= 1 && x <= 400) {
			return 0, 0, false
		}
		w = int(math.Round(float64(s.width)*x/200)) * 2
		return min(max(w, 2), 8192), 0, true
	}
	text = strings.TrimSuffix(strings.ToLower(text), "px")
	ws, hs, both := strings.Cut(text, "x")
	w, err := strconv.Atoi(ws)
	if err == nil && both {
		h, err = strconv.Atoi(hs)
	}
	return w, h, err == nil && w >= 2 && w <= 8192 && h >= 0 && h <= 8192
}

func overlayMedia(c *ctx, a pdk.Args, what string) error {
	keys := []string{"from", "to", "dur", "in", "pos", "shift", "size", "opacity", "fade", "volume", "id"}
	if err := only(a, "overlay "+what, keys...); err != nil {
		return err
	}
	m, err := enter(c, a.Text(1))
	if err != nil {
		return err
	}
	if !m.Video {
		return pdk.Errorf("%s has no pictures", pdk.Quote(m.ID)).Tryf("add audio %s", pdk.Quote(a.Text(1)))
	}
	f := c.Model
	k := clock{f: f}
	in, _, err := k.lengthOf(a, "in")
	if err != nil {
		return err
	}
	all := m.frames(f.rate())
	otherwise := all - in
	if m.Still {
		otherwise, _ = f.rate().Frames(stillLength)
	}
	from, frames, err := k.during(a, otherwise)
	if err != nil {
		return err
	}
	if all >= 0 && in+frames > all {
		if in >= all {
			return pdk.Errorf("in:%s is at or after the end of %s, which is %s long", a.String("in", ""), pdk.Quote(m.ID), f.text(all))
		}
		return pdk.Errorf("%s is %s long, and would be shown up to %s", pdk.Quote(m.ID), f.text(all), f.text(in+frames)).Try(a.Mended(pdk.Without("to"), pdk.WithParam("dur", f.text(all-in))))
	}
	b := box{Opacity: 100}
	if b.Width, b.Height, _ = f.measure("30%"); m.Width > 0 && m.Width < b.Width {
		b.Width = 0
	}
	if err := f.boxOf(a, &b, m); err != nil {
		return err
	}
	db, _, err := level(a, "volume")
	if err != nil {
		return err
	}
	fade, _, err := k.lengthOf(a, "fade")
	if err != nil {
		return err
	}
	if 2*fade > frames {
		return pdk.Errorf("it is seen for %s, and its fades would take %s", f.text(frames), f.text(2*fade))
	}
	id := a.String("id", "")
	if id == "" {
		id = f.freshID(m.ID)
	} else if err := f.newID(a, id); err != nil {
		return err
	}
	metadata := otio.Object{field("media", m.ID), field("over", b.object())}
	if m.Audio {
		metadata = append(metadata, field("sound", true))
	}
	if db != 0 {
		metadata = append(metadata, field("volume", db))
	}
	if fade > 0 {
		metadata = append(metadata, field("fade_in", f.lasting(fade)), field("fade_out", f.lasting(fade)))
	}
	t, err := f.above(c, from, frames)
	if err != nil {
		return err
	}
	l := t.lane()
	l.put(&seg{id: id, start: from, end: from + frames, in: float64(in), speed: 1, make: func(_, dur int, at float64) otio.Object {
		return newClip(id, metadata, otio.Range(at, float64(dur), f.rate().Float()), f.refer(m))
	}})
	if err := l.write(c, "overlay "+id, id); err != nil {
		return err
	}
	heard := ""
	if m.Audio {
		heard = ", with its sound"
	}
	c.Created("overlay %s on %s %s%s%s%s", pdk.Quote(id), t.ID, f.span(from, from+frames), b, heard, k.said())
	return nil
}

// String is where it lies.
func (b box) String() string {
	s := ""
	if b.Anchor != "" {
		s += " " + b.Anchor
	} else {
		s += " center"
	}
	if b.X != 0 || b.Y != 0 {
		s += fmt.Sprintf(" shifted %d,%d", b.X, b.Y)
	}
	switch {
	case b.Width > 0 && b.Height > 0:
		s += fmt.Sprintf(" %dx%d", b.Width, b.Height)
	case b.Width > 0:
		s += fmt.Sprintf(" %d wide", b.Width)
	}
	if b.Opacity != 100 {
		s += fmt.Sprintf(" %d%%", b.Opacity)
	}
	return s
}

// above finds a track of pictures over the first one with room, or makes it.
func (f *Film) above(c *ctx, from, frames int) (*Track, error) {
	first := true
	for _, t := range f.all().tracks {
		if t.Kind != pictures {
			continue
		}
		if !first && !t.Hidden && t.lane().hit(from, from+frames) == nil {
			return t, nil
		}
		first = false
	}
	if first { // no track of pictures at all: overlays lie on the second one
		if _, err := raise(c, pictures, f.nextTrack(pictures)); err != nil {
			return nil, err
		}
	}
	return raise(c, pictures, f.nextTrack(pictures))
}

func captionOne(c *ctx, a pdk.Args) error { return overlayText(c, a, "caption") }

// captions reads subtitles.
func captions(c *ctx, a pdk.Args) error {
	f := c.Model
	s, err := c.Resource(a.Text(0))
	if err != nil {
		return pdk.Errorf("%s: %v", a.Text(0), err)
	}
	if s == nil {
		return pdk.Errorf("%s is not a file of subtitles: captions ./NAME.srt", pdk.Quote(a.Text(0)))
	}
	k := clock{f: f}
	by := 0
	if v, ok := a.Param("shift"); ok {
		if by, err = k.length("shift", strings.TrimLeft(v, "+-")); err != nil {
			return err
		}
		if strings.HasPrefix(v, "-") {
			by = -by
		}
	}
	text, as := decoded(s.Data)
	list, bad := subtitles(text)
	if len(list) == 0 {
		return pdk.Errorf("%s holds no subtitles", pdk.Quote(a.Text(0)))
	}
	if as != "" {
		c.Warn("%s is not UTF-8, and was read as %s", pdk.Quote(a.Text(0)), as)
	}
	var made []string
	was, gone, cut := f.Frames(), 0, 0
	for _, sub := range list {
		from, _ := f.rate().Frames(sub.from)
		to, _ := f.rate().Frames(sub.to)
		switch from, to = from+by, to+by; {
		case to <= 0 && sub.to != sub.from:
			gone++
			continue
		case to <= from:
			bad++
			continue
		case from < 0:
			from = 0
			cut++
		}
		id := f.freshID("caption")
		if _, err := f.writeText(c, id, caption{Text: sub.text, Style: "caption"}, from, to-from); err != nil {
			return err
		}
		made = append(made, id)
	}
	if len(made) == 0 {
		return pdk.Errorf("none of the %s can be shown", pdk.Count(len(list), "subtitle"))
	}
	if bad > 0 {
		c.Warn("%s of %s could not be read, or are shown for no frame", pdk.Count(bad, "subtitle"), pdk.Quote(a.Text(0)))
	}
	if gone > 0 {
		c.Warn("%s of %s end before the film starts, and are left out", pdk.Count(gone, "subtitle"), pdk.Quote(a.Text(0)))
	}
	if cut > 0 {
		c.Warn("%s of %s began before the film does, and now begin with it", pdk.Count(cut, "subtitle"), pdk.Quote(a.Text(0)))
	}
	f.warnLate(c, made, was)
	touch(c, made...)
	first, last := f.firstLast(made)
	c.Created("%s %s", pdk.Count(len(made), "caption"), f.span(first, last))
	return nil
}

// warnLate warns of captions that make the film longer than it was, and of one that comes long after the one before it.
func (f *Film) warnLate(c *ctx, made []string, was int) {
	var list []*Clip
	for _, clip := range f.clips() {
		if slices.Contains(made, clip.ID) {
			list = append(list, clip)
		}
	}
	slices.SortFunc(list, func(a, b *Clip) int { return a.Start - b.Start })
	if was > 0 && f.Frames() > was {
		c.Warn("the film is %s long now, and was %s: %s is shown up to then", f.text(f.Frames()), f.text(was), list[len(list)-1].name())
	}
	long, _ := f.rate().Frames(tenMinutes)
	for i := range list[1:] {
		if apart := list[i+1].Start - list[i].End; apart > long {
			c.Warn("%s comes %s after the one before it, at %s", list[i+1].name(), f.text(apart), f.text(list[i+1].Start))
			return
		}
	}
}

// firstLast is from when to when some clips are seen.
func (f *Film) firstLast(ids []string) (first, last int) {
	first = -1
	for _, c := range f.clips() {
		if slices.Contains(ids, c.ID) {
			if first < 0 || c.Start < first {
				first = c.Start
			}
			last = max(last, c.End)
		}
	}
	return max(first, 0), last
}
