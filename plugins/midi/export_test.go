package main

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/internal/tinyfont"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/score"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// notatedSong makes a song that notation represents exactly: 16ths, triplets, chords,
// ties, rests, two staves, drums, changes of time and key.
func notatedSong(t *testing.T) *pdktest.Doc {
	t.Helper()
	doc := pdktest.New(t, domain(), `"Engraved & <bound>" tempo:104 key:Eb-major`)
	doc.Do("track add Piano", "track add Flute instrument:flute", "track add Drums",
		"chord Piano Ebmaj7 Cm7 dur:half oct:4", "note Piano Eb2 at:1.1 dur:whole", "chord Piano Ab/C dur:whole at:2.1 vel:ff", "note Piano B4 at:3.1 dur:dotted-half", "note Piano F#3 at:3.4 dur:half",
		"note Flute Bb5 at:1.1 dur:8t", "note Flute C6 dur:8t", "note Flute D6 dur:8t", "note Flute Eb6 dur:q.", "note Flute F#5 dur:eighth", "note Flute G5 at:2.4 dur:half", "note Flute Cb5 at:3.3.120 dur:eighth",
		"note Drums kick hihat at:1.1 dur:eighth", "note Drums hihat at:1.1.240 dur:eighth", "note Drums snare hihat at:1.2 dur:eighth", "repeat @track:Drums @range:1.1-1.2 count:7",
		"time-sig 6/8 at:5.1", "key-sig C-minor at:5.1", "note Flute B5 at:5.1 dur:q.", "note Flute A5 dur:q.", "note Piano G3 B3 D4 at:5.1 dur:dotted-half", "marker \"B < C\" at:3.1", "tempo 132 at:3.1")
	return doc
}

// drumSong makes a song in a key with sharps that has eighth-note drums, a tempo ramp
// under a held note, lyrics and dynamics.
func drumSong(t *testing.T) *pdktest.Doc {
	t.Helper()
	doc := pdktest.New(t, domain(), `"In D" tempo:110 key:D-major`)
	doc.Do("track add Voice", "track add Drums", "beat Drums kick:x...x..x snare:..x...x. hihat:xxxxxxxx pedal-hat:..x...x. crash:x....... res:eighth count:3",
		"line Voice \"D5 q, F#5 q, A5 h, G5 w, F#5 w\" vel:p", "velocity =112 @track:Voice @range:2-3", "tempo 110-80 @range:2.1-2.4", "tempo 80 at:3.1",
		"lyric Twin- at:1.1 track:Voice", "lyric kle at:1.2 track:Voice", "lyric star at:1.3 track:Voice", "lyric shine at:2.1 track:Voice")
	return doc
}

// arrangedSong makes a song with the verbs that generate a lot: harmony, patterns,
// sections, melodies, lyrics and tempo ramps.
func arrangedSong(t *testing.T) *pdktest.Doc {
	t.Helper()
	doc := pdktest.New(t, domain(), `"Arranged" key:A-minor tempo:96`)
	doc.Do("track add Lead instrument:flute", "track add Keys instrument:electric-piano-1", "track add Arp instrument:vibraphone", "track add Bass instrument:acoustic-bass", "track add Drums",
		"abc Lead at:1.1\nL:1/8\nA2 c2 e3 d | c2 B2 A4 | F2 A2 c4 | ^G2 B2 e4 |\nabc end",
		"harmonize Keys @track:Lead oct:3 voicing:lead", "progression Bass \"Am | Dm7 G7 | F | E7(b9)\" oct:2 voicing:shell over:true", "line Bass \"A2 q, C3 q, G#2 q, A2 q\" at:1.1 over:true",
		"arp Arp Am F Dm E pattern:13.2 dur:eighth", "chord Arp Am dur:1bars rhythm:x.x.xx.x at:4.1 over:true", "beat Drums kick:x...x... snare:..x...x. hihat:E(5,8) count:4 res:eighth",
		"snap @track:Lead @range:1-3 to:A-minor", "reharmonize \"F | G\" @track:Keys @range:2-3", "invert +1 @track:Keys @range:4-4", "reverse @track:Lead @range:3-3",
		"section A bars:1-2", "section B bars:3-4", "arrange \"A B A\"", "transpose +2 @track:Lead @range:5-6 in:A-minor", "quantize @track:Lead grid:eighth", "legato @track:Lead @range:3-3",
		"lyrics Lead \"Twin-kle twin-kle lit-tle star how _ I won-der\" at:1.1", "tempo x0.5 @range:3-4", "time-sig 3/4 at:7.1", "line Lead \"A4 h.\" at:7.1", "repeat @track:Lead @range:7-7 count:1",
		"bars insert 3 count:1", "velocity mf @all")
	return doc
}

// lyricsOf lists the words of a file, from lyrics or karaoke text, without the marks
// that join syllables.
func lyricsOf(t *testing.T, data []byte) (out []string) {
	t.Helper()
	s, _, err := song.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, track := range s.Tracks() {
		for e := range track.Events() {
			karaoke := e.Kind() == song.KindText && e.Tick > 0 && track.Notes() > 0
			if word := strings.Trim(e.Text(), "-/\\ "); (karaoke || e.Kind() == song.KindLyric) && word != "" {
				out = append(out, word)
			}
		}
	}
	return out
}

// tempoChanges lists the tempo changes of a file: the place in eighths and the new
// tempo.
func tempoChanges(t *testing.T, data []byte) (out []string) {
	t.Helper()
	s, _, err := song.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	ppq, err := s.PPQ()
	if err != nil {
		t.Fatal(err)
	}
	said := map[int64]string{}
	last := ""
	for _, c := range s.Tempo(nil).Changes {
		if bpm := fmt.Sprintf("%.0f", c.BPM()); bpm != last {
			said[c.Tick*2/ppq], last = bpm, bpm
		}
	}
	for _, at := range slices.Sorted(maps.Keys(said)) {
		out = append(out, fmt.Sprintf("%d:%s", at, said[at]))
	}
	return out
}

func TestExportsAreWellFormed(t *testing.T) {
	docs := map[string]*pdktest.Doc{"engraved": notatedSong(t)}
	files, _ := filepath.Glob(filepath.Join(testwasm.DataDir(t, "midi"), "*.mid"))
	for _, file := range files {
		data := load(t, file)
		if s, _, err := song.Open(data); err == nil && s.Notes() > 0 {
			docs[filepath.Base(file)] = pdktest.Open(t, domain(), filepath.Base(file), data)
		}
	}
	for name, doc := range docs {
		for _, format := range []string{"musicxml", "svg", "svg width:900"} {
			first := doc.Export(format)
			if !bytes.Equal(first, doc.Export(format)) {
				t.Errorf("%s: two exports to %s differ", name, format)
			}
			d := xml.NewDecoder(bytes.NewReader(first))
			for {
				_, err := d.Token()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Errorf("%s as %s: %v", name, format, err)
					break
				}
			}
		}
		rows, err := csv.NewReader(bytes.NewReader(doc.Export("csv"))).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Errorf("%s as csv: %d rows, %v", name, len(rows), err)
		}
		if got := string(doc.Export("abc")); !strings.HasPrefix(got, "%abc-2.1\nX:1\nT:") || !strings.HasSuffix(got, "|]\n") {
			t.Errorf("%s as abc: %.60q", name, got)
		}
	}
}

func TestAnAbsurdlyLongSongIsDrawnAndRefusedAsAScore(t *testing.T) {
	doc := pdktest.New(t, domain(), `"Long" ppqn:24 time-sig:1/16`)
	doc.Do("track add Piano", "note Piano C4 at:1.1", "note Piano C4 at:tick:268000000")
	if n := len(doc.Export("svg")); n > 1<<20 {
		t.Errorf("the picture has %d bytes", n)
	}
	doc.Query("preview")
	doc.Query("chords")
	s, _, err := song.Open(doc.Save())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := score.Of(s, false); err == nil || !strings.Contains(err.Error(), "bars") {
		t.Errorf("a score of it: %v", err)
	}
}

func TestTheTableHoldsEveryEvent(t *testing.T) {
	doc := band(t, "note Piano C4 at:1.2 dur:eighth vel:90", "tempo 90 at:2.1", "cc Piano volume 77", "marker \"A, B\" at:2.1")
	want := `track,name,tick,position,seconds,kind,channel,pitch,note,velocity,length,value,text
1,Piano,0,1.1,0.000000,cc,1,,,,,77,volume
1,Piano,480,1.2,0.500000,note,1,60,C4,90,240,,
0,conductor,1920,2.1,2.000000,tempo,,,,,,,tempo 90
0,conductor,1920,2.1,2.000000,marker,,,,,,,"A, B"
`
	got := string(doc.Export("csv"))
	for line := range strings.Lines(want) {
		if !strings.Contains(got, line) {
			t.Errorf("%q is not in\n%s", line, got)
		}
	}
}

// sounds lists the notes of all tracks: start and length in 48ths of a quarter note,
// and pitch.
func sounds(t *testing.T, data []byte) []string {
	t.Helper()
	s, _, err := song.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	ppq, err := s.PPQ()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, track := range s.Tracks() {
		for e := range track.Events() {
			if e.IsNote() {
				round := func(v int64) int64 { return (v*48 + ppq/2) / ppq }
				// Programs stop a note a tick or a little more early, so that the next
				// one is heard.
				length := (round(e.Mate.Tick) - round(e.Tick) + 5) / 6 * 6
				if length%16 != 0 && (length-2)%16 == 0 {
					length -= 2
				}
				if e.Channel() == theory.DrumChannel {
					length = 0 // any length that reads well
				}
				// abc2midi staggers the notes of a chord by one unit each.
				start := max((round(e.Tick)+1)/6*6, (round(e.Tick)+1)/8*8)
				out = append(out, fmt.Sprintf("%05d %d %d", start, e.Pitch(), length))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestJudgeNotationProgramsHearTheSameNotes(t *testing.T) {
	for _, c := range []struct {
		name, format, program string
		args                  func(in, out string) []string
	}{
		{"abc2midi", "abc", "abc2midi", func(in, out string) []string { return []string{in, "-o", out} }},
		{"MuseScore 3", "musicxml", "mscore3", func(in, out string) []string { return []string{"-o", out, in} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			judge.Program(t, c.program)
			for name, doc := range map[string]*pdktest.Doc{"engraved": notatedSong(t), "in D": drumSong(t), "arranged": arrangedSong(t)} {
				dir := t.TempDir()
				in, out := filepath.Join(dir, "song."+c.format), filepath.Join(dir, "back.mid")
				if err := os.WriteFile(in, doc.Export(c.format), 0o600); err != nil {
					t.Fatal(err)
				}
				run := func(out string) []byte {
					cmd := exec.Command(c.program, c.args(in, out)...)
					cmd.Env = append(os.Environ(), "QT_QPA_PLATFORM=offscreen", "XDG_RUNTIME_DIR="+dir, "HOME="+dir)
					said, err := cmd.CombinedOutput()
					if low := strings.ToLower(string(said)); err != nil || strings.Contains(low, "error") || strings.Contains(low, "warning") || strings.Contains(low, "not a valid") {
						t.Fatalf("%s: %v\n%s", name, err, said)
					}
					return load(t, out)
				}
				back := run(out)
				if theirs, ours := sounds(t, back), sounds(t, doc.Save()); !slices.Equal(theirs, ours) {
					t.Errorf("%s: it hears\n%v\nwe wrote\n%v", name, diff(theirs, ours), diff(ours, theirs))
				}
				words := back
				if c.format == "musicxml" { // MuseScore writes no lyrics into MIDI files, but it does into scores
					words = appendFile(t, "./back.musicxml", run(filepath.Join(dir, "back.musicxml"))).Save()
				}
				if theirs, ours := lyricsOf(t, words), lyricsOf(t, doc.Save()); !slices.Equal(theirs, ours) {
					t.Errorf("%s: it sings\n%v\nwe wrote\n%v", name, theirs, ours)
				}
				if theirs, ours := tempoChanges(t, back), tempoChanges(t, doc.Save()); !slices.Equal(theirs, ours) {
					t.Errorf("%s: it beats\n%v\nwe wrote\n%v", name, theirs, ours)
				}
			}
		})
	}
}

// diff lists what is in a and not in b.
func diff(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

func TestPreviewsArePictures(t *testing.T) {
	doc := notatedSong(t)
	one := func(query, mime string) []byte {
		t.Helper()
		content := doc.QueryContent(query)
		if len(content) != 1 || content[0].MIME != mime {
			t.Fatalf("%s holds %d pictures, not one of %s", query, len(content), mime)
		}
		return content[0].Data
	}
	drawn := string(one("preview 1-2 width:800 format:svg", "image/svg+xml"))
	for _, want := range []string{`width="800"`, "Engraved &amp; &lt;bound&gt;", ">Piano<", ">Drums<", ">kick<", ">snare<", ">velocity<", ">C4<", "4/4 ♩=104 Eb-major"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if drawn := string(one("preview format:svg", "image/svg+xml")); !strings.Contains(drawn, "B &lt; C") {
		t.Error("the picture lacks its marker")
	}
	for query, width := range map[string]int{"preview 1-2 width:800": 800, "preview format:png": 0, "preview 1-2 width:1568": 1568} {
		img, err := png.Decode(bytes.NewReader(one(query, "image/png")))
		if err != nil || width > 0 && img.Bounds().Dx() != width {
			t.Fatalf("%s: %v, %v", query, img.Bounds(), err)
		}
		// The legend shows the first track's colour.
		if r, g, b, _ := img.At(17, 39).RGBA(); r>>8 > 0x10 || g>>8 < 0x60 || b>>8 < 0xa0 {
			t.Errorf("%s: the legend is %02x%02x%02x", query, r>>8, g>>8, b>>8)
		}
	}
	if got, want := doc.Query("preview 1-2"), "1.1 to 3.1 as a piano roll: tracks by colour, velocity by opacity and in the stems below"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	doc.QueryFails("preview 4-2", "ends before", "preview 2-4")
	doc.QueryFails("preview width:9", "300 to 1568", "width:300")
	doc.QueryFails("preview width:9 format:svg", "300 to 20000", "width:300")
	doc.QueryFails("preview format:jpg", "one of png svg")
	for _, q := range []string{"preview", "preview 2-4"} {
		pdktest.New(t, domain(), `"Nothing"`).QueryContent(q)
	}
}

func TestAPictureInPixelsIsExported(t *testing.T) {
	doc := notatedSong(t)
	for format, width := range map[string]int{"png": 0, "png width:2000": 2000} {
		c, err := png.DecodeConfig(bytes.NewReader(doc.Export(format)))
		if err != nil || width > 0 && c.Width != width {
			t.Errorf("%s: %d wide, %v", format, c.Width, err)
		}
	}
}

func TestASoundFontBringsInstruments(t *testing.T) {
	font := tinyfont.Make("Night", tinyfont.Preset{Name: "Moon Harp", Program: 46, Bank: 3}, tinyfont.Preset{Name: "Dusty Kit", Program: 4, Bank: 128})
	doc := pdktest.New(t, domain(), `"Band"`, &pdktest.World{Files: map[string][]byte{"./night.sf2": font}})
	doc.Do("track add Piano", "track add Bass instrument:acoustic-bass", "track add Drums")
	doc.Fail("track add Harp instrument:moon-harp", "unknown instrument")
	before := doc.Save()
	if got := doc.Session("load-soundfont ./night.sf2", nil); !strings.HasPrefix(got, `+ SoundFont Night: 2 instruments, such as "Moon Harp"`) {
		t.Errorf("it says %s", got)
	}
	if !bytes.Equal(before, doc.Save()) {
		t.Error("loading names changed the file")
	}
	if got, want := doc.Do("track add Harp instrument:moon-harp", `track add Beat instrument:"Dusty Kit"`, "track add V instrument:violin"), "+ Track Harp ch:3 "; !strings.HasPrefix(got, want) {
		t.Errorf("it says %s", got)
	}
	if got := doc.Query("tracks"); !strings.Contains(got, "Harp ch:3 Moon Harp") || !strings.Contains(got, "Beat ch:10 Dusty Kit") || !strings.Contains(got, "V ch:4 violin") {
		t.Errorf("the tracks are\n%s", got)
	}
	if got := doc.Query("events Harp"); !strings.Contains(got, "cc bank 3") || !strings.Contains(got, "program Moon Harp") {
		t.Errorf("the harp's events are\n%s", got)
	}
	if got, want := doc.Query("instruments moon"), "Moon Harp (bank 3, program 46 of Night)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	doc.Undo(4)
	doc.Fail("track add Harp instrument:moon-harp", "unknown instrument")
	doc.Redo(1)
	doc.Do("track add Harp instrument:moon-harp")
}
