package writing

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// gridKeys are the keys of a drum grid that have a type. In beat, keys other than gridNames are sounds.
var (
	gridKeys  = []pdk.Parameter{args.CountKey, args.VelKey, args.ChKey, args.SeedKey, args.OverKey}
	gridNames = []string{"at", "res", "count", "vel", "ch", "swing", "seed", "over"}
)

const gridMarks = "x hit, X accent, g ghost note, f flam, r roll, ? hit or not (seed:), . or - nothing; blanks and | are ignored; or E(5,8): five hits spread over eight steps"

var drumsVerb = verb{Keys: gridKeys, Verb: abi.Verb{
	Hidden: true, Category: "Notes", Syntax: "drums TRACK [at:POS] [res:DUR] [count:N] [vel:V] [swing:20-80|20-80/DUR] [seed:N] [over:true] [ch:N]", Block: "end",
	Brief:    "drums TRACK [keys of beat] · a line a sound, kick: x..X|g...",
	Summary:  "a pattern, a line a sound: `kick: x...x...`, a sign each 16th or res:, played count: times (1); " + gridMarks,
	Examples: []string{"drums Drums at:1.1 count:2\nkick:  x...x...|x...x...\nsnare: ....X...|....X..g\nhihat: x.x.x.x.|x.x.x.x.\nend"},
}, Run: runGrid}

// beatVerb makes drums in one line, for clients that cannot send a block, and for the
// suggestions of drums.
var beatVerb = verb{Keys: gridKeys, Verb: abi.Verb{
	Category: "Notes", Syntax: "beat TRACK SOUND:GRID… [at:POS] [res:DUR] [count:N] [vel:V] [swing:20-80|20-80/DUR] [seed:N] [over:true] [ch:N]",
	Brief:    "beat TRACK kick:x...x... snare:....X..g … [at: res: count: vel: swing:62 over:true] · a 16th or res: each: x X(accent) g(host) . or E(5,8)",
	Summary:  "drums in one line; swing: is of eighths, or of the length after a slash, 62/16th",
	Examples: []string{"beat Drums kick:x...x... snare:....X... hihat:x.x.x.x. count:4", "beat Drums hihat:E(5,8) snare:....f..r swing:62 at:9.1 over:true"},
}, Run: runGrid}

// runGrid reads the rows of drums from its block, those of beat from its parameters,
// and plays them.
func runGrid(c *ctx, a pdk.Args) error {
	var rows []gridRow
	for i, line := range a.Block {
		if strings.TrimSpace(line) == "" {
			continue
		}
		cut := strings.LastIndexAny(line, ":")
		if cut < 0 {
			cut = strings.LastIndexAny(strings.TrimRight(line, " \t"), " \t")
		}
		if cut < 0 || strings.TrimSpace(line[:cut]) == "" {
			return pdk.Errorf("drums, row %d: %q is not a sound and its signs, like kick: x...x...", i+1, summaryOf(line))
		}
		rows = append(rows, gridRow{number: i + 1, name: strings.TrimSpace(line[:cut]), marks: line[cut+1:], offset: len([]rune(line[:cut])) + 1})
	}
	if a.Verb != "drums" {
		for _, p := range a.Params {
			if !slices.Contains(gridNames, p.Key) {
				rows = append(rows, gridRow{number: len(rows) + 1, name: p.Key, marks: p.Value})
			}
		}
	}
	return playGrid(c, a, rows)
}

// gridRow is the line of one sound in a drum grid.
type gridRow struct {
	number int // from 1, for error messages
	name   string
	marks  string
	offset int // column of the first mark in its line

	note  int
	steps []rune
}

// beatOp returns the op on one line.
func beatOp(a pdk.Args, rows []gridRow) pdk.Args {
	op := &abi.Op{Verb: "beat", Positionals: a.Positionals[:1]}
	for _, r := range rows {
		r.marks = strings.ReplaceAll(strings.ReplaceAll(r.marks, " ", ""), "\t", "")
		if r.marks == "" {
			continue
		}
		key := strings.ReplaceAll(r.name, " ", "-")
		if n, err := args.Pitch(r.name, theory.DrumChannel); err == nil && theory.DrumName(n.Note) != "" && strings.ContainsAny(key, "#:♯♭") {
			key = theory.DrumName(n.Note)
		}
		op.Params = append(op.Params, abi.KeyValue{Key: key, Value: r.marks})
	}
	for _, p := range a.Params {
		if slices.Contains(gridNames, p.Key) {
			op.Params = append(op.Params, p)
		}
	}
	return pdk.Args{Op: op}
}

// readRows reads the sound and the steps of each row.
func readRows(a pdk.Args, rows []gridRow, channel int) error {
	seen := map[int]string{}
	for i := range rows {
		r := &rows[i]
		n, err := args.Pitch(r.name, channel)
		if err != nil {
			if _, drum := theory.Drum(r.name); drum {
				return args.Instead(pdk.Errorf("drums, row %d: %v", r.number, err), beatOp(a, rows), "ch", strconv.Itoa(theory.DrumChannel))
			}
			return suggestRow(pdk.Errorf("drums, row %d: %v", r.number, err), a, rows, i)
		}
		if marks, ok := euclid(r.marks); ok {
			r.marks = marks
		}
		if other, twice := seen[n.Note]; twice {
			return pdk.Errorf("drums, row %d: %s is already the sound of row %s", r.number, r.name, other)
		}
		r.note, seen[n.Note] = n.Note, r.name
		for col, m := range []rune(r.marks) {
			switch m {
			case ' ', '\t', '|':
				continue
			case 'x', 'X', 'g', 'f', 'r', '?', '.', '-', '_':
				r.steps = append(r.steps, m)
			default:
				return args.Suggest(pdk.Errorf("drums, row %d (%s), column %d: %q is not a sign: %s", r.number, r.name, r.offset+col+1, string(m), gridMarks), beatOp(a, convertMarks(rows)))
			}
		}
		if len(r.steps) == 0 {
			return args.Suggest(pdk.Errorf("drums, row %d (%s) is empty", r.number, r.name), beatOp(a, rows)) // leaves the row out
		}
		if first := &rows[0]; len(r.steps) != len(first.steps) {
			return args.Suggest(pdk.Errorf("drums, row %d (%s) has %s, row %d (%s) has %d", r.number, r.name, pdk.Count(len(r.steps), "step"), first.number, first.name, len(first.steps)),
				beatOp(a, padRows(rows)))
		}
	}
	return nil
}

// suggestRow suggests the grid with the drum whose name is nearest to a row's.
func suggestRow(err error, a pdk.Args, rows []gridRow, i int) error {
	list := near.Word(rows[i].name, theory.DrumNames())
	if list == nil {
		return err
	}
	rows = slices.Clone(rows)
	rows[i].name = list[0]
	return args.Suggest(err, beatOp(a, rows))
}

// convertMarks converts the marks of other grids: o, *, # and 1 become hits, all others
// rests.
func convertMarks(rows []gridRow) []gridRow {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].marks = strings.Map(func(c rune) rune {
			switch {
			case strings.ContainsRune("xXgfr?.-_| \t", c):
				return c
			case strings.ContainsRune("oO*#1", c):
				return 'x'
			}
			return '.'
		}, rows[i].marks)
	}
	return rows
}

// padRows extends all rows to the length of the longest.
func padRows(rows []gridRow) []gridRow {
	steps := func(r *gridRow) int {
		return len([]rune(r.marks)) - strings.Count(r.marks, " ") - strings.Count(r.marks, "\t") - strings.Count(r.marks, "|")
	}
	rows, most := slices.Clone(rows), 0
	for i := range rows {
		most = max(most, steps(&rows[i]))
	}
	for i := range rows {
		rows[i].marks += strings.Repeat(".", most-steps(&rows[i]))
	}
	return rows
}

// graceAndStroke returns, in ticks, how long before its stroke the grace note of a flam
// starts, a 96th, and the length of a stroke of a roll, a 32nd.
func (p *Phrase) graceAndStroke() (grace, stroke int64) {
	ppq, err := p.C.Model.PPQ()
	if err != nil {
		ppq = 480
	}
	return max(1, ppq/24), max(1, ppq/8)
}

// euclid expands E(hits,steps) or E(hits,steps,rotation) to marks: hits are spread over
// the steps as evenly as possible, the first on the first step, then rotated left.
func euclid(text string) (marks string, ok bool) {
	inner, found := strings.CutPrefix(strings.ToUpper(strings.ReplaceAll(text, " ", "")), "E(")
	inner, closed := strings.CutSuffix(inner, ")")
	parts := strings.Split(inner, ",")
	if !found || !closed || len(parts) < 2 || len(parts) > 3 {
		return "", false
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil || v < 0 || v > 256 {
			return "", false
		}
		n[i] = v
	}
	hits, steps, turn := n[0], n[1], n[2]
	if hits < 1 || hits > steps {
		return "", false
	}
	out := make([]byte, steps)
	for i := range out {
		out[i] = '.'
		if (i+turn)*hits%steps < hits {
			out[i] = 'x'
		}
	}
	return string(out), true
}

// playGrid plays the rows of a drum grid at the place of a phrase.
func playGrid(c *ctx, a pdk.Args, rows []gridRow) error {
	if len(rows) == 0 {
		return pdk.Errorf("%s: there is no row: give a sound and its signs, like kick: x...x...", a.Verb)
	}
	if a.Verb == "drums" {
		a = beatOp(a, rows) // suggestions are one line
	}
	p := NewPhrase(c, a)
	if !a.Has("ch") && p.Track.Channel() == 0 {
		p.Channel = theory.DrumChannel
	}
	count := args.CountKey.Of(a)
	step := pdk.Must(p.lengthAt("res", "16th"))
	pdk.Check(readRows(a, rows, p.Channel))
	warp := pdk.Must(swingParam(c, a, p.Track))
	seed := args.SeedKey.Of(a)
	k := newKit(p, seed)
	for range count {
		for s := range rows[0].steps {
			at, end := warp(p.Track, p.At), warp(p.Track, p.At+step)
			for i := range rows {
				k.stroke(rows[i].steps[s], rows[i].note, at, max(1, end-at))
			}
			pdk.Check(p.Step(step))
		}
	}
	if len(p.Edit.Items) == 0 {
		return pdk.Errorf("drums: nothing sounds in this grid: %s", gridMarks)
	}
	if m, err := c.Model.Meter(p.Track); err == nil && p.At != m.BarEnd(p.At-1) {
		if _, beat, sub := m.Locate(p.Start); beat == 1 && sub == 0 {
			c.Warn("the pattern ends inside a bar, at %s", c.Model.At(p.Track, p.At))
		}
	}
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].name
	}
	return p.Do("Drums " + strings.Join(names, " "))
}

// swingParam reads swing: as a function that moves a tick of a track; without it, ticks stay.
func swingParam(c *ctx, a pdk.Args, t *song.Track) (func(t *song.Track, tick int64) int64, error) {
	v, ok := a.Param("swing")
	if !ok {
		return func(_ *song.Track, tick int64) int64 { return tick }, nil
	}
	percent, size, _ := strings.Cut(v, "/")
	n, err := args.SwingArg(percent)
	if err != nil {
		return nil, args.Instead(err, a, "swing", near.Number(percent, 20, 80)...)
	}
	if size == "" {
		size = "eighth"
	}
	grid, err := args.GridOf(c, a.With(pdk.WithParam("swing", size)), "swing", "eighth", t)
	if err != nil {
		return nil, args.Instead(pdk.Errorf("swing:%s: the steps that swing are a duration, like swing:62/16th", v), a, "swing", percent)
	}
	return args.Swinger(c, grid, n), nil
}

// kit plays the marks of a drum grid on a phrase.
type kit struct {
	phrase       *Phrase
	chance       *rand.PCG
	grace, short int64 // see graceAndStroke
}

func newKit(p *Phrase, seed int) *kit {
	k := &kit{phrase: p, chance: rand.NewPCG(uint64(seed), 0x6472756D73)}
	k.grace, k.short = p.graceAndStroke()
	return k
}

// stroke plays a mark (see gridMarks) as note at a tick, for a length in ticks.
func (k *kit) stroke(mark rune, note int, at, length int64) {
	p := k.phrase
	accent, ghost := accentVelocity(p.velocity), ghostVelocity(p.velocity)
	switch mark {
	case 'x':
		p.Note(note, p.velocity, at, length)
	case 'X':
		p.Note(note, accent, at, length)
	case 'g':
		p.Note(note, ghost, at, length)
	case 'f':
		if early := max(0, at-k.grace); early < at {
			p.Note(note, ghost, early, at-early)
		}
		p.Note(note, p.velocity, at, length)
	case 'r':
		n := max(2, min(16, length/k.short))
		for i := range n {
			from := at + length*i/n
			p.Note(note, ghost+int(int64(p.velocity-ghost)*(i+1)/n), from, max(1, at+length*(i+1)/n-from))
		}
	case '?':
		if k.chance.Uint64()&1 == 1 {
			p.Note(note, p.velocity, at, length)
		}
	}
}
