package verbs

import (
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
)

// control is something with a value that changes in time: a controller, the
// pitch bend, the pressure.
type control struct {
	name    string // as in replies: "CC volume", "Bend"
	low     int
	high    int
	words   map[string]int // values by name
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
	return &control{name: "CC " + theory.ControllerName(number), high: 127, words: map[string]int{"on": 127, "off": 0},
		message: func(v int) smf.Event {
			return smf.Event{Status: 0xB0 | byte(channel-1), A: byte(number), B: byte(v)}
		},
		value: func(e *song.Event) int { return int(e.B) }}
}

func bendControl(channel int) *control {
	return &control{name: "Bend", low: -8192, high: 8191, words: map[string]int{"center": 0, "up": 8191, "down": -8192},
		message: func(v int) smf.Event {
			return smf.Event{Status: 0xE0 | byte(channel-1), A: byte((v + 8192) & 0x7F), B: byte((v + 8192) >> 7)}
		},
		value: func(e *song.Event) int { return int(e.A) | int(e.B)<<7 - 8192 }}
}

func pressureControl(channel int) *control {
	return &control{name: "Pressure", high: 127,
		message: func(v int) smf.Event { return smf.Event{Status: 0xD0 | byte(channel-1), A: byte(v)} },
		value:   func(e *song.Event) int { return int(e.A) }}
}

func keyPressureControl(channel int, pitch sounding) *control {
	return &control{name: "Pressure of " + pitch.name, high: 127,
		message: func(v int) smf.Event {
			return smf.Event{Status: 0xA0 | byte(channel-1), A: byte(pitch.note), B: byte(v)}
		},
		value: func(e *song.Event) int { return int(e.B) }}
}

// parse reads "90", "on", or a ramp "40-100".
func (k *control) parse(s string) (from, to int, err error) {
	if v, err := k.one(s); err == nil {
		return v, v, nil
	}
	for i := 1; i < len(s)-1; i++ {
		if s[i] != '-' {
			continue
		}
		a, err1 := k.one(s[:i])
		b, err2 := k.one(strings.TrimPrefix(s[i+1:], ">"))
		if err1 == nil && err2 == nil {
			return a, b, nil
		}
	}
	return 0, 0, pdk.Errorf("value %q is not a number from %d to %d, or a ramp like %d-%d with @range:", s, k.low, k.high, k.low+k.high/3, k.high)
}

func (k *control) one(s string) (int, error) {
	if v, ok := k.words[strings.ToLower(s)]; ok {
		return v, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < k.low || n > k.high {
		return 0, pdk.Errorf("value %q", s)
	}
	return n, nil
}

// near is what a value that cannot be read may have been meant as.
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

// set puts the value that positional i gives at at: (the start by default), or
// a ramp over @range.
func (k *control) set(c *ctx, a pdk.Args, t *song.Track, i int) error {
	from, to, err := k.parse(a.Text(i))
	if err != nil {
		return insteadAt(err, a, i, k.near(a.Text(i))...)
	}
	if len(a.Selectors) > 0 {
		first, last, err := rangeOnly(c, a, t)
		if err != nil {
			return err
		}
		if from == to {
			return pdk.Errorf("%s %d over a range is one value, which holds until the next: give its place by at:%s, or a ramp", k.name, from, c.Model.At(t, first)).
				TryQuery("events " + c.Model.Names().Name(t) + " " + a.Selectors[0].Value)
		}
		return k.ramp(c, t, from, to, first, last)
	}
	if from != to {
		return pdk.Errorf("a ramp from %d to %d needs @range:P-P", from, to)
	}
	at, err := positionArg(c, a, "at", t, 0)
	if err != nil {
		return err
	}
	return k.put(c, t, from, at)
}

// put sets one value at a tick, in place of one that is there.
func (k *control) put(c *ctx, t *song.Track, value int, at int64) error {
	e := k.message(value)
	e.Tick = at
	text := k.name + " " + itoa(value) + " on " + c.Model.Name(t) + " at " + c.Model.At(t, at)
	if old := t.Find(at, k.is); old != nil {
		was := k.value(old)
		if was == value {
			return pdk.Unchanged("%s is %d at %s already", k.name, value, c.Model.At(t, at))
		}
		x := &song.Set{}
		now := x.Change(old)
		now.A, now.B = e.A, e.B
		if err := c.Do(x, text, old.Ref()); err != nil {
			return err
		}
		c.Changed("%s (was %d)", text, was)
		return nil
	}
	suffix := elsewhere(t, int(e.Status&0xF)+1)
	x := &song.Insert{}
	x.Add(t, e)
	if err := c.Do(x, text, x.Refs(c.Model)...); err != nil {
		return err
	}
	c.Created("%s%s", text, suffix)
	return nil
}

// maxRampSteps keeps a ramp of the bend, which has 16384 values, within what
// an instrument's MIDI line carries.
const maxRampSteps = 256

// ramp sets values one after another from the first tick to the last, in place
// of those there.
func (k *control) ramp(c *ctx, t *song.Track, from, to int, first, last int64) error {
	steps := int64(max(to-from, from-to))
	steps = max(1, min(steps, maxRampSteps, last-first))
	text := k.name + " " + itoa(from) + "-" + itoa(to) + " on " + c.Model.Name(t) + " from " + c.Model.At(t, first) + " to " + c.Model.At(t, last)
	suffix := elsewhere(t, k.channel())
	gone := &song.Remove{}
	var there []*song.Event
	for e := range t.EventsFrom(first) {
		if e.Tick > last {
			break
		}
		if k.is(e) {
			gone.IDs, there = append(gone.IDs, e.ID), append(there, e)
		}
	}
	x := &song.Insert{}
	same := len(there) == int(steps)+1
	for i := range steps + 1 {
		e := k.message(from + int(roundDiv(int64(to-from)*i, steps)))
		e.Tick = first + roundDiv((last-first)*i, steps)
		same = same && there[i].Tick == e.Tick && there[i].A == e.A && there[i].B == e.B
		x.Add(t, e)
	}
	if same {
		return pdk.Unchanged("%s goes from %d to %d there already", k.name, from, to)
	}
	if len(gone.IDs) > 0 {
		if err := c.Do(gone, "Remove "+k.name+" there"); err != nil {
			return err
		}
	}
	refs := x.Refs(c.Model)
	if err := c.Do(x, text, refs...); err != nil {
		return err
	}
	c.Touch(refs...)
	c.Created("%s: %s%s", text, pdk.Count(len(x.Items), "step"), suffix)
	return nil
}

func (k *control) channel() int { return int(k.message(k.low).Status&0xF) + 1 }

// roundDiv is a/b to the nearest whole number; b is above 0.
func roundDiv(a, b int64) int64 {
	if a < 0 {
		return -((-2*a + b) / (2 * b))
	}
	return (2*a + b) / (2 * b)
}

// rangeOnly is the op's @range, which must be its only selector.
func rangeOnly(c *ctx, a pdk.Args, t *song.Track) (first, last int64, err error) {
	if len(a.Selectors) != 1 || a.Selectors[0].Type != "range" || a.Selectors[0].Negated {
		err := pdk.Errorf("%s takes no selector but one @range:P-P", a.Verb)
		// @all, and the track that is named anyhow, do not narrow the range down.
		rest := slices.DeleteFunc(slices.Clone(a.Selectors), func(s abi.Select) bool {
			of, _ := c.Model.FindTrack(s.Value, false)
			return !s.Negated && (s.Type == "all" || s.Type == "track" && of == t)
		})
		if len(rest) != 1 || len(rest) == len(a.Selectors) {
			return 0, 0, err
		}
		return 0, 0, suggest(err, withSelectors(a, rest...))
	}
	if a.Has("at") {
		return 0, 0, withoutKey(pdk.Errorf("@range: says where already, at: too"), a, "at")
	}
	if first, last, err = c.Model.Range(t, a.Selectors[0].Value); err != nil {
		list := near.Range(c.Model, t, a.Selectors[0].Value)
		if list == nil {
			return 0, 0, refusal(err).TryQuery("map")
		}
		return 0, 0, suggest(err, withSelectors(a, abi.Select{Type: "range", Value: list[0]}))
	}
	return first, last, nil
}

// controlOp reads TRACK and ch:, then runs set.
func controlOp(set func(c *ctx, a pdk.Args, t *song.Track, channel int) error) func(*ctx, pdk.Args) error {
	return func(c *ctx, a pdk.Args) error {
		t, err := playing(c, a, 0)
		if err != nil {
			return err
		}
		channel, err := channelArg(c, a, t)
		if err != nil {
			return err
		}
		return set(c, a, t, channel)
	}
}

func ccVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "cc", Category: "Tracks", Syntax: "cc TRACK NAME|0-127 VALUE [at:POS] [ch:N] | cc TRACK NAME FROM-TO @range:P-P",
		Brief:   "cc TRACK NAME|0-127 VALUE [at:]",
		Summary: "a controller's value (0-127) from 1.1 or at:, or a ramp; replaces what is at the same place",
		Params:  []abi.Param{atParam, chParam}, Select: true, Min: 3, Max: 3,
		Examples: []string{"cc Piano volume 100", "cc Piano sustain on at:2.1", "cc Piano 74 64 at:3.1", "cc Piano expression 40-110 @range:1-2"},
	}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
		number, err := controllerArg(a, 1)
		if err != nil {
			return err
		}
		return ccControl(channel, number).set(c, a, t, 2)
	})}
}

func volumeVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "volume", Category: "Tracks", Syntax: "volume TRACK 0-127 [at:POS] [ch:N] | volume TRACK FROM-TO @range:P-P",
		Brief:   "volume TRACK 0-127 [at:] | FROM-TO @range:P-P · a fade; pan cc bend pressure, too",
		Summary: "controller 7; a ramp fades", Params: []abi.Param{atParam, chParam}, Select: true, Min: 2, Max: 2,
		Examples: []string{"volume Piano 90", "volume Piano 100-0 @range:7-8"},
	}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
		return ccControl(channel, 7).set(c, a, t, 1)
	})}
}

func panVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "pan", Category: "Tracks", Syntax: "pan TRACK 0-127|left|center|right|L1-L100|R1-R100 [at:POS] [ch:N] | pan TRACK FROM-TO @range:P-P",
		Brief:   "pan TRACK 0-127|left|center|right|L30|R30 [at:]",
		Summary: "controller 10; 64 is the center", Params: []abi.Param{atParam, chParam}, Select: true, Min: 2, Max: 2,
		Examples: []string{"pan Piano L30", "pan Piano left-right @range:1-2"},
	}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
		return panControl(channel).set(c, a, t, 1)
	})}
}

func panControl(channel int) *control {
	k := ccControl(channel, 10)
	k.words = map[string]int{"left": 0, "center": 64, "centre": 64, "middle": 64, "right": 127}
	for p := 1; p <= 100; p++ {
		k.words["l"+itoa(p)] = 64 - int(roundDiv(int64(64*p), 100))
		k.words["r"+itoa(p)] = 64 + int(roundDiv(int64(63*p), 100))
	}
	return k
}

func bendVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "bend", Category: "Tracks", Syntax: "bend TRACK -8192…8191|center [at:POS] [ch:N] | bend TRACK FROM-TO @range:P-P",
		Brief:   "bend TRACK -8192…8191|center [at:]",
		Summary: "pitch bend; two semitones at the ends unless `rpn TRACK bend-range N`", Params: []abi.Param{atParam, chParam}, Select: true, Min: 2, Max: 2,
		Examples: []string{"bend Piano 4096 at:2.1", "bend Piano 0-8191 @range:2.1-2.4", "bend Piano center at:3.1"},
	}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
		return bendControl(channel).set(c, a, t, 1)
	})}
}

func pressureVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "pressure", Hidden: true, Category: "Tracks", Syntax: "pressure TRACK 0-127 [pitch:P] [at:POS] [ch:N] | pressure TRACK FROM-TO @range:P-P",
		Brief:   "pressure TRACK 0-127 [pitch: at:]",
		Summary: "aftertouch of the channel, or of one key", Params: []abi.Param{{Key: "pitch", Value: "PITCH"}, atParam, chParam}, Select: true, Min: 2, Max: 2,
		Examples: []string{"pressure Piano 60 at:2.1", "pressure Piano 0-127 pitch:C4 @range:1-2"},
	}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
		k := pressureControl(channel)
		if v, ok := a.Param("pitch"); ok {
			p, err := pitchArg(v, channel)
			if err != nil {
				return instead(err, a, "pitch", near.Pitch(v, channel)...)
			}
			k = keyPressureControl(channel, p)
		}
		return k.set(c, a, t, 1)
	})}
}

// controllerArg reads the controller that positional i names.
func controllerArg(a pdk.Args, i int) (int, error) {
	n, err := theory.ParseController(a.Text(i))
	if err == nil {
		return n, nil
	}
	e, list := refusal(err), near.Word(a.Text(i), theory.ControllerNames())
	if isNumber(a.Text(i)) {
		list = nil // another controller is no nearer for its number
	}
	if len(list) > 0 {
		e.Message += "; nearest: " + list[0]
	} else {
		e.Message += "; give a number, or one of " + strings.Join(theory.ControllerNames(), " ")
	}
	return 0, insteadAt(e, a, i, list...)
}
