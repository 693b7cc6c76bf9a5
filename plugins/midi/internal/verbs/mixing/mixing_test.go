package mixing

import (
	"fmt"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func TestBendsAreReadInSemitonesAndCents(t *testing.T) {
	for s, want := range map[string]string{"2st": "200 true", "-0.5ST": "-50 true", "+50c": "50 true", "1semitone": "100 true", "3cents": "3 true", "c": "0 false", "4096": "0 false", "xst": "0 false", "NaNst": "NaN false"} {
		cents, ok := parseCents(s)
		if got := fmt.Sprint(cents, " ", ok); got != want {
			t.Errorf("%s is read as %s, want %s", s, got, want)
		}
	}
}

func TestTheVolumesOfAMutedTrackAreKept(t *testing.T) {
	meta := func(payload []byte) *song.Event {
		return &song.Event{Event: smf.Event{Status: smf.Meta, A: metaSequencer, Payload: payload}}
	}
	by, kept, ok := readMuted(meta(mutedPayload("solo", 0xB3, 7, 99)))
	if by != "solo" || string(kept) != "\xB3\x07\x63" || !ok {
		t.Errorf("got %s %x %v", by, kept, ok)
	}
	if by, kept, ok = readMuted(meta(mutedPayload("mute"))); by != "mute" || len(kept) != 0 || !ok {
		t.Errorf("got %s %x %v", by, kept, ok)
	}
	for _, other := range [][]byte{nil, []byte("mute"), mutedPayload("loud"), mutedPayload("mute", 0xB3, 8, 99), mutedPayload("mute", 0xB3, 7, 128), mutedPayload("mute", 0xC3, 7, 1), mutedPayload("mute", 1)} {
		if _, _, ok := readMuted(meta(other)); ok {
			t.Errorf("%q is taken for a kept volume", other)
		}
	}
}

func TestAVoiceIsABankAndAProgram(t *testing.T) {
	if got := fmt.Sprint(voice{channel: 3, program: 40, bank: 3<<7 | 12}.events(96)); got != "[{96 178 0 3 0 0 0 []} {96 178 32 12 0 0 0 []} {96 194 40 0 0 0 0 []}]" {
		t.Errorf("got %s", got)
	}
	if got := (voice{channel: 16, program: 0, bank: -1}).events(0); len(got) != 1 || got[0].Status != 0xCF {
		t.Errorf("without a bank: %v", got)
	}
}

func TestABendHasFourteenBits(t *testing.T) {
	k := bendControl(2)
	for _, v := range []int{-8192, -1, 0, 1, 8191} {
		if m := k.message(v); m.Status != 0xE1 || m.A > 127 || m.B > 127 || k.value(&song.Event{Event: m}) != v {
			t.Errorf("%d is sent as %v", v, m)
		}
	}
	if m := k.message(0); m.A != 0 || m.B != 64 {
		t.Errorf("the middle is sent as %v", m)
	}
}
