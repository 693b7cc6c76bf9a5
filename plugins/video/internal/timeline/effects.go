package timeline

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func effectNames() []string {
	return pdk.Map(render.Effects(), func(e render.EffectKind) string { return e.Name })
}

func noEffect(word string) error {
	names := nearNames(word, effectNames())
	err := pdk.Errorf("there is no effect %s", pdk.Quote(word)).Instead(word, names...)
	if len(names) == 0 {
		err = err.TryQuery("effects")
	}
	return err
}

// effectTargets returns the clips that on: or selectors name.
func effectTargets(c *film.Ctx, a pdk.Args) ([]*film.Clip, error) {
	on, given := a.Param("on")
	if given == (len(a.Selectors) > 0) {
		err := pdk.Errorf("say on which clips: on:CLIP, or a selector such as @track:V1")
		if i := slices.IndexFunc(c.Model.Clips(), func(c *film.Clip) bool { return c.Kind == film.ClipItem }); i >= 0 && !given {
			err = err.Try(a.Mended(pdk.WithParam("on", c.Model.Clips()[i].ID)))
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
		found := pdk.Must(selection.Select(c.Model, c.Recent, a.Selectors))
		return mediaClips(pdk.Must(clipsOf(found, a))), nil
	}
	var out []*film.Clip
	for ref := range strings.SplitSeq(on, ",") {
		clip := pdk.Must(c.Model.Clip(strings.TrimSpace(ref), false))
		if clip.Kind != film.ClipItem {
			return nil, pdk.Errorf("%s is a %s, and takes no effects", clip.Ref(), clip.What())
		}
		out = append(out, clip)
	}
	return out, nil
}

func addEffect(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	name, ok := pdk.OneOf(a.Text(1), effectNames())
	if !ok {
		return noEffect(a.Text(1))
	}
	kind := render.Effects()[slices.Index(effectNames(), name)]
	clips := pdk.Must(effectTargets(c, a))
	clips = pdk.Must(accepting(f, kind, clips, a))
	keys := pdk.Map(kind.Settings, func(s render.Setting) string { return s.Name })
	var params []film.Setting
	for _, p := range a.Params {
		if p.Key == "on" {
			continue
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
		value := pdk.Must(parseSetting(kind.Settings[i], p.Value, f.Rate()))
		params = append(params, film.Setting{Name: keys[i], Value: value})
	}
	var done []*film.Clip
	for _, clip := range clips {
		next := film.Effect{Name: name, Kind: name, Params: params}
		same := slices.ContainsFunc(clip.Effects, func(e film.Effect) bool { return e.Kind == name && slices.Equal(e.Params, params) })
		if same {
			continue
		}
		setEffects(f, c, clip, "effect "+name+" on "+clip.ID, func(own []film.Effect) []film.Effect {
			if i := slices.IndexFunc(own, func(e film.Effect) bool { return e.Kind == name }); i >= 0 {
				own[i] = next
				return own
			}
			return append(own, next)
		})
		done = append(done, clip)
	}
	if len(done) == 0 {
		return pdk.Unchanged("%s: %s is unchanged", clipNames(clips), name)
	}
	film.NoteRecent(c, clipIDs(done)...)
	c.Created("%s on %s", film.Effect{Name: name, Params: params}, clipNames(done))
	return nil
}

// accepting returns the clips that have the pictures or the sound that an effect changes. Clips named one by one must
// have it.
func accepting(f *film.Film, kind render.EffectKind, clips []*film.Clip, a pdk.Args) (out []*film.Clip, err error) {
	var unfit []string
	for _, c := range clips {
		if kind.Sound && (c.Track.Kind == film.AudioTrack || hasSound(f, c)) || !kind.Sound && c.Track.Kind != film.AudioTrack {
			out = append(out, c)
		} else {
			unfit = append(unfit, c.Ref())
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
	err = pdk.Errorf("%s changes %s, and %s has %s", kind.Name, what, pdk.List(unfit, 5), lack).TryQuery("effects")
	return nil, err
}

// setEffects replaces a clip's own effects by what change returns for them. Effects of other programs stay.
func setEffects(f *film.Film, c *film.Ctx, clip *film.Clip, summary string, change func([]film.Effect) []film.Effect) {
	out := otio.List{}
	var own []film.Effect
	for _, e := range clip.Effects {
		if e.Kind != "" {
			own = append(own, e)
		}
	}
	for _, e := range clip.Node.Value().Get("effects").Each() {
		if e.Get("metadata", "fcp", "kind").Text() == "" {
			out = append(out, otio.Raw(e.Raw()))
		}
	}
	for _, e := range change(own) {
		params := otio.Object{}
		for _, p := range e.Params {
			params = append(params, film.Field(p.Name, p.Value))
		}
		out = append(out, otio.Object{film.Field("OTIO_SCHEMA", "Effect.1"), film.Field("metadata", otio.Object{film.Field("fcp", otio.Object{film.Field("kind", e.Kind), film.Field("params", params)})}), film.Field("name", e.Kind), film.Field("effect_name", e.Kind)})
	}
	setClip(f, c, clip, summary, otio.Change{Path: []string{"effects"}, Value: out})
}

// parseSetting reads and normalizes a value of an effect: a number within bounds, a color, or keyframes such as
// 1@0s,1.5@3s.
func parseSetting(s render.Setting, text string, rate timecode.Rate) (string, error) {
	one := func(text string) (string, error) {
		if s.Color {
			return value.Key[string]{Name: s.Name, Type: film.Colour}.Parse(text)
		}
		x, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		if err != nil || math.IsNaN(x) || x < s.Min || x > s.Max {
			most := s.Max
			if err == nil && x < s.Min {
				most = s.Min
			}
			return "", pdk.Errorf("%s:%s is not a number from %s to %s", s.Name, text, value.FormatNumber(s.Min), value.FormatNumber(s.Max)).Instead(text, value.FormatNumber(most))
		}
		return value.FormatNumber(x), nil
	}
	if !strings.Contains(text, "@") {
		return one(text)
	}
	if !s.Animated {
		still, _, _ := strings.Cut(text, "@")
		return "", pdk.Errorf("%s does not change over time", s.Name).Instead(text, still)
	}
	var out []string
	last := -1
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		number, at, _ := strings.Cut(word, "@")
		v, err := one(number)
		if err != nil {
			return "", err
		}
		l, err := timecode.Parse(at)
		n, _, errIn := l.In(rate)
		if err = cmp.Or(err, errIn); err != nil {
			return "", pdk.Errorf("%s:%s: %s %v; values at times are written 1@0s,1.5@3s, times from the clip's start", s.Name, text, at, err)
		}
		if n <= last {
			return "", pdk.Errorf("%s:%s: %s is not after the time before it", s.Name, text, at)
		}
		last = n
		out = append(out, v+"@"+rate.Text(n))
	}
	return strings.Join(out, ","), nil
}

func removeEffect(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	kind, ok := pdk.OneOf(a.Text(1), effectNames())
	if !ok {
		return noEffect(a.Text(1))
	}
	clips := pdk.Must(effectTargets(c, a))
	var said []*film.Clip
	for _, clip := range clips {
		i := slices.IndexFunc(clip.Effects, func(e film.Effect) bool { return e.Kind == kind })
		if i < 0 {
			continue
		}
		setEffects(f, c, clip, "remove effect "+kind, func(own []film.Effect) []film.Effect {
			return slices.DeleteFunc(own, func(e film.Effect) bool { return e.Kind == kind })
		})
		said = append(said, clip)
	}
	if len(said) == 0 {
		return pdk.Errorf("%s has no %s", clipNames(clips), kind).TryQuery("describe " + clips[0].Ref())
	}
	c.Deleted("%s of %s", kind, clipNames(said))
	return nil
}
