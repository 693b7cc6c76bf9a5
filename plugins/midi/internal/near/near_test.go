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
	tempo := func(w string) []string { return Tempo(w, 4, 1000) }
	for _, c := range []struct {
		what string
		mend func(string) []string
		want map[string]string // "": no correction
	}{
		{"position", position, map[string]string{"4.5": "5.1", "0.1": "1.1", "3.0": "3.1", "1.1.500": "1.2.20", "1:3": "1.3", "bar3": "3.1", "start": "1.1", "Chorus": "marker:Chorus",
			"marker:Chrous": "marker:Chorus", "MARKER:Chrous+quater": "marker:Chorus+quarter", "end:Paino": "end:Piano", "tick:-5": "tick:0", "3.1+quater": "3.1+quarter", "4.5+q": "5.1+q",
			"x": "", "-3": "", "": "", "marker:Nowhere": "", "end:Flute": "", "1.2.3.4": "", "+": ""}},
		{"duration", duration, map[string]string{"quater": "quarter", "quarternote": "quarter", "eighths": "eighth", "half-dotted": "dotted-half", "dotted quater": "dotted-quarter",
			"crotchet": "quarter", "bar": "1bar", "-quarter": "quarter", "480": "ticks:480", "480ticks": "ticks:480", "3": "3beats", "1.5": "1.5beats", "2 bars": "2bars", "1.5bars": "6beats",
			"2measures": "2bars", "ticks:0": "ticks:1", "0": "", "-1": "", "": "", "long": "", "0bars": ""}},
		{"range", span, map[string]string{"4-2": "2-4", "2.3-1": "1-2.3", "1..4": "1-4", "1:4": "1-4", "1.1-1.9": "1.1-1.4", "0-2": "1.1-2", "marker:Chrous-6": "marker:Chorus-6", "bad": "", "1-x": "", "-": "", "": ""}},
		{"pitch", pitch, map[string]string{"C": "C4", "bb": "bb4", "C10": "C9", "G#9": "G#8", "Cb-1": "Cb0", "midi:200": "midi:127", "C4,": "C4", "60": "midi:60", "200": "", "H4": "", "kik": "", "C4x": "", "": ""}},
		{"drum", drum, map[string]string{"kik": "kick", "snrae": "snare", "C": "C4", "zzz": ""}},
		{"pitches", Pitches, map[string]string{"C5-C3": "C3-C5", "kik": "kick", "C": "", "C9": "", "H": ""}},
		{"velocity", Velocity, map[string]string{"200": "127", "0": "1", "-3": "1", "fffff": "fff", "ffff": "fff", "loud": "f", "noisy": ""}},
		{"velocities", Velocities, map[string]string{"90-10": "10-90", "0-50": "1-50", "100-200": "100-127", "ff-pp": "pp-ff", "200": "", "loud": "", "130-140": ""}},
		{"loudness", Loudness, map[string]string{"+200": "+127", "=200": "=127", "80%": "x0.8", "x500": "x127", "200": "127", "x0": "", "loud": "f", "noisy": ""}},
		{"chord", Chord, map[string]string{"am7": "Am7", "C7(b9)": "C7b9", "Cmaj77": "Cmaj7", "F#mnior/A": "", "Cm7add11": "", "cmajor7": "Cmaj7", "A minor 7": "Am7", "g7/b": "G7/b", "Hm": "Bm", "Hm7": "Bm7", "G77": "G7", "C8": "", "": ""}},
		{"scale", Scale, map[string]string{"D-dorain": "D-dorian", "c-locrain": "C-locrian", "H-major": "", "C-foo": ""}},
		{"key", Key, map[string]string{"G#-major": "Ab-major", "C-majr": "C-major", "Db-minor": "C#-minor", "H": "", "D-dorian": ""}},
		{"time signature", TimeSig, map[string]string{"3-4": "3/4", "3:4": "3/4", "4/3": "4/4", "6/7": "6/8", "3": "3/4", "0/4": "", "-3/4": "", "x": ""}},
		{"tempo", tempo, map[string]string{"5000": "1000", "1": "4", "120 bpm": "120", "100-2000": "100-1000", "-3": "", "+10": "", "fast": "", "NaN": "", "120-120": ""}},
		{"instrument", func(w string) []string { return Instrument(s, w) }, map[string]string{"violn": "violin", "gitar": "guitar", "synth": "", "zzzz": ""}},
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
			"position":   {Position(s, nil, w), func(w string) error { _, err := s.Position(nil, w); return err }},
			"duration":   {Duration(s, nil, w, 0), func(w string) error { _, err := s.Duration(nil, w, 0); return err }},
			"range":      {Range(s, nil, w), func(w string) error { _, _, err := s.Range(nil, w); return err }},
			"pitch":      {Pitch(w, 1), func(w string) error { _, err := theory.ParsePitch(w); return err }},
			"velocity":   {Velocity(w), func(w string) error { _, err := theory.ParseVelocity(w); return err }},
			"velocities": {Velocities(w), func(string) error { return nil }},
			"loudness":   {Loudness(w), func(string) error { return nil }},
			"chord":      {Chord(w), func(w string) error { _, err := theory.ParseChord(w); return err }},
			"scale":      {Scale(w), func(w string) error { _, err := theory.ParseScale(w); return err }},
			"key":        {Key(w), func(w string) error { _, err := theory.ParseKey(w); return err }},
			"time":       {TimeSig(w), func(string) error { return nil }},
			"tempo":      {Tempo(w, 4, 1000), func(string) error { return nil }},
			"pitches":    {Pitches(w), func(string) error { return nil }},
			"span":       {Span(w, 1, 16), func(string) error { return nil }},
		} {
			for _, try := range c.list {
				if err := c.read(try); err != nil || try == "" {
					rt.Fatalf("%s %q is taken for %q, which cannot be read: %v", what, w, try, err)
				}
			}
		}
	})
}
