package writing

import (
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

// summaryOf cuts a text to the length of an event's summary.
func summaryOf(s string) string { return song.Brief(s, 100) }

var lineVerb = verb{Keys: []pdk.Parameter{args.VelKey, args.ChKey, args.OverKey}, Verb: abi.Verb{
	Category: "Notes", Syntax: "line TRACK \"PITCH… [DUR] [V], rest DUR, …\" [at:POS] [dur:DUR] [vel:V] [ch:N] [over:true]",
	Brief:   `line TRACK "C4 q, D4 e f, rest h, E4 G4 q." [at: dur: vel: over:true] · PITCH… [DUR] [V]; over: replaces`,
	Summary: "a melody: notes between commas, each with its length and loudness, or as the one before; a number after a length is a loudness; | must fall on a bar line; over:true replaces what is there",
	Min:     2, Max: -1, // words without quotes are joined
	Examples: []string{`line Piano "C4 q, D4 e, rest q, E4 q."`, `line Piano "E4 G4 h f, F4 A4 | E4 w mp" at:5.1`},
}, Run: func(c *ctx, a pdk.Args) error {
	p := NewPhrase(c, a)
	length := pdk.Must(p.lengthAt("dur", "quarter"))
	l := &melody{Phrase: p, words: melodyWords(strings.Join(a.Texts(1), " ")), length: length}
	for l.next < len(l.words) {
		pdk.Check(l.item())
	}
	if len(p.Edit.Items) == 0 {
		return pdk.Errorf("line: the text holds no notes")
	}
	return p.Do("Line")
}}

// melody reads the text of line.
type melody struct {
	*Phrase
	words  []string // pitches, lengths, velocities, "," and "|"
	next   int
	length int64 // of the last note
}

func melodyWords(text string) []string {
	for _, mark := range []string{",", "|"} {
		text = strings.ReplaceAll(text, mark, " "+mark+" ")
	}
	return strings.Fields(text)
}

// suggestWord returns a refusal that suggests the line with word i replaced by the
// first word of list, or without it if that is "".
func (l *melody) suggestWord(err error, i int, list ...string) error {
	if len(list) == 0 {
		return err
	}
	w, word := slices.Clone(l.words), list[0]
	w[i] = word
	text := strings.Join(strings.Fields(strings.Join(w, " ")), " ")
	return args.Suggest(err, args.OneText(l.A, strings.ReplaceAll(text, " ,", ",")))
}

// missingComma refuses a pitch after the length or velocity of a note, which begins at
// word start, and suggests a comma before it.
func (l *melody) missingComma(start int) error {
	word := l.words[l.next]
	return l.suggestWord(pdk.Errorf("line, note %d: %s comes after its length or loudness: commas separate notes", l.number(start), word), l.next, ", "+word)
}

// item reads and plays the words up to the next comma or bar line.
func (l *melody) item() error {
	var notes []args.Sounding
	var places []int // indices of their words
	rest, long, loud := false, false, false
	start := l.next
	for ; l.next < len(l.words); l.next++ {
		word := l.words[l.next]
		if word == "," || word == "|" {
			break
		}
		if strings.EqualFold(word, "rest") || word == "r" {
			if long || loud {
				return l.missingComma(start)
			}
			rest = true
			continue
		}
		n, err := args.Pitch(word, l.Channel)
		if err == nil {
			if long || loud {
				return l.missingComma(start)
			}
			notes, places = append(notes, n), append(places, l.next)
			continue
		}
		if len(notes) > 0 || rest {
			_, number := strconv.Atoi(word)
			if d, e := l.C.Model.Duration(l.Track, word, l.At); e == nil && (number != nil || !long) {
				if long {
					return l.suggestWord(pdk.Errorf("line, note %d has a second length, %s", l.number(start), word), l.next, "")
				}
				l.length, long = d, true
				continue
			}
			if v, e := theory.ParseVelocity(strings.TrimPrefix(word, "v")); e == nil {
				if loud {
					return l.suggestWord(pdk.Errorf("line, note %d has a second loudness, %s", l.number(start), word), l.next, "")
				}
				l.velocity, loud = v, true
				continue
			}
			err = pdk.Errorf("line, note %d: %q is neither a pitch, a length nor a loudness: %v", l.number(start), word, err)
			return l.suggestWord(err, l.next, l.near(word)...)
		}
		return l.suggestWord(pdk.Errorf("line, note %d: %v", l.number(start), err), l.next, near.Pitch(word, l.Channel)...)
	}
	if rest && len(notes) > 0 {
		return l.suggestWord(pdk.Errorf("line, note %d: a rest cannot be combined with notes", l.number(start)), start+slices.IndexFunc(l.words[start:], func(w string) bool { return strings.EqualFold(w, "rest") || w == "r" }), "")
	}
	if i, err := args.CheckRepeated(notes); err != nil {
		return l.suggestWord(err, places[i], "")
	}
	for _, n := range notes {
		l.Note(n.Note, l.velocity, l.At, l.length)
	}
	if rest || len(notes) > 0 {
		pdk.Check(l.Step(l.length))
	}
	if l.next < len(l.words) {
		if l.words[l.next] == "|" {
			m, err := l.C.Model.Meter(l.Track)
			if err != nil {
				return l.suggestWord(err, l.next, l.comma())
			}
			if bar, beat, sub := m.Locate(l.At); beat > 1 || sub > 0 {
				return l.suggestWord(pdk.Errorf("line: a bar line comes at %s, not where bar %d or %d starts", l.C.Model.At(l.Track, l.At), bar, bar+1), l.next, l.comma())
			}
		}
		l.next++
	}
	return nil
}

// near returns what a word after a pitch may have meant.
func (l *melody) near(word string) []string {
	if list := near.Number(word, 1, 127); list != nil {
		return list
	}
	return slices.Concat(near.Pitch(word, l.Channel), near.Duration(l.C.Model, l.Track, word, l.At), near.Velocity(word))
}

// comma returns the replacement for a bar line: a comma, or "" if there already is one.
func (l *melody) comma() string {
	if l.next == 0 || l.words[l.next-1] == "," || l.next+1 < len(l.words) && l.words[l.next+1] == "," {
		return ""
	}
	return ","
}

// number returns the number of the note that begins at a word.
func (l *melody) number(start int) int {
	return 1 + len(pdk.Filter(l.words[:start], func(w string) bool { return w == "," }))
}
