// Package sound plays a song with a SoundFont 2. It renders piece by piece, and loads
// only those samples of the font that the song needs.
package sound

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/sf2"
	"github.com/sinshu/go-meltysynth/meltysynth"
)

// maxSamples is how many samples of a font may be in memory, 2 bytes each.
const maxSamples = 48 << 20

// reads is the maximum number of reads for a font's samples.
const reads = 40

// together is the maximum number of samples between two spans that are read as one.
const together = 32 << 10

// loadPart loads the part of a SoundFont that the strokes need.
func loadPart(f *sf2.File, strokes []stroke) (font *meltysynth.SoundFont, err error) {
	defer func() { // the library does not check the tables
		if x := recover(); x != nil {
			font, err = nil, fmt.Errorf("the SoundFont is damaged: %v", x)
		}
	}()
	if font, err = meltysynth.NewSoundFont(bytes.NewReader(f.Skeleton())); err != nil {
		return nil, fmt.Errorf("the SoundFont is damaged: %w", err)
	}
	spans, err := neededSpans(font, strokes, f.Samples())
	if err != nil {
		return nil, err
	}
	total := 0
	for _, s := range spans {
		total += s.end - s.start
	}
	if total > maxSamples {
		return nil, fmt.Errorf("the song needs %d MB of this SoundFont's samples, and %d MB is the limit: use a smaller SoundFont", total*2/1_000_000, maxSamples*2/1_000_000)
	}
	// Append silence, because an instrument may read past the last sample.
	data := make([]int16, total+1024)
	at := 0
	for _, s := range spans {
		n := s.end - s.start
		if err := f.ReadSamples(data[at:at+n], s.start); err != nil {
			return nil, err
		}
		for _, h := range s.of {
			shift := int32(at - s.start)
			h.Start, h.End, h.StartLoop, h.EndLoop = h.Start+shift, h.End+shift, h.StartLoop+shift, h.EndLoop+shift
		}
		at += n
	}
	font.WaveData = data
	return font, nil
}

// span is a run of samples and the headers that refer to it.
type span struct {
	start, end int
	of         []*meltysynth.SampleHeader
}

// neededSpans lists the spans of samples that the strokes play.
func neededSpans(font *meltysynth.SoundFont, strokes []stroke, samples int) ([]span, error) {
	own := map[*meltysynth.SampleHeader]*span{}
	var order []*span
	for _, s := range strokes {
		for _, p := range presetOf(font, s.bank, s.program).Regions {
			if !contains(p, s.key, s.velocity) {
				continue
			}
			for _, r := range p.Instrument.Regions {
				if !contains(r, s.key, s.velocity) {
					continue
				}
				h := r.Sample
				const rom, compressed = 0x8000, 0x10
				switch {
				case h.SampleType&rom != 0:
					return nil, fmt.Errorf("the SoundFont plays sample %q from a sound card's memory, and cannot be played without it", h.Name)
				case h.SampleType&compressed != 0:
					return nil, fmt.Errorf("the SoundFont has compressed samples (SoundFont 3), which are not supported; use a SoundFont 2")
				}
				start, end := int(r.GetSampleStart()), int(r.GetSampleEnd())+1
				loops := r.GetSampleModes() != 0
				if loops {
					start, end = min(start, int(r.GetSampleStartLoop())), max(end, int(r.GetSampleEndLoop())+1)
				}
				if start < 0 || end > samples+1 || start >= end || loops && r.GetSampleStartLoop() >= r.GetSampleEndLoop() {
					return nil, fmt.Errorf("the SoundFont is damaged: sample %q lies at %d to %d of %d", h.Name, start, end, samples)
				}
				end = min(end, samples)
				if have := own[h]; have != nil {
					have.start, have.end = min(have.start, start), max(have.end, end)
					continue
				}
				own[h] = &span{start, end, []*meltysynth.SampleHeader{h}}
				order = append(order, own[h])
			}
		}
	}
	slices.SortFunc(order, func(a, b *span) int { return cmp.Compare(a.start, b.start) })
	for gap := together; ; gap *= 2 {
		var out []span
		for _, s := range order {
			if n := len(out); n > 0 && s.start <= out[n-1].end+gap {
				out[n-1].end = max(out[n-1].end, s.end)
				out[n-1].of = append(out[n-1].of, s.of...)
				continue
			}
			out = append(out, span{s.start, s.end, slices.Clone(s.of)})
		}
		if len(out) <= reads {
			return out, nil
		}
	}
}

// ranged is a region of a preset or of an instrument.
type ranged interface {
	GetKeyRangeStart() int32
	GetKeyRangeEnd() int32
	GetVelocityRangeStart() int32
	GetVelocityRangeEnd() int32
}

func contains(r ranged, key, velocity byte) bool {
	return r.GetKeyRangeStart() <= int32(key) && int32(key) <= r.GetKeyRangeEnd() &&
		r.GetVelocityRangeStart() <= int32(velocity) && int32(velocity) <= r.GetVelocityRangeEnd()
}

// presetOf returns the preset that the library plays for a bank and a program.
func presetOf(font *meltysynth.SoundFont, bank, program int) *meltysynth.Preset {
	var exact, general, first *meltysynth.Preset
	instead := program
	if bank >= 128 {
		instead = 128 << 16
	}
	for _, p := range font.Presets { // of two with the same number, the last
		id := int(p.BankNumber)<<16 | int(p.PatchNumber)
		if id == bank<<16|program {
			exact = p
		}
		if id == instead {
			general = p
		}
		if first == nil || id < int(first.BankNumber)<<16|int(first.PatchNumber) {
			first = p
		}
	}
	return cmp.Or(exact, general, first)
}
