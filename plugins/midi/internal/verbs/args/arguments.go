package args

import (
	"errors"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Instead returns a refusal that suggests the op with each of values for a parameter.
func Instead(err error, a pdk.Args, key string, values ...string) error {
	return Suggest(err, pdk.Map(values, func(v string) pdk.Args { return a.With(pdk.WithParam(key, v)) })...)
}

// InsteadAt does the same for positional i.
func InsteadAt(err error, a pdk.Args, i int, values ...string) error {
	return Suggest(err, pdk.Map(values, func(v string) pdk.Args { return a.With(pdk.WithWords(i, 1, v)) })...)
}

// Refusal returns an error as a refusal, which suggestions can be added to.
func Refusal(err error) *pdk.Error {
	var e *pdk.Error
	if !errors.As(err, &e) {
		e = pdk.Errorf("%v", err)
	}
	return e
}

// Track resolves the track that positional i names. A destructive verb passes
// exactish, which refuses prefixes of names.
func Track(c *ctx, a pdk.Args, i int, exactish bool) (*song.Track, error) {
	t, names, err := findTrack(c, a.Text(i), exactish)
	if err != nil {
		err = InsteadAt(err, a, i, names...)
	}
	return t, err
}

// TrackOf resolves the track that a parameter names.
func TrackOf(c *ctx, a pdk.Args, key string) (*song.Track, error) {
	t, names, err := findTrack(c, a.String(key, ""), false)
	if err != nil {
		err = Instead(err, a, key, names...)
	}
	return t, err
}

// findTrack resolves a track reference. With an error it returns the names that may be meant.
func findTrack(c *ctx, ref string, exactish bool) (t *song.Track, names []string, err error) {
	if t, err = c.Model.FindTrack(ref, exactish); err == nil {
		return t, nil, nil
	}
	if names = near.Track(c.Model, ref); exactish && len(names) > 1 {
		names = nil // only the client knows which one is to be changed
	}
	return nil, names, Refusal(err).TryQuery("tracks")
}

// PlayingTrack resolves a track that can hold notes, which the conductor cannot.
func PlayingTrack(c *ctx, a pdk.Args, i int) (*song.Track, error) {
	t, err := Track(c, a, i, false)
	if err != nil {
		return nil, err
	}
	return t, RefuseConductor(t)
}

// WritableTrack resolves a track to add notes to. Its refusal suggests adding a missing
// track if there is none yet, or if its name is that of an instrument.
func WritableTrack(c *ctx, a pdk.Args, i int) (*song.Track, error) {
	t, err := PlayingTrack(c, a, i)
	ref := a.Text(i)
	var w *Correctable
	if err == nil || errors.As(err, &w) || strings.Trim(ref, "#0123456789 ") == "" || isPlayable(ref) {
		return t, err
	}
	if _, there := c.Model.FindTrack(ref, false); there == nil {
		return nil, err
	}
	sound := likelySound(ref)
	if sound == "" && slices.ContainsFunc(c.Model.Tracks(), func(t *song.Track) bool { return RefuseConductor(t) == nil }) {
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

// RefuseConductor refuses the conductor track.
func RefuseConductor(t *song.Track) error {
	if t.Conductor {
		return pdk.Errorf("the conductor track holds tempo and signatures, no channel messages").TryQuery("tracks")
	}
	return nil
}

// Read returns the value of a key that is not among the verb's, because its type or its refusal depends on the song.
func Read[T any](a pdk.Args, k value.Key[T]) (T, error) {
	v, _, err := k.Read(a)
	return v, suggestMeant(err, a, k.Name)
}

// Number reads positional i as a whole number; name says in the refusal which one.
func Number(a pdk.Args, i, low, high int, name string) (int, error) {
	n, err := value.Int(low, high).Word(a, i, name)
	if err != nil {
		e := Refusal(err)
		return 0, InsteadAt(e, a, i, e.Meant()...)
	}
	return n, nil
}

// suggestMeant returns the refusal of a key's value with suggestions of what its type has for it.
func suggestMeant(err error, a pdk.Args, key string) error {
	if err == nil {
		return nil
	}
	e := Refusal(err)
	return Instead(e, a, key, e.Meant()...)
}

// Channel returns the channel (1-16) of ch:, else the one the track plays on, else a
// free one.
func Channel(c *ctx, a pdk.Args, t *song.Track) int {
	n := ChKey.Of(a)
	if n == 0 {
		n = t.Channel()
	}
	if n == 0 {
		n, _ = c.Model.FreeChannel()
	}
	return n
}

// Position returns the tick of a position parameter, or def if it is absent.
func Position(c *ctx, a pdk.Args, key string, t *song.Track, def int64) (int64, error) {
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
		return 0, Instead(e, a, key, near.Position(c.Model, t, v)...)
	}
	return tick, nil
}

// Length returns a duration parameter in ticks, that of def if it is absent.
func Length(c *ctx, a pdk.Args, key, def string, t *song.Track, at int64) (int64, error) {
	v := a.String(key, def)
	d, err := c.Model.Duration(t, v, at)
	if err != nil {
		return 0, Instead(err, a, key, near.Duration(c.Model, t, v, at)...)
	}
	return d, nil
}

// Sounding is a pitch to play: its MIDI note and its name.
type Sounding struct {
	Note int
	Name string
}

// Pitch reads a pitch for a channel; on the drum channel, drums have names.
func Pitch(text string, channel int) (Sounding, error) {
	p, err := theory.ParsePitch(text)
	if err == nil {
		return Sounding{p.Number(), p.String()}, nil
	}
	if n, ok := theory.Drum(text); ok {
		if channel != theory.DrumChannel {
			return Sounding{}, pdk.Errorf("%q is a drum: drums play on channel %d, this is channel %d", text, theory.DrumChannel, channel)
		}
		return Sounding{n, strings.ToLower(text)}, nil
	}
	if channel == theory.DrumChannel {
		e := Refusal(err)
		e.Message = pdk.Errorf("%q is neither a drum nor a pitch", text).Message
		if near := pdk.Nearest(text, theory.DrumNames()); len(near) > 0 {
			e.Message += "; nearest drums: " + strings.Join(near, ", ")
		}
		return Sounding{}, e
	}
	return Sounding{}, err
}

// CheckRepeated refuses a pitch that is named twice. It returns the index of the second
// one, or -1 if there is none.
func CheckRepeated(all []Sounding) (int, error) {
	for i, s := range all {
		if slices.ContainsFunc(all[:i], func(o Sounding) bool { return o.Note == s.Note }) {
			return i, pdk.Errorf("%s is named twice: it cannot sound twice at once", s.Name)
		}
	}
	return -1, nil
}

// CheckTick refuses ticks that a file cannot hold.
func CheckTick(tick int64) error {
	if tick > smf.MaxTick {
		return pdk.Errorf("that ends beyond tick %d, the longest song a file can hold", smf.MaxTick)
	}
	return nil
}

// OneText returns the op with all positionals after the first as one quoted text.
func OneText(a pdk.Args, text string) pdk.Args {
	return a.With(pdk.WithWords(1, len(a.Positionals), text))
}

// Controller reads the controller that positional i names.
func Controller(a pdk.Args, i int) (int, error) {
	n, err := theory.ParseController(a.Text(i))
	if err == nil {
		return n, nil
	}
	e, list := Refusal(err), near.Word(a.Text(i), theory.ControllerNames())
	if IsNumber(a.Text(i)) {
		list = nil // no other number is a better guess
	}
	if len(list) > 0 {
		e.Message += "; nearest: " + list[0]
	} else {
		e.Message += "; give a number, or one of " + strings.Join(theory.ControllerNames(), " ")
	}
	return 0, InsteadAt(e, a, i, list...)
}

// WithSign prefixes other words with the sign of a word.
func WithSign(word string, others []string) []string {
	if word != "" && (word[0] == '-' || word[0] == '+') {
		for i := range others {
			others[i] = word[:1] + others[i]
		}
	}
	return others
}

// CheckKeys refuses parameters other than keys, and an op without parameters.
func CheckKeys(a pdk.Args, what string, keys ...string) error {
	for _, p := range a.Params {
		if !slices.Contains(keys, p.Key) {
			it := "no parameters"
			if len(keys) > 0 {
				it = strings.Join(keys, ": ") + ":"
			}
			return Suggest(pdk.Errorf("%s takes no %s:; it takes %s", what, p.Key, it), a.With(pdk.Without(p.Key)))
		}
	}
	return nil
}

// MaxCopies limits how many events one op may make.
const MaxCopies = 200_000

// IsNumber reports whether a word is made of digits, with or without a sign.
func IsNumber(s string) bool { return s != "" && strings.Trim(s, "+-0123456789") == "" }
