package song

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/sf2"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/vmihailenco/msgpack/v5"
)

// LoadFont makes the presets of a SoundFont instruments of this document. A saved file
// holds their banks and programs, but not their names.
type LoadFont struct{ sf2.Font }

// Type is the edit's event type.
func (x *LoadFont) Type() string { return "font.load" }

// Do adds the font.
func (x *LoadFont) Do(s *Song) error {
	s.fonts = append(s.fonts, &x.Font)
	return nil
}

// Undo removes the font.
func (x *LoadFont) Undo(s *Song) error {
	if len(s.fonts) == 0 {
		return errState
	}
	s.fonts = slices.Clip(s.fonts[:len(s.fonts)-1])
	return nil
}

// EncodeMsgpack packs the edit.
func (x *LoadFont) EncodeMsgpack(enc *msgpack.Encoder) error {
	return encode(enc, func(p *packer) { p.font(&x.Font) })
}

// DecodeMsgpack unpacks the edit.
func (x *LoadFont) DecodeMsgpack(dec *msgpack.Decoder) error {
	return decodeEdit(dec, func(p *packer) { p.font(&x.Font) })
}

func (p *packer) font(f *sf2.Font) {
	p.text(&f.Name)
	packEach(p, &f.Presets, func(_ int, v *sf2.Preset) {
		p.text(&v.Name)
		number(p, &v.Bank)
		number(p, &v.Program)
	})
	p.text(&f.Path)
}

// Fonts lists the loaded SoundFonts. The caller must not modify them.
func (s *Song) Fonts() []*sf2.Font { return s.fonts }

// FindInstrument finds an instrument as theory.FindInstrument does, and also the
// presets of the loaded SoundFonts. Presets named in full come first, those of the font
// loaded last before others.
func (s *Song) FindInstrument(name string) (sound theory.Sound, near []string, ok bool) {
	want := theory.Folded(name)
	var part []*sf2.Preset
	for i := len(s.fonts) - 1; i >= 0 && want != ""; i-- {
		for j := range s.fonts[i].Presets {
			p := &s.fonts[i].Presets[j]
			switch have := theory.Folded(p.Name); {
			case have == want:
				return presetSound(p), nil, true
			case strings.Contains(have, want):
				part = append(part, p)
			}
		}
	}
	if sound, near, ok = theory.FindInstrument(name); ok && !sound.Guessed {
		return sound, near, true
	}
	if len(part) == 1 && len(want) >= 3 && !ok {
		sound = presetSound(part[0])
		sound.Guessed = true
		return sound, nil, true
	}
	for i := 0; i < len(part) && !ok && len(near) < 5; i++ {
		near = append(near, part[i].Name)
	}
	return sound, near, ok
}

// presetSound returns the sound of a preset: its bank is the high byte of the bank
// select, and percussion banks are kits of the drum channel.
func presetSound(p *sf2.Preset) theory.Sound {
	s := theory.Sound{Name: p.Name, Program: p.Program}
	if p.Bank == drumBank {
		s.Drums = true
	} else {
		s.Bank = p.Bank << 7
	}
	return s
}

// drumBank is the bank in which SoundFonts keep percussion.
const drumBank = 128

// SoundOf returns the name of the sound of a program change: that of the preset of a
// loaded SoundFont with its bank and program, else that of SoundName.
func (s *Song) SoundOf(e *Event) string {
	if len(s.fonts) > 0 {
		bank := 0
		for b := range e.Track.Events() {
			if b == e {
				break
			}
			if b.Status == 0xB0|e.Status&0x0F && (b.A == 0 || b.A == 32) {
				if b.A == 0 {
					bank = bank&0x7F | int(b.B)<<7
				} else {
					bank = bank&^0x7F | int(b.B)
				}
			}
		}
		for i := len(s.fonts) - 1; i >= 0; i-- {
			for j := range s.fonts[i].Presets {
				p := presetSound(&s.fonts[i].Presets[j])
				if p.Program == int(e.A) && p.Drums == (e.Channel() == theory.DrumChannel) && (p.Drums || p.Bank == bank) {
					return p.Name
				}
			}
		}
	}
	return SoundName(int(e.A), e.Channel())
}

// InstrumentNames lists every full name that FindInstrument knows.
func (s *Song) InstrumentNames() []string {
	out := theory.InstrumentNames()
	for _, f := range s.fonts {
		for i := range f.Presets {
			out = append(out, f.Presets[i].Name)
		}
	}
	return out
}
