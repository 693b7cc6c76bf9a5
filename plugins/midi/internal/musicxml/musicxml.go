// Package musicxml writes a score as MusicXML 3.1, partwise.
package musicxml

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/score"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Write writes the file. The same score gives the same bytes.
func Write(s *score.Score) []byte {
	w := &writer{}
	w.b.Grow(size(s))
	w.line(0, `<?xml version="1.0" encoding="UTF-8"?>`)
	w.line(0, `<!DOCTYPE score-partwise PUBLIC "-//Recordare//DTD MusicXML 3.1 Partwise//EN" "http://www.musicxml.org/dtds/partwise.dtd">`)
	w.line(0, `<score-partwise version="3.1">`)
	if s.Title != "" {
		w.line(1, `<work><work-title>%s</work-title></work>`, text(s.Title))
	}
	w.line(1, `<identification><encoding><software>fcp-host</software></encoding></identification>`)
	w.line(1, `<part-list>`)
	for i := range s.Parts {
		w.entry(&s.Parts[i], i+1)
	}
	w.line(1, `</part-list>`)
	for i := range s.Parts {
		w.part(s, &s.Parts[i], i+1)
	}
	w.line(0, `</score-partwise>`)
	return w.b.Bytes()
}

// size is about how many bytes a score takes, rather more than less.
func size(s *score.Score) int {
	n := 4096
	for i := range s.Parts {
		for _, bar := range s.Parts[i].Bars {
			n += 200
			for j := range bar {
				for k := range bar[j].Items {
					n += 260 * max(1, len(bar[j].Items[k].Notes))
				}
			}
		}
	}
	return n
}

type writer struct{ b bytes.Buffer }

func (w *writer) line(indent int, format string, args ...any) {
	w.b.WriteString("            "[:2*indent])
	for len(args) > 0 { // fmt, for the two verbs of which a large score has a million, takes most of the time
		at := strings.IndexByte(format, '%')
		w.b.WriteString(format[:at])
		switch arg := args[0].(type) {
		case string:
			w.b.WriteString(arg)
		case int:
			w.b.WriteString(strconv.Itoa(arg))
		default:
			fmt.Fprint(&w.b, arg)
		}
		format, args = format[at+2:], args[1:]
	}
	w.b.WriteString(format)
	w.b.WriteByte('\n')
}

// text escapes text for an element; characters that XML cannot hold are left out.
func text(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	var b strings.Builder
	// Writing to a Builder does not fail.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// entry writes a part's entry in the part list.
func (w *writer) entry(p *score.Part, n int) {
	w.line(2, `<score-part id="P%d">`, n)
	w.line(3, `<part-name>%s</part-name>`, text(p.Name))
	if p.Drums == nil {
		w.line(3, `<score-instrument id="P%d-I1"><instrument-name>%s</instrument-name></score-instrument>`, n, text(p.Sound))
		w.line(3, `<midi-instrument id="P%d-I1"><midi-channel>%d</midi-channel><midi-program>%d</midi-program></midi-instrument>`, n, p.Channel, p.Program+1)
	}
	for _, d := range p.Drums {
		name := theory.DrumName(d)
		if name == "" {
			name = "drum-" + strconv.Itoa(d)
		}
		w.line(3, `<score-instrument id="P%d-I%d"><instrument-name>%s</instrument-name></score-instrument>`, n, d+1, name)
	}
	for _, d := range p.Drums {
		w.line(3, `<midi-instrument id="P%d-I%d"><midi-channel>%d</midi-channel><midi-program>%d</midi-program><midi-unpitched>%d</midi-unpitched></midi-instrument>`,
			n, d+1, p.Channel, p.Program+1, d+1)
	}
	w.line(2, `</score-part>`)
}

// part writes a part's measures.
func (w *writer) part(s *score.Score, p *score.Part, n int) {
	w.line(1, `<part id="P%d">`, n)
	hyphen := false
	for i := range s.Bars {
		b := &s.Bars[i]
		if full := b.Num * 4 * score.Quarter / b.Den; b.Length < full {
			w.line(2, `<measure number="%d" implicit="yes">`, i+1)
		} else {
			w.line(2, `<measure number="%d">`, i+1)
		}
		w.attributes(p, b, i == 0)
		var marks []score.Mark
		if n == 1 {
			marks = b.Marks
		}
		if d := p.Dynamics[i]; d != "" {
			marks = append([]score.Mark{{Dynamic: d}}, marks...)
		}
		w.marks(marks)
		for j := range p.Bars[i] {
			v := &p.Bars[i][j]
			if j > 0 {
				w.line(3, `<backup><duration>%d</duration></backup>`, b.Length)
			}
			for k := range v.Items {
				hyphen = w.item(p, n, v, &v.Items[k], hyphen)
			}
		}
		w.line(2, `</measure>`)
	}
	w.line(1, `</part>`)
}

func (w *writer) attributes(p *score.Part, b *score.Bar, first bool) {
	if !first && !b.NewKey && !b.NewTime {
		return
	}
	w.line(3, `<attributes>`)
	if first {
		w.line(4, `<divisions>%d</divisions>`, score.Quarter)
	}
	if b.NewKey {
		mode := "major"
		if b.Key.Minor {
			mode = "minor"
		}
		fifths := b.Key.Fifths
		if p.Drums != nil {
			fifths = 0
		}
		w.line(4, `<key><fifths>%d</fifths><mode>%s</mode></key>`, fifths, mode)
	}
	if b.NewTime {
		w.line(4, `<time><beats>%d</beats><beat-type>%d</beat-type></time>`, b.Num, b.Den)
	}
	if first {
		if len(p.Staves) > 1 {
			w.line(4, `<staves>%d</staves>`, len(p.Staves))
		}
		for i, c := range p.Staves {
			number := ""
			if len(p.Staves) > 1 {
				number = fmt.Sprintf(` number="%d"`, i+1)
			}
			switch c {
			case score.Treble:
				w.line(4, `<clef%s><sign>G</sign><line>2</line></clef>`, number)
			case score.Bass:
				w.line(4, `<clef%s><sign>F</sign><line>4</line></clef>`, number)
			case score.Percussion:
				w.line(4, `<clef%s><sign>percussion</sign></clef>`, number)
			}
		}
	}
	w.line(3, `</attributes>`)
}

// marks writes the marks of a bar, before its notes, and goes back to its start.
// Each stands at its time: some programs put a mark on a note, whatever its offset.
func (w *writer) marks(marks []score.Mark) {
	at := 0
	for _, m := range marks {
		if m.At > at {
			w.line(3, `<forward><duration>%d</duration></forward>`, m.At-at)
			at = m.At
		}
		w.mark(m)
	}
	if at > 0 {
		w.line(3, `<backup><duration>%d</duration></backup>`, at)
	}
}

// mark writes a tempo, a rehearsal mark, a chord symbol or a dynamic.
func (w *writer) mark(m score.Mark) {
	switch {
	case m.Dynamic != "":
		w.line(3, `<direction placement="below"><direction-type><dynamics><%s/></dynamics></direction-type></direction>`, m.Dynamic)
		return
	case m.Chord != nil:
		w.harmony(m.Chord)
		return
	case m.BPM == 0:
		w.line(3, `<direction placement="above"><direction-type><rehearsal>%s</rehearsal></direction-type></direction>`, text(m.Text))
		return
	}
	bpm := strconv.FormatFloat(float64(int(m.BPM*100+0.5))/100, 'f', -1, 64)
	if m.Nuance {
		// In blank words: some programs print the number of a sound that has none.
		w.line(3, `<direction><direction-type><words> </words></direction-type><sound tempo="%s"/></direction>`, bpm)
		return
	}
	w.line(3, `<direction placement="above"><direction-type><metronome><beat-unit>quarter</beat-unit><per-minute>%s</per-minute></metronome></direction-type><sound tempo="%s"/></direction>`,
		bpm, bpm)
}

// kinds are MusicXML's names of qualities; what it has none for is "other", with its text.
var kinds = map[string]string{"maj": "major", "min": "minor", "aug": "augmented", "dim": "diminished", "7": "dominant", "maj7": "major-seventh", "m7": "minor-seventh", "dim7": "diminished-seventh",
	"7#5": "augmented-seventh", "m7b5": "half-diminished", "mM7": "major-minor", "6": "major-sixth", "m6": "minor-sixth", "9": "dominant-ninth", "maj9": "major-ninth", "m9": "minor-ninth",
	"11": "dominant-11th", "maj11": "major-11th", "m11": "minor-11th", "13": "dominant-13th", "maj13": "major-13th", "m13": "minor-13th", "sus2": "suspended-second", "sus4": "suspended-fourth", "5": "power"}

// harmony writes a chord symbol.
func (w *writer) harmony(c *theory.Chord) {
	class := func(name string, p theory.Class) string {
		s := fmt.Sprintf("<%s-step>%c</%[1]s-step>", name, "CDEFGAB"[p.Step])
		if p.Alter != 0 {
			s += fmt.Sprintf("<%s-alter>%d</%[1]s-alter>", name, p.Alter)
		}
		return fmt.Sprintf("<%s>%s</%[1]s>", name, s)
	}
	kind, shown := kinds[c.Quality], c.Quality
	if kind == "" {
		kind = "other"
	}
	switch shown {
	case "maj":
		shown = ""
	case "min":
		shown = "m"
	}
	bass := ""
	if c.Bass != nil {
		bass = class("bass", *c.Bass)
	}
	w.line(3, `<harmony>%s<kind text="%s">%s</kind>%s</harmony>`, class("root", c.Root), text(shown), kind, bass)
}

// typeOf is the name of a note value by its denominator.
func typeOf(den int) string {
	switch den {
	case 1:
		return "whole"
	case 2:
		return "half"
	case 4:
		return "quarter"
	case 8:
		return "eighth"
	case 16:
		return "16th"
	case 32:
		return "32nd"
	}
	return "64th"
}

// item writes the notes of a chord, or a rest. It is told whether the syllable
// before ended in a hyphen, and tells whether this one does.
func (w *writer) item(p *score.Part, part int, v *score.Voice, it *score.Item, hyphen bool) bool {
	heads := max(len(it.Notes), 1)
	for i := range heads {
		dynamics := ""
		if len(it.Notes) > 0 {
			// A percentage of forte, which is velocity 90.
			dynamics = ` dynamics="` + strconv.FormatFloat(float64(it.Notes[i].Velocity)*100/90, 'f', 2, 64) + `"`
		}
		w.line(3, `<note%s>`, dynamics)
		if i > 0 {
			w.line(4, `<chord/>`)
		}
		var n *score.Note
		switch {
		case it.Whole:
			w.line(4, `<rest measure="yes"/>`)
		case len(it.Notes) == 0:
			w.line(4, `<rest/>`)
		case p.Drums != nil:
			n = &it.Notes[i]
			step, octave, _ := line(n.MIDI)
			w.line(4, `<unpitched><display-step>%s</display-step><display-octave>%d</display-octave></unpitched>`, step, octave)
		default:
			n = &it.Notes[i]
			alter := ""
			if n.Alter != 0 {
				alter = fmt.Sprintf(`<alter>%d</alter>`, n.Alter)
			}
			w.line(4, `<pitch><step>%s</step>%s<octave>%d</octave></pitch>`, n.Class.String()[:1], alter, n.Octave)
		}
		w.line(4, `<duration>%d</duration>`, it.Length)
		if n != nil && n.TieIn {
			w.line(4, `<tie type="stop"/>`)
		}
		if n != nil && n.TieOut {
			w.line(4, `<tie type="start"/>`)
		}
		if n != nil && p.Drums != nil {
			w.line(4, `<instrument id="P%d-I%d"/>`, part, n.MIDI+1)
		}
		w.line(4, `<voice>%d</voice>`, v.Staff*4+v.Number+1)
		if !it.Whole {
			w.line(4, `<type>%s</type>`, typeOf(it.Value.Den))
			for range it.Value.Dots {
				w.line(4, `<dot/>`)
			}
			if it.Value.Triplet {
				w.line(4, `<time-modification><actual-notes>3</actual-notes><normal-notes>2</normal-notes><normal-type>eighth</normal-type></time-modification>`)
			}
		}
		if n != nil && p.Drums != nil {
			w.line(4, `<stem>%s</stem>`, [...]string{"up", "down"}[v.Number])
			if _, _, cross := line(n.MIDI); cross {
				w.line(4, `<notehead>x</notehead>`)
			}
		}
		if len(p.Staves) > 1 {
			w.line(4, `<staff>%d</staff>`, v.Staff+1)
		}
		w.notations(it, n, i == 0)
		if i == 0 && it.Lyric != "" {
			hyphen = w.lyric(it.Lyric, hyphen)
		}
		w.line(3, `</note>`)
	}
	return hyphen
}

func (w *writer) notations(it *score.Item, n *score.Note, first bool) {
	tied := n != nil && (n.TieIn || n.TieOut)
	tuplet := first && (it.First || it.Last)
	if !tied && !tuplet {
		return
	}
	w.line(4, `<notations>`)
	if n != nil && n.TieIn {
		w.line(5, `<tied type="stop"/>`)
	}
	if n != nil && n.TieOut {
		w.line(5, `<tied type="start"/>`)
	}
	if first && it.First {
		w.line(5, `<tuplet type="start" bracket="yes"><tuplet-actual><tuplet-number>3</tuplet-number><tuplet-type>eighth</tuplet-type></tuplet-actual><tuplet-normal><tuplet-number>2</tuplet-number><tuplet-type>eighth</tuplet-type></tuplet-normal></tuplet>`)
	}
	if first && it.Last {
		w.line(5, `<tuplet type="stop"/>`)
	}
	w.line(4, `</notations>`)
}

// lyric writes a syllable; a hyphen at its end joins it to the next.
func (w *writer) lyric(syllable string, hyphen bool) bool {
	goes := strings.HasSuffix(syllable, "-")
	kind := "single"
	switch {
	case hyphen && goes:
		kind = "middle"
	case hyphen:
		kind = "end"
	case goes:
		kind = "begin"
	}
	w.line(4, `<lyric><syllabic>%s</syllabic><text>%s</text></lyric>`, kind, text(strings.TrimRight(syllable, "-")))
	return goes
}

// line is where a drum is drawn on a percussion staff, and whether with a cross
// for its head, as drum kit notation mostly has it.
func line(note int) (step string, octave int, cross bool) {
	switch note {
	case 35, 36:
		return "F", 4, false
	case 38, 40:
		return "C", 5, false
	case 37, 39:
		return "C", 5, true
	case 42, 46:
		return "G", 5, true
	case 44:
		return "D", 4, true
	case 51, 53, 59:
		return "F", 5, true
	case 49, 52, 55, 57:
		return "A", 5, true
	case 41, 43:
		return "A", 4, false
	case 45, 47:
		return "D", 5, false
	case 48, 50:
		return "E", 5, false
	}
	return "B", 4, note > 53
}
