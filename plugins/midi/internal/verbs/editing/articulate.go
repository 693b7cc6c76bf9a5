package editing

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// lengthKey is how much of its length staccato leaves a note, in percent.
var lengthKey = value.Key[int]{Name: "length", Type: args.Percent(5, 95), Default: 50}

var staccatoVerb = verb{Keys: []pdk.Parameter{lengthKey}, Verb: abi.Verb{
	Category: "Edit", Syntax: "staccato @SEL… [length:PERCENT]",
	Brief:    "staccato @SEL… [length:50]",
	Summary:  "notes last PERCENT (50) of their old length, 5 to 95; their starts stay",
	Examples: []string{"staccato @track:Piano @range:1-2 length:40"},
}, Run: func(c *ctx, a pdk.Args) error {
	notes := pdk.Must(targetNotes(c, a, 0))
	percent := lengthKey.Of(a)
	n := pdk.Must(reshape(c, notes, func(_ int, e *song.Event) span {
		return span{e.Tick, e.Tick + max(1, args.RoundDiv(e.Length()*int64(percent), 100))}
	}, "Staccato"))
	if n == 0 {
		return pdk.Unchanged("these notes are as short as they can be")
	}
	c.Changed("Staccato for %s: %d%% of their lengths", countOutOf(n, len(notes), pdk.Count(len(notes), "note")), percent)
	return nil
}}

var strumVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "strum @SEL… [by:±DUR]",
	Brief:    "strum @SEL… [by:±64th]",
	Summary:  "notes that start together start one after another, by: (a 64th) apart, from the lowest, with - from the highest; their ends stay",
	Examples: []string{"strum @track:Piano by:ticks:15", "strum @track:Piano @range:1-2 by:-32nd"},
}, Run: func(c *ctx, a pdk.Args) error {
	by := a.String("by", "64th")
	text := strings.TrimLeft(by, "+-")
	found := pdk.Must(targetNotes(c, a, 0))
	notes := args.PitchedNotes(found)
	if len(notes) == 0 {
		return pdk.Errorf("strum leaves drums alone, and the op names nothing else").TryQuery("tracks")
	}
	lag, err := c.Model.Duration(notes[0].Track, text, notes[0].Tick)
	if err != nil {
		return args.Instead(err, a, "by", args.WithSign(by, near.Duration(c.Model, notes[0].Track, text, notes[0].Tick))...)
	}
	late := map[*song.Event]int64{}
	chords := 0
	for _, group := range groupChords(c, notes) {
		chords += pdk.If(len(group) > 1, 1, 0)
		for i, e := range group {
			if strings.HasPrefix(by, "-") {
				i = len(group) - 1 - i
			}
			late[e] = group[0].Tick + int64(i)*lag
		}
	}
	if chords == 0 {
		return pdk.Unchanged("no notes there start together")
	}
	n := pdk.Must(reshape(c, notes, func(_ int, e *song.Event) span {
		return span{min(late[e], max(e.Tick, e.Mate.Tick-1)), e.Mate.Tick}
	}, "Strum"))
	if n == 0 {
		return pdk.Unchanged("these chords are already strummed like that")
	}
	c.Changed("Strummed %s, %s apart", pdk.Count(chords, "chord"), text)
	return nil
}}

var invertVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "invert ±N @SEL…",
	Brief:    "invert ±N @SEL…",
	Summary:  "move the lowest note of each chord up by octaves until it is the highest, N times; with -N the highest note down",
	Examples: []string{"invert +1 @track:Piano @range:1-2", "invert -1 @track:Piano"},
}, Run: func(c *ctx, a pdk.Args) error {
	times, err := strconv.Atoi(a.Text(0))
	if err != nil || times == 0 || times < -8 || times > 8 {
		return args.InsteadAt(pdk.Errorf("invert %q: a number of inversions from -8 to 8", a.Text(0)), a, 0, near.Signed(a.Text(0), 8)...)
	}
	found := pdk.Must(targetNotes(c, a, 1))
	to := map[*song.Event]int{}
	chords := 0
	for _, group := range groupChords(c, args.PitchedNotes(found)) {
		if len(group) < 2 {
			continue
		}
		chords++
		pitches := make([]int, len(group))
		for i, e := range group {
			pitches[i] = e.Pitch()
		}
		for i := range max(times, -times) {
			k := i % len(group)
			if times < 0 {
				k = len(group) - 1 - k
			}
			for _, p := range pitches {
				for times > 0 && pitches[k] < p {
					pitches[k] += 12
				}
				for times < 0 && pitches[k] > p {
					pitches[k] -= 12
				}
			}
		}
		for i, e := range group {
			to[e] = pitches[i]
		}
	}
	if chords == 0 {
		return pdk.Unchanged("no notes there start together")
	}
	pdk.Check(changePitches(c, found, pitchesOf(to), "Invert "+a.Text(0)))
	c.Changed("Inverted %s by %s", pdk.Count(chords, "chord"), a.Text(0))
	return nil
}}
