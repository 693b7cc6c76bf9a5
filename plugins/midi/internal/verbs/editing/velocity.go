package editing

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var velocityVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "velocity ±N|xF|=N|mf @SEL…",
	Brief:    "velocity ±N|xF|=N|mf @SEL…",
	Summary:  "louder, softer, scaled or set; stays within 1-127",
	Examples: []string{"velocity +10 @track:Piano", "velocity x0.8 @range:5-8", "velocity =90 @recent", "velocity mf @all"},
}, Run: func(c *ctx, a pdk.Args) error {
	change, err := parseLoudness(a.Text(0))
	if err != nil {
		return args.InsteadAt(err, a, 0, near.Loudness(a.Text(0))...)
	}
	notes := pdk.Must(targetNotes(c, a, 1))
	n := pdk.Must(changeVelocities(c, notes, change, "Velocity "+a.Text(0)))
	c.Changed("Velocity %s for %s", strings.TrimPrefix(a.Text(0), "="), countOutOf(n, len(notes), args.Describe(c, notes)))
	return nil
}}

// parseLoudness reads "+10", "-5", "x1.2", "=90", "90", "mf" as a function of the old
// velocity. The function's result may be out of range.
func parseLoudness(s string) (func(int) float64, error) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		n, err := strconv.Atoi(s)
		if err != nil || n < -127 || n > 127 {
			return nil, pdk.Errorf("velocity %q: a change is from -127 to +127", s)
		}
		return func(v int) float64 { return float64(v + n) }, nil
	}
	if s != "" && (s[0] == 'x' || s[0] == 'X' || s[0] == '*') {
		f, err := strconv.ParseFloat(s[1:], 64)
		if err != nil || !(f > 0 && f <= 127) {
			return nil, pdk.Errorf("velocity %q: a factor is a number above 0, like x0.8", s)
		}
		return func(v int) float64 { return float64(v) * f }, nil
	}
	n, err := theory.ParseVelocity(strings.TrimPrefix(s, "="))
	if err != nil {
		return nil, pdk.Errorf("velocity %q is not one of +10, -10, x0.8, =90, mf: %v", s, err)
	}
	return func(int) float64 { return float64(n) }, nil
}

// countOutOf prints how many elements an op changed, if it is not all of them.
func countOutOf(n, all int, what string) string {
	if n == all {
		return what
	}
	return strconv.Itoa(n) + " of " + what
}

// changeVelocities changes the velocities of notes, limited to 1-127, and returns how
// many changed.
func changeVelocities(c *ctx, notes []*song.Event, change func(int) float64, summary string) (int, error) {
	x := &song.Set{Items: make([]song.Change, 0, len(notes))}
	limited := 0
	for _, e := range notes {
		v := int(math.Round(change(e.Velocity())))
		if v < 1 || v > 127 {
			limited++
			v = min(max(v, 1), 127)
		}
		if v != e.Velocity() {
			x.Change(e).B = byte(v)
		}
	}
	if len(x.Items) == 0 {
		return 0, pdk.Unchanged("no velocity changes: the notes already have it, or are at the limit")
	}
	if limited > 0 {
		c.Warn("%s stopped at the end of the range, 1 or 127", pdk.Count(limited, "note"))
	}
	return len(x.Items), c.Do(x, summary, args.Refs(notes)...)
}
