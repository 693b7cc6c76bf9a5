package notation

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// sounds lists the notes of a file of sheet music as track:pitch@start+length in
// sixteenths, and its lyrics.
func sounds(t *testing.T, name, text string) string {
	t.Helper()
	data, err := Read(name, []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s, _, err := song.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, track := range s.Music() {
		for e := range track.Events() {
			at := float64(e.Tick) / (quarter / 4)
			switch {
			case e.IsNote():
				out = append(out, fmt.Sprintf("%d:%d@%.4g+%.4g", i, e.Pitch(), at, float64(e.Length())/(quarter/4)))
			case e.Kind() == song.KindLyric:
				out = append(out, fmt.Sprintf("%q@%.4g", e.Text(), at))
			}
		}
	}
	return strings.Join(out, " ")
}

func TestABCIsRead(t *testing.T) {
	const head = "X:1\nT:A\nM:4/4\nL:1/4\nK:C\n"
	for _, c := range []struct{ name, text, want string }{
		{"notes and rests", head + "C c' z2 | D,2 E/ F/4 G3/4 |]", "0:60@0+4 0:84@4+4 0:50@16+8 0:64@24+2 0:65@26+1 0:67@27+3"},
		{"a key, accidentals that hold for a bar", "X:1\nL:1/4\nK:D\nF ^G G =F | G _B, F4 |]", "0:66@0+4 0:68@4+4 0:68@8+4 0:65@12+4 0:67@16+4 0:58@20+4 0:66@24+16"},
		{"modes", "X:1\nL:1/4\nK:Ador\nF|\nK:Bb minor\nG|", "0:66@12+4 0:66@16+4"},
		{"chords and ties", head + "[CEG]2- [CEG]2 | A4- | A4 |]", "0:60@0+16 0:64@0+16 0:67@0+16 0:69@16+32"},
		{"tuplets and broken rhythm", head + "(3CDE C>D E<<F |]", "0:60@0+2.667 0:62@2.667+2.667 0:64@5.333+2.667 0:60@8+6 0:62@14+2 0:64@16+1 0:65@17+7"},
		{"repeats with endings", head + "|: C4 |1 D4 :|2 E4 |] F4 |]", "0:60@0+16 0:62@16+16 0:60@32+16 0:64@48+16 0:65@64+16"},
		{"two repeats", head + "C4 :: D4 :|", "0:60@0+16 0:60@16+16 0:62@32+16 0:62@48+16"},
		{"an upbeat", head + "C | D4 |]", "0:60@12+4 0:62@16+16"},
		{"voices and bars of rest", "X:1\nL:1/4\nM:3/4\nK:C\nV:1 name=\"High\"\nV:2 name=\"Low\"\nV:1\nc3 | Z | d3 |]\nV:2\nC,3 | D,3 | E,3 |]", "0:72@0+12 0:74@24+12 1:48@0+12 1:50@12+12 1:52@24+12"},
		{"two voices in a bar", head + "C4 & E2 G2 | c4 |]", "0:60@0+16 0:64@0+8 0:67@8+8 0:72@16+16"},
		{"drums", "X:1\nL:1/4\nK:G\nV:1\n%%MIDI channel 10\n[K:C] C,, D,, ^F,, z |]", "0:36@0+4 0:38@4+4 0:42@8+4"},
		{"words", head + "C D E F |]\nw: Twin-kle * star", `"Twin-"@0 0:60@0+4 "kle"@4 0:62@4+4 0:64@8+4 "star"@12 0:65@12+4`},
		{"what is no note", head + "!mf!\"Am\"C {ag}~D (EF) y % more\n", "0:60@0+4 0:62@4+4 0:64@8+4 0:65@12+4"},
	} {
		if got := sounds(t, "a.abc", c.text); got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// xmlOf makes a score of one part with these measures.
func xmlOf(measures ...string) string {
	var b strings.Builder
	b.WriteString(`<score-partwise><part-list><score-part id="P1"><part-name>Horn</part-name><midi-instrument id="I1"><midi-channel>1</midi-channel><midi-program>61</midi-program></midi-instrument></score-part></part-list><part id="P1">`)
	for i, m := range measures {
		fmt.Fprintf(&b, `<measure number="%d">%s</measure>`, i+1, m)
	}
	return b.String() + "</part></score-partwise>"
}

func TestMusicXMLIsRead(t *testing.T) {
	n := func(step string, octave, duration int, more ...string) string {
		return fmt.Sprintf("<note>%s<pitch><step>%s</step><octave>%d</octave></pitch><duration>%d</duration>%s</note>", strings.Join(slices.DeleteFunc(slices.Clone(more), func(s string) bool { return s != "<chord/>" }), ""), step, octave, duration,
			strings.Join(slices.DeleteFunc(slices.Clone(more), func(s string) bool { return s == "<chord/>" }), ""))
	}
	const head = "<attributes><divisions>2</divisions><key><fifths>-1</fifths></key><time><beats>2</beats><beat-type>4</beat-type></time></attributes>"
	for _, c := range []struct{ name, text, want string }{
		{"notes, chords and rests", xmlOf(head+n("C", 4, 2)+n("E", 4, 2, "<chord/>")+"<note><rest/><duration>2</duration></note>", n("D", 5, 4)), "0:60@0+4 0:64@0+4 0:74@8+8"},
		{"ties", xmlOf(head+n("C", 4, 4, `<tie type="start"/>`), n("C", 4, 2, `<tie type="stop"/>`)+n("C", 4, 2)), "0:60@0+12 0:60@12+4"},
		{"voices", xmlOf(head + n("C", 5, 4) + "<backup><duration>4</duration></backup>" + n("C", 3, 2) + "<forward><duration>2</duration></forward>"), "0:48@0+4 0:72@0+8"},
		{"repeats", xmlOf(head+n("C", 4, 4), `<barline><ending number="1" type="start"/></barline>`+n("D", 4, 4)+`<barline><ending number="1" type="stop"/><repeat direction="backward"/></barline>`,
			`<barline><ending number="2" type="start"/></barline>`+n("E", 4, 4)+`<barline><ending number="2" type="stop"/></barline>`), "0:60@0+8 0:62@8+8 0:60@16+8 0:64@24+8"},
		{"words", xmlOf(head + n("C", 4, 2, "<lyric><syllabic>begin</syllabic><text>la</text></lyric>") + n("C", 4, 2, "<lyric><text>lu</text></lyric>")), `"la-"@0 0:60@0+4 "lu"@4 0:60@4+4`},
		{"an upbeat and a grace note", xmlOf(head+n("C", 4, 2)+"<note><grace/><pitch><step>A</step><octave>4</octave></pitch></note>", n("D", 4, 4)), "0:60@4+4 0:62@8+8"},
	} {
		got := strings.Split(sounds(t, "a.musicxml", c.text), " ")
		want := strings.Split(c.want, " ")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, want)
		}
	}
}

func TestInvalidSheetMusicIsRefused(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.abc", "hello", "no line K:"},
		{"a.abc", "X:1\nK:C\n", "no notes"},
		{"a.abc", "X:1\nK:C\n[CEG", "line 3: the chord [CEG has no ]"},
		{"a.abc", "X:1\nM:4/5\nK:C\nC", "M:4/5"},
		{"a.abc", "X:1\nL:x\nK:C\nC", "L:x"},
		{"a.abc", "X:1\nQ:fast\nK:C\nC", "Q:fast"},
		{"a.abc", "X:1\nK:Hq\nC", "K:Hq"},
		{"a.abc", "X:1\nK:C\n^z", "is not a note"},
		{"a.abc", "X:1\nK:C\nC,,,,,,", "outside the range of MIDI"},
		{"a.musicxml", "<a>", "not MusicXML"},
		{"a.xml", "<svg/>", "begins with <svg>"},
		{"a.xml", "<score-timewise/>", "score-partwise"},
		{"a.mxl", "PK\x03\x04", "not a compressed score"},
		{"a.mxl", zipOf("META-INF/container.xml", "<container"), "container.xml"},
		{"a.mxl", zipOf("META-INF/container.xml", container("b.xml"), "a.xml", "<a/>"), "b.xml, which is not in it"},
		{"a.mxl", zipOf("a.txt", "hello"), "no score in it"},
		{"a.mxl", zipOf("a.xml", strings.Repeat(" ", maxXML+1)), "larger than 10240 KiB"},
		{"a.xml", xmlOf("<note><duration>1</duration></note>"), "part Horn, measure 1: a note has neither"},
		{"a.xml", xmlOf("<note><rest/></note>"), "no duration"},
		{"a.xml", xmlOf("<backup><duration>9</duration></backup>"), "before its start"},
		{"a.xml", xmlOf("<attributes><divisions>0</divisions></attributes>"), "divisions"},
		{"a.xml", xmlOf(), "no notes"},
	} {
		if _, err := Read(c.name, []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// zipOf makes a zip of files, each a name and a text.
func zipOf(files ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func container(name string) string {
	return `<?xml version="1.0"?><container><rootfiles><rootfile full-path="` + name + `" media-type="application/vnd.recordare.musicxml+xml"/><rootfile full-path="x.pdf"/></rootfiles></container>`
}

func TestScoresAreReadAsProgramsPackThem(t *testing.T) {
	score := xmlOf("<note><pitch><step>C</step><octave>4</octave></pitch><duration>4</duration></note>")
	wide := func(text string, big bool) string {
		b := []byte("\xFF\xFE")
		if big {
			b = []byte("\xFE\xFF")
		}
		for _, u := range utf16.Encode([]rune(text)) {
			if big {
				u = u<<8 | u>>8
			}
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	const head16 = `<?xml version="1.0" encoding="UTF-16"?>`
	for name, text := range map[string]string{"plain": score, "with a mark": "\xEF\xBB\xBF" + score, "UTF-16": wide(head16+score, false), "UTF-16 the other way round": wide(head16+score, true),
		"packed": zipOf("META-INF/container.xml", container("in/it.xml"), "other.xml", "<a/>", "in/it.xml", score), "packed without a container": zipOf("it.musicxml", score),
		"packed UTF-16": zipOf("META-INF/container.xml", container("it.xml"), "it.xml", wide(head16+score, true))} {
		if got := sounds(t, "a.mxl", text); got != "0:60@0+16" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a.abc", "X:1\nL:1/4\nK:D\n|: [CE]2- (3abc |1 z2 :|2 C>D & E |]\nw: a-b c")
	f.Add("a.xml", xmlOf("<note><pitch><step>C</step><octave>4</octave></pitch><duration>1</duration></note>"))
	f.Fuzz(func(t *testing.T, name, text string) {
		data, err := Read(name, []byte(text))
		if err != nil {
			return
		}
		if _, _, err := song.Open(data); err != nil {
			t.Errorf("what %q becomes is no MIDI file: %v", text, err)
		}
	})
}
