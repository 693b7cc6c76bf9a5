package writing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var chordVerb = verb{Keys: chordKeys, Verb: abi.Verb{
	Category: "Notes", Syntax: "chord TRACK SYMBOL… [at:POS] [dur:DUR] [vel:V] [oct:N] [inv:N] [voicing:close|open|drop2|shell|lead] [strum:±DUR] [rhythm:x=.…] [ch:N] [over:true]",
	Brief:    "chord TRACK SYMBOL… [at: dur: vel: oct:3 inv:1 voicing:open|… rhythm:.x=.x=x=]",
	Summary:  "chords by symbol, several one after another; root in octave 4 unless oct:; voicing:lead goes to the inversion nearest to the chord before, shell leaves root, third and seventh; strum: from the lowest note, -DUR from the highest; rhythm: is a bar in equal steps, 8 of them eighths in 4/4: x strikes, X with an accent, g softly, = holds, . is silent",
	Examples: []string{"chord Piano Cmaj7 at:1.1 dur:half", "chord Piano Dm7 G7 C/E dur:whole oct:3", "chord Piano Am9 voicing:drop2 strum:64th", "chord Piano Am7 dur:2bars rhythm:.x=.x=x="},
}, Run: func(c *ctx, a pdk.Args) error {
	p := NewPhrase(c, a)
	shape := pdk.Must(shapeArgs(a))
	var said []string
	var length int64
	for i := 1; i < len(a.Positionals); i++ {
		chord, err := theory.ParseChord(a.Text(i))
		if err != nil {
			return chordRefused(err, a, i)
		}
		length = pdk.Must(p.lengthAt("dur", "quarter"))
		all := pdk.Must(shape.next(a, chord))
		pdk.Check(p.chord(all, shape, length))
		said = append(said, chord.String()+" ("+spellPitches(all)+")")
	}
	what := "Chord "
	if len(said) > 1 {
		what = "Chords "
	}
	where := " on " + c.Model.Name(p.Track) + " at " + c.Model.At(p.Track, p.Start)
	suffix := args.ChannelSuffix(p.Track, p.Channel)
	pdk.Check(p.clearPlace())
	args.Do(c, &p.Edit, summaryOf(what+strings.Join(a.Texts(1), " "))+where)
	c.Created("%s%s%s dur:%s vel:%d%s", what, strings.Join(said, ", "), where, c.Model.Lasting(length), p.velocity, suffix)
	return nil
}}

func chordRefused(err error, a pdk.Args, i int) error {
	e := chordError(err)
	if list := near.Chord(a.Text(i)); list != nil {
		return args.InsteadAt(e, a, i, list...)
	}
	ops := splitWord(a, i, isChord)
	if i > 1 { // its quality as a separate word
		for _, s := range near.Chord(a.Text(i-1) + " " + a.Text(i)) {
			ops = append(ops, a.With(pdk.WithWords(i-1, 2, s)))
		}
	}
	return args.Suggest(underVerb(e, a, "note", i, isPitch), ops...)
}

func isPitch(s string) bool { _, err := theory.ParsePitch(s); return err == nil }
func isChord(s string) bool { _, err := theory.ParseChord(s); return err == nil }

// splitWord returns the op with positional i split into several words, if is accepts
// each of them.
func splitWord(a pdk.Args, i int, is func(string) bool) []pdk.Args {
	var words []string
	for _, w := range strings.FieldsFunc(a.Text(i), func(r rune) bool { return strings.ContainsRune(" ,;|[]()-+", r) }) {
		if !is(w) {
			return nil
		}
		words = append(words, w)
	}
	return []pdk.Args{a.With(pdk.WithWords(i, 1, words...))}
}

// underVerb adds to a refusal a suggestion of the op with another verb, if is accepts
// positional i.
func underVerb(e *pdk.Error, a pdk.Args, verb string, i int, is func(string) bool) *pdk.Error {
	if !is(a.Text(i)) {
		return e
	}
	return e.Try(a.Mended(func(op *abi.Op) { op.Verb = verb }))
}

// chordError adds the list of qualities to a refusal.
func chordError(err error) *pdk.Error {
	e := args.Refusal(err)
	e.Message += "; qualities: " + strings.Join(theory.ChordQualities(), " ")
	return e
}
