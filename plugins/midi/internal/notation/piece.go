// Package notation converts sheet music, in ABC or MusicXML, to a Standard MIDI File:
// notes, rests, ties, tuplets, repeats, keys, metres, tempi, voices, lyrics and drums.
package notation

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// quarter is the number of ticks in a quarter note.
const quarter = 960

// Extensions lists the extensions of the files that Read reads.
func Extensions() []string { return []string{".abc", ".musicxml", ".xml", ".mxl"} }

// Is reports whether a file is sheet music, by its extension.
func Is(name string) bool { return slices.Contains(Extensions(), strings.ToLower(path.Ext(name))) }

// Read converts a file of sheet music to a MIDI file. The extension of its name
// determines its format.
func Read(name string, data []byte) ([]byte, error) {
	var p *piece
	var err error
	text := ""
	if bytes.HasPrefix(data, []byte("PK")) {
		text, err = unpack(data)
	} else {
		text = decodeText(data)
	}
	switch {
	case err != nil:
	case strings.EqualFold(path.Ext(name), ".abc"):
		p, err = readABC(text)
	case len(text) > maxXML:
		err = fmt.Errorf("it is larger than %d MiB", maxXML>>20)
	default:
		p, err = readXML(text)
	}
	if err != nil {
		return nil, err
	}
	return p.encode()
}

// piece is what the readers of the formats return.
type piece struct {
	title string
	parts []*part
}

// part is an instrument or a voice.
type part struct {
	name    string
	program int // -1 where none is named
	drums   bool
	voice   bool // a part before it has the same name
	bars    []*bar
}

// bar is a measure as it is written. Times are ticks from its start.
type bar struct {
	length  int64
	notes   []note
	words   []word
	marks   []mark
	forward bool  // a repeat starts here
	back    int   // how often the passage that ends here is played, 0 for no repeat
	endings []int // the passes in which the bar is played, nil for all
}

type note struct {
	at, length int64
	pitch, vel int
	stop, hold bool // tied to the note before, tied to the next
}

type word struct {
	at   int64
	text string
}

// mark is a meta event that applies to all parts.
type mark struct {
	at   int64
	kind byte
	data []byte
}

// Kinds of marks.
const (
	metaName  = 0x03
	metaLyric = 0x05
	metaTempo = 0x51
	metaMetre = 0x58
	metaKey   = 0x59
)

func tempoPayload(bpm float64) ([]byte, bool) {
	micros := math.Round(60e6 / bpm)
	if !(micros >= 1 && micros < 1<<24) {
		return nil, false
	}
	m := uint32(micros)
	return []byte{byte(m >> 16), byte(m >> 8), byte(m)}, true
}

func metrePayload(num, den int) ([]byte, bool) {
	power := 0
	for 1<<power < den {
		power++
	}
	if num < 1 || num > 255 || 1<<power != den || den > 64 {
		return nil, false
	}
	return []byte{byte(num), byte(power), 24, 8}, true
}

func keyPayload(fifths int, minor bool) ([]byte, bool) {
	if fifths < -7 || fifths > 7 {
		return nil, false
	}
	b := byte(0)
	if minor {
		b = 1
	}
	return []byte{byte(int8(fifths)), b}, true
}

// maxBars is how many bars a piece may have once its repeats are expanded.
const maxBars = 20_000

// playingOrder lists the indices of bars in the order in which they are played.
func playingOrder(bars []*bar) ([]int, error) {
	var out []int
	start, pass := 0, 1
	for i := 0; i < len(bars); {
		b := bars[i]
		if b.forward && i != start || len(b.endings) == 0 && i > 0 && len(bars[i-1].endings) > 0 && i > start {
			start, pass = i, 1
		}
		if len(b.endings) == 0 || slices.Contains(b.endings, pass) {
			out = append(out, i)
			if len(out) > maxBars {
				return nil, fmt.Errorf("its repeats make more than %d bars", maxBars)
			}
			if b.back > pass {
				pass++
				i = start
				continue
			}
		}
		if b.back > 0 && !(len(b.endings) > 0 && slices.Max(b.endings) > pass) {
			// All passes are played. Endings may follow, which belong to the last pass.
			if i+1 >= len(bars) || len(bars[i+1].endings) == 0 {
				start, pass = i+1, 1
			}
		}
		i++
	}
	return out, nil
}

// upbeat returns the length of the silence before a first bar that is shorter than its
// metre.
func (p *piece) upbeat() int64 {
	for _, t := range p.parts {
		if len(t.bars) < 2 {
			continue
		}
		whole := int64(4 * quarter)
		for _, m := range t.bars[0].marks {
			if m.kind == metaMetre && m.at == 0 {
				whole = int64(m.data[0]) * (4 * quarter >> m.data[1])
			}
		}
		if first := t.bars[0].length; first > 0 && first < whole {
			return whole - first
		}
		return 0
	}
	return 0
}

// dynamics maps dynamics markings to velocities.
var dynamics = map[string]int{"pppp": 10, "ppp": 16, "pp": 33, "p": 49, "mp": 64, "mf": 80, "f": 96, "ff": 112, "fff": 127, "ffff": 127, "sfz": 112, "fp": 96}

// steps maps the natural notes to semitones above C.
var steps = map[byte]int{'C': 0, 'D': 2, 'E': 4, 'F': 5, 'G': 7, 'A': 9, 'B': 11}
