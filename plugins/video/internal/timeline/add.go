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
)

// probe is a resource that is what ffprobe says of a medium, where one of these words is before it.
func probe(position int, behind ...string) abi.Resource {
	return abi.Resource{Position: position, Behind: behind, Kind: abi.ResourceProbe, Want: "program:ffprobe", Accept: mediaEndings(), Optional: true}
}

func addVerb() verb {
	return verb{Run: add, Verb: abi.Verb{
		Name: "add", Syntax: "add clip|audio MEDIA [to:TRACK] [at:TIME|after:CLIP] [in: out: dur:|until:] [volume:] [id:] · add transition KIND between:A,B [duration:TIME] · add effect KIND on:CLIP|@SEL [NAME:VALUE…]",
		Summary:  "put media on a track; overlap two clips by a transition; change a clip's picture or sound",
		Brief:    "add clip|audio MEDIA [to:V1 at:TIME|after:CLIP in: out: dur: until: volume: id:] · MEDIA is a file or an id; without at: after the last · add transition KIND between:A,B [duration:1s] · add effect KIND on:CLIP|@SEL [NAME:VALUE]",
		Category: "clips", AnyParam: true, Select: true, Min: 2, Max: 2,
		Params: []abi.Param{{Key: "to", Value: "V1|A1"}, {Key: "at", Value: "TIME"}, {Key: "after", Value: "CLIP"}, {Key: "in", Value: "TIME"}, {Key: "out", Value: "TIME"}, {Key: "dur", Value: "TIME"}, {Key: "until", Value: "TIME"},
			{Key: "volume", Value: "-6dB"}, {Key: "fit", Value: "contain|cover|stretch"}, {Key: "id", Value: "ID"}, {Key: "between", Value: "A,B"}, {Key: "duration", Value: "TIME"}, {Key: "on", Value: "CLIP"}, rippleKey},
		Resources: []abi.Resource{probe(2, "clip", "audio", "music", "song", "sound", "voice", "video", "image", "film", "movie")}, // after words that are none, too: what is suggested in their place is tried with what was found
		Examples:  []string{"add clip ./cat.mp4 to:V1 at:10s", "add clip vid2 at:end:vid1 in:2s dur:5s", "add audio ./music.mp3 volume:-12dB until:end", "add transition crossfade between:vid1,vid2 duration:1.5s", "add effect grayscale on:vid1"},
	}}
}

func add(c *ctx, a pdk.Args) error {
	switch what := strings.ToLower(a.Text(0)); what {
	case "clip":
		return addClip(c, a, pictures)
	case "audio":
		return addClip(c, a, sounds)
	case "transition":
		return addTransition(c, a)
	case "effect":
		return addEffect(c, a)
	case "text", "title", "image", "video":
		if what == "title" {
			what = "text"
		}
		return pdk.Errorf("%s lies over the picture: overlay %s", what, what).Try("overlay " + strings.TrimSpace(strings.TrimPrefix(a.Mended(pdk.WithWords(0, 1, what)), "add")))
	case "marker", "caption", "track":
		return pdk.Errorf("%s is a verb of its own", what).Try(strings.TrimSpace(strings.TrimPrefix(a.Mended(), "add")))
	}
	if len(a.Positionals) == 0 { // a selector alone
		return pdk.Errorf("add what: a clip, audio, a transition or an effect?")
	}
	// What a word was meant to be its keys say best.
	meant := "clip"
	m, no := c.Model.medium(a.Text(1))
	switch near := pdk.Nearest(strings.ToLower(a.Text(0)), []string{"clip", "audio", "transition", "effect"}); {
	case a.Has("between"):
		meant = "transition"
	case a.Has("on"):
		meant = "effect"
	case len(near) > 0:
		meant = near[0]
	case no == nil && !m.Video || slices.Contains(tunes, ending(a.Text(1))):
		meant = "audio"
	}
	return pdk.Errorf("add makes a clip, audio, transition or effect, not %s", pdk.Quote(a.Text(0))).Try(a.Mended(pdk.WithWords(0, 1, meant)))
}

// alike are keys that say the same of different things.
var alike = map[string]string{"dur": "duration", "duration": "dur", "at": "from", "from": "at", "to": "until", "until": "to"}

// only refuses keys that have no meaning here.
func only(a pdk.Args, what string, keys ...string) error {
	for _, p := range a.Params {
		ok := false
		for _, k := range keys {
			ok = ok || k == p.Key
		}
		if !ok {
			err := pdk.Errorf("%s takes no %s: but %s:", what, p.Key, strings.Join(keys, ": "))
			if other := alike[p.Key]; slices.Contains(keys, other) && !a.Has(other) {
				return err.Try(a.Mended(pdk.WithKey(p.Key, other)))
			}
			if near := pdk.Nearest(p.Key, keys); len(near) > 0 && !a.Has(near[0]) {
				return err.Try(a.Mended(pdk.WithKey(p.Key, near[0])))
			}
			return err.Try(a.Mended(pdk.Without(p.Key)))
		}
	}
	if len(a.Selectors) > 0 {
		return pdk.Errorf("%s takes no selector", what)
	}
	return nil
}

// stretch is what of a medium is shown, in frames of the project.
type stretch struct{ in, dur int }

// part reads in:, out: and dur: for a medium.
func (k *clock) part(a pdk.Args, m *Medium, otherwise int) (s stretch, err error) {
	in, _, err := k.lengthOf(a, "in")
	if err != nil {
		return s, err
	}
	out, outGiven, err := k.lengthOf(a, "out")
	if err != nil {
		return s, err
	}
	dur, durGiven, err := k.lengthOf(a, "dur")
	if err != nil {
		return s, err
	}
	all := m.frames(k.f.rate())
	s.in = in
	switch {
	case outGiven && durGiven && out-in != dur:
		return s, pdk.Errorf("in:, out: and dur: do not agree: give two of them").Try(a.Mended(pdk.Without("dur")), a.Mended(pdk.Without("out")))
	case durGiven:
		s.dur = dur
	case outGiven:
		s.dur = out - in
	case otherwise > 0:
		s.dur = otherwise
		if all >= 0 {
			s.dur = min(s.dur, all-in)
		}
	case m.Still:
		s.dur, _ = k.f.rate().Frames(stillLength)
	case all < 0:
		return s, pdk.Errorf("how long %s is, is not known: give dur:, or say it by media %s duration:10s", pdk.Quote(m.ID), pdk.Quote(m.ID))
	default:
		s.dur = all - in
	}
	if all >= 0 && in >= all {
		return s, pdk.Errorf("in:%s is at or after the end of %s, which is %s long", a.String("in", ""), pdk.Quote(m.ID), k.f.text(all)).Try(a.Mended(pdk.WithParam("in", "0s")))
	}
	if s.dur < 1 {
		return s, pdk.Errorf("nothing would be seen: it ends at %s of the media and begins at %s", k.f.text(in+s.dur), k.f.text(in))
	}
	if all >= 0 && in+s.dur > all {
		err := pdk.Errorf("%s is %s long, and would be shown up to %s", pdk.Quote(m.ID), k.f.text(all), k.f.text(in+s.dur))
		if outGiven {
			return s, err.Try(a.Mended(pdk.WithParam("out", k.f.text(all))))
		}
		return s, err.Try(a.Mended(pdk.WithParam("dur", k.f.text(all-in))))
	}
	return s, nil
}

func addClip(c *ctx, a pdk.Args, kind byte) error {
	if err := only(a, "add "+a.Text(0), "to", "at", "after", "in", "out", "dur", "until", "volume", "fit", "id", "ripple"); err != nil {
		return err
	}
	m, err := enter(c, a.Text(1))
	if err != nil {
		return err
	}
	if kind == pictures && !m.Video {
		return pdk.Errorf("%s has no pictures", pdk.Quote(m.ID)).Try(a.Mended(pdk.WithWords(0, 1, "audio"), pdk.Without("to", "fit")))
	}
	if kind == sounds && !m.Audio {
		return pdk.Errorf("%s has no sound", pdk.Quote(m.ID)).Try(a.Mended(pdk.WithWords(0, 1, "clip"), pdk.Without("to")))
	}
	volume, _, err := level(a, "volume")
	if err != nil {
		return err
	}
	fit, err := oneOf(a, "fit", "", fitWords)
	if err != nil {
		return err
	}
	id := a.String("id", "")
	if id == "" {
		id = c.Model.freshID(m.ID)
	} else if err := c.Model.newID(a, id); err != nil {
		return err
	}
	ours := otio.Object{field("media", m.ID)}
	if kind == pictures && m.Audio {
		ours = append(ours, field("sound", true))
	}
	if volume != 0 {
		ours = append(ours, field("volume", volume))
	}
	if fit != "" && fit != "contain" {
		ours = append(ours, field("fit", fit))
	}
	spot, err := where(c, a, m, kind)
	if err != nil {
		return err
	}
	f := c.Model
	s := &seg{id: id, start: spot.at, end: spot.at + spot.dur, in: float64(spot.in), speed: 1,
		item: &Item{rate: f.rate(), Schema: "Clip.2", Name: id, own: true, dur: spot.dur, in: float64(spot.in), avail: m.frames(f.rate()), Medium: m.ID, url: address(m.Path), Speed: 1, Sound: kind == pictures && m.Audio, Volume: volume, Fit: strings.TrimPrefix(fit, "contain")},
		make: func(_, dur int, in float64) otio.Object {
			return newClip(id, ours, otio.Range(in, float64(dur), f.rate().Float()), f.refer(m))
		}}
	if err := spot.enter(c, s); err != nil {
		return err
	}
	follows, err := f.along(c, a, spot.wave)
	if err != nil {
		return err
	}
	c.Created("%s on %s %s%s%s%s", pdk.Quote(id), spot.on.ID, f.span(s.start, s.end), spot.moved, follows, spot.said())
	return nil
}

// span tells from when to when.
func (f *Film) span(start, end int) string {
	return fmt.Sprintf("%s-%s (%s)", f.text(start), f.text(end), f.text(end-start))
}

// spot is where something new goes.
type spot struct {
	clock
	stretch
	on    *Track
	lane  *lane // nil where there is room as it is
	at    int
	moved string
	wave  wave // what moved
}

// where reads to:, at: or after:, and what of the medium is shown.
func where(c *ctx, a pdk.Args, m *Medium, kind byte) (*spot, error) {
	f := c.Model
	s := &spot{clock: clock{f: f}}
	ref, toGiven := a.Param("to")
	if !toGiven {
		ref = string(kind) + "1"
	}
	at, atGiven := a.Param("at")
	after, afterGiven := a.Param("after")
	if rest, ok := strings.CutPrefix(at, "after:"); ok && atGiven && !afterGiven {
		after, afterGiven, atGiven = rest, true, false
	}
	if atGiven && afterGiven {
		return nil, pdk.Errorf("at: says when, after: after which clip: give one of them").Try(a.Mended(pdk.Without("after")), a.Mended(pdk.Without("at")))
	}
	var behind *Clip
	if afterGiven {
		var err error
		if behind, err = f.clip(after, false); err != nil {
			return nil, err
		}
		if toGiven && !equal(behind.Track.ID, ref) {
			return nil, pdk.Errorf("%s is on %s, not %s", behind.name(), behind.Track.ID, ref).Try(a.Mended(pdk.Without("to")))
		}
		ref = behind.Track.ID
	}
	t, err := grow(c, ref)
	if err != nil {
		return nil, f.whenOrWhere(err, a)
	}
	if (t.Kind == sounds) != (kind == sounds) || t.Kind == letters {
		right := f.tracksOf(kind)
		if len(right) == 0 {
			right = []string{string(kind) + "1"}
		}
		return nil, pdk.Errorf("%s holds %s: give %s", t.ID, map[byte]string{pictures: "pictures", sounds: "sounds", letters: "texts"}[t.Kind], list(right, 5)).Instead(ref, right[0])
	}
	s.track = t
	switch {
	case behind != nil:
		s.at = behind.End
	case atGiven:
		if s.at, err = s.moment("at", at); err != nil {
			return nil, err
		}
	case kind == pictures || toGiven:
		s.at = t.End()
	}
	otherwise := 0
	until, bounded := a.Param("until")
	if bounded {
		whole := s.clock
		whole.track = nil
		end, err := whole.moment("until", until)
		if err != nil {
			return nil, err
		}
		s.notes = append(s.notes, whole.notes...)
		if otherwise = end - s.at; otherwise < 1 {
			return nil, pdk.Errorf("until:%s is %s, and it would start at %s", until, f.text(end), f.text(s.at))
		}
	}
	if s.stretch, err = s.part(a, m, otherwise); err != nil {
		return nil, err
	}
	if bounded && s.dur < otherwise {
		c.Warn("%s ends at %s, %s before until:%s: there is no more of its media", pdk.Quote(m.ID), f.text(s.at+s.dur), f.text(otherwise-s.dur), until)
	}
	if !toGiven && behind == nil && kind == sounds { // the first one with room
		for _, other := range f.all().tracks {
			if other.Kind == sounds && other.free(s.at, s.at+s.dur) {
				s.on = other
				return s, nil
			}
		}
		if t, err = raise(c, sounds, f.nextTrack(sounds)); err != nil {
			return nil, err
		}
	}
	s.on = t
	if behind == nil && t.free(s.at, s.at+s.dur) {
		return s, nil
	}
	s.lane = t.lane()
	if behind != nil {
		at := s.lane.of(behind)
		if behind.right != nil {
			return nil, pdk.Errorf("%s and %s are joined by %s: remove that, or add after %s", behind.name(), behind.right.B.name(), pdk.Quote(behind.right.ID), behind.right.B.name()).Try(a.Mended(pdk.Without("at"), pdk.WithParam("after", behind.right.B.ID)))
		}
		if at+1 < len(s.lane.segs) {
			next := s.lane.segs[at+1]
			if push := s.at + s.dur - next.start; push > 0 {
				s.wave = wave{tracks: []string{t.ID}, start: next.start, end: next.start, by: push}
				s.lane.shift(next.start, push)
				s.moved = fmt.Sprintf("; %s and what follows it start %s later", pdk.Quote(next.id), f.text(push))
			}
		}
		return s, nil
	}
	h := s.lane.hit(s.at, s.at+s.dur)
	no := pdk.Errorf("%s has %s from %s to %s", t.ID, pdk.Quote(h.id), f.text(h.start), f.text(h.end))
	if !atGiven {
		return nil, no
	}
	later := a.Mended(pdk.WithParam("at", "end"))
	if h.start > s.at {
		return nil, no.Try(a.Mended(pdk.Without("dur", "out", "until"), pdk.WithParam("dur", f.text(h.start-s.at))), later)
	}
	return nil, no.Try(later, a.Mended(pdk.Without("at"), pdk.WithParam("after", s.lane.chained(h))))
}

// enter puts the new seg there.
func (s *spot) enter(c *ctx, n *seg) error {
	if s.lane == nil {
		if ok, err := s.on.append(c, n); ok {
			return err
		}
		s.lane = s.on.lane()
	}
	s.lane.put(n)
	return s.lane.write(c, "add "+n.id, n.id)
}

// tracksOf are the ids of the tracks of a kind.
func (f *Film) tracksOf(kind byte) (ids []string) {
	for _, t := range f.all().tracks {
		if t.Kind == kind {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// level reads decibels: -6dB, -6, 3.5.
func level(a pdk.Args, key string) (db float64, given bool, err error) {
	text, given := a.Param(key)
	if !given {
		return 0, false, nil
	}
	db, no := decibelsOf(key, text)
	if no != nil {
		return 0, true, no
	}
	return db, true, nil
}

// oneOf is the word of a list that a key has; otherwise, which is what there is now, where the op has no such key.
func oneOf(a pdk.Args, key, otherwise string, words []string) (string, error) {
	text, given := a.Param(key)
	if !given {
		return otherwise, nil
	}
	word, ok := pdk.OneOf(text, words)
	if !ok {
		near := near(text, words)
		if len(near) == 0 {
			near = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == otherwise })
			near = near[:min(len(near), 3)]
		}
		return "", pdk.Errorf("%s:%s is not one of %s", key, text, strings.Join(words, ", ")).Instead(text, near...)
	}
	return word, nil
}

var fitWords = []string{"contain", "cover", "stretch"}

func transitions() (names []string) {
	for _, k := range render.Transitions() {
		names = append(names, k.Name)
	}
	return names
}

func addTransition(c *ctx, a pdk.Args) error {
	if err := only(a, "add transition", "between", "duration", "id", "ripple"); err != nil {
		return err
	}
	f := c.Model
	kind, ok := pdk.OneOf(a.Text(1), transitions())
	if !ok {
		names := near(a.Text(1), transitions())
		err := pdk.Errorf("there is no transition %s", pdk.Quote(a.Text(1))).Instead(a.Text(1), names...)
		if len(names) == 0 {
			err = err.TryQuery("transitions")
		}
		return err
	}
	pair, given := a.Param("between")
	if !given {
		return f.couple(pdk.Errorf("say between which clips: between:A,B"), a, nil)
	}
	first, second, ok := strings.Cut(pair, ",")
	A, err := f.clip(strings.TrimSpace(first), false)
	if err != nil {
		return err
	}
	if !ok {
		return f.couple(pdk.Errorf("between:%s names one clip: between:A,B", pair), a, A)
	}
	B, err := f.clip(strings.TrimSpace(second), false)
	if err != nil {
		return err
	}
	k := clock{f: f}
	d, given, err := k.lengthOf(a, "duration")
	if err != nil {
		return err
	}
	if !given {
		d, _ = f.rate().Frames(oneSecond)
	}
	if d < 1 {
		return pdk.Errorf("duration:%s is less than a frame", a.String("duration", ""))
	}
	l := A.Track.lane()
	at := l.of(A)
	switch {
	case A.Track.ID != B.Track.ID:
		return pdk.Errorf("%s is on %s and %s on %s: a transition joins two clips of one track", A.name(), A.Track.ID, B.name(), B.Track.ID)
	case A.kind != clipItem || B.kind != clipItem:
		return pdk.Errorf("a transition joins two clips, and %s is a %s", pdk.Quote(pair), map[bool]string{true: B.what(), false: A.what()}[A.kind == clipItem])
	case A.Over != nil || B.Over != nil:
		return pdk.Errorf("overlays have no transitions: fade them")
	case l.of(B) == at-1:
		return pdk.Errorf("%s comes before %s", B.name(), A.name()).Try(a.Mended(pdk.WithParam("between", B.ID+","+A.ID)))
	case l.of(B) != at+1:
		next := "no other clip"
		if at+1 < len(l.segs) {
			next = pdk.Quote(l.segs[at+1].id)
		}
		return pdk.Errorf("%s is not right after %s: there is %s", B.name(), A.name(), next)
	case A.right != nil && A.right.Frames() == d && A.right.kindName() == kind:
		return pdk.Unchanged("%s and %s are joined by a %s of %s already", A.name(), B.name(), kind, f.text(d))
	case A.right != nil:
		return pdk.Errorf("%s and %s are joined by %s already: change it", A.name(), B.name(), pdk.Quote(A.right.ID)).Tryf("modify %s kind:%s duration:%s", pdk.Quote(A.right.ID), kind, f.text(d))
	case B.Start > A.End:
		return pdk.Errorf("between %s and %s is a gap of %s", A.name(), B.name(), f.text(B.Start-A.End)).Tryf("move %s at:end:%s", B.name(), A.name())
	}
	if most := min(l.room(at), l.room(at+1)); d > most {
		short := A
		if l.room(at+1) < l.room(at) {
			short = B
		}
		err := pdk.Errorf("a transition of %s is longer than what is free of %s, %s", f.text(d), short.name(), f.text(most))
		if most > 0 {
			err = err.Try(a.Mended(pdk.WithParam("duration", f.text(most))))
		}
		return err
	}
	id := a.String("id", "")
	if id == "" {
		id = f.freshID(kind)
	} else if err := f.newID(a, id); err != nil {
		return err
	}
	l.segs[at].next = &join{frames: d, make: newTransition(id, kind, f.rate().Float())}
	l.shift(B.Start, -d)
	if err := l.write(c, "add "+id, id, A.ID, B.ID); err != nil {
		return err
	}
	follows, err := f.along(c, a, wave{tracks: []string{A.Track.ID}, start: B.Start, end: B.Start, by: -d})
	if err != nil {
		return err
	}
	touch(c, id)
	c.Created("%s %s>%s %s; %s and what follows it on %s start %s earlier%s%s", pdk.Quote(id), A.name(), B.name(), f.span(B.Start-d, A.End), B.name(), A.Track.ID, f.text(d), follows, k.said())
	return nil
}

// couple adds to an error two clips that a transition may join, of which one is the clip given, if any.
func (f *Film) couple(e *pdk.Error, a pdk.Args, one *Clip) *pdk.Error {
	for _, t := range f.all().tracks {
		for i, c := range t.Clips[:max(0, len(t.Clips)-1)] {
			next := t.Clips[i+1]
			if c.right == nil && c.End == next.Start && c.kind == clipItem && next.kind == clipItem && c.Over == nil && next.Over == nil && (one == nil || one == c || one == next) {
				return e.Try(a.Mended(pdk.WithParam("between", c.ID+","+next.ID)))
			}
		}
	}
	return e.TryQuery("map")
}

// room is how many frames of a seg no transition takes.
func (l *lane) room(at int) int {
	s := l.segs[at]
	n := s.end - s.start
	if s.next != nil {
		n -= s.next.frames
	}
	if at > 0 && l.segs[at-1].next != nil {
		n -= l.segs[at-1].next.frames
	}
	return n
}

// kindName is the transition's kind as we call it.
func (j *Join) kindName() string {
	if kind, ok := pdk.OneOf(j.Transition, transitions()); ok {
		return kind
	}
	return "crossfade"
}

// decibelsOf reads one level.
func decibelsOf(key, text string) (float64, *pdk.Error) {
	s := strings.TrimSpace(strings.TrimSuffix(strings.ToLower(text), "db"))
	var db float64
	if _, err := fmt.Sscanf(s+"\n", "%g\n", &db); err != nil || math.IsNaN(db) || db < -60 || db > 24 {
		err := pdk.Errorf("%s:%s is not a level: decibels from -60dB to 24dB, where 0dB is as it was", key, text)
		if part, ok := strings.CutSuffix(s, "%"); ok {
			if x, no := strconv.ParseFloat(part, 64); no == nil && x >= 0.1 && x <= 1500 {
				return 0, err.Instead(text, loudness(math.Round(200*math.Log10(x/100))/10))
			}
		}
		return 0, err
	}
	if db > 0 && db < 1 && s == text { // not everybody reckons in decibels
		part := loudness(math.Round(200*math.Log10(db)) / 10)
		return 0, pdk.Errorf("%s:%s would be decibels, and louder; as a part of the loudness it is %s", key, text, part).Instead(text, part, text+"dB")
	}
	return math.Round(db*100) / 100, nil
}
