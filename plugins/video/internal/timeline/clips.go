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
	"github.com/fcp-host/fcp-host/plugins/video/internal/timecode"
)

func clipVerbs() []verb {
	key := func(pairs ...string) (out []abi.Param) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, abi.Param{Key: pairs[i], Value: pairs[i+1]})
		}
		return out
	}
	rippling := func(pairs ...string) []abi.Param { return append(key(pairs...), rippleKey) }
	return []verb{
		{Run: trim, Verb: abi.Verb{Name: "trim", Syntax: "trim CLIP [in:TIME] [out:TIME] [dur:TIME] [start:TIME] [end:TIME] [ripple|ripple:all]", Summary: "change which part of its media a clip shows (in: out: dur: count in the media), or when it starts and ends on the timeline (start: end:); ripple moves what follows on its track along, ripple:all on all tracks",
			Brief: "trim CLIP [in: out: dur:|start: end:] [ripple|ripple:all] · in: out: count in the media, start: end: on the timeline", Category: "clips",
			Params: rippling("in", "TIME", "out", "TIME", "dur", "TIME", "start", "TIME", "end", "TIME"), Min: 1, Max: 2, Examples: []string{"trim vid1 in:2s out:8s", "trim vid1 end:10s ripple", "trim title dur:3s"}}},
		{Run: split, Verb: abi.Verb{Name: "split", Syntax: "split CLIP at:TIME [id:ID]", Summary: "cut a clip in two at a time of the timeline", Category: "clips", Params: key("at", "TIME", "id", "ID"), Min: 1, Max: 1, Examples: []string{"split vid1 at:5s"}}},
		{Run: move, Verb: abi.Verb{Name: "move", Syntax: "move CLIP at:TIME|after:CLIP [to:TRACK] · move CLIP|@SEL by:+TIME|-TIME", Summary: "move clips; where they were a gap is left, and after: pushes what follows",
			Brief: "move CLIP at:TIME|after:CLIP [to:TRACK] · move CLIP|@SEL by:±TIME", Category: "clips", Params: rippling("at", "TIME", "after", "CLIP", "to", "TRACK", "by", "±TIME"), Select: true, Min: 0, Max: 1,
			Examples: []string{"move vid2 at:12s", "move vid2 after:vid1", "move @type:text by:-1.5s", "move logo to:V3 at:0s"}}},
		{Run: ripple, Verb: abi.Verb{Name: "ripple-delete", Syntax: "ripple-delete CLIP|@SEL [ripple:all]", Summary: "remove clips or gaps, and move what follows them on their tracks into their place; ripple:all moves all tracks", Brief: "ripple-delete CLIP|@SEL|@gap [ripple:all] · and close the gap", Category: "clips", Params: rippling(), Select: true, Min: 0, Max: 1, Examples: []string{"ripple-delete vid2 ripple:all", "ripple-delete @gap"}}},
		{Run: remove, Verb: abi.Verb{Name: "remove", Syntax: "remove CLIP|TRANSITION|MARKER|MEDIA|@SEL · remove effect KIND on:CLIP|@SEL", Summary: "take out; a clip leaves a gap, a transition gives its clips back what it overlapped", Brief: "remove CLIP|TRANSITION|MARKER|MEDIA|@SEL · remove effect KIND on:CLIP",
			Category: "clips", Params: rippling("on", "CLIP"), Select: true, Min: 0, Max: 2, Examples: []string{"remove vid2", "remove crossfade", "remove @type:text", "remove effect grayscale on:vid1"}}},
		{Run: duplicate, Verb: abi.Verb{Name: "copy", Syntax: "copy CLIP at:TIME|after:CLIP [to:TRACK] [id:ID]", Summary: "put a second one elsewhere, with its looks and effects", Category: "clips", Params: rippling("at", "TIME", "after", "CLIP", "to", "TRACK", "id", "ID"), Min: 1, Max: 1, Examples: []string{"copy vid1 at:end", "copy title at:30s id:title_end"}}},
		{Run: repeat, Verb: abi.Verb{Name: "repeat", Syntax: "repeat CLIP count:N", Summary: "put N more right after it, which pushes what is there", Category: "clips", Params: rippling("count", "N"), Min: 1, Max: 1, Examples: []string{"repeat vid2 count:3"}}},
		{Run: speed, Verb: abi.Verb{Name: "speed", Syntax: "speed CLIP|@SEL 2x|50% [ripple:all]", Summary: "play faster or slower, from 0.01x to 100x; the clip gets shorter or longer, and what follows it on its track moves along, on all tracks with ripple:all", Brief: "speed CLIP|@SEL 2x|50% [ripple:all] · what follows moves along", Category: "clips", Params: rippling(), Select: true, Min: 1, Max: 2, Examples: []string{"speed vid1 2x", "speed vid1 50%"}}},
	}
}

// keyword reads a word such as ripple at the end of an op.
func keyword(a pdk.Args, at int, words ...string) (string, error) {
	if len(a.Positionals) <= at {
		return "", nil
	}
	word, ok := pdk.OneOf(a.Text(at), words)
	if !ok {
		err := pdk.Errorf("%s is not known here; there is %s", pdk.Quote(a.Text(at)), strings.Join(words, ", "))
		if near := pdk.Nearest(a.Text(at), words); len(near) > 0 {
			err = err.Try(a.Mended(pdk.WithWords(at, 1, near[0])))
		}
		return "", err
	}
	return word, nil
}

// source is how many frames of the project its medium has, -1 for unknown or without end.
func (f *Film) source(c *Clip) int {
	if m := f.of(c); m != nil {
		return m.frames(f.rate())
	}
	return c.avail
}

func trim(c *ctx, a pdk.Args) error {
	f := c.Model
	word, err := keyword(a, 1, "ripple")
	if err != nil {
		return err
	}
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if len(a.Params) == 0 {
		return f.sample(pdk.Errorf("trim needs what to change: in: out: dur: of the media, or start: end: on the timeline"), "trim", a)
	}
	if clip.kind == otherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.name(), clip.Schema)
	}
	k := clock{f: f, track: clip.Track, within: true}
	l := clip.Track.lane()
	at := l.of(clip)
	s := l.segs[at]
	all := f.source(clip)
	inMedia := a.Has("in") || a.Has("out")
	if inMedia && (a.Has("start") || a.Has("end")) {
		return pdk.Errorf("in: and out: count in the media, start: and end: on the timeline: give one pair").Try(a.Mended(pdk.Without("start", "end")), a.Mended(pdk.Without("in", "out")))
	}
	if inMedia && clip.kind == textItem {
		return pdk.Errorf("%s is a text, which has no in: and out:", clip.name())
	}
	start, end, in := s.start, s.end, s.in
	if v, ok := a.Param("start"); ok {
		if start, err = k.moment("start", v); err != nil {
			return err
		}
		in += float64(start-s.start) * s.speed
	}
	if v, ok := a.Param("end"); ok {
		if end, err = k.moment("end", v); err != nil {
			return err
		}
	}
	if n, ok, err := k.lengthOf(a, "in"); err != nil {
		return err
	} else if ok {
		end -= int(math.Round((float64(n) - in) / s.speed)) // what is seen last stays
		in = float64(n)
	}
	if n, ok, err := k.lengthOf(a, "out"); err != nil {
		return err
	} else if ok {
		end = start + int(math.Round((float64(n)-in)/s.speed))
	}
	if n, ok, err := k.lengthOf(a, "dur"); err != nil {
		return err
	} else if ok {
		if a.Has("out") || a.Has("end") {
			return pdk.Errorf("dur: and the end: give one of them").Try(a.Mended(pdk.Without("dur")))
		}
		end = start + n
	}
	switch {
	case end <= start:
		return pdk.Errorf("nothing of %s would be left: it would start at %s and end at %s", clip.name(), f.text(start), f.text(end))
	case in < -0.5 && clip.kind == clipItem:
		return pdk.Errorf("%s would start %s before its media does", clip.name(), f.text(int(math.Ceil(-in))))
	case all >= 0 && in+float64(end-start)*s.speed > float64(all)+0.5:
		most := int((float64(all) - in) / s.speed)
		err := pdk.Errorf("%s would be seen up to %s of its media, which is %s long", clip.name(), f.text(int(in+float64(end-start)*s.speed)), f.text(all))
		if v, ok := a.Param("out"); ok && most > 0 {
			return err.Instead(v, f.text(all))
		}
		if v, ok := a.Param("dur"); ok && most > 0 {
			return err.Instead(v, f.text(most))
		}
		if v, ok := a.Param("end"); ok && most > 0 {
			return err.Instead(v, f.text(start+most))
		}
		return err
	}
	in = max(0, in)
	if start == s.start && end == s.end && math.Abs(in-s.in) < 1e-6 {
		return pdk.Unchanged("%s is %s already", clip.name(), f.span(start, end))
	}
	moved, w := "", wave{tracks: []string{clip.Track.ID}, start: s.end, end: s.end}
	if all, err := everywhere(a); err != nil {
		return err
	} else if word == "ripple" || all {
		by := end - start - (s.end - s.start)
		w.by = by
		start, end = s.start, s.start+end-start
		if at+1 < len(l.segs) && by != 0 {
			moved = fmt.Sprintf("; %s and what follows it move by %s", pdk.Quote(l.segs[at+1].id), signed(f, by))
		}
		for _, o := range l.segs[at+1:] {
			o.start, o.end = o.start+by, o.end+by
		}
	}
	if at == len(l.segs)-1 {
		l.tail = max(0, l.tail-max(0, end-s.end))
	}
	s.start, s.end, s.in = start, end, in
	if clip.FadeIn+clip.FadeOut > end-start {
		s.changes = append(s.changes, fadeChanges(f, min(clip.FadeIn, (end-start)/2), min(clip.FadeOut, (end-start)/2))...)
	}
	if err := l.check(); err != nil && clip.floats() && w.by == 0 && s.start >= 0 {
		t, err := f.float(c, clip, s, false)
		if err != nil {
			return err
		}
		c.Changed("%s on %s %s%s%s", clip.name(), t.ID, f.span(start, end), f.shown(clip, in, end-start), k.said())
		return nil
	} else if err != nil {
		out := pdk.Errorf("%v", err)
		if w.by == 0 && (at+1 < len(l.segs) || at > 0) {
			out = out.Try(trimmed(a) + " ripple")
		}
		return out
	}
	if err := l.write(c, "trim "+clip.ID, clip.ID); err != nil {
		return err
	}
	follows, err := f.along(c, a, w)
	if err != nil {
		return err
	}
	moved += follows
	c.Changed("%s %s%s%s%s", clip.name(), f.span(start, end), f.shown(clip, in, end-start), moved, k.said())
	return nil
}

// trimmed is an op as it was written.
func trimmed(a pdk.Args) string { return strings.TrimSpace(a.Raw) }

// shown tells which part of its medium a clip shows.
func (f *Film) shown(c *Clip, in float64, frames int) string {
	m := f.of(c)
	if m == nil || m.Still {
		return ""
	}
	s := fmt.Sprintf(", %s-%s of %s", f.text(int(math.Round(in))), f.text(int(math.Round(in+float64(frames)*c.Speed))), pdk.Quote(m.ID))
	if c.Speed != 1 {
		s += " at " + num(c.Speed) + "x"
	}
	return s
}

func signed(f *Film, frames int) string {
	if frames > 0 {
		return "+" + f.text(frames)
	}
	return f.text(frames)
}

func fadeChanges(f *Film, in, out int) []otio.Change {
	return []otio.Change{{Path: []string{"metadata", "fcp", "fade_in"}, Value: f.lasting(in)}, {Path: []string{"metadata", "fcp", "fade_out"}, Value: f.lasting(out)}}
}

// lasting is a number of frames as the file has it, nil for none.
func (f *Film) lasting(frames int) any {
	if frames <= 0 {
		return nil
	}
	return otio.Time(float64(frames), f.rate().Float())
}

func split(c *ctx, a pdk.Args) error {
	f := c.Model
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if clip.kind == otherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.name(), clip.Schema)
	}
	first, last := clip.alone()
	k := clock{f: f, track: clip.Track, within: true}
	text, given := a.Param("at")
	if !given {
		return pdk.Errorf("split needs at:TIME, a time of the timeline between %s and %s", f.text(first), f.text(last)).Try(a.Mended(pdk.WithParam("at", f.text((first+last)/2))))
	}
	at, err := k.moment("at", text)
	if err != nil {
		return err
	}
	if at <= first || at >= last {
		within := ""
		if clip.left != nil || clip.right != nil {
			within = ", outside of its transitions"
		}
		err := pdk.Errorf("%s is not within %s: it can be split between %s and %s%s", f.text(at), clip.name(), f.text(first), f.text(last), within)
		if last-first > 1 {
			err = err.Try(a.Mended(pdk.WithParam("at", f.text((first+last)/2))))
		}
		return err
	}
	id := a.String("id", "")
	if id == "" {
		id = f.freshID(base(clip.ID))
	} else if err := f.newID(a, id); err != nil {
		return err
	}
	l := clip.Track.lane()
	i := l.of(clip)
	s := l.segs[i]
	n := &seg{id: id, start: at, end: s.end, in: s.in + float64(at-s.start)*s.speed, speed: s.speed, base: s.base, next: s.next, text: clip.node.Text(),
		changes: []otio.Change{{Path: []string{"name"}, Value: id}}}
	s.end, s.next = at, nil
	if clip.FadeIn > 0 {
		n.changes = append(n.changes, otio.Change{Path: []string{"metadata", "fcp", "fade_in"}})
		if clip.FadeIn > s.end-s.start {
			s.changes = append(s.changes, otio.Change{Path: []string{"metadata", "fcp", "fade_in"}, Value: f.lasting(s.end - s.start)})
		}
	}
	if clip.FadeOut > 0 {
		s.changes = append(s.changes, otio.Change{Path: []string{"metadata", "fcp", "fade_out"}})
		if clip.FadeOut > n.end-n.start {
			n.changes = append(n.changes, otio.Change{Path: []string{"metadata", "fcp", "fade_out"}, Value: f.lasting(n.end - n.start)})
		}
	}
	if slices.ContainsFunc(clip.Effects, func(e effect) bool {
		return slices.ContainsFunc(e.Params, func(s setting) bool { return strings.Contains(s.Value, "@") })
	}) {
		c.Warn("the effects of %s that change over time start anew in %s", clip.name(), pdk.Quote(id))
	}
	l.segs = slices.Insert(l.segs, i+1, n)
	if err := l.write(c, "split "+clip.ID, clip.ID, id); err != nil {
		return err
	}
	touch(c, clip.ID, id)
	c.Created("%s %s, and %s %s%s", clip.name(), f.span(clip.Start, at), pdk.Quote(id), f.span(at, clip.End), k.said())
	return nil
}

// alone is from when to when nothing of the clips beside it is seen with it.
func (c *Clip) alone() (first, last int) {
	first, last = c.Start, c.End
	if c.left != nil {
		first = c.left.A.End
	}
	if c.right != nil {
		last = c.right.B.Start
	}
	return first, last
}

// base is an id without the number at its end: vid1_2 becomes vid1.
func base(id string) string {
	if i := strings.LastIndexByte(id, '_'); i > 0 {
		if _, err := strconv.Atoi(id[i+1:]); err == nil {
			return id[:i]
		}
	}
	return id
}

func move(c *ctx, a pdk.Args) error {
	if a.Has("by") {
		return shift(c, a)
	}
	f := c.Model
	if len(a.Selectors) > 0 {
		return pdk.Errorf("several are moved by:TIME, such as by:+2s; at: and after: move one CLIP")
	}
	if len(a.Positionals) == 0 {
		return f.sample(pdk.Errorf("move needs a CLIP, or selectors and by:TIME"), "move", a)
	}
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if !a.Has("at") && !a.Has("after") && !a.Has("to") {
		return f.sample(pdk.Errorf("move needs where to: at:TIME, after:CLIP, by:±TIME, or to:TRACK"), "move", a)
	}
	if clip.kind == otherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.name(), clip.Schema)
	}
	p, err := f.placed(c, a, clip, true)
	if err != nil {
		return err
	}
	if p.track.ID == clip.Track.ID && p.at == clip.Start && !p.pushes {
		return pdk.Unchanged("%s starts at %s of %s already", clip.name(), f.text(p.at), p.track.ID)
	}
	said := ""
	if n := lost(clip); n != "" {
		said = "; " + n + " goes"
	}
	from := clip.Track.lane()
	s := from.segs[from.of(clip)]
	if p.track.ID == clip.Track.ID {
		from.take(from.of(clip))
		n := moved(clip, s, p.at)
		said += p.push(from, clip.Frames())
		n.start, n.end = p.at, p.at+clip.Frames()
		if clip.floats() && from.hit(n.start, n.end) != nil && !a.Has("to") {
			t, err := f.float(c, clip, n, false)
			if err != nil {
				return err
			}
			c.Changed("%s on %s %s%s", clip.name(), t.ID, f.span(n.start, n.end), p.said())
			return nil
		}
		if err := p.fits(from, n, a); err != nil {
			return err
		}
		from.put(n)
		if err := from.write(c, "move "+clip.ID, clip.ID); err != nil {
			return err
		}
	} else {
		n := moved(clip, s, p.at)
		from.take(from.of(clip))
		if err := from.write(c, "move "+clip.ID, clip.ID); err != nil {
			return err
		}
		to, err := f.track(p.track.ID)
		if err != nil {
			return err
		}
		l := to.lane()
		said += p.push(l, clip.Frames())
		if err := p.fits(l, n, a); err != nil {
			return err
		}
		l.put(n)
		if err := l.write(c, "move "+clip.ID, clip.ID); err != nil {
			return err
		}
	}
	follows, err := f.along(c, a, p.wave)
	if err != nil {
		return err
	}
	c.Changed("%s on %s %s%s%s%s", clip.name(), p.track.ID, f.span(p.at, p.at+clip.Frames()), said, follows, p.said())
	return nil
}

// moved is a seg that is put in anew with what the file has of a clip.
func moved(clip *Clip, s *seg, at int) *seg {
	return &seg{id: clip.ID, start: at, end: at + clip.Frames(), in: s.in, speed: s.speed, base: s.base, text: clip.node.Text(), changes: s.changes}
}

// lost names the transitions that a clip takes part in.
func lost(c *Clip) string {
	var out []string
	for _, j := range []*Join{c.left, c.right} {
		if j != nil {
			out = append(out, pdk.Quote(j.ID))
		}
	}
	return strings.Join(out, " and ")
}

// placement is where a clip is moved or copied to.
type placement struct {
	clock
	at     int
	pushes bool // what is there makes room
	wave   wave // what that moved
}

// placed reads at:, after: and to:.
func (f *Film) placed(c *ctx, a pdk.Args, clip *Clip, moves bool) (*placement, error) {
	p := &placement{clock: clock{f: f, track: clip.Track}, at: clip.Start}
	if ref, ok := a.Param("to"); ok {
		t, err := grow(c, ref)
		if err != nil {
			return nil, f.whenOrWhere(err, a)
		}
		if t.Kind != clip.Track.Kind {
			return nil, pdk.Errorf("%s is of another kind than %s, where %s is", t.ID, clip.Track.ID, clip.name())
		}
		p.track = t
	}
	at, atGiven := a.Param("at")
	after, afterGiven := a.Param("after")
	if rest, ok := strings.CutPrefix(at, "after:"); ok && !afterGiven {
		after, afterGiven, atGiven = rest, true, false
	}
	switch {
	case atGiven && afterGiven:
		return nil, pdk.Errorf("at: says when, after: after which clip: give one of them").Try(a.Mended(pdk.Without("after")), a.Mended(pdk.Without("at")))
	case afterGiven:
		behind, err := f.clip(after, false)
		if err != nil {
			return nil, err
		}
		if behind.ID == clip.ID && behind.Track.ID == clip.Track.ID && moves {
			return nil, pdk.Errorf("%s cannot be after itself", clip.name())
		}
		if behind.right != nil && !(moves && behind.right.B.ID == clip.ID) {
			return nil, pdk.Errorf("%s and %s are joined by %s: remove that first", behind.name(), behind.right.B.name(), pdk.Quote(behind.right.ID)).Try(a.Mended(pdk.Without("at"), pdk.WithParam("after", behind.right.B.ID)))
		}
		if behind.Track.Kind != clip.Track.Kind {
			return nil, pdk.Errorf("%s is on %s, which is of another kind than %s", behind.name(), behind.Track.ID, clip.Track.ID)
		}
		p.track, p.at, p.pushes = behind.Track, behind.End, true
	case atGiven:
		n, err := p.moment("at", at)
		if err != nil {
			return nil, err
		}
		p.at = n
	}
	return p, nil
}

// whenOrWhere is the error for a to: that names no track, and perhaps a time.
func (f *Film) whenOrWhere(err error, a pdk.Args) error {
	if _, no := timecode.Parse(a.String("to", ""), f.rate()); no != nil || a.Has("at") {
		return err
	}
	return pdk.Errorf("to: names a track, at: says when: to:%s is a time", a.String("to", "")).Try(a.Mended(pdk.WithKey("to", "at")))
}

// push makes room, where that was asked for.
func (p *placement) push(l *lane, frames int) string {
	if !p.pushes {
		return ""
	}
	i := slices.IndexFunc(l.segs, func(s *seg) bool { return s.start >= p.at })
	if i < 0 || l.segs[i].start >= p.at+frames {
		return ""
	}
	by := p.at + frames - l.segs[i].start
	id := l.segs[i].id
	p.wave = wave{tracks: []string{l.track.ID}, start: l.segs[i].start, end: l.segs[i].start, by: by}
	l.shift(l.segs[i].start, by)
	return fmt.Sprintf("; %s and what follows it start %s later", pdk.Quote(id), p.f.text(by))
}

// fits is an error where something stands in the way.
func (p *placement) fits(l *lane, n *seg, a pdk.Args) error {
	h := l.hit(n.start, n.end)
	if h == nil {
		return nil
	}
	err := pdk.Errorf("%s has %s from %s to %s", l.track.ID, pdk.Quote(h.id), p.f.text(h.start), p.f.text(h.end))
	return err.Try(a.Mended(pdk.Without("at"), pdk.WithParam("after", l.chained(h))))
}

// shift moves several by the same time.
func shift(c *ctx, a pdk.Args) error {
	f := c.Model
	if a.Has("at") || a.Has("after") || a.Has("to") {
		return pdk.Errorf("by: moves from where things are: it takes no at:, after: or to:").Try(a.Mended(pdk.Without("at", "after", "to")))
	}
	clips, err := targets(c, a)
	if err != nil {
		return err
	}
	text := a.String("by", "")
	k := clock{f: f}
	n, err := k.length("by", strings.TrimLeft(text, "+-"))
	if err != nil {
		return err
	}
	if strings.HasPrefix(text, "-") {
		n = -n
	}
	if n == 0 {
		return pdk.Unchanged("by:%s moves nothing", text)
	}
	for _, t := range f.all().tracks {
		l, some := t.lane(), false
		for _, s := range l.segs {
			if slices.Contains(clips, s.clip) {
				s.start, s.end, some = s.start+n, s.end+n, true
			}
		}
		if !some {
			continue
		}
		for i, s := range l.segs {
			if s.next != nil && slices.Contains(clips, s.clip) != slices.Contains(clips, l.segs[i+1].clip) {
				return pdk.Errorf("%s joins %s and %s: move both, or remove it first", pdk.Quote(s.next.was.ID), pdk.Quote(s.id), pdk.Quote(l.segs[i+1].id))
			}
		}
		if l.tail > 0 {
			l.tail = max(0, l.tail-max(0, n))
		}
		if l.check() == nil {
			if err := l.write(c, "move by "+text, ids(clips)...); err != nil {
				return err
			}
			continue
		}
		if err := f.scatter(c, l, clips); err != nil {
			return err
		}
	}
	touch(c, ids(clips)...)
	c.Changed("%s %s: %s%s", names(clips), signed(f, n), starts(f, clips, n), k.said())
	return nil
}

// scatter moves the texts and overlays of a lane where it has them, to other tracks where there is no room for them. All else has to fit.
func (f *Film) scatter(c *ctx, l *lane, clips []*Clip) error {
	for _, s := range l.segs {
		if slices.Contains(clips, s.clip) && (!s.clip.floats() || s.start < 0) {
			return l.check()
		}
	}
	for _, s := range l.segs {
		if !slices.Contains(clips, s.clip) {
			continue
		}
		if _, err := f.float(c, f.again(l.track, s.id), s, false); err != nil {
			return err
		}
	}
	return nil
}

// starts tells where up to four clips are now.
func starts(f *Film, clips []*Clip, by int) string {
	var out []string
	for _, c := range clips {
		out = append(out, fmt.Sprintf("%s at %s", c.name(), f.text(c.Start+by)))
	}
	return list(out, 4)
}

func ripple(c *ctx, a pdk.Args) error {
	f := c.Model
	var found []thing
	if len(a.Selectors) > 0 {
		var err error
		if found, err = selection.Select(f, c.Recent, a.Selectors); err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(x thing) bool { return x.join != nil })
		if len(found) == 0 {
			return pdk.Errorf("no clip or gap matches %s", pdk.SelectorText(a.Selectors))
		}
	} else if len(a.Positionals) == 0 {
		return f.sample(pdk.Errorf("ripple-delete needs a CLIP, or selectors"), "ripple-delete", a)
	} else {
		clip, err := f.clip(a.Text(0), true)
		if err != nil {
			return err
		}
		found = []thing{{track: clip.Track, clip: clip, start: clip.Start, end: clip.End}}
	}
	var said, touched []string
	var w wave
	for _, x := range found {
		w.tracks = append(w.tracks, x.track.ID)
	}
	w.tracks = unique(w.tracks)
	if all, err := everywhere(a); err != nil {
		return err
	} else if all && len(w.tracks) > 1 {
		return pdk.Errorf("ripple:all follows one track, and these are on %s", list(w.tracks, 5)).Try(a.Mended(pdk.Without("ripple")))
	}
	var waves []wave
	total := 0
	for _, t := range slices.Clone(f.all().tracks) {
		l := t.lane()
		gone := 0
		for _, x := range slices.Backward(found) {
			if x.track.ID != t.ID {
				continue
			}
			from, by := x.end, x.end-x.start
			if x.clip != nil {
				i := l.of(x.clip)
				// What it shares with its neighbours goes with it: these keep what is seen of them.
				before, behind := x.clip.left, x.clip.right
				start, end := x.start, x.end
				if before != nil {
					start = x.clip.left.A.End
				}
				if behind != nil {
					end = behind.B.Start
				}
				from, by = end, end-start
				if by < 0 {
					by = 0
				}
				l.take(i)
				said, touched = append(said, x.clip.name()), append(touched, x.clip.ID)
			}
			l.shift(from, -by)
			waves = append(waves, wave{tracks: w.tracks, start: from - by, end: from, by: -by})
			gone += by
		}
		if gone == 0 && len(l.segs) == len(t.Clips) {
			continue
		}
		total += gone
		if err := l.write(c, "ripple-delete", touched...); err != nil {
			return err
		}
	}
	what := list(said, 8)
	if gaps := len(found) - len(said); gaps > 0 {
		if what != "" {
			what += ", "
		}
		what += pdk.Count(gaps, "gap")
	}
	follows, err := f.along(c, a, waves...)
	if err != nil {
		return err
	}
	c.Deleted("%s; what followed moved up, %s in all%s", what, f.text(total), follows)
	return nil
}

func duplicate(c *ctx, a pdk.Args) error {
	f := c.Model
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if !a.Has("at") && !a.Has("after") {
		return pdk.Errorf("copy needs where to: at:TIME or after:CLIP").Try(a.Mended(pdk.WithParam("at", "end")))
	}
	id := a.String("id", "")
	if id == "" {
		id = f.freshID(base(clip.ID))
	} else if err := f.newID(a, id); err != nil {
		return err
	}
	p, err := f.placed(c, a, clip, false)
	if err != nil {
		return err
	}
	t, err := f.track(p.track.ID)
	if err != nil {
		return err
	}
	l := t.lane()
	from := clip.Track.lane()
	n := moved(clip, from.segs[from.of(clip)], p.at)
	n.id = id
	n.changes = append(n.changes, otio.Change{Path: []string{"name"}, Value: id})
	said := p.push(l, clip.Frames())
	if clip.floats() && l.hit(n.start, n.end) != nil && !a.Has("to") {
		if t, err = f.float(c, clip, n, true); err != nil {
			return err
		}
	} else {
		if err := p.fits(l, n, a); err != nil {
			return err
		}
		l.put(n)
		if err := l.write(c, "copy "+clip.ID, id); err != nil {
			return err
		}
	}
	follows, err := f.along(c, a, p.wave)
	if err != nil {
		return err
	}
	c.Created("%s on %s %s%s%s%s", pdk.Quote(id), t.ID, f.span(n.start, n.end), said, follows, p.said())
	return nil
}

func repeat(c *ctx, a pdk.Args) error {
	f := c.Model
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	times, err := a.Int("count", 1, 1, 1000)
	if err != nil {
		return err
	}
	if clip.right != nil {
		last := clip
		for last.right != nil {
			last = last.right.B
		}
		return pdk.Errorf("%s is joined with %s by %s: remove that first, or repeat what is last", clip.name(), clip.right.B.name(), pdk.Quote(clip.right.ID)).Try(a.Mended(pdk.WithWords(0, 1, last.ID)))
	}
	l := clip.Track.lane()
	i := l.of(clip)
	at := clip.End
	p := placement{clock: clock{f: f}, at: at, pushes: true}
	said := p.push(l, times*clip.Frames())
	made := f.freshIDs(base(clip.ID), times)
	for _, id := range made {
		s := moved(clip, l.segs[i], at)
		s.id = id
		s.changes = append(slices.Clone(s.changes), otio.Change{Path: []string{"name"}, Value: id})
		at = s.end
		l.put(s)
	}
	if err := l.write(c, "repeat "+clip.ID, made...); err != nil {
		return err
	}
	follows, err := f.along(c, a, p.wave)
	if err != nil {
		return err
	}
	touch(c, made...)
	c.Created("%s %s on %s%s%s", list(made, 6), f.span(clip.End, at), clip.Track.ID, said, follows)
	return nil
}

func speed(c *ctx, a pdk.Args) error {
	f := c.Model
	word := a.Text(len(a.Positionals) - 1)
	factor, ok := factorOf(word)
	if !ok {
		return f.sample(pdk.Errorf("%s is not a speed: 2x is twice as fast, 0.5x or 50%% half as fast; 0.01x to 100x", pdk.Quote(word)), "speed", a)
	}
	if len(a.Selectors) == 0 && len(a.Positionals) < 2 || len(a.Selectors) > 0 && len(a.Positionals) > 1 {
		return f.sample(pdk.Errorf("speed needs a CLIP or selectors, and how fast: 2x, 50%%"), "speed", a)
	}
	clips, err := targets(c, a)
	if err != nil {
		return err
	}
	if all, err := everywhere(a); err != nil {
		return err
	} else if all && slices.ContainsFunc(clips, func(c *Clip) bool { return c.Track.ID != clips[0].Track.ID }) {
		return pdk.Errorf("ripple:all follows one track, and these are on several").Try(a.Mended(pdk.Without("ripple")))
	}
	if len(a.Selectors) > 0 { // which match what has no speed, too
		played := slices.DeleteFunc(slices.Clone(clips), func(c *Clip) bool {
			m := f.of(c)
			return c.kind != clipItem || m != nil && m.Still
		})
		if len(played) > 0 {
			clips = played
		}
	}
	var tracks, said []string
	for _, clip := range clips {
		tracks = append(tracks, clip.Track.ID)
		m := f.of(clip)
		switch {
		case clip.kind != clipItem:
			return pdk.Errorf("%s has no speed", clip.name())
		case m != nil && m.Still && clip.Speed != factor:
			return pdk.Errorf("%s is a still, which is as fast as any: it can be seen for longer or shorter", clip.name()).Tryf("trim %s dur:%s ripple", clip.name(), f.text(max(1, int(math.Round(float64(clip.Frames())*clip.Speed/factor)))))
		}
	}
	tracks = unique(tracks)
	var waves []wave
	for _, t := range slices.Clone(f.all().tracks) {
		l := t.lane()
		var changed []string
		moved := 0 // what is before has become longer
		for _, s := range l.segs {
			clip := s.clip
			s.start, s.end = s.start+moved, s.end+moved
			if clip.Speed == factor || !slices.Contains(clips, clip) {
				continue
			}
			was, ends := s.end-s.start, s.end
			now := max(1, int(math.Round(float64(was)*clip.Speed/factor)))
			if most := f.source(clip); most >= 0 && s.in+float64(now)*factor > float64(most) {
				now = max(1, int((float64(most)-s.in)/factor+1e-6))
			}
			s.end, s.speed = s.start+now, factor
			moved += now - was
			s.changes = append(s.changes, otio.Change{Path: []string{"effects"}, Value: f.warped(clip, factor)})
			if clip.FadeIn+clip.FadeOut > now {
				s.changes = append(s.changes, fadeChanges(f, min(clip.FadeIn, now/2), min(clip.FadeOut, now/2))...)
			}
			changed = append(changed, clip.ID)
			waves = append(waves, wave{tracks: tracks, start: ends, end: ends, by: now - was})
			said = append(said, fmt.Sprintf("%s %sx %s", clip.name(), num(factor), f.span(s.start, s.end)))
		}
		if len(changed) == 0 {
			continue
		}
		if err := l.write(c, "speed "+list(changed, 5)+" "+num(factor), changed...); err != nil {
			return err
		}
	}
	if len(said) == 0 {
		return pdk.Unchanged("%s: %sx already", names(clips), num(factor))
	}
	follows, err := f.along(c, a, waves...)
	if err != nil {
		return err
	}
	c.Changed("%s; what follows moved along%s", list(said, 5), follows)
	return nil
}

// factorOf reads 2x, 0.5, 50%.
func factorOf(text string) (float64, bool) {
	text = strings.ToLower(text)
	div := 1.0
	if t, ok := strings.CutSuffix(text, "%"); ok {
		text, div = t, 100
	}
	x, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	x = math.Round(x/div*1000) / 1000
	return x, err == nil && x >= 0.01 && x <= 100
}

// warped are an item's effects with another speed.
func (f *Film) warped(c *Clip, factor float64) otio.List {
	out := otio.List{}
	for _, e := range c.node.Value().Get("effects").Each() {
		schema, _, _ := strings.Cut(e.Get("OTIO_SCHEMA").Text(), ".")
		if schema != "LinearTimeWarp" {
			out = append(out, otio.Raw(e.Raw()))
		}
	}
	if factor != 1 {
		out = append(out, otio.Object{field("OTIO_SCHEMA", "LinearTimeWarp.1"), field("metadata", otio.Object{}), field("name", ""), field("effect_name", "LinearTimeWarp"), field("time_scalar", factor)})
	}
	return out
}
