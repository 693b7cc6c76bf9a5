// Package tinyfont makes a SoundFont 2 for tests: each preset plays a sine wave, and many samples are unused.
package tinyfont

import (
	"encoding/binary"
	"math"
)

// A Preset is an instrument of the font.
type Preset struct {
	Name          string
	Program, Bank int
}

// Unused is the number of samples that no preset plays.
const Unused = 200_000

// Make returns a font.
func Make(name string, presets ...Preset) []byte {
	var wave []byte
	for range Unused {
		wave = append(wave, 0xFF, 0x7F)
	}
	const cycle = 100 // samples of a period; at 44,000 Hz that is A4
	for i := range 4 * cycle {
		wave = binary.LittleEndian.AppendUint16(wave, uint16(int16(20000*math.Sin(2*math.Pi*float64(i)/cycle))))
	}
	wave = append(wave, make([]byte, 92)...)
	u16 := func(values ...int) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		}
		return b
	}
	u32 := func(values ...int) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		return b
	}
	named := func(name string, rest ...[]byte) []byte {
		b := append([]byte(name), make([]byte, 20-len(name))...)
		for _, r := range rest {
			b = append(b, r...)
		}
		return b
	}
	var phdr, pbag, pgen []byte
	for i, p := range presets {
		phdr = append(phdr, named(p.Name, u16(p.Program, p.Bank, i), make([]byte, 12))...)
		pbag = append(pbag, u16(i, 0)...)
		pgen = append(pgen, u16(41, 0)...) // instrument 0
	}
	phdr = append(phdr, named("EOP", u16(0, 0, len(presets)), make([]byte, 12))...)
	pbag = append(pbag, u16(len(presets), 0)...)
	pgen = append(pgen, u16(0, 0)...)
	from := Unused
	tables := join(
		chunk("phdr", phdr), chunk("pbag", pbag), chunk("pmod", make([]byte, 10)), chunk("pgen", pgen),
		chunk("inst", append(named("Sine", u16(0)), named("EOI", u16(1))...)), chunk("ibag", u16(0, 0, 2, 0)), chunk("imod", make([]byte, 10)),
		chunk("igen", u16(54, 1, 53, 0, 0, 0)), // it loops, sample 0
		chunk("shdr", append(named("Sine", u32(from, from+4*cycle, from+cycle, from+3*cycle, 44000), []byte{69, 0}, u16(0, 1)), named("EOS", make([]byte, 26))...)))
	info := join(chunk("ifil", u16(2, 1)), chunk("INAM", append([]byte(name), make([]byte, 2-len(name)%2)...)))
	return chunk("RIFF", join([]byte("sfbk"), chunk("LIST", join([]byte("INFO"), info)), chunk("LIST", join([]byte("sdta"), chunk("smpl", wave))), chunk("LIST", join([]byte("pdta"), tables))))
}

func chunk(id string, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(id), uint32(len(data))), data...)
}

func join(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}
