package timeline

import (
	"cmp"
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

func lookVerbs() []verb {
	p := func(key, value string) abi.Param { return abi.Param{Key: key, Value: value} }
	return []verb{
		{Run: volume, Verb: abi.Verb{Name: "volume", Syntax: "volume CLIP|TRACK|@SEL DB", Summary: "set how loud clips or a track are, in decibels: 0dB is as recorded, -6dB half as loud", Brief: "volume CLIP|TRACK|@SEL -6dB", Category: "looks and sound", Select: true, Min: 1, Max: 2, Examples: []string{"volume vid1 -6dB", "volume A1 -12dB", "volume @type:audio 3dB"}}},
		{Run: fade, Verb: abi.Verb{Name: "fade", Syntax: "fade CLIP|@SEL [in:TIME] [out:TIME]", Summary: "let picture and sound come and go; 0s for not", Category: "looks and sound", Params: []abi.Param{p("in", "TIME"), p("out", "TIME")}, Select: true, Min: 0, Max: 1, Examples: []string{"fade vid1 in:1s out:1s", "fade @track:A1 out:2s"}}},
		{Run: mute, Verb: abi.Verb{Name: "mute", Syntax: "mute CLIP|TRACK|@SEL [off]", Summary: "leave out the sound of clips or of a track", Category: "looks and sound", Select: true, Min: 0, Max: 2, Examples: []string{"mute vid1", "mute V1", "mute vid1 off"}}},
		{Run: ducking, Verb: abi.Verb{Name: "duck", Syntax: "duck TRACK under:TRACK [by:-12dB] · duck TRACK off", Summary: "lower one track while another is heard", Brief: "duck TRACK under:TRACK [by:-12dB] · duck TRACK off · lower a track, such as A1, while another is heard", Category: "looks and sound", Params: []abi.Param{p("under", "V1|A2"), p("by", "-12dB")}, Min: 1, Max: 2, Examples: []string{"duck A1 under:V1", "duck A1 under:A2 by:-18dB", "duck A1 off"}}},
		{Run: modify, Verb: abi.Verb{Name: "modify", Syntax: "modify CLIP|TRANSITION|@SEL [KEY:VALUE…]", Summary: "change what something is: id: enabled: volume: fit: of clips, media: which file they show, pos: shift: size: opacity: of overlays, text: style: color: size: pos: shift: fade: of texts, kind: duration: of transitions",
			Brief: "modify CLIP|TRANSITION|@SEL [id: enabled: volume: fit: media:|pos: shift: size: opacity:|text: style: color: fade:|kind: duration:]", Category: "looks and sound",
			Params: []abi.Param{p("id", "ID"), p("enabled", "true|false"), p("volume", "-6dB"), p("fit", "contain|cover|stretch"), p("media", "MEDIA"), p("pos", "PLACE"), p("shift", "X,Y"), p("size", "SIZE"), p("opacity", "80%"), p("text", "TEXT"), p("style", "STYLE"), p("color", "COLOR"), p("fade", "TIME"), p("kind", "KIND"), p("duration", "TIME"), rippleKey},
			Select: true, Min: 0, Max: 1, Examples: []string{`modify title text:"The End" style:credits`, "modify logo pos:top-left opacity:50%", "modify crossfade kind:wipe-left duration:1s", "modify vid1 fit:cover", "modify vid1 media:./take2.mp4"},
			Resources: []abi.Resource{{Key: "media", Kind: abi.ResourceProbe, Want: ffprobe, Accept: mediaEndings(), Optional: true}}}},
	}
}

// set changes members of a clip's item.
func (f *Film) set(c *ctx, clip *Clip, summary string, changes ...otio.Change) (changed bool, err error) {
	if len(changes) == 0 {
		return false, nil
	}
	text := f.doc.Edited(clip.node, changes...)
	if text == clip.node.Text() {
		return false, nil
	}
	return true, change(c, f.doc.Set(clip.Track.path(), clip.index, text), summary, clip.ID)
}

func ours(key string, value any) otio.Change {
	return otio.Change{Path: []string{"metadata", "fcp", key}, Value: value}
}

// tracked is the track that an op names by its id, nil where it names none.
func (f *Film) tracked(a pdk.Args) *Track {
	if len(a.Selectors) > 0 || len(a.Positionals) == 0 {
		return nil
	}
	return find(f.all().tracks, func(t *Track) bool { return equal(t.ID, a.Text(0)) })
}

// setTrack changes our members of a track.
func (f *Film) setTrack(c *ctx, t *Track, summary string, key string, value any) error {
	base := tracksPath + "/" + strconv.Itoa(t.index)
	for _, step := range []string{"metadata", "fcp"} {
		if n := f.doc.At(base + "/" + step); n == nil || n.Value() == nil || !strings.HasPrefix(n.Text(), "{") {
			s, _ := f.doc.Put(base, step, otio.Object{})
			if err := change(c, s, summary, t.ID); err != nil {
				return err
			}
		}
		base += "/" + step
	}
	if value == nil {
		s, ok := f.doc.Drop(base, key)
		if !ok {
			return nil
		}
		return change(c, s, summary, t.ID)
	}
	s, same := f.doc.Put(base, key, value)
	if same {
		return nil
	}
	return change(c, s, summary, t.ID)
}

// sounding are the clips among some that may have sound.
func sounding(clips []*Clip) []*Clip {
	return slices.DeleteFunc(slices.Clone(clips), func(c *Clip) bool { return c.kind != clipItem })
}

func volume(c *ctx, a pdk.Args) error {
	f := c.Model
	word := a.Text(len(a.Positionals) - 1)
	db, no := decibelsOf("volume", word)
	if no != nil {
		return f.sample(no, "volume", a)
	}
	if len(a.Selectors) == 0 && len(a.Positionals) < 2 || len(a.Selectors) > 0 && len(a.Positionals) > 1 {
		return f.sample(pdk.Errorf("volume needs a CLIP, a TRACK or selectors, and how loud: volume vid1 -6dB"), "volume", a)
	}
	if t := f.tracked(a); t != nil {
		if t.Kind == letters {
			return pdk.Errorf("%s holds texts, which are not heard", t.ID)
		}
		if t.Volume == db {
			return pdk.Unchanged("%s is at %s already", t.ID, loudness(db))
		}
		var value any
		if db != 0 {
			value = db
		}
		if err := f.setTrack(c, t, "volume "+t.ID, "volume", value); err != nil {
			return err
		}
		c.Changed("%s volume %s", t.ID, loudness(db))
		return nil
	}
	clips, err := targets(c, a)
	if err != nil {
		return err
	}
	return f.each(c, sounding(clips), clips, "volume "+loudness(db), func(clip *Clip) []otio.Change {
		if clip.Volume == db {
			return nil
		}
		if db == 0 {
			return []otio.Change{ours("volume", nil)}
		}
		return []otio.Change{ours("volume", db)}
	})
}

// loudness tells a level.
func loudness(db float64) string { return num(db) + "dB" }

// each changes some clips, and says so. all are those that the op named, for what it says where none can be changed.
func (f *Film) each(c *ctx, clips, all []*Clip, what string, changes func(*Clip) []otio.Change) error {
	if len(clips) == 0 {
		return pdk.Errorf("%s: %s of it", names(all), map[bool]string{true: "a text has nothing", false: "nothing"}[len(all) > 0 && all[0].kind == textItem])
	}
	var done []*Clip
	for _, clip := range clips {
		ok, err := f.set(c, clip, what+" "+clip.ID, changes(clip)...)
		if err != nil {
			return err
		}
		if ok {
			done = append(done, clip)
		}
	}
	if len(done) == 0 {
		return pdk.Unchanged("%s: %s already", names(clips), what)
	}
	touch(c, ids(done)...)
	c.Changed("%s %s", names(done), what)
	return nil
}

func fade(c *ctx, a pdk.Args) error {
	f := c.Model
	clips, err := targets(c, a)
	if err != nil {
		return err
	}
	k := clock{f: f}
	in, inGiven, err := k.lengthOf(a, "in")
	if err != nil {
		return err
	}
	out, outGiven, err := k.lengthOf(a, "out")
	if err != nil {
		return err
	}
	if !inGiven && !outGiven {
		return pdk.Errorf("fade needs in:TIME or out:TIME").Try(a.Mended(pdk.WithParam("in", "1s"), pdk.WithParam("out", "1s")))
	}
	var what []string
	if inGiven {
		what = append(what, "in "+f.text(in))
	}
	if outGiven {
		what = append(what, "out "+f.text(out))
	}
	for _, clip := range clips {
		both := clip.FadeIn + clip.FadeOut
		if inGiven {
			both += in - clip.FadeIn
		}
		if outGiven {
			both += out - clip.FadeOut
		}
		if both > clip.Frames() && clip.kind == clipItem {
			half := f.text(clip.Frames() / 2)
			var less []pdk.Change
			for _, key := range []string{"in", "out"} {
				if a.Has(key) {
					less = append(less, pdk.WithParam(key, half))
				}
			}
			return pdk.Errorf("%s is seen for %s, and its fades would take %s", clip.name(), f.text(clip.Frames()), f.text(both)).Try(a.Mended(less...))
		}
	}
	comes, goes := f.lasting(in), f.lasting(out) // each edit makes the film forget its rate
	return f.each(c, slices.DeleteFunc(slices.Clone(clips), func(c *Clip) bool { return c.kind == otherItem }), clips, "fade "+strings.Join(what, " ")+k.said(), func(clip *Clip) (changes []otio.Change) {
		if clip.kind == textItem { // a text comes and goes in the same time
			n := max(in, out)
			if n == 0 {
				n = -1
			}
			p := *clip.Caption
			p.Fade = n
			return textChanges(clip, p)
		}
		if inGiven && in != clip.FadeIn {
			changes = append(changes, ours("fade_in", comes))
		}
		if outGiven && out != clip.FadeOut {
			changes = append(changes, ours("fade_out", goes))
		}
		return changes
	})
}

func mute(c *ctx, a pdk.Args) error {
	f := c.Model
	at := 1
	if len(a.Selectors) > 0 {
		at = 0
	}
	word, err := keyword(a, at, "off", "on")
	if err != nil {
		return err
	}
	var on any = true
	what := "muted"
	if word == "off" {
		on, what = nil, "heard"
	}
	if t := f.tracked(a); t != nil {
		if t.Kind == letters {
			return pdk.Errorf("%s holds texts, which are not heard", t.ID).Tryf("track hide %s", t.ID)
		}
		if t.Mute == (on != nil) {
			return pdk.Unchanged("%s is %s already", t.ID, what)
		}
		if err := f.setTrack(c, t, "mute "+t.ID, "mute", on); err != nil {
			return err
		}
		c.Changed("%s %s", t.ID, what)
		return nil
	}
	named := a
	if len(a.Selectors) > 0 && len(a.Positionals) > 0 {
		op := *a.Op
		op.Positionals = nil
		named = pdk.Args{Op: &op}
	}
	clips, err := targets(c, named)
	if err != nil {
		return err
	}
	return f.each(c, sounding(clips), clips, what, func(clip *Clip) []otio.Change {
		if clip.Mute == (on != nil) {
			return nil
		}
		return []otio.Change{ours("mute", on)}
	})
}

func ducking(c *ctx, a pdk.Args) error {
	f := c.Model
	word, err := keyword(a, 1, "off")
	if err != nil {
		return err
	}
	if c, u := f.lying(a.Text(0)), f.lying(a.String("under", "")); c != nil && u != nil {
		return pdk.Errorf("duck lowers tracks, and %s is on %s, %s on %s", c.name(), c.Track.ID, u.name(), u.Track.ID).Try(a.Mended(pdk.WithWords(0, 1, c.Track.ID), pdk.WithParam("under", u.Track.ID)))
	}
	t, err := f.track(a.Text(0))
	if err != nil {
		return err
	}
	if t.Kind == letters {
		return pdk.Errorf("%s holds texts, which are not heard", t.ID)
	}
	if word == "off" {
		if len(t.Ducks) == 0 {
			return pdk.Unchanged("%s is ducked under nothing", t.ID)
		}
		if err := f.setTrack(c, t, "duck "+t.ID+" off", "duck", nil); err != nil {
			return err
		}
		c.Changed("%s is no longer ducked", t.ID)
		return nil
	}
	ref, given := a.Param("under")
	if !given {
		return f.sample(pdk.Errorf("duck needs under:TRACK, the track that is to be heard"), "duck", a)
	}
	under, err := f.track(ref)
	if err != nil {
		return err
	}
	if under.ID == t.ID {
		return f.sample(pdk.Errorf("%s cannot be ducked under itself", t.ID), "duck", a)
	}
	if under.Kind == letters {
		return pdk.Errorf("%s holds texts, which are not heard", under.ID)
	}
	db, given, err := level(a, "by")
	if err != nil {
		return err
	}
	if !given {
		db = -12
	}
	if db >= 0 {
		return pdk.Errorf("by:%s does not lower anything: give less than 0, such as by:-12dB", a.String("by", "")).Try(a.Mended(pdk.WithParam("by", "-12dB")))
	}
	if slices.Contains(t.Ducks, duck{under.ID, db}) {
		return pdk.Unchanged("%s is ducked under %s by %s already", t.ID, under.ID, loudness(db))
	}
	list := otio.List{}
	for _, d := range append(slices.DeleteFunc(slices.Clone(t.Ducks), func(d duck) bool { return d.under == under.ID }), duck{under.ID, db}) {
		list = append(list, otio.Object{field("under", d.under), field("by", d.by)})
	}
	if err := f.setTrack(c, t, "duck "+t.ID+" under "+under.ID, "duck", list); err != nil {
		return err
	}
	c.Changed("%s goes down by %s while %s is heard", t.ID, num(-db)+"dB", under.ID)
	return nil
}

func effectNames() (names []string) {
	for _, e := range render.Effects() {
		names = append(names, e.Name)
	}
	return names
}

func noEffect(word string) error {
	names := near(word, effectNames())
	err := pdk.Errorf("there is no effect %s", pdk.Quote(word)).Instead(word, names...)
	if len(names) == 0 {
		err = err.TryQuery("effects")
	}
	return err
}

// effectTargets are the clips of on:, or of selectors.
func effectTargets(c *ctx, a pdk.Args) ([]*Clip, error) {
	on, given := a.Param("on")
	if given == (len(a.Selectors) > 0) {
		err := pdk.Errorf("say on which clips: on:CLIP, or a selector such as @track:V1")
		if i := slices.IndexFunc(c.Model.clips(), func(c *Clip) bool { return c.kind == clipItem }); i >= 0 && !given {
			err = err.Try(a.Mended(pdk.WithParam("on", c.Model.clips()[i].ID)))
		}
		return nil, err
	}
	if rest, ok := strings.CutPrefix(on, "@"); ok {
		kind, value, _ := strings.Cut(rest, ":")
		op := *a.Op
		op.Selectors = []abi.Select{{Type: strings.ToLower(kind), Value: value}}
		a, given = pdk.Args{Op: &op}, false
	}
	if !given {
		found, err := selection.Select(c.Model, c.Recent, a.Selectors)
		if err != nil {
			return nil, err
		}
		clips, err := clipsOf(found, a)
		return sounding(clips), err
	}
	var out []*Clip
	for ref := range strings.SplitSeq(on, ",") {
		clip, err := c.Model.clip(strings.TrimSpace(ref), false)
		if err != nil {
			return nil, err
		}
		if clip.kind != clipItem {
			return nil, pdk.Errorf("%s is a %s, and takes no effects", clip.name(), clip.what())
		}
		out = append(out, clip)
	}
	return out, nil
}

func addEffect(c *ctx, a pdk.Args) error {
	f := c.Model
	name, ok := pdk.OneOf(a.Text(1), effectNames())
	if !ok {
		return noEffect(a.Text(1))
	}
	kind := render.Effects()[slices.Index(effectNames(), name)]
	clips, err := effectTargets(c, a)
	if err != nil {
		return err
	}
	if clips, err = f.takers(kind, clips, a); err != nil {
		return err
	}
	var params []setting
	for _, p := range a.Params {
		if p.Key == "on" {
			continue
		}
		var keys []string
		for _, s := range kind.Settings {
			keys = append(keys, s.Name)
		}
		i := slices.Index(keys, strings.ToLower(p.Key))
		if i < 0 {
			if len(keys) == 0 {
				return pdk.Errorf("%s has nothing to set", name).Try(a.Mended(pdk.Without(p.Key)))
			}
			err := pdk.Errorf("%s has no %s: it has %s", name, p.Key, strings.Join(keys, ", "))
			if near := pdk.Nearest(p.Key, keys); len(near) > 0 {
				return err.Try(a.Mended(pdk.WithKey(p.Key, near[0])))
			}
			if len(keys) == 1 {
				return err.Try(a.Mended(pdk.WithKey(p.Key, keys[0])))
			}
			return err
		}
		value, err := settingOf(kind.Settings[i], p.Value, f.rate())
		if err != nil {
			return err
		}
		params = append(params, setting{keys[i], value})
	}
	var done []*Clip
	for _, clip := range clips {
		next := effect{Name: name, Kind: name, Params: params}
		same := slices.ContainsFunc(clip.Effects, func(e effect) bool { return e.Kind == name && slices.Equal(e.Params, params) })
		if same {
			continue
		}
		if err := f.setEffects(c, clip, "effect "+name+" on "+clip.ID, func(own []effect) []effect {
			if i := slices.IndexFunc(own, func(e effect) bool { return e.Kind == name }); i >= 0 {
				own[i] = next
				return own
			}
			return append(own, next)
		}); err != nil {
			return err
		}
		done = append(done, clip)
	}
	if len(done) == 0 {
		return pdk.Unchanged("%s: %s is unchanged", names(clips), name)
	}
	touch(c, ids(done)...)
	c.Created("%s on %s", effect{Name: name, Params: params}, names(done))
	return nil
}

// takers are the clips among some that have what an effect changes, pictures or sound. One that is named has to.
func (f *Film) takers(kind render.EffectKind, clips []*Clip, a pdk.Args) (out []*Clip, err error) {
	var unfit []string
	for _, c := range clips {
		if kind.Sound && (c.Track.Kind == sounds || f.hasSound(c)) || !kind.Sound && c.Track.Kind != sounds {
			out = append(out, c)
		} else {
			unfit = append(unfit, c.name())
		}
	}
	named := !strings.HasPrefix(a.String("on", "@"), "@")
	if len(unfit) == 0 || len(out) > 0 && !named {
		return out, nil
	}
	what, lack := "the picture", "no picture"
	if kind.Sound {
		what, lack = "the sound", "no sound"
	}
	err = pdk.Errorf("%s changes %s, and %s has %s", kind.Name, what, list(unfit, 5), lack).TryQuery("effects")
	return nil, err
}

// setEffects makes a clip's own effects others; those of other programs stay as they are.
func (f *Film) setEffects(c *ctx, clip *Clip, summary string, make func([]effect) []effect) error {
	out := otio.List{}
	var own []effect
	for _, e := range clip.Effects {
		if e.Kind != "" {
			own = append(own, e)
		}
	}
	for _, e := range clip.node.Value().Get("effects").Each() {
		if e.Get("metadata", "fcp", "kind").Text() == "" {
			out = append(out, otio.Raw(e.Raw()))
		}
	}
	for _, e := range make(own) {
		params := otio.Object{}
		for _, p := range e.Params {
			params = append(params, field(p.Name, p.Value))
		}
		out = append(out, otio.Object{field("OTIO_SCHEMA", "Effect.1"), field("metadata", otio.Object{field("fcp", otio.Object{field("kind", e.Kind), field("params", params)})}), field("name", e.Kind), field("effect_name", e.Kind)})
	}
	_, err := f.set(c, clip, summary, otio.Change{Path: []string{"effects"}, Value: out})
	return err
}

// settingOf reads a value of an effect: a number within bounds, a colour, or values at times.
func settingOf(s render.Setting, text string, rate timecode.Rate) (string, error) {
	one := func(text string) (string, error) {
		if s.Color {
			c, ok := colour(text)
			if !ok {
				return "", pdk.Errorf("%s:%s is not a colour: #rrggbb, or a name such as green", s.Name, text)
			}
			return c, nil
		}
		x, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		if err != nil || math.IsNaN(x) || x < s.Min || x > s.Max {
			most := s.Max
			if err == nil && x < s.Min {
				most = s.Min
			}
			return "", pdk.Errorf("%s:%s is not a number from %s to %s", s.Name, text, num(s.Min), num(s.Max)).Instead(text, num(most))
		}
		return num(x), nil
	}
	if !strings.Contains(text, "@") {
		return one(text)
	}
	if !s.Moves {
		value, _, _ := strings.Cut(text, "@")
		return "", pdk.Errorf("%s does not change over time", s.Name).Instead(text, value)
	}
	var out []string
	last := -1
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		value, at, _ := strings.Cut(word, "@")
		v, err := one(value)
		if err != nil {
			return "", err
		}
		l, err := timecode.Parse(at, rate)
		if err != nil {
			return "", pdk.Errorf("%s:%s: %v; values at times are written 1@0s,1.5@3s, times from the clip's start", s.Name, text, err)
		}
		n, _ := l.In(rate)
		if n <= last {
			return "", pdk.Errorf("%s:%s: %s is not after the time before it", s.Name, text, at)
		}
		last = n
		out = append(out, v+"@"+rate.Text(n))
	}
	return strings.Join(out, ","), nil
}

// String is an effect with its settings.
func (e effect) String() string {
	s := e.Name
	for _, p := range e.Params {
		s += " " + p.Name + ":" + p.Value
	}
	return s
}

func modify(c *ctx, a pdk.Args) error {
	f := c.Model
	if len(a.Params) == 0 {
		return f.sample(pdk.Errorf("modify needs what to change, such as volume: or text:"), "modify", a)
	}
	if len(a.Selectors) == 0 {
		if j := f.join(a.Text(0)); j != nil {
			return f.modifyJoin(c, a, j)
		}
	}
	clips, err := targets(c, a)
	if err != nil {
		return err
	}
	if a.Has("id") && len(clips) > 1 {
		return pdk.Errorf("an id is of one clip, and these are %d", len(clips)).Try(a.Mended(pdk.Without("id")))
	}
	k := clock{f: f}
	var shows *Medium
	if word, ok := a.Param("media"); ok {
		if shows, err = enter(c, word); err != nil {
			return err
		}
		for i, clip := range clips { // the list of media has grown
			clips[i] = f.again(clip.Track, clip.ID)
		}
	}
	var what []string
	for _, p := range a.Params {
		what = append(what, p.Key+":"+pdk.Quote(line(p.Value, 60)))
	}
	plan := map[*Clip][]otio.Change{}
	for _, clip := range clips {
		var changes []otio.Change
		for _, p := range a.Params {
			if p.Key == "media" && clip.kind == clipItem {
				more, err := f.shows(clip, shows, a)
				if err != nil {
					return err
				}
				changes = append(changes, more...)
				continue
			}
			more, err := f.modified(&k, a, clip, p.Key, p.Value)
			if err != nil {
				return err
			}
			changes = append(changes, more...)
		}
		if clip.kind == textItem {
			now, err := k.captionOf(a, *clip.Caption)
			if err != nil {
				return err
			}
			changes = append(changes, textChanges(clip, now)...)
		} else if clip.Over != nil {
			now := *clip.Over
			if err := f.boxOf(a, &now, f.of(clip)); err != nil {
				return err
			}
			if now != *clip.Over {
				changes = append(changes, ours("over", now.object()))
			}
		}
		plan[clip] = changes
	}
	return f.each(c, clips, clips, strings.Join(what, " ")+k.said(), func(clip *Clip) []otio.Change { return plan[clip] })
}

// has is what each kind of thing has, as modify changes it.
var has = map[string][]string{
	"clip": {"id", "enabled", "volume", "fit", "media"}, "audio": {"id", "enabled", "volume", "media"}, "overlay": {"id", "enabled", "volume", "media", "pos", "shift", "size", "opacity"},
	"text": {"id", "enabled", "text", "style", "color", "size", "pos", "shift", "fade"}, "nested": {"enabled"},
}

// shows are the changes that make a clip show the same stretch of another medium.
func (f *Film) shows(c *Clip, m *Medium, a pdk.Args) ([]otio.Change, error) {
	switch {
	case c.Track.Kind == sounds && !m.Audio:
		return nil, pdk.Errorf("%s is sound, and %s has none", c.name(), pdk.Quote(m.ID)).TryQuery("media")
	case c.Track.Kind == pictures && !m.Video:
		return nil, pdk.Errorf("%s is seen, and %s has no pictures", c.name(), pdk.Quote(m.ID)).TryQuery("media")
	}
	if used := c.source() + float64(c.Frames())*c.Speed; m.frames(f.rate()) >= 0 && used > float64(m.frames(f.rate()))+0.5 {
		return nil, pdk.Errorf("%s shows its media up to %s, and %s is %s long: trim it first", c.name(), f.text(int(math.Round(used))), pdk.Quote(m.ID), f.text(m.frames(f.rate()))).TryQuery("describe " + c.name())
	}
	if now := f.of(c); now != nil && now.ID == m.ID && c.Medium == m.ID {
		return nil, nil
	}
	out := append(spanOf(c.in, c.dur, f.rate().Float()), otio.Change{Path: c.refers(), Value: f.refer(m)}, ours("media", m.ID))
	switch {
	case c.own && c.Track.Kind == pictures && m.Audio:
		out = append(out, ours("sound", true))
	case c.own && c.Track.Kind == pictures:
		out = append(out, ours("sound", nil))
	}
	return out, nil
}

// modified is one change of a clip, of what is not read elsewhere.
func (f *Film) modified(k *clock, a pdk.Args, clip *Clip, key, value string) ([]otio.Change, error) {
	if !slices.Contains(has[clip.what()], key) {
		err := pdk.Errorf("%s is a %s, and has no %s: but %s:", clip.name(), clip.what(), key, strings.Join(has[clip.what()], ": "))
		if len(a.Params) > 1 {
			err = err.Try(a.Mended(pdk.Without(key)))
		} else {
			err = err.TryQuery("describe " + clip.name())
		}
		return nil, err
	}
	switch key {
	case "id":
		if value == clip.ID {
			return nil, nil
		}
		if err := f.newID(a, value); err != nil {
			return nil, err
		}
		return []otio.Change{{Path: []string{"name"}, Value: value}}, nil
	case "enabled":
		on, err := a.Bool("enabled", true)
		if err != nil || on == !clip.Off {
			return nil, err
		}
		return []otio.Change{{Path: []string{"enabled"}, Value: on}}, nil
	case "volume":
		db, no := decibelsOf(key, value)
		if no != nil {
			return nil, no
		}
		if db == clip.Volume {
			return nil, nil
		}
		return []otio.Change{ours("volume", db)}, nil
	case "fit":
		fit, err := oneOf(a, "fit", cmp.Or(clip.Fit, "contain"), fitWords)
		if err != nil || fit == clip.Fit || fit == "contain" && clip.Fit == "" {
			return nil, err
		}
		return []otio.Change{ours("fit", fit)}, nil
	}
	return nil, nil
}

func (f *Film) modifyJoin(c *ctx, a pdk.Args, j *Join) error {
	k := clock{f: f}
	l := j.A.Track.lane()
	i := slices.IndexFunc(l.segs, func(s *seg) bool { return s.next != nil && s.next.was == j })
	n := l.segs[i].next
	id, kind := j.ID, j.kindName()
	for _, p := range a.Params {
		switch p.Key {
		case "kind":
			word, err := oneOf(a, "kind", "", transitions())
			if err != nil {
				return err
			}
			if word == j.kindName() {
				continue
			}
			kind = word
			otherwise := "Custom_Transition"
			if word == "crossfade" {
				otherwise = "SMPTE_Dissolve"
			}
			n.changes = append(n.changes, ours("kind", word), otio.Change{Path: []string{"transition_type"}, Value: otherwise})
		case "duration":
			d, err := k.length("duration", p.Value)
			if err != nil {
				return err
			}
			if d < 1 {
				return pdk.Errorf("duration:%s is less than a frame", p.Value)
			}
			if most := min(l.room(i), l.room(i+1)) + n.frames; d > most {
				return pdk.Errorf("a transition of %s is longer than what is free of its clips, %s", f.text(d), f.text(most)).Instead(p.Value, f.text(most))
			}
			for _, s := range l.segs[i+1:] {
				s.start, s.end = s.start+n.frames-d, s.end+n.frames-d
			}
			n.frames = d
		case "id":
			if p.Value == j.ID {
				continue
			}
			if err := f.newID(a, p.Value); err != nil {
				return err
			}
			id = p.Value
			n.changes = append(n.changes, otio.Change{Path: []string{"name"}, Value: id})
		case "ripple":
		default:
			return pdk.Errorf("%s is a transition, and has no %s: but kind: duration: id:", pdk.Quote(j.ID), p.Key).TryQuery("describe " + pdk.Quote(j.ID))
		}
	}
	if len(n.changes) == 0 && n.frames == j.Frames() {
		return pdk.Unchanged("%s is a %s of %s already", pdk.Quote(j.ID), j.kindName(), f.text(j.Frames()))
	}
	moved := j.Frames() - n.frames
	if err := l.write(c, "modify "+j.ID, id); err != nil {
		return err
	}
	said, err := f.along(c, a, wave{tracks: []string{j.A.Track.ID}, start: j.B.Start, end: j.B.Start, by: moved})
	if err != nil {
		return err
	}
	if moved != 0 {
		said = fmt.Sprintf("; %s and what follows it move by %s", j.B.name(), signed(f, moved)) + said
	}
	c.Changed("%s %s>%s %s %s%s%s", pdk.Quote(id), j.A.name(), j.B.name(), kind, f.text(n.frames), said, k.said())
	return nil
}
