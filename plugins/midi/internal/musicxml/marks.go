package musicxml

import (
	"fmt"
	"strconv"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/score"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// marks writes the marks of a bar before its notes, each at its time, and goes back to
// the bar's start. Marks do not use an offset on a note, because some programs ignore
// it.
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
		w.line(3, `<direction placement="above"><direction-type><rehearsal>%s</rehearsal></direction-type></direction>`, escapedText(m.Text))
		return
	}
	bpm := strconv.FormatFloat(float64(int(m.BPM*100+0.5))/100, 'f', -1, 64)
	if m.Nuance {
		// Blank words: if a sound has no words, some programs print its number.
		w.line(3, `<direction><direction-type><words> </words></direction-type><sound tempo="%s"/></direction>`, bpm)
		return
	}
	w.line(3, `<direction placement="above"><direction-type><metronome><beat-unit>quarter</beat-unit><per-minute>%s</per-minute></metronome></direction-type><sound tempo="%s"/></direction>`,
		bpm, bpm)
}

// kinds maps qualities to MusicXML's names. A quality without one is "other" with its
// own text.
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
	w.line(3, `<harmony>%s<kind text="%s">%s</kind>%s</harmony>`, class("root", c.Root), escapedText(shown), kind, bass)
}
