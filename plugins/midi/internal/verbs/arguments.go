package verbs

import (
	"errors"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// opWord returns the change that replaces one word of an op.
type opWord func(text string) pdk.Change

func wordAt(i int) opWord {
	return func(text string) pdk.Change { return pdk.WithWords(i, 1, text) }
}

func valueOf(key string) opWord {
	return func(text string) pdk.Change { return pdk.WithParam(key, text) }
}

// instead returns a refusal that suggests the op with each of values for a parameter.
func instead(err error, a pdk.Args, key string, values ...string) error {
	return insteadOf(err, a, valueOf(key), values...)
}

// insteadAt does the same for positional i.
func insteadAt(err error, a pdk.Args, i int, values ...string) error {
	return insteadOf(err, a, wordAt(i), values...)
}

func insteadOf(err error, a pdk.Args, w opWord, values ...string) error {
	var ops []pdk.Args
	for _, v := range values {
		ops = append(ops, a.With(w(v)))
	}
	return suggest(err, ops...)
}

func refusal(err error) *pdk.Error {
	var e *pdk.Error
	if !errors.As(err, &e) {
		e = pdk.Errorf("%v", err)
	}
	return e
}

// trackArg resolves the track that positional i names. A destructive verb passes
// exactish, which refuses prefixes of names.
func trackArg(c *ctx, a pdk.Args, i int, exactish bool) (*song.Track, error) {
	return findTrack(c, a, a.Text(i), wordAt(i), exactish)
}

// trackParam resolves the track that a parameter names.
func trackParam(c *ctx, a pdk.Args, key string) (*song.Track, error) {
	return findTrack(c, a, a.String(key, ""), valueOf(key), false)
}

// findTrack resolves a track reference, which is word w of the op.
func findTrack(c *ctx, a pdk.Args, ref string, w opWord, exactish bool) (*song.Track, error) {
	t, err := c.Model.FindTrack(ref, exactish)
	if err == nil {
		return t, nil
	}
	names := near.Track(c.Model, ref)
	if exactish && len(names) > 1 {
		names = nil // only the client knows which one is to be changed
	}
	return nil, insteadOf(refusal(err).TryQuery("tracks"), a, w, names...)
}

// playingTrack resolves a track that can hold notes, which the conductor cannot.
func playingTrack(c *ctx, a pdk.Args, i int) (*song.Track, error) {
	t, err := trackArg(c, a, i, false)
	if err != nil {
		return nil, err
	}
	return t, refuseConductor(t)
}

// writableTrack resolves a track to add notes to. Its refusal suggests adding a missing
// track if there is none yet, or if its name is that of an instrument.
func writableTrack(c *ctx, a pdk.Args, i int) (*song.Track, error) {
	t, err := playingTrack(c, a, i)
	ref := a.Text(i)
	var w *correctable
	if err == nil || errors.As(err, &w) || strings.Trim(ref, "#0123456789 ") == "" || isPlayable(ref) {
		return t, err
	}
	if _, there := c.Model.FindTrack(ref, false); there == nil {
		return nil, err
	}
	sound := likelySound(ref)
	if sound == "" && slices.ContainsFunc(c.Model.Tracks(), func(t *song.Track) bool { return refuseConductor(t) == nil }) {
		return nil, err
	}
	e := &pdk.Error{Message: err.Error()}
	return nil, e.TryQuery("tracks").Tryf("track add %s%s", pdk.Quote(ref), sound)
}

// isPlayable reports whether a word is something that a track plays. In the place of a
// track it means that the track was left out.
func isPlayable(word string) bool {
	_, pitch := theory.ParsePitch(word)
	_, chord := theory.ParseChord(word)
	_, class := theory.ParseClass(word)
	_, drum := theory.Drum(word)
	return pitch == nil || chord == nil || class || drum
}

// likelySound returns a parameter with the instrument that a track's name implies, or
// "".
func likelySound(name string) string {
	for _, word := range append([]string{name}, strings.Fields(name)...) {
		if s, _, ok := theory.FindInstrument(word); ok && !s.Guessed {
			return " instrument:" + s.Name
		}
	}
	return ""
}

// refuseConductor refuses the conductor track.
func refuseConductor(t *song.Track) error {
	if t.Conductor {
		return pdk.Errorf("the conductor track holds tempo and signatures, no channel messages").TryQuery("tracks")
	}
	return nil
}

// read returns the value of a key that is not among the verb's, because its type or its refusal depends on the song.
func read[T any](a pdk.Args, k value.Key[T]) (T, error) {
	v, _, err := k.Read(a)
	return v, meant(err, a, k.Name)
}

// meant returns the refusal of a key's value with suggestions of what its type has for it.
func meant(err error, a pdk.Args, key string) error {
	if err == nil {
		return nil
	}
	e := refusal(err)
	return instead(e, a, key, e.Meant()...)
}

// channelArg returns the channel (1-16) of ch:, else the one the track plays on, else a
// free one.
func channelArg(c *ctx, a pdk.Args, t *song.Track) (int, error) {
	n := chKey.Of(a)
	if n == 0 {
		n = t.Channel()
	}
	if n == 0 {
		n, _ = c.Model.FreeChannel()
	}
	return n, nil
}

// positionArg returns the tick of a position parameter, or def if it is absent.
func positionArg(c *ctx, a pdk.Args, key string, t *song.Track, def int64) (int64, error) {
	v, ok := a.Param(key)
	if !ok {
		return def, nil
	}
	tick, err := c.Model.Position(t, v)
	if err != nil {
		e := pdk.Errorf("%v", err)
		if low := strings.ToLower(v); strings.HasPrefix(low, "marker:") {
			e.TryQuery("map")
		} else if strings.HasPrefix(low, "end:") {
			e.TryQuery("tracks")
		}
		return 0, instead(e, a, key, near.Position(c.Model, t, v)...)
	}
	return tick, nil
}

// lengthParam returns a duration parameter in ticks, that of def if it is absent.
func lengthParam(c *ctx, a pdk.Args, key, def string, t *song.Track, at int64) (int64, error) {
	v := a.String(key, def)
	d, err := c.Model.Duration(t, v, at)
	if err != nil {
		return 0, instead(err, a, key, near.Duration(c.Model, t, v, at)...)
	}
	return d, nil
}

// sounding is a pitch to play: its MIDI note and its name.
type sounding struct {
	note int
	name string
}

// pitchArg reads a pitch for a channel; on the drum channel, drums have names.
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

// checkRepeated refuses a pitch that is named twice. It returns the index of the second
// one, or -1 if there is none.
func checkRepeated(all []sounding) (int, error) {
	for i, s := range all {
		if slices.ContainsFunc(all[:i], func(o sounding) bool { return o.note == s.note }) {
			return i, pdk.Errorf("%s is named twice: it cannot sound twice at once", s.name)
		}
	}
	return -1, nil
}
