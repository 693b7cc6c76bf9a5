package mixing

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// control is a value that changes in time: a controller, the pitch bend or the
// pressure.
type control struct {
	name    string // as in replies: "CC volume", "Bend"
	low     int
	high    int
	initial int                                                            // value before anything sets it
	words   map[string]int                                                 // values by name
	unit    func(c *ctx, t *song.Track, tick int64, s string) (int, error) // values in other units; errNoValue for a word that is not a value
	message func(value int) smf.Event
	value   func(e *song.Event) int
}

// is reports whether e sets the control.
func (k *control) is(e *song.Event) bool {
	m := k.message(k.low)
	if e.Status != m.Status {
		return false
	}
	switch m.Status & 0xF0 {
	case 0xA0, 0xB0:
		return e.A == m.A
	}
	return true
}

func ccControl(channel, number int) *control {
	initial := map[int]int{7: 100, 8: 64, 10: 64, 11: 127}[number]
	return &control{name: "CC " + theory.ControllerName(number), high: 127, initial: initial, words: map[string]int{"on": 127, "off": 0},
		message: func(v int) smf.Event {
			return smf.Event{Status: 0xB0 | byte(channel-1), A: byte(number), B: byte(v)}
		},
		value: func(e *song.Event) int { return int(e.B) }}
}

func pressureControl(channel int) *control {
	return &control{name: "Pressure", high: 127,
		message: func(v int) smf.Event { return smf.Event{Status: 0xD0 | byte(channel-1), A: byte(v)} },
		value:   func(e *song.Event) int { return int(e.A) }}
}

func keyPressureControl(channel int, pitch args.Sounding) *control {
	return &control{name: "Pressure of " + pitch.Name, high: 127,
		message: func(v int) smf.Event {
			return smf.Event{Status: 0xA0 | byte(channel-1), A: byte(pitch.Note), B: byte(v)}
		},
		value: func(e *song.Event) int { return int(e.B) }}
}

// errNoValue is the error for a word that is not a value.
var errNoValue = pdk.Errorf("no value")

// parse reads "90", "on", "now", or a ramp "40-100", for a tick of a track.
func (k *control) parse(c *ctx, t *song.Track, tick int64, s string) (from, to int, err error) {
	v, err := k.one(c, t, tick, s)
	if !errors.Is(err, errNoValue) {
		return v, v, err
	}
	for i := 1; i < len(s)-1; i++ {
		if s[i] != '-' {
			continue
		}
		a, err1 := k.one(c, t, tick, s[:i])
		b, err2 := k.one(c, t, tick, strings.TrimPrefix(s[i+1:], ">"))
		if !errors.Is(err1, errNoValue) && !errors.Is(err2, errNoValue) {
			return a, b, cmp.Or(err1, err2)
		}
	}
	return 0, 0, pdk.Errorf("value %q is not a number from %d to %d, now, or a ramp like %d-%d with @range:", s, k.low, k.high, k.low+k.high/3, k.high)
}

func (k *control) one(c *ctx, t *song.Track, tick int64, s string) (int, error) {
	if v, ok := k.words[strings.ToLower(s)]; ok {
		return v, nil
	}
	if strings.EqualFold(s, "now") {
		return k.inForce(c, t, tick), nil
	}
	if k.unit != nil {
		if v, err := k.unit(c, t, tick, s); !errors.Is(err, errNoValue) {
			return v, err
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < k.low || n > k.high {
		return 0, errNoValue
	}
	return n, nil
}

// near returns values that a word that cannot be read may have meant.
func (k *control) near(s string) []string {
	if list := near.Number(s, k.low, k.high); list != nil {
		return list
	}
	words := slices.Sorted(maps.Keys(k.words))
	words = slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(w, "0123456789") })
	if list := near.Word(s, words); list != nil {
		return list
	}
	for i := 1; i < len(s)-1; i++ {
		if s[i] == '-' {
			a, b := near.Number(s[:i], k.low, k.high), near.Number(s[i+1:], k.low, k.high)
			if a != nil && b != nil {
				return []string{a[0] + "-" + b[0]}
			}
		}
	}
	return nil
}

// set sets the value that positional i gives at at: (by default the start), or a ramp
// over @range.
func (k *control) set(c *ctx, a pdk.Args, t *song.Track, i int) error {
	var first, last int64
	var err error
	ranged := len(a.Selectors) > 0
	if ranged {
		first, last, err = args.RangeOnly(c, a, t)
	} else {
		first, err = args.Position(c, a, "at", t, 0)
	}
	if err != nil {
		return err
	}
	from, to, err := k.parse(c, t, first, a.Text(i))
	if err != nil {
		return args.InsteadAt(err, a, i, k.near(a.Text(i))...)
	}
	switch {
	case !ranged && from != to:
		return pdk.Errorf("a ramp from %d to %d needs @range:P-P", from, to)
	case !ranged && (a.Has("curve") || a.Has("every")):
		return pdk.Errorf("curve: and every: shape a ramp, FROM-TO with @range:P-P").Tryf("midi_help %s", a.Verb)
	case !ranged:
		return k.put(c, t, from, first)
	case from == to && strings.Contains(strings.ToLower(a.Text(i)), "now"):
		return pdk.Unchanged("%s is already %d at %s", k.name, from, c.Model.At(t, first))
	case from == to:
		return pdk.Errorf("%s %d over a range is one value, which holds until the next: give its place by at:%s, or a ramp", k.name, from, c.Model.At(t, first)).
			TryQuery("events " + c.Model.Names().Name(t) + " " + a.Selectors[0].Value)
	}
	way := pdk.Must(curveArg(c, a, t, first, last))
	return k.ramp(c, t, from, to, first, last, way)
}

// put sets one value at a tick and replaces the one there.
func (k *control) put(c *ctx, t *song.Track, value int, at int64) error {
	e := k.message(value)
	e.Tick = at
	text := k.name + " " + strconv.Itoa(value) + " on " + c.Model.Name(t) + " at " + c.Model.At(t, at)
	old := t.Find(at, k.is)
	if old != nil {
		was := k.value(old)
		if was == value {
			return pdk.Unchanged("%s is already %d at %s", k.name, value, c.Model.At(t, at))
		}
		args.Put(c, t, old, e, text)
		c.Changed("%s (was %d)", text, was)
		return nil
	}
	k.warnRivals(c, t, at, at)
	suffix := args.ChannelSuffix(t, k.channel())
	args.Put(c, t, nil, e, text)
	c.Created("%s%s", text, suffix)
	return nil
}

// controlOp returns a function that reads TRACK and ch: and calls set; TRACK may be *,
// all tracks that play.
func controlOp(set func(c *ctx, a pdk.Args, t *song.Track, channel int) error) func(*ctx, pdk.Args) error {
	return func(c *ctx, a pdk.Args) error {
		if a.Text(0) == "*" && !a.Positionals[0].Quoted {
			return everywhere(c, a, set)
		}
		t := pdk.Must(args.PlayingTrack(c, a, 0))
		channel := args.Channel(c, a, t)
		pdk.Check(set(c, a, t, channel))
		args.WarnShared(c, t, channel)
		return nil
	}
}

// everywhere calls set for all tracks that play, once for each channel.
func everywhere(c *ctx, a pdk.Args, set func(c *ctx, a pdk.Args, t *song.Track, channel int) error) error {
	if a.Has("ch") {
		return args.Suggest(pdk.Errorf("* is every track, on its own channel: ch: is for one"), a.With(pdk.Without("ch")))
	}
	var names []string
	var done [17]bool
	tracks := 0
	for _, t := range c.Model.Music() {
		channel := t.Channel()
		if channel == 0 || done[channel] && c.Model.Format() != 2 {
			continue
		}
		done[channel] = true
		tracks++
		switch err := pdk.Catch(func() error { return set(c, a, t, channel) }); {
		case pdk.IsUnchanged(err):
		case err != nil:
			return err
		default:
			names = append(names, c.Model.Name(t))
		}
	}
	if tracks == 0 {
		return pdk.Errorf("no track plays anything yet").TryQuery("tracks")
	}
	what := strings.Join(append([]string{a.Verb}, a.Texts(1)...), " ")
	if len(names) == 0 {
		return pdk.Unchanged("%s: all tracks are unchanged", what)
	}
	c.Created("%s on %s: %s", what, pdk.Count(len(names), "track"), song.Brief(strings.Join(names, ", "), 300))
	return nil
}

var ccVerb = verb{Keys: []pdk.Parameter{args.ChKey, curveKey}, Verb: abi.Verb{
	Category: "Tracks", Syntax: "cc TRACK|* NAME|0-127 VALUE|now [at:POS] [ch:N] | cc TRACK|* NAME FROM-TO @range:P-P [curve:linear|exp|log|s|sine] [every:DUR]",
	Brief: "cc TRACK NAME|0-127 VALUE [at:]",
	Summary: "a controller's value (0-127) from 1.1 or at:, or a ramp, from or to now, its current value; replaces what is at the same place; * is all tracks. " +
		"curve: exp is slow first, log fast first, s soft at both ends, sine there and back every: (1bar)",
	Examples: []string{"cc Piano volume 100", "cc Piano sustain on at:2.1", "cc Piano 74 64 at:3.1", "cc Piano expression 40-110 @range:1-2 curve:exp", "cc Piano cutoff 30-90 @range:1-4 curve:sine every:half"},
}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
	number := pdk.Must(args.Controller(a, 1))
	return ccControl(channel, number).set(c, a, t, 2)
})}

var volumeVerb = verb{Keys: []pdk.Parameter{args.ChKey, curveKey}, Verb: abi.Verb{
	Category: "Tracks", Syntax: "volume TRACK|* 0-127|now [at:POS] [ch:N] | volume TRACK|* FROM-TO @range:P-P [curve:linear|exp|log|s|sine] [every:DUR]",
	Brief:    "volume TRACK|* 0-127 [at:] | FROM-TO @range:P-P [curve:] · a fade (now-0); also pan cc bend",
	Summary:  "controller 7; a ramp fades, now-0 from the current level; * is all tracks, each from its own level. curve: and every: as in cc",
	Examples: []string{"volume Piano 90", "volume Piano 100-0 @range:7-8 curve:s", "volume * now-0 @range:7-8"},
}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
	return ccControl(channel, 7).set(c, a, t, 1)
})}

var panVerb = verb{Keys: []pdk.Parameter{args.ChKey, curveKey}, Verb: abi.Verb{
	Category: "Tracks", Syntax: "pan TRACK 0-127|left|center|right|L1-L100|R1-R100 [at:POS] [ch:N] | pan TRACK FROM-TO @range:P-P [curve:…] [every:DUR]",
	Brief:    "pan TRACK 0-127|left|center|right|L30|R30 [at:]",
	Summary:  "controller 10; 64 is the center",
	Examples: []string{"pan Piano L30", "pan Piano left-right @range:1-2", "pan Piano L60-R60 @range:1-4 curve:sine every:2bars"},
}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
	return panControl(channel).set(c, a, t, 1)
})}

func panControl(channel int) *control {
	k := ccControl(channel, 10)
	k.words = map[string]int{"left": 0, "center": 64, "centre": 64, "middle": 64, "right": 127}
	for p := 1; p <= 100; p++ {
		k.words["l"+strconv.Itoa(p)] = 64 - int(args.RoundDiv(int64(64*p), 100))
		k.words["r"+strconv.Itoa(p)] = 64 + int(args.RoundDiv(int64(63*p), 100))
	}
	return k
}

var pressureVerb = verb{Keys: []pdk.Parameter{args.ChKey, curveKey}, Verb: abi.Verb{
	Hidden: true, Category: "Tracks", Syntax: "pressure TRACK 0-127 [pitch:PITCH] [at:POS] [ch:N] | pressure TRACK FROM-TO @range:P-P [curve:…] [every:DUR]",
	Brief:    "pressure TRACK 0-127 [pitch: at:]",
	Summary:  "aftertouch of the channel, or of one key",
	Examples: []string{"pressure Piano 60 at:2.1", "pressure Piano 0-127 pitch:C4 @range:1-2"},
}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
	k := pressureControl(channel)
	if v, ok := a.Param("pitch"); ok {
		p, err := args.Pitch(v, channel)
		if err != nil {
			return args.Instead(err, a, "pitch", near.Pitch(v, channel)...)
		}
		k = keyPressureControl(channel, p)
	}
	return k.set(c, a, t, 1)
})}
