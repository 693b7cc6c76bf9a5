package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// trio is a file of format 0 whose one track plays on channels 1, 2 and 10, with a
// program on each of the first two.
const trio = "MThd\x00\x00\x00\x06\x00\x00\x00\x01\x01\xE0MTrk\x00\x00\x00\x22" +
	"\x00\xC0\x05\x00\xC1\x20\x00\x90\x3C\x40\x00\x91\x24\x50\x00\x99\x24\x60" +
	"\x60\x80\x3C\x40\x00\x81\x24\x40\x00\x89\x24\x40\x00\xFF\x2F\x00"

func TestNewTracksDoNotChangeOtherSounds(t *testing.T) {
	for _, op := range []string{"track add Strings instrument:string-ensemble-1", "track duplicate 1 Again", "tracker 1,2 import at:5.1\n0 | C4 | E4\ntracker end"} {
		doc := pdktest.Open(t, domain(), "x.mid", []byte(trio))
		before := played(t, doc)
		if strings.HasPrefix(op, "tracker") {
			doc.Do("track add Empty", "remove @track:Empty @type:program")
		}
		doc.Do(op)
		for _, tone := range before {
			if !slices.Contains(played(t, doc), tone) {
				t.Errorf("%s: %s is no more; there is %v", op, tone, played(t, doc))
			}
		}
	}
}

func TestADuplicateHasAMixOfItsOwn(t *testing.T) {
	doc := band(t, "note Piano C4 at:1.1", "note Drums kick at:1.1", "volume Piano 90")
	doc.Do("track duplicate Piano", "program \"Piano 2\" vibraphone", "mute \"Piano 2\"", "track duplicate Drums")
	want := []string{"0+480 ch1 60 v80 prog0 vol90", "0+480 ch10 36 v80 prog0 vol100", "0+480 ch3 60 v80 prog11 vol0", "0+480 ch10 36 v80 prog0 vol100"}
	if got := played(t, doc); !slices.Equal(got, want) {
		t.Errorf("it sounds\n%v, want\n%v", got, want)
	}
}

func TestUnmutingRestoresTheVolumes(t *testing.T) {
	for _, c := range []struct{ name, off, on string }{
		{"mute", "mute Piano", "mute Piano off"}, {"solo", "solo Bass", "solo Bass off"}, {"solo and mute", "solo Bass", "mute Piano off"},
	} {
		for _, volumes := range [][]string{nil, {"volume Piano 90", "volume Piano 90-40 @range:3-3"}, {"volume Piano 70 at:2.1"}, {"volume Piano 0 at:1.1", "volume Piano 60 at:3.1"}} {
			doc := band(t, append([]string{"line Piano \"C4 w, D4 w, E4 w\"", "note Bass C2 dur:3bars at:1.1"}, volumes...)...)
			before := doc.Save()
			doc.Do(c.off)
			for _, tone := range played(t, doc) {
				if strings.Contains(tone, "ch1") != strings.HasSuffix(tone, "vol0") {
					t.Errorf("%s after %v: %s", c.name, volumes, tone)
				}
			}
			doc = doc.Reopen()
			doc.Do(c.on)
			if string(doc.Save()) != string(before) {
				t.Errorf("%s after %v: the file is not what it was: %v", c.name, volumes, played(t, doc))
			}
		}
	}
}

func TestTracksMutedBeforeASoloStayMuted(t *testing.T) {
	doc := band(t, "note Piano C4 at:1.1", "note Bass C2 at:1.1", "note Drums kick at:1.1", "volume Bass 50")
	loud := func() (out []string) {
		for _, n := range listen(t, doc.Save()) {
			if n.volume > 0 {
				out = append(out, n.String()[strings.IndexByte(n.String(), 'c'):][:4])
			}
		}
		return out
	}
	for _, step := range []struct{ op, want string }{
		{"mute Bass", "ch1 ch10"}, {"solo Piano", "ch1 "}, {"solo Drums", "ch10"}, {"solo Drums off", "ch1 ch10"}, {"volume Bass 77", "ch1 ch2 ch10"}, {"mute Bass off", "ch1 ch2 ch10"}, {"solo Bass", "ch2 "},
	} {
		doc.Do(step.op)
		if got := strings.Join(loud(), " "); strings.Join(strings.Fields(got), " ") != strings.TrimSpace(step.want) {
			t.Errorf("after %s one hears %s, want %s", step.op, got, step.want)
		}
	}
	if got := played(t, doc); got[1] != "0+480 ch2 36 v80 prog32 vol77" {
		t.Errorf("the level that was set while it was muted is gone: %v", got)
	}
}

func TestATrackThatAnotherProgramMutedSoundsAgain(t *testing.T) {
	doc := band(t, "note Piano C4 at:1.1", "volume Piano 0")
	doc.Do("mute Piano off")
	if got, want := played(t, doc), []string{"0+480 ch1 60 v80 prog0 vol100"}; !slices.Equal(got, want) {
		t.Errorf("it sounds %v, want %v", got, want)
	}
}
