// Package sf2 reads the names of a SoundFont 2's presets. Of the file it looks
// at the RIFF structure, the font's name and the preset headers; samples are
// passed over.
package sf2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// Font is a SoundFont.
type Font struct {
	Name    string // from its INAM chunk, may be empty
	Presets []Preset
}

// Preset is an instrument of a font.
type Preset struct {
	Name    string
	Bank    int // 0-127, or 128 for percussion
	Program int // 0-127
}

// headerSize is the length of a preset header: a name of 20 bytes, program,
// bank, bag index (16 bits each), library, genre, morphology (32 bits each).
const headerSize = 38

// Error is why a file was refused.
type Error struct {
	Offset int // where the trouble is
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Reason, e.Offset) }

// Parse reads a font. An error is an *Error.
func Parse(data []byte) (*Font, error) {
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "sfbk" {
		return nil, &Error{0, "this is not a SoundFont 2: it does not start with RIFF and sfbk"}
	}
	f := &Font{}
	found := false
	err := chunks(data, 12, len(data), func(id string, at, end int) error {
		if id != "LIST" || end-at < 4 {
			return nil
		}
		switch string(data[at : at+4]) {
		case "INFO":
			return chunks(data, at+4, end, func(id string, at, end int) error {
				if id == "INAM" {
					f.Name = text(data[at:end])
				}
				return nil
			})
		case "pdta":
			return chunks(data, at+4, end, func(id string, at, end int) (err error) {
				if id == "phdr" {
					found = true
					f.Presets, err = presets(data, at, end)
				}
				return err
			})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, &Error{len(data), "the SoundFont has no preset headers (phdr): it is cut off or damaged"}
	}
	if len(f.Presets) == 0 {
		return nil, &Error{len(data), "the SoundFont has no presets"}
	}
	return f, nil
}

// chunks calls each with the content of the chunks between at and end.
func chunks(data []byte, at, end int, each func(id string, at, end int) error) error {
	for end-at >= 8 {
		size := int(binary.LittleEndian.Uint32(data[at+4:]))
		if size > end-at-8 {
			return &Error{at, fmt.Sprintf("chunk %q says %d bytes, only %d are there: the file is cut off", data[at:at+4], size, end-at-8)}
		}
		if err := each(string(data[at:at+4]), at+8, at+8+size); err != nil {
			return err
		}
		at += 8 + size + size&1
	}
	return nil
}

// presets reads the headers, of which the last only marks the end.
func presets(data []byte, at, end int) ([]Preset, error) {
	if n := end - at; n%headerSize != 0 || n == 0 {
		return nil, &Error{at, fmt.Sprintf("the preset headers are %d bytes, not a multiple of %d", n, headerSize)}
	}
	var out []Preset
	for ; at+headerSize < end; at += headerSize {
		p := Preset{text(data[at : at+20]), int(binary.LittleEndian.Uint16(data[at+22:])), int(binary.LittleEndian.Uint16(data[at+20:]))}
		if p.Program > 127 || p.Bank > 128 {
			return nil, &Error{at, fmt.Sprintf("preset %q has program %d of bank %d; programs go to 127, banks to 128", p.Name, p.Program, p.Bank)}
		}
		out = append(out, p)
	}
	return out, nil
}

// text is a padded string: up to its first zero, UTF-8 or Latin-1, control
// characters left out.
func text(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	valid := utf8.Valid(b)
	var out []rune
	for _, r := range string(b) {
		if !valid {
			break
		}
		if r >= ' ' && r != 0x7F {
			out = append(out, r)
		}
	}
	if !valid {
		for _, c := range b {
			if c >= ' ' && c != 0x7F {
				out = append(out, rune(c))
			}
		}
	}
	return string(bytes.TrimSpace([]byte(string(out))))
}
