package sf2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func riff(id, data string) string {
	out := id + string(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))) + data
	if len(data)&1 == 1 {
		out += "\x00"
	}
	return out
}

func header(name string, program, bank int) string {
	b := make([]byte, headerSize)
	copy(b, name)
	binary.LittleEndian.PutUint16(b[20:], uint16(program))
	binary.LittleEndian.PutUint16(b[22:], uint16(bank))
	return string(b)
}

func font(headers ...string) string {
	return riff("RIFF", "sfbk"+riff("LIST", "INFO"+riff("ifil", "\x02\x00\x01\x00")+riff("INAM", "Test Font\x00"))+
		riff("LIST", "sdta"+riff("smpl", "abc"))+riff("LIST", "pdta"+riff("phdr", strings.Join(headers, ""))+riff("pbag", "xxxx")))
}

func TestPresetsAreRead(t *testing.T) {
	f, err := Parse([]byte(font(header("Warm Strings", 48, 0), header("Kit", 0, 128), header("Fl\xf6te\x00junk", 73, 8), header("EOP", 255, 255))))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(*f), "{Test Font [{Warm Strings 0 48} {Kit 128 0} {Flöte 8 73}] }"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInvalidFontsAreRefusedWithAnOffset(t *testing.T) {
	whole := font(header("A", 0, 0), header("EOP", 0, 0))
	for _, c := range []struct {
		name, data, reason string
		offset             int
	}{
		{"nothing", "", "not a SoundFont", 0},
		{"a MIDI file", "MThd\x00\x00\x00\x06\x00\x00\x00\x01\x01\xE0", "not a SoundFont", 0},
		{"a wave file", riff("RIFF", "WAVEfmt "), "not a SoundFont", 0},
		{"cut off", whole[:len(whole)-20], "cut off", 12 + 8 + 4 + 12 + 18 + 8 + 4 + 12},
		{"no headers", riff("RIFF", "sfbk"+riff("LIST", "pdta")), "no preset headers", 24},
		{"no presets", font(header("EOP", 0, 0)), "no presets", len(font(header("EOP", 0, 0)))},
		{"headers of odd size", font("abc"), "not a multiple of 38", 98},
		{"a program of 200", font(header("A", 200, 0), header("EOP", 0, 0)), "program 200", 98},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.data))
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(e.Reason, c.reason) || e.Offset != c.offset {
				t.Errorf("%v, want %q at %d", err, c.reason, c.offset)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(font(header("A", 0, 0), header("EOP", 0, 0))))
	f.Fuzz(func(t *testing.T, data []byte) {
		font, err := Parse(data)
		if err == nil && len(font.Presets) == 0 {
			t.Error("a font without presets")
		}
	})
}
