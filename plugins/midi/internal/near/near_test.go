package near

import (
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"pgregory.net/rapid"
)

// ballad makes a song in 4/4 with the tracks Piano, Strings and String Bass, and a
// marker Chorus at 5.1.
func ballad(t *testing.T) *song.Song {
	t.Helper()
	s := song.New(song.Setup{Title: "Ballad", BPM: 120, Num: 4, Den: 4, PPQ: 480})
	name := func(text string) smf.Event {
		return smf.Event{Status: smf.Meta, A: song.MetaName, Payload: []byte(text)}
	}
	for i, text := range []string{"Piano", "Strings", "String Bass"} {
		if err := (&song.AddTrack{At: 1 + i, Events: []smf.Event{name(text), {Status: 0xC0}}}).Do(s); err != nil {
			t.Fatal(err)
		}
	}
	x := &song.Insert{}
	x.Add(s.Lead(), smf.Event{Tick: 4 * 1920, Status: smf.Meta, A: song.MetaMarker, Payload: []byte("Chorus")})
	if err := x.Do(s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWordsAreCorrectedAndNothingIsInvented(t *testing.T) {
	s := ballad(t)
	position := func(w string) []string { return Position(s, nil, w) }
	duration := func(w string) []string { return Duration(s, nil, w, 0) }
	span := func(w string) []string { return Range(s, nil, w) }
	pitch := func(w string) []string { return Pitch(w, 1) }
	drum := func(w string) []string { return Pitch(w, theory.DrumChannel) }
	for _, c := range []struct {
		what string
		mend func(string) []string
		want map[string]string // "": no correction
	}{
		{"position", position, map[string]string{"4.5": "5.1", "0.1": "1.1", "3.0": "3.1", "1.1.500": "1.2.20", "1:3": "1.3", "bar3": "3.1",
			"marker:Chrous": "marker:Chorus", "end:Paino": "end:Piano", "x": "", "-3": "", "": "", "marker:Nowhere": "", "end:Flute": "", "1.2.3.4": "", "+": ""}},
		{"duration", duration, map[string]string{"quater": "quarter", "quarternote": "quarter", "eighths": "eighth", "half-dotted": "dotted-half", "dotted quater": "dotted-quarter",
			"crotchet": "quarter", "bar": "1bar", "480": "ticks:480", "24": "ticks:24", "23": "23beats", "3": "3beats", "1.5": "1.5beats", "2 bars": "2bars",
			"0": "", "-1": "", "": "", "long": "", "0bars": ""}},
		{"range", span, map[string]string{"4-2": "2-4", "2.3-1": "1-2.3", "bad": "", "1-x": "", "-": "", "": ""}},
		{"span", func(w string) []string { return Span(w, 1, 16) }, map[string]string{"0-20": "1-16", "4-3": "3-4", "15-17": "15-16", "17-18": "", "3-x": "", "3": ""}},
		{"pitch", pitch, map[string]string{"C": "C4", "bb": "bb4", "C10": "C9", "G#9": "G#8", "Cb-1": "Cb0", "60": "midi:60", "200": "", "H4": "", "kik": "", "C4x": "", "": ""}},
		{"drum", drum, map[string]string{"kik": "kick", "snrae": "snare", "C": "C4", "zzz": ""}},
		{"velocity", Velocity, map[string]string{"200": "127", "0": "1", "-3": "1", "fffff": "fff", "ffff": "fff", "loud": "f", "noisy": ""}},
		{"loudness", Loudness, map[string]string{"+200": "+127", "=200": "=127", "80%": "x0.8", "x500": "x127", "200": "127", "x0": "", "loud": "f", "noisy": ""}},
		{"chord", Chord, map[string]string{"am7": "Am7", "C7(b9)": "C7(b9)", "cmajor7": "Cmaj7", "A minor 7": "Am7", "g7/b": "G7/b", "Hm": "", "C8": "", "": ""}},
		{"scale", Scale, map[string]string{"D-dorain": "D-dorian", "c-locrain": "C-locrian", "H-major": "", "C-foo": ""}},
		{"key", Key, map[string]string{"C-majr": "C-major", "G#-major": "Ab-major", "Db-minor": "C#-minor", "H": "", "D-dorian": ""}},
		{"instrument", func(w string) []string { return Instrument(s, w) }, map[string]string{"violn": "violin", "gutar": "guitar", "synth": "", "zzzz": ""}},
	} {
		for word, want := range c.want {
			got := c.mend(word)
			if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
				t.Errorf("%s %q is taken for %q, want %q", c.what, word, got, want)
			}
		}
	}
}

func TestTheBeginningOfSeveralNamesMeansEachOfThem(t *testing.T) {
	s := ballad(t)
	for ref, want := range map[string][]string{"Str": {"Strings", "String Bass"}, "Paino": {"Piano"}, "pi": {"Piano"}, "Flute": nil} {
		if got := Track(s, ref); !slices.Equal(got, want) {
			t.Errorf("%s is taken for %q, want %q", ref, got, want)
		}
	}
}

func TestCorrectionsCanBeRead(t *testing.T) {
	s := ballad(t)
	word := rapid.StringOfN(rapid.SampledFrom([]rune("0123456789.-+:/=x%,; #bmCFGHMahjqrtuickeldosMARKERticknd♭é")), 0, 14, -1)
	rapid.Check(t, func(rt *rapid.T) {
		w := word.Draw(rt, "word")
		if rapid.Bool().Draw(rt, "prefixed") {
			w = rapid.SampledFrom([]string{"marker:Ch", "end:P", "tick:", "ticks:", "dotted-", "midi:", "C", "1.", "3.1+", "F#"}).Draw(rt, "prefix") + w
		}
		for what, c := range map[string]struct {
			list []string
			read func(string) error
		}{
			"position": {Position(s, nil, w), func(w string) error { _, err := s.Position(nil, w); return err }},
			"duration": {Duration(s, nil, w, 0), func(w string) error { _, err := s.Duration(nil, w, 0); return err }},
			"range":    {Range(s, nil, w), func(w string) error { _, _, err := s.Range(nil, w); return err }},
			"pitch":    {Pitch(w, 1), func(w string) error { _, err := theory.ParsePitch(w); return err }},
			"velocity": {Velocity(w), func(w string) error { _, err := theory.ParseVelocity(w); return err }},
			"loudness": {Loudness(w), func(string) error { return nil }},
			"chord":    {Chord(w), func(w string) error { _, err := theory.ParseChord(w); return err }},
			"scale":    {Scale(w), func(w string) error { _, err := theory.ParseScale(w); return err }},
			"key":      {Key(w), func(w string) error { _, err := theory.ParseKey(w); return err }},
			"span":     {Span(w, 1, 16), func(string) error { return nil }},
		} {
			for _, try := range c.list {
				if err := c.read(try); err != nil || try == "" {
					rt.Fatalf("%s %q is taken for %q, which cannot be read: %v", what, w, try, err)
				}
			}
		}
	})
}
