// Package tracker writes notes as a tracker's grid, with a row for each step of time
// and a column for each track, and reads it back without loss:
//
//	; columns Piano | Drums
//	 0 | C4:q:80 E4:q:80 | kick:e:100 ; 1.1
//	 4 | .               | snare+7:=90:112 ; 1.2
//
// A row starts with its number; without one it is the next row. A cell holds
// PITCH[+TICKS][:LENGTH[:VELOCITY]][@CHANNEL], several separated by blanks; a dot or
// nothing is an empty cell. TICKS is how far after its row the note starts. LENGTH is a
// short note value (w h q e s 32 64, dotted q., triplet 8t) or =TICKS, by default a
// row. A semicolon begins a comment. The package knows rows, not positions.
package tracker

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// End is the line that closes a grid of the verb tracker.
const End = "tracker end"

// MaxRow is the highest row number.
const MaxRow = 1 << 24

// Note is a note of a grid.
type Note struct {
	Column, Row int
	Offset      int64 // ticks past the row's start
	Length      int64 // ticks
	Pitch       int   // 0-127
	Velocity    int   // 1-127
	Channel     int   // 1-16
}

// Grid is the layout of a grid.
type Grid struct {
	PPQ      int64 // ticks in a quarter note, or 0 with an SMPTE division
	Step     int64 // ticks in a row
	Channels []int // channels of the columns, 1-16, for notes without one of their own
}

// values maps the note values of theory.ValueName to their short names.
var values = [...]struct{ long, short, number string }{
	{"whole", "w", "1"}, {"half", "h", "2"}, {"quarter", "q", "4"}, {"eighth", "e", "8"}, {"sixteenth", "s", "16"}, {"32nd", "32", "32"}, {"64th", "64", "64"},
}

// length prints ticks in the form of a cell.
func (g *Grid) length(ticks int64) string {
	if g.PPQ > 0 {
		if name, ok := theory.ValueName(ticks, g.PPQ); ok {
			for _, v := range values {
				switch name {
				case v.long:
					return v.short
				case "dotted-" + v.long:
					return v.short + "."
				case "double-dotted-" + v.long:
					return v.short + ".."
				case "triplet-" + v.long:
					return v.number + "t"
				}
			}
		}
	}
	return "=" + strconv.FormatInt(ticks, 10)
}

// Cell prints a note.
func (g *Grid) Cell(n Note, k theory.Key) string {
	var b strings.Builder
	name := ""
	if n.Channel == theory.DrumChannel {
		name = theory.DrumShort(n.Pitch)
	}
	if name == "" {
		name = theory.Spell(n.Pitch, k).String()
	}
	b.WriteString(name)
	if n.Offset != 0 {
		b.WriteString("+" + strconv.FormatInt(n.Offset, 10))
	}
	b.WriteString(":" + g.length(n.Length) + ":" + strconv.Itoa(n.Velocity))
	if n.Channel != g.Channels[n.Column] {
		b.WriteString("@" + strconv.Itoa(n.Channel))
	}
	return b.String()
}

// Rows prints notes, which are in order of their rows, as a line for each row with
// notes. note returns a comment for a row, or "".
func (g *Grid) Rows(notes []Note, k theory.Key, note func(row int) string) []string {
	var rows [][]string // cells; the first is the row number
	var comments []string
	wide := make([]int, 1+len(g.Channels))
	for i := 0; i < len(notes); {
		row := notes[i].Row
		cells := make([]string, 1+len(g.Channels))
		cells[0] = strconv.Itoa(row)
		for ; i < len(notes) && notes[i].Row == row; i++ {
			c := &cells[1+notes[i].Column]
			if *c != "" {
				*c += " "
			}
			*c += g.Cell(notes[i], k)
		}
		for j := range cells {
			if cells[j] == "" {
				cells[j] = "."
			}
			wide[j] = max(wide[j], len(cells[j]))
		}
		rows, comments = append(rows, cells), append(comments, note(row))
	}
	out := make([]string, len(rows))
	for i, cells := range rows {
		var b strings.Builder
		for j, c := range cells {
			if j == 0 {
				fmt.Fprintf(&b, "%*s", wide[0], c)
				continue
			}
			b.WriteString(" | " + c)
			if comments[i] != "" || j+1 < len(cells) {
				// Limit the width, so that a wide chord does not push every comment out of sight.
				b.WriteString(strings.Repeat(" ", max(min(wide[j], 40)-len(c), 0)))
			}
		}
		if comments[i] != "" {
			b.WriteString(" ; " + comments[i])
		}
		out[i] = b.String()
	}
	return out
}

// Parse reads the lines of a grid. An error names its line, from 1.
func (g *Grid) Parse(lines []string) ([]Note, error) {
	var out []Note
	row := -1
	for i, line := range lines {
		line, _, _ = strings.Cut(line, ";")
		if strings.TrimSpace(line) == "" {
			continue
		}
		fail := func(format string, args ...any) error {
			return fmt.Errorf("line %d: %s", i+1, fmt.Sprintf(format, args...))
		}
		cells := strings.Split(line, "|")
		if len(cells) == 1 {
			return nil, fail("%q has no cell: a row reads 0 | C4:q:80 | …", strings.TrimSpace(line))
		}
		row++
		if number := strings.TrimSpace(cells[0]); number != "" {
			n, err := strconv.ParseUint(number, 10, 32)
			if err != nil || n > MaxRow {
				return nil, fail("%q is not a row number, 0 to %d", number, MaxRow)
			}
			row = int(n)
		}
		cells = cells[1:]
		if len(cells) > 1 && len(cells) == len(g.Channels)+1 && strings.TrimSpace(cells[len(cells)-1]) == "" {
			cells = cells[:len(cells)-1] // drop what follows a closing stroke
		}
		if len(cells) > len(g.Channels) {
			return nil, fail("%d cells for %d tracks", len(cells), len(g.Channels))
		}
		for c, cell := range cells {
			for _, word := range strings.Fields(cell) {
				if strings.Trim(word, ".-_") == "" {
					continue
				}
				n, err := g.note(word, c)
				if err != nil {
					return nil, fail("%v", err)
				}
				n.Column, n.Row = c, row
				out = append(out, n)
			}
		}
	}
	return out, nil
}

// note reads one note of a cell.
func (g *Grid) note(word string, column int) (Note, error) {
	n := Note{Channel: g.Channels[column], Velocity: theory.DefaultVelocity, Length: g.Step}
	text := word
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		c, err := strconv.ParseUint(text[i+1:], 10, 8)
		if err != nil || c < 1 || c > 16 {
			return n, fmt.Errorf("note %q: the channel after @ is 1 to 16", word)
		}
		n.Channel, text = int(c), text[:i]
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return n, fmt.Errorf("note %q is not PITCH[+TICKS][:LENGTH[:VELOCITY]][@CHANNEL]", word)
	}
	name := parts[0]
	if i := strings.LastIndexByte(name, '+'); i >= 0 {
		v, err := strconv.ParseUint(name[i+1:], 10, 28)
		if err != nil {
			return n, fmt.Errorf("note %q: + is followed by ticks, a whole number", word)
		}
		n.Offset, name = int64(v), name[:i]
	}
	if p, err := theory.ParsePitch(name); err == nil {
		n.Pitch = p.Number()
	} else if d, ok := theory.Drum(name); ok && n.Channel == theory.DrumChannel {
		n.Pitch = d
	} else if ok {
		return n, fmt.Errorf("note %q: drums play on channel %d, this is channel %d", word, theory.DrumChannel, n.Channel)
	} else {
		return n, fmt.Errorf("note %q: %w", word, err)
	}
	if len(parts) > 1 {
		if ticks, ok := strings.CutPrefix(parts[1], "="); ok {
			v, err := strconv.ParseUint(ticks, 10, 28)
			if err != nil {
				return n, fmt.Errorf("note %q: = is followed by ticks, a whole number", word)
			}
			n.Length = int64(v)
		} else if v, ok := theory.ParseNoteValue(parts[1]); ok && g.PPQ > 0 && v.Ticks(g.PPQ) > 0 {
			n.Length = v.Ticks(g.PPQ)
		} else {
			return n, fmt.Errorf("note %q: %q is not a length: w h q e s 32 64, q. 8t or =TICKS", word, parts[1])
		}
	}
	if len(parts) > 2 {
		v, err := theory.ParseVelocity(parts[2])
		if err != nil {
			return n, fmt.Errorf("note %q: %w", word, err)
		}
		n.Velocity = v
	}
	return n, nil
}
