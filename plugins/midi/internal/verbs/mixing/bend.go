package mixing

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var bendVerb = verb{Keys: []pdk.Parameter{args.ChKey, curveKey}, Verb: abi.Verb{
	Category: "Tracks", Syntax: "bend TRACK -8192…8191|±2st|±50c|center [at:POS] [ch:N] | bend TRACK FROM-TO @range:P-P [curve:…] [every:DUR]",
	Brief: "bend TRACK ±2st|±50c|center [at:]",
	Summary: "pitch bend, in semitones (2st), cents (50c) or as a number; two semitones at the ends unless `rpn TRACK bend-range N`, which semitones take into account; " +
		"a sine is a vibrato",
	Examples: []string{"bend Piano 1st at:2.1", "bend Piano 0st-2st @range:2.1-2.4", "bend Piano -20c-20c @range:3-4 curve:sine every:eighth", "bend Piano center at:3.1"},
}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
	return bendControl(channel).set(c, a, t, 1)
})}

func bendControl(channel int) *control {
	return &control{name: "Bend", low: -8192, high: 8191, words: map[string]int{"center": 0, "up": 8191, "down": -8192},
		message: func(v int) smf.Event {
			return smf.Event{Status: 0xE0 | byte(channel-1), A: byte((v + 8192) & 0x7F), B: byte((v + 8192) >> 7)}
		},
		value: func(e *song.Event) int { return int(e.A) | int(e.B)<<7 - 8192 },
		unit: func(c *ctx, t *song.Track, tick int64, s string) (int, error) {
			cents, ok := parseCents(s)
			if !ok {
				return 0, errNoValue
			}
			width := bendRange(c, t, channel, tick)
			if math.Abs(cents) > width {
				return 0, pdk.Errorf("a bend of %s exceeds the range of %s semitones in force at %s", s, formatNumber(width/100), c.Model.At(t, tick)).
					Tryf("rpn %s bend-range %d", pdk.Quote(c.Model.Name(t)), int(min(96, math.Ceil(math.Abs(cents)/100))))
			}
			return min(8191, int(math.Round(cents/width*8192))), nil
		}}
}

// parseCents reads "2st", "-0.5st" or "+50c" and returns cents.
func parseCents(s string) (cents float64, ok bool) {
	for _, u := range []struct {
		name  string
		cents float64
	}{{"semitones", 100}, {"semitone", 100}, {"st", 100}, {"cents", 1}, {"cent", 1}, {"ct", 1}, {"c", 1}} {
		if number, found := strings.CutSuffix(strings.ToLower(s), u.name); found {
			n, err := strconv.ParseFloat(number, 64)
			return n * u.cents, err == nil && !math.IsNaN(n)
		}
	}
	return 0, false
}

// bendRange returns the range of a channel's pitch bend at a tick, in cents: two
// semitones, unless a track has set registered parameter 0.
func bendRange(c *ctx, t *song.Track, channel int, tick int64) float64 {
	width, at := 200.0, int64(-1)
	for _, o := range args.TimelineTracks(c, t) {
		chosen := [2]int{127, 127}
		for e := range o.Between(0, tick+1) {
			if e.Status != 0xB0|byte(channel-1) || e.Tick < at {
				continue
			}
			switch e.A {
			case 98, 99:
				chosen = [2]int{127, 127}
			case 100, 101:
				chosen[e.A-100] = int(e.B)
			case 6, 38:
				if chosen != [2]int{} {
					continue
				}
				if at = e.Tick; e.A == 6 {
					width = float64(e.B) * 100
				} else {
					width = math.Floor(width/100)*100 + float64(e.B)
				}
			}
		}
	}
	return max(1, width)
}

// formatNumber prints a number without trailing zeros.
func formatNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
