package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// note is [track, tick, length, channel, pitch, velocity].
type note [6]int64

// songNotes lists the notes of a file in order, as our own reader finds them.
func songNotes(t testing.TB, data []byte) []note {
	t.Helper()
	s, _, err := song.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	out := []note{}
	for i, track := range s.Tracks() {
		for e := range track.Events() {
			if e.IsNote() {
				out = append(out, note{int64(i), e.Tick, e.Length(), int64(e.Channel()), int64(e.Pitch()), int64(e.Velocity())})
			}
		}
	}
	slices.SortFunc(out, func(a, b note) int { return slices.Compare(a[:], b[:]) })
	return out
}

// filesForJudges writes songs made by many verbs, and every real file after an edit, to
// a folder for the judges. It returns their paths.
func filesForJudges(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	keep := func(name string, doc *pdktest.Doc) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, doc.Save(), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	keep("new.mid", composedSong(t))
	keep("played.mid", expressiveSong(t))
	files, _ := filepath.Glob(filepath.Join(testwasm.DataDir(t, "midi"), "*.mid"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := song.Open(data)
		if err != nil || s.Format() == 2 || strings.Contains(file, "illegal") {
			continue // illegal messages stay as they are, and some readers fail on them
		}
		if _, err := s.Meter(nil); err != nil {
			continue
		}
		doc := pdktest.Open(t, domain(), filepath.Base(file), data)
		doc.Do("track add Judge instrument:flute", "chord Judge Dm7 G7 Cmaj7 at:1.1 dur:half", "tempo 97.5 at:2.1", "marker Judged at:2.1", "cc Judge volume 90")
		if s.Notes() > 0 {
			doc.Do("move @type:note @range:1-2 by:16th", "repeat @range:1-1 count:2", "velocity +3 @range:2-4", "remove @track:Judge @range:1-1", "copy @range:1-2 to:end",
				"humanize @all seed:5", "quantize @all grid:8t", "swing 60 @all", "split @track:Judge parts:3", "stretch x1.5 @range:2-2", "reverse @track:Judge",
				"crescendo @all from:pp to:ff", "transpose -1 @track:Judge in:C-major", "bars insert 2 count:3", "bars delete 1", "legato @track:Judge gap:ticks:1",
				"section Judged @range:1-2")
		}
		keep(filepath.Base(file), doc)
	}
	return paths
}

// composedSong makes a song with many verbs.
func composedSong(t *testing.T) *pdktest.Doc {
	t.Helper()
	doc := pdktest.New(t, domain(), `"Judged" tempo:104 time-sig:4/4 key:Eb-major`)
	doc.Do("track add Piano instrument:electric-piano-1", "track add Bass instrument:fretless-bass", "track add Drums instrument:jazz-kit",
		"chord Piano Ebmaj7 Cm7 Fm7 Bb7 dur:whole", "chord Piano Ab/C dur:half inv:1 vel:ff at:5.1", "note Bass Eb2 dur:q. vel:p", "note Bass rest", "note Bass Bb1 C2 dur:8t",
		"note Drums kick hihat at:1.1 dur:eighth", "note Drums snare hihat at:1.2 dur:eighth", "repeat @track:Drums @range:1.1-1.2 count:7",
		"tempo 132.5 at:3.1", "time-sig 6/8 at:4.1", "key-sig C-minor at:4.1", "marker \"Second half\" at:3.1", "cc Piano sustain on at:1.1", "cc Piano sustain off at:2.1",
		"copy @track:Piano @range:1-2 to:5.3", "transpose +12 @track:Bass", "velocity x0.8 @track:Piano", "move @track:Drums @range:2-2 by:ticks:7", "modify @track:Bass vel:+11",
		"tracker Piano,Bass import at:9.1 res:16th\n0 | G4:q:80 C5:s:99 | Eb2:q.:70\n3 | F4+5:=77:64 | .\ntracker end")
	return doc
}

// expressiveSong makes a song with the verbs for performance: patterns, grooves,
// curves, and a channel for each note.
func expressiveSong(t *testing.T) *pdktest.Doc {
	t.Helper()
	doc := pdktest.New(t, domain(), `"Played" tempo:92 key:A-minor`)
	doc.Do("track add Keys instrument:electric-piano-1 ch:16", "track add Lead instrument:violin ch:15", "track add Drums", "sysex Keys gm-on",
		"progression Keys \"Am7 | Fmaj7 | Dm7 | E7\" voicing:lead oct:3 rhythm:.x=.X=g=", "arp Keys Am7 pattern:13.2 gate:60 dur:16th at:5.1", "arp Keys Dm9 pattern:random gate:150 at:6.1",
		"line Lead \"A4 h, C5 h | E5 w\" at:1.1", "beat Drums kick:x...x... hihat:xxxxxxxx count:12", "groove mpc-58 @drums", "groove laid-back @track:Keys @range:1-2",
		"rpn Lead bend-range 12", "bend Lead -1st-0st @range:1.1-1.1 curve:log", "bend Lead -20c-20c @range:2.2-2.4 curve:sine every:eighth", "cc Keys cutoff 40-100 @range:1-2 curve:s",
		"mpe Keys zone:lower voices:8", "bend Keys 7st ch:3 at:2.1", "volume * now-0 @range:5-6 curve:exp")
	return doc
}

func TestJudgeMidoReadsTheSameNotes(t *testing.T) {
	python := "/usr/bin/python3" // the system's, which finds Debian's packages
	if _, err := os.Stat(python); err != nil {
		python = "python3"
	}
	judge.Runs(t, python, "-c", "import mido")
	paths := filesForJudges(t)
	out, err := exec.Command(python, append([]string{filepath.Join("testdata", "mido_notes.py")}, paths...)...).Output()
	if err != nil {
		t.Fatalf("mido does not read what we wrote: %v\n%s", err, stderr(err))
	}
	var theirs map[string]struct {
		Notes   []note
		Seconds float64
	}
	if err := json.Unmarshal(out, &theirs); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data := load(t, path)
		agree(t, "mido", path, theirs[path].Notes, songNotes(t, data))
		s, _, err := song.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		var end int64
		for _, track := range s.Tracks() {
			end = max(end, track.Length())
		}
		if ours := s.Tempo(nil).Seconds(end); math.Abs(ours-theirs[path].Seconds) > 1e-6 {
			t.Errorf("%s lasts %f seconds to mido, %f to us", filepath.Base(path), theirs[path].Seconds, ours)
		}
	}
}

func TestJudgeNpmPackagesReadTheSameNotes(t *testing.T) {
	node, modules := judge.Npm(t, "midi-file", "@tonejs/midi")
	paths := filesForJudges(t)
	cmd := exec.Command(node, append([]string{filepath.Join("testdata", "npm_notes.js")}, paths...)...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr(err))
	}
	var theirs map[string]struct{ MidiFile, Tone []note }
	if err := json.Unmarshal(out, &theirs); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, path := range paths {
		ours := songNotes(t, load(t, path))
		if theirs[path].MidiFile != nil {
			read++
			agree(t, "midi-file", path, theirs[path].MidiFile, ours)
		} else {
			t.Logf("midi-file does not read %s", filepath.Base(path))
		}
		// When a pitch starts again while it sounds, @tonejs/midi pairs the notes
		// differently than players do.
		if theirs[path].Tone == nil || overlap(ours) {
			continue
		}
		for i := range ours {
			ours[i][0], ours[i][3] = 0, 0
		}
		slices.SortFunc(ours, func(a, b note) int { return slices.Compare(a[:], b[:]) })
		agree(t, "@tonejs/midi", path, theirs[path].Tone, ours)
	}
	if read < len(paths)*3/4 {
		t.Errorf("midi-file reads %d of %d files", read, len(paths))
	}
}

func TestJudgeASynthesizerPlaysWithoutAWarning(t *testing.T) {
	fluidsynth := judge.Program(t, "fluidsynth")
	font := "/usr/share/sounds/sf2/TimGM6mb.sf2"
	if _, err := os.Stat(font); err != nil {
		t.Skipf("fluidsynth has no SoundFont to play with: %v", err)
	}
	path := filepath.Join(t.TempDir(), "new.mid")
	if err := os.WriteFile(path, composedSong(t).Save(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(fluidsynth, "-n", "-i", "-q", "-F", os.DevNull, "-T", "raw", font, path).CombinedOutput()
	if low := strings.ToLower(string(out)); err != nil || strings.Contains(low, "warn") || strings.Contains(low, "error") {
		t.Errorf("%v: %s", err, out)
	}
}

func load(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func stderr(err error) string {
	if e, ok := err.(*exec.ExitError); ok {
		return string(e.Stderr)
	}
	return ""
}

// overlap reports whether a note starts while its pitch sounds on its channel.
func overlap(notes []note) bool {
	end := map[[3]int64]int64{}
	for _, n := range notes {
		key := [3]int64{n[0], n[3], n[4]}
		if n[1] < end[key] {
			return true
		}
		end[key] = max(end[key], n[1]+n[2])
	}
	return false
}

// agree compares two readings of a file.
func agree(t *testing.T, judge, path string, theirs, ours []note) {
	t.Helper()
	if slices.Equal(theirs, ours) {
		return
	}
	where := ""
	for i := range min(len(theirs), len(ours)) {
		if theirs[i] != ours[i] {
			where = fmt.Sprintf("; note %d is %v, to it %v", i, ours[i], theirs[i])
			break
		}
	}
	t.Errorf("%s reads %d notes in %s, we wrote %d%s", judge, len(theirs), filepath.Base(path), len(ours), where)
}
