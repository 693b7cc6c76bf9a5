package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

var gridParams = []abi.Param{atParam, {Key: "res", Value: "DUR"}, {Key: "count", Value: "N"}, velParam, chParam}

const gridMarks = "x hit, X accent, g ghost note, . or - nothing; blanks and | are read over"

func drumsVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "drums", Category: "Notes", Syntax: "drums TRACK [at:POS] [res:DUR] [count:N] [vel:V] [ch:N]", Block: "end",
		Brief:   "drums TRACK [at: res: count: vel: ch:] · a line a sound, as kick: x..X|g... (hit, accent, ghost, nothing), a sign a 16th or res:",
		Summary: "a pattern, a line a sound: `kick: x...x...`, a sign each 16th or res:, played count: times (1); " + gridMarks,
		Params:  gridParams, Min: 1, Max: 1,
		Examples: []string{"drums Drums at:1.1 count:2\nkick:  x...x...|x...x...\nsnare: ....X...|....X..g\nhihat: x.x.x.x.|x.x.x.x.\nend"},
	}, Run: runGrid}
}

// beatVerb is drums on one line, for those who have no block, and for what
// drums suggests.
func beatVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "beat", Category: "Notes", Syntax: "beat TRACK SOUND:GRID… [at:POS] [res:DUR] [count:N] [vel:V] [ch:N]",
		Brief:   "beat TRACK kick:x...x... snare:....X..g … [at: res: count: vel: ch:] · the same in one line",
		Summary: "drums in one line", Params: gridParams, AnyParam: true, Min: 1, Max: 1,
		Examples: []string{"beat Drums kick:x...x... snare:....X... hihat:x.x.x.x. count:4"},
	}, Run: runGrid}
}

// runGrid reads the rows of drums from its block, those of beat from its
// parameters, and plays them.
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
			return pdk.Errorf("drums, row %d: %q is not a sound and its signs, like kick: x...x...", i+1, brief(line)).
				Tryf("beat %s kick:x...x...", pdk.Quote(a.Text(0)))
		}
		rows = append(rows, gridRow{number: i + 1, name: strings.TrimSpace(line[:cut]), marks: line[cut+1:], offset: len([]rune(line[:cut])) + 1})
	}
	if a.Verb != "drums" {
		for _, p := range a.Params {
			if !slices.ContainsFunc(gridParams, func(k abi.Param) bool { return k.Key == p.Key }) {
				rows = append(rows, gridRow{number: len(rows) + 1, name: p.Key, marks: p.Value})
			}
		}
	}
	return playGrid(c, a, rows)
}

// gridRow is one sound's line of a drum grid.
type gridRow struct {
	number int // from 1, for errors
	name   string
	marks  string
	offset int // of the marks in their line

	note  int
	steps []rune
}

// asBeat is the op on one line, with a row's name and marks replaced.
func asBeat(a pdk.Args, rows []gridRow, at int, name, marks string) *abi.Op {
	op := &abi.Op{Verb: "beat", Positionals: a.Positionals[:1]}
	for i, r := range rows {
		if i == at {
			r.name, r.marks = name, marks
		}
		r.marks = strings.ReplaceAll(strings.ReplaceAll(r.marks, " ", ""), "\t", "")
		if r.marks == "" {
			continue
		}
		key := strings.ReplaceAll(r.name, " ", "-")
		if n, err := pitchArg(r.name, theory.DrumChannel); err == nil && theory.DrumName(n.note) != "" && strings.ContainsAny(key, "#:♯♭") {
			key = theory.DrumName(n.note)
		}
		op.Params = append(op.Params, abi.KeyValue{Key: key, Value: r.marks})
	}
	for _, p := range a.Params {
		if slices.ContainsFunc(gridParams, func(k abi.Param) bool { return k.Key == p.Key }) {
			op.Params = append(op.Params, p)
		}
	}
	return op
}

// readRows finds each row's sound and steps.
func readRows(a pdk.Args, rows []gridRow, channel int) error {
	seen := map[int]string{}
	for i := range rows {
		r := &rows[i]
		n, err := pitchArg(r.name, channel)
		if err != nil {
			if _, drum := theory.Drum(r.name); drum {
				return suggest(pdk.Errorf("drums, row %d: %v", r.number, err), replaced(pdk.Args{Op: asBeat(a, rows, -1, "", "")}, swap{key: "ch", text: "10"}))
			}
			try := "kick"
			if near := pdk.Nearest(r.name, theory.DrumNames()); len(near) > 0 {
				try = near[0]
			}
			return gridRefused(pdk.Errorf("drums, row %d: %v", r.number, err), a, rows, i, try, r.marks)
		}
		if other, twice := seen[n.note]; twice {
			return gridRefused(pdk.Errorf("drums, row %d: %s is the sound of row %s already", r.number, r.name, other), a, rows, i, r.name, "")
		}
		r.note, seen[n.note] = n.note, r.name
		for col, m := range []rune(r.marks) {
			switch m {
			case ' ', '\t', '|':
				continue
			case 'x', 'X', 'g', '.', '-', '_':
				r.steps = append(r.steps, m)
			default:
				return gridRefused(pdk.Errorf("drums, row %d (%s), column %d: %q is not a sign: %s", r.number, r.name, r.offset+col+1, string(m), gridMarks),
					a, rows, i, r.name, strings.Map(func(c rune) rune {
						if !strings.ContainsRune("xXg.-_| \t", c) {
							return '.'
						}
						return c
					}, r.marks))
			}
		}
		if len(r.steps) == 0 {
			return gridRefused(pdk.Errorf("drums, row %d (%s) is empty", r.number, r.name), a, rows, i, r.name, strings.Repeat(".", max(1, len(rows[0].steps))))
		}
		if first := &rows[0]; len(r.steps) != len(first.steps) {
			fixed := string(r.steps) + strings.Repeat(".", max(0, len(first.steps)-len(r.steps)))
			return gridRefused(pdk.Errorf("drums, row %d (%s) has %s, row %d (%s) has %d", r.number, r.name, plural(len(r.steps), "step"), first.number, first.name, len(first.steps)),
				a, rows, i, r.name, string([]rune(fixed)[:len(first.steps)]))
		}
	}
	return nil
}

func gridRefused(err *pdk.Error, a pdk.Args, rows []gridRow, i int, name, marks string) error {
	return suggest(err, asBeat(a, rows, i, name, marks))
}

func playGrid(c *ctx, a pdk.Args, rows []gridRow) error {
	if len(rows) == 0 {
		op := &abi.Op{Verb: "beat", Positionals: a.Positionals[:1], Params: append([]abi.KeyValue{{Key: "kick", Value: "x...x..."}, {Key: "snare", Value: "....x..."}}, a.Params...)}
		return suggest(pdk.Errorf("%s: there is no row: give a sound and its signs, like kick: x...x...", a.Verb), op)
	}
	if a.Verb == "drums" {
		a = pdk.Args{Op: asBeat(a, rows, -1, "", "")} // what is suggested is one line
	}
	p, err := newPhrase(c, a)
	if err != nil {
		return err
	}
	if !a.Has("ch") && p.track.Channel() == 0 {
		p.channel = theory.DrumChannel
	}
	count, err := a.Int("count", 1, 1, 10_000)
	if err != nil {
		return instead(err, a, "count", "1")
	}
	step, err := p.lengthAt("res", "16th")
	if err != nil {
		return err
	}
	if err := readRows(a, rows, p.channel); err != nil {
		return err
	}
	accent, ghost := min(127, p.velocity+p.velocity*2/5), max(1, p.velocity/2)
	for range count {
		for s := range rows[0].steps {
			for i := range rows {
				switch rows[i].steps[s] {
				case 'x':
					p.note(rows[i].note, p.velocity, p.at, step)
				case 'X':
					p.note(rows[i].note, accent, p.at, step)
				case 'g':
					p.note(rows[i].note, ghost, p.at, step)
				}
			}
			if err := p.step(step); err != nil {
				return err
			}
		}
	}
	if len(p.edit.Items) == 0 {
		return pdk.Errorf("drums: nothing sounds in this grid: %s", gridMarks).Tryf("beat %s kick:x...x...", pdk.Quote(a.Text(0)))
	}
	if m, err := c.Model.Meter(p.track); err == nil && p.at != m.BarEnd(p.at-1) {
		if _, beat, sub := m.Locate(p.start); beat == 1 && sub == 0 {
			c.Warn("the pattern ends inside a bar, at %s", c.Model.At(p.track, p.at))
		}
	}
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].name
	}
	return p.do("Drums " + strings.Join(names, " "))
}
