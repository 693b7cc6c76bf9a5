package verbs

import (
	"errors"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// swap replaces one word of an op: positional at, or the value of key; drop
// leaves the parameter out. A key that the op does not have, or the positional
// behind its last, is added.
type swap struct {
	at   int
	key  string
	text string
	drop bool
}

// replaced is the op with one word replaced: what to try instead.
func replaced(a pdk.Args, w swap) *abi.Op {
	op := *a.Op
	op.Positionals, op.Params = slices.Clone(op.Positionals), nil
	if w.key == "" && w.at >= 0 && w.at <= len(op.Positionals) {
		word := abi.Positional{Text: w.text, Quoted: pdk.Quote(w.text) != w.text}
		op.Positionals = append(op.Positionals[:w.at:w.at], append([]abi.Positional{word}, op.Positionals[min(w.at+1, len(op.Positionals)):]...)...)
	}
	there := w.key == "" || w.drop
	for _, p := range a.Params {
		if p.Key == w.key {
			if w.drop {
				continue
			}
			there, p.Value = true, w.text
		}
		op.Params = append(op.Params, p)
	}
	if !there {
		op.Params = append(op.Params, abi.KeyValue{Key: w.key, Value: w.text})
	}
	return &op
}

// printOp writes an op so that it reads back as the same. A block cannot be
// suggested: suggestions are one line.
func printOp(op *abi.Op) string {
	out := []string{op.Verb}
	for _, p := range op.Positionals {
		if p.Quoted || p.Text == "" || strings.ContainsAny(p.Text, " \t\n\"'") || strings.HasPrefix(p.Text, "@") {
			q := pdk.Quote(p.Text)
			if q == p.Text {
				q = `"` + q + `"`
			}
			out = append(out, q)
		} else {
			out = append(out, p.Text)
		}
	}
	if len(op.Selectors) > 0 {
		out = append(out, selector.PrintAll(op.Selectors))
	}
	for _, p := range op.Params {
		out = append(out, p.Key+":"+pdk.Quote(p.Value))
	}
	return strings.Join(out, " ")
}

// instead makes a refusal that suggests the op with another value of a
// parameter ("" leaves it out).
func instead(err error, a pdk.Args, key, value string) error {
	return suggest(err, replaced(a, swap{key: key, text: value, drop: value == ""}))
}

// insteadAt is instead for positional i.
func insteadAt(err error, a pdk.Args, i int, value string) error {
	return suggest(err, replaced(a, swap{at: i, text: value}))
}

func refusal(err error) *pdk.Error {
	var e *pdk.Error
	if !errors.As(err, &e) {
		e = pdk.Errorf("%v", err)
	}
	return e
}

// trackArg is the track that positional i names. A destructive verb passes
// exactish, which refuses mere beginnings of names.
func trackArg(c *ctx, a pdk.Args, i int, exactish bool) (*song.Track, error) {
	return findTrack(c, a, a.Text(i), swap{at: i}, exactish)
}

// trackParam is the track that a parameter names.
func trackParam(c *ctx, a pdk.Args, key string) (*song.Track, error) {
	return findTrack(c, a, a.String(key, ""), swap{key: key}, false)
}

// findTrack resolves a track that stands in the op at w.
func findTrack(c *ctx, a pdk.Args, ref string, w swap, exactish bool) (*song.Track, error) {
	t, err := c.Model.FindTrack(ref, exactish)
	if err == nil {
		return t, nil
	}
	e := refusal(err)
	names := c.Model.Names()
	var labels []string
	for _, t := range c.Model.Tracks() {
		labels = append(labels, c.Model.Name(t))
	}
	likely, _ := names.Find(ref, false)
	switch near := pdk.Nearest(ref, labels); {
	case len(likely) > 0:
		w.text = names.Ref(likely[0])
	case len(near) > 0:
		w.text = near[0]
	case !exactish && strings.Trim(ref, "#0123456789") != "":
		return nil, e.Tryf("track add %s instrument:%s", pdk.Quote(ref), likelySound(ref))
	case len(c.Model.Music()) > 0:
		w.text = names.Ref(c.Model.Music()[0])
	default:
		return nil, e.Tryf("track add Piano instrument:acoustic-grand-piano")
	}
	return nil, suggest(e, replaced(a, w))
}

// likelySound guesses the instrument of a track from its name.
func likelySound(name string) string {
	for _, word := range append([]string{name}, strings.Fields(name)...) {
		if s, _, ok := theory.FindInstrument(word); ok {
			return s.Name
		}
	}
	return "acoustic-grand-piano"
}

// playing is trackArg for a track that is to hold notes and the like.
func playing(c *ctx, a pdk.Args, i int) (*song.Track, error) {
	t, err := trackArg(c, a, i, false)
	if err != nil {
		return nil, err
	}
	return t, mayPlay(c, t)
}

func mayPlay(c *ctx, t *song.Track) error {
	if !t.Conductor {
		return nil
	}
	err := pdk.Errorf("the conductor track holds tempo and signatures, no channel messages")
	if music := c.Model.Music(); len(music) > 0 {
		err.Message += "; tracks that play: " + c.Model.Names().Name(music[0])
	} else {
		err.Tryf("track add Piano instrument:acoustic-grand-piano")
	}
	return err
}

// channelArg is the channel (1-16) of ch:, else the one the track plays on, else a free one.
func channelArg(c *ctx, a pdk.Args, t *song.Track) (int, error) {
	n, err := a.Int("ch", 0, 1, 16)
	if err != nil {
		return 0, instead(err, a, "ch", "1")
	}
	if n == 0 {
		n = t.Channel()
	}
	if n == 0 {
		n, _ = c.Model.FreeChannel()
	}
	return n, nil
}

// positionArg is the tick of a position parameter, or def when it is absent.
func positionArg(c *ctx, a pdk.Args, key string, t *song.Track, def int64) (int64, error) {
	v, ok := a.Param(key)
	if !ok {
		return def, nil
	}
	tick, err := c.Model.Position(t, v)
	if err == nil {
		return tick, nil
	}
	if _, smpte := c.Model.PPQ(); smpte != nil {
		return 0, instead(err, a, key, "tick:0")
	}
	return 0, instead(err, a, key, "1.1")
}

// durationArg is the length of dur: in ticks, a quarter note when it is absent.
func durationArg(c *ctx, a pdk.Args, t *song.Track, at int64) (int64, error) {
	v := a.String("dur", "quarter")
	d, err := c.Model.Duration(t, v, at)
	if err == nil {
		return d, nil
	}
	if _, smpte := c.Model.PPQ(); smpte != nil {
		return 0, instead(err, a, "dur", "ticks:100")
	}
	return 0, instead(err, a, "dur", "quarter")
}

// velocityArg is vel:, mf when it is absent.
func velocityArg(a pdk.Args) (int, error) {
	v, ok := a.Param("vel")
	if !ok {
		return theory.DefaultVelocity, nil
	}
	n, err := theory.ParseVelocity(v)
	if err != nil {
		return 0, instead(err, a, "vel", "mf")
	}
	return n, nil
}

// sounding is a pitch to play: its MIDI note and how to call it.
type sounding struct {
	note int
	name string
}

// pitchArg reads a pitch for a channel: drums have names on theirs.
func pitchArg(text string, channel int) (sounding, error) {
	p, err := theory.ParsePitch(text)
	if err == nil {
		return sounding{p.Number(), p.String()}, nil
	}
	if n, ok := theory.Drum(text); ok {
		if channel != theory.DrumChannel {
			return sounding{}, pdk.Errorf("%q is a drum: drums play on channel %d, this is channel %d", text, theory.DrumChannel, channel)
		}
		return sounding{n, strings.ToLower(text)}, nil
	}
	if channel == theory.DrumChannel {
		e := refusal(err)
		e.Message = pdk.Errorf("%q is neither a drum nor a pitch", text).Message
		if near := pdk.Nearest(text, theory.DrumNames()); len(near) > 0 {
			e.Message += "; nearest drums: " + strings.Join(near, ", ")
		}
		return sounding{}, e
	}
	return sounding{}, err
}

// noRepeat refuses the same thing twice at one time.
func noRepeat(all []sounding) error {
	for i, s := range all {
		if slices.IndexFunc(all[:i], func(o sounding) bool { return o.note == s.note }) >= 0 {
			return pdk.Errorf("%s is named twice: it cannot sound twice at once", s.name)
		}
	}
	return nil
}

// plural prints "1 note", "3 notes".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}
