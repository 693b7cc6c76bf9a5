package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/tinyfont"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// wave is the content of a wave file, with its channels mixed.
type wave struct {
	rate    int
	samples []float64
}

func waveOf(t *testing.T, data []byte) (w wave) {
	t.Helper()
	if len(data) < 44 || string(data[:4]) != "RIFF" || string(data[36:40]) != "data" || int(binary.LittleEndian.Uint32(data[40:])) != len(data)-44 || int(binary.LittleEndian.Uint32(data[4:])) != len(data)-8 {
		t.Fatalf("%d bytes are no wave file: %q", len(data), data[:min(len(data), 44)])
	}
	w.rate = int(binary.LittleEndian.Uint32(data[24:]))
	for at := 44; at+4 <= len(data); at += 4 {
		l, r := int16(binary.LittleEndian.Uint16(data[at:])), int16(binary.LittleEndian.Uint16(data[at+2:]))
		w.samples = append(w.samples, (float64(l)+float64(r))/65536)
	}
	return w
}

// seconds returns the samples from one time to another.
func (w wave) seconds(from, to float64) []float64 {
	a, b := int(from*float64(w.rate)), int(to*float64(w.rate))
	return w.samples[min(a, len(w.samples)):min(b, len(w.samples))]
}

func loudness(s []float64) float64 {
	sum := 0.0
	for _, v := range s {
		sum += v * v
	}
	return math.Sqrt(sum / max(1, float64(len(s))))
}

// pitch returns how often a second the samples cross zero upwards.
func (w wave) pitch(from, to float64) float64 {
	n := 0
	s := w.seconds(from, to)
	for i := 1; i < len(s); i++ {
		if s[i-1] < 0 && s[i] >= 0 {
			n++
		}
	}
	return float64(n) / (to - from)
}

func TestASongIsPlayedWithASoundFont(t *testing.T) {
	font := tinyfont.Make("Night", tinyfont.Preset{Name: "Sine", Program: 0})
	world := &pdktest.World{Files: map[string][]byte{"./night.sf2": font, "./cut.sf2": font[:len(font)-30], "./short.sf2": font[:1000], "./song.mid": []byte("MThd")}}
	doc := pdktest.New(t, domain(), `"Tone"`, world)
	doc.Do("track add Piano", "cc Piano reverb 0 at:1.1", "line Piano \"A4 h 100, rest h, A5 h 100\" at:1.1", "tempo 60 at:2.1")
	doc.ExportFails("wav", "needs a SoundFont")
	doc.ExportFails("wav soundfont:./none.sf2", "./none.sf2: no file")
	doc.ExportFails("wav soundfont:./song.mid", "not a SoundFont 2")
	doc.ExportFails("wav soundfont:./cut.sf2", "cut off")
	doc.ExportFails("wav soundfont:./short.sf2", "cut off")
	doc.ExportFails("wav soundfont:./night.sf2 rate:8000", "rate:")
	doc.ExportFails("wav soundfont:./night.sf2 gain:no", "gain:no is not")
	doc.ExportFails("wav soundfont:./night.sf2 width:3", "takes no width:")
	world.Asked = nil
	w := waveOf(t, doc.Export("wav soundfont:./night.sf2 rate:22050"))
	read, parts := 0, 0
	for _, r := range world.Asked {
		if r.Read != nil {
			read += r.Read.Length
		}
		if r.Part != nil {
			parts++
		}
	}
	if read > tinyfont.Unused || parts < 1 {
		t.Errorf("it reads %d bytes and writes %d parts", read, parts)
	}
	if w.rate != 22050 || math.Abs(float64(len(w.samples))/22050-4.3) > 0.3 {
		t.Errorf("%d samples at %d Hz: the song has 4 seconds", len(w.samples), w.rate)
	}
	for _, c := range []struct{ from, to, pitch float64 }{{0.1, 0.9, 440}, {2.1, 3.9, 880}} {
		if got := w.pitch(c.from, c.to); math.Abs(got-c.pitch) > 3 {
			t.Errorf("from %g to %g s it sounds at %g Hz, want %g", c.from, c.to, got, c.pitch)
		}
	}
	if sound, rest := loudness(w.seconds(0.1, 0.9)), loudness(w.seconds(1.2, 1.9)); sound < 0.02 || rest > sound/100 {
		t.Errorf("the note is %g loud, the rest %g", sound, rest)
	}
	doc.Session("load-soundfont ./night.sf2", nil)
	louder := waveOf(t, doc.Export("wav rate:22050 gain:2"))
	if a, b := loudness(w.seconds(0.1, 0.9)), loudness(louder.seconds(0.1, 0.9)); math.Abs(b/a-2) > 0.1 {
		t.Errorf("at twice the gain it is %g and not %g loud", b, a)
	}
}

// Compare with what fluidsynth plays of the same song and SoundFont.
func TestJudgeASongSoundsAsFluidsynthPlaysIt(t *testing.T) {
	fluidsynth := judge.Program(t, "fluidsynth")
	dir := t.TempDir()
	for _, name := range []string{"TimGM6mb.sf2", "FluidR3_GM.sf2"} {
		path := "/usr/share/sounds/sf2/" + name
		font, err := os.ReadFile(path)
		if err != nil {
			t.Logf("there is no %s: %v", name, err)
			continue
		}
		world := &pdktest.World{Files: map[string][]byte{"./font.sf2": font}}
		doc := pdktest.New(t, domain(), `"Song" tempo:100`, world)
		doc.Do("track add Piano instrument:acoustic-grand-piano", "track add Strings instrument:string-ensemble-1", "track add Bass instrument:acoustic-bass", "track add Drums",
			`progression Piano "Am F C G" at:1.1`, `line Strings "E5 w, F5 w, E5 w, D5 w" at:1.1`, `line Bass "A2 h, A2 h, F2 h, F2 h, C3 h, C3 h, G2 h, G2 h" at:1.1`,
			"beat Drums kick:x...x... snare:..x...x. hihat:xxxxxxxx res:eighth at:1.1 count:4", "cc Strings volume 60-110 @range:1-4", "pan Bass 40")
		ours := waveOf(t, doc.Export("wav soundfont:./font.sf2"))
		read := 0
		for _, r := range world.Asked {
			if r.Read != nil {
				read += r.Read.Length
			}
		}
		song, out := filepath.Join(dir, "song.mid"), filepath.Join(dir, "song.wav")
		if err := os.WriteFile(song, doc.Save(), 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.Command(fluidsynth, "-n", "-i", "-q", "-r", "44100", "-g", "0.5", "-O", "s16", "-T", "wav", "-F", out, path, song).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		theirs := waveOf(t, load(t, out))
		const step = 0.5
		var a, b []float64
		for at := 0.0; at+step <= 9.6; at += step {
			a, b = append(a, loudness(ours.seconds(at, at+step))), append(b, loudness(theirs.seconds(at, at+step)))
		}
		like := correlation(a, b)
		t.Logf("%s: %d of %d KB read, loudness alike %.3f, ratio %.2f, %.1f and %.1f s", name, read/1000, len(font)/1000, like, loudness(a)/loudness(b), float64(len(ours.samples))/44100, float64(len(theirs.samples))/44100)
		if like < 0.85 || math.Abs(float64(len(ours.samples)-len(theirs.samples))) > 4*44100 {
			t.Errorf("%s: their loudness goes alike to %.3f: ours %s, theirs %s", name, like, rounded(a), rounded(b))
		}
		// A single note has the same pitch and length.
		for _, pitch := range []string{"C3", "A4", "F5"} {
			doc := pdktest.New(t, domain(), `"Note"`, world)
			doc.Do("track add F instrument:flute", "note F "+pitch+" dur:whole")
			ours := waveOf(t, doc.Export("wav soundfont:./font.sf2"))
			if err := os.WriteFile(song, doc.Save(), 0o600); err != nil {
				t.Fatal(err)
			}
			if said, err := exec.Command(fluidsynth, "-n", "-i", "-q", "-r", "44100", "-g", "0.5", "-O", "s16", "-T", "wav", "-F", out, path, song).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			theirs := waveOf(t, load(t, out))
			if p, q := ours.cycle(), theirs.cycle(); math.Abs(p-q) > 0.02*q {
				t.Errorf("%s: %s swings every %g samples, at fluidsynth every %g", name, pitch, p, q)
			}
		}
	}
}

// cycle returns the period, in samples, of the sound in the second half second.
func (w wave) cycle() float64 {
	s := w.seconds(0.5, 0.8)
	best, at := -1.0, 0
	for lag := 20; lag < 600; lag++ {
		if c := correlation(s[:len(s)-600], s[lag:len(s)-600+lag]); c > best+0.01 {
			best, at = c, lag
		}
	}
	return float64(at)
}

func correlation(a, b []float64) float64 {
	var ma, mb, ab, aa, bb float64
	n := min(len(a), len(b))
	for i := range n {
		ma, mb = ma+a[i]/float64(n), mb+b[i]/float64(n)
	}
	for i := range n {
		ab, aa, bb = ab+(a[i]-ma)*(b[i]-mb), aa+(a[i]-ma)*(a[i]-ma), bb+(b[i]-mb)*(b[i]-mb)
	}
	return ab / math.Sqrt(aa*bb+1e-30)
}

func rounded(list []float64) string {
	var b strings.Builder
	for _, v := range list {
		fmt.Fprintf(&b, "%.3f ", v)
	}
	return b.String()
}
