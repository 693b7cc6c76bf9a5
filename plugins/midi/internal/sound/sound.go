package sound

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/sf2"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/sinshu/go-meltysynth/meltysynth"
)

// block is how many frames are computed at once; events take effect at the start of a
// block.
const block = 128

// voices is the maximum number of voices that sound at once.
const voices = 128

// A Player plays a song in pieces.
type Player struct {
	synth   *meltysynth.Synthesizer
	events  []event
	rate    int
	gain    float32
	at      int // frames played
	last    int // the frame of the last event
	quiet   int // frames of silence after it
	left    [block]float32
	right   [block]float32
	clipped int
}

// event is a message of the song.
type event struct {
	frame                  int
	channel, command, a, b byte
}

// stroke is a note-on with the sound it plays.
type stroke struct {
	bank, program int
	key, velocity byte
}

// New prepares to play a song with a font. A gain of 1 is the usual loudness.
func New(s *song.Song, f *sf2.File, rate int, gain float64) (*Player, error) {
	p := &Player{rate: rate, gain: float32(gain), events: messages(s, rate)}
	if n := len(p.events); n > 0 {
		p.last = p.events[n-1].frame
	}
	font, err := loadPart(f, strokes(p.events))
	if err != nil {
		return nil, err
	}
	settings := meltysynth.NewSynthesizerSettings(int32(rate))
	settings.BlockSize, settings.MaximumPolyphony = block, voices
	if p.synth, err = meltysynth.NewSynthesizer(font, settings); err != nil {
		return nil, err
	}
	return p, nil
}

// messages lists the messages of all tracks that a synthesizer acts on, in order of
// time.
func messages(s *song.Song, rate int) []event {
	var out []event
	for _, t := range s.Tracks() {
		tempo := s.Tempo(t)
		for e := range t.Events() {
			if !e.IsChannel() || (e.A|e.B)&0x80 != 0 {
				continue
			}
			out = append(out, event{int(math.Round(tempo.Seconds(e.Tick) * float64(rate))), e.Status & 0x0F, e.Status & 0xF0, e.A, e.B})
		}
	}
	slices.SortStableFunc(out, func(a, b event) int { return a.frame - b.frame })
	return out
}

// strokes lists the different strokes of a song.
func strokes(events []event) []stroke {
	var state [16]stroke
	state[theory.DrumChannel-1].bank = 128
	seen := map[stroke]bool{}
	var out []stroke
	for i := range events {
		e := &events[i]
		c := &state[e.channel]
		switch {
		case e.command == 0xB0 && e.a == 0:
			c.bank = int(e.b)
			if e.channel == theory.DrumChannel-1 {
				c.bank += 128
			}
		case e.command == 0xC0:
			c.program = int(e.a)
		case e.command == 0x90 && e.b > 0:
			if s := (stroke{c.bank, c.program, e.a, e.b}); !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// Seconds returns the length of the song without the release after it.
func (p *Player) Seconds() float64 { return float64(p.last) / float64(p.rate) }

// Limits of the release after the last event, in seconds: it ends after a period of
// silence.
const (
	silence = 0.25
	fading  = 12
)

// Play appends up to frames further frames of the song to out, as 16-bit samples, left
// and right. It reports whether there are more.
func (p *Player) Play(out []byte, frames int) (all []byte, more bool) {
	for n := 0; n < frames; n += block {
		for len(p.events) > 0 && p.events[0].frame <= p.at {
			e := &p.events[0]
			p.synth.ProcessMidiMessage(int32(e.channel), int32(e.command), int32(e.a), int32(e.b))
			p.events = p.events[1:]
		}
		p.synth.Render(p.left[:], p.right[:])
		peak := int16(0)
		for i := range block {
			l, r := p.sample(p.left[i]), p.sample(p.right[i])
			peak = max(peak, l, -l, r, -r)
			out = binary.LittleEndian.AppendUint16(out, uint16(l))
			out = binary.LittleEndian.AppendUint16(out, uint16(r))
		}
		p.at += block
		if len(p.events) > 0 {
			continue
		}
		if p.quiet += block; peak > 2 {
			p.quiet = 0
		}
		if p.quiet >= int(silence*float64(p.rate)) || p.at-p.last >= fading*p.rate {
			return out, false
		}
	}
	return out, true
}

func (p *Player) sample(v float32) int16 {
	v *= p.gain * 32768
	switch {
	case v > 32767:
		p.clipped++
		return 32767
	case v < -32767:
		p.clipped++
		return -32767
	}
	return int16(v)
}

// Clipped returns how many samples were too loud for 16 bits.
func (p *Player) Clipped() int { return p.clipped }

// Frames returns how many frames were played.
func (p *Player) Frames() int { return p.at }

// Head returns the header of a wave file with size bytes of samples.
func Head(rate, size int) []byte {
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, uint32(size+36))
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate*4))
	b = append(b, "\x04\x00\x10\x00data"...)
	return binary.LittleEndian.AppendUint32(b, uint32(size))
}
