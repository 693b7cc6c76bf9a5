// Package abc writes a score in ABC notation, version 2.1.
package abc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/score"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// unit is the unit note length, a 64th, in the score's units.
const unit = score.Quarter / 16

// barsInLine is the number of bars on a line.
const barsInLine = 4

// Write writes the tune: a voice for each voice of each staff. The same score gives the
// same bytes.
func Write(s *score.Score) []byte {
	var b strings.Builder
	title := fieldText(s.Title)
	if title == "" {
		title = "Untitled"
	}
	first := &s.Bars[0]
	fmt.Fprintf(&b, "%%abc-2.1\nX:1\nT:%s\nM:%d/%d\nL:1/64\n", title, first.Num, first.Den)
	for _, m := range first.Marks {
		if m.BPM > 0 && m.At == 0 {
			fmt.Fprintf(&b, "Q:1/4=%s\n", tempoText(m.BPM))
			break
		}
	}
	voices := listVoices(s)
	b.WriteString("%%score")
	for i := 0; i < len(voices); {
		v := voices[i]
		p := &s.Parts[v.part]
		open, end := "", ""
		if len(p.Staves) > 1 {
			open, end = "{", "}"
		}
		b.WriteString(" " + open)
		for staff := range p.Staves {
			b.WriteString("(")
			for ; i < len(voices) && voices[i].part == v.part && voices[i].staff == staff; i++ {
				if !strings.HasSuffix(b.String(), "(") {
					b.WriteByte(' ')
				}
				fmt.Fprint(&b, i+1)
			}
			b.WriteString(")")
		}
		b.WriteString(end)
	}
	fmt.Fprintf(&b, "\nK:%s\n", keyText(first.Key))
	for i, v := range voices {
		p := &s.Parts[v.part]
		clef := string(p.Staves[v.staff])
		if p.Staves[v.staff] == score.Percussion {
			clef = "perc"
		}
		fmt.Fprintf(&b, "V:%d name=\"%s\" clef=%s\n%%%%MIDI channel %d\n%%%%MIDI program %d\n", i+1, fieldText(p.Name), clef, p.Channel, p.Program)
		if p.Drums != nil {
			b.WriteString("[K:C] ") // the tune's key signature would alter the drum notes
		}
		writeVoice(&b, s, v, i == 0)
	}
	return []byte(b.String())
}

// line is a voice of the tune: number n of a staff of a part.
type line struct{ part, staff, number int }

// listVoices lists the voices of a score.
func listVoices(s *score.Score) []line {
	var out []line
	for i := range s.Parts {
		for staff := range s.Parts[i].Staves {
			most := 0
			for _, voices := range s.Parts[i].Bars {
				for _, v := range voices {
					if v.Staff == staff {
						most = max(most, v.Number)
					}
				}
			}
			for n := 0; n <= most; n++ {
				out = append(out, line{i, staff, n})
			}
		}
	}
	return out
}

func writeVoice(b *strings.Builder, s *score.Score, l line, first bool) {
	p := &s.Parts[l.part]
	var words words
	for i := range s.Bars {
		bar := &s.Bars[i]
		if i > 0 && bar.NewTime {
			fmt.Fprintf(b, "[M:%d/%d]", bar.Num, bar.Den)
		}
		if i > 0 && bar.NewKey && p.Drums == nil {
			fmt.Fprintf(b, "[K:%s]", keyText(bar.Key))
		}
		var v *score.Voice
		for j := range p.Bars[i] {
			if w := &p.Bars[i][j]; w.Staff == l.staff && w.Number == l.number {
				v = w
			}
		}
		marks := bar.Marks
		if !first {
			marks = nil
		}
		if v == nil {
			fmt.Fprintf(b, "x%s", length(bar.Length))
		} else {
			if d := p.Dynamics[i]; d != "" && l.number == 0 && l.staff == 0 {
				b.WriteString("!" + d + "!")
			}
			items := cutAtMarks(v.Items, marks)
			writeBar(b, bar, items, i, marks, p.Drums != nil)
			words.sing(items)
		}
		switch {
		case i == len(s.Bars)-1:
			b.WriteString(" |]\n")
			words.write(b)
		case i%barsInLine == barsInLine-1:
			b.WriteString(" |\n")
			words.write(b)
		default:
			b.WriteString(" | ")
		}
	}
}

// cutAtMarks splits items where the tempo changes inside them, and ties the parts: ABC has no
// other place for the change.
func cutAtMarks(items []score.Item, marks []score.Mark) (out []score.Item) {
	for _, it := range items {
		for _, m := range marks {
			at := m.At - it.At
			if m.BPM == 0 && m.Chord == nil || m.Nuance || at <= 0 || at >= it.Length || at%unit != 0 || it.Value.Triplet {
				continue
			}
			first := it
			first.Length, first.Notes = at, slices.Clone(it.Notes)
			it.At, it.Length, it.Notes, it.Lyric = m.At, it.Length-at, slices.Clone(it.Notes), ""
			for i := range it.Notes {
				first.Notes[i].TieOut, it.Notes[i].TieIn = true, true
			}
			out = append(out, first)
		}
		out = append(out, it)
	}
	return out
}

// writeBar writes the items of a voice in a bar. A mark goes before the first item that
// starts at its time or later.
func writeBar(b *strings.Builder, bar *score.Bar, items []score.Item, number int, marks []score.Mark, drums bool) {
	var altered [7]bool // letters that had an accidental in this bar
	for i := range items {
		it := &items[i]
		for ; len(marks) > 0 && marks[0].At <= it.At; marks = marks[1:] {
			writeMark(b, marks[0], number)
		}
		if i > 0 && it.At%score.Quarter == 0 {
			b.WriteByte(' ') // notes within one quarter are beamed
		}
		units := it.Length
		if it.Value.Triplet {
			if it.First {
				n := 1
				for j := i + 1; j < len(items) && !items[j-1].Last; j++ {
					n++
				}
				fmt.Fprintf(b, "(3:2:%d", n)
			}
			units = units * 3 / 2
		}
		switch len(it.Notes) {
		case 0:
			b.WriteString("z" + length(units))
		case 1:
			b.WriteString(pitchText(&it.Notes[0], bar.Key, &altered, drums) + length(units) + tieSign(&it.Notes[0]))
		default:
			b.WriteByte('[')
			for j := range it.Notes {
				b.WriteString(pitchText(&it.Notes[j], bar.Key, &altered, drums) + length(units) + tieSign(&it.Notes[j]))
			}
			b.WriteByte(']')
		}
	}
	for _, m := range marks {
		writeMark(b, m, number)
	}
}

// words collects the lyrics below a line of music, with an entry for each chord.
type words struct {
	entries []string
	sung    bool // the lyrics have a syllable in this line or an earlier one
}

// sing adds the syllables of a bar.
func (w *words) sing(items []score.Item) {
	for i := range items {
		it := &items[i]
		switch {
		case len(it.Notes) == 0:
		case it.Lyric != "":
			w.entries = append(w.entries, syllable.Replace(fieldText(it.Lyric)))
			w.sung = true
		case it.Notes[0].TieIn:
			w.entries = append(w.entries, "_")
		default:
			w.entries = append(w.entries, "*")
		}
	}
}

// syllable escapes the characters that ABC treats specially in lyrics.
var syllable = strings.NewReplacer(" ", "~", "_", `\_`, "*", `\*`, "|", "")

// write writes the line and begins the next one. After the first syllable, a line of
// music without lyrics gets "w: *": readers treat a missing line as a mistake.
func (w *words) write(b *strings.Builder) {
	if w.sung && len(w.entries) > 0 {
		b.WriteString("w: " + cmp.Or(strings.TrimRight(strings.Join(w.entries, " "), " *_"), "*") + "\n")
	}
	w.entries = w.entries[:0]
}

// writeMark writes a marker, or a tempo that the tune's header does not have.
func writeMark(b *strings.Builder, m score.Mark, bar int) {
	switch {
	case m.Chord != nil:
		fmt.Fprintf(b, "\"%s\"", fieldText(m.Text))
	case m.BPM == 0:
		fmt.Fprintf(b, "\"^%s\"", fieldText(m.Text))
	case !m.Nuance && (bar > 0 || m.At > 0):
		fmt.Fprintf(b, "[Q:1/4=%s]", tempoText(m.BPM))
	}
}

// pitchText writes a pitch. It writes an accidental if the note differs from the key, or if
// the letter had another accidental earlier in the bar in any octave: readers differ in
// how far an accidental reaches.
func pitchText(n *score.Note, k theory.Key, altered *[7]bool, drums bool) string {
	p := n.Pitch
	if drums {
		p, k = theory.Spell(n.MIDI, theory.Key{}), theory.Key{}
	}
	var b strings.Builder
	if own := k.Accidental(p.Step); p.Alter != own || altered[p.Step] {
		altered[p.Step] = true
		switch {
		case p.Alter > 0:
			b.WriteString(strings.Repeat("^", p.Alter))
		case p.Alter < 0:
			b.WriteString(strings.Repeat("_", -p.Alter))
		default:
			b.WriteByte('=')
		}
	}
	letter := p.Class.String()[:1]
	if p.Octave >= 5 {
		b.WriteString(strings.ToLower(letter) + strings.Repeat("'", p.Octave-5))
	} else {
		b.WriteString(letter + strings.Repeat(",", 4-p.Octave))
	}
	return b.String()
}

func tieSign(n *score.Note) string {
	if n.TieOut {
		return "-"
	}
	return ""
}

// length prints a multiple of the unit note length.
func length(units int) string {
	if n := units / unit; n != 1 {
		return fmt.Sprint(n)
	}
	return ""
}

func keyText(k theory.Key) string {
	if k.Minor {
		return k.Tonic().String() + "m"
	}
	return k.Tonic().String()
}

func tempoText(v float64) string { return fmt.Sprintf("%.0f", v) }

// fieldText makes text safe for a field: it puts it on one line and removes quotes and
// characters that begin a comment or an escape.
func fieldText(s string) string {
	return strings.Join(strings.Fields(strings.NewReplacer(`"`, "'", "%", "", `\`, "", "[", "(", "]", ")").Replace(strings.ToValidUTF8(s, "?"))), " ")
}
