package sound

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

func TestLoudSamplesAreClippedAndCounted(t *testing.T) {
	p := &Player{gain: 2}
	for v, want := range map[float32]int16{0: 0, 0.25: 16384, -0.25: -16384, 0.5: 32767, 1: 32767, -1: -32767} {
		if got := p.sample(v); got != want {
			t.Errorf("%g becomes %d, want %d", v, got, want)
		}
	}
	if p.Clipped() != 3 {
		t.Errorf("%d samples were clipped", p.Clipped())
	}
}

func TestStrokesKnowTheSoundOfTheirChannel(t *testing.T) {
	drum := byte(theory.DrumChannel - 1)
	got := strokes([]event{{0, 0, 0x90, 60, 64}, {0, 0, 0xB0, 0, 3}, {0, 0, 0xC0, 40, 0}, {0, 0, 0x90, 60, 64}, {1, 0, 0x90, 60, 64}, {1, 0, 0x90, 60, 0}, {1, 0, 0xB0, 32, 9},
		{1, drum, 0x90, 36, 99}, {2, drum, 0xB0, 0, 1}, {2, drum, 0x90, 36, 99}})
	if want := "[{0 0 60 64} {3 40 60 64} {128 0 36 99} {129 0 36 99}]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestAWaveFileHasASizeAndARate(t *testing.T) {
	b := Head(44100, 1000)
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	if len(b) != 44 || number(4) != 1036 || number(24) != 44100 || number(28) != 4*44100 || number(40) != 1000 {
		t.Errorf("%d bytes: % x", len(b), b)
	}
}
