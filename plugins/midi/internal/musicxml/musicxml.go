// Package musicxml writes a score as MusicXML 3.1, partwise.
package musicxml

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/score"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Write writes the file. The same score gives the same bytes.
func Write(s *score.Score) []byte {
	w := &writer{b: make([]byte, 0, estimatedSize(s))}
	w.put(0, `<?xml version="1.0" encoding="UTF-8"?>`)
	w.put(0, `<!DOCTYPE score-partwise PUBLIC "-//Recordare//DTD MusicXML 3.1 Partwise//EN" "http://www.musicxml.org/dtds/partwise.dtd">`)
	w.put(0, `<score-partwise version="3.1">`)
	if s.Title != "" {
		w.line(1, `<work><work-title>%s</work-title></work>`, escapedText(s.Title))
	}
	w.put(1, `<identification><encoding><software>fcp-host</software></encoding></identification>`)
	w.put(1, `<part-list>`)
	for i := range s.Parts {
		w.entry(&s.Parts[i], i+1)
	}
	w.put(1, `</part-list>`)
	for i := range s.Parts {
		w.part(s, &s.Parts[i], i+1)
	}
	w.put(0, `</score-partwise>`)
	return w.b
}

// estimatedSize estimates the bytes that a score takes, on the high side.
func estimatedSize(s *score.Score) int {
	n := 4096
	for i := range s.Parts {
		for _, bar := range s.Parts[i].Bars {
			n += 200
			for j := range bar {
				for k := range bar[j].Items {
					n += max(150, 260*len(bar[j].Items[k].Notes))
				}
			}
		}
	}
	return n
}

type writer struct {
	b       []byte
	percent [128]string // by velocity, filled as needed
}

// line writes a formatted line.
func (w *writer) line(indent int, format string, args ...any) {
	w.put(indent, fmt.Sprintf(format, args...))
}

// put writes a line from its parts: a large score has hundreds of thousands of lines,
// and this takes half the time of formatting them.
func (w *writer) put(indent int, parts ...string) {
	w.b = append(w.b, "            "[:2*indent]...)
	for _, p := range parts {
		w.b = append(w.b, p...)
	}
	w.b = append(w.b, '\n')
}

// escapedText escapes text for an element and drops characters that XML cannot hold.
func escapedText(s string) string {
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
	w.line(3, `<part-name>%s</part-name>`, escapedText(p.Name))
	if p.Drums == nil {
		w.line(3, `<score-instrument id="P%d-I1"><instrument-name>%s</instrument-name></score-instrument>`, n, escapedText(p.Sound))
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
	w.put(2, `</score-part>`)
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
		w.put(2, `</measure>`)
	}
	w.put(1, `</part>`)
}

func (w *writer) attributes(p *score.Part, b *score.Bar, first bool) {
	if !first && !b.NewKey && !b.NewTime {
		return
	}
	w.put(3, `<attributes>`)
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
	w.put(3, `</attributes>`)
}

// typeOf returns the name of a note value by its denominator.
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

// item writes the notes of a chord, or a rest. hyphen says whether the previous
// syllable ended in a hyphen; the result says whether this one does.
func (w *writer) item(p *score.Part, part int, v *score.Voice, it *score.Item, hyphen bool) bool {
	voice := strconv.Itoa(v.Staff*4 + v.Number + 1)
	length := strconv.Itoa(it.Length)
	for i := range max(len(it.Notes), 1) {
		var n *score.Note
		if len(it.Notes) > 0 {
			n = &it.Notes[i]
			w.put(3, `<note dynamics="`, w.dynamics(n.Velocity), `">`)
		} else {
			w.put(3, `<note>`)
		}
		if i > 0 {
			w.put(4, `<chord/>`)
		}
		switch {
		case it.Whole:
			w.put(4, `<rest measure="yes"/>`)
		case n == nil:
			w.put(4, `<rest/>`)
		case p.Drums != nil:
			step, octave, _ := drumLine(n.MIDI)
			w.put(4, `<unpitched><display-step>`, step, `</display-step><display-octave>`, strconv.Itoa(octave), `</display-octave></unpitched>`)
		case n.Alter != 0:
			w.put(4, `<pitch><step>`, letter(n.Class), `</step><alter>`, strconv.Itoa(n.Alter), `</alter><octave>`, strconv.Itoa(n.Octave), `</octave></pitch>`)
		default:
			w.put(4, `<pitch><step>`, letter(n.Class), `</step><octave>`, strconv.Itoa(n.Octave), `</octave></pitch>`)
		}
		w.put(4, `<duration>`, length, `</duration>`)
		if n != nil && n.TieIn {
			w.put(4, `<tie type="stop"/>`)
		}
		if n != nil && n.TieOut {
			w.put(4, `<tie type="start"/>`)
		}
		if n != nil && p.Drums != nil {
			w.put(4, `<instrument id="P`, strconv.Itoa(part), `-I`, strconv.Itoa(n.MIDI+1), `"/>`)
		}
		w.put(4, `<voice>`, voice, `</voice>`)
		if !it.Whole {
			w.put(4, `<type>`, typeOf(it.Value.Den), `</type>`)
			for range it.Value.Dots {
				w.put(4, `<dot/>`)
			}
			if it.Value.Triplet {
				w.put(4, `<time-modification><actual-notes>3</actual-notes><normal-notes>2</normal-notes><normal-type>eighth</normal-type></time-modification>`)
			}
		}
		if n != nil && p.Drums != nil {
			w.put(4, `<stem>`, [...]string{"up", "down"}[v.Number], `</stem>`)
			if _, _, cross := drumLine(n.MIDI); cross {
				w.put(4, `<notehead>x</notehead>`)
			}
		}
		if len(p.Staves) > 1 {
			w.put(4, `<staff>`, strconv.Itoa(v.Staff+1), `</staff>`)
		}
		w.notations(it, n, i == 0)
		if i == 0 && it.Lyric != "" {
			hyphen = w.lyric(it.Lyric, hyphen)
		}
		w.put(3, `</note>`)
	}
	return hyphen
}

// letter returns a pitch class without its accidental.
func letter(c theory.Class) string { return "CDEFGAB"[c.Step : c.Step+1] }

// dynamics returns a velocity as a percentage of forte, which is velocity 90.
func (w *writer) dynamics(velocity int) string {
	s := &w.percent[velocity&127]
	if *s == "" {
		*s = strconv.FormatFloat(float64(velocity)*100/90, 'f', 2, 64)
	}
	return *s
}

func (w *writer) notations(it *score.Item, n *score.Note, first bool) {
	tied := n != nil && (n.TieIn || n.TieOut)
	tuplet := first && (it.First || it.Last)
	if !tied && !tuplet {
		return
	}
	w.put(4, `<notations>`)
	if n != nil && n.TieIn {
		w.put(5, `<tied type="stop"/>`)
	}
	if n != nil && n.TieOut {
		w.put(5, `<tied type="start"/>`)
	}
	if first && it.First {
		w.put(5, `<tuplet type="start" bracket="yes"><tuplet-actual><tuplet-number>3</tuplet-number><tuplet-type>eighth</tuplet-type></tuplet-actual><tuplet-normal><tuplet-number>2</tuplet-number><tuplet-type>eighth</tuplet-type></tuplet-normal></tuplet>`)
	}
	if first && it.Last {
		w.put(5, `<tuplet type="stop"/>`)
	}
	w.put(4, `</notations>`)
}

// lyric writes a syllable. A trailing hyphen joins it to the next one.
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
	w.line(4, `<lyric><syllabic>%s</syllabic><text>%s</text></lyric>`, kind, escapedText(strings.TrimRight(syllable, "-")))
	return goes
}

// drumLine returns where a drum is drawn on a percussion staff, and whether its note head
// is a cross, as in common drum kit notation.
func drumLine(note int) (step string, octave int, cross bool) {
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
