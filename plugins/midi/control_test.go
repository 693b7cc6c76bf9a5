package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// controllerValues lists the values that a controller of a channel takes, read by
// gomidi: their ticks and the values. Controller -1 is the pitch bend.
func controllerValues(doc *pdktest.Doc, channel, controller int) (ticks []int64, values []int) {
	for _, m := range stream(doc.Save()) {
		switch {
		case controller < 0 && m.data[0] == 0xE0|byte(channel-1):
			ticks, values = append(ticks, m.tick), append(values, int(m.data[1])|int(m.data[2])<<7-8192)
		case controller >= 0 && m.data[0] == 0xB0|byte(channel-1) && int(m.data[1]) == controller:
			ticks, values = append(ticks, m.tick), append(values, int(m.data[2]))
		}
	}
	return ticks, values
}

func TestBendsAreSemitonesOfTheirRange(t *testing.T) {
	for _, c := range []struct {
		ops  []string
		want string
	}{
		{[]string{"bend Piano 1st at:2.1"}, "[4096]"},
		{[]string{"bend Piano +2st"}, "[8191]"},
		{[]string{"bend Piano -2semitones"}, "[-8192]"},
		{[]string{"bend Piano -50c"}, "[-2048]"},
		{[]string{"rpn Piano bend-range 12", "bend Piano 1st at:2.1"}, "[683]"},
		{[]string{"rpn Piano bend-range 12 at:3.1", "bend Piano 1st at:2.1"}, "[4096]"},
		{[]string{"rpn Bass bend-range 24", "bend Piano 1st"}, "[4096]"}, // on another channel
	} {
		doc := band(t, c.ops...)
		if _, got := controllerValues(doc, 1, -1); fmt.Sprint(got) != c.want {
			t.Errorf("%v bends by %v, want %s", c.ops, got, c.want)
		}
	}
	doc := band(t, "note Piano C4 dur:2bars", "bend Piano 0st-2st @range:1-1", "bend Piano now-0st @range:2-2 curve:s")
	ticks, values := controllerValues(doc, 1, -1)
	if n := len(values); values[0] != 0 || slices.Max(values) != 8191 || values[n-1] != 0 || ticks[n-1] < 3800 || ticks[n-1] > 3839 {
		t.Errorf("it goes %v at %v", values, ticks)
	}
	doc.Fail("bend Piano 3st", "exceeds the range of 2 semitones", "try: rpn Piano bend-range 3")
	doc.Fail("bend Piano 1sx", "is not a number")
}

func TestCurvesHaveTheirShapes(t *testing.T) {
	at := func(op string) (values []int, half int) {
		doc := band(t, "note Piano C4 dur:4bars", op)
		ticks, values := controllerValues(doc, 1, 11)
		for i, tick := range ticks {
			if tick <= 3840 {
				half = values[i] // in the middle of four bars
			}
		}
		if ticks[0] != 0 || ticks[len(ticks)-1] > 7679 {
			t.Errorf("%s: from %d to %d", op, ticks[0], ticks[len(ticks)-1])
		}
		return values, half
	}
	for _, c := range []struct {
		curve     string
		low, high int
	}{{"", 49, 51}, {" curve:exp", 10, 20}, {" curve:log", 80, 90}, {" curve:s", 48, 52}} {
		values, half := at("cc Piano expression 0-100 @range:1-4" + c.curve)
		if !slices.IsSorted(values) || values[0] != 0 || values[len(values)-1] != 100 || half < c.low || half > c.high {
			t.Errorf("%q is at %d half way, and goes %v", c.curve, half, values)
		}
	}
	doc := band(t, "note Piano C4 dur:4bars", "cc Piano expression 40-100 @range:1-4 curve:sine every:2bars")
	ticks, values := controllerValues(doc, 1, 11)
	peaks := 0
	for i := 1; i+1 < len(values); i++ {
		if values[i] > values[i-1] && values[i] > values[i+1] {
			peaks++
			if d := ticks[i] % 3840; d < 1915 || d > 1925 {
				t.Errorf("a peak at %d", ticks[i])
			}
		}
	}
	if peaks != 2 || slices.Min(values) != 40 || slices.Max(values) != 100 || values[0] != 40 {
		t.Errorf("%d peaks, %v", peaks, values)
	}
	before := doc.Save()
	if got := doc.Do("cc Piano expression 40-100 @range:1-4 curve:sine every:2bars"); !strings.HasPrefix(got, "? ") || !bytes.Equal(doc.Save(), before) {
		t.Errorf("again: %s", got)
	}
	doc.Fail("cc Piano expression 40-100 @range:1-4 curve:sin", "not one of linear exp log s sine", "try: cc Piano expression 40-100 @range:1-4 curve:sine")
	doc.Fail("cc Piano expression 40-100 @range:1-4 every:1bar", "curve:sine")
	doc.Fail("volume Piano 40 curve:exp", "a ramp")
}

func TestAFadeOfAllTracksKeepsTheirBalance(t *testing.T) {
	doc := band(t, "note Piano C4 dur:4bars", "note Bass C2 dur:4bars", "note Drums kick dur:4bars", "volume Piano 90", "volume Bass 40 at:2.1", "volume * now-0 @range:3-4")
	for channel, level := range map[int]int{1: 90, 2: 40, 10: 100} {
		ticks, values := controllerValues(doc, channel, 7)
		i := slices.Index(ticks, 3840)
		if i < 0 || values[i] != level || values[len(values)-1] != 0 || ticks[len(ticks)-1] != 7679 {
			t.Errorf("channel %d goes %v at %v", channel, values, ticks)
		}
	}
	if got := doc.Do("volume * now-0 @range:4.4-4.4", "pan * center at:1.1"); !strings.HasPrefix(got, "+ volume now-0 on 3 tracks: Piano, Bass, Drums") {
		t.Error(got)
	}
	if got := doc.Do("pan * center at:1.1"); !strings.HasPrefix(got, "? ") {
		t.Error(got)
	}
	doc.Fail("volume * 90 ch:3", "ch: is for one", "try: volume * 90")
	pdktest.New(t, domain(), `"Empty"`).Fail("volume * 90", "no track plays")
}

func TestTwoTracksThatSetOneControllerAreReported(t *testing.T) {
	doc := band(t, "track add Choir ch:1", "note Piano C4 dur:4bars", "note Choir C5 dur:4bars", "volume Piano 40-90 @range:1-2")
	if got := doc.Do("volume Choir 90-40 @range:2-3"); !strings.Contains(got, "? Piano sets CC volume of channel 1 there, too, first at 2.1") {
		t.Error(got)
	}
	if got := doc.Query("lint"); !strings.Contains(got, "channel 1: Piano and Choir both turn cc volume from 2.1 to 2.4.479") {
		t.Error(got)
	}
	for _, op := range []string{"volume Choir 90-40 @range:4-4", "pan Choir 10-20 @range:1-2", "volume Bass 40-90 @range:1-2"} {
		got := doc.Do(op)
		if shared := strings.Contains(got, "? channel 1 is also that of Piano, which this reaches as well"); strings.Contains(got, "there, too") || shared != strings.Contains(op, "Choir") {
			t.Errorf("%s: %s", op, got)
		}
	}
}

// A track that leaves a channel leaves what others send there, as the pedal track of a piano does, and takes its own along.
func TestWhatATrackLeavesOnItsChannelIsNamed(t *testing.T) {
	for op, want := range map[string]string{
		"modify track Piano ch:5": "? what these send on channel 1 no longer reaches Piano: Pedal\n? what Piano sends no longer reaches these on channel 1: Left",
		"mpe Piano zone:upper":    "? what these send on channel 1 no longer reaches Piano: Pedal\n? what Piano sends no longer reaches these on channel 1: Left",
		"track duplicate Piano":   "? what these send on channel 1 does not reach Piano 2: Pedal",
		"track remove Pedal":      "- Track Pedal with 0 notes, 1 cc\n? what Pedal sends no longer reaches these on channel 1: Piano, Left",
		"modify track Bass ch:1":  "? channel 1 is also that of Piano, Left, which this reaches as well",
		"program Piano violin":    "? channel 1 is also that of Left, which this reaches as well",
	} {
		doc := band(t, "track add Left ch:1", "track add Pedal ch:1", "remove @track:Left @type:program", "note Piano C4", "note Left C3 ch:1", "note Bass C2", "cc Pedal sustain on at:1.2", "volume Piano 80")
		if got := doc.Do(op); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nand not %s", op, got, want)
		}
	}
}

func TestEachNoteOfAnMPETrackHasItsChannel(t *testing.T) {
	doc := band(t, "track remove Bass", "modify track Piano ch:5", "program Piano violin", "volume Piano 70", "chord Piano Am7 F dur:half", "note Drums kick", "pedal Piano @range:1-1")
	before := doc.Save()
	if got := doc.Do("mpe Piano"); got != "* MPE on Piano: lower zone, master ch:1, 8 voices from ch:2 to ch:9, bend range 48; 7 notes dealt" {
		t.Error(got)
	}
	var ends [17]int64
	pitches := map[int]bool{}
	for _, n := range listen(t, doc.Save()) {
		if n.track != 1 {
			continue
		}
		if n.channel < 2 || n.channel > 9 || n.tick < ends[n.channel] || n.program != 40 {
			t.Errorf("%v is not alone on a member channel", n)
		}
		ends[n.channel] = n.tick + n.length
		pitches[n.pitch] = true
	}
	if len(pitches) != 5 {
		t.Errorf("it plays %v", pitches)
	}
	for _, c := range [][2]int{{7, 1}, {64, 2}} {
		if _, values := controllerValues(doc, 1, c[0]); len(values) != c[1] {
			t.Errorf("the master has %v of controller %d", values, c[0])
		}
	}
	// The configuration message: RPN 6 on the master channel with the number of
	// members, then RPN 0 on each member.
	var data []string
	for _, m := range stream(doc.Save()) {
		if m.data[0]&0xF0 == 0xB0 && m.data[1] == 6 {
			data = append(data, fmt.Sprint(m.data[0]&15+1, ":", m.data[2]))
		}
	}
	if got := strings.Join(data, " "); got != "1:8 2:48 3:48 4:48 5:48 6:48 7:48 8:48 9:48" {
		t.Errorf("zones: %s", got)
	}
	doc.Do("bend Piano 12st ch:2")
	if _, values := controllerValues(doc, 2, -1); fmt.Sprint(values) != "[2048]" {
		t.Errorf("an octave of four is %v", values)
	}
	doc.Undo(2)
	if !bytes.Equal(doc.Save(), before) {
		t.Error("undo did not bring the bytes back")
	}
	doc.Fail("mpe Drums", "no pitch")
	doc.Fail("mpe Piano voices:12", "room for 8 voices: then comes Drums", "try: mpe Piano voices:8")
	band(t, "note Piano C4", "note Bass C2").Fail("mpe Piano zone:lower", "Bass plays")
}

func TestResetsAreSentAsTheirMakersWriteThem(t *testing.T) {
	for name, want := range map[string]string{
		"gm-on": "\xF0\x05\x7E\x7F\x09\x01\xF7", "gs-on": "\xF0\x0A\x41\x10\x42\x12\x40\x00\x7F\x00\x41\xF7", "xg-on": "\xF0\x08\x43\x10\x4C\x00\x00\x7E\x00\xF7",
		"master-volume 100": "\xF0\x07\x7F\x7F\x04\x01\x00\x64\xF7",
	} {
		if doc := band(t, "sysex Piano "+name); !bytes.Contains(doc.Save(), []byte(want)) {
			t.Errorf("%s is not % X", name, want)
		}
	}
	band(t).Fail("sysex Piano gs-onn", "neither a message's name", "try: sysex Piano gs-on")
	band(t).Fail("sysex Piano master-volume 128", "0 to 127", "try: sysex Piano master-volume 127")
}

func TestAPassageOfAnMPETrackIsReplacedOnAllItsChannels(t *testing.T) {
	doc := band(t, "track remove Bass", "chord Piano Am7 F C G dur:half at:1.1", "mpe Piano zone:lower voices:5")
	doc.Do(`line Piano "C5 h, D5 h" at:2.1 over:true`)
	var got []string
	for _, n := range listen(t, doc.Save()) {
		if n.track == 1 && n.tick+n.length > 4*480 {
			got = append(got, fmt.Sprint(n.tick, " ", n.pitch))
		}
	}
	if text := strings.Join(got, ", "); text != "1920 72, 2880 74" {
		t.Errorf("in the bar that was replaced sound %s", text)
	}
	doc = band(t, "track remove Bass", "chord Piano Am7 F C G dur:half at:1.1", "mpe Piano zone:lower voices:5", `line Piano "C5 w" at:2.1 ch:3 over:true`)
	n := 0
	for _, heard := range listen(t, doc.Save()) {
		if heard.track == 1 && heard.tick >= 4*480 && heard.channel != 3 {
			n++
		}
	}
	if n == 0 {
		t.Error("ch:3 replaced what other channels play")
	}
}
