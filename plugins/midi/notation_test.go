package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// appendFile makes a new document and appends a file of sheet music to it.
func appendFile(t *testing.T, name string, data []byte) *pdktest.Doc {
	t.Helper()
	doc := pdktest.New(t, domain(), `"Back"`, &pdktest.World{Files: map[string][]byte{name: data}})
	doc.Do("append " + name)
	return doc
}

func TestExportedSheetMusicIsReadBack(t *testing.T) {
	for name, doc := range map[string]*pdktest.Doc{"engraved": notatedSong(t), "in D": drumSong(t), "arranged": arrangedSong(t)} {
		for _, format := range []string{"abc", "musicxml"} {
			back := appendFile(t, "./song."+format, doc.Export(format)).Save()
			if theirs, ours := sounds(t, back), sounds(t, doc.Save()); !slices.Equal(theirs, ours) {
				t.Errorf("%s as %s: what comes back has\n%v\nwhat went had\n%v", name, format, diff(theirs, ours), diff(ours, theirs))
			}
			if theirs, ours := lyricsOf(t, back), lyricsOf(t, doc.Save()); !slices.Equal(theirs, ours) {
				t.Errorf("%s as %s: it sings\n%v\nit sang\n%v", name, format, theirs, ours)
			}
			if theirs, ours := tempoChanges(t, back), tempoChanges(t, doc.Save()); !slices.Equal(theirs, ours) {
				t.Errorf("%s as %s: it beats\n%v\nit beat\n%v", name, format, theirs, ours)
			}
		}
	}
	// A tune as lines of a call must give the same as the file.
	lines := pdktest.New(t, domain(), `"Lines"`, nil)
	lines.Do("abc\n" + tune + "abc end")
	if ours, theirs := lines.Save(), appendFile(t, "./tune.abc", []byte(tune)).Save(); !slices.Equal(sounds(t, ours), sounds(t, theirs)) || !slices.Equal(tempoChanges(t, ours), tempoChanges(t, theirs)) {
		t.Errorf("a tune as lines sounds\n%v\nas a file\n%v", sounds(t, ours), sounds(t, theirs))
	}
	one := band(t, "key-sig D-major", "line Piano \"C4 w, C4 w\"")
	one.Do("abc Piano at:1.1 over:true\nL:1/4\nF2 A2 | =c4 |\nw: la lu lo\nabc end")
	if got, want := notesByStart(t, one, 1), []string{"0+960: 66", "960+960: 69", "1920+1920: 72"}; !slices.Equal(got, want) {
		t.Errorf("the tune on a track is %v, want %v", got, want)
	}
	if got := lyricsOf(t, one.Save()); len(got) != 3 {
		t.Errorf("it sings %v", got)
	}
	one.Fail("abc Piano\nX:1\nK:C\nV:1\nC\nV:2\nE\nabc end", "2 voices")
	one.Fail("abc\nK:C\nabc end", "no notes")
	one.Fail("abc over:true\nK:C\nC\nabc end", "abc TRACK at:POS over:true")
	doc := pdktest.New(t, domain(), `"Empty"`, &pdktest.World{Files: map[string][]byte{"./bad.abc": []byte("X:1\nK:C\n[CE"), "./bad.xml": []byte("<a/>")}})
	doc.Fail("import ./bad.abc", "./bad.abc: line 3: the chord [CE has no ]")
	doc.Fail("append ./bad.xml", "./bad.xml: it is not MusicXML")
}

// tune is written as other programs write: repeats, endings, triplets, broken rhythm,
// ties, voices and a change of key and metre.
const tune = `X:1
T:A Reel
M:4/4
L:1/8
Q:1/4=132
K:Edor
V:1 name="Fiddle"
V:2 name="Bass"
V:1
|: E2 (3BAB d2 B>A | [EG]4- [EG]2 c<d |1 e2 ^d2 =d4 :|2 e2 f2 g4 |]
K:G
M:3/4
g3 f e2 | d6- | d2 B,2 C,2 | z2 _B2 B2 |]
V:2
|: E,4 E,4 | E,,8 |1 B,,4 B,,4 :|2 E,4 E,4 |]
K:G
M:3/4
G,,6 | D,6 | Z | G,2 B,2 D2 |]
`

func TestJudgeReadersOfSheetMusicHearWhatWeRead(t *testing.T) {
	dir := t.TempDir()
	run := func(in, out, program string, args ...string) []byte {
		t.Helper()
		judge.Program(t, program)
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "QT_QPA_PLATFORM=offscreen", "XDG_RUNTIME_DIR="+dir, "HOME="+dir)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", program, in, err, said)
		}
		return load(t, out)
	}
	alike := func(what string, theirs, ours []byte) {
		t.Helper()
		if a, b := sounds(t, theirs), sounds(t, ours); !slices.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: they hear\n%v\nwe read\n%v", what, diff(a, b), diff(b, a))
		}
		if a, b := tempoChanges(t, theirs), tempoChanges(t, ours); !slices.Equal(a, b) {
			t.Errorf("%s: they beat\n%v\nwe read\n%v", what, a, b)
		}
	}
	t.Run("abc2midi", func(t *testing.T) {
		in, out := filepath.Join(dir, "tune.abc"), filepath.Join(dir, "tune.mid")
		if err := os.WriteFile(in, []byte(tune), 0o600); err != nil {
			t.Fatal(err)
		}
		alike("a reel", run(in, out, "abc2midi", in, "-o", out), appendFile(t, "./tune.abc", []byte(tune)).Save())
	})
	// MuseScore writes MusicXML of our song, and plays what it wrote.
	t.Run("MuseScore 3", func(t *testing.T) {
		for _, doc := range []*pdktest.Doc{notatedSong(t), drumSong(t), arrangedSong(t), appendFile(t, "./tune.abc", []byte(tune))} {
			first, xml, out := filepath.Join(dir, "a.mid"), filepath.Join(dir, "a.musicxml"), filepath.Join(dir, "b.mid")
			if err := os.WriteFile(first, doc.Save(), 0o600); err != nil {
				t.Fatal(err)
			}
			text := run(first, xml, "mscore3", "-o", xml, first)
			if !strings.Contains(string(text), "MuseScore") {
				t.Errorf("MuseScore did not write it: %.200s", text)
			}
			alike("what MuseScore wrote", run(xml, out, "mscore3", "-o", out, xml), appendFile(t, "./a.musicxml", text).Save())
		}
	})
}

func TestSheetMusicHasChordSymbols(t *testing.T) {
	doc := pdktest.New(t, domain(), `"Chords" key:Eb-major`)
	doc.Do("track add Keys", `progression Keys "Cm7 | Bb/D | Ebmaj7 | C7b9"`, "marker Bdim7 at:2.3", "marker A at:1.1")
	if plain := string(doc.Export("musicxml")); strings.Count(plain, "<harmony>") != 1 || !strings.Contains(plain, `<root><root-step>B</root-step></root><kind text="dim7">diminished-seventh</kind>`) || !strings.Contains(plain, "<rehearsal>A</rehearsal>") {
		t.Errorf("a marker that is a chord is not a symbol, or others are:\n%s", plain)
	}
	heard := string(doc.Export("musicxml chords:on"))
	for _, want := range []string{`<root><root-step>C</root-step></root><kind text="m7">minor-seventh</kind>`, `<root><root-step>B</root-step><root-alter>-1</root-alter></root><kind text="">major</kind><bass><bass-step>D</bass-step></bass>`,
		`<root><root-step>E</root-step><root-alter>-1</root-alter></root><kind text="maj7">major-seventh</kind>`, `<kind text="7b9">other</kind>`} {
		if !strings.Contains(heard, want) {
			t.Errorf("there is no %s in\n%s", want, heard)
		}
	}
	if abc := string(doc.Export("abc chords:on")); !strings.Contains(abc, `"Cm7"`) || !strings.Contains(abc, `"Bb/D"`) {
		t.Errorf("the tune has no chord symbols:\n%s", abc)
	}
	doc.ExportFails("musicxml chords:maybe", "neither on nor off")
	doc.ExportFails("abc width:3", "takes no width:")
}

// MuseScore must keep the symbols when it writes the score again.
func TestJudgeMuseScoreReadsChordSymbols(t *testing.T) {
	judge.Program(t, "mscore3")
	doc := pdktest.New(t, domain(), `"Chords" key:Eb-major`)
	doc.Do("track add Keys", `progression Keys "Cm7 | Bb/D | Ebmaj7 | C7b9"`)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.musicxml"), filepath.Join(dir, "b.musicxml")
	if err := os.WriteFile(in, doc.Export("musicxml chords:on"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("mscore3", "-o", out, in)
	cmd.Env = append(os.Environ(), "QT_QPA_PLATFORM=offscreen", "XDG_RUNTIME_DIR="+dir, "HOME="+dir)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	text := string(load(t, out))
	for _, want := range []string{"minor-seventh", "major-seventh", "<bass-step>D</bass-step>", ">major</kind>"} {
		if !strings.Contains(text, want) {
			t.Errorf("MuseScore lost %s", want)
		}
	}
	if n := strings.Count(text, "<harmony"); n != 4 {
		t.Errorf("MuseScore has %d chord symbols of 4", n)
	}
}
